//! Finds the word that a misspelt word was meant to be.

/// The longest word that a known one is looked for, characters: no known one is nearly as long, and looking takes as many
/// steps as the square of the length.
const LONGEST: usize = 100;

/// The known word that `word` most probably is a misspelling of; `None` where none is close. Of equally close words, the
/// first.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.chars().nth(LONGEST).is_some() {
        return None;
    }
    let word = word.to_lowercase();
    let length = word.chars().count();
    // One mistake for each three letters: `cuase` finds `cause`, `foo` does not find `for`. Names of several words have room
    // for more, and fewer of them are alike.
    let allowed = (length / 3).clamp(1, (length / 4).clamp(3, 5));
    // A word that is longer or shorter by more takes more mistakes than that.
    let is_as_long =
        |candidate: &&str| candidate.chars().count().abs_diff(length) <= allowed || is_tail(&word, candidate);
    known
        .into_iter()
        .filter(is_as_long)
        // Two swapped neighbours count once.
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed || is_tail(&word, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Whether `word` is the last part of a dotted name, as in `uptime_seconds` for `process.uptime_seconds`.
fn is_tail(word: &str, candidate: &str) -> bool {
    candidate.rsplit_once('.').is_some_and(|(_, tail)| tail == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_the_word_that_was_meant() {
        let known = ["cause", "confidence", "condition", "process.uptime_seconds"];
        assert_eq!(closest("cuase", known), Some("cause"));
        assert_eq!(closest("Confidance", known), Some("confidence"));
        assert_eq!(closest("uptime_seconds", known), Some("process.uptime_seconds"));
        assert_eq!(closest("zzz", known), None);
        assert_eq!(closest("proces.uptme_secnds", known), Some("process.uptime_seconds"));
        assert_eq!(closest("fault_sight.modul", ["fault_site.path", "fault_site.module"]), Some("fault_site.module"));
    }

    #[test]
    fn swapped_neighbours_count_once() {
        let distance = strsim::osa_distance;
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
