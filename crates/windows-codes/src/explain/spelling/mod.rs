//! Finding codes in texts that people type and paste.

mod code;
mod labels;
mod names;
mod numbers;
mod parameters;
mod tokens;
mod typeset;

use std::fmt;

use serde::Serialize;

pub(super) use self::code::{Form, Label, SpelledCode};
pub use self::labels::texts_of;
use self::labels::{is_called_address, label, provider};
use self::names::{LONGEST_NAME, by_name};
pub(super) use self::numbers::neighbour;
use self::numbers::number;
use self::parameters::parameters;
use self::tokens::{Token, tokens};
use self::typeset::{without_blank_in_status, without_grouping, without_place_of_xid};
use super::kind::{Kind, all_names};
use spanned_yaml::closest;

/// The most characters of one text that are read: more than any line with a code in it has.
const LONGEST: usize = 4096;
/// The most codes of one text.
const MOST_CODES: usize = 32;

/// The error for a text without a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoCode {
    /// The text.
    pub text: String,
    /// Why there is no code in it, with what would be right.
    pub reason: String,
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no code: {}", self.text, self.reason)
    }
}

impl std::error::Error for NoCode {}

/// All codes of a text in their order, each once.
pub(super) fn codes_in(text: &str) -> Result<Vec<SpelledCode>, NoCode> {
    // What stands for a minus where text was typeset: minus sign, en dash, hyphens.
    let text = &text.replace(['\u{2212}', '\u{2013}', '\u{2010}', '\u{2011}'], "-");
    let text = &without_blank_in_status(&without_place_of_xid(&without_grouping(text)));
    let beginning = text.char_indices().nth(LONGEST).map_or(text.as_str(), |(end, _)| text.split_at(end).0).trim();
    if let Some(named) = by_name(beginning) {
        return Ok(named);
    }
    let tokens = tokens(beginning);
    let alone = tokens.len() == 1;
    let parameters = parameters(beginning);
    let mut found: Vec<(SpelledCode, bool)> = Vec::new();
    let mut after_stop = false;
    for token in &tokens {
        let label = label(token.before);
        let Some((code, form)) = number(token.text, alone || label.is_some_and(Label::is_stop)) else {
            let names = if token.text.contains('_') { by_name(token.text) } else { None };
            found.extend(names.into_iter().flatten().map(|spelled| (spelled, true)));
            continue;
        };
        let provider = provider(token.before, code).filter(|_| form == Form::Decimal);
        let (code, form) = match label {
            // Libraries that give results above zero give errors below it.
            Some(Label::Only(Kind::Errno)) if form == Form::Signed => (code.wrapping_neg(), Form::Decimal),
            _ => (code, form),
        };
        let is_hexadecimal = matches!(form, Form::Hexadecimal { .. });
        // Windows' records write a stop with its four parameters behind it, and people paste no more than that.
        let own = parameters.as_ref().filter(|list| list.owner == token.end);
        let label = match label {
            _ if provider.is_some() => Some(Label::Only(Kind::Event)),
            None if own.is_some() && is_hexadecimal => Some(Label::Only(Kind::Bugcheck)),
            label => label,
        };
        let is_parameter = parameters.as_ref().is_some_and(|list| list.place.contains(&token.end));
        // The parameters of a stop are no codes, but for the status that is the first of some. Nor are addresses.
        let surely = match label {
            _ if is_called_address(token.before) => false,
            _ if is_parameter => after_stop && code >= 0xC000_0000,
            Some(_) => true,
            None if after_stop => code >= 0xC000_0000,
            None => code >= 0x4000_0000 || is_hexadecimal,
        };
        after_stop |= label.is_some_and(Label::is_stop);
        let parameters =
            own.filter(|_| label.is_some_and(Label::is_stop)).map(|list| list.values.clone()).unwrap_or_default();
        found.push((SpelledCode { code, form, label, provider, parameters }, surely));
    }
    // In a sentence, numbers that nothing speaks for are versions, lines, and the like.
    if found.iter().any(|(_, surely)| *surely) {
        found.retain(|(_, surely)| *surely);
    }
    let mut codes: Vec<SpelledCode> = Vec::new();
    for (spelled, _) in found {
        if codes.len() < MOST_CODES && !codes.iter().any(|known| known.code == spelled.code) {
            codes.push(spelled);
        }
    }
    if codes.is_empty() { Err(no_code(beginning, &tokens)) } else { Ok(codes) }
}

