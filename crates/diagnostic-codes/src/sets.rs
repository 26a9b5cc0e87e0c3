//! Mistakes in rule sets: lists, causes, overlays and expectations.

use super::codes;

codes! {
    R061 Error {
        title: "a wrong entry of a data list",
        explanation:
            "An entry of a list of modules has exactly one of `name` (a file name without a path) and `like` (a \
             pattern with `*` and `?`), and each entry is there once. An entry of a list of lines is a regular \
             expression, each there once; `written_by` is program or person.",
        wrong: ["- {name: 'vcruntime140*.dll', why: C++ runtime}"],
        right: ["- {like: 'vcruntime140*.dll', why: C++ runtime}"],
    }
    R062 Error {
        title: "a data list that is not named after its file",
        explanation:
            "Rules find a list by the name of its file. The name in `list` must be the same, so that a list that is \
             copied or renamed does not keep a wrong name.",
        wrong: [
            "# data/overlays.yaml",
            "list: overlay-modules",
        ],
        right: [
            "# data/overlays.yaml",
            "list: overlays",
        ],
    }
    R063 Error {
        title: "a cause of an unknown family",
        explanation:
            "Each cause belongs to one of the families at the top of causes.yaml. The marked family is not among them.",
        wrong: ["gpu-timeout: {family: gfx, means: ...}"],
        right: ["gpu-timeout: {family: gpu, means: ...}"],
    }
    R064 Error {
        title: "a folder without rules and lists of modules",
        explanation:
            "There is nothing in the folder that could judge a crash. Rules are in AREA/NAME.yaml below the folder, \
             lists in data/NAME.yaml. A folder that only holds crash files with an expected.yaml is for `crashsift \
             rules test`.",
        wrong: ["my-rules/timeout.txt"],
        right: ["my-rules/gpu/timeout.yaml"],
    }
    R065 Error {
        title: "causes outside of the built-in set",
        explanation:
            "Only the built-in rule set has a causes.yaml, so that all rule sets name the same causes and their \
             findings can be compared. Remove the file, and name causes that `crashsift rules causes` prints.",
        wrong: ["my-rules/causes.yaml"],
        right: ["a rule in my-rules that says `cause: gpu-timeout`"],
    }
    R066 Error {
        title:
            "a rule set for a newer program (`tool`), of which nothing else is checked, or a `tool` that is not \
             `>=VERSION`",
        explanation:
            "`tool` in ruleset.yaml is the earliest version of crashsift that can read the rule set. Use a newer \
             program, or an older version of the rule set. If you write the rule set: the value is `>=` and a version.",
        wrong: ["tool: '0.2'"],
        right: ["tool: '>=0.2'"],
    }
    R067 Error {
        title: "lists of lines that name each other in a circle",
        explanation:
            "In a line of a list, `{NAME}` means any line of the list NAME. Here a list contains itself, directly or \
             by way of others, so it would have no end. Write out the lines of one of them.",
        wrong: [
            "# data/crashes.yaml",
            "lines: ['{exits}', crashed]",
            "# data/exits.yaml",
            "lines: ['{crashes}', exited]",
        ],
        right: [
            "# data/crashes.yaml",
            "lines: ['{exits}', crashed]",
            "# data/exits.yaml",
            "lines: [exited, quit]",
        ],
    }
    R070 Error {
        title: "an overlay of a rule that does not exist",
        explanation:
            "`override`, `disable`, `suppress` and expected.yaml name rules by their ids, and no rule with this id is \
             loaded. If it belongs to another rule set, give that set before this one.",
        wrong: [
            "disable:",
            "  - {rule: gpu/timeot, reason: Known.}",
        ],
        right: [
            "disable:",
            "  - {rule: gpu/timeout, reason: Known.}",
        ],
    }
    R071 Error {
        title: "an overlay of a rule of its own or of a later set",
        explanation:
            "An overlay changes rules of rule sets that are loaded before it. A rule of the same set is changed where \
             it is written; for a rule of another set, give that set first.",
        wrong: ["crashsift analyze --rules changes --rules their-rules crash.dmp"],
        right: ["crashsift analyze --rules their-rules --rules changes crash.dmp"],
    }
    R072 Error {
        title: "a rule that one set overrides or disables twice",
        explanation:
            "A rule set says once what becomes of a rule. With two entries it would depend on their order which of \
             them counts.",
        wrong: [
            "override:",
            "  - {rule: gpu/timeout, confidence: 0.5}",
            "disable:",
            "  - {rule: gpu/timeout, reason: Known.}",
        ],
        right: [
            "override:",
            "  - {rule: gpu/timeout, confidence: 0.5}",
        ],
    }
    R073 Error {
        title: "an override that changes nothing",
        explanation:
            "An override gives at least one of title, confidence, severity, explanation, remediation, collect and \
             references anew. All that it does not give stays as the rule has it.",
        wrong: [
            "override:",
            "  - {rule: gpu/timeout, reason: We see it often.}",
        ],
        right: [
            "override:",
            "  - {rule: gpu/timeout, confidence: 0.9, reason: We see it often.}",
        ],
    }
    R074 Error {
        title: "an override of what makes the rule the rule that it is",
        explanation:
            "What a rule asks for and the cause that it names can't be overridden: it would be another rule under the \
             same id. Disable the rule, and write one of your own.",
        wrong: [
            "override:",
            "  - {rule: gpu/timeout, cause: gpu-driver-defect}",
        ],
        right: [
            "disable:",
            "  - {rule: gpu/timeout, reason: Our own rule names the driver.}",
        ],
    }
    R075 Error {
        title: "an `until` that is not a date",
        explanation:
            "`until` is the last day, in UTC, whose crashes are suppressed. It is written as year, month and day.",
        wrong: ["until: 31.1.2027"],
        right: ["until: 2027-01-31"],
    }
    R076 Error {
        title: "an `expected.yaml`, or an entry of it, that expects nothing",
        explanation:
            "expected.yaml in a folder with crash files says what their analysis must give, so that `crashsift rules \
             test` can compare. Say how many incidents there are (`count`), or what an incident must be (`cause`, \
             `at_least`, `rules`, `suspect`).",
        wrong: [
            "schema: 1",
            "incidents:",
            "  - {name: the crash}",
        ],
        right: [
            "schema: 1",
            "incidents:",
            "  - {name: the crash, cause: stack-overflow, at_least: 0.8}",
        ],
    }
    R077 Error {
        title: "an `expected.yaml` that expects what can't be at once",
        explanation:
            "Two expectations exclude each other, such as a cause that must be and must not be the verdict, or a \
             lowest confidence above the highest one. The second place is shown as well.",
        wrong: ["- {at_least: 0.8, at_most: 0.5}"],
        right: ["- {at_least: 0.5, at_most: 0.8}"],
    }
}
