//! Reading the evidence that a rule requests to be surer (`collect`), and what makes a request needless.

use crate::language::{Request, Subject, Unless, unknown};
use crate::reading::templates::is_template;
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Node};

/// Reads an entry of `collect`: a text, or a text with what makes it needless. `selections` are the names of the
/// rule's.
pub(crate) fn read(node: &Node, selections: &[&str], mistakes: &mut Mistakes) -> Option<Request> {
    const WHAT: &str = "an entry of `collect`";
    const KEYS: [&str; 2] = ["text", "unless"];
    let Some(entries) = node.entries() else {
        return Some(Request { text: plain(node, WHAT, mistakes)?, unless: Vec::new(), written: Vec::new() });
    };
    mistakes.keys(entries, node.span, WHAT, &KEYS, &KEYS);
    let text = node.get("text").and_then(|text| plain(text, "`text`", mistakes));
    let unless = node.get("unless")?;
    let named = mistakes.one_or_more(unless, "`unless`")?;
    let (mut all, mut written) = (Vec::new(), Vec::new());
    for node in named {
        let Some(name) = mistakes.text(node, "`unless`").map(str::trim) else { continue };
        all.extend(unless_named(node, name, selections, mistakes));
        written.push(name.to_owned());
    }
    (all.len() == named.len()).then_some(Request { text: text?, unless: all, written })
}

/// A text without facts in it.
pub(crate) fn plain(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<String> {
    let text = mistakes.text(node, what)?;
    if is_template(text) {
        let message = format!("{what} is printed as it is; no facts can be filled in");
        let help = "facts can stand in `title`, `explanation` and `say`, and in `text` and `undo` of a remediation";
        mistakes.error_with_help(Code::R043, node.span, message, help);
        return None;
    }
    Some(text.trim().to_owned())
}

/// The selection, fact or list of this name; a name that is none of them is a mistake.
fn unless_named(node: &Node, name: &str, selections: &[&str], mistakes: &mut Mistakes) -> Option<Unless> {
    if let Some(index) = selections.iter().position(|selection| *selection == name) {
        return Some(Unless::Selection(index));
    }
    if let Some(subject) = Subject::find(name) {
        return Some(Unless::Known(subject));
    }
    let help = unknown::help_for_fact(name, selections.iter().copied());
    let message = format!("`{name}` is no selection of this rule, no fact and no list");
    mistakes.error_with_help(Code::R020, node.span, message, help);
    None
}
