//! The progress bar, on terminals only.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use pipeline::Progress;

/// A bar on standard error, or nothing.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar, when `wanted` and standard error is a terminal.
    pub fn new(wanted: bool) -> Self {
        let bar =
            if wanted && std::io::stderr().is_terminal() { ProgressBar::no_length() } else { ProgressBar::hidden() };
        // The template is constant and valid; otherwise the default style is used.
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {elapsed}") {
            bar.set_style(style.progress_chars("##-"));
        }
        Self { bar }
    }
}

impl Progress for Bar {
    fn found(&self, count: usize) {
        self.bar.set_length(count as u64);
    }

    fn read(&self) {
        self.bar.inc(1);
    }

    fn done(&self) {
        self.bar.finish_and_clear();
    }
}
