//! Source lines of a compiled file, of its functions and of what was inlined into them.
//!
//! Layout: "CodeView" in the sources of LLVM (`DebugLinesSubsection.h`, `DebugInlineeLinesSubsection.h`), the encoding of
//! annotations after `cvinfo.h` and `CVInlineeLines` of Microsoft's.

use untrusted::bytes::{u16_at, u32_at};

use super::debug_info::Place;

const LINES: u32 = 0xF2;
const FILES: u32 = 0xF4;
const INLINED: u32 = 0xF6;
/// Set in kinds that are to be passed over.
const IGNORED: u32 = 0x8000_0000;
/// The lines that stand for code of no line: 0xF00F00 and 0xFEEFEE.
const NO_LINES: [u32; 2] = [0x00F0_0F00, 0x00FE_EFEE];
/// The bits of a line's number among other things.
const LINE_BITS: u32 = 0x00FF_FFFF;

/// A line of a file: the file's offset in the list of files, and the line, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLine {
    pub file: u32,
    pub line: u32,
}

/// The parts of a compiled file's lines.
fn parts(mut lines: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        let (kind, length) = (u32_at(lines, 0)?, usize::try_from(u32_at(lines, 4)?).ok()?);
        let part = lines.get(8..length.checked_add(8)?)?;
        let next = length.checked_next_multiple_of(4)?.checked_add(8)?;
        lines = lines.get(next..).unwrap_or_default();
        Some((kind, part))
    })
    .filter(|(kind, _)| kind & IGNORED == 0)
}

/// The line of a place in the image, of the function itself where code was inlined.
pub fn line(lines: &[u8], place: Place) -> Option<FileLine> {
    let tables = parts(lines).filter(|(kind, _)| *kind == LINES);
    let within = tables.filter_map(|(_, table)| {
        let begins = Place { section: u16_at(table, 4)?, offset: u32_at(table, 0)? };
        let within = place.offset.checked_sub(begins.offset)?;
        (begins.section == place.section && within < u32_at(table, 8)?).then_some((table, within))
    });
    let best = within.filter_map(|(table, within)| nearest(table.get(12..)?, within)).max_by_key(|found| found.0);
    best.map(|(_, line)| line).filter(|line| line.line != 0 && !NO_LINES.contains(&line.line))
}

/// The last line that begins no later than an offset, and where it begins.
fn nearest(mut blocks: &[u8], within: u32) -> Option<(u32, FileLine)> {
    let mut best: Option<(u32, FileLine)> = None;
    while let (Some(file), Some(count), Some(size)) = (u32_at(blocks, 0), u32_at(blocks, 4), u32_at(blocks, 8)) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let whole =
            usize::try_from(size).ok().filter(|size| *size >= 12).and_then(|size| blocks.split_at_checked(size));
        let Some((block, rest)) = whole else { break };
        for entry in block.get(12..).unwrap_or_default().chunks_exact(8).take(count) {
            let (Some(offset), Some(flags)) = (u32_at(entry, 0), u32_at(entry, 4)) else { break };
            if offset <= within && best.is_none_or(|best| offset >= best.0) {
                best = Some((offset, FileLine { file, line: flags & LINE_BITS }));
            }
        }
        blocks = rest;
    }
    best
}

/// The offset of a file's name among the texts.
pub fn file_name(lines: &[u8], file: u32) -> Option<u32> {
    let (_, files) = parts(lines).find(|(kind, _)| *kind == FILES)?;
    u32_at(files, usize::try_from(file).ok()?)
}

/// Where an inlined function begins in its source.
pub fn inlined_function(lines: &[u8], function: u32) -> Option<FileLine> {
    parts(lines).filter(|(kind, _)| *kind == INLINED).find_map(|(_, part)| {
        let longer = u32_at(part, 0)? == 1;
        let mut rest = part.get(4..)?;
        loop {
            let (number, file, line) = (u32_at(rest, 0)?, u32_at(rest, 4)?, u32_at(rest, 8)?);
            if number == function {
                return Some(FileLine { file, line });
            }
            let files =
                if longer { usize::try_from(u32_at(rest, 12)?).ok()?.checked_mul(4)?.checked_add(4)? } else { 0 };
            rest = rest.get(files.checked_add(12)?..)?;
        }
    })
}

