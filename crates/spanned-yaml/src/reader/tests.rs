use super::*;

fn read(text: &str) -> Result<Node, Vec<Diagnostic>> {
    parse(&YamlText::new("t.yaml", text.to_owned()))
}

fn mistakes(text: &str) -> Vec<String> {
    read(text).expect_err("a mistake").iter().map(ToString::to_string).collect()
}

#[test]
fn scalars_keep_the_text_that_was_written() {
    let root = read("a: 14.40\nb: 0xC0000005\nc: no\nd: +0.03\ne: '14.40'\nf:\n").expect("YAML");
    let text = |key| root.get(key).and_then(Node::text);
    assert_eq!(text("a"), Some("14.40"));
    assert_eq!(text("b"), Some("0xC0000005"));
    assert_eq!(text("c"), Some("no"));
    assert_eq!(text("d"), Some("+0.03"));
    assert_eq!(text("e"), Some("14.40"));
    assert!(root.get("f").is_some_and(Node::is_nothing));
}

#[test]
fn every_node_knows_its_place() {
    let file = YamlText::new("t.yaml", "ä: [ü, {x: 'y'}]\nlist:\n  - one\n  - two: 2\n\nend: z\n".to_owned());
    let root = parse(&file).expect("YAML");
    let list = root.get("list").expect("a list");
    assert_eq!(file.slice(list.span), "- one\n  - two: 2");
    let flow = root.get("ä").expect("a flow list");
    assert_eq!(file.slice(flow.span), "[ü, {x: 'y'}]");
    let y = flow.items().and_then(|items| items[1].get("x")).expect("y");
    assert_eq!((file.slice(y.span), y.span.line, y.span.column), ("'y'", 1, 12));
    let end = root.entry("end").expect("an entry");
    assert_eq!((end.key.span.line, end.key.span.column), (6, 1));
}

#[test]
fn places_within_folded_texts_are_found() {
    for text in [
        "a: one two\n  {{ three }} four\n",
        "a: >-\n  one\n  two {{ three }}\n  four\nb: x\n",
        "a: |\n  one\n    two {{ three }}\n",
        "a: 'one {{ three }}'\n",
        "a: \"one {{ three }}\"\n",
    ] {
        let file = YamlText::new("t.yaml", text.to_owned());
        let root = parse(&file).expect("YAML");
        let node = root.get("a").expect("a");
        let at = node.text().and_then(|text| text.find("three")).expect("three");
        assert_eq!(file.slice(node.span_within(&file, at..at + 5)), "three", "{text:?}");
    }
}

#[test]
fn escapes_give_the_place_of_the_whole_text() {
    let file = YamlText::new("t.yaml", "a: \"x\\ty\"\n".to_owned());
    let root = parse(&file).expect("YAML");
    let node = root.get("a").expect("a");
    assert_eq!(node.span_within(&file, 2..3), node.span);
}

#[test]
fn a_key_that_stands_twice_is_refused_with_both_places() {
    let file = YamlText::new("t.yaml", "a: 1\nb: 2\na: 3\nb: 4\n".to_owned());
    let mistakes = parse(&file).expect_err("two mistakes");
    assert_eq!(mistakes.len(), 2);
    assert_eq!(mistakes[0].to_string(), "t.yaml:3:1: error[R005]: the key `a` stands twice");
    assert_eq!(mistakes[0].other.as_ref().map(|other| other.span.line), Some(1));
}

#[test]
fn anchors_aliases_and_tags_are_refused() {
    assert_eq!(mistakes("a: &x 1\n"), ["t.yaml:1:4: error[R003]: anchors (`&name`) are not used in these files"]);
    assert_eq!(mistakes("a: *.dll\n"), ["t.yaml:1:4: error[R003]: aliases (`*name`) are not used in these files"]);
    assert_eq!(mistakes("a: !!str 1\n"), ["t.yaml:1:4: error[R003]: tags (`!name`) are not used in these files"]);
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
    assert!(mistakes(bomb).iter().all(|mistake| mistake.contains("R003")));
}

#[test]
fn depth_size_and_number_of_values_are_bounded() {
    assert!(mistakes(&"[".repeat(100_000))[0].contains("R004"));
    assert!(mistakes(&"- ".repeat(100_000))[0].contains("R004"));
    assert!(mistakes(&format!("[{}]", "x,".repeat(MAX_NODES + 1)))[0].contains("R004"));
    assert!(mistakes(&" ".repeat(MAX_BYTES + 1))[0].contains("R001"));
}

