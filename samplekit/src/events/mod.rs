//! Events as Windows logs them: the right provider, level, field order and number formats for each.
//!
//! Field lists are those of the manifests that Windows ships and of records in real logs. Every function gives an
//! [`Event`](crate::event_log::Event) without channel and computer, which the log fills in.

mod application;
mod crash;
mod display;
mod hardware;
mod shutdown;
mod system;
mod wer_record;

pub use application::{Hang, ManagedCrash, missing_assembly, product_installed};
pub use crash::{Crash, Image, Layout};
pub use display::{display_reset, nvidia_driver};
pub use hardware::{MachineCheck, machine_check};
pub use shutdown::{LostPower, bugcheck, kernel_power, unclean_shutdown};
pub use system::{Commit, memory_exhausted, missing_dll_popup, service_ended};
