//! Problem signatures that were pasted as `P1: ...` to `P10: ...`, and the values of kernel reports.

use std::sync::Arc;

use super::recognised::{FAST_FAIL, IN_PAGE_STATUS, OFFSET, Recognised, Weight};
use super::values::{beginning, code, hex_number, image_name, is_status, narrow, value_of, word};
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
    /// Takes the event name of the text.
    pub fn set_event_name(&mut self, name: &str, line: u32) {
        let name = word(name);
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
            for (at, label) in line.match_indices(&label) {
                let (before, after) = line.split_at(at);
                let after = after.strip_prefix(label).unwrap_or_default();
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
        let at = number.parse::<usize>().ok().filter(|_| two_digits).and_then(|number| number.checked_sub(1));
        let Some(at) = at.filter(|at| *at < VALUES) else { return };
        if self.numbered_label.as_deref().is_some_and(|label| !label.eq_ignore_ascii_case(words)) {
            if at > 0 || self.numbered.iter().flatten().count() >= 2 {
                return;
            }
            // What stood before were no values of a list.
            self.numbered = Default::default();
        }
        self.numbered_label = Some(words.into());
        if let Some(slot) = self.numbered.get_mut(at) {
            *slot = slot.take().or_else(|| value(&format!(":{after}")));
        }
    }

    /// Adds the facts of the signature.
    pub fn finish(self, recognised: &mut Recognised) {
        recognised.line = self.line;
        let Some(event_name) = &self.event_name else { return self.finish_without_name(recognised) };
        let kernel = ["LiveKernelEvent", "BlueScreen"].iter().any(|kind| kind.eq_ignore_ascii_case(event_name));
        let lists = [Some(&self.values[..]), kernel.then_some(&self.kernel_values[..]), Some(&self.numbered[..])];
        let values = lists.into_iter().flatten().map(positional).find(|values| !values.is_empty()).unwrap_or_default();
        // WER's names of hangs, of packaged programs too: `AppHangB1`, `AppHangTransient`, `MoAppHang`.
        recognised.ticket.hung |= event_name.to_ascii_lowercase().contains("apphang");
        let signature = read_signature(event_name, &values);
        if event_name.eq_ignore_ascii_case("InPageError") {
            // Where the values stand is not known for sure: the status is told by its form.
            let status = values.iter().filter(|value| value.len() == 8).filter_map(|value| code(value));
            let status = status.filter(|code| is_status(*code)).map(NtStatus).next();
            recognised.set(IN_PAGE_STATUS, Weight::Report, status);
            recognised.set_code(Weight::Report, Some(ExceptionCode::IN_PAGE_ERROR));
            recognised.set_app(Weight::Report, values.first().and_then(|first| image_name(first)), None);
        }
        recognised.set_app(Weight::Report, signature.app.as_deref(), signature.app_version);
        recognised.set_module(Weight::Report, signature.module.as_deref(), signature.module_version);
        if signature.code == Some(ExceptionCode::FAST_FAIL) {
            recognised.set(FAST_FAIL, Weight::Report, signature.data.and_then(narrow).map(FastFailCode));
        }
        recognised.set_code(Weight::Report, signature.code);
        recognised.set(OFFSET, Weight::Report, signature.offset);
        if let Some((stop, parameters)) = signature.bugcheck {
            recognised.set_bugcheck(Weight::Report, Some(stop));
            recognised.bugcheck_parameters = parameters.map(Some);
        } else {
            // The code alone, where nobody copied the parameters.
            let stop = values.first().filter(|_| kernel).and_then(|code| hex_number(code)).and_then(narrow);
            recognised.set_bugcheck(Weight::Report, stop.map(BugcheckCode));
        }
    }

    /// Without the event's name only one thing is certain: after the code of a fast fail comes its number. With all its 64
    /// bits the field is as wide as an address.
    fn finish_without_name(&self, recognised: &mut Recognised) {
        for (first, second) in self.values.iter().zip(self.values.iter().skip(1)) {
            let code_before = first.as_deref().and_then(code).map(ExceptionCode);
            let missing_but_known = first.is_none() && recognised.ticket.code == Some(ExceptionCode::FAST_FAIL);
            let data = second.as_deref().filter(|value| matches!(value.len(), 8 | 16)).and_then(hex_number);
            if code_before == Some(ExceptionCode::FAST_FAIL) || missing_but_known {
                recognised.set(FAST_FAIL, Weight::Report, data.and_then(narrow).map(FastFailCode));
            }
        }
    }
}

fn value(after_label: &str) -> Option<Arc<str>> {
    let text = beginning(value_of(after_label), LONGEST_VALUE);
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
