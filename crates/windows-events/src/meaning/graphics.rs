//! Display drivers that were reset or reported errors.

use std::sync::Arc;

use super::super::fields::Fields;
use super::split_extension;
use evidence::EventBody;

/// "Timeout detection and recovery" in the texts of drivers, which are never translated.
///
/// Source: Windows driver documentation, "Timeout detection and recovery (TDR)".
const TIMEOUT_RESET: &str = "TDR";

/// Display 4101: a reset of a display driver, which the record may not name.
pub(super) fn display_reset(provider: &str, fields: &Fields<'_>) -> EventBody {
    match fields.name("data0") {
        Some(driver) => EventBody::DisplayReset { driver: without_extension(driver) },
        None => EventBody::DisplayDriver { driver: Arc::from(provider), text: None, reset: true },
    }
}

fn without_extension(driver: Arc<str>) -> Arc<str> {
    match split_extension(&driver) {
        Some((stem, extension)) if extension.eq_ignore_ascii_case(".sys") => Arc::from(stem),
        _ => driver,
    }
}

/// The events of display drivers, and the other events of `Display`.
pub(super) fn display_driver(provider: &str, fields: &Fields<'_>) -> EventBody {
    let text = fields.joined();
    let reset = text.split(|character: char| !character.is_ascii_alphanumeric()).any(|word| word == TIMEOUT_RESET);
    EventBody::DisplayDriver { driver: Arc::from(provider), text: (!text.is_empty()).then_some(text), reset }
}

/// NVIDIA OpenGL Driver 1.
pub(super) fn open_gl_driver(fields: &Fields<'_>) -> Option<EventBody> {
    let text = fields.joined();
    if text.is_empty() {
        return None;
    }
    Some(EventBody::OpenGlDriver { code: number_after(&text, "Error code:"), pid: number_after(&text, "pid="), text })
}

/// The decimal number that follows `mark`.
fn number_after(text: &str, mark: &str) -> Option<u32> {
    let (_, rest) = text.split_once(mark)?;
    let rest = rest.trim_start();
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body, positional};
    use super::*;

    #[test]
    fn a_reset_names_the_driver_without_extension() {
        for written in ["nvlddmkm", "nvlddmkm.sys", "nvlddmkm.SYS"] {
            let Some(EventBody::DisplayReset { driver }) = positional("Display", 4101, &[written, ""]) else {
                panic!("a reset")
            };
            assert_eq!(&*driver, "nvlddmkm");
        }
    }

    #[test]
    fn a_reset_without_driver_is_still_a_reset() {
        let Some(EventBody::DisplayDriver { driver, text, reset }) = body("Display", 4101, "{}") else {
            panic!("a reset")
        };
        assert_eq!((&*driver, text, reset), ("Display", None, true));
    }

    fn driver_event(provider: &str, id: u32, values: &[&str]) -> (String, Option<String>, bool) {
        let Some(EventBody::DisplayDriver { driver, text, reset }) = positional(provider, id, values) else {
            panic!("a driver's event")
        };
        (driver.to_string(), text.map(|text| text.to_string()), reset)
    }

    #[test]
    fn a_driver_s_texts_are_joined_and_tell_a_reset_from_an_error() {
        let error = driver_event("nvlddmkm", 153, &["\\Device\\Video3", "Error occurred on GPUID: 100"]);
        let text = "\\Device\\Video3; Error occurred on GPUID: 100".to_owned();
        assert_eq!(error, ("nvlddmkm".to_owned(), Some(text), false));
        for text in
            ["Reset TDR occurred on GPUID:100", "Restarting TDR occurred", "UCodeReset TDR occurred on GPUID:100"]
        {
            assert!(driver_event("nvlddmkm", 153, &["\\Device\\Video3", text]).2, "{text}");
        }
        assert!(!driver_event("amdkmdag", 1, &["STDRIVER"]).2, "a word that only contains the letters is none");
    }

    fn open_gl(text: &str) -> (Option<u32>, Option<u32>) {
        let Some(EventBody::OpenGlDriver { code, pid, .. }) = positional("NVIDIA OpenGL Driver", 1, &[text]) else {
            panic!("a driver's event")
        };
        (code, pid)
    }

    #[test]
    fn an_open_gl_error_has_a_code_and_a_process() {
        let text = "A timeout.\n\nThe application must close.\n\n\nError code: 7 (subcode 2)\n (pid=32376 tid=11 tool.exe 64bit)";
        assert_eq!(open_gl(text), (Some(7), Some(32376)));
        assert_eq!(open_gl("Error code: 99999999999"), (None, None));
        assert_eq!(open_gl("no numbers"), (None, None));
    }
}
