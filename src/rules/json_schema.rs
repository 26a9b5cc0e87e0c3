//! The JSON Schema of rule files, for editors: what they complete, explain and underline while a rule is written.
//!
//! It is made of the same tables as the reader of rules, so that a new fact, cause or word is in it by being there. It
//! knows less than `rules check`: what lies inside conditions, templates and regular expressions, and what one key says
//! about another, a schema can't tell. What it refuses, `rules check` refuses, too.
//!
//! Draft 7, which is what editors' YAML support knows best.

use serde_json::{Map, Value, json};

use super::compare::Modifier;
use super::condition::RESERVED;
use super::finding::{Audience, Severity};
use super::outcome::Outcome;
use super::overlay::{OVERLAY_KEYS, OVERRIDABLE};
use super::parse::{OPTIONAL_RULE_KEYS, RULE_KEYS};
use super::rule::Rule;
use super::rule_set::RuleSet;
use super::sequence::{STEPS, order_of};
use crate::facts::FactType;
use crate::facts::schema::{FactDefinition, LISTS, ListDefinition, PLACES, SCALARS};

/// What an editor reads as a plain text: YAML makes numbers and truth values of some.
const TEXT_TYPES: [&str; 3] = ["string", "number", "boolean"];

/// The schema of rule files that may name the causes and lists of `rules`.
#[must_use]
pub fn json_schema(rules: &RuleSet) -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Rules of crashsift",
        "type": "object",
        "required": ["schema"],
        "anyOf": std::iter::once("rules").chain(OVERLAY_KEYS).map(|key| json!({"required": [key]})).collect::<Vec<_>>(),
        "additionalProperties": false,
        "properties": {
            "schema": {"enum": [1, "1"], "description": "Version of the language of rules."},
            "rules": {"type": "array", "minItems": 1, "items": reference("rule"), "description": "The rules of this file."},
            "override": changes("override", "What is said anew of rules of earlier rule sets."),
            "disable": changes("disable", "Rules of earlier rule sets that judge nothing."),
            "suppress": changes("suppress", "Findings of earlier rule sets' rules that nobody wants to see."),
        },
        "definitions": definitions(rules),
    })
}

fn definitions(rules: &RuleSet) -> Value {
    let mut all = object([
        ("rule", rule(rules)),
        ("override", overlay(rules, "override")),
        ("disable", overlay(rules, "disable")),
        ("suppress", overlay(rules, "suppress")),
        ("text", json!({"type": TEXT_TYPES, "pattern": r"\S"})),
        ("texts", json!({"type": "array", "minItems": 1, "items": reference("text")})),
        ("selection", one_or_more(reference("terms"))),
        ("terms", mapping(terms(), &[])),
        ("facts", possibly_empty(mapping(facts_of_a_test(), &[]))),
        ("exists", json!({"enum": [true, false, "true", "false"], "description": "Whether it is known."})),
        ("code", code()),
        (
            "number",
            json!({"anyOf": [{"type": "integer", "minimum": 0}, text_of(r"^\s*(0[xX][0-9A-Fa-f]+|[0-9]+|(FAST_FAIL|ERROR|RPC|DNS|WSA)[A-Z0-9_]+)\s*$")]}),
        ),
        (
            "address",
            json!({"anyOf": [{"type": "integer", "minimum": 0}, text_of(r"^\s*(0[xX][0-9A-Fa-f]+|[0-9]|[0-9A-Fa-f]*([0-9][A-Fa-f]|[A-Fa-f][0-9])[0-9A-Fa-f]*)\s*$")]}),
        ),
        (
            "duration",
            json!({
                "anyOf": [
                    {"type": "integer", "minimum": 0},
                    text_of(r"^\s*(0[xX][0-9A-Fa-f]+|[0-9]+\s*(s|min|h|d)?)\s*$"),
                ],
                "description": "Seconds, or a number with its unit: 90 s, 5 min, 2 h, 3 d.",
            }),
        ),
        ("place", one_or_more(json!({"enum": PLACES}))),
        ("version", json!({"anyOf": [{"type": "number", "minimum": 0}, text_of(r"^\s*[0-9]+(\.[0-9]+){0,3}\s*$")]})),
        ("module", any_scalar(r"^[^\\/*?]*[^\\/*?\s][^\\/*?]*$")),
        ("path", any_scalar(r"^[^*?]*[^*?\s][^*?]*$")),
        ("flag", json!({"enum": [true, false, "true", "false"]})),
        ("part", json!({"type": TEXT_TYPES, "minLength": 1})),
        ("part of a module name", any_scalar(r"^[^\\/]+$")),
        ("list name", one_or_more(json!({"enum": list_names(rules)}))),
        ("bound", json!({"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$"})),
    ]);
    for list in LISTS {
        all.insert(entry_name(list), mapping(fields(list), &[]));
        all.insert(recorded_name(list), recorded(list));
    }
    Value::Object(all)
}

