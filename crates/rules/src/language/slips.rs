//! Help for words of other languages (Sigma, SQL, regular English) that people write in rules.

use facts::FactType;
use facts::schema::{FactDefinition, LISTS, ListDefinition, SCALARS};
use rule_syntax::hints;
use rule_syntax::mistakes::listing;

/// What to write for a key that `count` does not have.
pub(crate) fn count_key(key: &str, list: &ListDefinition) -> Option<String> {
    let name = key.split('|').next().unwrap_or(key);
    if list.fields.iter().any(|field| field.path == name) {
        return Some(format!("what entries must be stands under `where`: write `where: {{{key}: ...}}`"));
    }
    hints::COUNT_KEYS.get(name).map(str::to_owned)
}

/// What to write in the place of a comparison inside a value: `< 2.0`.
pub(crate) fn comparison(fact: &FactDefinition, text: &str) -> Option<String> {
    let signs = [("<=", "|lte"), (">=", "|gte"), ("!=", "|neq"), ("<", "|lt"), (">", "|gt"), ("==", ""), ("=", "")];
    let (rest, modifier) =
        signs.into_iter().find_map(|(sign, word)| Some((text.trim().strip_prefix(sign)?.trim(), word)))?;
    let ordered = matches!(fact.kind, FactType::Number | FactType::Duration | FactType::Version | FactType::Address);
    let fits = ordered || matches!(modifier, "" | "|neq");
    (fits && !rest.is_empty()).then(|| format!("write `{}{modifier}: {rest}`", fact.path))
}

