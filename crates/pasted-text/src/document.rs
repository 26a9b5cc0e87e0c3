//! Texts that are clearly no tickets: noise, source code, lists of requirements, web pages.

use super::noise::noise;
use untrusted::text::decode;

/// The least share of lines of source code that look like code, and that begin like a statement, per cent. Measured: no
/// log, mail or README reaches both.
const CODE_PERCENT: usize = 40;
const STATEMENT_PERCENT: usize = 15;
/// A text with fewer lines is not called source code.
const FEWEST_LINES: usize = 6;

/// The kind of a text that begins with `first_bytes` and is clearly no report of a crash, in words for people: `source
/// code`. `None` for other texts, and for bytes that are no text.
#[must_use]
pub fn other_document(first_bytes: &[u8]) -> Option<&'static str> {
    if let Some(noise) = noise(first_bytes) {
        return Some(noise);
    }
    let text = decode(first_bytes).characters;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.first()?.to_ascii_lowercase();
    if ["<!doctype html", "<html"].iter().any(|begin| first.starts_with(begin)) {
        return Some("a web page");
    }
    if first.starts_with("<?xml") && !text.contains("<Event") {
        return Some("an XML document");
    }
    let mut content = lines.iter().filter(|line| !line.starts_with('#'));
    let schema = |line: &&str| line.strip_prefix("schema:").is_some_and(|rest| rest.trim().parse::<u32>().is_ok());
    let key = |line: &&str| KEYS_OF_RULES.iter().any(|key| line.starts_with(key));
    if content.next().is_some_and(schema) && content.next().is_none_or(key) {
        return Some("rules or their data");
    }
    if is_requirements(&lines) {
        return Some("a list of what a program requires");
    }
    // Who pastes code to report a crash pastes the message too, or marks the code as such.
    let told = lines.iter().any(|line| OF_A_TICKET.iter().any(|begin| line.starts_with(begin)));
    // Lists have the marks that lines of a comment have, too.
    let commented = lines.iter().any(|line| line.starts_with("/*"));
    let is_item = |line: &str| line.starts_with("* ") && !commented;
    let count = |is: fn(&str) -> bool| lines.iter().filter(|line| is(line) && !is_item(line)).count();
    let reaches = |count: usize, percent: usize| count.saturating_mul(100) >= lines.len().saturating_mul(percent);
    let mostly = reaches(count(is_code), CODE_PERCENT) && reaches(count(is_statement), STATEMENT_PERCENT);
    let script = first.strip_prefix("#!").is_some_and(|program| program.trim_start().starts_with('/'));
    (script || (!told && mostly && lines.len() >= FEWEST_LINES)).then_some("source code")
}

/// The keys that can follow `schema:` in this program's rules and data.
const KEYS_OF_RULES: [&str; 6] = ["about:", "families:", "list:", "name:", "rules:", "version:"];

/// How lines of a ticket begin that no source code has.
const OF_A_TICKET: [&str; 9] = [
    "```",
    "Traceback (most recent",
    "Faulting application",
    "Process finished with exit code",
    "Windows fatal exception:",
    "Fatal Python error:",
    "PS ",
    "C:\\",
    ">>> ",
];

/// Requirements have bounds, options or remarks; what `pip freeze` prints has not.
fn is_requirements(lines: &[&str]) -> bool {
    const OPTIONS: [&str; 5] = ["-r ", "-e ", "-c ", "--extra-index-url", "--index-url"];
    let mut others = 0_usize;
    for line in lines {
        let name = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '[' | ']' | ',')));
        let (name, bound) = line.split_at(name.unwrap_or(line.len()));
        // A version follows the sign; behind a prompt (`PS>`) stands a command.
        let version = bound.trim_start().trim_start_matches(['>', '<', '=', '~', '!']);
        let sign = [">=", "<=", "~=", "!=", "==", ">", "<"].iter().any(|sign| bound.trim_start().starts_with(sign));
        let bounded = sign && version.trim_start().starts_with(|first: char| first.is_ascii_digit());
        let frozen = bound.starts_with("==") && !bound.contains([';', ',', '#', ' ']);
        let option = OPTIONS.iter().any(|option| line.starts_with(option));
        let remark = line.starts_with('#');
        let requirement = bounded && !name.is_empty();
        let bare_name = bound.is_empty() && !name.contains(',');
        if !(option || remark || requirement || bare_name) {
            return false;
        }
        others = others.saturating_add(usize::from(option || (bounded && !frozen)));
    }
    others > 0
}

