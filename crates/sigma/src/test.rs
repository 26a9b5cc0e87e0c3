//! Tests of one value of a record by one value of a rule.

use std::cmp::Ordering;
use std::net::IpAddr;

use regex::{Regex, RegexBuilder};

use super::modifiers::{Flags, Position};
use super::pattern::Pattern;
use super::record::Value;

/// A test of a value.
#[derive(Debug)]
pub(super) enum Test {
    /// It fits the pattern.
    Text(Pattern),
    /// The expression is found in it.
    Regex(Box<Regex>),
    /// It is an address of the network.
    Network(Network),
    /// It is a number in this order to the given number, such as less.
    Number(Order, Number),
    /// It is empty.
    Empty,
}

impl Test {
    /// Whether the value passes.
    pub(super) fn passes(&self, value: Value<'_>) -> bool {
        match self {
            Self::Text(pattern) => pattern.fits(value),
            Self::Regex(regex) => regex.is_match(value.written),
            Self::Network(network) => {
                value.written.trim().parse().is_ok_and(|address: IpAddr| network.has(address.to_canonical()))
            }
            Self::Number(order, number) => Number::read(value.written).is_some_and(|own| order.holds(own, *number)),
            Self::Empty => value.written.is_empty(),
        }
    }
}

/// Whether `value` is in `other` at the position.
pub(super) fn is_at(value: &str, other: &str, position: Position) -> bool {
    match position {
        Position::Whole => other == value,
        Position::Start => other.starts_with(value),
        Position::End => other.ends_with(value),
        Position::Within => other.contains(value),
    }
}

/// The most memory that a compiled expression may take, bytes.
const LIMIT: usize = 4 << 20;

/// The regular expression of a rule.
///
/// # Errors
/// When the expression can't be compiled.
///
/// `\<` and `\>` are plain characters in the language of rules, but limits of words in that of the library.
pub(super) fn regex(written: &str, flags: Flags) -> Result<Regex, ExpressionError> {
    if expressions::is_too_long(written) {
        return Err(regex::Error::CompiledTooBig(LIMIT).into());
    }
    let mut text = String::with_capacity(written.len());
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        match (character, (character == '\\').then(|| characters.next()).flatten()) {
            (_, Some(escaped @ ('<' | '>'))) => text.push(escaped),
            (_, Some(escaped)) => text.extend(['\\', escaped]),
            (character, None) => text.push(character),
        }
    }
    let mut builder = RegexBuilder::new(&text);
    builder.case_insensitive(flags.insensitive).multi_line(flags.lines).dot_matches_new_line(flags.any);
    builder.size_limit(LIMIT);
    Ok(builder.build()?)
}

/// Why a regular expression can't be compiled.
#[derive(Debug, thiserror::Error)]
#[error("{}", reason(.0))]
pub(super) struct ExpressionError(#[from] regex::Error);

fn reason(error: &regex::Error) -> String {
    match error {
        // The last line is the reason; the lines before it show the expression.
        regex::Error::Syntax(text) => text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        error => error.to_string(),
    }
}

/// The order that two numbers must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Order {
    fn holds(self, a: Number, b: Number) -> bool {
        let ordering = match (a, b) {
            (Number::Whole(a), Number::Whole(b)) => Some(a.cmp(&b)),
            (a, b) => a.float().partial_cmp(&b.float()),
        };
        match self {
            Self::Less => ordering == Some(Ordering::Less),
            Self::AtMost => ordering.is_some_and(Ordering::is_le),
            Self::Greater => ordering == Some(Ordering::Greater),
            Self::AtLeast => ordering.is_some_and(Ordering::is_ge),
        }
    }
}

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    /// Reads a number: decimal, or hexadecimal as events write it (`0x1f4`).
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            let digits = Some(digits).filter(|digits| !digits.starts_with(['+', '-']))?;
            return i128::from_str_radix(digits, 16).ok().map(Self::Whole);
        }
        let is_number = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'));
        let whole = text.parse().ok().map(Self::Whole);
        whole.or_else(|| {
            text.parse().ok().filter(|_| is_number).filter(|float: &f64| float.is_finite()).map(Self::Float)
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "compared with a number that is no whole one")]
    fn float(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }
}

/// A network: the addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network {
    bits: u128,
    mask: u128,
    v4: bool,
}

impl Network {
    /// Reads `10.0.0.0/8`; without a number of bits, it is the one address.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().ok()?)),
            None => (text.trim(), None),
        };
        let (bits, v4) = bits(address.parse().ok()?);
        let size: u32 = if v4 { 32 } else { 128 };
        let free = size.checked_sub(length.unwrap_or(size))?;
        let mask = u128::MAX.checked_shl(free).unwrap_or(0);
        Some(Self { bits: bits & mask, mask, v4 })
    }

    fn has(&self, address: IpAddr) -> bool {
        let (bits, v4) = bits(address);
        v4 == self.v4 && bits & self.mask == self.bits
    }
}

fn bits(address: IpAddr) -> (u128, bool) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), true),
        IpAddr::V6(address) => (address.to_bits(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_the_addresses_that_begin_like_them() {
        let has = |network: &str, address: &str| {
            Test::Network(Network::read(network).expect("a network"))
                .passes(Value { written: address, folded: address })
        };
        assert!(has("10.0.0.0/8", "10.255.1.2") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("0.0.0.0/0", "1.2.3.4") && !has("0.0.0.0/0", "::1"));
        assert!(has("192.168.1.7", "192.168.1.7") && !has("192.168.1.7/32", "192.168.1.8"));
        assert!(has("fe80::/10", "fe80::1") && has("::1/128", "::1") && !has("fc00::/7", "fe80::1"));
        assert!(has("10.0.0.0/8", "::ffff:10.1.2.3") && !has("10.0.0.0/8", "-"));
        assert_eq!([Network::read("10.0.0.0/33"), Network::read("10.0.0/8"), Network::read("x")], [None; 3]);
    }

    #[test]
    fn numbers_compare_in_decimal_and_hexadecimal() {
        let passes = |order, number: &str, written: &str| {
            Test::Number(order, Number::read(number).expect("a number")).passes(Value { written, folded: written })
        };
        assert!(passes(Order::Less, "10", "9") && !passes(Order::Less, "10", "10"));
        assert!(passes(Order::AtMost, "10", "0xa") && passes(Order::AtLeast, "10", "0xA"));
        assert!(passes(Order::Greater, "0.5", "1") && !passes(Order::Greater, "1", "0.5"));
        assert!(
            !passes(Order::Less, "10", "") && !passes(Order::Less, "10", "nan") && !passes(Order::Less, "10", "inf")
        );
    }

    #[test]
    fn expressions_are_found_anywhere_and_case_counts_unless_the_rule_says_otherwise() {
        let found = |expression: &str, flags, text: &str| regex(expression, flags).expect("it runs").is_match(text);
        let flags = Flags::default();
        assert!(found("b+c", flags, "abbc") && !found("B+c", flags, "abbc"));
        assert!(found("B+c", Flags { insensitive: true, ..flags }, "abbc"));
        assert!(found("^b$", Flags { lines: true, ..flags }, "a\nb\nc") && !found("^b$", flags, "a\nb\nc"));
        assert!(found("a.b", Flags { any: true, ..flags }, "a\nb") && !found("a.b", flags, "a\nb"));
        assert!(found(r"\<x\>", flags, "<x>") && found(r"a\\<", flags, r"a\<"));
        assert!(regex("(?=a)b", flags).is_err_and(|error| error.to_string().contains("look-around")));
    }
}
