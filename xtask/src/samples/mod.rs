//! The samples, one file a theme.

mod cuda_dumps;
mod damaged;
mod event_pairs;
mod gpu_reset;
mod kernel;
mod loading;
mod other_dumps;
mod power;
mod processor;
#[cfg(test)]
mod tests;
mod wer_reports;

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
        kernel::network_driver(),
        kernel::stack_only(),
        kernel::unloaded_driver(),
        kernel::machine_check(),
        kernel::page_tables_differ(),
        kernel::of_32_bits(),
        kernel::live_report(),
        kernel::with_pages(),
        power::lost_power(),
        power::machine_check_at_boot(),
        other_dumps::one_crash_three_artifacts(),
        wer_reports::hang_on_another_process(),
        wer_reports::managed_exception(),
        wer_reports::live_kernel_event(),
        wer_reports::blue_screen(),
        wer_reports::leak_suspicion(),
        other_dumps::hanging_process(),
        other_dumps::linux(),
        damaged::cut_dump(),
        damaged::broken_chunk(),
        damaged::text_as_dump(),
        damaged::empty(),
    ]
}
