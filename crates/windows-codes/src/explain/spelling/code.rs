//! A code as a text spells it.

use crate::Kind;

/// A code in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::explain) struct SpelledCode {
    pub code: u32,
    pub form: Form,
    /// The kind of code that the words before it name.
    pub label: Option<Label>,
    /// For the id of an event: the event's source, where the words before it name one.
    pub provider: Option<&'static str>,
    /// For a stop code: its parameters, where they follow it.
    pub parameters: Vec<u64>,
}

/// How a code is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::explain) enum Form {
    /// In hexadecimal; with all eight digits, or more.
    Hexadecimal { whole: bool },
    /// In decimal.
    Decimal,
    /// In decimal with a sign.
    Signed,
    /// By the name of a code of this kind.
    Name(Kind),
}

/// A kind of code that words before a code can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::explain) enum Label {
    /// A code of this kind and of no other.
    Only(Kind),
    /// A live kernel report: a stop code, which is written in hexadecimal without `0x`.
    LiveReport,
    /// A status; an HRESULT is called so, too.
    Status,
    /// An exit code of any kind.
    Exit,
    /// A code of any kind.
    Code,
    /// An error: in decimal a system error or the problem of a device, in hexadecimal it may be a stop or a status.
    Error,
}

impl Label {
    /// The kind of code that the words mean; `None` where they can mean several.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Only(kind) => Some(kind),
            Self::LiveReport => Some(Kind::Bugcheck),
            Self::Status | Self::Exit | Self::Code | Self::Error => None,
        }
    }

    /// Whether the words mean a stop code.
    pub fn is_stop(self) -> bool {
        self.kind() == Some(Kind::Bugcheck)
    }
}
