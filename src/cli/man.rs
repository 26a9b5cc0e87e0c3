//! `crashsift man`: one manual page with every command.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;

/// Writes the page: that of `clap_mangen` for the program, with each command as a section instead of a page of its own.
pub(super) fn write(mut program: Command, out: &mut dyn Write) -> io::Result<()> {
    // Completes the names of commands and the options that all share.
    program.build();
    let page = Man::new(program.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    commands(&program, out)?;
    page.render_version_section(out)
}

fn commands(of: &Command, out: &mut dyn Write) -> io::Result<()> {
    for command in of.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_uppercase();
        writeln!(out, ".SH \"{name}\"")?;
        let section = Man::new(command.clone().disable_help_flag(true));
        let mut text = Vec::new();
        section.render_synopsis_section(&mut text)?;
        section.render_description_section(&mut text)?;
        section.render_options_section(&mut text)?;
        // Headings of a command are one level below its name.
        for line in String::from_utf8_lossy(&text).lines() {
            match line.strip_prefix(".SH ") {
                Some(heading) => writeln!(out, ".SS {heading}")?,
                None => writeln!(out, "{line}")?,
            }
        }
        commands(command, out)?;
    }
    Ok(())
}
