//! Command lines in texts of rules: whether cmd and PowerShell take them as they are meant.
//!
//! Both consoles split a line into words at blanks outside quotation marks. PowerShell also gives a meaning to characters
//! that cmd passes on (`,` `;` `(` `{` `@` `$`), and cmd to two that PowerShell passes on or refuses (`%NAME%` `'`), so a
//! line that works in both has these only inside quotation marks.

use std::borrow::Cow;

use crate::language::LineList;
use crate::reading::{Lists, kind_of_fact_in};
use facts::FactType;

/// What is typed in the place of a fact with the name or path of a file, which may have blanks in it.
const NAME_WITH_BLANK: &str = "A B.exe";
/// What is typed in the place of other facts.
const WORD: &str = "WORD";

/// The lists of the built-in rules by which commands are judged.
#[derive(Clone, Copy)]
pub(crate) struct CommandLists<'l> {
    lines: &'l LineList,
    breaking: &'l LineList,
    of_cmd: &'l LineList,
    of_powershell: &'l LineList,
}

/// The texts in backticks.
pub(crate) fn commands(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|text| !text.is_empty())
}

impl<'l> CommandLists<'l> {
    pub fn new(lists: &'l Lists) -> Option<Self> {
        let list = |name| lists.lines.get(name).map(|list| &**list);
        Some(Self {
            lines: list("command-lines")?,
            breaking: list("commands-that-break")?,
            of_cmd: list("commands-of-cmd")?,
            of_powershell: list("commands-of-powershell")?,
        })
    }

    /// Why a command does not work in both consoles; `None` where it does, where `text`, in which it stands, names the
    /// console or gives the other form, and of what is no command line.
    pub fn mistake(self, command: &str, text: &str) -> Option<String> {
        let command = filled(command);
        if !self.lines.fits_text(&command) {
            return None;
        }
        if let Some(why) = self.breaking.reason(&command) {
            return Some(why.to_owned());
        }
        let lower = text.to_lowercase();
        if let Some(why) = self.of_powershell.reason(&command) {
            let named = lower.contains("powershell") || lower.contains("cmd");
            return if named { quotes(&command, &['"', '\'']).map(str::to_owned) } else { Some(why.to_owned()) };
        }
        if let Some(wrong) = quotes(&command, &['"']) {
            return Some(wrong.to_owned());
        }
        let in_cmd = command.starts_with("cmd ") || command.starts_with("cmd.exe ");
        if let Some(why) = self.of_cmd.reason(&command).filter(|_| !in_cmd) {
            let named = ["$env:", "command prompt", "(cmd", "in cmd"].iter().any(|words| lower.contains(words));
            return (!named).then(|| why.to_owned());
        }
        unquoted(&command).map(str::to_owned)
    }
}

/// The command with a word in the place of each fact: a name with a blank for the name of a file.
fn filled(command: &str) -> Cow<'_, str> {
    if !command.contains("{{") {
        return Cow::Borrowed(command);
    }
    let mut all = String::with_capacity(command.len());
    let mut rest = command;
    while let Some((before, after)) = rest.split_once("{{") {
        all.push_str(before);
        let (inside, behind) = after.split_once("}}").unwrap_or((after, ""));
        let is_name = kind_of_fact_in(inside).is_some_and(|kind| matches!(kind, FactType::Module | FactType::Path));
        all.push_str(if is_name { NAME_WITH_BLANK } else { WORD });
        rest = behind;
    }
    all.push_str(rest);
    Cow::Owned(all)
}

/// Whether quotation marks of these kinds are closed.
fn quotes(command: &str, marks: &[char]) -> Option<&'static str> {
    let mut open = None;
    for c in command.chars() {
        match open {
            Some(mark) if mark == c => open = None,
            None if marks.contains(&c) => open = Some(c),
            _ => {}
        }
    }
    open.map(|_| "a quotation mark is not closed")
}

/// What breaks outside quotation marks.
fn unquoted(command: &str) -> Option<&'static str> {
    let mut is_quoted = false;
    let mut before = ' ';
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '"' {
            is_quoted = !is_quoted;
        }
        let wrong = match c {
            _ if is_quoted => None,
            ',' => Some("PowerShell makes a list of words with a comma; put the word into quotation marks"),
            ';' => Some("PowerShell ends the command at a semicolon; put the word into quotation marks"),
            '(' | ')' | '{' | '}' => Some("PowerShell runs what is in brackets; put the word into quotation marks"),
            '@' if before == ' ' => Some("PowerShell splits a word with `@`; put it into quotation marks"),
            '$' => Some(
                "PowerShell takes `$` for a variable; put the word into single quotation marks, or name the console",
            ),
            '\'' => Some("cmd takes single quotation marks as letters; use double ones"),
            '<' => Some("PowerShell has no `<`; put the word into quotation marks"),
            '&' if rest.peek() == Some(&'&') => {
                Some("Windows PowerShell has no `&&`; write `cmd /c \"A && B\"`, or two commands")
            }
            _ => None,
        };
        if wrong.is_some() {
            return wrong;
        }
        before = c;
    }
    split_path(command)
}

