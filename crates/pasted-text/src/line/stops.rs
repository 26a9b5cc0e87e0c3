//! What a line says of a blue screen.

use super::{CurrentLine, LINES_TO_VALUE, LONGEST_STATEMENT};
use crate::patterns::Fact;
use crate::recognised::{BUGCHECK, Weight};
use crate::statement::{in_braces, parameters};
use crate::stops::{Named, stop_in_words, stop_named, stop_spelled};
use crate::values::{beginning, decimal_number, hex_number, image_name, narrow};
use evidence::BugcheckCode;
use windows_codes::Knowledge;

/// As many parameters as a blue screen has.
const MOST_PARAMETERS: usize = 4;
/// How many codes of blue screens are taken from one row.
const MOST_STOPS_IN_A_ROW: usize = 32;

impl CurrentLine<'_> {
    /// A statement about a blue screen.
    pub(super) fn take_stop(&mut self, fact: Fact, value: &str) -> bool {
        match fact {
            Fact::Bugcheck => {
                let number = hex_number(value).filter(|_| value.starts_with("0x") || in_braces(value).is_some());
                self.bugcheck(value, number) || self.named_stop(Weight::Words, value)
            }
            Fact::BugcheckHex => self.bugcheck(value, hex_number(value)),
            Fact::BugcheckDecimal => {
                let number = if value.starts_with("0x") { hex_number(value) } else { decimal_number(value) };
                self.bugcheck(value, number)
            }
            Fact::BugcheckParameter(index) => {
                if let Some(parameter) = self.recognised.bugcheck_parameters.get_mut(index) {
                    *parameter = parameter.or(hex_number(value));
                }
                true
            }
            Fact::StopName => self.named_stop(Weight::Words, value),
            Fact::StopWords => self.stop_in_words(value),
            Fact::StopMention => self.named_stop(Weight::Passing, value),
            Fact::StopList => self.stops_in_a_row(value),
            _ => {
                if let Some(name) = image_name(value) {
                    let origin = self.origin(Weight::Words);
                    self.recognised.set_module(origin, name, None);
                }
                false
            }
        }
    }

    /// A bugcheck code, with the parameters that follow in parentheses. Of several codes (`0x0A/0xD1`) the first
    /// counts: it happened, whatever else did.
    fn bugcheck(&mut self, value: &str, number: Option<u64>) -> bool {
        let Some(code) = number.and_then(narrow).filter(|code| *code != 0) else {
            return false;
        };
        let first = self.recognised.origin_of(BUGCHECK).is_none_or(|origin| origin.weight > Weight::Report);
        let origin = self.origin(Weight::Report);
        self.recognised.set_bugcheck(origin, BugcheckCode(code));
        if first {
            let given = parameters(value);
            for (known, given) in self.recognised.bugcheck_parameters.iter_mut().zip(given) {
                *known = known.or(given);
            }
            let opened = value.split_once('(').is_some_and(|(_, inside)| !inside.contains(')'));
            if opened && given.iter().any(Option::is_none) {
                self.reader.open_parameters = Some(self.recognised.line);
            }
        }
        true
    }

    /// A blue screen's parameters that go on in this line: PowerShell and mail programs break lines.
    pub(super) fn parameters_of_line_before(&mut self) -> bool {
        let Some(before) = self.reader.open_parameters.take() else { return false };
        if self.recognised.line.saturating_sub(before) > LINES_TO_VALUE {
            return false;
        }
        let (inside, closed) = self.line.split_once(')').map_or((self.line, false), |(inside, _)| (inside, true));
        let written = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
        let numbers = written.map(|number| hex_number(number).filter(|_| number.starts_with("0x")));
        let Some(numbers) = numbers.take(MOST_PARAMETERS).collect::<Option<Vec<u64>>>() else { return false };
        let missing = self.recognised.bugcheck_parameters.iter_mut().filter(|known| known.is_none());
        for (known, number) in missing.zip(&numbers) {
            *known = Some(*number);
        }
        if !closed && !numbers.is_empty() {
            self.reader.open_parameters = Some(self.recognised.line);
        }
        !numbers.is_empty()
    }

    /// The codes of blue screens that are in a row. What is no code of a blue screen is passed over.
    fn stops_in_a_row(&mut self, value: &str) -> bool {
        let origin = self.origin(Weight::Words);
        let written = value.match_indices("0x").filter_map(|(at, _)| value.get(at..)).take(MOST_STOPS_IN_A_ROW);
        let codes = written.filter_map(|text| {
            let end = text.find(|digit: char| !digit.is_ascii_alphanumeric()).unwrap_or(text.len());
            hex_number(text.get(..end)?).and_then(narrow).map(BugcheckCode)
        });
        let known: Vec<BugcheckCode> = codes.filter(|code| Knowledge::builtin().bugcheck(*code).is_some()).collect();
        for code in &known {
            self.recognised.set_bugcheck(origin, *code);
        }
        !known.is_empty()
    }

    /// The stop whose name `value` begins with.
    fn named_stop(&mut self, weight: Weight, value: &str) -> bool {
        let origin = self.origin(weight);
        let Some(code) = stop_named(value) else { return false };
        self.recognised.set_bugcheck(origin, code);
        true
    }

    /// The stop that the line names in another spelling than Windows'.
    pub(super) fn stop_spelled(&mut self) {
        if let Some((code, named)) = stop_spelled(self.line) {
            let weight = if named == Named::Alone { Weight::Words } else { Weight::Passing };
            let origin = self.origin(weight);
            self.recognised.set_bugcheck(origin, code);
        }
    }

    /// The stop whose name is in `value` in words.
    fn stop_in_words(&mut self, value: &str) -> bool {
        let origin = self.origin(Weight::Words);
        let Some(code) = stop_in_words(value) else { return false };
        self.recognised.set_bugcheck(origin, code);
        true
    }

    /// The sentence of the system's event about a bugcheck is translated, but the form of its values is not:
    /// a code of eight digits and four parameters in parentheses.
    pub(super) fn bugcheck_in_any_language(&mut self) -> bool {
        for (at, _) in self.line.match_indices(" (0x") {
            let (before, after) = self.line.split_at(at);
            let Some(code) = before.get(before.len().saturating_sub(10)..).filter(|code| code.starts_with("0x")) else {
                continue;
            };
            let after = beginning(after, LONGEST_STATEMENT);
            if parameters(after).iter().all(Option::is_some) {
                return self.bugcheck(after, hex_number(code));
            }
        }
        false
    }
}
