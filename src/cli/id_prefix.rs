//! Ids and signatures on the command line, which may be abbreviated.

/// Shorter beginnings of an id are not looked for: many ids could be meant, or a rule's mistyped name.
const SHORTEST: usize = 4;

/// The item that an id or the beginning of one names.
pub enum Named<'a, T> {
    /// The item with exactly this id, or the only one whose id begins so.
    One(&'a T),
    /// Several ids begin so.
    Several,
    /// No id begins so.
    Nothing,
}

/// Looks for the item whose id is `wanted` or begins with it.
pub fn find<'a, T>(all: &'a [T], wanted: &str, id: impl Fn(&T) -> &str) -> Named<'a, T> {
    if let Some(exact) = all.iter().find(|item| id(item) == wanted) {
        return Named::One(exact);
    }
    let mut fitting = all.iter().filter(|item| wanted.len() >= SHORTEST && id(item).starts_with(wanted));
    match (fitting.next(), fitting.next()) {
        (Some(item), None) => Named::One(item),
        (Some(_), Some(_)) => Named::Several,
        (None, _) => Named::Nothing,
    }
}
