//! The key of a field: its name and the modifiers behind it.

use super::encode::Utf16;
use super::rejected::Faults;
use super::test::Order;
use spanned_yaml::Node;

/// A key taken apart.
#[derive(Debug, Default)]
pub(super) struct Key {
    /// The field; `None` where values are looked for in the whole record.
    pub(super) field: Option<String>,
    /// The type of comparison.
    pub(super) kind: Kind,
    /// Where in the field's value a value must be.
    pub(super) position: Position,
    /// Whether all values must be found, not just one.
    pub(super) all: bool,
    /// Whether upper and lower case differ.
    pub(super) cased: bool,
    /// Whether the opposite is asked.
    pub(super) not: bool,
    /// Whether a dash before an option is any dash.
    pub(super) windash: bool,
    /// The form of UTF-16 in which values are looked for.
    pub(super) utf16: Option<Utf16>,
    /// The form of Base64 in which values are looked for, after UTF-16.
    pub(super) base64: Option<Base64>,
}

/// What a field is compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text.
    #[default]
    Text,
    /// A regular expression.
    Regex(Flags),
    /// A network that it must be an address of.
    Network,
    /// A number.
    Number(Order),
    /// `true` when it must be there.
    Exists,
    /// The value of another field.
    Field,
}

/// How a regular expression is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// Without regard to case.
    pub(super) insensitive: bool,
    /// `^` and `$` are the beginning and end of lines.
    pub(super) lines: bool,
    /// `.` is any character, also the end of a line.
    pub(super) any: bool,
}

/// Where in a text a value must be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Position {
    /// It is the whole text.
    #[default]
    Whole,
    /// At the start.
    Start,
    /// At the end.
    End,
    /// Anywhere.
    Within,
}

/// How a value is written in Base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base64 {
    /// By itself.
    Alone,
    /// As a part of a longer text.
    AtOffsets,
}

impl Key {
    /// Reads a key. Its mistakes go to `faults`.
    pub(super) fn read(node: &Node, faults: &mut Faults<'_>) -> Self {
        let written = node.text().unwrap_or_default();
        let mut parts = written.split('|');
        let field = parts.next().unwrap_or_default();
        let mut key = Self { field: (!field.is_empty()).then(|| field.to_owned()), ..Self::default() };
        let mut start = field.len();
        let mut before: Vec<&str> = Vec::new();
        for word in parts {
            start = start.saturating_add(1);
            let place = start..start.saturating_add(word.len());
            start = place.end;
            let outcome = if before.contains(&word) { Err(Wrong::Contradiction) } else { key.add(word) };
            before.push(word);
            let Err(wrong) = outcome else { continue };
            let place = node.span_within(faults.file, place);
            match wrong {
                Wrong::Contradiction => {
                    faults.broken(place, format!("the modifier `{word}` can't stand behind those before it"));
                }
                Wrong::Unknown => faults.broken(place, format!("there is no modifier `{word}`")),
                Wrong::Unsupported(why) => {
                    faults.unsupported(place, format!("with the modifier `{word}`"), format!("`{word}`: {why}"));
                }
            }
        }
        key.check(node, faults);
        key
    }

    /// Adds a modifier.
    fn add(&mut self, word: &str) -> Result<(), Wrong> {
        let is_text = self.kind == Kind::Text;
        match word {
            "all" => self.all = true,
            "cased" => self.cased = true,
            "neq" => self.not = true,
            "contains" => return self.set_position(Position::Within),
            "startswith" => return self.set_position(Position::Start),
            "endswith" => return self.set_position(Position::End),
            "windash" if is_text && self.base64.is_none() => self.windash = true,
            "wide" | "utf16le" => return self.set_utf16(Utf16::Little),
            "utf16be" => return self.set_utf16(Utf16::Big),
            "utf16" => return self.set_utf16(Utf16::Marked),
            "base64" if is_text && self.base64.is_none() => self.base64 = Some(Base64::Alone),
            "base64offset" if is_text && self.base64.is_none() => self.base64 = Some(Base64::AtOffsets),
            "re" => return self.set_kind(Kind::Regex(Flags::default())),
            "i" | "m" | "s" => {
                let Kind::Regex(flags) = &mut self.kind else { return Err(Wrong::Contradiction) };
                match word {
                    "i" => flags.insensitive = true,
                    "m" => flags.lines = true,
                    _ => flags.any = true,
                }
            }
            "cidr" => return self.set_kind(Kind::Network),
            "lt" => return self.set_kind(Kind::Number(Order::Less)),
            "lte" => return self.set_kind(Kind::Number(Order::AtMost)),
            "gt" => return self.set_kind(Kind::Number(Order::Greater)),
            "gte" => return self.set_kind(Kind::Number(Order::AtLeast)),
            "exists" => return self.set_kind(Kind::Exists),
            "fieldref" => return self.set_kind(Kind::Field),
            "expand" => return Err(Wrong::Unsupported("what a placeholder stands for is not known")),
            "minute" | "hour" | "day" | "week" | "month" | "year" => {
                return Err(Wrong::Unsupported("parts of times are not compared"));
            }
            "windash" | "base64" | "base64offset" => return Err(Wrong::Contradiction),
            _ => return Err(Wrong::Unknown),
        }
        Ok(())
    }

    fn set_position(&mut self, position: Position) -> Result<(), Wrong> {
        let fits = matches!(self.kind, Kind::Text | Kind::Field) && self.position == Position::Whole;
        self.position = position;
        if fits { Ok(()) } else { Err(Wrong::Contradiction) }
    }

    fn set_utf16(&mut self, utf16: Utf16) -> Result<(), Wrong> {
        let fits = self.kind == Kind::Text && self.utf16.is_none() && self.base64.is_none();
        self.utf16 = Some(utf16);
        if fits { Ok(()) } else { Err(Wrong::Contradiction) }
    }

    fn set_kind(&mut self, kind: Kind) -> Result<(), Wrong> {
        let is_plain = self.kind == Kind::Text && self.base64.is_none() && self.utf16.is_none() && !self.windash;
        let may_stand = self.position == Position::Whole || kind == Kind::Field;
        self.kind = kind;
        if is_plain && may_stand { Ok(()) } else { Err(Wrong::Contradiction) }
    }

    /// Checks what needs the whole key.
    fn check(&self, node: &Node, faults: &mut Faults<'_>) {
        if self.utf16.is_some() && self.base64.is_none() {
            let message = "UTF-16 without `base64` or `base64offset` behind it: no field of an event holds such bytes";
            faults.unsupported(node.span, "with UTF-16 that is not encoded", message);
        }
        let needs_field = !matches!(self.kind, Kind::Text | Kind::Regex(_))
            || !matches!(self.position, Position::Whole | Position::Within);
        if self.field.is_none() && needs_field {
            faults.broken(node.span, "these modifiers need a field in front of them");
        }
        if self.field.as_deref() == Some("Message") {
            let message = "the message that Event Viewer shows is put together by it; logs hold only the values in it";
            faults.unsupported(node.span, "with the message that Event Viewer shows", message);
        }
    }
}

/// A mistake with a modifier.
enum Wrong {
    Unknown,
    /// It is there twice, or contradicts an earlier one.
    Contradiction,
    /// It is not supported, for this reason.
    Unsupported(&'static str),
}