/// The line of inlined code at an offset in the function that it was inlined into. `None` where the code is not there.
pub fn inlined_line(annotations: &[u8], begins: Option<FileLine>, within: u32) -> Option<Option<FileLine>> {
    let mut numbers = Numbers(annotations);
    let mut at = 0_u32;
    let mut source = begins;
    // The code that the last line has: where it begins, and the line.
    let mut open: Option<(u32, Option<FileLine>)> = None;
    let holds = |from: u32, to: u32| (from..to).contains(&within);
    let moved = |source: Option<FileLine>, by: i32| {
        source.map(|source| FileLine { line: source.line.wrapping_add_signed(by), ..source })
    };
    while let Some(operation) = numbers.next().filter(|operation| *operation != 0) {
        let operand = numbers.next()?;
        let (begins_line, length) = match operation {
            // Where the code is, and parts of it that other code is between.
            1 | 2 => {
                at = operand;
                (false, None)
            }
            3 => {
                at = at.checked_add(operand)?;
                (true, None)
            }
            4 => {
                let end = at.checked_add(operand)?;
                if let Some((from, line)) = open.take()
                    && holds(from, end)
                {
                    return Some(line);
                }
                at = end;
                (false, None)
            }
            5 => {
                source = source.map(|source| FileLine { file: operand, ..source });
                (false, None)
            }
            6 => {
                source = moved(source, signed(operand));
                (false, None)
            }
            11 => {
                source = moved(source, signed(operand >> 4));
                at = at.checked_add(operand & 15)?;
                (true, None)
            }
            12 => {
                at = at.checked_add(numbers.next()?)?;
                (true, Some(operand))
            }
            // Ends of lines, columns, and the kind of what follows.
            7..=10 | 13 => (false, None),
            _ => return None,
        };
        if begins_line {
            if let Some((from, line)) = open.take()
                && holds(from, at)
            {
                return Some(line);
            }
            match length {
                Some(length) if holds(at, at.checked_add(length)?) => return Some(source),
                Some(_) => (),
                None => open = Some((at, source)),
            }
        }
    }
    None
}

/// Numbers of one, two or four bytes.
struct Numbers<'n>(&'n [u8]);

impl Iterator for Numbers<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (number, rest) = match *self.0 {
            [a, ref rest @ ..] if a & 0x80 == 0 => (u32::from(a), rest),
            [a, b, ref rest @ ..] if a & 0xC0 == 0x80 => (u32::from_be_bytes([0, 0, a & 0x3F, b]), rest),
            [a, b, c, d, ref rest @ ..] if a & 0xE0 == 0xC0 => (u32::from_be_bytes([a & 0x1F, b, c, d]), rest),
            _ => return None,
        };
        self.0 = rest;
        Some(number)
    }
}

/// A signed number: the lowest bit is the sign.
fn signed(number: u32) -> i32 {
    let size = i32::try_from(number >> 1).unwrap_or(0);
    if number & 1 == 0 { size } else { size.saturating_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_no_lines_beyond_its_own() {
        let numbers = |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
        // The first block claims more lines than it has; the second has them.
        let blocks = numbers(&[1, u32::MAX, 20, 0, 7, 2, 1, 20, 4, 9]);
        assert_eq!(nearest(&blocks, 3), Some((0, FileLine { file: 1, line: 7 })));
        assert_eq!(nearest(&blocks, 5), Some((4, FileLine { file: 2, line: 9 })));
        let (none, beyond) = (numbers(&[1, u32::MAX, 0, 0, 7]), numbers(&[1, 1, u32::MAX, 0, 7]));
        assert_eq!((nearest(&none, 3), nearest(&beyond, 3)), (None, None));
    }

    #[test]
    fn numbers_have_one_two_or_four_bytes() {
        let numbers: Vec<u32> = Numbers(&[0x05, 0x81, 0x02, 0xC0, 0x01, 0x00, 0x00, 0xFF]).collect();
        assert_eq!(numbers, [5, 0x102, 0x1_0000]);
        assert_eq!([signed(4), signed(5)], [2, -2]);
    }

    #[test]
    fn inlined_code_has_its_lines() {
        let begins = Some(FileLine { file: 8, line: 100 });
        // Line 101 from +4 on, line 103 from +7 to +12; then, after other code, line 102 from +0x20 to +0x22.
        let annotations = [6, 2, 3, 4, 11, 0x43, 4, 5, 6, 3, 3, 0x14, 4, 2, 0, 0];
        let line = |within| inlined_line(&annotations, begins, within).map(|line| line.map(|line| line.line));
        assert_eq!(line(3), None);
        assert_eq!([line(4), line(6)], [Some(Some(101)); 2]);
        assert_eq!([line(7), line(11)], [Some(Some(103)); 2]);
        assert_eq!([line(12), line(0x1F)], [None; 2]);
        assert_eq!([line(0x20), line(0x22)], [Some(Some(102)), None]);
    }
}
