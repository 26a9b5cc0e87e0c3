//! The keys of a rule.

use serde_json::{Value, json};

use super::{mapping, object, reference};
use crate::causes::Cause;
use crate::finding::{Audience, Severity};
use crate::outcome::Outcome;
use crate::parse::{OPTIONAL_RULE_KEYS, RULE_KEYS};
use crate::rule_set::RuleSet;
use facts::schema::{LISTS, SCALARS};
use rule_syntax::condition::RESERVED;

/// The id of a rule.
pub(super) const ID: &str = "^[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*$";
/// A confidence in quotes, from 0.01 to 0.99; what has an exponent is not looked at.
const CONFIDENCE: &str = r"^\+?(0*\.(0[1-9]|[1-8]|9[0-8])[0-9]*|0*\.99?0*|[0-9]*\.?[0-9]*[eE][-+]?[0-9]+)$";
/// The same up to 0.98.
const CAP: &str = r"^\+?(0*\.(0[1-9]|[1-8]|9[0-7])[0-9]*|0*\.(9|98)0*|[0-9]*\.?[0-9]*[eE][-+]?[0-9]+)$";
/// The same with a sign.
const MOVE: &str = r"^[-+]?(0*\.(0[1-9]|[1-8]|9[0-7])[0-9]*|0*\.(9|98)0*|[0-9]*\.?[0-9]*[eE][-+]?[0-9]+)$";

pub(super) fn rule(rules: &RuleSet) -> Value {
    let texts = |about: &str| json!({"allOf": [reference("texts")], "description": about});
    let text = |about: &str| json!({"allOf": [reference("text")], "description": about});
    // The tests can be in the file beside the rule's.
    let is_required = |key: &&str| !OPTIONAL_RULE_KEYS.contains(key) && *key != "tests";
    let required: Vec<&str> = RULE_KEYS.iter().copied().filter(is_required).collect();
    let properties = object([
        (
            "id",
            json!({
                "type": "string",
                "pattern": ID,
                "description": "AREA/NAME in lower case; the area is the folder's name.",
            }),
        ),
        ("title", text("What happened, in a sentence that can stand above a report.")),
        ("cause", causes(rules)),
        (
            "confidence",
            json!({
                "type": ["number", "string"],
                "pattern": CONFIDENCE,
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
        ("tests", reference("tests")),
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
    let one = |cause: &Cause| json!({"const": cause.id, "description": cause.means});
    json!({"oneOf": rules.causes().iter().map(one).collect::<Vec<_>>(), "description": "An id of causes.yaml."})
}

fn adjustments() -> Value {
    let by = json!({
        "type": ["number", "string"],
        "pattern": MOVE,
        "not": {"const": 0},
        "minimum": -0.98,
        "maximum": 0.98,
        "description": "How far the confidence moves: +0.05, -0.2.",
    });
    let when = json!({"allOf": [reference("text")], "description": "A condition over the selections."});
    let say = json!({"allOf": [reference("text")], "description": "The sentence that the report adds."});
    let most = json!({
        "type": ["number", "string"],
        "pattern": CAP,
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

/// The tests of a rule.
pub(super) fn tests() -> Value {
    let expect = json!({
        "enum": Outcome::EXPECTED.map(Outcome::word),
        "description": "match, no-match, skipped (a fact is missing that the rule needs) or superseded (it matches, and so does a rule that supersedes it).",
    });
    let confidence = json!({
        "type": ["number", "string"],
        "pattern": CONFIDENCE,
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
