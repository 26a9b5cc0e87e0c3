//! The commands, as a user types them.

mod cache;
mod collect_script;
mod command_line;
mod compare;
mod config;
mod entry;
mod explain;
pub(crate) mod lake;
mod local_time;
mod mcp;
mod merge;
mod outputs;
mod rules_check;
mod rules_codes;
mod rules_command;
mod rules_diff;
mod rules_documents;
mod rules_new;
mod rules_pages;
mod rules_test_folders;
mod selecting;
mod symbols_needed;
mod verify;
mod watch;
mod why;
