//! The words around facts: what `rules/data/text-words.yaml` says of its examples.

use super::*;
use crate::listings::listed_code;
use crate::named_event;
use crate::printed::{Printed, printed};
use crate::sentences::Line;
use crate::stops::stop_spelled;
use crate::values::{field_name, image_name};
use spanned_yaml::{Node, YamlText, parse};
use windows_codes::Knowledge;

#[test]
fn the_examples_of_the_words_are_as_the_table_says() {
    let text = std::fs::read_to_string(format!("{}/data/text-words.yaml", builtin_rules::FOLDER)).expect("the table");
    let root = parse(&YamlText::new("text-words.yaml".to_owned(), text)).expect("YAML");
    let mut tried = 0;
    for row in root.get("words").and_then(Node::items).expect("rows") {
        let of = row.get("of").and_then(Node::text).expect("a kind");
        let examples = row.get("examples").and_then(Node::items).unwrap_or_default();
        assert!(!examples.is_empty(), "{of} has no examples");
        for example in examples.iter().filter_map(Node::text) {
            let field = format!(": {example}");
            let right = match of {
                "event" | "event_number" | "event_source" => named_event::events(example).len() == 1,
                "clause" => Line::new(example).clauses.len() == 1,
                "code_label" => listed_code(example).is_some(),
                "printed_start" | "level" => printed(example) != Printed::No,
                "library" | "program" => image_name(example) == Some(example),
                "image" => field_name(&field) == Some(example) && image_name(example).is_none(),
                "no_name" => field_name(&field).is_none(),
                "respelled" => respelled::disagreeing(example).is_some(),
                "everyday_stop" => stop_spelled(example).is_none(),
                "no_program" => !tickets(example)[0].hung,
                _ => doubt::tests::is_example(of, example),
            };
            assert!(right, "{of}: {example}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn every_word_for_an_event_announces_one() {
    for word in Knowledge::builtin().text_words("event") {
        let line = format!("{word} 41 (Kernel-Power)");
        assert_eq!(named_event::events(&line), [("Microsoft-Windows-Kernel-Power", 41)], "{line}");
    }
    for word in Knowledge::builtin().text_words("event_source") {
        let line = format!("event 41 {word} Kernel-Power");
        assert_eq!(named_event::events(&line), [("Microsoft-Windows-Kernel-Power", 41)], "{line}");
    }
}

#[test]
fn a_signature_in_one_line_is_read_value_by_value() {
    let text = "Event Name: BEX64. P1: tool.exe P2: 1.2.3.4 P4: part.dll P7: 1234 P8: c0000409 P9: 7";
    let expected = "app=tool.exe app_version=1.2.3.4 module=part.dll code=0xC0000409 offset=0x1234 fast_fail=7";
    assert_eq!(facts(text), expected);
    let text = "Problem Event Name: AppHangB1 Application Name: tool.exe Application Version: 1.2.3.4";
    assert_eq!(facts(text), "app=tool.exe app_version=1.2.3.4 hung=true");
}
