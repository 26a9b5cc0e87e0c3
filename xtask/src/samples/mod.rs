//! The samples, one file a theme.

mod cuda_dumps;
mod damaged;
mod event_pairs;
mod gpu_reset;
mod loading;
mod power;

use crate::sample::Sample;

/// All samples, in the order in which the README lists them.
pub fn all() -> Vec<Sample> {
    vec![
        cuda_dumps::access_violation_cudnn(),
        cuda_dumps::abort_below_cudnn(),
        cuda_dumps::heap_corruption(),
        cuda_dumps::access_violation_driver(),
        loading::delay_load_zlibwapi(),
        event_pairs::positional(),
        event_pairs::named(),
        event_pairs::unknown_program(),
        gpu_reset::timeout_then_crash(),
        power::lost_power(),
        damaged::cut_dump(),
        damaged::broken_chunk(),
        damaged::text_as_dump(),
        damaged::empty(),
    ]
}