/// A list of overlays of one kind.
fn changes(kind: &str, about: &str) -> Value {
    json!({"type": "array", "minItems": 1, "items": reference(kind), "description": about})
}

/// What stands in an entry of `override`, `disable` or `suppress`.
fn overlay(rules: &RuleSet, kind: &str) -> Value {
    let text = |about: &str| json!({"allOf": [reference("text")], "description": about});
    let ids: Vec<&str> = rules.rules().iter().map(Rule::id).collect();
    let mut properties = object([
        ("rule", json!({"enum": ids, "description": "The id of a rule of an earlier rule set."})),
        ("reason", text("Why. Reports show it.")),
    ]);
    match kind {
        "override" => {
            let of_rules = rule(rules);
            for key in OVERRIDABLE {
                properties.insert(
                    key.to_owned(),
                    of_rules.pointer(&format!("/properties/{key}")).cloned().unwrap_or_default(),
                );
            }
            mapping(properties, &["rule"])
        }
        "suppress" => {
            let until = "The last day, in UTC, whose incidents are suppressed.";
            properties.insert(
                "until".to_owned(),
                json!({"type": "string", "pattern": r"^\s*\d{4}-\d{2}-\d{2}\s*$", "description": until}),
            );
            properties.insert("hosts".to_owned(), json!({"allOf": [reference("texts")], "description": "Names of computers; `*` is any text, `?` any one character."}));
            properties.insert(
                "when".to_owned(),
                json!({"allOf": [reference("selection")], "description": "What the incident's facts must be."}),
            );
            mapping(properties, &["rule", "reason"])
        }
        _ => mapping(properties, &["rule", "reason"]),
    }
}

fn rule(rules: &RuleSet) -> Value {
    let texts = |about: &str| json!({"allOf": [reference("texts")], "description": about});
    let text = |about: &str| json!({"allOf": [reference("text")], "description": about});
    let required: Vec<&str> = RULE_KEYS.iter().copied().filter(|key| !OPTIONAL_RULE_KEYS.contains(key)).collect();
    let properties = object([
        (
            "id",
            json!({
                "type": "string",
                "pattern": "^[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*$",
                "description": "AREA/NAME in lower case; the area is the folder's name.",
            }),
        ),
        ("title", text("What happened, in a sentence that can stand above a report.")),
        ("cause", causes(rules)),
        (
            "confidence",
            json!({
                "type": ["number", "string"],
                "minimum": 0.01,
                "maximum": 0.99,
                "description": "Of all incidents that the rule matches, in how many its cause is right: 0.01 to 0.99.",
            }),
        ),
        (
            "severity",
            json!({
                "enum": Severity::ALL.map(Severity::word),
                "description": "What it means for the user, not how sure it is.",
            }),
        ),
        (
            "selections",
            json!({
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": "^[A-Za-z0-9_-]+$", "not": {"enum": RESERVED}},
                "additionalProperties": reference("selection"),
                "description": "Named groups of terms: a mapping of facts to what they must be, or a list of such \
                                mappings of which one must hold.",
            }),
        ),
        (
            "condition",
            text(
                "Names of selections with `and`, `or`, `not` and parentheses; `all of them`, `any of NAME*`. All \
                 selections when it is left out.",
            ),
        ),
        ("adjust", adjustments()),
        (
            "requires",
            json!({
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": {"enum": SCALARS.iter().map(|fact| fact.path).chain(LISTS.iter().map(|list| list.name)).collect::<Vec<_>>()},
                "description": "Facts and lists without which the rule is skipped, even where its condition could be decided.",
            }),
        ),
        (
            "supersedes",
            json!({
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": reference("text"),
                "description": "Ids of rules that know less of the same: where both match, their findings are no rivals.",
            }),
        ),
        ("explanation", text("Why, for the reader of a report. Facts stand in it as {{ fact.path or \"fallback\" }}.")),
        ("remediation", remediation()),
        ("collect", collect()),
        ("references", texts("Where this is known from.")),
        ("tests", tests()),
    ]);
    mapping(properties, &required)
}

