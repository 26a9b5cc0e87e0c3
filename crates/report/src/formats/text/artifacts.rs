//! The part about artifacts that were not read whole.

use std::collections::BTreeMap;
use std::io;

use super::page::{BAD, CAREFUL, PLAIN, Page};
use crate::model::{Artifact, ArtifactStatus, Report};
use crate::wording::{counted, prose};

/// How many archives are named.
const ARCHIVES_SHOWN: usize = 10;
/// Up to so many skipped files are named.
const SKIPPED_NAMED: usize = 3;

/// Writes every artifact that failed or was read in part, and those that were skipped: one by one when verbose, else
/// counted by kind.
pub(super) fn write(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let (skipped, unread): (Vec<_>, Vec<_>) = report
        .artifacts
        .iter()
        .filter(|artifact| artifact.status != ArtifactStatus::Ok && !artifact.is_unopened_archive())
        .partition(|artifact| artifact.status == ArtifactStatus::Skipped);
    let archives: Vec<&Artifact> = report.artifacts.iter().filter(|artifact| artifact.is_unopened_archive()).collect();
    if skipped.is_empty() && unread.is_empty() && archives.is_empty() {
        return Ok(());
    }
    page.divider()?;
    page.part("Files that were not read, or not whole")?;
    for artifact in unread {
        one(page, artifact)?;
    }
    not_opened(page, &archives)?;
    if page.verbose {
        for artifact in skipped {
            one(page, artifact)?;
        }
        return Ok(());
    }
    if skipped.len() <= SKIPPED_NAMED {
        return skipped.iter().try_for_each(|artifact| one(page, artifact));
    }
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for artifact in skipped {
        *by_kind.entry(&*artifact.kind).or_default() += 1;
    }
    for (kind, count) in by_kind {
        page.row("skipped", &format!("{} of kind {kind} (-v lists them)", counted(count, "file")))?;
    }
    Ok(())
}

/// Writes the archives that were not opened. They may contain the most important files, so they are named.
fn not_opened(page: &mut Page<'_>, archives: &[&Artifact]) -> io::Result<()> {
    if archives.is_empty() {
        return Ok(());
    }
    let them = if archives.len() == 1 { "extract it" } else { "extract them" };
    let what = format!("{}: {them} and analyze the folder", counted(archives.len(), "archive"));
    page.styled_row(CAREFUL, "not opened", &what)?;
    let shown = page.limit(ARCHIVES_SHOWN);
    for archive in archives.iter().take(shown) {
        page.row("", &archive.path)?;
    }
    match archives.len().saturating_sub(shown) {
        0 => Ok(()),
        more => page.row("", &format!("{more} more (-v shows all)")),
    }
}

fn one(page: &mut Page<'_>, artifact: &Artifact) -> io::Result<()> {
    let style = match artifact.status {
        ArtifactStatus::Failed => BAD,
        ArtifactStatus::Partial => CAREFUL,
        ArtifactStatus::Ok | ArtifactStatus::Skipped | ArtifactStatus::Unknown => PLAIN,
    };
    page.styled_row(style, artifact.status.into(), &artifact.path)?;
    match (&artifact.detail, artifact.status) {
        (Some(detail), _) => page.row("", &prose(detail)),
        (None, ArtifactStatus::Skipped) => page.row("", &artifact.kind),
        (None, _) => page.row("", "no reason was recorded"),
    }
}
