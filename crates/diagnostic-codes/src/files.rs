//! Mistakes in a file as such, and in what a rule states: its keys, id, cause and confidence.

use super::codes;

codes! {
    R001 Error {
        title: "a file can't be read, is larger than 4 MiB or is not UTF-8",
        explanation:
            "The program could not read the file as text: it does not exist, access is denied, it is not a regular \
             file, it is larger than 4 MiB, or it was saved in another encoding than UTF-8. Notepad saves UTF-8 with \
             File > Save As > Encoding: UTF-8.",
        wrong: [r#"a rule file that was saved as "UTF-16 LE" (in Notepad: "Unicode")"#],
        right: [r#"the same file, saved with the encoding "UTF-8""#],
    }
    R002 Error {
        title: "not YAML, empty, or more than one document",
        explanation:
            "The text does not follow the rules of YAML from the marked place on, so nothing in the file can be used. \
             The usual reasons are a tab in the indentation, a text with `: ` in it and without quotes, a quote that \
             is not closed, or a line `---` that begins a second document.",
        wrong: ["title: Out of memory: the GPU is full"],
        right: ["title: 'Out of memory: the GPU is full'"],
    }
    R003 Error {
        title: "anchors, aliases and tags, which are not used here",
        explanation:
            "YAML can name a part of a file (`&name`) and repeat it elsewhere (`*name`), and mark types (`!name`). \
             Rule files do not use these, because a rule must be readable without searching for its parts. A text that \
             begins with `&`, `*` or `!` needs quotes.",
        wrong: ["modules|any: {name|like: *.dll}"],
        right: ["modules|any: {name|like: '*.dll'}"],
    }
    R004 Error {
        title: "too many values, files or levels",
        explanation:
            "The file or the folder is larger than any real rule set: more than 200,000 values in a file, more than 32 \
             levels of nesting, or more than 10,000 files in a rule set. The limits keep a damaged or hostile file \
             from using up the computer's memory.",
        wrong: [r"crashsift rules check C:\"],
        right: [r"crashsift rules check C:\my-rules"],
    }
    R005 Error {
        title: "a key that is in a mapping twice",
        explanation:
            "Two lines of one mapping have the same key, so one of them would silently not count. Write several values \
             of one fact as a list. If both conditions must hold, put them into two selections and name both in \
             `condition`.",
        wrong: [
            "code:",
            "  exception.code: 0xC0000005",
            "  exception.code: 0xC0000409",
        ],
        right: [
            "code:",
            "  exception.code: [0xC0000005, 0xC0000409]",
        ],
    }
    R006 Error {
        title: "a key that is not a text",
        explanation:
            "The part before a `:` must be a text. YAML takes `{` and `[` for the beginning of a mapping or a list; a \
             key that begins with one of them needs quotes.",
        wrong: ["[process.name]: app.exe"],
        right: ["process.name: app.exe"],
    }
    R010 Error {
        title: "an unknown key",
        explanation:
            "The marked key does not exist at this place. It may be misspelt, belong to another place of the rule, or \
             belong to a newer version of the program. The message names the key that was probably meant, or all keys \
             that are possible here.",
        wrong: ["confidance: 0.8"],
        right: ["confidence: 0.8"],
    }
    R011 Error {
        title: "a missing key",
        explanation:
            "Something that every entry of this kind needs is not there. The message names the key, and the help shows \
             how to write it.",
        wrong: [
            "remediation:",
            "  - {text: Update the graphics driver.}",
        ],
        right: [
            "remediation:",
            "  - {audience: helpdesk, text: Update the graphics driver.}",
        ],
    }
    R012 Error {
        title:
            "a value of the wrong kind: a list in the place of a text, nothing in the place of a value, and the like",
        explanation:
            "A text, a list or a mapping is expected here, and something else is there. A list is written in brackets \
             or as lines that begin with `- `, a mapping as lines of `key: value`. A key without a value behind its \
             `:` counts as nothing.",
        wrong: ["references: https://example.org/page"],
        right: ["references: [https://example.org/page]"],
    }
    R013 Error {
        title: "a schema that this program does not know; if it is newer, nothing else in the file is checked",
        explanation:
            "`schema` is the version of the rule language in which the file is written. This program reads version 1. \
             A file with a higher number needs a newer program.",
        wrong: ["schema: one"],
        right: ["schema: 1"],
    }
    R014 Error {
        title: "an unknown severity, audience or expectation",
        explanation:
            "Only certain words are possible here: `severity` is low, medium, high or critical; `audience` is helpdesk \
             or developer; `expect` in a test is match, no-match, skipped or superseded. A test can only give a \
             `confidence` if it expects the rule to match.",
        wrong: ["severity: severe"],
        right: ["severity: high"],
    }
    R015 Error {
        title: "an unknown cause",
        explanation:
            "A rule names one of the causes that the program knows, so that reports of different rules can be counted \
             together. `crashsift rules causes` prints all causes with their meaning.",
        wrong: ["cause: gpu-driver-crash"],
        right: ["cause: gpu-driver-defect"],
    }
    R016 Error {
        title:
            "a confidence outside of 0.01 to 0.99, an adjustment that is not such a number, or one that both moves and \
             caps",
        explanation:
            "A confidence is a probability between 0.01 and 0.99: if the cause is right in nine of ten crashes that \
             the rule matches, it is 0.9. In `adjust`, `by` moves the confidence (+0.05, -0.2) and `most` caps it; one \
             entry has only one of the two.",
        wrong: ["confidence: 90%"],
        right: ["confidence: 0.9"],
    }
    R017 Error {
        title: "an id that is not AREA/NAME in lower case",
        explanation:
            "The id of a rule has two parts with a `/` between them. Both begin with a small letter or a digit and \
             consist of small letters, digits, `-`, `.` and `_`.",
        wrong: ["id: Memory/Stack Overflow"],
        right: ["id: memory/stack-overflow"],
    }
    R018 Error {
        title: "an area that is not the folder's name",
        explanation:
            "The first part of a rule's id is the name of the folder in which its file is, so that a rule is easy to \
             find. Change the id, or move the file.",
        wrong: [
            "# in the folder gpu",
            "id: memory/stack-overflow",
        ],
        right: [
            "# in the folder memory",
            "id: memory/stack-overflow",
        ],
    }
    R019 Error {
        title: "two rules with one id",
        explanation:
            "Reports, tests and overlays name a rule by its id, so each id exists once in all rule sets that are \
             loaded together. Give the second rule another name. To change a rule of another rule set, do not copy it: \
             write an `override` or a `disable` for it.",
        wrong: [
            "- id: memory/stack-overflow",
            "  title: The program called itself too often",
            "- id: memory/stack-overflow",
            "  title: A thread used up its stack",
        ],
        right: [
            "- id: memory/stack-overflow",
            "  title: The program called itself too often",
            "- id: memory/stack-used-up",
            "  title: A thread used up its stack",
        ],
    }
}
