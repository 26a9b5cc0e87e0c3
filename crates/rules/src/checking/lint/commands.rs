//! R115: commands that do something else, or nothing, in one of the consoles of Windows.

use super::linted::Linted;
use crate::checking::command_line::{self, CommandLists};
use spanned_yaml::{Code, Diagnostic};

/// `R115`: a command line in backticks that breaks in cmd or in PowerShell.
pub(super) fn look(rule: &Linted<'_>, lists: &CommandLists<'_>, found: &mut Vec<Diagnostic>) {
    for text in rule.own_texts() {
        for command in command_line::commands(text.text) {
            let Some(why) = lists.mistake(command, text.text) else { continue };
            let message = format!("`{command}` does not work in every console: {why}");
            let help = "readers paste commands into cmd or PowerShell, whichever is open: write one that both understand, or \
                        name the console";
            rule.warn(Code::R115, rule.place_of(command, text.span), message, help, found);
        }
    }
}
