//! Prints what codes can be: `cargo run -p windows-codes --example explain -- -1073740791`.

use std::error::Error;

use windows_codes::{Knowledge, explain};

fn main() -> Result<(), Box<dyn Error>> {
    let knowledge = Knowledge::builtin();
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    for explained in explain(&text, &knowledge)? {
        println!("{} is {} or {}", explained.spellings.hex, explained.spellings.signed, explained.spellings.unsigned);
        for reading in &explained.readings {
            let name = reading.name.as_deref().unwrap_or("without a name");
            println!("  {} {name}: {} ({})", reading.code, reading.kind.phrase(), reading.why);
            if let Some(means) = &reading.means {
                println!("    {means}");
            }
        }
    }
    Ok(())
}
