//! The samples, one file a theme.

mod cuda_dumps;
mod damaged;
mod environment;
mod event_pairs;
mod fast_fails;
pub mod fleet;
mod gpu_reset;
mod inner_errors;
mod kernel;
mod loading;
mod machine_history;
mod other_dumps;
mod pointers;
mod power;
mod processor;
#[cfg(test)]
mod tests;
mod tickets;
mod together;
mod unwinding;
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
        fast_fails::old_stack_cookie(),
        fast_fails::stack_cookie(),
        fast_fails::invalid_argument(),
        fast_fails::shadow_stack(),
        pointers::freed_object(),
        pointers::misaligned_move(),
        pointers::stack_end(),
        pointers::write_to_constant(),
        pointers::called_after_unload(),
        inner_errors::cpp_exception(),
        inner_errors::refused_allocation(),
        inner_errors::stowed_exception(),
        inner_errors::crashpad_annotations(),
        unwinding::full_memory(),
        loading::delay_load_zlibwapi(),
        loading::two_openmp_runtimes(),
        loading::old_vc_runtime(),
        environment::cudnn_in_windows_folder(),
        environment::libraries_of_two_toolkits(),
        environment::two_copies_of_cublas(),
        environment::driver_too_old(),
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
        kernel::error_record(),
        kernel::power_request(),
        kernel::page_tables_differ(),
        kernel::of_32_bits(),
        kernel::live_report(),
        kernel::with_pages(),
        power::lost_power(),
        power::logs_cleared_before(),
        power::machine_check_at_boot(),
        machine_history::resets_after_driver_install(),
        machine_history::shut_down_by_heat(),
        machine_history::failing_drive(),
        machine_history::quarantined_dll(),
        machine_history::dll_refused_by_policy(),
        machine_history::ended_by_supervisor(),
        machine_history::audited_exit(),
        together::same_place_on_three_machines(),
        together::unrelated_crashes_on_one_machine(),
        together::victims_of_a_reset(),
        together::driver_before_the_first(),
        other_dumps::one_crash_three_artifacts(),
        fleet::three_machines(),
        wer_reports::hang_on_another_process(),
        wer_reports::managed_exception(),
        wer_reports::live_kernel_event(),
        wer_reports::blue_screen(),
        wer_reports::leak_suspicion(),
        other_dumps::hanging_process(),
        inner_errors::dump_on_request(),
        other_dumps::linux(),
        tickets::italian_event(),
        tickets::event_as_xml(),
        tickets::debuggers_analysis(),
        tickets::stop_by_name(),
        tickets::console_and_inventory(),
        tickets::mail_beside_the_log(),
        damaged::cut_dump(),
        damaged::broken_chunk(),
        damaged::text_as_dump(),
        damaged::empty(),
    ]
}
