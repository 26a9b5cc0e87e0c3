//! The list of all threads of a process.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::value::{text, word};
use crate::{EvidenceRef, Record, Value};
use evidence::{Address, ProcessDump, ThreadState};

/// The records of the list `threads`, in the order of `threads`.
pub(super) fn records(dump: &ProcessDump, threads: &[ThreadState], from: Option<EvidenceRef>) -> Vec<Record> {
    let crashed = dump.exception.as_ref().and(dump.thread.as_ref());
    let mut places = ModuleLookup { dump, known: BTreeMap::new() };
    let of = |(position, thread): (usize, &ThreadState)| {
        let mut fields = vec![("position", Value::Number(position as u64)), ("id", thread.id.into())];
        let crashed = crashed.filter(|crashed| crashed.id == thread.id);
        fields.extend(crashed.map(|_| ("is_crashing", true.into())));
        if let Some(name) = &thread.name {
            let nameless = ("nameless", true.into());
            fields.push(if name.is_empty() { nameless } else { ("name", name.clone().into()) });
        }
        fields.extend(thread.start.and_then(|start| places.field(start, ["start_module", "start_outside"])));
        let at = thread.instruction_pointer.or_else(|| crashed?.instruction_pointer);
        fields.extend(at.and_then(|at| places.field(at, ["top_module", "top_outside"])));
        fields.extend(thread.function.clone().map(|function| ("top_function", function.into())));
        if let Some(stack) = &thread.stack {
            let modules = dump.modules.as_deref().unwrap_or_default();
            let name = |index: &usize| modules.get(*index).map(|module| &*module.name);
            let names: Vec<&str> = stack.modules.iter().filter_map(name).collect();
            fields.extend([("modules", text(&names.join("; "))), ("trust", word(stack.trust.word()))]);
        }
        fields.extend(thread.waits_for.map(|kind| ("waits_for", word(kind.word()))));
        fields.extend(thread.lock.map(|lock| ("lock_owner", lock.owner.into())));
        Record { fields, from }
    };
    threads.iter().enumerate().map(of).collect()
}

/// The module of each address that was looked up: most threads of a process start and wait at the same few addresses.
struct ModuleLookup<'d> {
    dump: &'d ProcessDump,
    known: BTreeMap<u64, Option<&'d Arc<str>>>,
}

impl ModuleLookup<'_> {
    /// A field under the first of `names` with the name of the module that has `address`, or, where no module has it, a
    /// flag under the second. `None` when the list of modules is incomplete, so that an unlisted one may have the
    /// address.
    fn field(&mut self, address: Address, names: [&'static str; 2]) -> Option<(&'static str, Value)> {
        let [inside, outside] = names;
        let dump = self.dump;
        let module = || dump.module_at(address).map(|(_, module)| &module.name);
        match *self.known.entry(address.0).or_insert_with(module) {
            Some(name) => Some((inside, name.clone().into())),
            None => dump.modules_complete.then_some((outside, true.into())),
        }
    }
}
