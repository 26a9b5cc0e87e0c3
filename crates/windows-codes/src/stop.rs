//! The meaning of the parameters of blue screens and live kernel reports.

use super::Knowledge;
use evidence::{BugcheckCode, ExceptionCode, FastFailCode};
use knowledge_tables::stops::StopRow;
pub use knowledge_tables::stops::{Holds, StopParameter};
use knowledge_tables::{Sorted, embedded};

embedded!(STOPS: Sorted<u32, StopRow> = "bugcheck-parameters");

/// What is known of the parameters of one stop.
#[derive(Debug, Clone, Copy)]
pub struct Stop(&'static StopRow);

/// A parameter of a stop that happened, explained.
#[derive(Debug, Clone, Copy)]
pub struct ExplainedParameter {
    /// Its meaning.
    pub parameter: &'static StopParameter,
    /// Its value.
    pub value: u64,
}

impl Stop {
    /// Whether drivers on the stack may have caused the stop.
    #[must_use]
    pub fn stack_tells(self) -> bool {
        self.0.stack_tells
    }

    /// The meaning of parameter `number` (1 to 4) of a stop that happened with these parameters. `None` where it is not
    /// known, or the stop has no such parameter.
    #[must_use]
    pub fn explain(self, number: u8, parameters: &[u64]) -> Option<ExplainedParameter> {
        let value = *parameters.get(usize::from(number.checked_sub(1)?))?;
        let first = *parameters.first()?;
        let fits = |parameter: &&StopParameter| {
            parameter.number == number && (parameter.when.is_empty() || parameter.when.contains(&first))
        };
        // Where the values are a closed set and this value is none of them, the next row for the parameter applies.
        let mut rows = self.0.parameters.iter().filter(fits);
        let parameter = rows.next()?;
        let unknown = !parameter.values.is_empty() && among(&parameter.values, value).is_none();
        let parameter = if unknown { rows.next().unwrap_or(parameter) } else { parameter };
        Some(ExplainedParameter { parameter, value })
    }

    /// The values of the parameters that hold the address of an instruction.
    pub fn code_addresses(self, parameters: &[u64]) -> impl Iterator<Item = u64> {
        let of = |number| self.explain(number, parameters);
        let codes: Vec<_> = (1..=4).filter_map(of).filter(|one| one.parameter.holds == Holds::Code).collect();
        codes.into_iter().map(|one| one.value)
    }

    /// The NTSTATUS that one of the parameters holds; the first one's where there are several.
    #[must_use]
    pub fn status(self, parameters: &[u64]) -> Option<ExceptionCode> {
        (1..=4).find_map(|number| self.explain(number, parameters)?.status())
    }
}

impl ExplainedParameter {
    /// The NTSTATUS that the parameter holds. `None` for zero, with which Windows records no status.
    #[must_use]
    pub fn status(&self) -> Option<ExceptionCode> {
        if self.parameter.holds != Holds::Status {
            return None;
        }
        // Statuses of errors are negative: a 64-bit parameter repeats the sign.
        let sign = self.value >> 32;
        let low = u32::try_from(self.value & 0xFFFF_FFFF).ok().filter(|low| *low != 0)?;
        (sign == 0 || sign == 0xFFFF_FFFF).then_some(ExceptionCode(low))
    }

    /// The meaning of the value: of one of a closed set, else the name of the status or fast-fail code.
    #[must_use]
    pub fn means(&self) -> Option<&'static str> {
        match self.parameter.holds {
            Holds::Status => Knowledge.exception_name(self.status()?),
            Holds::FastFail => Knowledge.fast_fail_name(FastFailCode(u32::try_from(self.value).ok()?)),
            Holds::Value | Holds::Code => among(&self.parameter.values, self.value),
        }
    }
}

