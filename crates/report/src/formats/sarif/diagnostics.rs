//! Mistakes in rules: the codes of the registry are the rules of the log, and each mistake is a result.

use serde::Serialize;
use std::collections::BTreeMap;

use super::{
    ArtifactLocation, Configuration, Invocation, Location, Log, Message, Region, Rule, Run, SarifResult, Tool, message,
    plain, uri,
};
use spanned_yaml::{Code, Diagnostic, Span, YamlText};

/// The log of these mistakes, to be written as JSON.
#[must_use]
pub fn of_diagnostics(diagnostics: &[Diagnostic]) -> impl Serialize {
    let codes: Vec<Code> = Code::all().collect();
    Log::of(Run {
        tool: Tool::with(codes.iter().copied().map(described).collect()),
        invocations: [Invocation { execution_successful: true, tool_execution_notifications: Vec::new() }],
        artifacts: None,
        results: diagnostics.iter().map(|diagnostic| result(diagnostic, &codes)).collect(),
        column_kind: "unicodeCodePoints",
    })
}

fn described(code: Code) -> Rule<'static> {
    Rule {
        id: code.id,
        short_description: Some(message(code.title)),
        help: Some(message(code.explanation)),
        help_uri: None,
        default_configuration: Some(Configuration { level: code.level.word() }),
        properties: BTreeMap::new(),
    }
}

fn result(diagnostic: &Diagnostic, codes: &[Code]) -> SarifResult<'static> {
    let Diagnostic { code, level, file, span, message: says, help, other } = diagnostic;
    let lines: Vec<String> = std::iter::once(says).chain(help).map(|line| plain(line)).collect();
    let other = other.as_deref().map(|other| location(&other.file, other.span, Some(&other.label)));
    SarifResult {
        rule_id: code.id,
        rule_index: codes.binary_search(code).unwrap_or_default(),
        level: level.word(),
        message: Message { text: lines.join("\n") },
        locations: vec![location(file, *span, None)],
        related_locations: other.into_iter().collect(),
        partial_fingerprints: BTreeMap::new(),
        rank: None,
        suppressions: None,
        properties: None,
    }
}

fn location(file: &YamlText, span: Span, label: Option<&str>) -> Location {
    let (end_line, end_column) = file.end_of(span).unzip();
    let region = Region { start_line: span.line, start_column: Some(span.column), end_line, end_column };
    let artifact = ArtifactLocation { uri: uri(&file.name), index: None };
    Location::new(artifact, Some(region), label.map(message), None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mistake_is_a_result_with_its_code_and_its_place() {
        let file = YamlText::new("my rules/a.yaml", "a: 1\nb: [x](y)\n".to_owned());
        let mistake = Diagnostic::error(Code::R012, &file, file.span(8..14), "`[x](y)` is wrong")
            .with_help("write `right`")
            .with_other(&file, file.span(0..1), "first here");
        let log = serde_json::to_value(of_diagnostics(&[mistake])).expect("JSON");
        let run = &log["runs"][0];
        let mut result = run["results"][0].clone();
        let index = result["ruleIndex"].take().as_u64().and_then(|index| usize::try_from(index).ok());
        let rule = &run["tool"]["driver"]["rules"][index.expect("an index")];
        assert_eq!((&rule["id"], &rule["defaultConfiguration"]), (&json!("R012"), &json!({"level": "error"})));
        let place = |region| json!({"artifactLocation": {"uri": "my%20rules/a.yaml"}, "region": region});
        let expected = json!({
            "ruleId": "R012",
            "ruleIndex": null,
            "level": "error",
            "message": {"text": "`[x] (y)` is wrong\nwrite `right`"},
            "locations": [{"physicalLocation": place(json!({"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 10}))}],
            "relatedLocations": [{
                "physicalLocation": place(json!({"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2})),
                "message": {"text": "first here"},
            }],
        });
        assert_eq!(result, expected);
        assert_eq!(run["columnKind"], "unicodeCodePoints");
    }
}
