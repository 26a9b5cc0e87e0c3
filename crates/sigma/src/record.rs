//! A record of an event log as rules see it: its fields by name, and its texts folded for comparison.

use std::borrow::Cow;
use std::ops::Range;

use super::logsource::Source;
use jiff::Timestamp;

/// The name that rules have for values without a name.
const UNNAMED: &str = "Data";
/// The separator of values in one text: no rule can ask for it.
const BETWEEN: char = '\0';

/// A record of an event log, from any reader.
pub trait Record {
    /// The provider that logged it.
    fn provider(&self) -> &str;
    /// Its event id.
    fn event_id(&self) -> u32;
    /// The channel in which it is.
    fn channel(&self) -> Option<&str>;
    /// The computer that logged it.
    fn computer(&self) -> Option<&str>;
    /// When it was logged.
    fn time(&self) -> Option<Timestamp>;
    /// The names and values of its fields, in order; those of positional fields have no names.
    fn fields(&self) -> Box<dyn Iterator<Item = (Option<&str>, &str)> + '_>;
    /// The text of another part of its `System` element, by the element's name, or by that and an attribute's with `_`
    /// between them: `Level`, `Execution_ProcessID`. `None` where the part can't be read, `Some(None)` where the record
    /// does not have it.
    fn head(&self, part: &str) -> Option<Option<Cow<'_, str>>>;
}

/// The text as it compares where case does not count: each character in lower case.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().flat_map(char::to_lowercase).collect())
}

/// A value of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'v> {
    /// As written.
    pub(super) written: &'v str,
    /// As it compares where case does not count.
    pub(super) folded: &'v str,
}

/// A record with its texts folded.
pub(super) struct Seen<'r> {
    pub(super) record: &'r dyn Record,
    provider: Text<'r>,
    channel: Option<Text<'r>>,
    computer: Option<Text<'r>>,
    /// The values of its fields by their names.
    fields: Vec<(&'r str, Text<'r>)>,
    /// All values and texts of its system fields, folded, one behind the other.
    folded: String,
}

/// A text as written, and where it is among all that are folded.
struct Text<'r> {
    written: &'r str,
    folded: Range<usize>,
}

impl<'r> Seen<'r> {
    /// The record with its texts folded.
    pub(super) fn new(record: &'r dyn Record) -> Self {
        let mut folded = String::new();
        let mut text = |written: &'r str| {
            let start = folded.len();
            folded.push_str(&fold(written));
            let place = start..folded.len();
            folded.push(BETWEEN);
            Text { written, folded: place }
        };
        let provider = text(record.provider());
        let (channel, computer) = (record.channel().map(&mut text), record.computer().map(&mut text));
        let fields = record.fields().map(|(name, written)| (name.unwrap_or(UNNAMED), text(written))).collect();
        Self { record, provider, channel, computer, fields, folded }
    }

    /// All texts, folded.
    pub(super) fn folded(&self) -> &str {
        &self.folded
    }

    fn value(&self, text: &Text<'r>) -> Value<'_> {
        Value { written: text.written, folded: self.folded.get(text.folded.clone()).unwrap_or_default() }
    }

    /// The provider's name.
    pub(super) fn provider(&self) -> Value<'_> {
        self.value(&self.provider)
    }

    /// The channel.
    pub(super) fn channel(&self) -> Option<Value<'_>> {
        self.channel.as_ref().map(|channel| self.value(channel))
    }

    /// The computer.
    pub(super) fn computer(&self) -> Option<Value<'_>> {
        self.computer.as_ref().map(|computer| self.value(computer))
    }

    /// Every text of the record.
    pub(super) fn all(&self) -> impl Iterator<Item = Value<'_>> {
        let of_system = [Some(self.provider()), self.channel(), self.computer()].into_iter().flatten();
        of_system.chain(self.fields.iter().map(|(_, text)| self.value(text)))
    }

    /// The values of a field: several where the record has it several times, as those without names.
    ///
    /// A field within another is called by its own name, too: `FilePath` is `RuleAndFileData.FilePath`.
    fn named<'v>(&'v self, name: &'v str) -> impl Iterator<Item = Value<'v>> {
        let is_it = move |own: &str| {
            own.eq_ignore_ascii_case(name)
                || own.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(name))
        };
        self.fields.iter().filter(move |(own, _)| is_it(own)).map(|(_, text)| self.value(text))
    }

    /// Whether `decide` holds for a value of the record's field of this name; `None` when it has no such field.
    pub(super) fn own(&self, name: &str, decide: &dyn Fn(Value<'_>) -> bool) -> Option<bool> {
        let mut values = self.named(name).peekable();
        values.peek()?;
        Some(values.any(decide))
    }

    /// Whether `decide` holds for a part of the head; `None` when the part can't be read.
    pub(super) fn head(&self, name: &str, decide: &dyn Fn(Value<'_>) -> bool) -> Option<bool> {
        let text = self.record.head(name)?;
        Some(text.is_some_and(|written| decide(Value { written: &written, folded: &fold(&written) })))
    }

    /// Whether `decide` holds for a value of a field in a record of `source`.
    ///
    /// `None` where it is not known: the source does not write the field, or leaves it empty for reasons of its own, so that
    /// its absence proves nothing.
    pub(super) fn any(&self, source: &Source, name: &str, decide: &dyn Fn(Value<'_>) -> bool) -> Option<bool> {
        let Some(mapped) = source.fields.get(name) else {
            let mut values = self.named(name).peekable();
            return if values.peek().is_none() && source.partial { None } else { Some(values.any(decide)) };
        };
        let mut known = false;
        for value in self.named(&mapped.name).filter(|value| !value.written.is_empty()) {
            known = true;
            let holds = match mapped.called(value.folded) {
                Some((written, folded)) => decide(Value { written, folded }),
                None => decide(value),
            };
            if holds {
                return Some(true);
            }
        }
        known.then_some(false)
    }

    /// Whether the record has the field, whatever its value; `None` where the source does not write it.
    pub(super) fn has(&self, source: &Source, name: &str) -> Option<bool> {
        let known = source.fields.get(name).map_or(name, |mapped| &mapped.name);
        let has = self.named(known).next().is_some();
        if !has && source.partial { None } else { Some(has) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fold_character_by_character() {
        assert!(matches!(fold("abc-1"), Cow::Borrowed("abc-1")));
        assert_eq!(fold("ABC ÄΣ"), "abc äσ");
    }
}
