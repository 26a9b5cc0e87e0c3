//! Terms of a selection without a rule: the drafting of rules asks with them what incidents have in common.

use crate::evaluating::View;
use crate::language::{Term, Test, Truth};
use crate::reading::{Causes, Effort, Lists, LoadContext, selections};
use facts::{EvidenceRef, FactSet};
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{YamlText, parse};

/// Terms that have to hold together.
#[derive(Debug)]
pub struct Question {
    terms: Vec<Term>,
}

impl Question {
    /// Reads terms as selections have them, `{FACT: VALUE}`. `None` where they have a mistake, or name a list of a rule set.
    #[must_use]
    pub fn read(written: &str) -> Option<Self> {
        let file = YamlText::new("question", written.to_owned());
        let root = parse(&file).ok()?;
        let (causes, lists) = (Causes::default(), Lists::default());
        let effort = Effort::default();
        let known = LoadContext { causes: &causes, lists: &lists, proven: false, effort: &effort };
        let terms = selections::alternative(&root, "the question", &known, &mut Mistakes::new(&file))?;
        Some(Self { terms })
    }

    /// Whether it surely holds; `None` where a fact or list that it asks for is not known.
    #[must_use]
    pub fn holds(&self, facts: &FactSet) -> Option<bool> {
        let view = View::new(facts, None);
        let is_known = |term: &Term| match &term.test {
            Test::Fact { index, .. } => view.scalar(*index).is_some(),
            Test::List { index, .. } | Test::Sequence { index, .. } => view.list(*index).is_some(),
            Test::FactKnown { .. } | Test::ListKnown { .. } => true,
        };
        let is_known = self.terms.iter().all(is_known);
        is_known.then(|| self.terms.iter().all(|term| term.test.truth(&view) == Truth::True))
    }

    /// The evidence of its first fact, or of the first entry of its list that fits.
    #[must_use]
    pub fn from(&self, facts: &FactSet) -> Option<EvidenceRef> {
        let view = View::new(facts, None);
        match &self.terms.first()?.test {
            Test::Fact { index, .. } | Test::FactKnown { index, .. } => view.scalar(*index)?.from,
            Test::List { index, entries, .. } => view.list(*index)?.iter().find(|row| entries.fits(row))?.from(),
            Test::Sequence { .. } | Test::ListKnown { .. } => None,
        }
    }
}
