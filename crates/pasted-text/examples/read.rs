//! Prints what is read of a pasted text, with the numbers of its lines:
//! `cargo run -p pasted-text --example read -- FILE`, where `-` is standard input.

use std::error::Error;
use std::io::{Read, stdin};

use pasted_text::{Observation, Place, Ticket, read_text};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give a file, or - for standard input")?;
    let mut bytes = Vec::new();
    if path == "-" {
        stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&path)?;
    }
    let reading = read_text(&String::from_utf8_lossy(&bytes))?;
    for evidence in &reading.evidence {
        let lines = match &evidence.place {
            Place::Lines(lines) => lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
            _ => "all".to_owned(),
        };
        match &evidence.observation {
            Observation::Ticket(ticket) => print_ticket(ticket),
            Observation::Event(event) => {
                println!("lines {lines}: event {} of {}", event.content.id, event.content.provider);
            }
            other => println!("lines {lines}: {other:?}"),
        }
    }
    for loss in &reading.losses {
        println!("not read: {loss:?}");
    }
    Ok(())
}

/// Prints the facts of a ticket, then the lines that they are from.
fn print_ticket(ticket: &Ticket) {
    let facts = [
        ("program", ticket.app.as_ref().map(ToString::to_string)),
        ("program version", ticket.app_version.map(|version| version.to_string())),
        ("module", ticket.module.as_ref().map(ToString::to_string)),
        ("module version", ticket.module_version.map(|version| version.to_string())),
        ("offset", ticket.offset.map(|offset| format!("{:#x}", offset.0))),
        ("code", ticket.code.map(|code| code.to_string())),
        ("exit code", ticket.exit_code.map(|code| format!("{code:#x}"))),
        ("blue screen", ticket.bugcheck.as_ref().map(|(code, _)| code.to_string())),
    ];
    println!("ticket of {} lines", ticket.lines.len());
    for (name, value) in facts.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        println!("  {name}: {value}");
    }
    for number in ticket.win_errors.iter().chain(&ticket.hresults) {
        println!("  Windows error: {number} ({number:#x})");
    }
    for frame in &ticket.frames {
        println!("  frame: {} {}", frame.module, frame.symbol.as_deref().unwrap_or_default());
    }
    for line in ticket.lines.iter().filter(|line| ticket.told_in.contains(&line.number)) {
        println!("  line {}: {}", line.number, line.text);
    }
}