/// Whether a line looks like one of a program.
fn is_code(line: &str) -> bool {
    const CLOSING: [&str; 8] = [")", "),", "]", "],", "})", "});", "))", ");"];
    // Logs begin with a time, a number or a level in brackets.
    if line.starts_with(|first: char| first.is_ascii_digit() || first == '[') || is_prose(line) {
        return false;
    }
    let assignment = line.split_once(" = ").is_some_and(|(name, _)| {
        name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '[' | ']'))
    });
    is_statement(line)
        || assignment
        || line.ends_with(['{', '}', ';', '('])
        || line.ends_with("):")
        || CLOSING.contains(&line)
}

/// Whether a line begins like a statement, declaration or comment of a common language.
fn is_statement(line: &str) -> bool {
    const WORDS: &str = "import from def class fn pub use mod let const static var function if elif for while public private \
                         using namespace struct impl match async await type enum echo export";
    const MARKS: [&str; 10] = ["#include", "#define", "#if", "#endif", "#pragma", "#[", "//", "/*", "*/", "* "];
    const OTHERS: [&str; 9] = ["return", "else", "try:", "except", "assert", "self.", "set -", "done", "fi"];
    let begins = |with: &[&str]| with.iter().any(|with| line.starts_with(with));
    let first = line.split_once(' ').map(|(first, _)| first);
    (first.is_some_and(|first| WORDS.split(' ').any(|word| word == first)) || begins(&MARKS) || begins(&OTHERS))
        && !is_prose(line)
}

fn is_prose(line: &str) -> bool {
    line.ends_with(['.', '?', '!']) && line.split_whitespace().count() > 6 && !line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_code_is_no_ticket() {
        let rust = "//! Codes.\nuse std::fmt;\n\npub struct Code(u32);\n\nimpl Code {\n    fn name(self) -> &'static str {\n        \
                    \"0xC0000409\"\n    }\n}\n";
        let python = "import sys\nfrom a import b\n\ndef run(x):\n    if x == 0xC0000005:\n        return 'access violation'\n    \
                      return None\n\nprint(run(3))\n";
        for text in [rust, python] {
            assert_eq!(other_document(text.as_bytes()), Some("source code"), "{text}");
        }
    }

    #[test]
    fn a_ticket_with_code_in_it_is_a_ticket() {
        let texts = [
            "My code:\n```python\nimport torch\nx = torch.zeros(3)\nx = x.cuda()\nprint(x)\n```\nexit code -1073740791",
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import b\nOSError: [WinError 126]",
            "Faulting application name: a.exe, version: 1.0\nException code: 0xc0000005\n",
            "It crashed.\nimport x\nimport y",
        ];
        for text in texts {
            assert_eq!(other_document(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_ticket_of_lists_is_no_source_code() {
        let item = "* **Exception code:** `0xC00000FD`\n* **Module:** tool.exe\n* Windows 11\n* x64\n";
        assert_eq!(other_document(format!("It crashes\n{item}{item}").as_bytes()), None);
        let comment = "/**\n * Codes.\n * Of errors.\n */\nclass Codes {\n}\n/**\n * More.\n */\nclass More {\n}\n";
        assert_eq!(other_document(comment.as_bytes()), Some("source code"));
    }

    #[test]
    fn a_log_is_no_source_code() {
        let log: String =
            (0..40).map(|step| format!("12:00:{step} [worker] INFO step {step} loss=0.1 (ok)\n")).collect();
        assert_eq!(other_document(log.as_bytes()), None);
        let log: String = (0..40).map(|step| format!("[INFO] {{\"step\": {step}}}\nsaved to out;\n")).collect();
        assert_eq!(other_document(log.as_bytes()), None);
    }

    #[test]
    fn requirements_are_told_from_what_is_installed() {
        let required = "# for training\nnumpy>=1.20\ntorch==2.1.0\n-r base.txt\ntqdm\n";
        assert_eq!(other_document(required.as_bytes()), Some("a list of what a program requires"));
        assert_eq!(other_document(b"numpy==1.26.4\ntorch==2.1.0+cu118\ntqdm==4.66.1\n"), None);
        assert_eq!(other_document(b"crash\n"), None);
    }

    #[test]
    fn pages_and_rules_are_no_tickets() {
        assert_eq!(other_document(b"<!DOCTYPE html>\n<html>"), Some("a web page"));
        assert_eq!(other_document(b"<?xml version='1.0'?><WERReportMetadata>"), Some("an XML document"));
        assert_eq!(other_document(b"<?xml version='1.0'?><Events><Event xmlns='x'>"), None);
        assert_eq!(other_document(b"# Codes.\nschema: 1\nabout: codes\n"), Some("rules or their data"));
    }
}
