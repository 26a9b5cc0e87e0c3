//! Files that others may write to meanwhile.

use std::io::{self, Read, Seek, SeekFrom};

/// A file that stays at its end once it was there, until its position is set, also when it grows. A decoder that was told that the
/// input has ended waits for ever when more of it comes.
pub(super) struct Steady<R> {
    file: R,
    ended: bool,
}

impl<R> Steady<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file, ended: false }
    }
}

impl<R: Read> Read for Steady<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let filled = self.file.read(buffer)?;
        self.ended = filled == 0 && !buffer.is_empty();
        Ok(filled)
    }
}

impl<R: Seek> Seek for Steady<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.ended = false;
        self.file.seek(position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::read::DeflateDecoder;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// A file that has its content after its end was read.
    struct Growing(Vec<Vec<u8>>);

    impl Read for Growing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let next = if self.0.is_empty() { Vec::new() } else { self.0.remove(0) };
            (&*next).read(buffer)
        }
    }

    #[test]
    fn a_decoder_ends_though_its_input_grows() {
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        (0..3000_u32).try_for_each(|number| write!(encoder, "{number} ")).expect("memory");
        let packed = encoder.finish().expect("memory");
        let mut decoder = DeflateDecoder::new(Steady::new(Growing(vec![Vec::new(), packed])));
        let mut block = [0; 512];
        let mut ends = 0;
        for _ in 0..200 {
            ends += usize::from(matches!(decoder.read(&mut block), Ok(0) | Err(_)));
        }
        assert!(ends > 0);
    }
}
