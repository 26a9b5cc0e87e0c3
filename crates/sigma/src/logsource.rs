//! Which records a rule is about: its log source as channels and event ids, by a table.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::record::fold;
use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText, parse};

/// The file as it is written.
const WRITTEN: &str = include_str!(concat!(env!("OUT_DIR"), "/sigma-logsources.yaml"));

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let text = YamlText::new("sigma-logsources.yaml", WRITTEN);
    // A test reads the table, too: only a program that was put together wrongly has none.
    parse(&text).ok().and_then(|root| Table::read(&root).ok()).unwrap_or_default()
});

/// Records of one channel, or of some ids in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// The channel, folded; `None` for any.
    pub(super) channel: Option<Arc<str>>,
    /// The event ids, sorted; `None` for any.
    pub(super) ids: Option<Vec<u32>>,
    /// What these records call the fields that rules ask for.
    fields: BTreeMap<String, Mapped>,
    /// Whether other records of the category have more fields, so that it means nothing when one is missing here.
    partial: bool,
}

/// What a field is called in the records of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mapped {
    /// Its name.
    pub(super) name: String,
    /// Its values, folded, with what rules call them, as written and folded.
    values: BTreeMap<String, (String, String)>,
}

impl Mapped {
    /// What rules call this value, as written and folded.
    pub(super) fn called(&self, folded: &str) -> Option<(&str, &str)> {
        self.values.get(folded).map(|(written, folded)| (written.as_str(), folded.as_str()))
    }
}

impl Source {
    /// What the records call the field, where that is not its own name.
    pub(super) fn field(&self, name: &str) -> Option<&Mapped> {
        self.fields.get(name)
    }

    /// Whether other records of the category have more fields.
    pub(super) fn is_partial(&self) -> bool {
        self.partial
    }
}

/// Whether some source has other values for this field than rules ask for.
pub(super) fn has_other_values(field: &str) -> bool {
    let mut sources = TABLE.categories.values().flatten();
    sources.any(|source| source.field(field).is_some_and(|mapped| !mapped.values.is_empty()))
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

/// What the words of log sources mean.
#[derive(Debug, Default)]
struct Table {
    services: BTreeMap<String, Vec<Arc<str>>>,
    categories: BTreeMap<String, Vec<Source>>,
}

impl Table {
    /// Reads the table; an error is the place of the row that is wrong.
    fn read(root: &Node) -> Result<Self, Span> {
        let rows = |key: &str| {
            let node = root.get(key).ok_or(root.span)?;
            node.items().ok_or(node.span)
        };
        let mut table = Self::default();
        for row in rows("services")? {
            let (word, channels) = service(row).ok_or(row.span)?;
            table.services.insert(word, channels);
        }
        for row in rows("categories")? {
            let (word, sources) = category(row).ok_or(row.span)?;
            table.categories.insert(word, sources);
        }
        Ok(table)
    }
}

/// Tells what is wrong with a table of log sources.
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

fn service(row: &Node) -> Option<(String, Vec<Arc<str>>)> {
    let channels = row.get("channels")?.items()?.iter().map(channel).collect::<Option<_>>()?;
    Some((row.get("service")?.text()?.to_owned(), channels))
}

fn category(row: &Node) -> Option<(String, Vec<Source>)> {
    let sources = row.get("sources")?.items()?.iter().map(source).collect::<Option<_>>()?;
    Some((row.get("category")?.text()?.to_owned(), sources))
}

fn channel(node: &Node) -> Option<Arc<str>> {
    Some(fold(node.text()?).into())
}

fn source(node: &Node) -> Option<Source> {
    let mut ids: Vec<u32> =
        node.get("ids")?.items()?.iter().map(|id| id.text()?.parse().ok()).collect::<Option<_>>()?;
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
        let whole = WRITTEN;
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
        assert_eq!(source.field("Image").map(|mapped| mapped.name.as_str()), Some("NewProcessName"));
        let level = source.field("IntegrityLevel").and_then(|mapped| mapped.called("s-1-16-12288"));
        assert_eq!(level, Some(("High", "high")));
        assert!(source.is_partial() && has_other_values("IntegrityLevel") && !has_other_values("Image"));
    }
}
