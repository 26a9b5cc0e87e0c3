//! Whether two pieces of evidence agree.

use super::limits::START_TOLERANCE_SECONDS;
use crate::crash_record::CrashRecord;
use crate::sighting::Sighting;
use evidence::base_name;

/// Whether both values are known and equal.
pub(super) fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    a.is_some() && a == b
}

/// Whether both values are known and not equal.
pub(super) fn differ<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

/// Whether two names or paths have the same file name, in any case.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    base_name(a).eq_ignore_ascii_case(base_name(b))
}

/// Whether both names are known and are of different files.
pub(super) fn names_differ(a: Option<&str>, b: Option<&str>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if !same_name(a, b))
}

/// Whether two crash records contradict each other on code, versions, module or offset.
pub(super) fn facts_differ(a: &CrashRecord<'_>, b: &CrashRecord<'_>) -> bool {
    differ(a.code, b.code)
        || differ(a.app_version, b.app_version)
        || differ(a.module_version, b.module_version)
        || differ(a.offset, b.offset)
        || names_differ(a.module, b.module)
}

/// Whether two sightings name processes that started at different times.
pub(super) fn starts_differ(a: &Sighting<'_>, b: &Sighting<'_>) -> bool {
    matches!((a.started, b.started), (Some(a), Some(b))
        if a.as_second().abs_diff(b.as_second()) > START_TOLERANCE_SECONDS.unsigned_abs())
}
