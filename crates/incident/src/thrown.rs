//! The exception objects of C++ and .NET that nobody caught: type and message.

use std::sync::Arc;

use serde::Serialize;
use serde_with::{serde_as, skip_serializing_none};

use super::joined_evidence::JoinedEvidence;
use super::stack::{StackKind, Word, exception_text};
use evidence::EventBody;

/// An exception object that nobody caught.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thrown {
    /// Native for C++, managed for .NET.
    #[serde_as(as = "Word")]
    pub of: StackKind,
    /// Its type: `class std::bad_alloc`, `System.NullReferenceException`.
    #[serde(rename = "type")]
    pub type_name: Arc<str>,
    /// Its message: `what()` of a `std::exception`, the message of a .NET exception.
    pub text: Option<Arc<str>>,
    /// The module whose code threw it, by the type's place in memory.
    pub module: Option<Arc<str>>,
}

/// What was thrown, of each language once. A dump counts more than a text, an event more than a WER report.
pub(super) fn thrown(evidence: &JoinedEvidence<'_>) -> Vec<Thrown> {
    cpp(evidence).into_iter().chain(managed(evidence)).collect()
}

fn cpp(evidence: &JoinedEvidence<'_>) -> Option<Thrown> {
    let of_dump = evidence.dump().and_then(|(_, dump)| {
        let thrown = dump.detail.cpp.as_ref()?;
        let module = thrown.image.and_then(|base| dump.module_at(base));
        Some(Thrown {
            of: StackKind::Native,
            type_name: Arc::clone(thrown.types.first()?),
            text: thrown.what.clone(),
            module: module.map(|(_, module)| Arc::clone(&module.name)),
        })
    });
    of_dump.or_else(|| {
        evidence.tickets().find_map(|(_, ticket)| {
            Some(Thrown {
                of: StackKind::Native,
                type_name: Arc::clone(ticket.cpp_type.as_ref()?),
                text: ticket.cpp_what.clone(),
                module: None,
            })
        })
    })
}

fn managed(evidence: &JoinedEvidence<'_>) -> Option<Thrown> {
    let of_event = evidence.event(|body| match body {
        EventBody::DotNet { exception_type: Some(type_name), text, .. } => {
            Some((Arc::clone(type_name), exception_text(text, type_name)))
        }
        _ => None,
    });
    let of_report = || {
        let (_, report) = evidence.report(|report| report.signature.managed_exception.is_some())?;
        Some((report.signature.managed_exception.clone()?, None))
    };
    let (type_name, text) = of_event.map(|(_, thrown)| thrown).or_else(of_report)?;
    Some(Thrown { of: StackKind::Managed, type_name, text, module: None })
}
