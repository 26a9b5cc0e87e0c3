//! R106: suppressions that ended.

use jiff::civil::Date;

use crate::loading::Suppressions;
use spanned_yaml::{Code, Diagnostic};

/// `R106`: a suppression whose last day is before `today`. Reports never ask for the day; whoever keeps rules in order
/// does.
pub(crate) fn look(suppressions: &Suppressions, today: Date, found: &mut Vec<Diagnostic>) {
    for (rule, suppression) in suppressions.all() {
        let (Some(until), Some((file, span))) = (suppression.by.until, &suppression.until) else {
            continue;
        };
        if until >= today {
            continue;
        }
        let days = today.since(until).map_or(0, |span| span.get_days());
        let ago = if days == 1 { "yesterday".to_owned() } else { format!("{days} days ago") };
        let message = format!("this suppression of `{rule}` ended with {until}, {ago}: later findings are shown");
        let help =
            "give a later day if its reason still holds; else remove it, unless older incidents are to stay suppressed";
        found.push(Diagnostic::warning(Code::R106, file, *span, message).with_help(help));
    }
}
