//! Why a Sigma rule is not loaded.

use super::codes;

codes! {
    S001 Error {
        title: "a Sigma rule that is not written as the Sigma specification asks",
        explanation:
            "The rule is not loaded. The message names the place and what the specification asks for there; the \
             specification is at https://sigmahq.io.",
        wrong: [
            "detection:",
            "  selection: {EventID: 1000}",
        ],
        right: [
            "detection:",
            "  selection: {EventID: 1000}",
            "  condition: selection",
        ],
    }
    S002 Warning {
        title: "a Sigma rule that uses something which is not supported",
        explanation:
            "The rule may be right, but uses a part of Sigma that this program does not have, such as a log source \
             that is not an event log of Windows. The rule is not loaded; all others are.",
        wrong: ["logsource: {product: linux, service: sshd}"],
        right: ["logsource: {product: windows, service: system}"],
    }
}
