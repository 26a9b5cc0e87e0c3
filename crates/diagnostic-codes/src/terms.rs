//! Mistakes in what a rule asks for: facts, comparisons, lists and conditions.

use super::codes;

codes! {
    R020 Error {
        title: "an unknown fact or field, or an `unless` that names nothing known",
        explanation:
            "The marked name is not a fact, not a list, or not a field of that list. The message suggests the name \
             that was probably meant. `crashsift rules facts` prints all facts, and `crashsift inspect FILE` those of \
             one crash.",
        wrong: ["exeption.code: 0xC0000005"],
        right: ["exception.code: 0xC0000005"],
    }
    R021 Error {
        title: "an unknown modifier, or one that does not fit the fact's type",
        explanation:
            "A modifier is the word after `|` that says how a fact is compared. Each type of fact has its own: texts \
             have `contains`, `like` and `re`; numbers and versions have `lt`, `lte`, `gt` and `gte`. Without a \
             modifier, the fact must be equal to the value.",
        wrong: ["os.build|contains: 22"],
        right: ["os.build|gte: 22000"],
    }
    R022 Error {
        title: "a value that is not of the fact's type",
        explanation:
            "The value can't be compared with the fact: a word where a number is needed, a version with letters, a \
             path where a file name is needed. The help shows how such a value is written.",
        wrong: ["fault_site.version|lt: version 14"],
        right: ["fault_site.version|lt: 14.40"],
    }
    R023 Error {
        title: "a regular expression that is wrong or too large",
        explanation:
            "The marked part of the regular expression can't be read, or the expression would use too much memory. \
             Look-ahead, look-behind and backreferences do not exist here. For a part of a text, `contains` is enough; \
             for `*` and `?`, `like` is.",
        wrong: ["process.name|re: 'chrome('"],
        right: ["process.name|contains: chrome"],
    }
    R024 Error {
        title: "an unknown list",
        explanation:
            "`listed` names a file in the folder `data` of the rule set or of the built-in rules, without its ending. \
             The list does not exist, or it is of the other kind: lists of modules are for module names, lists of \
             lines are for texts.",
        wrong: ["fault_site.module|listed: overlay"],
        right: ["fault_site.module|listed: overlays"],
    }
    R025 Error {
        title: "a selection that asks for nothing",
        explanation:
            "An empty selection would hold for every crash, so the rule would not restrict anything. Write what facts \
             must be, or remove the selection.",
        wrong: [
            "selections:",
            "  code: {}",
        ],
        right: [
            "selections:",
            "  code: {exception.code: 0xC0000005}",
        ],
    }
    R026 Error {
        title: "a list without quantifier, or a quantifier on a single fact",
        explanation:
            "A crash has many modules, but only one exception code. For a list, the rule must say how many of its \
             entries have to fit: `any`, `none`, `count` or `sequence`. A fact with a single value has no such word.",
        wrong: ["modules: {name: overlay.dll}"],
        right: ["modules|any: {name: overlay.dll}"],
    }
    R027 Error {
        title: "`count` without bounds, or with bounds that nothing or everything fits",
        explanation:
            "`count` needs at least one of `lt`, `lte`, `gt`, `gte` and `eq`, each a whole number, and some number of \
             entries must fit and some must not. `lt` and `gt` exclude their number, `lte` and `gte` include it. In an \
             `expected.yaml`, `count` is the number of incidents.",
        wrong: ["timeline|count: {where: {kind: driver-reset}}"],
        right: ["timeline|count: {where: {kind: driver-reset}, gte: 3}"],
    }
    R028 Error {
        title: "an unknown place",
        explanation:
            "`place` compares a path with kinds of folders, such as `system` or `application`. The marked word is not \
             one of them; the message lists all of them.",
        wrong: ["fault_site.path|place: system32"],
        right: ["fault_site.path|place: system"],
    }
    R029 Error {
        title: "a span of time over a list whose entries have no time",
        explanation:
            "`within` counts what happened close together. Only lists whose entries have a time can be asked for it, \
             such as `timeline`; the modules of a process, for example, have none.",
        wrong: ["modules|count: {where: {name: a.dll}, gte: 2, within: 10 min}"],
        right: ["timeline|count: {where: {kind: driver-reset}, gte: 2, within: 10 min}"],
    }
    R030 Error {
        title: "a condition that can't be read",
        explanation:
            "A condition joins names of selections with `and`, `or`, `not` and parentheses, all in lower case; `any of \
             NAME*` and `all of them` stand for several selections. Comparisons belong in a selection and not in the \
             condition.",
        wrong: ["condition: code AND module"],
        right: ["condition: code and module"],
    }
    R031 Error {
        title: "a condition that names a selection which does not exist",
        explanation:
            "The marked name is not one of the rule's selections. Selections are named in `selections`, and \
             `condition` and `when` use these names.",
        wrong: [
            "selections:",
            "  code: {exception.code: 0xC0000005}",
            "condition: kode",
        ],
        right: [
            "selections:",
            "  code: {exception.code: 0xC0000005}",
            "condition: code",
        ],
    }
    R032 Error {
        title: "a name that no selection can have",
        explanation:
            "The words and, or, not, all, any, of and them have a meaning in conditions, so no selection can have one \
             of these names. All other names consist of letters, digits, `_` and `-`.",
        wrong: [
            "selections:",
            "  any: {process.name: app.exe}",
        ],
        right: [
            "selections:",
            "  program: {process.name: app.exe}",
        ],
    }
    R033 Error {
        title: "a selection that is not used",
        explanation:
            "Neither `condition` nor `adjust` nor `collect` names this selection, so it has no effect, and the rule \
             matches more crashes than it seems to. Name the selection in the condition, or remove it.",
        wrong: [
            "selections:",
            "  code: {exception.code: 0xC0000005}",
            "  program: {process.name: app.exe}",
            "condition: code",
        ],
        right: [
            "selections:",
            "  code: {exception.code: 0xC0000005}",
            "  program: {process.name: app.exe}",
            "condition: code and program",
        ],
    }
    R034 Error {
        title: "a fact that is required twice, or a rule that is superseded twice",
        explanation:
            "The same entry is in the list twice, which has no effect and is usually a copy that should have been \
             changed.",
        wrong: ["requires: [os.build, os.build]"],
        right: ["requires: [os.build]"],
    }
    R035 Error {
        title: "a rule that supersedes one which does not exist",
        explanation:
            "`supersedes` names rules that know less about the same crash; their findings give way to those of this \
             rule. The marked id belongs to no rule that is loaded. If it belongs to another rule set, give that set \
             as well.",
        wrong: ["supersedes: [memory/stack-overflw]"],
        right: ["supersedes: [memory/stack-overflow]"],
    }
    R036 Error {
        title: "rules that supersede each other in a circle",
        explanation:
            "If two rules give way to each other, no finding is left. Decide which of them knows more about the crash, \
             and remove the id from the other one.",
        wrong: [
            "- id: gpu/timeout",
            "  supersedes: [gpu/reset]",
            "- id: gpu/reset",
            "  supersedes: [gpu/timeout]",
        ],
        right: [
            "- id: gpu/timeout",
            "  supersedes: [gpu/reset]",
            "- id: gpu/reset",
        ],
    }
    R037 Error {
        title:
            "a `sequence` over a list without order, or of fewer than two or more than eight steps; `adjacent` where \
             entries have times",
        explanation:
            "A sequence asks for entries that follow one another, two to eight of them. Only lists whose entries have \
             a time or a position have an order. `adjacent` is for positions, such as stack frames; for entries with \
             times, write `within`.",
        wrong: ["timeline|sequence: [{kind: driver-install}]"],
        right: ["timeline|sequence: [{kind: driver-install}, {kind: driver-reset}]"],
    }
}
