//! Evidence: which of its texts are what.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use evidence::{Annotation, Event, EventContent, EventFields, Evidence, LogCoverage, Names, Observation, Ticket};
use knowledge_tables::private::PrivateClass;

use super::learning::Learning;
use super::redactor::{Redactor, field_class, of_field, removed};
use super::rewrite::{Field, rewritten, visited};

/// Types and fields whose texts are not those of a person or computer: words of this program, names of functions, of providers
/// and channels, and identifiers by which evidence is joined. An empty name means all fields of the type.
const KEPT: &[(&str, &str)] = &[
    ("Place", ""),
    // Redacted value by value.
    ("EventFields", ""),
    ("Annotation", ""),
    ("ApplicationError", "report_id"),
    ("Contradiction", "of"),
    ("EventBody", "component"),
    ("EventBody", "kind"),
    ("EventBody", "reason"),
    ("EventBody", "report_id"),
    ("EventContent", "channel"),
    ("EventContent", "provider"),
    ("Frame", "function"),
    ("InlinedFunction", "function"),
    ("KernelDriver", "name"),
    ("LoadedModule", "debug_file"),
    ("LoadedModule", "name"),
    ("LogCoverage", "channel"),
    ("ProcessState", "handles"),
    ("ProcessState", "integrity"),
    ("Processor", ""),
    ("SavedEvent", "provider"),
    ("SavedEvent", "session"),
    ("SecondaryBlock", "tag"),
    ("SigmaMatch", "channel"),
    ("SigmaMatch", "provider"),
    ("SigmaRule", "id"),
    ("SigmaRule", "level"),
    ("SigmaRule", "tags"),
    ("SigmaRule", "title"),
    ("System", "cpu_detail"),
    ("System", "os_detail"),
    ("ThreadState", "function"),
    ("Ticket", "cpp_type"),
    ("Ticket", "debugger_suspects"),
    ("Ticket", "report_id"),
    ("TicketEvent", "provider"),
    ("TicketFrame", "symbol"),
    ("UnloadedDriver", "name"),
    ("WerDetails", "bucket"),
    ("WerReport", "event_type"),
    ("WerReport", "os_version"),
    ("WerReport", "own_id"),
    ("WerReport", "report_id"),
    ("WerSignature", "hang_signature"),
];

/// Fields whose whole text is a name.
const NAMES: &[(&str, &str, PrivateClass)] = &[
    ("Event", "computer", PrivateClass::Host),
    ("LogCoverage", "computer", PrivateClass::Host),
    ("SigmaMatch", "computer", PrivateClass::Host),
    ("Ticket", "computer", PrivateClass::Host),
    ("WerDetails", "machine", PrivateClass::Serial),
];

/// The beginning and the end of a key that a text has over several lines.
const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_ENDS: &str = "-----END ";
const PRIVATE_KEY: &str = "PRIVATE KEY";

fn is_kept(field: Field) -> bool {
    KEPT.iter().any(|(of, name)| *of == field.of && (name.is_empty() || *name == field.name))
}

fn class_of(field: Field) -> Option<PrivateClass> {
    NAMES.iter().find(|(of, name, _)| (*of, *name) == (field.of, field.name)).map(|(_, _, class)| *class)
}

impl Learning {
    /// Learns the names and secrets in evidence.
    pub fn evidence(&mut self, evidence: &Evidence) {
        if let Observation::Event(event) = &evidence.observation {
            if let Some(computer) = &event.computer {
                self.name(PrivateClass::Host, computer);
            }
            if !self.is_new(&event.content) {
                return;
            }
            self.fields(&event.content.fields);
        }
        if let Observation::Process(dump) = &evidence.observation {
            dump.state.annotations.iter().for_each(|annotation| self.keyed(&annotation.key, &annotation.value));
        }
        self.all_texts(&evidence.observation);
    }

    /// Learns the computers of a log.
    pub fn coverage(&mut self, coverage: &LogCoverage) {
        self.name(PrivateClass::Host, &coverage.computer);
    }

    fn fields(&mut self, fields: &EventFields) {
        fields.iter().for_each(|(name, value)| self.keyed(name, value));
    }

    fn keyed(&mut self, name: &str, value: &str) {
        match field_class(name) {
            Some(class) => self.name(class, value),
            None => {
                self.text(value);
                for private in of_field(name, value) {
                    self.private(&private, value.get(private.range.clone()).unwrap_or_default());
                }
            }
        }
        self.program(value);
    }

