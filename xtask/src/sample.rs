//! A sample: files, their purpose, and the expected results of an analysis.

use serde::{Serialize, Serializer};

/// One sample.
#[derive(Debug)]
pub struct Sample {
    /// Name of its folder.
    pub name: &'static str,
    /// Its purpose, one sentence.
    pub shows: &'static str,
    /// How it is made, one sentence.
    pub made: &'static str,
    /// Its artifacts.
    pub files: Vec<File>,
    /// The incidents that an analysis must report.
    pub incidents: Vec<Incident>,
}

/// One artifact of a sample.
#[derive(Debug)]
pub struct File {
    /// File name.
    pub name: &'static str,
    /// Its expected kind.
    pub kind: OneOf<&'static str>,
    /// Its expected status.
    pub status: OneOf<&'static str>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl File {
    /// An artifact that can be read whole.
    pub fn whole(name: &'static str, kind: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, kind: OneOf(vec![kind]), status: OneOf(vec!["ok"]), bytes }
    }

    /// A minidump.
    pub fn minidump(name: &'static str, dump: &samplekit::minidump::Minidump) -> Self {
        Self::whole(name, "minidump", dump.to_bytes())
    }

    /// An event log.
    pub fn event_log(name: &'static str, log: &samplekit::event_log::EventLog) -> Self {
        Self::whole(name, "event-log", log.to_bytes())
    }
}

/// A value, or several accepted ones. Serialized as a text when there is only one.
#[derive(Debug, Clone)]
pub struct OneOf<T>(pub Vec<T>);

impl<T: Serialize> Serialize for OneOf<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<T> OneOf<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An incident that an analysis must report. Absent values are not checked, except the suspect: where none is given,
/// the report must name none.
#[derive(Debug, Serialize)]
pub struct Incident {
    /// Kind, in the report's words.
    pub kind: &'static str,
    /// File name of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<&'static str>,
    /// Exception code, as the report writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<&'static str>,
    /// Fast-fail code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_fail: Option<u32>,
    /// Bugcheck code, as the report writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bugcheck: Option<&'static str>,
    /// Module in which the exception was raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault_site: Option<&'static str>,
    /// Modules that may be named as suspect; `None` among them where it is also right to name none. If the list is
    /// empty, none may be named.
    #[serde(skip_serializing_if = "OneOf::is_empty")]
    pub suspect: OneOf<Option<&'static str>>,
    /// The accepted causes: those that an expert would name from the evidence.
    pub cause: OneOf<&'static str>,
    /// Least and greatest confidence of the verdict.
    pub confidence: [f64; 2],
    /// The files whose evidence belongs to it.
    pub artifacts: Vec<&'static str>,
}

impl Incident {
    /// An incident of a kind, from these files.
    pub fn new(kind: &'static str, artifacts: &[&'static str]) -> Self {
        Self {
            kind,
            process: None,
            exception: None,
            fast_fail: None,
            bugcheck: None,
            fault_site: None,
            suspect: OneOf(vec![]),
            cause: OneOf(vec!["undetermined"]),
            confidence: [0.0, 0.5],
            artifacts: artifacts.to_vec(),
        }
    }

    /// A crash of a process.
    pub fn crash(process: &'static str, exception: &'static str, artifacts: &[&'static str]) -> Self {
        Self { process: Some(process), exception: Some(exception), ..Self::new("crash", artifacts) }
    }

    /// Sets the module in which the exception was raised.
    pub fn at(mut self, module: &'static str) -> Self {
        self.fault_site = Some(module);
        self
    }

    /// Sets the fast-fail code.
    pub fn fast_fail(mut self, code: u32) -> Self {
        self.fast_fail = Some(code);
        self
    }

    /// Sets the bugcheck code.
    pub fn bugcheck(mut self, code: &'static str) -> Self {
        self.bugcheck = Some(code);
        self
    }

    /// Sets the modules one of which must be named as suspect.
    pub fn suspect(mut self, modules: &[&'static str]) -> Self {
        self.suspect = OneOf(modules.iter().map(|module| Some(*module)).collect());
        self
    }

    /// Sets the module that may be named as suspect or not.
    pub fn suspect_or_none(mut self, module: &'static str) -> Self {
        self.suspect = OneOf(vec![Some(module), None]);
        self
    }

    /// Sets the accepted causes, and the least and greatest confidence of the verdict.
    pub fn because(mut self, causes: &[&'static str], least: f64, greatest: f64) -> Self {
        self.cause = OneOf(causes.to_vec());
        self.confidence = [least, greatest];
        self
    }
}
