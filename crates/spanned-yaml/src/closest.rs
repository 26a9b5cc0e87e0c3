//! The word that a misspelt one was meant to be.

/// The known word that `word` most probably is a slip of. Ties go to the first.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    // One slip for each three letters: `cuase` finds `cause`, `foo` does not find `for`. Names of several words have
    // room for more, and fewer of them are alike.
    let allowed = (length / 3).clamp(1, (length / 4).clamp(3, 5));
    // What is longer or shorter by more takes more slips than that.
    let is_as_long =
        |candidate: &&str| candidate.chars().count().abs_diff(length) <= allowed || is_tail(&word, candidate);
    known
        .into_iter()
        .filter(is_as_long)
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed || is_tail(&word, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Whether `word` is the last part of a dotted name, as in `uptime_seconds` for `process.uptime_seconds`.
fn is_tail(word: &str, candidate: &str) -> bool {
    candidate.rsplit_once('.').is_some_and(|(_, tail)| tail == word)
}

/// Edit distance in which two swapped neighbours count once (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX);
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i.saturating_add(1)];
        for (j, y) in b.iter().enumerate() {
            let next = j.saturating_add(1);
            let mut best = at(&above, j).saturating_add(usize::from(x != y));
            best = best.min(at(&above, next).saturating_add(1)).min(at(&row, j).saturating_add(1));
            let swapped = i > 0 && j > 0 && a.get(i.wrapping_sub(1)) == Some(y) && b.get(j.wrapping_sub(1)) == Some(x);
            if swapped {
                best = best.min(at(&before, j.wrapping_sub(1)).saturating_add(1));
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or_default()
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
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
