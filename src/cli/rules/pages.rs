//! `crashsift rules pages`: a page for every rule and every cause, made of the rules themselves.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use markdown::{MARK, cause_page, first_page, rule_page};

use super::SourceArgs;
use crate::cli::reporting::usage;
use crate::cli::{Exit, load_rules, stream};
use rules::RuleSet;
use untrusted::reason;

/// The folder of the pages of causes. No area can be called so: its rules' pages would lie among them.
const CAUSES: &str = "causes";
/// The page that leads to all others.
const FIRST: &str = "README.md";

/// Arguments of `rules pages`.
#[derive(Debug, Clone, clap::Args)]
pub struct PagesArgs {
    /// Folder for the pages (Markdown): README.md, AREA/NAME.md for each rule and causes/CAUSE.md. Pages that an
    /// earlier run wrote are replaced, or removed with their rules; other files are left alone
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Where the rules come from.
    #[command(flatten)]
    sources: SourceArgs,
}

/// Runs it.
pub fn run(arguments: &PagesArgs) -> Exit {
    let PagesArgs { folder, sources } = arguments;
    let rules = match load_rules(!sources.no_builtin_rules, &sources.rules, false) {
        Ok(rules) => rules,
        Err(exit) => return exit,
    };
    if rules.rules().iter().any(|rule| rule.area() == CAUSES) {
        return usage(&format!("a rule has the area {CAUSES}, whose pages would lie among those of the causes"));
    }
    let pages = pages(&rules);
    match foreign(folder, &pages) {
        Ok(None) => {}
        Ok(Some(path)) => return usage(&format!("{}: no page of crashsift, and left alone", path.display())),
        Err(error) => return failed(folder, &error),
    }
    match write(folder, &pages) {
        Ok(()) => {
            stream::note(&format!("{}: pages of {} rules", folder.display(), rules.rules().len()));
            Exit::Success
        }
        Err(error) => failed(folder, &error),
    }
}

fn failed(folder: &Path, error: &io::Error) -> Exit {
    stream::note(&format!("{}: {}", folder.display(), reason(error)));
    Exit::Internal
}

/// Every page by its path below the folder, with `/`.
fn pages(rules: &RuleSet) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::from([(FIRST.to_owned(), first_page(rules))]);
    for rule in rules.rules() {
        pages.insert(format!("{}.md", rule.id()), rule_page(rule, rules));
    }
    let named: BTreeSet<&str> = rules.rules().iter().map(|rule| rule.cause()).collect();
    for cause in rules.causes().iter().filter(|cause| named.contains(cause.id.as_str())) {
        pages.insert(format!("{CAUSES}/{}.md", cause.id), cause_page(cause, rules));
    }
    pages
}

/// A file in the place of a page that no earlier run wrote.
fn foreign(folder: &Path, pages: &BTreeMap<String, String>) -> io::Result<Option<PathBuf>> {
    for path in pages.keys().map(|page| folder.join(page)) {
        if path.symlink_metadata().is_ok() && !is_page(&path)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn is_page(path: &Path) -> io::Result<bool> {
    Ok(path.is_file() && fs::read(path)?.starts_with(MARK.as_bytes()))
}

/// Writes what differs from what is there, and removes pages of rules that are gone.
fn write(folder: &Path, pages: &BTreeMap<String, String>) -> io::Result<()> {
    let mut folders = BTreeSet::from([folder.to_path_buf()]);
    for (page, text) in pages {
        let path = folder.join(page);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
            folders.insert(parent.to_path_buf());
        }
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            fs::write(&path, text)?;
        }
    }
    // Areas that have no rule any more have pages, too.
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.insert(path);
        }
    }
    let written: BTreeSet<PathBuf> = pages.keys().map(|page| folder.join(page)).collect();
    for folder in folders {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let page = path.extension().is_some_and(|ending| ending == "md") && !written.contains(&path);
            if page && is_page(&path)? {
                fs::remove_file(&path)?;
            }
        }
    }
    Ok(())
}
