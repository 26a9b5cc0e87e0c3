//! Reading the facts that a rule requires (`requires`).

use crate::language::{Subject, unknown};
use facts::schema::{SCALARS, scalar};
use rule_syntax::mistakes::{Mistakes, closest};
use spanned_yaml::{Code, Node};

/// Reads the list `requires`.
pub(crate) fn read(node: &Node, mistakes: &mut Mistakes) -> Vec<Subject> {
    let Some(items) = mistakes.texts(node, "`requires`") else { return Vec::new() };
    let mut all: Vec<Subject> = Vec::new();
    for item in items {
        let Some(path) = mistakes.text(item, "an entry of `requires`") else { continue };
        match Subject::find(path) {
            Some(required) if all.contains(&required) => {
                mistakes.error(Code::R034, item.span, format!("`{path}` is required twice"));
            }
            Some(required) => all.push(required),
            None => {
                let help = unknown::help_for_fact(path, [].into_iter());
                mistakes.error_with_help(Code::R020, item.span, format!("there is no fact `{path}`"), help);
            }
        }
    }
    all
}

/// The facts that entries of `requires` with mistakes seem to mean.
pub(crate) fn seems_to_ask(node: &Node) -> impl Iterator<Item = &'static str> {
    let written = node.items().unwrap_or_default().iter().filter_map(Node::text);
    written.filter_map(|path| Some(scalar(closest(path, SCALARS.iter().map(|fact| fact.path))?)?.path))
}
