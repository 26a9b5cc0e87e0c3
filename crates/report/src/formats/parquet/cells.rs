//! The cells of tables: their types, and how values of a report become cells.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int,
    Real,
    Flag,
    /// UTC, microseconds.
    Time,
}

impl Kind {
    /// The declaration of a column in the language of Parquet's schemas.
    pub(super) fn declared(self, name: &str) -> String {
        match self {
            Self::Text => format!("binary {name} (STRING)"),
            Self::Int => format!("int64 {name}"),
            Self::Real => format!("double {name}"),
            Self::Flag => format!("boolean {name}"),
            Self::Time => format!("int64 {name} (TIMESTAMP(MICROS,true))"),
        }
    }

    /// The name of the type in documents.
    #[cfg(test)]
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Int => "int",
            Self::Real => "double",
            Self::Flag => "bool",
            Self::Time => "timestamp",
        }
    }
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Int(i64),
    Real(f64),
    Flag(bool),
    Time(Timestamp),
    /// Not known.
    None,
}

/// The cells of a row, in the order of the table's columns.
pub(super) type Row = Vec<Value>;

/// The day of a time, UTC.
pub(super) fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

pub(super) fn text(value: Option<impl ToString>) -> Value {
    value.map_or(Value::None, |value| Value::Text(value.to_string()))
}

/// Several values, a line each.
pub(super) fn lines(values: impl IntoIterator<Item = impl ToString>) -> Value {
    let lines: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    text(Some(lines.join("\n")).filter(|_| !lines.is_empty()))
}

/// A list as in the JSON report.
pub(super) fn json(value: Option<&impl Serialize>) -> Value {
    // These lists have no keys but texts and no values that JSON lacks.
    text(value.and_then(|value| serde_json::to_string(value).ok()))
}

pub(super) fn time(value: Option<Timestamp>) -> Value {
    value.map_or(Value::None, Value::Time)
}

/// A number; one that is too large for the column is not known.
pub(super) fn int(value: Option<impl TryInto<i64>>) -> Value {
    value.and_then(|value| value.try_into().ok()).map_or(Value::None, Value::Int)
}

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number, or a time in microseconds since 1970.
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Time(time) => Some(time.as_microsecond()),
            _ => None,
        }
    }

    pub(super) fn real(&self) -> Option<f64> {
        match self {
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            _ => None,
        }
    }
}
