//! Prints the readings of codes: `cargo run -p windows-codes --example explain -- -1073740791`.

use std::process::ExitCode;

use windows_codes::explain;

fn main() -> ExitCode {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let explained = match explain(&text) {
        Ok(explained) => explained,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for explained in explained {
        println!("{} is {} or {}", explained.spellings.hex, explained.spellings.signed, explained.spellings.unsigned);
        for reading in &explained.readings {
            let name = reading.name.as_deref().unwrap_or("without a name");
            println!("  {} {name}: {} ({})", reading.code, reading.kind.phrase(), reading.why);
            if let Some(means) = &reading.means {
                println!("    {means}");
            }
        }
    }
    ExitCode::SUCCESS
}