fn no_code(text: &str, tokens: &[Token<'_>]) -> NoCode {
    let reason = if text.is_empty() {
        "it is empty".to_owned()
    } else if let Some(close) = tokens.iter().find_map(|token| neighbour(token.text)) {
        format!("a code has eight hexadecimal digits; did you mean 0x{close:08X}?")
    } else if let [Token { is_number: true, .. }] = tokens {
        "not a number of 32 bits; write 0xC0000409, -1073740791 or 3221226505".to_owned()
    } else if text.len() <= LONGEST_NAME
        && let Some(close) = closest(text, all_names().map(|(name, _, _)| name))
    {
        format!("there is no such name; did you mean `{close}`?")
    } else {
        "write a number such as 0xC0000409, -1073740791 or 126, or a name such as STATUS_ACCESS_VIOLATION".to_owned()
    };
    NoCode { text: text.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<u32> {
        let found = codes_in(text).unwrap_or_else(|wrong| panic!("{wrong}"));
        found.into_iter().map(|spelled| spelled.code).collect()
    }

    fn one(text: &str) -> SpelledCode {
        let mut read = codes_in(text).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(read.len(), 1, "{text}: {read:?}");
        read.remove(0)
    }

    #[test]
    fn a_code_is_the_same_in_every_spelling() {
        for text in [
            "-1073740791",
            "3221226505",
            "0xC0000409",
            "0Xc0000409",
            "c0000409",
            "C0000409h",
            "0x00000000C0000409",
            "0xffffffff`c0000409",
            "0xFFFFFFFFC0000409",
            "18446744072635810825",
            "-0x3FFFFBF7",
            "exit code -1073740791 (0xC0000409)",
            "(0xC0000409)",
            "-1073740791,",
            "STATUS_STACK_BUFFER_OVERRUN",
            "status_stack_buffer_overrun",
            "Stack_Buffer_Overrun",
            "Process finished with exit code -1073740791 (0xC0000409)",
            "Exception Code: c0000409",
            "c000-0409",
            "(0xc000-0409)",
        ] {
            assert_eq!(codes(text), [0xC000_0409], "{text}");
        }
    }

    #[test]
    fn of_very_many_codes_the_first_are_read() {
        let text: Vec<String> = (0..40).map(|number| format!("0x{:08X}", 0xC000_0100_u32 | number)).collect();
        assert_eq!(codes(&text.join(" ")).len(), MOST_CODES);
    }

    #[test]
    fn only_the_sign_may_stand_above_the_lower_half() {
        for text in ["0xFFFFFFFF7FFFFFFF", "0xFFFFFFFF00000005", "0x1C0000409", "18446744069414584325"] {
            assert!(codes_in(text).is_err(), "{text}");
        }
    }

    #[test]
    fn short_numbers_are_read_as_they_are_written() {
        for (text, code, form) in [
            ("126", 126, Form::Decimal),
            ("0x116", 0x116, Form::Hexadecimal { whole: false }),
            ("0x00000116", 0x116, Form::Hexadecimal { whole: true }),
            ("00000116", 0x116, Form::Hexadecimal { whole: true }),
            ("0000000000000007", 7, Form::Hexadecimal { whole: true }),
            ("1a8", 0x1A8, Form::Hexadecimal { whole: false }),
            ("7E", 0x7E, Form::Hexadecimal { whole: false }),
            ("-1", u32::MAX, Form::Signed),
            ("80070005", 0x8007_0005, Form::Hexadecimal { whole: true }),
        ] {
            let written = one(text);
            assert_eq!((written.code, written.form), (code, form), "{text}");
        }
    }

    #[test]
    fn words_before_a_code_say_what_it_is() {
        for (text, code, label) in [
            ("WinError 126", 126, Label::Only(Kind::WinError)),
            ("[WinError 126] The specified module could not be found", 126, Label::Only(Kind::WinError)),
            ("OSError: [WinError 1114]", 1114, Label::Only(Kind::WinError)),
            ("exit code 53", 53, Label::Exit),
            ("exit status 3", 3, Label::Exit),
            ("HRESULT: 0x80070005", 0x8007_0005, Label::Only(Kind::HResult)),
            ("BugcheckCode 278", 278, Label::Only(Kind::Bugcheck)),
            ("Bug check 7e", 0x7E, Label::Only(Kind::Bugcheck)),
            ("LiveKernelEvent 141", 141, Label::LiveReport),
            ("fast fail 7", 7, Label::Only(Kind::FastFail)),
            ("Stop error 0x9F", 0x9F, Label::Only(Kind::Bugcheck)),
            ("Xid 79", 79, Label::Only(Kind::Xid)),
            ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", 79, Label::Only(Kind::Xid)),
            ("[Errno 22] Invalid argument", 22, Label::Only(Kind::Errno)),
            ("OSError 22", 22, Label::Only(Kind::Errno)),
            ("errno -2", 2, Label::Only(Kind::Errno)),
            ("code 43", 43, Label::Code),
            ("Error 0x1A", 0x1A, Label::Error),
        ] {
            let written = one(text);
            assert_eq!((written.code, written.label), (code, Some(label)), "{text}");
        }
    }

    #[test]
    fn names_are_found_without_their_beginning_and_under_the_names_that_programs_use() {
        for (text, code, kind) in [
            ("FAST_FAIL_FATAL_APP_EXIT", 7, Kind::FastFail),
            ("FATAL_APP_EXIT", 0x4000_0015, Kind::Exception),
            ("VIDEO_TDR_FAILURE", 0x116, Kind::Bugcheck),
            ("EXCEPTION_ACCESS_VIOLATION", 0xC000_0005, Kind::Exception),
            ("EXCEPTION_INT_DIVIDE_BY_ZERO", 0xC000_0094, Kind::Exception),
            ("MOD_NOT_FOUND", 126, Kind::WinError),
            ("E_ACCESSDENIED", 0x8007_0005, Kind::HResult),
            ("C++ exception", 0xE06D_7363, Kind::Exception),
            ("SIGSEGV", 139, Kind::ExitCode),
        ] {
            let written = one(text);
            assert_eq!((written.code, written.form), (code, Form::Name(kind)), "{text}");
        }
    }

    #[test]
    fn several_codes_of_one_text_are_all_read_once() {
        assert_eq!(codes("0xC0000005 and 0xc0000409, again 0xC0000005"), [0xC000_0005, 0xC000_0409]);
        assert_eq!(codes("STOP 0x0000007E (0xC0000005, 0xFFFFF80123456789, 0x0, 0x1)"), [0x7E, 0xC000_0005]);
        assert_eq!(codes("STATUS_ACCESS_VIOLATION (0xC0000005)"), [0xC000_0005]);
    }

    #[test]
    fn large_numbers_may_be_written_in_groups() {
        for text in [
            "3.221.226.505",
            "-1.073.740.791",
            "-1,073,740,791",
            "3'221'226'505",
            "3\u{A0}221\u{A0}226\u{A0}505",
            "exit code 3 221 226 505.",
            "(-1.073.740.791)",
        ] {
            assert_eq!(codes(text), [0xC000_0409], "{text}");
        }
        // More or fewer groups, and what is too large, are no codes.
        for text in ["error 126 in 10.0.190.452", "error 126 in 9.221.226.505", "error 126 in 3.221.226.505.100"] {
            assert_eq!(codes(text), [126], "{text}");
        }
    }

    #[test]
    fn the_parameters_of_a_stop_are_no_codes() {
        for (text, expected) in [
            ("0x1A (0x41792, 0x0, 0x0, 0x0)", &[0x1A][..]),
            ("0x0000009F (0x3, 0xffffe00012345678, 0xfffff80012345678, 0x0)", &[0x9F]),
            ("The bugcheck was: 0x0000001a (0x00041792, 0x00000000, 0x00000000, 0x00000000).", &[0x1A]),
            ("0x1e (0xffffffffc0000005, 0xfffff80012345678, 0x0, 0x8)", &[0x1E, 0xC000_0005]),
            ("0xC0000005 (0x1, 0x2)", &[0xC000_0005, 1, 2]),
        ] {
            assert_eq!(codes(text), expected, "{text}");
        }
        assert_eq!(
            codes_in("0x1A (0x41792, 0x0, 0x0, 0x0)").expect("codes")[0].label,
            Some(Label::Only(Kind::Bugcheck))
        );
    }

    #[test]
    fn addresses_are_no_codes() {
        for text in [
            "0xC0000005: Access violation reading location 0x0000000000000000",
            "exception at 0x00000000: 0xC0000005: access violation writing 0x0000000000000010",
            "0xC0000005, fault offset: 0x00012345",
        ] {
            assert_eq!(codes(text), [0xC000_0005], "{text}");
        }
        assert_eq!(codes("stopped at 0xC0000005"), [0xC000_0005], "there is no other");
    }

    #[test]
    fn numbers_that_nothing_speaks_for_are_left_out_of_sentences() {
        assert_eq!(codes("Python 3.9 on line 10: exit code -1073740791"), [0xC000_0409]);
        assert_eq!(codes("error 126 in 2 of 3 runs"), [126]);
    }

    #[test]
    fn what_is_no_code_is_told_with_what_would_be_right() {
        let reason = |text: &str| codes_in(text).expect_err("no code").reason;
        assert!(reason("hello").contains("write a number"), "{}", reason("hello"));
        assert!(reason("VIDEO_TDR_FAILUR").contains("`VIDEO_TDR_FAILURE`"));
        for wide in ["0x1C0000409", "99999999999", "-99999999999", "0x"] {
            assert!(reason(wide).contains("32 bits"), "{wide}: {}", reason(wide));
        }
        for close in ["0xc00000005", "c00000005", "c000005"] {
            assert!(reason(close).ends_with("did you mean 0xC0000005?"), "{close}: {}", reason(close));
        }
        assert_eq!(reason(""), "it is empty");
        assert_eq!(reason("  "), "it is empty");
    }

    #[test]
    fn hostile_texts_are_read_to_an_end() {
        for text in ["é".repeat(10_000), "0x".repeat(10_000), "-".repeat(10_000), "1 ".repeat(10_000), "`".repeat(99)]
        {
            let _ = codes_in(&text);
        }
    }
}
