//! Every sample, cut short and with flipped bytes: status `ok` must mean that nothing is missing, and no reader may
//! panic.
//!
//! Event logs contain checksums, so `ok` must mean that nothing differs at all. Dumps contain none: a flipped byte in a
//! value can't be noticed, but a list that lost entries must not count as complete. A text that was cut between two
//! lines can't be distinguished from a shorter text.

use fuzz::damaged_samples::{WHOLE, assert_nothing_is_missing, evidence_text, read};
use report::ArtifactStatus;
use samplekit::Random;

/// Number of cuts of each sample, spread over its length, in addition to those near its ends.
const CUTS: usize = 96;
/// Number of flipped bytes of each sample.
const FLIPS: usize = 400;

#[test]
fn what_was_cut_short_is_never_ok_unless_its_evidence_is_the_same() {
    for sample in &*WHOLE {
        let whole = &sample.content;
        let step = (whole.len() / CUTS).max(1);
        let near_ends = (0..40).chain(whole.len().saturating_sub(24)..whole.len());
        for length in near_ends.chain((0..whole.len()).step_by(step)) {
            let cut = read(&whole[..length.min(whole.len())]);
            let same = evidence_text(&cut) == evidence_text(&sample.original);
            assert!(
                cut.artifact.status != ArtifactStatus::Ok || same,
                "{} cut to {length} of {} bytes is ok and says less (a signature that is cut: is_begun_signature)",
                sample.path,
                whole.len()
            );
        }
    }
}

#[test]
fn flipped_bytes_never_pass_for_whole_when_something_is_missing() {
    for (number, sample) in WHOLE.iter().enumerate() {
        let mut random = Random::new(number as u64 + 1);
        for _ in 0..FLIPS {
            let mut flipped = sample.content.clone();
            let at = random.below(flipped.len());
            flipped[at] ^= 1 << random.below(8);
            assert_nothing_is_missing(sample, &flipped, &read(&flipped));
        }
    }
}

/// The number of 32 bits at an offset.
fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

#[test]
fn names_of_modules_that_are_zeroed_or_empty_are_losses() {
    const MODULE_LIST: usize = 4;
    let whole = std::fs::read("samples/stack-overflow/python.exe.5316.dmp").expect("a sample");
    let (count, directory) = (number(&whole, 8), number(&whole, 12));
    let entry = (0..count).map(|index| directory + index * 12).find(|at| number(&whole, *at) == MODULE_LIST);
    let list = number(&whole, entry.expect("a list of modules") + 8);
    let name = number(&whole, list + 4 + 20);
    let length = number(&whole, name);

    let mut zeroed = whole.clone();
    zeroed[name + 4..name + 4 + length].fill(0);
    let mut empty = whole;
    empty[name..name + 4].fill(0);
    for bytes in [zeroed, empty] {
        let artifact = read(&bytes).artifact;
        let detail = artifact.detail.unwrap_or_default();
        assert_eq!(artifact.status, ArtifactStatus::Partial, "{detail}");
        assert!(detail.contains("stream ModuleList: names of 1 of "), "{detail}");
    }
}
