//! What is known of a machine itself from all of its incidents, from texts that describe it and from its logs.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::build::JoinedIncident;
use super::context::inventory_card;
use super::environment::card::{as_stated, is_stated};
use super::environment::system::kernel_releases;
use super::incident::IncidentKind;
use super::machine::{EarlierValue, Machine};
use super::sourced_evidence::SourcedEvidence;
use evidence::{Event, Observation};

/// Keys of an incident's card that are about its machine, whatever program ran. The system's uptime is not: it differs for
/// every incident.
pub const OF_MACHINE: &[&str] = &[
    "bios",
    "cpu",
    "cpu_extensions",
    "cpu_microcode",
    "cpu_name",
    "cpu_threads",
    "gpu",
    "gpu_driver",
    "gpu_driver_others",
    "memory",
    "model",
    "os",
];

/// The end of a value that is only in a file which belongs to the machine by its folder alone.
const BY_FOLDER: &str = " (likely: by a file beside its logs)";

/// One value of one key, as one incident, text or record has it.
#[derive(Debug)]
struct KnownValue {
    /// How reliable it is: of the values of a key, only the most reliable count.
    weight: Weight,
    /// When the machine had it.
    time: Option<Timestamp>,
    value: String,
}

/// How reliable a value is, from the least on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// A person wrote it.
    Stated,
    /// From a file among the machine's logs that names no computer.
    ByFolder,
    /// A value that covers several, such as the releases with one kernel.
    Wide,
    /// It was recorded.
    Exact,
}

/// Fills in what is known of the machines.
pub fn describe_machines(machines: &mut [Machine], items: &[SourcedEvidence], joined: &[JoinedIncident<'_>]) {
    let by_host: BTreeMap<String, usize> =
        machines.iter().enumerate().map(|(index, machine)| (machine.host.to_lowercase(), index)).collect();
    let mut known: Vec<BTreeMap<&'static str, Vec<KnownValue>>> = machines.iter().map(|_| BTreeMap::new()).collect();
    let mut add = |host: &str, key: &'static str, one: KnownValue| {
        let machine = by_host.get(&host.to_lowercase()).and_then(|index| known.get_mut(*index));
        if let Some(machine) = machine {
            machine.entry(key).or_default().push(one);
        }
    };
    for joined in joined {
        let incident = &joined.incident;
        let Some(host) = incident.host.as_deref() else { continue };
        let is_kernel = incident.kind == IncidentKind::Bugcheck || joined.evidence.kernel_dump().is_some();
        for (key, value) in &incident.environment {
            let weight = weight(key, value, is_kernel, incident.environment.contains_key("process_bits"));
            if let (true, Some(weight)) = (OF_MACHINE.contains(key), weight) {
                let (weight, value) = match weight {
                    Weight::Wide | Weight::Exact if incident.host_by_folder => {
                        (Weight::ByFolder, format!("{value}{BY_FOLDER}"))
                    }
                    _ => (weight, value.clone()),
                };
                add(host, key, KnownValue { weight, time: incident.time, value });
            }
        }
    }
    for item in items {
        match &item.observation {
            // It is not certain that a tool printed the text: the same words are in mails. A guide is about other people's
            // machines.
            Observation::Ticket(ticket) if !ticket.document => {
                let Some(host) = ticket.computer.as_deref() else { continue };
                for (key, value) in inventory_card(&ticket.inventory) {
                    if OF_MACHINE.contains(&key) {
                        add(host, key, KnownValue { weight: Weight::Stated, time: None, value: as_stated(&value) });
                    }
                }
            }
            Observation::Event(event) => {
                if let (Some(host), Some(build)) = (event.computer.as_deref(), started_build(event)) {
                    let value = kernel_releases(build);
                    add(host, "os", KnownValue { weight: Weight::Wide, time: event.time, value });
                }
            }
            _ => {}
        }
    }
    for (machine, known) in machines.iter_mut().zip(known) {
        for (key, values) in known {
            settle(machine, key, values);
        }
    }
}

