//! The tables of `docs/assurance.md`: what the runs of fuzz targets did, and what other tools measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fuzz::run::Tally;

/// The page below the project's folder, and the records that its tables are made of.
const PAGE: &str = "docs/assurance.md";
const RUNS: &str = "fuzz/runs.tsv";
const MEASURED: &str = "fuzz/measured.tsv";

/// The lines around the tables.
const RUNS_TABLE: [&str; 2] =
    ["<!-- `cargo xtask assurance` writes this table. -->", "<!-- End of what is written. -->"];
const MEASURED_TABLE: [&str; 2] =
    ["<!-- `cargo xtask assurance` writes this second table. -->", "<!-- End of what is written second. -->"];

/// Writes the tables.
pub fn write(folder: &Path) -> Result<String, String> {
    let page = page(folder)?;
    fs::write(folder.join(PAGE), page).map_err(|error| format!("{PAGE}: {error}"))?;
    Ok(format!("{PAGE} is written"))
}

/// Compares the tables with their records.
pub fn check(folder: &Path) -> Result<String, String> {
    if page(folder)? == read(folder, PAGE)? {
        Ok(format!("{PAGE} is as its records"))
    } else {
        Err("run `cargo xtask assurance`".to_owned())
    }
}

/// The page with the tables that the records give.
fn page(folder: &Path) -> Result<String, String> {
    let page = with_table(&read(folder, PAGE)?, RUNS_TABLE, &runs(&read(folder, RUNS)?)?)?;
    with_table(&page, MEASURED_TABLE, &measured(&read(folder, MEASURED)?)?)
}

fn read(folder: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(folder.join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The page with another table between two lines.
fn with_table(page: &str, [begin, end]: [&str; 2], table: &str) -> Result<String, String> {
    let (before, rest) = page.split_once(begin).ok_or_else(|| format!("{PAGE} lacks the line {begin}"))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| format!("{PAGE} lacks the line {end}"))?;
    Ok(format!("{before}{begin}\n\n{table}\n{end}{after}"))
}

/// The runs of one target together, with the days of the first and the last.
#[derive(Default)]
struct Runs<'r> {
    tally: Tally,
    first: &'r str,
    last: &'r str,
}

/// The table of runs: a row for each target, and one for all.
fn runs(records: &str) -> Result<String, String> {
    let mut by_target: BTreeMap<&str, Runs<'_>> = BTreeMap::new();
    for (number, line) in (1..).zip(records.lines()) {
        // Date, target, seed, and the run's figures.
        let mut columns = line.splitn(4, '\t');
        let [date, target, _seed] = [(); 3].map(|()| columns.next().unwrap_or_default());
        let tally = columns.next().and_then(Tally::parse).ok_or_else(|| format!("{RUNS}:{number}: no run"))?;
        let runs = by_target.entry(target).or_default();
        runs.first = if runs.first.is_empty() { date } else { runs.first.min(date) };
        runs.last = runs.last.max(date);
        runs.tally.add(&tally);
    }
    let mut table = String::from(
        "| target | executions | hours | inputs | slowest, ms | peak, MiB | findings | days |\n| --- | --: | --: | --: | --: | --: | --: | --- |\n",
    );
    let mut all = Runs::default();
    for target in fuzz::all() {
        let Some(Runs { tally, first, last }) = by_target.remove(target.name) else {
            let _ = writeln!(table, "| `{}` | 0 | | | | | | |", target.name);
            continue;
        };
        let _ = writeln!(table, "| `{}` {}", target.name, row(&tally, first, last));
        all.tally.add(&tally);
        all.first = if all.first.is_empty() { first } else { all.first.min(first) };
        all.last = all.last.max(last);
    }
    if let Some(unknown) = by_target.keys().next() {
        return Err(format!("{RUNS}: no target {unknown}"));
    }
    let _ = writeln!(table, "| all {}", row(&all.tally, all.first, all.last));
    Ok(table)
}

fn row(tally: &Tally, first: &str, last: &str) -> String {
    let Tally { executions, time, inputs, slowest, peak, findings } = tally;
    let days = if first == last { first.to_owned() } else { format!("{first} to {last}") };
    format!(
        "| {} | {:.2} | {inputs} | {} | {} | {findings} | {days} |",
        grouped(*executions),
        time.as_secs_f64() / 3600.0,
        slowest.as_millis(),
        peak >> 10
    )
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The table of what other tools measured: date, what, of what, figure, command.
fn measured(records: &str) -> Result<String, String> {
    let mut table = String::from("| day | measured | of | figure | by |\n| --- | --- | --- | --- | --- |\n");
    for (number, line) in (1..).zip(records.lines()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [date, what, of, figure, command] =
            <[&str; 5]>::try_from(columns).map_err(|_| format!("{MEASURED}:{number}: five columns are wanted"))?;
        let _ = writeln!(table, "| {date} | {what} | {of} | {figure} | `{command}` |");
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_as_its_records() {
        let outcome = check(&crate::project_folder());
        assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }

    #[test]
    fn runs_of_a_target_are_added() {
        let line = |date: &str, executions: u64| format!("{date}\tchunk\t7\t{executions}\t1800.0\t5\t2000\t4096\t0\n");
        let table = runs(&(line("2026-11-28", 900_000) + &line("2026-11-30", 1_100_000))).expect("runs");
        assert!(table.contains("| `chunk` | 2,000,000 | 1.00 | 5 | 2 | 4 | 0 | 2026-11-28 to 2026-11-30 |"), "{table}");
        assert!(runs("2026-11-28\tunknown\t1\t1\t1.0\t1\t1\t1\t0\n").is_err());
        assert_eq!([7, 1000, 1_234_567].map(grouped), ["7", "1,000", "1,234,567"]);
    }
}