fn collect() -> Value {
    let text = json!({"allOf": [reference("text")], "description": "What to collect."});
    let unless = json!({
        "anyOf": [reference("text"), reference("texts")],
        "description": "Selections that hold, or facts and lists that are known: one of them makes it needless.",
    });
    let with_reason = mapping(object([("text", text), ("unless", unless)]), &["text", "unless"]);
    json!({
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [reference("text"), with_reason]},
        "description": "What would make it surer.",
    })
}

fn causes(rules: &RuleSet) -> Value {
    let one = |cause: &super::Cause| json!({"const": cause.id, "description": cause.means});
    json!({"oneOf": rules.causes().iter().map(one).collect::<Vec<_>>(), "description": "An id of causes.yaml."})
}

fn adjustments() -> Value {
    let by = json!({
        "type": ["number", "string"],
        "not": {"const": 0},
        "minimum": -0.98,
        "maximum": 0.98,
        "description": "How far the confidence moves: +0.05, -0.2.",
    });
    let when = json!({"allOf": [reference("text")], "description": "A condition over the selections."});
    let say = json!({"allOf": [reference("text")], "description": "The sentence that the report adds."});
    let most = json!({
        "type": ["number", "string"],
        "minimum": 0.01,
        "maximum": 0.98,
        "description": "How sure the rule can be then, whatever else raises its confidence: 0.6.",
    });
    let mut one = mapping(object([("when", when), ("by", by), ("most", most), ("say", say)]), &["when", "say"]);
    if let Value::Object(one) = &mut one {
        one.insert("oneOf".to_owned(), json!([{"required": ["by"]}, {"required": ["most"]}]));
    }
    json!({
        "type": "array",
        "minItems": 1,
        "items": one,
        "description": "Evidence that moves or caps the confidence, and the sentence that says so.",
    })
}

fn remediation() -> Value {
    let audience = json!({"enum": Audience::ALL.map(Audience::word), "description": "Who can do it."});
    let one = mapping(object([("audience", audience), ("text", reference("text"))]), &["audience", "text"]);
    json!({"type": "array", "minItems": 1, "items": one, "description": "What to do."})
}

fn tests() -> Value {
    let expect = json!({
        "enum": Outcome::EXPECTED.map(Outcome::word),
        "description": "match, no-match, skipped (a fact is missing that the rule needs) or superseded (it matches, and so does a rule that supersedes it).",
    });
    let confidence = json!({
        "type": ["number", "string"],
        "minimum": 0.01,
        "maximum": 0.99,
        "description": "How sure the rule has to be then, with all that adjusts it.",
    });
    let keys =
        [("name", reference("text")), ("facts", reference("facts")), ("expect", expect), ("confidence", confidence)];
    let mut one = mapping(object(keys), &["name", "facts", "expect"]);
    if let Some(one) = one.as_object_mut() {
        let matches = [Outcome::Match, Outcome::Superseded].map(Outcome::word);
        let sure = json!({"confidence": {"properties": {"expect": {"enum": matches}}}});
        one.insert("dependencies".to_owned(), sure);
    }
    let some_expects = |wanted: Outcome| json!({"contains": {"properties": {"expect": {"const": wanted.word()}}}});
    json!({
        "type": "array",
        "items": one,
        "allOf": [some_expects(Outcome::Match), some_expects(Outcome::NoMatch)],
        "description": "Facts, and what the rule must make of them. At least one match and one no-match.",
    })
}

