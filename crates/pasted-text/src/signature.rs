//! Problem signatures that were pasted as `P1: ...` to `P10: ...`, and the values of kernel reports.

use std::sync::Arc;

use super::recognised::{FAST_FAIL, IN_PAGE_STATUS, OFFSET, Origin, Recognised, Weight};
use super::values::{code, hex_number, image_name, is_status, narrow, value_of};
use evidence::{BugcheckCode, ExceptionCode, FastFailCode, NtStatus};
use wer::signature::read_signature;

/// Values of a signature.
const VALUES: usize = 10;
/// More characters than a value has.
const LONGEST_VALUE: usize = 260;
/// Kernel reports as Reliability Monitor shows them, and as the dialogue of Windows 7 does: the part before each value
/// of the signature.
const KERNEL_LABELS: [[&str; 2]; 5] = [
    ["code", "bccode"],
    ["parameter 1", "bcp1"],
    ["parameter 2", "bcp2"],
    ["parameter 3", "bcp3"],
    ["parameter 4", "bcp4"],
];

/// A signature as far as it was seen.
#[derive(Debug, Default)]
pub(super) struct PastedSignature {
    event_name: Option<Arc<str>>,
    /// The line of its name.
    line: u32,
    values: [Option<Arc<str>>; VALUES],
    kernel_values: [Option<Arc<str>>; KERNEL_LABELS.len()],
    /// What is before the numbers of values that the dialogue of Windows 7 shows, in the system's language, and the
    /// values: `Problem Signature 01: ...`.
    numbered_label: Option<Arc<str>>,
    numbered: [Option<Arc<str>>; VALUES],
}

impl PastedSignature {
    /// The text says that the event has this name.
    pub fn set_event_name(&mut self, name: &str, line: u32) {
        let end = name.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default();
        if !name.is_empty() && self.event_name.is_none() {
            self.event_name = Some(name.into());
            self.line = line;
        }
    }