/// The meaning of a value among these values with meanings.
fn among(values: &[(u64, &'static str)], value: u64) -> Option<&'static str> {
    values.iter().find(|(known, _)| *known == value).map(|(_, means)| *means)
}

impl Knowledge {
    /// The meaning of the parameters of a stop, where it is known.
    #[must_use]
    pub fn stop(&self, code: BugcheckCode) -> Option<Stop> {
        STOPS.get(&code.0).or_else(|| STOPS.get(&code.plain())).map(Stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: u32, number: u8, parameters: [u64; 4]) -> (&'static str, Option<String>) {
        let known = Knowledge::builtin();
        let stop = known.stop(BugcheckCode(code)).expect("a stop with parameters");
        let said = stop.explain(number, &parameters).expect("a parameter");
        (said.parameter.is, said.means().map(str::to_owned))
    }

    fn means(code: u32, number: u8, parameters: [u64; 4]) -> Option<String> {
        said(code, number, parameters).1
    }

    #[test]
    fn values_of_a_closed_set_have_meanings() {
        assert_eq!(means(0xD1, 3, [0, 2, 8, 0]).as_deref(), Some("execute"));
        assert_eq!(means(0x50, 2, [0, 2, 0, 0]).as_deref(), Some("write"));
        assert_eq!(means(0x1A, 1, [0xDEAD, 0, 0, 0]), None, "not every value is documented");
        assert!(means(0x1A, 1, [0x403, 0, 0, 0]).is_some_and(|text| text.contains("contradict")));
    }

    #[test]
    fn statuses_and_fast_fail_codes_have_names() {
        for status in [0xC000_0005, 0xFFFF_FFFF_C000_0005] {
            assert_eq!(means(0x3B, 1, [status, 0, 0, 0]).as_deref(), Some("STATUS_ACCESS_VIOLATION"));
        }
        assert_eq!(means(0x1000_007E, 1, [0xC000_0005, 0, 0, 0]).as_deref(), Some("STATUS_ACCESS_VIOLATION"));
        assert_eq!(means(0x139, 1, [3, 0, 0, 0]).as_deref(), Some("FAST_FAIL_CORRUPT_LIST_ENTRY"));
        let stop = Knowledge::builtin().stop(BugcheckCode(0x116)).expect("known");
        assert_eq!(stop.status(&[1, 2, 0xFFFF_FFFF_C000_009A, 4]), Some(ExceptionCode(0xC000_009A)));
        assert_eq!(stop.status(&[1, 2, 0, 4]), None, "nothing was recorded");
        assert_eq!(stop.status(&[1, 2, 0xFFFF_8000_C000_009A, 4]), None, "an address is no status");
        assert_eq!(stop.code_addresses(&[1, 2, 3, 4]).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_a_parameter_is_can_depend_on_the_first() {
        assert_eq!(said(0x9F, 4, [3, 0, 0, 7]).0, "power request that is held");
        let known = Knowledge::builtin();
        let power = known.stop(BugcheckCode(0x9F)).expect("known");
        assert!(power.explain(4, &[1, 0, 0, 7]).is_none());
        assert_eq!(said(0x77, 1, [1, 0, 0, 0]), ("where the page came from", Some("the disk".into())));
        assert_eq!(said(0x77, 1, [0xC000_0185, 0, 0, 0]), ("status", Some("STATUS_IO_DEVICE_ERROR".into())));
        assert_eq!(said(0x7A, 1, [3, 0, 0, 0]).0, "kind of lock that was held");
        assert_eq!(said(0x7A, 1, [0xFFFF_F6FC_0000_0000, 0, 0, 0]).0, "address of the page table entry");
    }

    #[test]
    fn routines_of_drivers_are_code_and_system_calls_are_not() {
        let addresses = |code, parameters: [u64; 4]| {
            let stop = Knowledge::builtin().stop(BugcheckCode(code)).expect("a stop with parameters");
            stop.code_addresses(&parameters).collect::<Vec<_>>()
        };
        assert_eq!(addresses(0xE1, [0x10, 2, 0x20, 0x30]), [0x10], "a worker routine");
        assert_eq!(addresses(0xC9, [0x7, 0x10, 0x20, 0]), [0x10], "a cancel routine");
        assert_eq!(addresses(0xC9, [0x2, 0x10, 0x20, 0]), [] as [u64; 0], "an I/O request");
        assert_eq!(addresses(0xC4, [0x2000, 0x10, 0, 0]), [0x10], "the place in the driver");
        assert_eq!(addresses(0x4A, [0x10, 2, 0, 0]), [] as [u64; 0], "a system call");
    }

    #[test]
    fn parameters_that_are_missing_are_not_explained() {
        let stop = Knowledge::builtin().stop(BugcheckCode(0x116)).expect("known");
        assert!(stop.explain(2, &[1]).is_none());
        assert!(stop.explain(1, &[]).is_none());
    }

    #[test]
    fn every_stop_with_parameters_has_a_name_and_sorted_values() {
        let known = Knowledge::builtin();
        for (code, stop) in STOPS.iter() {
            assert!(known.bugcheck_name(BugcheckCode(*code)).is_some(), "{code:#x}");
            assert!(stop.page.starts_with("bug-check-0x"), "{code:#x}");
            for parameter in &stop.parameters {
                assert!(parameter.values.is_sorted_by(|a, b| a.0 < b.0), "{code:#x}");
                assert!(parameter.holds == Holds::Value || parameter.values.is_empty(), "{code:#x}");
            }
        }
    }
}
