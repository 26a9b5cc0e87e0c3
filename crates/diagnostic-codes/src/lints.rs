//! What is possible in a rule or a list and probably not meant, and mistakes in the program's own tables.

use super::codes;

codes! {
    R080 Warning {
        title: "a `like` without `*` and `?`",
        explanation:
            "A pattern without `*` (any text) and `?` (any one character) is a plain comparison. Probably a `*` was \
             forgotten.",
        wrong: ["fault_site.module|like: nvwgf2umx"],
        right: ["fault_site.module|like: 'nvwgf2um*'"],
    }
    R081 Warning {
        title: "an override of a rule that an earlier set disabled",
        explanation:
            "The rule is switched off by another rule set, and an override does not switch it on again. Remove one of \
             the two.",
        wrong: [
            "# first set: disable gpu/timeout; second set:",
            "override:",
            "  - {rule: gpu/timeout, confidence: 0.9}",
        ],
        right: [
            "# only the second set says anything about gpu/timeout",
            "override:",
            "  - {rule: gpu/timeout, confidence: 0.9}",
        ],
    }
    R082 Warning {
        title: "a rule of 0.5 or more that matches every incident of its kind",
        explanation:
            "The rule asks for nothing that sets some crashes apart from others, and still calls its cause probable. \
             It would give that verdict for every crash. Ask for a code, a module or a message, or lower the \
             confidence.",
        wrong: [
            "confidence: 0.8",
            "selections:",
            "  kind: {incident.kind: crash}",
        ],
        right: [
            "confidence: 0.8",
            "selections:",
            "  overflow: {incident.kind: crash, exception.code: 0xC00000FD}",
        ],
    }
    R083 Warning {
        title: "a rule that never matches: in each of its ways two terms can't hold together, or one never holds",
        explanation:
            "Two lines ask for values that exclude each other, so no crash can fit. Usually `or` is meant instead of \
             `and`, or one `not` too many is in the condition.",
        wrong: [
            "selections:",
            "  a: {exception.code: 0xC0000005}",
            "  b: {exception.code: 0xC0000409}",
            "condition: a and b",
        ],
        right: ["condition: a or b"],
    }
    R084 Warning {
        title: "a whole path, or one in a user's own folder, also as a pattern or expression: only one machine has it",
        explanation:
            "A path with a user's name, or with a drive letter and all folders, is the same on hardly any second \
             computer, so the rule would only ever match there. Compare the file name, the end of the path, or its \
             kind of folder (`place`).",
        wrong: [r"process.path: 'C:\Users\ann\AppData\Local\App\app.exe'"],
        right: [r"process.path|endswith: '\App\app.exe'"],
    }
    R085 Warning {
        title:
            "a rule of 0.5 or more that names only carriers, in whatever way, and a code of Windows; or a carrier as \
             the suspected module, which it never is",
        explanation:
            "Modules such as ntdll.dll and KERNELBASE.dll pass on errors of other modules (carriers). That a crash is \
             in one of them says nothing about its cause. Ask for the calling module (`suspect.module`), a message, or \
             something else that belongs to this cause.",
        wrong: [
            "selections:",
            "  it: {fault_site.module: ntdll.dll, exception.code: 0xC0000005}",
        ],
        right: [
            "selections:",
            "  it: {fault_site.module: ntdll.dll, suspect.module: hook.dll}",
        ],
    }
    R086 Warning {
        title:
            "a look further back than rules see, a count of more entries or different values than there can be, or a \
             step of a sequence after the incident",
        explanation:
            "Rules see only a part of what logs recorded: so many hours before the crash, and so many entries of a \
             kind. The rule asks for something outside of it, which is never there. The message states the limit.",
        wrong: ["timeline|any: {kind: driver-reset, seconds_before|gte: 3 d}"],
        right: ["timeline|any: {kind: driver-reset, seconds_before|lte: 2 h}"],
    }
    R087 Warning {
        title: "a confidence above 0.9 for fewer than 16 characters of a text without a number, and nothing else",
        explanation:
            "A few words can be in many texts that are about something else. To be that sure, the rule needs the whole \
             message, a number, or a second fact.",
        wrong: [
            "confidence: 0.95",
            "selections:",
            "  text: {text|any: {line|contains: out of memory}}",
        ],
        right: [
            "confidence: 0.95",
            "selections:",
            "  text: {text|any: {line|contains: 'CUDA error: out of memory'}}",
        ],
    }
    R088 Warning {
        title:
            "a regular expression that is found in no text, or words of a table of the program that no line has as \
             they are written",
        explanation:
            "The expression can never be found: for example, it asks for characters before the beginning (`^`) or \
             behind the end (`$`) of the text, or for a path in a module's name. Words of the program's tables are \
             compared with lines whose formatting was removed.",
        wrong: ["process.name|re: 'app^'"],
        right: ["process.name|re: '^app'"],
    }
    R089 Warning {
        title: "a selection of the condition that no test decides",
        explanation:
            "In every test of the rule, the facts that this selection asks for are absent, so nobody knows whether it \
             works. Add a test in which it holds, and one in which it does not.",
        wrong: [
            "selections:",
            "  driver: {environment.nvidia_driver|lt: 550.0}",
            "tests:",
            "  - {name: m, facts: {exception.code: 0xC0000005}, expect: match}",
        ],
        right: [
            "tests:",
            "  - {name: m, facts: {environment.nvidia_driver: 537.13}, expect: match}",
        ],
    }
    R090 Error {
        title: "a wrong line in one of the program's own tables, or a key that means nothing there",
        explanation:
            "Files in `data` that are neither lists of modules nor lists of lines are tables that are put into the \
             program when it is built: names of codes, versions that fit together, patterns of messages. The marked \
             line does not have the form that its table needs.",
        wrong: [
            "services:",
            "  - {service: system, channels: System}",
        ],
        right: [
            "services:",
            "  - {service: system, channels: [System]}",
        ],
    }
    R091 Warning {
        title: "a rule that matches only where another one matches, too, and is at least as sure",
        explanation:
            "The other rule always wins, so this one never decides a verdict. Let this rule ask for more, let the \
             other one ask for less, or say with `supersedes` that this rule knows more.",
        wrong: [
            "- id: gpu/any-reset",
            "  confidence: 0.9",
            "- id: gpu/reset-of-one-driver   # asks for the same and more",
            "  confidence: 0.8",
        ],
        right: [
            "- id: gpu/reset-of-one-driver",
            "  confidence: 0.8",
            "  supersedes: [gpu/any-reset]",
        ],
    }
    R092 Warning {
        title: "a comparison that every value fits",
        explanation:
            "The comparison does not restrict anything. To ask only whether the fact is known, write `|exists: true`. \
             In the program's own tables: an expression that is found in every line.",
        wrong: ["process.name|like: '*'"],
        right: ["process.name|exists: true"],
    }
    R095 Warning {
        title: "a draft that nobody finished, or a rule whose cause is `undetermined`",
        explanation:
            "`crashsift rules new` writes sentences in the place of what only the author of the rule knows: why it \
             happens, what to do, and where it is described. Reports would print them. Replace them, and name a cause.",
        wrong: ["cause: undetermined"],
        right: ["cause: gpu-driver-defect"],
    }
    R096 Warning {
        title: "a module's name without its ending (`ntdll`)",
        explanation:
            "Debuggers print module names without their ending, but the facts have the whole file name, so the \
             comparison would never hold.",
        wrong: ["fault_site.module: nvwgf2umx"],
        right: ["fault_site.module: nvwgf2umx.dll"],
    }
    R100 Warning {
        title:
            "an adjustment that counts in every match of its rule or in none, or a cap above what the rule can reach",
        explanation:
            "An adjustment moves the confidence in some of the crashes that the rule matches. If its condition always \
             holds, it belongs into the confidence itself; if it never holds, or the cap is never reached, it has no \
             effect.",
        wrong: [
            "condition: code",
            "adjust:",
            "  - {when: code, by: 0.1, say: The code fits.}",
        ],
        right: [
            "condition: code",
            "adjust:",
            "  - {when: module, by: 0.1, say: The module fits as well.}",
        ],
    }
    R101 Warning {
        title:
            "a rule that is surer than all it asks for can make it: 0.6 for codes that many causes end with \
             (`0xC0000005`, `0xC0000409`; blue screens such as `0x3B`), 0.4 for the program, how long it had run, what \
             it runs on, or a version without its module; 0.75 for the name of the faulting module. A code that is in \
             a list with others counts as if alone",
        explanation:
            "An access violation, the name of the program or the faulting module occur with many causes. With nothing \
             else, the stated confidence is too high. Ask for something that only crashes with this cause have, or \
             lower the confidence.",
        wrong: [
            "confidence: 0.9",
            "selections:",
            "  code: {exception.code: 0xC0000005}",
        ],
        right: [
            "confidence: 0.9",
            "selections:",
            "  code: {exception.code: 0xC0000005, suspect.module: hook.dll}",
        ],
    }
    R102 Warning {
        title: "a reference that is not an address, or is there twice",
        explanation:
            "References are the pages from which a rule was learned. Readers of a report open them, so each is a whole \
             address without blanks, and is there once.",
        wrong: ["references: [see ticket 5]"],
        right: ["references: ['https://tracker.example.org/5']"],
    }
    R103 Warning {
        title: "a pattern of a list that every module fits, or every one with that ending",
        explanation:
            "With such a pattern, every module is in the list. Write what the names begin with, and `*` only for the \
             part that differs between versions.",
        wrong: ["- {like: '*.dll', why: overlays}"],
        right: ["- {like: 'gameoverlay*.dll', why: overlay of a game store}"],
    }
    R104 Warning {
        title: "a module in a list that has another role in a built-in list",
        explanation:
            "The lists that decide which module is suspected give each module one role: it passes on errors, it is \
             injected into other programs, or it belongs to Windows. Two roles contradict each other.",
        wrong: [
            "# data/overlays.yaml",
            "- {name: ntdll.dll, why: seen in a crash}",
        ],
        right: [
            "# data/overlays.yaml",
            "- {name: ouroverlay.dll, why: our own overlay}",
        ],
    }
    R105 Warning {
        title:
            "a regular expression with a boundary of words (`\\b`, `\\B`) that never holds, or not at one of the \
             alternatives beside it: `did\\bn't` asks for one between two letters; in patterns of tickets also one \
             beside a letter that is none of ASCII's",
        explanation:
            "`\\b` is the place between a letter, digit or `_` and something else. Here it can never be such a place, \
             so the expression, or one of its alternatives, is never found. Leave it out, or move it.",
        wrong: [r"line|re: 'did\bn''t start'"],
        right: [r"line|re: '\bdidn''t start'"],
    }
    R106 Warning {
        title: "a suppression whose `until` is past, by the computer's clock or `--today`",
        explanation:
            "The suppression ended, and later findings are shown again. Remove it, or give it a later day if its \
             reason is still valid. Keep it only if reports about older crashes must not change.",
        wrong: [
            "suppress:",
            "  - {rule: gpu/timeout, reason: New driver ordered., until: 2020-01-31}",
        ],
        right: [
            "suppress:",
            "  - {rule: gpu/timeout, reason: New driver ordered., until: 2030-01-31}",
        ],
    }
    R107 Warning {
        title: "an expression of more than 120 characters, in a rule or a list of lines",
        explanation:
            "Nobody can check such an expression by reading it. Make each phrase a line of a list in `data`, and ask \
             for the list with `listed`. Lists can be used in other lists as `{NAME}`.",
        wrong: ["line|re: '(could not load|failed to load|unable to load|cannot load) ... (120 characters and more)'"],
        right: ["line|listed: failed-loads"],
    }
    R108 Warning {
        title:
            "a rule that reaches 0.8 by lines that people may have written, with all that can raise it: neither a fact \
             nor a line that a program writes has to be there",
        explanation:
            "At 0.8 and more, a report asks its reader to act. What somebody wrote in a ticket is not enough for that: \
             people guess and repeat advice. Ask for a fact, a message word for word, or a list with `written_by: \
             program`; or lower the confidence.",
        wrong: [
            "confidence: 0.85",
            "selections:",
            "  text: {text|any: {line|re: 'gpu.*broken'}}",
        ],
        right: [
            "confidence: 0.85",
            "selections:",
            "  text: {text|any: {line|contains: 'CUDA error: an illegal memory access'}}",
        ],
    }
    R109 Warning {
        title: "a list of lines without an example of what it is found in, or without one of what it is not",
        explanation:
            "Examples show what a list is meant for, and `crashsift rules test` runs them. Give at least one text in \
             which the list is found, and one close to it in which it is not.",
        wrong: [
            "list: failed-loads",
            r"lines: ['could not load \w+']",
        ],
        right: [
            "list: failed-loads",
            r"lines: ['could not load \w+']",
            "examples: {match: [could not load cudnn], no-match: [loaded cudnn]}",
        ],
    }
}
