//! Reading the tables of versions that fit together: CUDA's file names and drivers, TensorFlow's packages, C++ runtimes, and
//! how texts state versions.

use std::fmt;
use std::sync::Arc;

use super::table::{Row, Table, read};
use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, YamlText};

/// Major and minor number of a release.
pub type Release = (u16, u16);

/// The minor number that stands for every minor release of a major one: `12.x`.
pub const EVERY_MINOR: u16 = u16::MAX;

/// Releases from the first to the last, both included. The last minor number of an open major version is
/// [`EVERY_MINOR`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseSpan {
    /// The first.
    pub first: Release,
    /// The last.
    pub last: Release,
}

impl ReleaseSpan {
    /// The releases that are in both spans, if there are any.
    #[must_use]
    pub fn and(self, other: Self) -> Option<Self> {
        let both = Self { first: self.first.max(other.first), last: self.last.min(other.last) };
        (both.first <= both.last).then_some(both)
    }

    /// Whether a release is in the span.
    #[must_use]
    pub fn has(self, release: Release) -> bool {
        (self.first..=self.last).contains(&release)
    }
}

impl fmt::Display for ReleaseSpan {
    /// `11.2`, `12.x` for a whole major version, `11.1 to 12.x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, (major, minor): Release| match minor {
            EVERY_MINOR => write!(f, "{major}.x"),
            _ => write!(f, "{major}.{minor}"),
        };
        if self.first.1 != 0 || (self.first != self.last && self.last != (self.first.0, EVERY_MINOR)) {
            one(f, self.first)?;
            if self.first == self.last {
                return Ok(());
            }
            f.write_str(" to ")?;
        }
        one(f, self.last)
    }
}

/// What packages of TensorFlow were built with.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorFlowBuild<T = &'static str> {
    /// The last release that was built so.
    pub last: Release,
    /// CUDA toolkit.
    pub cuda: Release,
    /// cuDNN.
    pub cudnn: Release,
    /// The libraries that they ask the loader for, in lower case.
    pub needs: Vec<T>,
}

/// The oldest runtime that builds of a library need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeMinimum<T = &'static str> {
    /// Major and minor number of the runtime's file version.
    pub version: Release,
    /// Which builds need it.
    pub why: T,
}

