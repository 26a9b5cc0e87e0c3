//! What texts say of a machine and of what is installed on it: tables of packages, and values of single lines.

use std::sync::Arc;

use super::recognised::Recognised;
use super::values::{decimal_number, narrow, version};
use evidence::{Inventory, TicketEvent, TicketLine};
use knowledge_tables::patterns::MachineFact;
use windows_codes::{Knowledge, nvidia_release_of_file};
use windows_events::catalogue::provider_called;

/// How many packages are kept.
const MOST_PACKAGES: usize = 4096;
/// How many GPUs are kept.
const MOST_GPUS: usize = 16;
/// How many events are kept.
const MOST_EVENTS: usize = 64;
/// How many lines may lie between an event's source and its id.
const EVENT_LINES: u32 = 12;
/// More characters than the name of a provider, a GPU or a model has.
const LONGEST_NAME: usize = 96;

/// Takes a value that a pattern found.
pub(super) fn take(fact: MachineFact, value: &str, recognised: &mut Recognised) {
    let inventory = &mut recognised.ticket.inventory;
    let taken = match fact {
        MachineFact::Gpu => add_gpu(inventory, value),
        MachineFact::NvidiaDriver => set(&mut inventory.nvidia_driver, version(value)),
        // The file version tells the release of NVIDIA's drivers only.
        MachineFact::DisplayDriver => {
            let nvidia = inventory.gpus.last().is_some_and(|gpu| gpu.to_ascii_uppercase().contains("NVIDIA"));
            set(&mut inventory.nvidia_driver, version(value).filter(|_| nvidia).and_then(nvidia_release_of_file))
        }
        MachineFact::CudaDriver => set(&mut inventory.cuda_driver, version(value)),
        MachineFact::OsBuild => set(&mut inventory.os_build, number(value)),
        MachineFact::OsBuildOfRelease => set(&mut inventory.os_build, known_build(value)),
        MachineFact::OsVersion => {
            set(&mut inventory.os_build, known_build(value).filter(|build| has_own_kernel(*build)))
        }
        MachineFact::OsRelease => set(&mut inventory.os_build, build_of_release(value)),
        MachineFact::MemoryMib => {
            set(&mut inventory.memory, grouped_number(value).and_then(|mib| mib.checked_mul(1 << 20)))
        }
        MachineFact::Bios => set(&mut inventory.bios, name(value)),
        MachineFact::Model => set(&mut inventory.model, name(value)),
        MachineFact::Python => set(&mut inventory.python, version(value)),
    };
    if taken {
        recognised.note_line();
    }
}

/// A decimal number of 32 bits.
fn number(value: &str) -> Option<u32> {
    decimal_number(value).and_then(narrow)
}

/// A build number of a release of Windows.
fn known_build(value: &str) -> Option<u32> {
    number(value).filter(|build| Knowledge::builtin().windows_release(*build).is_some())
}

/// Whether only one release of Windows has modules of this build: those of 22H2 have the version of 2004.
fn has_own_kernel(build: u32) -> bool {
    let knowledge = Knowledge::builtin();
    knowledge.windows_of_kernel(build) == knowledge.windows_release(build)
}

/// The build number of a release by its name: `10 22H2`, `11 Pro, version 23H2`.
fn build_of_release(value: &str) -> Option<u32> {
    let mut words = value.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let (number, name) = (words.next()?, words.next_back()?);
    Knowledge::builtin().build_of_windows(&format!("Windows {number} {}", name.to_ascii_uppercase()))
}

/// Sets a value that is not known yet. Returns whether it was set.
fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let first = slot.is_none() && value.is_some();
    *slot = slot.take().or(value);
    first
}

fn add_gpu(inventory: &mut Inventory, value: &str) -> bool {
    let room = inventory.gpus.len() < MOST_GPUS;
    let new = name(value).filter(|gpu| room && !inventory.gpus.contains(gpu));
    let is_new = new.is_some();
    inventory.gpus.extend(new);
    is_new
}

fn name(value: &str) -> Option<Arc<str>> {
    let name = value.trim();
    let fits = !name.is_empty() && name.chars().count() <= LONGEST_NAME && name.chars().any(char::is_alphanumeric);
    fits.then(|| name.into())
}

/// A whole number with whatever a language puts between its thousands.
fn grouped_number(value: &str) -> Option<u64> {
    let digits: String = value.chars().filter(char::is_ascii_digit).take(12).collect();
    digits.parse().ok()
}