/// What can stand in a selection: every fact with every modifier that compares it, and every list with its quantifiers.
fn terms() -> Map<String, Value> {
    let mut all = Map::new();
    for fact in SCALARS {
        add_term(fact, Some(fact.from), &mut all);
    }
    for list in LISTS {
        let entries = one_or_more(reference(&entry_name(list)));
        let told = |how: &str| format!("{how} {} From {}.", sentence(list.about), list.from);
        let quantified = |how: &str| json!({"allOf": [entries.clone()], "description": told(how)});
        all.insert(format!("{}|any", list.name), quantified("An entry fits."));
        all.insert(format!("{}|none", list.name), quantified("No entry fits."));
        let has_times = list.fields.iter().any(|field| field.path == "seconds_before");
        let counted = count(list, entries.clone(), has_times, &told("So many entries fit."));
        all.insert(format!("{}|count", list.name), counted);
        if order_of(list).is_some() {
            let followed = sequence(entries.clone(), has_times, &told("Entries follow one another."));
            all.insert(format!("{}|sequence", list.name), followed);
        }
        all.insert(format!("{}|exists", list.name), reference("exists"));
    }
    all
}

/// A fact, or a field of a list, with every modifier that compares it.
fn add_term(fact: &FactDefinition, from: Option<&str>, all: &mut Map<String, Value>) {
    let from = from.map(|from| format!(" From {from}.")).unwrap_or_default();
    let about = format!("{}: {}{from}", fact.kind.name(), sentence(fact.about));
    all.insert(fact.path.to_owned(), json!({"allOf": [one_or_more(equal(fact.kind))], "description": about}));
    all.insert(format!("{}|neq", fact.path), one_or_more(equal(fact.kind)));
    let alone = |modifier: &Modifier| !matches!(modifier, Modifier::All | Modifier::Not);
    let fitting = Modifier::WORDS.iter().filter(|(_, modifier)| alone(modifier) && modifier.fits(fact.kind));
    for (word, modifier) in fitting {
        let key = format!("{}|{word}", fact.path);
        match modifier {
            Modifier::Part(_) | Modifier::Like | Modifier::Regex => {
                let texts = one_or_more(part(fact.kind, *modifier));
                all.insert(format!("{key}|all"), texts.clone());
                all.insert(format!("{key}|neq"), texts.clone());
                all.insert(format!("{}|all|{word}", fact.path), texts.clone());
                all.insert(key, texts);
            }
            Modifier::Order(_) | Modifier::Within => drop(all.insert(key, equal(fact.kind))),
            Modifier::Place(_) => drop(all.insert(key, reference("place"))),
            Modifier::Listed(_) => drop(all.insert(key, reference("list name"))),
            Modifier::Exists => drop(all.insert(key, reference("exists"))),
            Modifier::All | Modifier::Not => {}
        }
    }
}

/// The fields of a list's entries with every modifier.
fn fields(list: &ListDefinition) -> Map<String, Value> {
    let mut all = Map::new();
    list.fields.iter().for_each(|field| add_term(field, None, &mut all));
    all
}

/// Steps, or a mapping that says how close they are to each other.
fn sequence(entries: Value, has_times: bool, about: &str) -> Value {
    let steps = json!({"type": "array", "minItems": STEPS.start(), "maxItems": STEPS.end(), "items": entries});
    let mut properties = object([("steps", steps.clone())]);
    if has_times {
        let within = json!({"allOf": [reference("duration")], "description": "A span of time that holds all of them."});
        properties.insert("within".to_owned(), within);
    } else {
        let adjacent =
            json!({"allOf": [reference("flag")], "description": "Whether each stands directly after the other."});
        properties.insert("adjacent".to_owned(), adjacent);
    }
    json!({"anyOf": [steps, mapping(properties, &["steps"])], "description": about})
}