/// A path or name with a blank in it and without quotation marks.
fn split_path(command: &str) -> Option<&'static str> {
    let mut is_quoted = false;
    let mut words: Vec<String> = vec![String::new()];
    for c in command.chars() {
        is_quoted ^= c == '"';
        match words.last_mut() {
            Some(word) if c != ' ' || is_quoted => word.push(c),
            _ => words.push(String::new()),
        }
    }
    let begins =
        |word: &str| word.contains(['"', ':', '=', '%']) || word.starts_with(['-', '/', '\\', '.', '>', '$', '*']);
    let roots = ["hklm\\", "hkcu\\", "hkcr\\", "hku\\", "hkey_"];
    let is_rest = |word: &str| {
        word.contains('\\') && !begins(word) && !roots.iter().any(|root| word.to_lowercase().starts_with(root))
    };
    let is_cut = words.windows(2).any(|pair| match pair {
        [first, second] => {
            let is_path = first.contains('\\') && !first.contains('"');
            (is_path && is_rest(second)) || (first == "A" && second == "B.exe")
        }
        _ => false,
    });
    is_cut.then_some("a path or name may have blanks in it: put it into quotation marks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleSet;
    use crate::reading::SetSource;
    use spanned_yaml::{Node, parse};

    fn all_texts(node: &Node, texts: &mut Vec<String>) {
        texts.extend(node.text().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")));
        node.items().unwrap_or_default().iter().for_each(|item| all_texts(item, texts));
        node.entries().unwrap_or_default().iter().for_each(|entry| all_texts(&entry.value, texts));
    }

    #[test]
    fn commands_of_steps_work_in_both_consoles() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let lists = CommandLists::new(&rules.known_lists).expect("the lists of commands");
        let mut texts: Vec<String> = Vec::new();
        for rule in rules.rules() {
            for step in rule.remediation() {
                texts.extend(step.texts().cloned());
            }
            texts.extend(rule.collect());
        }
        let data = SetSource::embedded(&mut Vec::new()).data;
        for table in ["collect", "leads"] {
            let (_, table) = data.iter().find(|(stem, _)| stem == table).expect("a table");
            all_texts(&parse(table).expect("YAML"), &mut texts);
        }
        let commands: Vec<_> =
            texts.iter().flat_map(|text| commands(text).map(move |command| (command, text))).collect();
        assert!(commands.iter().filter(|(command, _)| lists.lines.fits_text(command)).count() > 100);
        let wrong: Vec<String> = commands
            .iter()
            .filter_map(|(command, text)| Some(format!("`{command}`: {}", lists.mistake(command, text)?)))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_breaks_is_found() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let lists = CommandLists::new(&rules.known_lists).expect("the lists of commands");
        for (command, text, breaks) in [
            ("where zlibwapi.dll", "", true),
            ("where.exe zlibwapi.dll", "", false),
            ("set A=1", "", true),
            ("set A=1", "in PowerShell `$env:A='1'`", false),
            ("wevtutil epl System System.evtx", "", true),
            (r#"wevtutil epl System "%USERPROFILE%\Desktop\a.evtx""#, "", true),
            (r#"wevtutil epl System "%USERPROFILE%\Desktop\a.evtx""#, "PowerShell: `$env:USERPROFILE`", false),
            ("python -m pip install numpy<2", "", true),
            (r#"python -m pip install "numpy<2""#, "", false),
            (r#"certutil -hashfile "FILE SHA256"#, "", true),
            (r"reg query HKLM\SOFTWARE\A B\C", "", true),
            (r"reg query HKLM\SOFTWARE\A\C /v D", "", false),
            ("where.exe {{ start_failure.module }}", "", true),
            ("where.exe \"{{ start_failure.module }}\"", "", false),
            ("nvidia-smi -d ECC,POWER", "", true),
            ("npx @electron/rebuild", "", true),
            ("Get-PhysicalDisk", "", true),
            ("Get-PhysicalDisk", "In PowerShell:", false),
            ("cmd /c \"set A=1 && python a.py\"", "", false),
            ("import torch", "", false),
            ("!analyze -v", "", false),
        ] {
            assert_eq!(lists.mistake(command, text).is_some(), breaks, "{command}: {:?}", lists.mistake(command, text));
        }
    }
}
