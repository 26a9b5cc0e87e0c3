//! All threads of a process, as a list.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{text, word};
use crate::{EvidenceRef, Record, Value};
use evidence::{Address, ProcessDump, ThreadState};

/// The list of threads.
pub(super) fn records(dump: &ProcessDump, threads: &[ThreadState], from: Option<EvidenceRef>) -> Vec<Record> {
    let crashed = dump.exception.as_ref().and(dump.thread.as_ref());
    let mut places = Places { dump, known: BTreeMap::new() };
    let of = |(position, thread): (usize, &ThreadState)| {
        let mut fields =
            vec![("position", Value::Number(position as u64)), ("id", Value::Number(u64::from(thread.id)))];
        let crashed = crashed.filter(|crashed| crashed.id == thread.id);
        if crashed.is_some() {
            fields.push(("is_crashing", Value::Flag(true)));
        }
        if let Some(name) = &thread.name {
            let nameless = ("nameless", Value::Flag(true));
            fields.push(if name.is_empty() { nameless } else { ("name", Value::Text(Arc::clone(name))) });
        }
        fields.extend(thread.start.and_then(|start| places.field(start, ["start_module", "start_outside"])));
        let at = thread.instruction_pointer.or_else(|| crashed?.instruction_pointer);
        fields.extend(at.and_then(|at| places.field(at, ["top_module", "top_outside"])));
        if let Some(function) = &thread.function {
            fields.push(("top_function", Value::Text(Arc::clone(function))));
        }
        if let Some(stack) = &thread.stack {
            let modules = dump.modules.as_deref().unwrap_or_default();
            let name = |index: &usize| modules.get(*index).map(|module| &*module.name);
            let names: Vec<&str> = stack.modules.iter().filter_map(name).collect();
            fields.extend([("modules", text(&names.join("; "))), ("trust", word(stack.trust.word()))]);
        }
        Record { fields, from }
    };
    threads.iter().enumerate().map(of).collect()
}

/// Which module has an address; most threads of a process start and wait in the same few places.
struct Places<'d> {
    dump: &'d ProcessDump,
    known: BTreeMap<u64, Option<&'d Arc<str>>>,
}

impl Places<'_> {
    /// The field of the first name with the module at an address; that of the second if no module is there. Nothing when
    /// the list of modules has gaps that it could lie in.
    fn field(&mut self, address: Address, names: [&'static str; 2]) -> Option<(&'static str, Value)> {
        let [inside, outside] = names;
        let dump = self.dump;
        let module = || dump.module_at(address).map(|(_, module)| &module.name);
        match *self.known.entry(address.0).or_insert_with(module) {
            Some(name) => Some((inside, Value::Text(Arc::clone(name)))),
            None => dump.modules_complete.then_some((outside, Value::Flag(true))),
        }
    }
}
