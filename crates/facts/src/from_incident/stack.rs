//! The stacks of the incident, a list each.

use crate::value::{evidence, text, word};
use crate::{FactSet, Record, Value};
use incident::{JoinedIncident, StackFrame, StackKind};

/// Sets the lists of frames: of machine code, of .NET, of Python.
pub(super) fn stack(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let of = |wanted: &'static [StackKind]| {
        joined.incident.stack.iter().filter(|frame| wanted.contains(&frame.of)).enumerate()
    };
    facts.set_filled_list("frames", of(&[StackKind::Native, StackKind::Kernel]).map(frame_record));
    facts.set_filled_list("managed_frames", of(&[StackKind::Managed]).map(managed_frame_record));
    facts.set_filled_list("python_frames", of(&[StackKind::Python]).map(python_frame_record));
}

fn frame_record((position, frame): (usize, &StackFrame)) -> Record {
    let fields = [
        ("position", Some(Value::Number(position as u64))),
        ("trust", Some(word(frame.trust.word()))),
        ("probability", frame.probability.and_then(percent)),
        ("module", frame.module.clone().map(Value::from)),
        ("version", frame.version.map(Value::from)),
        ("offset", frame.offset.map(|offset| offset.0.into())),
        ("function", frame.function.clone().map(Value::Text)),
        ("file", frame.file.clone().map(Value::from)),
        ("line", frame.line.map(Value::from)),
        ("inlined", frame.inline.first().map(|inlined| Value::Text(inlined.function.clone()))),
    ];
    Record::of_known(fields, evidence(frame.from))
}

/// A probability in percent.
fn percent(probability: f32) -> Option<Value> {
    let percent = (probability * 100.0).round();
    (0_u8..=100).find(|whole| f32::from(*whole) >= percent).map(Value::from)
}

fn managed_frame_record((position, frame): (usize, &StackFrame)) -> Record {
    let fields = [
        ("position", Some(Value::Number(position as u64))),
        ("assembly", frame.module.clone().map(Value::from)),
        ("method", frame.function.clone().map(Value::from)),
        ("file", frame.file.clone().map(Value::from)),
        ("line", frame.line.map(Value::from)),
    ];
    Record::of_known(fields, evidence(frame.from))
}

fn python_frame_record((position, frame): (usize, &StackFrame)) -> Record {
    let fields = [
        ("position", Some(Value::Number(position as u64))),
        ("file", frame.file.clone().map(Value::from)),
        ("line", frame.line.map(Value::from)),
        ("function", frame.function.clone().map(Value::from)),
        ("package", frame.file.as_deref().and_then(package).map(text)),
    ];
    Record::of_known(fields, evidence(frame.from))
}

/// The name of the Python package that `file` belongs to: the folder, or the module, below `site-packages`.
fn package(file: &str) -> Option<&str> {
    let (_, inside) = ["site-packages\\", "site-packages/"].iter().find_map(|folder| file.rsplit_once(folder))?;
    let name = inside.split(['\\', '/']).next()?;
    let name = name.strip_suffix(".py").unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_the_folder_in_site_packages() {
        assert_eq!(package(r"C:\env\lib\site-packages\torch\nn\modules.py"), Some("torch"));
        assert_eq!(package("/env/site-packages/six.py"), Some("six"));
        assert_eq!(package(r"C:\work\main.py"), None);
    }
}
