//! Files that the user wants to be left out, by patterns of their names.

use untrusted::glob::AnyCaseGlob;

/// Patterns of files and folders that are left out. Case is ignored, and `*` stands for any text, also with `/` in it.
///
/// What is given by name is wanted: only what lies below a given folder is compared, and of a given file its name.
#[derive(Debug, Clone, Default)]
pub struct Exclude {
    /// Compared with each name below the given folder: those of folders, and that of the file.
    names: Vec<AnyCaseGlob>,
    /// Compared with the path below the given folder, and with those of the folders in it.
    paths: Vec<AnyCaseGlob>,
}

impl Exclude {
    /// The patterns that texts write; a text with `/` is about paths, any other about names. A `\` is a `/` on Windows.
    #[must_use]
    pub fn new(patterns: &[String]) -> Self {
        let mut exclude = Self::default();
        for pattern in patterns {
            let pattern = if cfg!(windows) { pattern.replace('\\', "/") } else { pattern.clone() };
            // A folder may be written with a slash at its end.
            let pattern = pattern.strip_suffix('/').unwrap_or(&pattern);
            let glob = AnyCaseGlob::from_wildcards(pattern.strip_prefix("./").unwrap_or(pattern));
            if pattern.contains('/') { exclude.paths.push(glob) } else { exclude.names.push(glob) }
        }
        exclude
    }

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Whether a file with this path below a given folder, or below an archive, is left out; `/` is between its parts.
    #[must_use]
    pub fn fits(&self, below: &str) -> bool {
        if below.split('/').any(|name| self.names.iter().any(|glob| glob.fits(name))) {
            return true;
        }
        let folders = below.match_indices('/').filter_map(|(slash, _)| below.get(..slash));
        !self.paths.is_empty() && folders.chain([below]).any(|path| self.paths.iter().any(|glob| glob.fits(path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_about_names_or_with_a_slash_about_paths() {
        let fits = |pattern: &str, below: &str| Exclude::new(&[pattern.to_owned()]).fits(below);
        for (pattern, below) in [
            ("*.PDF", "a/b.pdf"),
            ("old", "x/Old/a.dmp"),
            ("old/", "old/a.dmp"),
            ("x/old", "x/old/a.dmp"),
            ("./x/*", "x/old/a.dmp"),
            ("*/a.dmp", "x/old/a.dmp"),
        ] {
            assert!(fits(pattern, below), "{pattern} {below}");
        }
        for (pattern, below) in
            [("old", "older/a.dmp"), ("old/a", "x/old/a"), ("a.dmp/*", "a.dmp"), ("", "a"), ("*.pdf", "a.pdf.dmp")]
        {
            assert!(!fits(pattern, below), "{pattern} {below}");
        }
    }
}
