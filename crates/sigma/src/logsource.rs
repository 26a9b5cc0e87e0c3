//! The records that a rule is about: its log source as channels and event ids, by a table.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::record::fold;
use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText, parse};

/// The table's file.
const TABLE_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/sigma-logsources.yaml"));

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let text = YamlText::new("sigma-logsources.yaml", TABLE_TEXT);
    // A test reads the table, too: only a broken build has none.
    parse(&text).ok().and_then(|root| Table::read(&root).ok()).unwrap_or_default()
});

/// Records of one channel, or of some ids in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// The channel, folded; `None` for any.
    pub(super) channel: Option<Arc<str>>,
    /// The event ids, sorted; `None` for any.
    pub(super) ids: Option<Vec<u32>>,
    /// The names that these records have for fields of rules, where these differ.
    pub(super) fields: BTreeMap<String, Mapped>,
    /// Whether other records of the category have more fields, so that a missing field means nothing here.
    pub(super) partial: bool,
}

/// The name and values of a field in the records of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mapped {
    /// Its name.
    pub(super) name: String,
    /// Its values, folded, each with the word of rules for it, as written and folded.
    values: BTreeMap<String, (String, String)>,
}

impl Mapped {
    /// The word of rules for a value, as written and folded.
    pub(super) fn called(&self, folded: &str) -> Option<(&str, &str)> {
        self.values.get(folded).map(|(written, folded)| (written.as_str(), folded.as_str()))
    }
}

/// Whether some source has other words for the values of this field than rules have.
pub(super) fn has_other_values(field: &str) -> bool {
    let mut sources = TABLE.categories.values().flatten();
    sources.any(|source| source.fields.get(field).is_some_and(|mapped| !mapped.values.is_empty()))
}

/// The sources of a rule about Windows; `Err` with the word that the table does not have.
///
/// Without category and service, these are all records.
pub(super) fn sources<'w>(category: Option<&'w str>, service: Option<&'w str>) -> Result<Vec<Source>, &'w str> {
    let of_category = category.map(|word| TABLE.categories.get(word).ok_or(word)).transpose()?;
    let of_service = service.map(|word| TABLE.services.get(word).ok_or(word)).transpose()?;
    Ok(match (of_category, of_service) {
        (None, None) => vec![Source::default()],
        (None, Some(channels)) => {
            let of = |channel: &Arc<str>| Source { channel: Some(Arc::clone(channel)), ..Source::default() };
            channels.iter().map(of).collect()
        }
        (Some(sources), None) => sources.clone(),
        (Some(sources), Some(channels)) => {
            let is_in = |source: &&Source| source.channel.as_ref().is_some_and(|channel| channels.contains(channel));
            sources.iter().filter(is_in).cloned().collect()
        }
    })
}

/// The channels of each service, and the sources of each category.
#[derive(Debug, Default)]
struct Table {
    services: BTreeMap<String, Vec<Arc<str>>>,
    categories: BTreeMap<String, Vec<Source>>,
}

impl Table {
    /// Reads the table; an error is the place of the row that is wrong.
    fn read(root: &Node) -> Result<Self, Span> {
        Ok(Self {
            services: rows(root, "services", "service", |row| each(row.get("channels")?, channel))?,
            categories: rows(root, "categories", "category", |row| each(row.get("sources")?, source))?,
        })
    }
}

/// Reads the rows of the list under `list`, each by its word under `key`.
fn rows<T>(root: &Node, list: &str, key: &str, value: fn(&Node) -> Option<T>) -> Result<BTreeMap<String, T>, Span> {
    let node = root.get(list).ok_or(root.span)?;
    let row = |row: &Node| Some((row.get(key)?.text()?.to_owned(), value(row)?));
    node.items().ok_or(node.span)?.iter().map(|node| row(node).ok_or(node.span)).collect()
}

/// Reads the items of a list.
fn each<T>(node: &Node, read: fn(&Node) -> Option<T>) -> Option<Vec<T>> {
    node.items()?.iter().map(read).collect()
}

/// Checks a table of log sources. The first mistake in it goes to `mistakes`.
pub fn check_logsources(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) {
    match parse(file) {
        Ok(root) => {
            if let Err(span) = Table::read(&root) {
                let help = "a service has `channels`, a category has `sources` with `channel` and `ids`";
                let message = "this is no log source";
                mistakes.push(Diagnostic::error(Code::R090, file, span, message).with_help(help));
            }
        }
        Err(wrong) => mistakes.extend(wrong),
    }
}

