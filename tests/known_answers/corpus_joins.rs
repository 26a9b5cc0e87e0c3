//! Third-party artifacts: evidence with the same report id is one incident, and no incident is of two computers. This
//! test reads the ids from the records' fields and the reports' text itself, independently of the program's joining.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use evidence::Observation;
use pipeline::discover::find;
use pipeline::read::read_artifact;
use pipeline::read_context::ReadContext;
use pipeline::{Options, Silent, analyze};
use rules::RuleSet;
use untrusted::display_path;

/// An artifact and the place in it.
type Evidence = (String, String);

/// The values of the artifacts before joining.
#[derive(Default)]
struct Independent {
    /// By the id of a report: the places that contain it, each with its computer.
    by_report: BTreeMap<String, BTreeSet<(Option<String>, Evidence)>>,
    /// The computer of each record.
    computers: BTreeMap<Evidence, String>,
}

impl Independent {
    fn read(folder: &Path) -> Self {
        let mut all = Self::default();
        let context = || ReadContext::default();
        for file in find(&[folder.to_owned()]).0 {
            let path = display_path(&file);
            for evidence in read_artifact(&file, &context()).evidence {
                let place = (path.clone(), evidence.place.to_string());
                match &evidence.observation {
                    Observation::Event(event) => {
                        let computer = event.computer.as_deref().map(str::to_lowercase);
                        if let Some(computer) = &computer {
                            all.computers.insert(place.clone(), computer.clone());
                        }
                        if !of_a_crash(&event.content.provider, event.content.id) {
                            continue;
                        }
                        for id in event.content.fields.iter().filter_map(|(name, value)| report_id(name, value)) {
                            all.by_report.entry(id).or_default().insert((computer.clone(), place.clone()));
                        }
                    }
                    Observation::Wer(report) if !report.details.metadata => {
                        if let Some(id) = id_in_file(&file) {
                            all.by_report.entry(id).or_default().insert((None, place));
                        }
                    }
                    _ => {}
                }
            }
        }
        all
    }
}

fn of_a_crash(provider: &str, id: u32) -> bool {
    matches!(
        (provider, id),
        ("Application Error", 1000) | ("Windows Error Reporting", 1001) | ("Application Hang", 1002)
    )
}

/// The report id in a field, unless it is all zeros.
fn report_id(name: &str, value: &str) -> Option<String> {
    matches!(name, "ReportId" | "IntegratorReportId").then(|| id_of(value)).flatten()
}

fn id_of(value: &str) -> Option<String> {
    let id = value.trim().trim_matches(['{', '}']).to_lowercase();
    let is_id = id.len() == 36 && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    (is_id && id.chars().any(|c| c.is_ascii_hexdigit() && c != '0')).then_some(id)
}

/// `IntegratorReportIdentifier` of a `Report.wer`, which is UTF-16.
fn id_in_file(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text: String = bytes.iter().filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
    text.lines().find_map(|line| id_of(line.split_once("IntegratorReportIdentifier=")?.1))
}

#[test]
fn what_carries_one_report_id_is_one_incident_and_no_incident_is_of_two_computers() {
    let Some(folder) = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return;
    };
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let report = analyze(std::slice::from_ref(&folder), &rules, &Options::default(), &Silent);
    let mut incident_of: BTreeMap<Evidence, usize> = BTreeMap::new();
    let independent = Independent::read(&folder);
    let (mut several, mut named) = (0_usize, 0_usize);
    for (number, judged) in (1_usize..).zip(&report.incidents) {
        let mut computers = BTreeSet::new();
        for item in &judged.incident.evidence {
            let path = report.artifact_path(item.artifact).expect("a listed artifact").to_owned();
            let evidence = (path, item.place.to_string());
            computers.extend(independent.computers.get(&evidence).cloned());
            incident_of.entry(evidence).or_insert(number);
        }
        assert!(computers.len() <= 1, "incident {} is of {computers:?}", judged.incident.id);
        several = several.saturating_add(usize::from(judged.incident.evidence.len() > 1));
        named = named.saturating_add(computers.len());
    }
    let (mut pairs, mut with_file, mut apart) = (0_usize, 0_usize, 0_usize);
    for (id, carriers) in &independent.by_report {
        let computers: BTreeSet<&String> = carriers.iter().filter_map(|(computer, _)| computer.as_ref()).collect();
        if computers.len() > 1 {
            apart = apart.saturating_add(1);
            continue;
        }
        let incidents: BTreeSet<_> = carriers.iter().filter_map(|(_, place)| incident_of.get(place)).collect();
        assert!(incidents.len() <= 1, "report {id} is told by {incidents:?}: {carriers:?}");
        if carriers.len() > 1 && !incidents.is_empty() {
            pairs = pairs.saturating_add(1);
            with_file = with_file.saturating_add(usize::from(carriers.iter().any(|(computer, _)| computer.is_none())));
        }
    }
    println!(
        "{} incidents, {several} of several items, {named} whose records name a computer, none names two; {} report ids, \
         {pairs} in several places and joined, {with_file} of them with a Report.wer; {apart} on several computers",
        report.incidents.len(),
        independent.by_report.len()
    );
    assert!(pairs > 0, "the corpus has pairs");
}
