//! The pages as browsers and wikis read them.

use std::collections::BTreeSet;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use untrusted::sanitise;

use super::{SCRIPT, WriteError, policy, write_html, write_markdown};
use crate::model::ChangeBefore;
use crate::tests::sample::*;
use crate::{Report, *};

/// What a name in a file can be.
const NAMES: [&str; 12] = [
    "<script>alert(1)</script>.dll",
    "\"><img src=x onerror=alert(1)>",
    "a|b|c",
    "line\nbreak\r\n# heading",
    "`code` *bold* _low_ ~~gone~~",
    "[text](https://evil.example/) ![i](x)",
    "https://evil.example/a www.evil.example",
    "</td></table></section>",
    "{{ 7 * 7 }}{% if x %}",
    "- 1. + = > #",
    "ends with a backslash\\",
    "&lt;b&gt;\u{202e}\u{1b}[2J",
];

fn hostile(name: &str) -> Report {
    named(everything(), name)
}

/// The same with several groups, which have pictures, cards and a table.
fn hostile_several(name: &str) -> Report {
    let mut report = named(several(), name);
    for judged in &mut report.incidents {
        judged.incident.host = Some(name.into());
        judged.verdict.family = Some(name.into());
        judged.verdict.collect_next = vec![name.to_owned().into()];
        if let Some(process) = &mut judged.incident.process {
            process.name = Some(name.into());
        }
        let steps = judged.findings.iter_mut().flat_map(|finding| &mut finding.remediation);
        steps.for_each(|step| {
            step.text = name.into();
            step.undo = Some(name.into());
        });
    }
    report.machines[0].host = name.into();
    for entry in &mut report.machines[0].timeline {
        entry.sentence = name.into();
    }
    for group in &mut report.groups {
        group.changes_unknown = Some(name.into());
        group.changes_before = Some(vec![ChangeBefore {
            kind: "update".into(),
            bears_on: None,
            host: name.into(),
            time: second(-60),
            seconds_before: 60,
            says: name.into(),
            hosts: 1,
            of_hosts: 1,
            artifact: Some(name.into()),
            place: name.into(),
        }]);
    }
    report
}

fn named(mut report: Report, name: &str) -> Report {
    let judged = &mut report.incidents[0];
    let incident = &mut judged.incident;
    incident.host = Some(name.into());
    incident.remarks = vec![name.into()];
    incident.evidence[0].sentence = name.into();
    incident.environment.insert("os", name.into());
    if let Some(process) = &mut incident.process {
        process.name = Some(name.into());
        process.path = Some(name.into());
    }
    if let Some(suspect) = &mut incident.suspect {
        suspect.module = name.into();
    }
    incident.stack[0].module = Some(name.into());
    incident.stack[1].function = Some(name.into());
    incident.thrown[0].text = Some(name.into());
    if let Some(dump) = &mut incident.dump {
        dump.messages = vec![name.into()];
    }
    if let Some(others) = &mut incident.other_software {
        others.modules[0].module = name.into();
    }
    if let Some(thread) = judged.threads.first_mut() {
        thread.name = Some(name.into());
    }
    judged.verdict.sentence = name.into();
    judged.verdict.collect_next = vec![name.to_owned().into()];
    judged.findings[0].explanation = name.into();
    judged.findings[0].references = vec![name.into()];
    judged.findings[1].title = name.into();
    report.artifacts.iter_mut().for_each(|artifact| {
        artifact.path = name.into();
        artifact.detail = Some(name.into());
    });
    report.machines[0].host = name.into();
    report.machines[0].timeline[0].sentence = name.into();
    report.machines[0].coverage = vec![name.into()];
    report.coverage.gaps[0].says = name.into();
    report
}

/// Several groups, one of them with several incidents, and everything else that there can be.
fn several() -> Report {
    let all = vec![crash("c1"), undetermined("u1", 3), undetermined("u2", 9), bugcheck("b1", 20)];
    let mut all = report(everything().artifacts, all);
    all.machines = vec![machine()];
    all.coverage = missing();
    all
}

fn html(report: &Report) -> String {
    let mut out = Vec::new();
    write_html(report, &mut out, false).expect("memory can be written to");
    String::from_utf8(out).expect("text")
}

fn markdown(report: &Report) -> String {
    written_markdown(report, true)
}

/// Markdown for a ticket.
fn ticket(report: &Report) -> String {
    written_markdown(report, false)
}

