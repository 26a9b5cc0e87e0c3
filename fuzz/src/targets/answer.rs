//! The file in which the answer of a run is kept.

use std::io;

use crate::{Shape, scratch};
use whole_file::{Readers, WholeFile};

mod question {
    pub(super) const BLOCK: usize = 256 << 10;
}

#[path = "../../../src/cli/answers/kept.rs"]
mod kept;

use kept::{Answer, Draft, Trailer};

/// Opens a file as an answer and writes its output.
pub(super) fn answer(input: &[u8]) -> Shape {
    let mut shape = Shape::default();
    match Answer::open(&scratch::named_file("fuzzed.crashsift-answer", input)) {
        Ok(Some(answer)) => {
            assert!(answer.copy(&mut io::sink()).is_ok(), "an answer that was opened can be written");
            shape.size(answer.trailer.notes.len());
            shape.size(answer.trailer.whole.len());
        }
        Ok(None) => shape.message(&"none"),
        Err(reason) => shape.message(&reason),
    }
    shape
}

/// Answers as the program writes them.
pub(super) fn answers() -> Vec<Vec<u8>> {
    let folder = scratch::folder();
    let path = folder.path().join("kept");
    let trailer = |notes: &[&str]| Trailer {
        inputs: 7,
        whole: notes.iter().map(|note| (*note).to_owned()).collect(),
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
        exit: 3,
        ..Trailer::default()
    };
    [("", trailer(&[])), ("the output\n", trailer(&["a note", "b.dmp"]))]
        .into_iter()
        .map(|(output, trailer)| {
            let mut draft = Draft::new(WholeFile::in_folder(folder.path(), Readers::Owner).expect("a file"));
            draft.tee(&mut io::sink(), |out| out.write_all(output.as_bytes())).expect("memory");
            draft.finish(trailer, &path).expect("written");
            std::fs::read(&path).expect("written")
        })
        .collect()
}

/// Makes the hash of the trailer, and that of the output in it, right again.
pub(super) fn seal(file: &mut [u8]) {
    const END: usize = 32;
    let Some(end) = file.len().checked_sub(END) else { return };
    let length = u64::from_le_bytes(file[end..end + 8].try_into().expect("eight bytes"));
    let Some(start) = usize::try_from(length).ok().and_then(|length| end.checked_sub(length)) else { return };
    let hash = xxhash_rust::xxh3::xxh3_128(&file[start..end]);
    file[end + 8..end + 24].copy_from_slice(&hash.to_le_bytes());
    file[end + 24..].copy_from_slice(b"answer 1");
}
