//! Beginning and end of a long text. The end of a log shows how its program ended, and its beginning which program
//! that was.

use std::io::{self, Read};

/// As many bytes of the beginning, and as many of the end, as are kept.
const KEPT: usize = 2 << 20;
/// As many bytes as are read; what lies behind them is left out.
const MOST_BYTES: u64 = 4 << 30;
/// Bytes that are read at once.
const BLOCK: u64 = 64 << 10;

/// The beginning and the end of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadAndTail {
    /// Its beginning, or all of it.
    pub head: Vec<u8>,
    /// Its end, where something lies between.
    pub tail: Vec<u8>,
    /// How many bytes lie between them.
    pub left_out: u64,
    /// How many line ends are among those.
    pub lines_left_out: u64,
    /// Whether there is more behind the end that was read.
    pub unread: bool,
}

impl HeadAndTail {
    /// Reads `from` to its end and keeps what counts of it.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        Self::read_keeping(from, KEPT)
    }

    fn read_keeping(from: &mut impl Read, kept: usize) -> io::Result<Self> {
        let mut read = Self::default();
        let most_head = u64::try_from(kept).unwrap_or(u64::MAX);
        from.by_ref().take(most_head).read_to_end(&mut read.head)?;
        let mut rest = from.take(MOST_BYTES.saturating_add(1));
        let block = BLOCK.min(most_head);
        let mut total = most_head;
        loop {
            let count = rest.by_ref().take(block).read_to_end(&mut read.tail)?;
            if count == 0 {
                break;
            }
            total = total.saturating_add(count as u64);
            // The end is shifted seldom, so that each byte is moved once.
            if read.tail.len() >= kept.saturating_mul(2) {
                read.leave_out(kept);
            }
        }
        read.leave_out(kept);
        if read.left_out == 0 {
            read.head.append(&mut read.tail);
        }
        read.unread = total > MOST_BYTES;
        Ok(read)
    }

    /// Leaves out what lies before the last `kept` bytes. As many bytes as are even, so that characters of two bytes
    /// stay whole.
    fn leave_out(&mut self, kept: usize) {
        let surplus = self.tail.len().saturating_sub(kept);
        let surplus = surplus.saturating_sub(surplus & 1);
        let left_out = self.tail.get(..surplus).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', left_out).count();
        self.tail.drain(..surplus);
        self.left_out = self.left_out.saturating_add(surplus as u64);
        self.lines_left_out = self.lines_left_out.saturating_add(lines as u64);
    }

    /// How many bytes there are, those left out included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let kept = self.head.len().saturating_add(self.tail.len());
        self.left_out.saturating_add(kept as u64)
    }
}

impl From<&[u8]> for HeadAndTail {
    fn from(bytes: &[u8]) -> Self {
        // Memory is read without errors.
        Self::read(&mut &*bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, kept: usize) -> HeadAndTail {
        HeadAndTail::read_keeping(&mut text.as_bytes(), kept).expect("memory can be read")
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let whole = read("one\ntwo\nthree\n", 8);
        assert_eq!(whole, HeadAndTail { head: b"one\ntwo\nthree\n".to_vec(), ..HeadAndTail::default() });
        assert_eq!(whole.bytes(), 14);
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept_and_the_lines_between_counted() {
        let text = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let read = read(text, 4);
        assert_eq!((read.head.as_slice(), read.tail.as_slice()), (&b"0\n1\n"[..], &b"8\n9\n"[..]));
        assert_eq!((read.left_out, read.lines_left_out, read.bytes()), (12, 6, 20));
        assert!(!read.unread);
    }
}
