//! The files of settings, `crashsift.toml`.

use std::ops::Range;
use std::path::Path;

use clap::Command;
use spanned_yaml::closest;
use toml::de::{DeTable, DeValue};

use super::KEYS;
use super::setting::{Given, Origin, Setting};
use untrusted::reason;

/// The largest file of settings, bytes: far more than anybody writes.
const MOST_BYTES: u64 = 1 << 20;

/// The settings of a file.
///
/// # Errors
/// The message for the user: the first mistake in the file, with its line.
pub(super) fn read(path: &Path, of: &Command) -> Result<Vec<Setting>, String> {
    let unreadable = |reason: String| format!("{}: {reason}", path.display());
    let bytes = opener::read(path, MOST_BYTES).map_err(|error| unreadable(reason(&error)))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("its text is not UTF-8".to_owned()))?;
    let at = |span: Range<usize>| Origin::File(path.to_path_buf(), line(&text, span.start));
    let table = DeTable::parse(&text)
        .map_err(|error| format!("{}: {}", at(error.span().unwrap_or_default()), error.message()))?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut all = Vec::new();
    for (key, value) in entries {
        let origin = at(key.span());
        let Some(known) = KEYS.into_iter().find(|known| *known == key.get_ref()) else {
            let close =
                closest(key.get_ref(), KEYS).map(|close| format!("did you mean `{close}`? ")).unwrap_or_default();
            return Err(format!("{origin}: `{}` is no setting; {close}There are: {}", key.get_ref(), KEYS.join(", ")));
        };
        let given = given(value.get_ref()).ok_or_else(|| {
            let kind = value.get_ref().type_str();
            format!(
                "{}: `{known}` can be a text, a number, `true`, `false` or a list of these, and no {kind}",
                at(value.span())
            )
        })?;
        all.push(Setting::new(known, given, origin, of)?);
    }
    Ok(all)
}

fn given(value: &DeValue<'_>) -> Option<Given> {
    match value {
        DeValue::Boolean(on) => Some(Given::Switch(*on)),
        DeValue::Array(values) => {
            Some(Given::List(values.iter().map(|value| scalar(value.get_ref())).collect::<Option<_>>()?))
        }
        value => scalar(value).map(Given::One),
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(on) => Some(on.to_string()),
        _ => None,
    }
}

/// The number of the line at a place.
fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count().saturating_add(1)
}
