//! What a rule advises: single actions, each with who takes it, how long it takes, and what it risks.

use serde::Serialize;
use serde_with::skip_serializing_none;
use strum::IntoStaticStr;

use spanned_yaml::Span;

/// One action that is advised about a cause. Several of one audience are steps in order.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remediation {
    /// Who should do it.
    pub audience: Audience,
    /// What to do: in a rule with places for facts, in a finding with facts filled in.
    pub text: String,
    /// How long it takes whoever does it, if the rule says.
    pub cost: Option<Cost>,
    /// What can be lost by it, if the rule says.
    pub risk: Option<Risk>,
    /// Whether it needs administrator rights.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub admin: bool,
    /// How to take it back, if the rule says; a text like `text`.
    pub undo: Option<String>,
}

impl Remediation {
    /// The same action with facts filled into its texts.
    pub(crate) fn filled(&self, fill: impl Fn(&str) -> String) -> Self {
        Self { text: fill(&self.text), undo: self.undo.as_deref().map(fill), ..self.clone() }
    }

    /// The texts in which facts can stand.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        [&self.text].into_iter().chain(&self.undo)
    }

    /// The action with its [details](Self::details), where it has any.
    #[must_use]
    pub fn with_details(&self) -> String {
        self.details().map_or_else(|| self.text.clone(), |details| format!("{} {details}", self.text))
    }

    /// Time, risk, rights and undo in few words, in brackets; `None` where the rule says nothing of them:
    /// `(an hour; high risk; needs admin; undo: enable the driver again)`.
    #[must_use]
    pub fn details(&self) -> Option<String> {
        let risk = self.risk.and_then(|risk| match risk {
            Risk::None => Some("changes nothing"),
            // How it is undone stands beside it.
            Risk::Low => None,
            Risk::High => Some("high risk"),
        });
        let admin = self.admin.then_some("needs admin");
        let undo = self.undo.as_deref().map(|undo| format!("undo: {}", undo.trim_end_matches('.')));
        let words = [self.cost.map(Cost::phrase), risk, admin].into_iter().flatten().map(str::to_owned);
        let all: Vec<String> = words.chain(undo).collect();
        (!all.is_empty()).then(|| format!("({})", all.join("; ")))
    }
}

/// An action as a rule writes it.
#[derive(Debug)]
pub(crate) struct WrittenStep {
    pub step: Remediation,
    /// The place of its `text`.
    pub span: Span,
}

/// Who a remediation is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Audience {
    /// The person who helps the user at the machine.
    Helpdesk,
    /// The people who can change the program.
    Developer,
}

impl Audience {
    /// Both audiences.
    pub const ALL: [Self; 2] = [Self::Helpdesk, Self::Developer];

    /// The word for it in rules and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// How long an action takes whoever takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Cost {
    /// Less than a quarter of an hour.
    Minutes,
    /// About an hour.
    Hour,
    /// A part of a day, or a night in which the computer works alone.
    Hours,
    /// More than a day, or something that has to be bought.
    Days,
}

impl Cost {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 4] = [Self::Minutes, Self::Hour, Self::Hours, Self::Days];

    /// The word for it in rules and in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The words for it in sentences: `an hour`.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Hour => "an hour",
            other => other.word(),
        }
    }
}

/// What can be lost by an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Risk {
    /// Nothing: it changes nothing.
    None,
    /// Nothing that cannot be taken back.
    Low,
    /// Data, or that the computer starts.
    High,
}

impl Risk {
    /// All of them, the smallest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Low, Self::High];

    /// The word for it in rules and in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_details_of_a_step_are_few_words() {
        let plain = Remediation {
            audience: Audience::Helpdesk,
            text: "Update it.".into(),
            cost: None,
            risk: None,
            admin: false,
            undo: None,
        };
        assert_eq!(plain.details(), None);
        let details = |cost, risk, admin, undo: Option<&str>| {
            Remediation { cost, risk, admin, undo: undo.map(str::to_owned), ..plain.clone() }.details()
        };
        let all = details(Some(Cost::Hour), Some(Risk::High), true, Some("Install the old one again."));
        assert_eq!(all.as_deref(), Some("(an hour; high risk; needs admin; undo: Install the old one again)"));
        let nothing = details(Some(Cost::Minutes), Some(Risk::None), false, None);
        assert_eq!(nothing.as_deref(), Some("(minutes; changes nothing)"));
        assert_eq!(details(None, Some(Risk::Low), false, None), None);
    }
}
