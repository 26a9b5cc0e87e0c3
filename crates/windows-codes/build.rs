//! Encodes the tables below `rules/data` that this crate looks up, and fails on a mistake in one of them.

use std::error::Error;

use knowledge_tables::{Embedding, codes, compatibility, cues, stops, table};

fn main() -> Result<(), Box<dyn Error>> {
    let mut tables = Embedding::new(builtin_rules::FOLDER)?;
    for (file, prefix) in [("bugchecks", ""), ("exception-codes", ""), ("fast-fail", "FAST_FAIL_")] {
        tables.embed(file, |file, mistakes| codes::codes(file, prefix, mistakes))?;
    }
    for file in [
        "cublas-statuses",
        "cuda-driver-errors",
        "cuda-errors",
        "cudnn-statuses",
        "device-problems",
        "errnos",
        "exit-codes",
        "hresults",
        "statuses",
        "win-errors",
        "xids",
    ] {
        tables.embed(file, codes::names)?;
    }
    for (file, name) in [("hresults", "hresult-facilities"), ("statuses", "status-facilities")] {
        let facilities = tables.read(file, codes::facilities)?;
        tables.write(name, &facilities)?;
    }
    tables.embed("bugcheck-parameters", stops::stops)?;
    tables.embed("code-notes", codes::notes)?;
    tables.embed("collect", table::requests)?;
    tables.embed("collected-folders", table::folders)?;
    tables.embed("cuda-drivers", compatibility::cuda_drivers)?;
    tables.embed("cuda-names", compatibility::cuda_names)?;
    tables.embed("events", codes::events)?;
    tables.embed("msvcp140-minimums", compatibility::msvcp140)?;
    tables.embed("services", table::services)?;
    tables.embed("stated-versions", compatibility::stated)?;
    tables.embed("tensorflow-builds", compatibility::tensorflow)?;
    tables.embed("text-words", cues::text_words)?;
    tables.embed("windows-builds", table::releases)?;
    tables.finish()
}
