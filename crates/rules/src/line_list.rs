//! Lists of expressions for lines of texts that rules refer to by name (`line|listed`): what people say in many ways, and
//! many rules ask for.

use std::collections::BTreeSet;
use std::fmt;

use super::misread;
use super::pattern::{self, Pattern};
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::Node;

/// A list of regular expressions for texts.
pub(super) struct LineList {
    name: String,
    patterns: Vec<Pattern>,
}

impl fmt::Debug for LineList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expressions: Vec<&str> = self.patterns.iter().map(Pattern::written).collect();
        f.debug_struct("LineList").field("name", &self.name).field("lines", &expressions).finish_non_exhaustive()
    }
}

impl LineList {
    /// Its name, which is its file's name without ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its expressions.
    pub(super) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Whether one of its expressions is found in a folded text.
    pub(super) fn fits(&self, folded: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(folded))
    }

    /// Reads the list of a file whose `lines` are an entry each: `{re: EXPRESSION, why: ...}`.
    pub(super) fn read(file_stem: &str, root: &Node, proven: bool, mistakes: &mut Mistakes) -> Option<Self> {
        let entries = mistakes.mapping(root, "a list file")?;
        let known = ["schema", "list", "about", "lines"];
        mistakes.keys(entries, root.span, "a list file", &known, &known);
        let mut list = Self { name: file_stem.to_owned(), patterns: Vec::new() };
        let mut written = BTreeSet::new();
        for item in mistakes.items(root.get("lines")?, "`lines`")? {
            let Some(text) = expression(item, mistakes) else { continue };
            if !proven && let Err(error) = pattern::check(text.value) {
                let (reason, help) = misread::says(&error);
                let at = misread::wrong_at(text.value)
                    .map_or(text.node.span, |at| text.node.span_within(&mistakes.file, at));
                mistakes.error_with_help("R023", at, format!("not a regular expression: {reason}"), help);
            } else if !written.insert(text.value) {
                mistakes.error("R061", text.node.span, "this expression is in this list already");
            } else {
                list.patterns.push(Pattern::new(text.value));
            }
        }
        Some(list)
    }
}

/// An expression, and where it stands.
struct Expression<'n> {
    value: &'n str,
    node: &'n Node,
}

fn expression<'n>(item: &'n Node, mistakes: &mut Mistakes) -> Option<Expression<'n>> {
    let what = "an entry of a list of lines";
    let entries = mistakes.mapping(item, what)?;
    mistakes.keys(entries, item.span, what, &["re", "why"], &["re", "why"]);
    let node = item.get("re")?;
    let value = mistakes.text(node, "`re`")?;
    Some(Expression { value, node })
}
