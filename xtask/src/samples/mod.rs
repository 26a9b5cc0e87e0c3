//! The samples, one file a theme.

mod cuda_dumps;
mod damaged;
mod event_pairs;
mod gpu_reset;
mod loading;
mod other_dumps;
mod power;
mod processor;
#[cfg(test)]
mod tests;
mod unwinding;

use crate::sample::Sample;

/// All samples, in the order in which the page lists them.
pub fn all() -> Vec<Sample> {
    vec![
        cuda_dumps::access_violation_cudnn(),
        cuda_dumps::abort_below_cudnn(),
        cuda_dumps::heap_corruption(),
        cuda_dumps::access_violation_driver(),
        processor::stack_overflow(),
        processor::illegal_instruction(),
        unwinding::full_memory(),
        loading::delay_load_zlibwapi(),
        loading::two_openmp_runtimes(),
        loading::old_vc_runtime(),
        loading::missing_dll_at_start(),
        loading::missing_assembly_at_start(),
        event_pairs::positional(),
        event_pairs::named(),
        event_pairs::unknown_program(),
        event_pairs::other_language(),
        event_pairs::hang(),
        event_pairs::memory_exhausted_before_crash(),
        gpu_reset::timeout_then_crash(),
        gpu_reset::bugcheck_in_display_driver(),
        power::lost_power(),
        power::machine_check_at_boot(),
        other_dumps::one_crash_three_artifacts(),
        other_dumps::hanging_process(),
        other_dumps::linux(),
        damaged::cut_dump(),
        damaged::broken_chunk(),
        damaged::text_as_dump(),
        damaged::empty(),
    ]
}
