//! Files of Zstandard (`.zst`).

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::dictionary;
use crate::read_error::ReadError;

/// An empty last block of a frame, with a checksum that nobody looks at. It makes the decoder give what it has of a frame that
/// is damaged behind.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// The content of the frames of a file, one after the other.
pub(super) struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    /// Whether a frame is being read.
    within: bool,
    /// The error with which the content ends.
    failed: Option<io::Error>,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(u64::from(dictionary::MOST));
        Self { source, decoder, within: false, failed: None }
    }

    /// Begins the next frame that has content; `false` at the end.
    fn begin_next(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut self.source.by_ref().take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(in_words(error)),
            }
        }
        Ok(false)
    }

    /// Decodes as much as gives some content.
    fn decode(&mut self, wanted: usize) {
        while self.failed.is_none() && self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let strategy = BlockDecodingStrategy::UptoBytes(wanted);
            if let Err(error) = self.decoder.decode_blocks(&mut self.source, strategy) {
                self.failed = Some(in_words(error));
                let _ = self.decoder.decode_blocks(LAST_BLOCK.as_slice(), BlockDecodingStrategy::All);
            }
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.within {
                match self.failed.take() {
                    Some(error) => return Err(error),
                    None => self.within = self.begin_next()?,
                }
                if !self.within {
                    return Ok(0);
                }
            }
            self.decode(buffer.len());
            match self.decoder.read(buffer)? {
                0 => self.within = false,
                read => return Ok(read),
            }
            let stated = self.decoder.get_checksum_from_data();
            if self.failed.is_none() && stated.is_some() && stated != self.decoder.get_calculated_checksum() {
                return Err(ReadError::Checksum.into());
            }
        }
    }
}

fn in_words(error: FrameDecoderError) -> io::Error {
    use ruzstd::decoding::errors::{BlockHeaderReadError, DecodeBlockContentError};
    match error {
        FrameDecoderError::WindowSizeTooBig { .. } => ReadError::NeedsMemory.into(),
        FrameDecoderError::DictNotProvided { .. } => ReadError::OtherDictionary.into(),
        FrameDecoderError::FailedToReadBlockHeader(BlockHeaderReadError::ReadError(error))
        | FrameDecoderError::FailedToReadBlockBody(DecodeBlockContentError::ReadError { source: error, .. })
        | FrameDecoderError::FailedToReadChecksum(error) => error,
        error => io::Error::other(error.to_string()),
    }
}