fn written_markdown(report: &Report, all: bool) -> String {
    let mut out = Vec::new();
    write_markdown(report, &mut out, all).expect("memory can be written to");
    String::from_utf8(out).expect("text")
}

/// Elements in their order: name, attributes, and the text in them.
#[derive(Debug)]
struct Element {
    /// Of elements of pictures with `svg ` before it.
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The elements of a page that a browser reads without correcting anything.
#[track_caller]
fn elements(page: &str) -> Vec<Element> {
    let options = ParseOpts {
        tokenizer: html5ever::tokenizer::TokenizerOpts { exact_errors: true, ..Default::default() },
        ..ParseOpts::default()
    };
    let dom = parse_document(RcDom::default(), options).one(page);
    let errors: Vec<String> = dom.errors.borrow().iter().map(ToString::to_string).collect();
    assert_eq!(errors, [""; 0], "{page}");
    let mut all = Vec::new();
    collect(&dom.document, &mut all);
    all
}

fn collect(node: &Handle, all: &mut Vec<Element>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes = attrs.borrow();
        let attributes =
            attributes.iter().map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()));
        let mut text = String::new();
        add_text(node, &mut text);
        let of = if &*name.ns == "http://www.w3.org/2000/svg" { "svg " } else { "" };
        all.push(Element { name: format!("{of}{}", name.local), attributes: attributes.collect(), text });
    }
    node.children.borrow().iter().for_each(|child| collect(child, all));
}

fn add_text(node: &Handle, text: &mut String) {
    if let NodeData::Text { contents } = &node.data {
        text.push_str(&contents.borrow());
    }
    node.children.borrow().iter().for_each(|child| add_text(child, text));
}

/// What an element may be, and its attributes. There is one script, the page's own.
fn is_harmless(element: &Element) -> bool {
    const ELEMENTS: &str = "html head meta title style body header main nav footer section div h1 h2 h3 h4 p a ul ol li dl \
                            dt dd table caption thead tbody tr th td details summary span br code strong q figure \
                            figcaption form label input select option button";
    const OF_PICTURES: &str = "svg title desc g rect line text circle path";
    const ATTRIBUTES: &str = "lang charset name content http-equiv class id href rel scope colspan aria-label \
                              aria-labelledby aria-hidden aria-sort role tabindex hidden type value autocomplete \
                              spellcheck data-sort data-of data-hosts data-by";
    const OF_SHAPES: &str = "class id role tabindex aria-labelledby aria-hidden viewBox preserveAspectRatio width height \
                             x y rx x1 x2 y1 y2 cx cy r d";
    let known = |words: &str, word: &str| words.split_whitespace().any(|known| known == word);
    if element.name == "script" {
        return element.text == SCRIPT && element.attributes.is_empty();
    }
    let link =
        element.attribute("href").is_none_or(|to| to.starts_with('#') || to.starts_with("https://docs.nvidia.com/"));
    let (elements, attributes, name) = match element.name.strip_prefix("svg ") {
        Some(name) => (OF_PICTURES, OF_SHAPES, name),
        None => (ELEMENTS, ATTRIBUTES, &*element.name),
    };
    known(elements, name) && link && element.attributes.iter().all(|(name, _)| known(attributes, name))
}

#[test]
fn a_page_is_whole_and_nothing_but_text_comes_from_files() {
    // Only a sentence of what to collect or to do can hold a command, and there it is one more element.
    let counted = |all: &[Element]| all.iter().filter(|element| element.name != "code").count();
    for hostile in [hostile, hostile_several] {
        let plain = elements(&html(&hostile("plain")));
        for name in NAMES {
            let page = html(&hostile(name));
            let all = elements(&page);
            let harmful: Vec<&Element> = all.iter().filter(|element| !is_harmless(element)).collect();
            assert!(harmful.is_empty(), "{name}: {harmful:?}");
            assert_eq!(counted(&all), counted(&plain), "{name}");
            assert_eq!(all.iter().filter(|element| element.name == "script").count(), 1);
            assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{name}");
        }
    }
    for name in NAMES {
        let shown = sanitise(&crate::account::headline(&hostile(name).incidents[0])).into_owned();
        let all = elements(&html(&hostile(name)));
        let sentence = all.iter().find(|element| element.name == "h3").map(|element| element.text.as_str());
        assert_eq!(sentence, Some(format!("1. {shown}").as_str()));
    }
}