/// The help for a span of time with another language's units: `10m`, `2 weeks`.
pub(crate) fn duration(text: &str) -> Option<String> {
    let (number, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
    let number: u64 = number.parse().ok()?;
    let unit = unit.trim().to_lowercase();
    let (factor, unit) = match unit.as_str() {
        "sec" | "secs" | "second" | "seconds" => (1, "s"),
        "m" | "mins" | "minute" | "minutes" => (1, "min"),
        "hr" | "hrs" | "hour" | "hours" => (1, "h"),
        "day" | "days" => (1, "d"),
        "w" | "week" | "weeks" => (7, "d"),
        _ => return None,
    };
    Some(format!("write `{} {unit}`", number.checked_mul(factor)?))
}

/// What to write in a condition for a name that is no selection.
pub fn selection(name: &str) -> Option<String> {
    let (fact, modifier) = name.split_once('|').map_or((name, ""), |(fact, modifier)| (fact, modifier));
    if SCALARS.iter().any(|known| known.path == fact) || LISTS.iter().any(|list| list.name == fact) {
        return Some(format!("`{fact}` is what selections ask for: ask for it in one, and name that here"));
    }
    let counts = fact == "count" || modifier.starts_with("count");
    counts.then(|| "how many entries fit is asked in a selection: `LIST|count: {where: {...}, gte: 3}`".to_owned())
}

/// The help for a name that is not a fact.
pub(crate) fn fact(name: &str) -> Option<String> {
    if let Some(help) = hints::FACTS.get(name) {
        return Some(help.to_owned());
    }
    if let Some(rest) = name.strip_prefix("not ") {
        return Some(format!(
            "`not` stands in the condition: name a selection with `{}`, and write `not NAME`",
            rest.trim()
        ));
    }
    // Several facts of one group end alike: `environment.nvidia_driver`, `environment.intel_driver`.
    let (group, last) = name.rsplit_once('.')?;
    let ending = last.rsplit_once('_').map_or(last, |(_, ending)| ending);
    let alike = SCALARS.iter().map(|fact| fact.path).filter(|path| {
        let part = path.strip_prefix(group).and_then(|rest| rest.strip_prefix('.'));
        part.is_some_and(|part| part.rsplit_once('_').map_or(part, |(_, ending)| ending) == ending)
    });
    let alike: Vec<&str> = alike.take(8).collect();
    (alike.len() > 1).then(|| format!("facts of that sort are {}", listing(alike)))
}

/// The help for a fact with a modifier in a test, which states facts and compares nothing.
pub(crate) fn fact_of_test(name: &str) -> Option<String> {
    let (fact, _) = name.split_once('|')?;
    if LISTS.iter().any(|list| list.name == fact) {
        return Some(format!("a test says what is there, entry by entry: write `{fact}: [{{...}}, {{...}}]`"));
    }
    let is_known = SCALARS.iter().any(|known| known.path == fact);
    is_known.then(|| format!("a test says what a fact is: write `{fact}: ...`, or leave it out where it is not known"))
}

/// The texts of an expression that somebody has put between slashes, with or without flags behind: `/x/i`.
pub(crate) fn between_slashes(expression: &str) -> Option<&str> {
    let (inner, flags) = expression.strip_prefix('/')?.rsplit_once('/')?;
    (!inner.is_empty() && flags.bytes().all(|flag| flag.is_ascii_lowercase())).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::schema::scalar;

    fn list(name: &str) -> &'static ListDefinition {
        LISTS.iter().find(|list| list.name == name).expect("a list")
    }

    #[test]
    fn signs_in_values_become_modifiers() {
        let build = scalar("os.build").expect("a fact");
        for (text, help) in [("< 22000", "lt"), (">=22000", "gte"), ("!= 22000", "neq")] {
            assert_eq!(comparison(build, text), Some(format!("write `os.build|{help}: 22000`")));
        }
        assert_eq!(comparison(build, "= 22000").as_deref(), Some("write `os.build: 22000`"));
        let code = scalar("exception.code").expect("a fact");
        assert_eq!((comparison(code, "< 5"), comparison(build, "<"), comparison(build, "five")), (None, None, None));
    }

    #[test]
    fn spans_of_time_in_other_units_are_told_in_this_language() {
        let told = |text| duration(text);
        assert_eq!(told("10m").as_deref(), Some("write `10 min`"));
        assert_eq!(told("2 weeks").as_deref(), Some("write `14 d`"));
        assert_eq!(told("3 Hours").as_deref(), Some("write `3 h`"));
        assert_eq!((told("1h30"), told("soon"), told("99999999999999999999 weeks")), (None, None, None));
    }

    #[test]
    fn a_field_beside_the_bounds_of_a_count_belongs_under_where() {
        let help = count_key("kind", list("timeline")).expect("a field");
        assert!(help.ends_with("write `where: {kind: ...}`"), "{help}");
        assert_eq!(
            count_key("group_by", list("timeline")).as_deref().map(|help| help.contains("`distinct`")),
            Some(true)
        );
        assert_eq!(count_key("gte", list("timeline")), None);
    }

    #[test]
    fn facts_of_one_sort_are_told_together() {
        let help = fact("environment.gpu_driver").expect("several");
        assert!(help.contains("`environment.nvidia_driver`") && help.contains("`environment.amd_driver`"), "{help}");
        assert_eq!(fact("exception.kode"), None);
        assert!(fact("host").is_some_and(|help| help.contains("`same_host`")));
        assert!(fact("not modules").is_some_and(|help| help.contains("condition")));
    }

    #[test]
    fn what_stands_at_the_wrong_place_is_told_where_it_belongs() {
        assert!(selection("process.name").is_some_and(|help| help.contains("ask for it in one")));
        assert!(selection("count").is_some_and(|help| help.contains("gte: 3")));
        assert_eq!((selection("it"), fact_of_test("modules"), fact_of_test("a|b")), (None, None, None));
        assert!(fact_of_test("threads|count").is_some_and(|help| help.ends_with("write `threads: [{...}, {...}]`")));
        assert!(fact_of_test("os.build|gte").is_some_and(|help| help.contains("write `os.build: ...`")));
    }

    #[test]
    fn slashes_around_an_expression_are_seen() {
        assert_eq!(between_slashes("/chrome/i"), Some("chrome"));
        assert_eq!((between_slashes("a/b/c"), between_slashes("/usr/Lib"), between_slashes("//")), (None, None, None));
    }
}
