//! What brings a fact, as far as it was not given.

/// Kinds of artifacts, each with the names in the schema's `from` texts that such an artifact satisfies. A minidump
/// with more content than usual has another name, and so is still asked for when a plain one was given.
const GIVEN: [(&str, &[&str]); 6] = [
    ("minidump", &["a minidump", "a minidump of the crash", "a dump"]),
    ("kernel-dump", &["a kernel dump (C:\\Windows\\Minidump, MEMORY.DMP)", "a dump"]),
    ("wer-report", &["Report.wer"]),
    ("ticket", &["a text", "the text that the program printed"]),
    ("application-log", &["the Application event log"]),
    ("system-log", &["the System event log"]),
];

/// The alternatives of a fact's `from` text (`a minidump or Report.wer`) that were not given. `given` has kinds of
/// artifacts, and `application-log` and `system-log`. `None` where all alternatives were given.
#[must_use]
pub fn not_given(from: &str, given: &[&str]) -> Option<String> {
    let names: Vec<&str> =
        GIVEN.iter().filter(|(kind, _)| given.contains(kind)).flat_map(|(_, names)| names.iter().copied()).collect();
    let all = alternatives(from);
    let left: Vec<&str> = all.iter().copied().filter(|one| !names.contains(one)).collect();
    match left.as_slice() {
        _ if left.len() == all.len() => Some(from.to_owned()),
        [] => None,
        [one] => Some((*one).to_owned()),
        [first @ .., last] => Some(format!("{} or {last}", first.join(", "))),
    }
}

/// The parts of `a, b or c`, and of `a, or b`; a parenthesis belongs to the part before it.
fn alternatives(from: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0_usize, 0_usize);
    for (at, letter) in from.char_indices() {
        match letter {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = from.get(at..).unwrap_or_default();
        let between = [", or ", ", ", " or "].into_iter().find(|between| rest.starts_with(between));
        if let Some(between) = between.filter(|_| depth == 0 && at >= begin) {
            parts.extend(from.get(begin..at));
            begin = at.saturating_add(between.len());
        }
    }
    parts.extend(from.get(begin..));
    parts
}

#[cfg(test)]
mod tests {
    use super::super::{list, scalar};
    use super::*;

    /// What brings this fact or list.
    fn from(name: &str) -> &'static str {
        scalar(name).map(|fact| fact.from).or_else(|| list(name).map(|list| list.from)).expect("a fact")
    }

    #[test]
    fn what_was_given_is_not_asked_for() {
        let left = |from: &str, given: &[&str]| not_given(from, given);
        assert_eq!(left(from("exception.code"), &[]).as_deref(), Some(from("exception.code")));
        let without_report = "a minidump, the Application event log or a text";
        assert_eq!(left(from("exception.code"), &["wer-report"]).as_deref(), Some(without_report));
        assert_eq!(
            left(from("exception.code"), &["minidump", "wer-report", "ticket"]).as_deref(),
            Some("the Application event log")
        );
        assert_eq!(
            left(from("bugcheck.code"), &["kernel-dump", "system-log"]).as_deref(),
            Some("Report.wer or a text")
        );
        assert_eq!(left(from("frames"), &["kernel-dump"]).as_deref(), Some("a debugger's stack in a text"));
        assert_eq!(left(from("compat.msvcp140"), &["minidump"]), None);
        // Another one than that which was given.
        assert_eq!(left(from("handles"), &["minidump"]).as_deref(), Some(from("handles")));
        assert_eq!(left(from("packages"), &["ticket"]).as_deref(), Some(from("packages")));
        assert_eq!(left(from("process.exit_code"), &["minidump"]).as_deref(), Some(from("process.exit_code")));
    }
}
