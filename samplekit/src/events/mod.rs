//! Events as Windows logs them: the right provider, level, field order and number formats for each.
//!
//! Field lists are those of the manifests that Windows ships and of records in real logs. Every function gives an
//! [`Event`](crate::event_log::Event) without channel and computer, which the log fills in.

mod application;
mod changes;
mod crash;
mod display;
mod hardware;
mod security;
mod shutdown;
mod system;
mod wer_record;

pub use application::{Hang, ManagedCrash, missing_assembly, product_installed};
pub use changes::{DisplayDriver, display_driver_installed, firmware_installed, log_cleared};
pub use crash::{Crash, Image, Layout};
pub use display::{display_reset, nvidia_driver};
pub use hardware::{
    Health, MachineCheck, bad_block, corrected_pcie_error, corrected_processor_error, drive_health, machine_check,
    processor_held_back, request_tried_again, thermal_shutdown,
};
pub use security::{applocker_block, defender_action, ended_by_other, policy_refusal, process_exit};
pub use shutdown::{LostPower, bugcheck, kernel_power, unclean_shutdown};
pub use system::{Commit, memory_exhausted, missing_dll_popup, service_ended};
