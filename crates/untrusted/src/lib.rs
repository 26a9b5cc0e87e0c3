//! Reading what other people's machines wrote: bytes whose lengths are not to be believed, texts in whatever encoding,
//! numbers in whatever notation, and what of it could not be read.

pub mod bytes;
pub mod glob;
pub mod head_and_tail;
mod loss;
pub mod notation;
pub mod paths;
pub mod sanitise;
pub mod text;

pub use head_and_tail::HeadAndTail;
pub use loss::{Loss, Unreadable};
pub use paths::{display_path, reason};
pub use sanitise::sanitise;