fn count(list: &ListDefinition, entries: Value, has_times: bool, about: &str) -> Value {
    let bounds = ["lt", "lte", "gt", "gte", "eq"];
    let mut properties: Map<String, Value> =
        bounds.iter().map(|bound| ((*bound).to_owned(), reference("bound"))).collect();
    properties.insert("where".to_owned(), entries);
    let fields: Vec<&str> = list.fields.iter().map(|field| field.path).collect();
    let distinct =
        json!({"enum": fields, "description": "The field of which different values count, and not entries."});
    properties.insert("distinct".to_owned(), distinct);
    if has_times {
        let within = json!({"allOf": [reference("duration")], "description": "A span of time that holds so many."});
        properties.insert("within".to_owned(), within);
    }
    let bounded: Vec<Value> = bounds.iter().map(|bound| json!({"required": [bound]})).collect();
    let Value::Object(mut count) = mapping(properties, &[]) else { return Value::Null };
    count.insert("anyOf".to_owned(), Value::Array(bounded));
    count.insert("description".to_owned(), Value::from(about));
    Value::Object(count)
}

/// The facts of a test: single values, and lists of entries.
fn facts_of_a_test() -> Map<String, Value> {
    let value = |fact: &FactDefinition| {
        let value = json!({"allOf": [single(fact.kind)], "description": sentence(fact.about)});
        (fact.path.to_owned(), value)
    };
    let entries = |list: &ListDefinition| {
        let entries = json!({
            "type": "array",
            "items": reference(&recorded_name(list)),
            "description": sentence(list.about),
        });
        (list.name.to_owned(), entries)
    };
    SCALARS.iter().map(value).chain(LISTS.iter().map(entries)).collect()
}

/// An entry of a list in a test.
fn recorded(list: &ListDefinition) -> Value {
    let field = |field: &FactDefinition| (field.path.to_owned(), single(field.kind));
    possibly_empty(mapping(list.fields.iter().map(field).collect(), &[]))
}

fn possibly_empty(mut mapping: Value) -> Value {
    if let Value::Object(mapping) = &mut mapping {
        mapping.remove("minProperties");
    }
    mapping
}

/// A value that a fact is compared with for equality, where module names have no paths and nothing is a pattern.
fn equal(kind: FactType) -> Value {
    match kind {
        FactType::Module => reference("module"),
        FactType::Path => reference("path"),
        _ => single(kind),
    }
}

/// A value of a fact.
fn single(kind: FactType) -> Value {
    match kind {
        FactType::Word(words) => json!({"enum": words}),
        FactType::Code => reference("code"),
        FactType::Number => reference("number"),
        FactType::Duration => reference("duration"),
        FactType::Address => reference("address"),
        FactType::Version => reference("version"),
        FactType::Flag => reference("flag"),
        FactType::Module | FactType::Path | FactType::Text => reference("text"),
    }
}

/// What a text is searched for.
fn part(kind: FactType, modifier: Modifier) -> Value {
    match (kind, modifier) {
        (_, Modifier::Regex) => json!({"type": TEXT_TYPES, "minLength": 1, "format": "regex"}),
        (FactType::Module, _) => reference("part of a module name"),
        _ => reference("part"),
    }
}

fn code() -> Value {
    json!({
        "anyOf": [
            {"type": "integer", "minimum": -0x8000_0000_i64},
            // A name has `_` in it, or is one word of capitals; digits without `0x` are hexadecimal if some are letters.
            text_of(r"^\s*(0[xX][0-9A-Fa-f]+|-?[0-9]+|[0-9A-Fa-f]{2,16}|[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+)\s*$"),
        ],
    })
}

/// The names of the lists of modules.
fn list_names(rules: &RuleSet) -> Vec<&str> {
    let mut names: Vec<&str> = rules.lists().map(|(_, list)| list.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A text that YAML does not take for something else.
fn text_of(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern})
}

/// What is a text in a rule, whatever YAML takes it for.
fn any_scalar(pattern: &str) -> Value {
    json!({"type": TEXT_TYPES, "pattern": pattern})
}

/// One, or a list of which one must hold.
fn one_or_more(one: Value) -> Value {
    json!({"anyOf": [one.clone(), {"type": "array", "minItems": 1, "items": one}]})
}

fn mapping(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "minProperties": 1,
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    })
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn reference(definition: &str) -> Value {
    json!({"$ref": format!("#/definitions/{}", definition.replace(' ', "%20"))})
}

fn entry_name(list: &ListDefinition) -> String {
    format!("{}-entry", list.name)
}

fn recorded_name(list: &ListDefinition) -> String {
    format!("{}-in-test", list.name)
}

/// The words of a definition as a sentence.
fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
