//! What a line says of a blue screen.

use super::{CurrentLine, LINES_TO_VALUE, LONGEST_STATEMENT};
use crate::recognised::{BUGCHECK, Weight};
use crate::statement::{in_braces, parameters};
use crate::stops::{Named, stop_named, stop_spelled};
use crate::values::{beginning, hex_number, narrow};
use evidence::BugcheckCode;
use windows_codes::Knowledge;

/// As many parameters as a blue screen has.
const MOST_PARAMETERS: usize = 4;
/// How many codes of blue screens are taken from one row.
const MOST_STOPS_IN_A_ROW: usize = 32;

impl CurrentLine<'_> {
    /// A code after words that also announce other numbers: it has `0x` before it or is in braces, or it is a name.
    pub(super) fn announced_bugcheck(&mut self, value: &str) -> bool {
        let number = hex_number(value).filter(|_| value.starts_with("0x") || in_braces(value).is_some());
        self.bugcheck(value, number) || self.stop(Weight::Words, stop_named(value))
    }

    /// A bugcheck code, with the parameters that follow in parentheses. Of several codes (`0x0A/0xD1`) the first
    /// counts: it happened, whatever else did.
    pub(super) fn bugcheck(&mut self, value: &str, number: Option<u64>) -> bool {
        let Some(code) = number.and_then(narrow).filter(|code| *code != 0) else { return false };
        let recognised = &mut self.reader.recognised;
        let first = recognised.origin_of(BUGCHECK).is_none_or(|origin| origin.weight > Weight::Report);
        recognised.set_bugcheck(Weight::Report, Some(BugcheckCode(code)));
        if first {
            let given = parameters(value);
            for (known, given) in recognised.bugcheck_parameters.iter_mut().zip(given) {
                *known = known.or(given);
            }
            let opened = value.split_once('(').is_some_and(|(_, inside)| !inside.contains(')'));
            if opened && given.iter().any(Option::is_none) {
                self.reader.open_parameters = Some(recognised.line);
            }
        }
        true
    }

    /// A blue screen's parameters that go on in this line: PowerShell and mail programs break lines.
    pub(super) fn parameters_of_line_before(&mut self) -> bool {
        let Some(before) = self.reader.open_parameters.take() else { return false };
        let recognised = &mut self.reader.recognised;
        if recognised.line.saturating_sub(before) > LINES_TO_VALUE {
            return false;
        }
        let (inside, closed) = self.line.split_once(')').map_or((self.line, false), |(inside, _)| (inside, true));
        let written = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
        let numbers = written.map(|number| hex_number(number).filter(|_| number.starts_with("0x")));
        let Some(numbers) = numbers.take(MOST_PARAMETERS).collect::<Option<Vec<u64>>>() else { return false };
        let missing = recognised.bugcheck_parameters.iter_mut().filter(|known| known.is_none());
        for (known, number) in missing.zip(&numbers) {
            *known = Some(*number);
        }
        if !closed && !numbers.is_empty() {
            self.reader.open_parameters = Some(recognised.line);
        }
        !numbers.is_empty()
    }

    /// The codes of blue screens that are in a row. What is no code of a blue screen is passed over.
    pub(super) fn stops_in_a_row(&mut self, value: &str) -> bool {
        let written = value.match_indices("0x").filter_map(|(at, _)| value.get(at..)).take(MOST_STOPS_IN_A_ROW);
        let codes = written.filter_map(|text| {
            let number = text.split(|digit: char| !digit.is_ascii_alphanumeric()).next()?;
            hex_number(number).and_then(narrow).map(BugcheckCode)
        });
        let known = codes.filter(|code| Knowledge::builtin().bugcheck(*code).is_some());
        known.fold(false, |_, code| self.stop(Weight::Words, Some(code)))
    }

    /// Sets the code of a stop, if there is one. Returns whether there is.
    pub(super) fn stop(&mut self, weight: Weight, code: Option<BugcheckCode>) -> bool {
        self.reader.recognised.set_bugcheck(weight, code);
        code.is_some()
    }

    /// The stop that the line names in another spelling than Windows'.
    pub(super) fn stop_spelled(&mut self) {
        if let Some((code, named)) = stop_spelled(self.line) {
            let weight = if named == Named::Alone { Weight::Words } else { Weight::Passing };
            self.stop(weight, Some(code));
        }
    }

    /// The sentence of the system's event about a bugcheck is translated, but the form of its values is not:
    /// a code of eight digits and four parameters in parentheses.
    pub(super) fn bugcheck_in_any_language(&mut self) -> bool {
        for (at, _) in self.line.match_indices(" (0x") {
            let (before, after) = self.line.split_at(at);
            let code = before.get(before.len().saturating_sub(10)..).filter(|code| code.starts_with("0x"));
            let after = beginning(after, LONGEST_STATEMENT);
            if let Some(code) = code.filter(|_| parameters(after).iter().all(Option::is_some)) {
                return self.bugcheck(after, hex_number(code));
            }
        }
        false
    }
}