/// File names of CUDA libraries: `names` with `name`, `first` and `last`.
pub fn cuda_names(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, ReleaseSpan> {
    read(file, "names", &["name", "first", "last"], &[], mistakes, |row| {
        let (first, last) = (release(row, "first")?, release(row, "last")?);
        ordered(row, first, last)?;
        Ok((file_name(row, "name")?, ReleaseSpan { first, last }))
    })
}

/// The oldest drivers: `drivers` with `cuda` (`10.1`, or `12.x` for a whole major version) and `driver`.
pub fn cuda_drivers(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<Release, Release> {
    read(file, "drivers", &["cuda", "driver"], &[], mistakes, |row| {
        let driver = release(row, "driver")?;
        if driver.0 < 100 || driver.1 > 99 {
            return Err(row.wrong("driver", "`driver` is a release of NVIDIA's driver, such as 536.23"));
        }
        Ok((release(row, "cuda")?, driver))
    })
}

/// TensorFlow's packages, by the first release that was built so: `builds` with `first`, `last`, `cuda`, `cudnn` and the
/// list `needs`.
pub fn tensorflow(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<Release, TensorFlowBuild<String>> {
    read(file, "builds", &["first", "last", "cuda", "cudnn", "needs"], &[], mistakes, |row| {
        let (first, last) = (release(row, "first")?, release(row, "last")?);
        ordered(row, first, last)?;
        let build = TensorFlowBuild {
            last,
            cuda: release(row, "cuda")?,
            cudnn: release(row, "cudnn")?,
            needs: row.texts("needs")?.into_iter().map(str::to_ascii_lowercase).collect(),
        };
        Ok((first, build))
    })
}

/// The oldest `msvcp140.dll` of libraries: `minimums` with `module`, `msvcp140` and `why`.
pub fn msvcp140(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, RuntimeMinimum<String>> {
    read(file, "minimums", &["module", "msvcp140", "why"], &[], mistakes, |row| {
        let minimum = RuntimeMinimum { version: release(row, "msvcp140")?, why: row.text("why")?.to_owned() };
        Ok((file_name(row, "module")?, minimum))
    })
}

/// The products whose version a text can state.
const STATED: [&str; 9] =
    ["tensorflow", "pytorch", "onnxruntime", "cuda", "cuda-tag", "cudnn", "cudnn-number", "nvidia-driver", "processor"];

/// How texts state versions, by pattern: `patterns` with `of` and `re`.
pub fn stated(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, String> {
    read(file, "patterns", &["of", "re"], &[], mistakes, |row| {
        let of = row.one_of("of", &STATED)?;
        Ok((row.text("re")?.to_owned(), of.to_owned()))
    })
}

/// `11.2`, or `11.x` for every minor release of 11.
fn release(row: &Row<'_>, key: &str) -> Result<Release, Diagnostic> {
    let parsed = row.text(key)?.split_once('.').and_then(|(major, minor)| {
        let minor = if minor == "x" { Some(EVERY_MINOR) } else { minor.parse().ok() };
        Some((major.parse().ok()?, minor?))
    });
    parsed.ok_or_else(|| {
        row.wrong(key, &format!("`{key}` is two numbers with a dot, such as 11.2, or 11.x for all of 11"))
    })
}

/// A file name in lower case, by which it is looked up.
fn file_name(row: &Row<'_>, key: &str) -> Result<String, Diagnostic> {
    let name = row.text(key)?;
    if name.contains(['\\', '/', '*', '?']) || !name.contains('.') {
        return Err(row.wrong(key, &format!("`{key}` is a file name, without path and without wildcards")));
    }
    Ok(name.to_ascii_lowercase())
}

fn ordered(row: &Row<'_>, first: Release, last: Release) -> Result<(), Diagnostic> {
    if first > last { Err(row.wrong("last", "`last` is older than `first`")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_spans_of_releases() {
        let mut mistakes = Vec::new();
        let text = "names:\n  - {name: cuFFT64_10.dll, first: '10.1', last: 11.x}\n";
        let table = cuda_names(&YamlText::new("names.yaml", text), &mut mistakes);
        assert_eq!(
            table,
            Table::from([("cufft64_10.dll".to_owned(), ReleaseSpan { first: (10, 1), last: (11, EVERY_MINOR) })])
        );
        assert_eq!(mistakes, []);
    }

    #[test]
    fn packages_have_a_list_of_libraries() {
        let mut mistakes = Vec::new();
        let text = "builds:\n  - {first: '2.4', last: '2.4', cuda: '11.0', cudnn: '8.0', needs: [A.dll, b.dll]}\n";
        let table = tensorflow(&YamlText::new("builds.yaml", text), &mut mistakes);
        let needs = vec!["a.dll".to_owned(), "b.dll".to_owned()];
        let build = TensorFlowBuild { last: (2, 4), cuda: (11, 0), cudnn: (8, 0), needs };
        assert_eq!(table, Table::from([((2, 4), build)]));
        assert_eq!(mistakes, []);
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        let mut mistakes = Vec::new();
        cuda_names(
            &YamlText::new("a.yaml", "names:\n  - {name: 'cufft*', first: '10.1', last: 11.x}\n"),
            &mut mistakes,
        );
        cuda_names(&YamlText::new("b.yaml", "names:\n  - {name: a.dll, first: '11.0', last: '10.2'}\n"), &mut mistakes);
        cuda_drivers(&YamlText::new("c.yaml", "drivers:\n  - {cuda: '12', driver: '525.00'}\n"), &mut mistakes);
        cuda_drivers(&YamlText::new("d.yaml", "drivers:\n  - {cuda: '12.0', driver: '31.0'}\n"), &mut mistakes);
        msvcp140(&YamlText::new("e.yaml", "minimums:\n  - {module: a.dll, msvcp140: '14.40'}\n"), &mut mistakes);
        tensorflow(
            &YamlText::new(
                "f.yaml",
                "builds:\n  - {first: '2.4', last: '2.4', cuda: '11.0', cudnn: '8.0', needs: a}\n",
            ),
            &mut mistakes,
        );
        let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`name` is a file name, without path and without wildcards",
                "`last` is older than `first`",
                "`cuda` is two numbers with a dot, such as 11.2, or 11.x for all of 11",
                "`driver` is a release of NVIDIA's driver, such as 536.23",
                "`why` is missing",
                "`needs` is a list of texts",
            ]
        );
    }
}
