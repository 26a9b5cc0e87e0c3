//! `crashsift rules pages`: writes a page for every rule and every cause.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use markdown::{MARK, Templates};

use super::SourceArgs;
use crate::cli::stream::usage;
use crate::cli::{Exit, stream};
use rules::RuleSet;
use untrusted::reason;

/// The folder of the pages of causes. An area of this name is refused: the pages of its rules would be in this folder.
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

/// Writes the pages.
pub fn run(PagesArgs { folder, sources }: &PagesArgs) -> Result<Exit, Exit> {
    let rules = sources.load()?;
    if rules.rules().iter().any(|rule| rule.area() == CAUSES) {
        return Err(usage(format!("a rule has the area {CAUSES}, whose pages would lie among those of the causes")));
    }
    let pages = pages(&rules).map_err(|error| {
        stream::note(&format!("pages: {error}"));
        Exit::Internal
    })?;
    let failed = |error: io::Error| {
        stream::note(&format!("{}: {}", folder.display(), reason(&error)));
        stream::not_written(&error)
    };
    if let Some(path) = foreign(folder, &pages).map_err(failed)? {
        return Err(usage(format!("{}: no page of crashsift, and left alone", path.display())));
    }
    write(folder, &pages).map_err(failed)?;
    stream::note(&format!("{}: pages of {} rules", folder.display(), rules.rules().len()));
    Ok(Exit::Success)
}

/// Every page by its path below the folder, with `/`.
fn pages(rules: &RuleSet) -> Result<BTreeMap<String, String>, minijinja::Error> {
    let templates = Templates::new()?;
    let mut pages = BTreeMap::from([(FIRST.to_owned(), templates.first_page(rules)?)]);
    for rule in rules.rules() {
        pages.insert(format!("{}.md", rule.id()), templates.rule_page(rule, rules)?);
    }
    let named: BTreeSet<&str> = rules.rules().iter().map(|rule| rule.cause()).collect();
    for cause in rules.causes().iter().filter(|cause| named.contains(cause.id.as_str())) {
        pages.insert(format!("{CAUSES}/{}.md", cause.id), templates.cause_page(cause, rules)?);
    }
    Ok(pages)
}

/// The first file in the place of a page that no earlier run wrote.
fn foreign(folder: &Path, pages: &BTreeMap<String, String>) -> io::Result<Option<PathBuf>> {
    for path in pages.keys().map(|page| folder.join(page)) {
        if path.symlink_metadata().is_ok() && !is_page(&path)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn is_page(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut first = Vec::new();
    opener::open(path)?.take(MARK.len() as u64).read_to_end(&mut first)?;
    Ok(first == MARK.as_bytes())
}

/// Writes the pages that changed, and removes pages of rules that no longer exist.
fn write(folder: &Path, pages: &BTreeMap<String, String>) -> io::Result<()> {
    let mut folders = BTreeSet::from([folder.to_path_buf()]);
    for (page, text) in pages {
        let path = folder.join(page);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
            folders.insert(parent.to_path_buf());
        }
        if opener::read(&path, text.len() as u64).ok().as_deref() != Some(text.as_bytes()) {
            fs::write(&path, text)?;
        }
    }
    // Areas without rules may have pages of an earlier run.
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