/// How reliable a value of a card is for the machine; `None` for what describes the process alone.
fn weight(key: &str, value: &str, is_kernel: bool, is_wow64: bool) -> Option<Weight> {
    match key {
        // The processor as a 32-bit process sees it.
        "cpu" if is_wow64 => None,
        "cpu" if value.starts_with("x86") => Some(Weight::Wide),
        _ if is_stated(value) => Some(Weight::Stated),
        // A kernel dump has no more than a name and a date for drivers, and an architecture for the processor.
        "cpu" | "gpu_driver" | "os" if is_kernel => Some(Weight::Wide),
        _ => Some(Weight::Exact),
    }
}

/// The build number in the record of a start, Kernel-General 12.
#[must_use]
pub fn started_build(event: &Event) -> Option<u32> {
    if event.content.id != 12 || !event.content.provider.eq_ignore_ascii_case("Microsoft-Windows-Kernel-General") {
        return None;
    }
    let (_, build) = event.content.fields.iter().find(|(name, _)| *name == "BuildVersion")?;
    build.parse().ok()
}

/// Sets a key to the latest of the most reliable values, and keeps the others of the same weight as earlier ones.
fn settle(machine: &mut Machine, key: &'static str, mut values: Vec<KnownValue>) {
    let Some(most) = values.iter().map(|known| known.weight).max() else { return };
    values.retain(|known| known.weight == most);
    // The last time of each value.
    let mut last: BTreeMap<String, Option<Timestamp>> = BTreeMap::new();
    for known in values {
        let time = last.entry(known.value).or_default();
        *time = (*time).max(known.time);
    }
    let latest = last.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    let Some(latest) = latest.map(|(value, _)| value.clone()) else { return };
    last.remove(&latest);
    machine.environment.insert(key, latest);
    let mut others: Vec<EarlierValue> =
        last.into_iter().map(|(value, time)| EarlierValue { key, value, time }).collect();
    others.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.value.cmp(&b.value)));
    machine.earlier.extend(others);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn settled(values: &[(Weight, Option<i64>, &str)]) -> (Option<String>, Vec<String>) {
        let mut machine = Machine { host: Arc::from("PC"), ..Machine::default() };
        let known = values.iter().map(|(weight, second, value)| KnownValue {
            weight: *weight,
            time: second.map(|second| Timestamp::from_second(second).expect("a time")),
            value: (*value).to_owned(),
        });
        settle(&mut machine, "gpu_driver", known.collect());
        let earlier = machine.earlier.into_iter().map(|earlier| earlier.value).collect();
        (machine.environment.remove("gpu_driver"), earlier)
    }

    #[test]
    fn what_all_agree_on_has_nothing_beside_it() {
        let same = (Weight::Exact, Some(5), "536.23");
        assert_eq!(settled(&[same, same]), (Some("536.23".to_owned()), Vec::new()));
    }

    #[test]
    fn the_latest_counts_and_others_are_kept() {
        let (value, earlier) = settled(&[
            (Weight::Exact, Some(9), "546.33"),
            (Weight::Exact, None, "512.15"),
            (Weight::Exact, Some(7), "536.23"),
            (Weight::Exact, Some(8), "536.23"),
        ]);
        assert_eq!(value.as_deref(), Some("546.33"));
        assert_eq!(earlier, ["536.23", "512.15"]);
    }

    #[test]
    fn what_says_less_neither_counts_nor_contradicts() {
        let (value, earlier) = settled(&[
            (Weight::Exact, Some(1), "536.23"),
            (Weight::Wide, Some(9), "nvlddmkm.sys"),
            (Weight::Stated, Some(9), "500.00 (as the text says)"),
        ]);
        assert_eq!(value.as_deref(), Some("536.23"));
        assert!(earlier.is_empty());
    }

    #[test]
    fn a_32_bit_process_does_not_tell_the_processor_of_its_machine() {
        assert_eq!(weight("cpu", "x86 (family 6)", false, true), None);
        assert_eq!(weight("cpu", "x64 (family 6)", false, false), Some(Weight::Exact));
        assert_eq!(weight("os", "Windows 10 22H2 (build 19045)", false, true), Some(Weight::Exact));
        assert_eq!(weight("cuda", "11.2 (as the text says)", false, false), Some(Weight::Stated));
        let both = "512.15 or 536.23 (the text says both)";
        assert_eq!(weight("gpu_driver", both, false, false), Some(Weight::Stated));
        assert_eq!(weight("gpu_driver", both, true, false), Some(Weight::Stated));
    }
}
