//! Documents of Sigma files: rules, correlations, and documents that can't be loaded.

use std::sync::Arc;

use super::condition::{self, Condition, Why};
use super::detection;
use super::evaluate::Detection;
use super::index::Compiled;
use super::logsource;
use super::rejected::{Fault, Faults, text_under};
use evidence::{SIGMA_LEVELS, SigmaRule};
use spanned_yaml::{Node, Span, YamlText};

/// A document of a Sigma file.
pub(super) enum Document {
    /// A rule.
    Rule(Box<ReadRule>),
    /// A document that can't be loaded: the reasons, and the ids or names of the rules that a correlation replaces.
    Rejected { faults: Vec<Fault>, replaced: Vec<String> },
}

/// A rule that was read.
pub(super) struct ReadRule {
    pub(super) about: SigmaRule,
    /// The name that correlations can have for it beside its id.
    pub(super) name: Option<String>,
    pub(super) compiled: Compiled,
    pub(super) file: Arc<YamlText>,
    /// The place of its first line.
    pub(super) span: Span,
}

/// Reads a document.
pub(super) fn read(file: &Arc<YamlText>, node: &Node) -> Document {
    let mut faults = Faults::new(file);
    let other = OTHERS.iter().find_map(|(key, reason, message)| Some((node.entry(key)?, *reason, *message)));
    if node.entries().is_none() {
        faults.broken(node.span, "a rule is a mapping");
    } else if let Some((entry, reason, message)) = other {
        faults.unsupported(entry.key.span, reason, message);
    } else if let Some(read) = rule(node, &mut faults).filter(|_| faults.found.is_empty()) {
        return Document::Rule(Box::new(read));
    }
    let replaced = node.entry("correlation").map(|correlation| replaced(&correlation.value)).unwrap_or_default();
    Document::Rejected { faults: faults.found, replaced }
}

/// The keys of documents that are no rules, each with the reason why such a document is not loaded, and what would be right.
const OTHERS: [(&str, &str, &str); 3] = [
    ("correlation", "with a correlation", "correlations count records or look for others near them, which is not done"),
    ("filter", "with a filter for other rules", "filters, which change other rules, are not applied"),
    ("action", "of an earlier version", "`action` is of an earlier version of the specification"),
];

/// The ids or names of the rules that a correlation replaces: rules that match only together with the others.
fn replaced(correlation: &Node) -> Vec<String> {
    if correlation.get("generate").and_then(Node::text) == Some("true") {
        return Vec::new();
    }
    let Some(rules) = correlation.get("rules") else { return Vec::new() };
    let listed = rules.items().unwrap_or_default().iter().filter_map(Node::text);
    listed.chain(rules.text()).map(str::to_owned).collect()
}

fn rule(node: &Node, faults: &mut Faults<'_>) -> Option<ReadRule> {
    let text = |key: &str| text_under(node, key);
    let start = start_of(node);
    let title = text("title");
    if title.is_none() {
        match node.entry("title") {
            Some(entry) => faults.broken(entry.value.span, "`title` is no text"),
            None => faults.broken(start, "`title` is missing"),
        }
    }
    let level = node.entry("level").map(|entry| {
        let known = entry.value.text().and_then(|text| SIGMA_LEVELS.iter().find(|level| **level == text.trim()));
        if known.is_none() {
            faults.broken(entry.value.span, format!("`level` is one of {}", SIGMA_LEVELS.join(", ")));
        }
        known.copied()
    });
    if let Some(status) = node.entry("status").filter(|entry| entry.value.text() == Some("unsupported")) {
        let message = "the rule says of itself that it can't be used";
        faults.unsupported(status.value.span, "marked as not usable", message);
    }
    if let Some(taxonomy) = node.entry("taxonomy").filter(|entry| entry.value.text() != Some("sigma")) {
        let message = "only the names of the specification's own taxonomy are known";
        faults.unsupported(taxonomy.value.span, "in another taxonomy", message);
    }
    let sources = sources(node, faults);
    let detection = detection(node, faults)?;
    let tags: Vec<&str> =
        node.get("tags").and_then(Node::items).unwrap_or_default().iter().filter_map(Node::text).collect();
    Some(ReadRule {
        about: SigmaRule {
            title: title?.into(),
            id: text("id").map(Arc::from),
            level: level.flatten(),
            tags: tags.join("; ").into(),
            file: faults.file.name.as_str().into(),
        },
        name: text("name").map(str::to_owned),
        compiled: Compiled { detection, sources },
        file: Arc::clone(faults.file),
        span: start,
    })
}

/// The place at the beginning of a document.
fn start_of(node: &Node) -> Span {
    Span { end: node.span.start, ..node.span }
}

/// The records that the rule is about.
fn sources(node: &Node, faults: &mut Faults<'_>) -> Vec<logsource::Source> {
    let Some(source) = node.entry("logsource") else {
        faults.broken(start_of(node), "`logsource` is missing");
        return Vec::new();
    };
    let word = |key: &str| text_under(&source.value, key);
    let (product, category, service) = (word("product"), word("category"), word("service"));
    if product != Some("windows") {
        let reason = match product {
            Some(product) => format!("for `{product}`"),
            None => format!("for the log source `{}`", category.or(service).unwrap_or_default()),
        };
        let message = "only rules with `product: windows` are about event logs";
        faults.unsupported(source.key.span, reason, message);
        return Vec::new();
    }
    match logsource::sources(category, service) {
        Ok(sources) if sources.is_empty() => {
            let message = "no record is of this category and this service";
            faults.broken(source.key.span, message);
            sources
        }
        Ok(sources) => sources,
        Err(unknown) => {
            let key = if category == Some(unknown) { "category" } else { "service" };
            let span = source.value.get(key).map_or(source.key.span, |value| value.span);
            let message = format!("no event log is known to hold the {key} `{unknown}`");
            faults.unsupported(span, format!("for the log source `{unknown}`"), message);
            Vec::new()
        }
    }
}

fn detection(node: &Node, faults: &mut Faults<'_>) -> Option<Detection> {
    let Some(entry) = node.entry("detection") else {
        faults.broken(start_of(node), "`detection` is missing");
        return None;
    };
    let Some(entries) = entry.value.entries() else {
        faults.broken(entry.value.span, "`detection` is a mapping");
        return None;
    };
    let (mut names, mut selections) = (Vec::new(), Vec::new());
    let mut conditions = None;
    for entry in entries {
        match entry.name() {
            "condition" => conditions = Some(&entry.value),
            "timeframe" => {
                let message = "`timeframe` belongs to aggregations, which are not done";
                faults.unsupported(entry.key.span, "with a timeframe", message);
            }
            name => {
                names.push(name);
                selections.push(detection::selection(&entry.value, faults));
            }
        }
    }
    let Some(node) = conditions else {
        faults.broken(entry.key.span, "`condition` is missing");
        return None;
    };
    let mut read = Vec::new();
    for node in node.items().unwrap_or(std::slice::from_ref(node)) {
        match condition::read(node.text().unwrap_or_default(), &names) {
            Ok(condition) => read.push(condition),
            Err(unreadable) => {
                let span = node.span_within(faults.file, unreadable.place);
                match unreadable.why {
                    Why::Mistake(message) => faults.broken(span, message),
                    Why::Aggregation(function) => {
                        let message = "aggregations count records or look for others near them, which is not done";
                        faults.unsupported(span, format!("with `{function}`"), message);
                    }
                }
            }
        }
    }
    (!read.is_empty()).then_some(Detection { selections, condition: Condition::Any(read) })
}
