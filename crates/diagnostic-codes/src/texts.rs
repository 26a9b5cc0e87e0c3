//! Mistakes in the texts and the tests of a rule.

use super::codes;

codes! {
    R040 Error {
        title: "an explanation that can't be written",
        explanation:
            "Facts are filled into a text with `{{ fact.path }}`, and `{% if ... %}` makes a part depend on a fact. \
             The marked part is neither, is not closed, or uses something that does not exist here, such as a loop.",
        wrong: ["explanation: 'The module {{ fault_site.module crashed.'"],
        right: ["explanation: 'The module {{ fault_site.module }} crashed.'"],
    }
    R041 Error {
        title: "an explanation that names an unknown fact",
        explanation:
            "The name between the braces is not a fact with a single value. `crashsift rules facts` prints all facts; \
             entries of lists, such as `modules`, can't be printed in a text.",
        wrong: ["explanation: '{{ fault.module }} crashed.'"],
        right: ["explanation: '{{ fault_site.module }} crashed.'"],
    }
    R042 Error {
        title: "an explanation that prints what may be absent, without a fallback",
        explanation:
            "The fact is not known in every crash that the rule matches, so the sentence could have a gap. Only what \
             the condition asks for is always known. Write a text for the other case behind `or`.",
        wrong: ["explanation: '{{ process.name }} crashed.'"],
        right: [r#"explanation: '{{ process.name or "The program" }} crashed.'"#],
    }
    R043 Error {
        title: "facts in a text that is printed as it is",
        explanation:
            "Titles, references and requests for more evidence are printed without facts, so that all findings of a \
             rule are alike. Facts can be in `explanation`, in `say` of an adjustment, and in the `text` of a \
             remediation.",
        wrong: ["title: '{{ process.name }} ran out of memory'"],
        right: ["title: The program ran out of memory"],
    }
    R044 Error {
        title: "a fact compared with a number in an explanation",
        explanation:
            "In texts, every fact is the text that reports print for it. A comparison with a number could never hold; \
             write the value in quotes, as reports print it.",
        wrong: ["explanation: 'A deliberate exit{% if exception.fast_fail == 7 %} by abort{% endif %}.'"],
        right: [r#"explanation: 'A deliberate exit{% if exception.fast_fail == "7" %} by abort{% endif %}.'"#],
    }
    R050 Error {
        title: "no test of `match`, or none of `no-match`",
        explanation:
            "Every rule has at least two tests: facts that it matches, and facts close to them that it does not match. \
             Without the second one, nobody would notice that a rule matches too much.",
        wrong: [
            "tests:",
            "  - {name: the code, facts: {exception.code: 0xC00000FD}, expect: match}",
        ],
        right: [
            "tests:",
            "  - {name: the code, facts: {exception.code: 0xC00000FD}, expect: match}",
            "  - {name: another code, facts: {exception.code: 0xC0000005}, expect: no-match}",
        ],
    }
    R051 Warning {
        title:
            "a test with entries of a list that no run gives: a field that entries of that kind do not have, a time \
             that rules do not see, more than they see",
        explanation:
            "The facts of this test can't occur in a real analysis, so the test proves nothing. The message names what \
             is impossible: entries on a timeline reach only so far back, and not every kind of entry has every field.",
        wrong: ["facts: {timeline: [{kind: driver-reset, seconds_before: 30 d}]}"],
        right: ["facts: {timeline: [{kind: driver-reset, seconds_before: 5 min}]}"],
    }
    R052 Error {
        title: "a file with tests (`NAME.tests.yaml`) names a rule that `NAME.yaml` does not have",
        explanation:
            "Tests can be in a file beside the rules: those of gpu/timeout.yaml are in gpu/timeout.tests.yaml, below \
             the id of each rule. The marked id is not in the file with the rules; it may be misspelt, or the rule was \
             renamed.",
        wrong: [
            "tests:",
            "  gpu/timeot: [...]",
        ],
        right: [
            "tests:",
            "  gpu/timeout: [...]",
        ],
    }
    R053 Error {
        title: "a rule with tests inside of it and in the file beside it",
        explanation:
            "The tests of one rule are in one place: below `tests` in the rule, or in NAME.tests.yaml beside \
             NAME.yaml. Move all of them to one of the two.",
        wrong: ["gpu/timeout.yaml and gpu/timeout.tests.yaml both have tests of the rule gpu/timeout"],
        right: ["only gpu/timeout.tests.yaml has them"],
    }
    R054 Error {
        title: "a file with tests without the file of their rules",
        explanation:
            "NAME.tests.yaml holds the tests of the rules in NAME.yaml in the same folder, and that file is not there. \
             It was renamed, moved or not copied.",
        wrong: ["my-rules/gpu/timeout.tests.yaml"],
        right: [
            "my-rules/gpu/timeout.yaml",
            "my-rules/gpu/timeout.tests.yaml",
        ],
    }
}