fn channel(node: &Node) -> Option<Arc<str>> {
    Some(fold(node.text()?).into())
}

fn source(node: &Node) -> Option<Source> {
    let mut ids: Vec<u32> = each(node.get("ids")?, |id| id.text()?.parse().ok())?;
    ids.sort_unstable();
    let mut source = Source { channel: Some(channel(node.get("channel")?)?), ids: Some(ids), ..Source::default() };
    if let Some(fields) = node.get("fields") {
        for entry in fields.entries()? {
            source.fields.insert(entry.name().to_owned(), mapped(&entry.value)?);
        }
    }
    source.partial = node.get("partial").and_then(Node::text) == Some("true");
    Some(source)
}

fn mapped(node: &Node) -> Option<Mapped> {
    if let Some(name) = node.text() {
        return Some(Mapped { name: name.to_owned(), ..Mapped::default() });
    }
    let mut mapped = Mapped { name: node.get("name")?.text()?.to_owned(), ..Mapped::default() };
    for entry in node.get("values")?.entries()? {
        let called = entry.value.text()?;
        mapped.values.insert(fold(entry.name()).into_owned(), (called.to_owned(), fold(called).into_owned()));
    }
    Some(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let table = &*TABLE;
        assert!(table.services.len() > 40 && table.categories.len() > 25);
        let mut sources = table.categories.values().flatten();
        assert!(sources.all(|source| source.ids.as_ref().is_some_and(|ids| !ids.is_empty())));
        assert!(table.services.values().all(|channels| !channels.is_empty()));
    }

    #[test]
    fn a_wrong_row_is_told_with_its_place() {
        let whole = TABLE_TEXT;
        let found = |text: String| {
            let mut mistakes = Vec::new();
            check_logsources(&YamlText::new("t.yaml", text), &mut mistakes);
            mistakes.iter().map(|mistake| (mistake.code, mistake.span.line)).collect::<Vec<_>>()
        };
        assert_eq!(found(whole.to_owned()), []);
        assert_eq!(
            found("services: []\ncategories:\n  - {category: a, sources: [{ids: [1]}]}\n".to_owned()),
            [(Code::R090, 3)]
        );
        assert_eq!(found("services:\n  - {service: a, channels: b}\ncategories: []\n".to_owned()), [(Code::R090, 2)]);
        assert_eq!(found("services: []\n".to_owned()), [(Code::R090, 1)]);
    }

    #[test]
    fn a_category_is_ids_of_channels_and_a_service_its_channels() {
        let of = |category, service| -> Vec<(Option<String>, Option<Vec<u32>>)> {
            let sources = sources(category, service).expect("known words");
            sources.into_iter().map(|source| (source.channel.map(|channel| channel.to_string()), source.ids)).collect()
        };
        let sysmon = Some("microsoft-windows-sysmon/operational".to_owned());
        let started = [(sysmon.clone(), Some(vec![1])), (Some("security".to_owned()), Some(vec![4688]))];
        assert_eq!(of(Some("process_creation"), None), started);
        assert_eq!(of(Some("process_creation"), Some("sysmon")), started[..1]);
        assert_eq!(of(None, Some("system")), [(Some("system".to_owned()), None)]);
        assert_eq!(of(None, None), [(None, None)]);
        assert_eq!(sources(Some("antivirus"), None), Err("antivirus"));
        assert_eq!(sources(None, Some("sshd")), Err("sshd"));
    }

    #[test]
    fn security_audits_name_fields_and_levels_in_their_own_way() {
        let sources = sources(Some("process_creation"), Some("security")).expect("known words");
        let [source] = sources.as_slice() else { panic!("one source") };
        assert_eq!(source.fields.get("Image").map(|mapped| mapped.name.as_str()), Some("NewProcessName"));
        let level = source.fields.get("IntegrityLevel").and_then(|mapped| mapped.called("s-1-16-12288"));
        assert_eq!(level, Some(("High", "high")));
        assert!(source.partial && has_other_values("IntegrityLevel") && !has_other_values("Image"));
    }
}