/// A computer's name: letters, digits, `-`, `_` and the dots of a domain.
pub(super) fn computer(name: &str) -> Option<&str> {
    let fits = name.len() <= 255
        && name.chars().any(char::is_alphanumeric)
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '-' | '_' | '.'));
    fits.then_some(name)
}

/// Adds a package with its version.
pub(super) fn add_package(recognised: &mut Recognised, name: &str, version: &str) {
    let packages = &mut recognised.ticket.inventory.packages;
    let known = packages.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    if !known && packages.len() < MOST_PACKAGES {
        packages.push((name.into(), version.into()));
        recognised.note_line();
    }
}

/// The tables that `pip list` and `conda list` print.
pub(super) fn tables(lines: &[TicketLine], recognised: &mut Recognised) {
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if !is_header(&line.text) {
            continue;
        }
        for row in after {
            let mut words = row.text.split_whitespace();
            let (Some(name), Some(version)) = (words.next(), words.next()) else { break };
            if name.starts_with("---") {
                continue;
            }
            if !is_package(name) || !version.starts_with(|first: char| first.is_ascii_digit()) {
                break;
            }
            recognised.line = row.number;
            add_package(recognised, name, version);
        }
    }
}

/// `Package  Version`, or `# Name  Version  Build  Channel`.
fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace().filter(|word| *word != "#");
    matches!((words.next(), words.next()), (Some("Package" | "Name"), Some("Version")))
}

fn is_package(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// An event's source whose id was not seen yet, or the other way round.
#[derive(Debug, Default)]
pub(super) struct PendingEvent {
    source: Option<(Arc<str>, u32)>,
    id: Option<(u32, u32)>,
}

impl PendingEvent {
    /// A line names an event's source.
    pub(super) fn source(&mut self, value: &str, recognised: &mut Recognised) {
        let Some(source) = name(value.trim_end_matches(['"', '\'', ')', ',', '.'])) else { return };
        match self.id.take() {
            Some((id, line)) if line == recognised.line => add_event(recognised, source, id),
            _ => self.source = Some((source, recognised.line)),
        }
    }

    /// Takes the event id of a line, and adds the event if a line just before named its source.
    pub(super) fn id(&mut self, value: &str, recognised: &mut Recognised) {
        let Some(id) = number(value).filter(|id| *id <= 0xFFFF) else { return };
        match self.source.take() {
            Some((source, line)) if recognised.line.saturating_sub(line) <= EVENT_LINES => {
                add_event(recognised, source, id);
            }
            _ => self.id = Some((id, recognised.line)),
        }
    }
}

/// Adds an event, whose provider may be spelled as people do.
pub(super) fn add_event(recognised: &mut Recognised, provider: Arc<str>, id: u32) {
    let provider = provider_called(&provider).map_or(provider, Arc::from);
    let known = recognised.ticket.events.iter().any(|event| event.provider == provider && event.id == id);
    if !known && recognised.ticket.events.len() < MOST_EVENTS {
        recognised.note_line();
        recognised.ticket.events.push(TicketEvent { provider, id });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(text: &str) -> Vec<String> {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        let mut recognised = Recognised::default();
        tables(&lines, &mut recognised);
        recognised.ticket.inventory.packages.iter().map(|(name, version)| format!("{name} {version}")).collect()
    }

    #[test]
    fn tables_of_pip_and_conda_end_where_a_row_is_none() {
        let pip = "Package    Version   Editable project location\n---------- ---------\nnumpy      1.26.4\n\
                   torch      2.1.0+cu118\nthat was all of it\nother 1.0";
        assert_eq!(packages(pip), ["numpy 1.26.4", "torch 2.1.0+cu118"]);
        let conda = "# packages in environment at C:\\conda\\envs\\tf:\n#\n# Name                    Version   Build  Channel\n\
                     cudatoolkit               11.2.2   h7d7167e_10    conda-forge\n_py-xgboost-mutex 2.0 cpu_0\n";
        assert_eq!(packages(conda), ["cudatoolkit 11.2.2", "_py-xgboost-mutex 2.0"]);
        assert!(packages("Name Version").is_empty());
    }

    #[test]
    fn numbers_may_be_grouped_in_any_way() {
        for text in ["32,691 MB", "32.691 MB", "32\u{A0}691 Mo", "32691"] {
            assert_eq!(grouped_number(text), Some(32691), "{text}");
        }
        assert_eq!(grouped_number("none"), None);
    }
}