    /// Learns from all texts of an observation.
    fn all_texts(&mut self, observation: &Observation) {
        visited(observation, &mut |field, text| {
            if let Some(class) = class_of(field) {
                self.name(class, text);
            } else if !is_kept(field) {
                self.text(text);
            }
            self.program(text);
        });
    }
}

/// What records share, they share when it is redacted, too.
#[derive(Default)]
struct SharedContents {
    contents: HashMap<*const EventContent, Arc<EventContent>>,
    names: Names,
}

impl Redactor<'_> {
    /// All evidence of an artifact without what is private. Evidence that can't be redacted is left out.
    #[must_use]
    pub fn evidence(&self, evidence: Vec<Evidence>) -> Vec<Evidence> {
        let mut shared = SharedContents::default();
        // The contents of records are known by where they are in memory: all live until all are redacted.
        let redacted = evidence.iter().filter_map(|evidence| self.one(evidence, &mut shared)).collect();
        drop(evidence);
        redacted
    }

    /// What a log covers.
    #[must_use]
    pub fn coverage(&self, coverage: LogCoverage) -> LogCoverage {
        LogCoverage { computer: self.name(PrivateClass::Host, &coverage.computer).into(), ..coverage }
    }

    fn one(&self, evidence: &Evidence, shared: &mut SharedContents) -> Option<Evidence> {
        let place = evidence.place.clone();
        let observation = match &evidence.observation {
            Observation::Event(event) => {
                let known = Arc::as_ptr(&event.content);
                let content = match shared.contents.get(&known) {
                    Some(content) => Arc::clone(content),
                    None => {
                        let content = Arc::new(self.content(&event.content, &shared.names)?);
                        shared.contents.insert(known, Arc::clone(&content));
                        content
                    }
                };
                let computer = event
                    .computer
                    .as_ref()
                    .map(|computer| shared.names.share(&self.name(PrivateClass::Host, computer)));
                Observation::Event(Event { computer, time: event.time, content })
            }
            Observation::Process(dump) => {
                let mut redacted = self.rewritten(dump)?;
                let annotations = dump.state.annotations.iter().map(|annotation| Annotation {
                    key: self.text(&annotation.key).as_ref().into(),
                    value: self.keyed(&annotation.key, &annotation.value).into(),
                });
                redacted.state.annotations = annotations.collect();
                redacted.state.annotations.sort();
                Observation::Process(redacted)
            }
            Observation::Ticket(ticket) => {
                let mut redacted: Box<Ticket> = self.rewritten(ticket)?;
                delete_keys(ticket, &mut redacted);
                Observation::Ticket(redacted)
            }
            other => self.rewritten(other)?,
        };
        Some(Evidence { place, observation })
    }

    fn content(&self, content: &EventContent, names: &Names) -> Option<EventContent> {
        let mut redacted = self.rewritten(content)?;
        let fields: Vec<(&str, String)> =
            content.fields.iter().map(|(name, value)| (name, self.keyed(name, value))).collect();
        redacted.fields = EventFields::sharing(fields.iter().map(|(name, value)| (*name, value.as_str())), names);
        Some(redacted)
    }

    fn rewritten<T: serde::Serialize + serde::de::DeserializeOwned>(&self, value: &T) -> Option<T> {
        rewritten(value, &|field, text| self.in_field(field, text)).ok()
    }

    fn in_field<'t>(&self, field: Field, text: &'t str) -> Cow<'t, str> {
        match class_of(field) {
            Some(class) => Cow::Owned(self.name(class, text)),
            None if is_kept(field) => Cow::Borrowed(text),
            None => self.text(text),
        }
    }
}

/// Deletes the lines of private keys, which are keys together alone.
fn delete_keys(before: &Ticket, redacted: &mut Ticket) {
    let mut is_inside = false;
    for (index, (line, redacted_line)) in before.lines.iter().zip(&mut redacted.lines).enumerate() {
        let begins = line
            .text
            .find(KEY_BEGINS)
            .is_some_and(|at| line.text.get(at..).is_some_and(|rest| rest.contains(PRIVATE_KEY)));
        let ends = line.text.contains(KEY_ENDS);
        if is_inside {
            redacted_line.text = removed("private-key").into();
            for said in [&mut redacted.doubted, &mut redacted.unreported] {
                if let Some(text) = said.get_mut(&index) {
                    *text = removed("private-key").into();
                }
            }
        }
        is_inside = (is_inside || begins) && !ends;
    }
}
