//! The table of codes in `rules/README.md`, generated from their registry. An integration test compares both.

use std::fs;
use std::path::Path;

use spanned_yaml::Code;

/// The page with the table, below the project's folder.
const PAGE: &str = "rules/README.md";

/// Updates the table of codes on the page.
pub fn write(project: &Path) -> Result<String, String> {
    let path = project.join(PAGE);
    let page = fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"))?;
    let made = Code::on_page(&page).ok_or_else(|| format!("{PAGE}: no table of codes"))?;
    fs::write(&path, made).map_err(|error| format!("{PAGE}: {error}"))?;
    Ok(format!("{PAGE}: {} codes", Code::all().count()))
}
