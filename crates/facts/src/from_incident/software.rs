//! The modules of other products in the process, and Windows' own that do not fit together.

use crate::value::evidence;
use crate::{FactSet, Record, Value};
use incident::{Component, JoinedIncident, OtherModule, WindowsFile};

/// The list of programs that draw over others.
const OVERLAYS: &str = "overlays";

/// Sets the list of what the program is built with.
pub(super) fn built_with(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let record = |component: &Component| {
        let fields = [
            ("what", Some(component.what.clone().into())),
            ("module", Some(component.module.clone().into())),
            ("version", component.version.map(Value::from)),
        ];
        Record::of_known(fields, evidence(component.from))
    };
    facts.set_filled_list("built_with", joined.incident.built_with.iter().map(record));
}

/// Sets the list of Windows' files that are of another build than most.
pub(super) fn windows_files(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let Some((number, _)) = joined.evidence.dump() else { return };
    let Some(files) = joined.incident.dump.as_ref().and_then(|dump| dump.windows_files.as_ref()) else { return };
    let record = |file: &WindowsFile| Record {
        fields: vec![
            ("name", file.module.clone().into()),
            ("version", file.version.into()),
            ("build", u32::from(file.build).into()),
            ("usual_build", u32::from(files.build).into()),
        ],
        from: evidence(number),
    };
    facts.set_list("windows_files", files.of_other_builds.iter().map(record).collect());
}

/// Sets the list of modules that belong neither to Windows nor to the program.
pub(super) fn other_software(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let Some(others) = &joined.incident.other_software else { return };
    let record = |module: &OtherModule| {
        let fields = [
            ("module", Some(module.module.clone().into())),
            ("version", module.version.map(Value::from)),
            ("path", module.path.clone().map(Value::from)),
            ("what", module.what.clone().map(Value::from)),
            ("kind", module.kind.clone().map(Value::from)),
        ];
        Record::of_known(fields, evidence(others.from))
    };
    facts.set_filled_list("other_software", others.modules.iter().map(record));
    let overlay = others.modules.iter().find(|module| module.kind.as_deref() == Some(OVERLAYS));
    facts.set_known("process.overlay", overlay.map(|module| module.module.clone()), evidence(others.from));
}
