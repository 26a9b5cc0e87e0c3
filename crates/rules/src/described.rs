//! What there is to be said of a rule beside what it says itself: the facts that it asks for, and its tests as
//! examples.

use std::collections::BTreeSet;

use super::outcome::Outcome;
use super::rule::Rule;
use facts::FactSet;

/// A test of a rule, as an example of what it is for.
#[derive(Debug, Clone, Copy)]
pub struct Example<'r> {
    /// The test's name.
    pub name: &'r str,
    /// What is known in it.
    pub facts: &'r FactSet,
    /// What the rule makes of it.
    pub expect: Outcome,
}

impl Rule {
    /// Its tests.
    pub fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        self.tests().iter().map(|test| Example { name: &test.name, facts: &test.facts, expect: test.expect })
    }

    /// The facts and lists that its selections ask for or that it requires, sorted.
    #[must_use]
    pub fn facts_asked(&self) -> BTreeSet<&'static str> {
        self.logic().terms().map(|term| term.test.path()).chain(self.requires()).collect()
    }
}
