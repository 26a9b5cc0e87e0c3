//! The page to which text is written: wrapped to a width, indented, coloured, and harmless.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::formats::local_time::readable;

/// The layout of the text, which depends on where the caller writes it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns to use; below [`TextOptions::MIN_WIDTH`] and above [`TextOptions::MAX_WIDTH`] these are used instead.
    pub width: usize,
    /// Whether to colour.
    pub color: bool,
    /// Whether to leave nothing out: all evidence, all members of groups, whole timelines, every skipped artifact.
    pub verbose: bool,
}

impl TextOptions {
    /// The fewest columns that the report is laid out for.
    pub const MIN_WIDTH: usize = 40;
    /// The most columns that it uses: longer lines are hard to read.
    pub const MAX_WIDTH: usize = 100;
}

impl Default for TextOptions {
    /// For a file or a pipe: as wide as lines get, without colour.
    fn default() -> Self {
        Self { width: Self::MAX_WIDTH, color: false, verbose: false }
    }
}

/// Headings, and the sentence of the verdict.
pub const STRONG: Style = Style::new().bold();
/// Verdicts that can be acted on.
pub const SURE: Style = AnsiColor::Green.on_default().bold();
/// Warnings: likely verdicts, artifacts read in part.
pub const CAREFUL: Style = AnsiColor::Yellow.on_default();
/// Failures of the analysis itself.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// No emphasis.
pub const PLAIN: Style = Style::new();

/// Columns of the labels of [`Page::row`], with the space after them.
const LABEL_WIDTH: usize = 13;
/// From this width on, labelled texts have a column of their own.
const TWO_COLUMNS: usize = 60;

/// The page to which text is written. Every text passes through `readable` here and nowhere else, so that none
/// is forgotten.
pub struct Page<'a> {
    out: &'a mut dyn Write,
    width: usize,
    color: bool,
    /// Whether nothing is left out.
    pub verbose: bool,
}

impl<'a> Page<'a> {
    /// A page on `out`, as wide and coloured as `options` say.
    pub fn new(out: &'a mut dyn Write, options: TextOptions) -> Self {
        let width = options.width.clamp(TextOptions::MIN_WIDTH, TextOptions::MAX_WIDTH);
        Self { out, width, color: options.color, verbose: options.verbose }
    }

    /// How many of `all` items are shown: all when verbose, else at most `limit`.
    pub fn limit(&self, limit: usize) -> usize {
        if self.verbose { usize::MAX } else { limit }
    }

    /// An empty line.
    pub fn blank(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// A line across the page, with empty lines around it.
    pub fn divider(&mut self) -> io::Result<()> {
        writeln!(self.out, "\n{}\n", "-".repeat(self.width))
    }

    /// The name of a part of the report.
    pub fn part(&mut self, name: &str) -> io::Result<()> {
        self.put(STRONG, "", 0, name)
    }

    /// The name of a section within a block, after an empty line.
    pub fn section(&mut self, name: &str) -> io::Result<()> {
        self.blank()?;
        self.put(STRONG, "", 0, name)
    }

    /// Text from the left edge, or further in, all lines alike.
    pub fn paragraph(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.styled(PLAIN, indent, text)
    }

    /// A [`Page::paragraph`] with a style.
    pub fn styled(&mut self, style: Style, indent: usize, text: &str) -> io::Result<()> {
        self.put(style, &" ".repeat(indent), indent, text)
    }

    /// Text after a mark, its further lines aligned with its first.
    pub fn marked(&mut self, style: Style, mark: &str, text: &str) -> io::Result<()> {
        self.put(style, mark, mark.len(), text)
    }

    /// How many items of a list are not shown, if any.
    pub(crate) fn more(&mut self, indent: usize, left_out: usize) -> io::Result<()> {
        if left_out == 0 { Ok(()) } else { self.paragraph(indent, &format!("{left_out} more (-v shows all).")) }
    }

    /// Writes how many items of a list are not shown, if `all` are more than the `shown` ones.
    pub fn more_to_list(&mut self, all: usize, shown: usize) -> io::Result<()> {
        match all.saturating_sub(shown) {
            0 => Ok(()),
            more => self.paragraph(2, &format!("{more} more (-v lists them)")),
        }
    }

    /// An item of a list.
    pub fn bullet(&mut self, text: &str) -> io::Result<()> {
        self.marked(PLAIN, "  - ", text)
    }

    /// A section with an item for each text; nothing where there is none.
    pub fn list<T: AsRef<str>>(&mut self, name: &str, texts: impl IntoIterator<Item = T>) -> io::Result<()> {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_some() {
            self.section(name)?;
        }
        texts.try_for_each(|text| self.bullet(text.as_ref()))
    }

    /// A line of a list without marks: its further lines are indented.
    pub fn entry(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.put(PLAIN, &" ".repeat(indent), indent + 4, text)
    }

    /// A [`Page::entry`] whose words are never torn, so that paths can be copied.
    pub fn whole_entry(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.write_lines(PLAIN, &" ".repeat(indent), indent + 4, text, false)
    }

    /// An address to read more: its words are never torn, even when they don't fit, so that addresses can be copied.
    pub fn reference(&mut self, text: &str) -> io::Result<()> {
        self.write_lines(PLAIN, "  ", 4, text, false)
    }

    /// A label and its text, in two columns where the page is wide enough. A row without label continues the row before it.
    pub fn row(&mut self, label: &str, text: &str) -> io::Result<()> {
        self.styled_row(PLAIN, label, text)
    }

    /// One [`Page::row`] after the other.
    pub(crate) fn rows(&mut self, rows: &[(&str, String)]) -> io::Result<()> {
        rows.iter().try_for_each(|(label, text)| self.row(label, text))
    }

    /// A [`Page::row`] with a style for the text.
    pub(crate) fn styled_row(&mut self, style: Style, label: &str, text: &str) -> io::Result<()> {
        if self.width < TWO_COLUMNS {
            let lead = if label.is_empty() { "    ".to_owned() } else { format!("  {label}: ") };
            return self.put(style, &lead, 4, text);
        }
        self.marked(style, &format!("  {label:<LABEL_WIDTH$}"), text)
    }

    fn put(&mut self, style: Style, lead: &str, hang: usize, text: &str) -> io::Result<()> {
        self.write_lines(style, lead, hang, text, true)
    }

    /// Writes one text: `lead` is before its first line, `hang` spaces before the others. Words that are longer than a
    /// line are broken if `break_words`.
    fn write_lines(&mut self, style: Style, lead: &str, hang: usize, text: &str, break_words: bool) -> io::Result<()> {
        let (lead, text) = (readable(lead), readable(text));
        let hang = " ".repeat(hang);
        let options = Options::new(self.width)
            .initial_indent(&lead)
            .subsequent_indent(&hang)
            .break_words(break_words)
            // Paths and names are not torn at their dashes and slashes.
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit);
        for (number, line) in textwrap::wrap(&text, options).iter().enumerate() {
            let indent = if number == 0 { lead.len() } else { hang.len() };
            let line = line.trim_end();
            match line.split_at_checked(indent) {
                Some((before, words)) if self.color && style != PLAIN => {
                    writeln!(self.out, "{before}{style}{words}{style:#}")?;
                }
                _ => writeln!(self.out, "{line}")?,
            }
        }
        Ok(())
    }
}