#[test]
fn what_is_not_one_document_is_refused() {
    assert_eq!(mistakes(""), ["t.yaml:1:1: error[R002]: the file has no content"]);
    assert!(mistakes("a: 1\n---\nb: 2\n")[0].contains("second document"));
    assert!(mistakes("a: b: c\n")[0].starts_with("t.yaml:1:5: error[R002]"));
    assert!(mistakes("[a]: 1\n")[0].contains("R006"));
    assert!(mistakes("a: 'x\n")[0].contains("R002"));
}

#[test]
fn a_byte_order_mark_and_dos_line_ends_change_nothing() {
    let file = YamlText::new("t.yaml", "\u{FEFF}a: 1\r\nb: 2\r\n".to_owned());
    let root = parse(&file).expect("YAML");
    let b = root.entry("b").expect("b");
    assert_eq!((b.key.span.line, b.key.span.column, file.slice(b.value.span)), (2, 1, "2"));
}

/// Damaged files must give a diagnostic, never a panic or an endless loop.
#[test]
fn no_mutation_of_a_file_panics() {
    let seed =
        "a: [1, {b: 'c'}]\nd: >-\n  x\n  y\n? e\n: \"f\\n\"\n- g: |\n   h\n%: &x *y !z #\n---\n...\nä: \t\u{FEFF}\r\n";
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let characters: Vec<char> = seed.chars().collect();
    for _ in 0..3000 {
        let mut text = characters.clone();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(3) {
                0 => text[at] = characters[random(characters.len())],
                1 => text.insert(at, characters[random(characters.len())]),
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Err(mistakes) = read(&text) {
            assert!(mistakes.iter().all(|mistake| !mistake.render(false).is_empty()));
        }
    }
}

/// The place and message of the diagnosis of a text that is not YAML, with its help.
fn diagnosis(text: &str) -> (u32, u32, String) {
    let wrong = read(text).expect_err("a mistake");
    let [one] = wrong.as_slice() else { panic!("one mistake: {wrong:?}") };
    let help = one.help.as_deref().unwrap_or_default();
    (one.span.line, one.span.column, format!("{}; {help}", one.message))
}

#[test]
fn what_is_not_yaml_is_told_with_what_was_meant() {
    for (text, line, column, part) in [
        ("a: {text: 'Don't use it.'}\n", 1, 16, "`'Don''t'`"),
        ("a: 'Don't use it.'\n", 1, 9, "`'Don''t'`"),
        ("a: \"say \"x\"\"\n", 1, 10, "write `\\\"`"),
        ("schema: 1\n  - id: a\n    b: c\n", 2, 7, "`rules:` missing"),
        ("a:\n  - b: 0.6\n\u{A0}    c: d\n    e:\n      f: g\n", 3, 1, "no-break space"),
        ("a:\n  b: 1\n  c:d\n  e: 2\n", 3, 4, "write `c: d`"),
        ("a:\n  - b: 1\n   c: 2\n", 3, 4, "column 4, the one above in 3; "),
        ("a:\n  - b: 1\n  c: 2\n", 3, 3, "each item of a list with `- `"),
        ("a: {b: c: d}\n", 1, 9, "needs quotes"),
        ("a: [b, 'c' d]\n", 1, 12, "`'Don''t'`"),
        ("a:\n  <<: *x\n  b: 1\n", 2, 7, "write all of its keys"),
        ("a: *.dll\n", 1, 4, "'*.dll'"),
        ("a:\n\tb: 1\n", 2, 1, "indent with spaces"),
        ("# nothing\n", 1, 1, "was it saved?"),
    ] {
        let (at_line, at_column, message) = diagnosis(text);
        assert_eq!((at_line, at_column), (line, column), "{text:?}: {message}");
        assert!(message.contains(part), "{text:?}: {message}");
    }
}

#[test]
fn a_file_in_utf_16_is_called_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.yaml");
    let units = |mark: &str| format!("{mark}schema: 1\n").encode_utf16().collect::<Vec<u16>>();
    let little: Vec<u8> = units("\u{FEFF}").into_iter().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units("").into_iter().flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        std::fs::write(&path, bytes).expect("a file");
        let wrong = read_file(&path, "t.yaml").expect_err("not UTF-8");
        assert_eq!(wrong.message, "the file is UTF-16, and not UTF-8");
        assert_eq!(wrong.help.as_deref(), Some("save it as UTF-8"));
    }
    std::fs::write(&path, [0xE4, 0x3A]).expect("a file");
    assert!(read_file(&path, "t.yaml").expect_err("Latin-1").message.contains("not UTF-8 (byte 0)"));
}