#[test]
fn no_attribute_of_a_page_comes_from_files_but_links_of_rules() {
    let attributes = |page: &str| -> Vec<(String, String)> {
        elements(page).into_iter().flat_map(|element| element.attributes).filter(|(name, _)| name != "href").collect()
    };
    for hostile in [hostile, hostile_several] {
        let plain = attributes(&html(&hostile("plain")));
        for name in NAMES {
            assert_eq!(attributes(&html(&hostile(name))), plain, "{name}");
        }
    }
}

#[test]
fn a_page_needs_nothing_else_and_runs_nothing_but_its_own_script() {
    let page = html(&several());
    let all = elements(&page);
    let policy = all.iter().find(|element| element.attribute("http-equiv") == Some("Content-Security-Policy"));
    let policy = policy.and_then(|element| element.attribute("content")).expect("a policy");
    let hashes = format!("style-src 'sha256-{}'; script-src 'sha256-{}'", policy::STYLE_HASH, policy::SCRIPT_HASH);
    assert_eq!(policy, format!("default-src 'none'; {hashes}; base-uri 'none'; form-action 'none'"));
    for forbidden in ["<script ", "src=", "url(", "@import", "<link", "javascript:", "onclick", " style="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "http"] {
        assert!(!SCRIPT.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn a_page_can_be_used_without_seeing_it() {
    let all = elements(&html(&several()));
    let of = |name: &'static str| all.iter().filter(move |element| element.name == name);
    assert_eq!(of("html").filter_map(|html| html.attribute("lang")).collect::<Vec<_>>(), ["en"]);
    assert_eq!((of("h1").count(), of("main").count(), of("title").count()), (1, 1, 1));
    // No level of heading is left out.
    let levels: Vec<u32> = all.iter().filter_map(|element| element.name.strip_prefix('h')?.parse().ok()).collect();
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    assert_eq!(of("table").count(), of("caption").count());
    assert!(of("th").all(|cell| cell.attribute("scope") == Some("col")));
    assert_eq!(of("details").count(), of("summary").count());
    let ids: BTreeSet<&str> = all.iter().filter_map(|element| element.attribute("id")).collect();
    assert_eq!(ids.len(), all.iter().filter(|element| element.attribute("id").is_some()).count());
    let links: BTreeSet<&str> = of("a").filter_map(|link| link.attribute("href")?.strip_prefix('#')).collect();
    assert!(links.is_subset(&ids), "{links:?}");
    let groups: BTreeSet<&str> =
        ids.iter().copied().filter(|id| id.starts_with("group-") && !id.ends_with("name")).collect();
    assert_eq!(groups.len(), 2);
    assert!(groups.is_subset(&links), "the table leads to every group");
    // Pictures have a name and a description, or are left out beside words.
    for picture in of("svg svg").filter(|picture| picture.attribute("aria-hidden") != Some("true")) {
        let names: Vec<&str> = picture.attribute("aria-labelledby").expect("a name").split(' ').collect();
        assert_eq!((picture.attribute("role"), names.len()), (Some("img"), 2));
        assert!(names.iter().all(|name| ids.contains(name)), "{names:?}");
    }
    let labels: Vec<&str> = all
        .iter()
        .filter_map(|element| element.attribute("aria-labelledby"))
        .flat_map(|names| names.split(' '))
        .collect();
    assert!(labels.iter().all(|name| ids.contains(name)), "{labels:?}");
}

#[test]
fn all_groups_are_seen_at_once() {
    let mut report = several();
    for (judged, family) in report.incidents.iter_mut().zip(["loading", "gpu", "gpu", "gpu"]) {
        judged.verdict.family = (!judged.verdict.is_undetermined()).then(|| family.to_owned());
    }
    report.incidents[3].incident.host = Some("PC-8".into());
    let page = html(&report);
    let all = elements(&page);
    let texts = |name: &str| -> Vec<&str> {
        all.iter().filter(|element| element.name == name).map(|element| element.text.as_str()).collect()
    };
    for shown in ["gpu 1", "loading 1", "not known 2"] {
        assert!(texts("li").iter().any(|text| text.trim() == shown), "{shown}: {:?}", texts("li"));
    }
    for title in ["2024-11-11: 4 (gpu 1, loading 1, not known 2)", "PC-7, 2024-11: 3"] {
        assert!(texts("svg title").contains(&title), "{title}: {:?}", texts("svg title"));
    }
    let rows = all.iter().filter(|element| element.attribute("data-of").is_some()).count();
    assert_eq!(rows, 2);
}

#[test]
fn customers_are_chosen_where_folders_are_customers() {
    let mut report = several();
    assert!(!html(&report).contains("id=\"by-customer\""));
    report.incidents[0].party = Some("acme <& co>".into());
    let page = html(&report);
    assert!(page.contains("<option value=\"0\">acme &lt;&amp; co&gt; (1)</option>"), "{page}");
    assert!(page.contains("<option value=\"1\">none ("), "what is in no customer's folder can be chosen, too");
}

#[test]
fn what_is_left_out_of_a_long_page_is_counted() {
    let incident = |number: u32| {
        let mut judged = crash(&format!("c{number}"));
        judged.incident.signature.coarse = format!("crash|{number}");
        judged
    };
    let report = report(everything().artifacts, (0..1_000).map(incident).collect());
    let page = html(&report);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let all = elements(&page);
    let described = all.iter().filter(|element| element.attribute("class") == Some("group")).count();
    assert!(described > 20, "{described}");
    let left_out = format!("and {} more: the JSON report (-f json) has them", 1_000 - described);
    assert!(page.contains(&left_out), "{left_out}");
    assert_eq!(all.iter().filter(|element| element.attribute("data-of").is_some()).count(), 1_000);
}

#[test]
fn every_incident_and_what_to_do_is_in_every_page() {
    let report = several();
    for page in [html(&report), markdown(&report)] {
        for judged in &report.incidents {
            assert!(page.contains(&judged.incident.id), "{}: {page}", judged.incident.id);
        }
        for said in [
            "possible (31 %); 2 of 3 differ: 2 not determined",
            "Put the 64-bit zlibwapi.dll into a folder of PATH",
            "minutes",
            "needs admin",
            "Delete the file again",
            "The output of",
            "cuDNN 8 loads zlibwapi.dll by name",
            "heap-corruption",
            "the Application log of PC-7 begins late",
            "Display driver nvlddmkm was reset.",
            "chunk 3: wrong checksum",
            "536.23",
            "VIDEO_TDR_FAILURE",
            "nvlddmkm.sys+0x102f70",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
    }
}

#[test]
fn a_ticket_is_short() {
    for one in [report(everything().artifacts, vec![crash("c1")]), everything()] {
        let page = ticket(&one);
        assert!(page.lines().count() <= 60, "{}:\n{page}", page.lines().count());
        assert!(page.contains("Put the 64-bit zlibwapi.dll into a folder of PATH"), "{page}");
    }
    let incident = |number: u8| {
        let mut judged = crash(&format!("c{number}"));
        judged.incident.signature.coarse = format!("crash|{number}");
        if number.is_multiple_of(2) {
            judged.verdict = undetermined("u", 0).verdict;
        }
        judged
    };
    let damaged = |number: u8| artifact(&format!("{number}.dmp"), ArtifactStatus::Failed, Some("header: cut"));
    let mut fleet = report((0..100).map(damaged).collect(), (0..100).map(incident).collect());
    fleet.coverage = missing();
    let page = ticket(&fleet);
    assert!(page.lines().count() <= 120, "{}:\n{page}", page.lines().count());
}

#[test]
fn commands_are_shown_as_such() {
    let page = html(&several());
    assert!(page.contains("The output of <code>where zlibwapi.dll</code>."), "{page}");
    let page = markdown(&several());
    assert!(page.contains("The output of `where zlibwapi.dll`."), "{page}");
}

#[test]
fn equal_reports_are_equal_bytes() {
    assert_eq!(html(&several()), html(&several()));
    assert_eq!(markdown(&several()), markdown(&several()));
}

#[test]
fn a_page_about_nothing_says_so() {
    let report = nothing_found(vec![artifact("a.zip", ArtifactStatus::Skipped, Some("archives are not opened"))]);
    for page in [html(&report), markdown(&report), ticket(&report)] {
        assert!(page.contains("Nothing that can be analyzed was found."), "{page}");
        assert!(page.contains("a.zip"), "{page}");
    }
    elements(&html(&report));
}

#[test]
fn lists_that_are_cut_say_so_and_all_means_all() {
    let mut report = several();
    let one = report.incidents[0].incident.evidence[2].clone();
    report.incidents[0].incident.evidence.extend(std::iter::repeat_n(one, 200));
    let mut all = Vec::new();
    write_html(&report, &mut all, true).expect("memory can be written to");
    let all = String::from_utf8(all).expect("text");
    assert!(html(&report).contains("101 more (-v shows all)"), "{}", html(&report));
    assert!(all.contains(">e203<") && !all.contains("-v shows all"));
}

/// What is text in Markdown, and what is not: tags, links and raw HTML.
fn events(page: &str) -> Vec<Event<'_>> {
    Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS).collect()
}

/// How many cells the rows of all tables have.
fn cells(events: &[Event<'_>]) -> Vec<Vec<usize>> {
    let mut tables: Vec<Vec<usize>> = Vec::new();
    for event in events {
        match event {
            Event::Start(Tag::Table(_)) => tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => tables.last_mut().expect("a table").push(0),
            Event::End(TagEnd::TableCell) => {
                let cells = tables.last_mut().and_then(|rows| rows.last_mut()).expect("a row");
                *cells = cells.saturating_add(1);
            }
            _ => {}
        }
    }
    tables
}

#[test]
fn markdown_stays_what_it_is_whatever_files_are_called() {
    let shape = |page: &str| -> Vec<String> {
        let tags = events(page).into_iter().filter_map(|event| match event {
            Event::Start(tag) => Some(format!("{:?}", std::mem::discriminant(&tag))),
            Event::Html(_) | Event::InlineHtml(_) | Event::TaskListMarker(_) => Some("raw".to_owned()),
            _ => None,
        });
        tags.collect()
    };
    for (name, write) in NAMES.iter().flat_map(|name| [(*name, markdown as fn(&Report) -> String), (*name, ticket)]) {
        let named = hostile(name);
        let (page, expected) = (write(&named), shape(&write(&hostile("plain"))));
        assert_eq!(shape(&page), expected, "{name}: {page}");
        // Only a sentence of what to collect can hold a command.
        let codes = |page: &str| events(page).iter().filter(|event| matches!(event, Event::Code(_))).count();
        let of_names = codes(&page).saturating_sub(codes(&write(&hostile("plain"))));
        assert!(of_names <= usize::from(name.contains('`')), "{name}: {page}");
        for table in cells(&events(&page)) {
            assert!(table.iter().all(|cells| *cells == table[0]), "{name}: {table:?}");
        }
        // The name stands there as a reader of it sees it: the heading's text is the sentence.
        let shown = sanitise(&crate::account::headline(&named.incidents[0])).into_owned();
        let all = events(&page);
        let heading = all
            .iter()
            .position(|event| matches!(event, Event::Text(text) if text.starts_with("1.")))
            .expect("a heading");
        let text: String = all[heading..]
            .iter()
            .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
            .filter_map(|event| match event {
                Event::Text(text) => Some(text.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(text, format!("1. {shown}"));
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{name}");
    }
}

#[test]
fn markdown_links_to_what_rules_refer_to_and_nothing_else() {
    let page = markdown(&several());
    let links: Vec<String> = events(&page)
        .into_iter()
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(links.len(), 1, "{page}");
    assert!(links[0].starts_with("https://docs.nvidia.com/"), "{links:?}");
}

#[test]
fn markdown_has_neither_lists_nor_tables_that_run_into_text() {
    let pages = [markdown(&several()), ticket(&several()), ticket(&everything())];
    for page in &pages {
        assert!(!page.contains("\n\n\n"), "{page}");
    }
    let pairs = pages.iter().flat_map(|page| page.lines().zip(page.lines().skip(1)).map(move |pair| (page, pair)));
    for (page, (first, second)) in pairs {
        let kind = |line: &str| match line.as_bytes().first() {
            None => ' ',
            Some(b'|') => '|',
            Some(b'-') => '-',
            Some(b'#') => '#',
            Some(digit) if digit.is_ascii_digit() => '1',
            Some(_) => 'p',
        };
        let (before, after) = (kind(first), kind(second));
        assert!(before == ' ' || after == ' ' || before == after, "{first}\n{second}\nin:\n{page}");
    }
}

#[test]
fn a_closed_pipe_is_an_error_of_that_kind() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for write in [write_html, write_markdown] {
        let error = write(&several(), &mut Closed, false).expect_err("nobody reads");
        assert!(matches!(error, WriteError::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe));
    }
}
