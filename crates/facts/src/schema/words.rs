//! Words that facts can have as their value, where the code knows them too; the others are in `schema.yaml` alone.

use std::sync::LazyLock;

use super::FactType;
use evidence::{
    AddressKind, CodePlace, DEBUGGER_SUSPECTS, ErrorComponent, ErrorSeverity, Extension, INTEGRITY_LEVELS,
    InstructionKind, MemoryError, OriginEnd, Page, ProcessorPart,
};
use incident::environment::{FRAMEWORKS, INSTALLATIONS};

/// The kinds of incident.
pub const INCIDENT_KINDS: &[&str] = incident::IncidentKind::WORDS;
/// The kinds of places that rules can ask a path for. A path can lie in several; a module's location is one of them.
pub const PLACES: &[&str] = windows_codes::PLACES;
/// The kinds of places that a module can be loaded from.
pub const LOCATIONS: &[&str] = windows_codes::LOCATIONS;
/// Kinds of timeline entries.
pub static TIMELINE_KINDS: LazyLock<&[&str]> = LazyLock::new(|| {
    let kind = super::list("timeline").and_then(|timeline| timeline.fields.iter().find(|field| field.path == "kind"));
    match kind.map(|kind| kind.kind) {
        Some(FactType::Word(words)) => words,
        _ => &[],
    }
});

/// The words of the type `words NAME` of `schema.yaml`; none for an unknown name, which a test refuses.
pub(super) fn called(name: &str) -> &'static [&'static str] {
    match name {
        "address-kinds" => AddressKind::WORDS,
        "code-places" => CodePlace::WORDS,
        "debugger-suspects" => DEBUGGER_SUSPECTS,
        "error-components" => ErrorComponent::WORDS,
        "error-severities" => ErrorSeverity::WORDS,
        "frameworks" => FRAMEWORKS,
        "incident-kinds" => INCIDENT_KINDS,
        "installations" => INSTALLATIONS,
        "instruction-extensions" => Extension::WORDS,
        "instruction-kinds" => InstructionKind::WORDS,
        "integrity-levels" => INTEGRITY_LEVELS,
        "locations" => LOCATIONS,
        "machine-checks" => windows_codes::McaClass::WORDS,
        "memory-errors" => MemoryError::WORDS,
        "mechanisms" => incident::MechanismKind::WORDS,
        "origins" => OriginEnd::WORDS,
        "pages" => Page::WORDS,
        "processor-parts" => ProcessorPart::WORDS,
        "sigma-levels" => evidence::SIGMA_LEVELS,
        _ => &[],
    }
}