    /// Takes the values out of a line: `P7: 0000...`, or several as `P8=...; P9=...`.
    pub fn read_line(&mut self, line: &str, number: u32) {
        if self.line == 0 && self.values.iter().any(Option::is_some) {
            self.line = number;
        }
        for (number, slot) in (1_usize..).zip(&mut self.values) {
            let label = format!("P{number}");
            for (at, _) in line.match_indices(&label) {
                let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at..).unwrap_or_default());
                let after = after.strip_prefix(label.as_str()).unwrap_or_default();
                let alone = !before.ends_with(|previous: char| previous.is_alphanumeric() || previous == '_');
                if alone && after.trim_start().starts_with([':', '=', '：']) && slot.is_none() {
                    *slot = value(after);
                }
            }
        }
        for (labels, slot) in KERNEL_LABELS.iter().zip(&mut self.kernel_values) {
            for label in labels {
                let begins = line.trim_start().split_at_checked(label.len());
                if let Some((_, after)) = begins.filter(|(begin, _)| begin.eq_ignore_ascii_case(label))
                    && after.trim_start().starts_with([':', '\t'])
                {
                    *slot = slot.take().or_else(|| value(after));
                }
            }
        }
        self.read_numbered(line);
    }

    /// Takes a value whose label ends in its number, of two digits: `Problem Signature 01: tool.exe`.
    fn read_numbered(&mut self, line: &str) {
        let Some((label, after)) = line.split_once([':', '：']) else { return };
        let Some((words, number)) = label.trim().rsplit_once([' ', '\u{A0}']) else { return };
        let two_digits = number.len() == 2 && number.bytes().all(|digit| digit.is_ascii_digit());
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let at = at.filter(|at| two_digits && *at < VALUES);
        if at.is_none() {
            return;
        }
        let other = self.numbered_label.as_deref().is_some_and(|label| !label.eq_ignore_ascii_case(words));
        if other && at == Some(0) && self.numbered.iter().flatten().count() < 2 {
            // What stood before were no values of a list.
            self.numbered = Default::default();
        } else if other {
            return;
        }
        self.numbered_label = Some(words.into());
        if let Some(slot) = at.and_then(|at| self.numbered.get_mut(at)) {
            *slot = slot.take().or_else(|| value(&format!(":{after}")));
        }
    }

    /// Adds what the signature says.
    pub fn finish(self, recognised: &mut Recognised) {
        let Some(event_name) = self.event_name.clone() else {
            return self.finish_without_name(recognised);
        };
        let kernel = ["LiveKernelEvent", "BlueScreen"].iter().any(|kind| kind.eq_ignore_ascii_case(&event_name));
        let mut values = positional(&self.values);
        if kernel && values.is_empty() {
            values = positional(&self.kernel_values);
        }
        if values.is_empty() {
            values = positional(&self.numbered);
        }
        // WER's names of hangs, of packaged programs too: `AppHangB1`, `AppHangTransient`, `MoAppHang`.
        recognised.ticket.hung |= event_name.to_ascii_lowercase().contains("apphang");
        let signature = read_signature(&event_name, &values);
        let origin = Origin { weight: Weight::Report, line: self.line };
        if event_name.eq_ignore_ascii_case("InPageError") {
            // Where the values stand is not known for sure: the status is told by its form.
            let status = values.iter().filter(|value| value.len() == 8).filter_map(|value| code(value));
            recognised.set_some(IN_PAGE_STATUS, origin, status.filter(|code| is_status(*code)).map(NtStatus).next());
            recognised.set_code(origin, ExceptionCode::IN_PAGE_ERROR);
            if let Some(app) = values.first().and_then(|first| image_name(first)) {
                recognised.set_app(origin, app, None);
            }
        }
        if let Some(app) = signature.app {
            recognised.set_app(origin, &app, signature.app_version);
        }
        if let Some(module) = signature.module {
            recognised.set_module(origin, &module, signature.module_version);
        }
        if signature.code == Some(ExceptionCode::FAST_FAIL) {
            recognised.set_some(FAST_FAIL, origin, signature.data.and_then(fast_fail));
        }
        if let Some(code) = signature.code {
            recognised.set_code(origin, code);
        }
        recognised.set_some(OFFSET, origin, signature.offset);
        if let Some((stop, parameters)) = signature.bugcheck {
            recognised.set_bugcheck(origin, stop);
            recognised.bugcheck_parameters = parameters.map(Some);
        } else if let Some(stop) = values.first().filter(|_| kernel).and_then(|code| hex_number(code)).and_then(narrow)
        {
            // The code alone, where nobody copied the parameters.
            recognised.set_bugcheck(origin, BugcheckCode(stop));
        }
    }

    /// Without the event's name only one thing is certain: after the code of a fast fail comes its number.
    fn finish_without_name(self, recognised: &mut Recognised) {
        let origin = Origin { weight: Weight::Report, line: self.line };
        for (first, second) in self.values.iter().zip(self.values.iter().skip(1)) {
            let code_before = first.as_deref().and_then(code).map(ExceptionCode);
            let missing_but_known = first.is_none() && recognised.ticket.code == Some(ExceptionCode::FAST_FAIL);
            let data = second.as_deref().filter(|value| matches!(value.len(), 8 | 16)).and_then(hex_number);
            if code_before == Some(ExceptionCode::FAST_FAIL) || missing_but_known {
                recognised.set_some(FAST_FAIL, origin, data.and_then(fast_fail));
            }
        }
    }
}

/// A number small enough to be a fast-fail code: with all its 64 bits the field is as wide as an address.
pub(super) fn fast_fail(number: u64) -> Option<FastFailCode> {
    u32::try_from(number).ok().map(FastFailCode)
}

fn value(after_label: &str) -> Option<Arc<str>> {
    let text = value_of(after_label);
    let text = text.char_indices().nth(LONGEST_VALUE).map_or(text, |(end, _)| text.split_at(end).0);
    let text = text.split([';', ',']).next().unwrap_or_default();
    let text = text.get(..next_label(text)).unwrap_or(text).trim();
    (!text.is_empty()).then(|| text.into())
}

/// Where the label of the next value begins, if several are in one line: `tool.exe P2: 1.2.3.4`.
fn next_label(text: &str) -> usize {
    let begins = |(at, _): (usize, &str)| {
        let digits = text.get(at.saturating_add(2)..)?;
        let behind = digits.trim_start_matches(|digit: char| digit.is_ascii_digit());
        (behind.len() < digits.len() && behind.starts_with([':', '='])).then_some(at)
    };
    text.match_indices(" P").find_map(begins).unwrap_or(text.len())
}

/// The values up to the last that was seen; empty where one between was not.
fn positional(values: &[Option<Arc<str>>]) -> Vec<Arc<str>> {
    let count = values.iter().rposition(Option::is_some).map_or(0, |last| last.saturating_add(1));
    values.iter().take(count).map(|value| value.clone().unwrap_or_default()).collect()
}
