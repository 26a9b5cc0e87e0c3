//! Numbers as people write codes.

use super::code::Form;
use crate::explain::kind::Kind;

/// The number that a token is. Short numbers in hexadecimal without `0x` (`7E`, `1a8`) only if `bare` ones are taken.
pub(super) fn number(token: &str, bare: bool) -> Option<(u32, Form)> {
    // Debuggers put a back quote into the middle of 64-bit numbers.
    let token = token.replace('`', "");
    let (negative, digits) = match token.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, token.as_str()),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let code = hexadecimal(hex)?;
        let code = if negative { code.wrapping_neg() } else { code };
        return Some((code, Form::Hexadecimal { whole: hex.len() >= 8 }));
    }
    if negative {
        return Some((
            digits.parse::<i64>().ok()?.checked_neg()?.try_into().ok().map(i32::cast_unsigned)?,
            Form::Signed,
        ));
    }
    let only_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Eight or sixteen digits are hexadecimal, as Windows writes codes in reports.
    let whole = matches!(digits.len(), 8 | 16);
    if only_decimal && !whole {
        return Some((narrow(digits.parse().ok()?)?, Form::Decimal));
    }
    let hex = digits.strip_suffix(['h', 'H']).unwrap_or(digits);
    let has_digit = hex.bytes().any(|byte| byte.is_ascii_digit());
    if whole || matches!(hex.len(), 8 | 16) {
        return hexadecimal(hex).filter(|_| has_digit).map(|code| (code, Form::Hexadecimal { whole: true }));
    }
    let short = bare && has_digit && hex.len() <= 4;
    short.then(|| hexadecimal(hex)).flatten().map(|code| (code, Form::Hexadecimal { whole: false }))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    narrow(u64::from_str_radix(digits, 16).ok().filter(|_| all)?)
}

/// A 32-bit code that may have been sign-extended to 64 bits.
fn narrow(value: u64) -> Option<u32> {
    let low = u32::try_from(value & 0xFFFF_FFFF).ok()?;
    let extension = value >> 32;
    (extension == 0 || (extension == 0xFFFF_FFFF && low >= 0x8000_0000)).then_some(low)
}

/// The exception or HRESULT that a number in hexadecimal would be if it had one zero more, or one less.
pub(in crate::explain) fn neighbour(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let places = match digits.len() {
        7 | 9 if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => 0..digits.len(),
        _ => return None,
    };
    let corrected = places.filter_map(|place| {
        let (before, behind) = digits.split_at_checked(place)?;
        match digits.len() {
            7 => Some(format!("{before}0{behind}")),
            _ => Some(format!("{before}{}", behind.strip_prefix('0')?)),
        }
    });
    let mut codes =
        corrected.filter_map(|digits| u32::from_str_radix(&digits, 16).ok()).filter(|code| *code >> 31 == 1);
    codes.find(|code| [Kind::Exception, Kind::HResult].iter().any(|kind| kind.look_up(*code).is_some()))
}
