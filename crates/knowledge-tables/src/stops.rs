//! Reading the table of the parameters of blue screens and live kernel reports.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, Node, YamlText};

use super::table::{Row, Table, number_of, read};

/// The parameters of one stop.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRow<T = &'static str> {
    /// The last part of its page in Microsoft's documentation.
    pub page: T,
    /// Whether drivers on the stack may have caused it.
    pub stack_tells: bool,
    /// Its parameters; of rows for the same parameter, the first that fits counts.
    pub parameters: Vec<StopParameter<T>>,
}

/// The meaning of one parameter.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopParameter<T = &'static str> {
    /// Its number, 1 to 4.
    pub number: u8,
    /// The values of parameter 1 with which the row applies; empty for any.
    pub when: Vec<u64>,
    /// Its meaning in words.
    pub is: T,
    /// The type of its value.
    pub holds: Holds,
    /// The meanings of its values, sorted by value.
    pub values: Vec<(u64, T)>,
}

/// The type of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Holds {
    /// A number, with the meaning that the parameter's words give.
    Value,
    /// The address of an instruction.
    Code,
    /// An NTSTATUS, on 64-bit systems with its sign spread over the upper half.
    Status,
    /// A fast-fail code.
    FastFail,
}

/// The table: `stops` with `code`, `page`, `parameters` and, where it applies, `stack`.
pub fn stops(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<u32, StopRow<String>> {
    read(file, "stops", &["code", "page", "parameters"], &["stack"], mistakes, |row| {
        let stack_tells = row.flag("stack", "tells")?;
        let rows = row.node.get("parameters").and_then(Node::items);
        let rows = rows.ok_or_else(|| row.wrong("parameters", "`parameters` is a list"))?;
        let parameters = rows.iter().map(|node| parameter(&Row { file: row.file, node })).collect::<Result<_, _>>()?;
        let stop = StopRow { page: row.text("page")?.to_owned(), stack_tells, parameters };
        Ok((row.number("code")?, stop))
    })
}

fn parameter(row: &Row<'_>) -> Result<StopParameter<String>, Diagnostic> {
    if let Some(unknown) = row.unknown_keys(&["n", "when", "is", "holds", "values"]).into_iter().next() {
        return Err(unknown);
    }
    let number = row.number("n")?;
    let number = u8::try_from(number).ok().filter(|number| (1..=4).contains(number));
    let holds = match row.optional("holds") {
        None => Holds::Value,
        Some("code") => Holds::Code,
        Some("status") => Holds::Status,
        Some("fast-fail") => Holds::FastFail,
        Some(_) => return Err(row.wrong("holds", "`holds` is `code`, `status` or `fast-fail`")),
    };
    let wrong = |key: &str| row.wrong(key, &format!("`{key}` has numbers, such as 7 or 0x403"));
    let when = row.node.get("when").map_or(Some(Vec::new()), |node| {
        node.items()?.iter().map(|item| number_of(item.text()?)).collect::<Option<_>>()
    });
    let values = row.node.get("values").map_or(Some(Vec::new()), |node| {
        let of = |entry: &spanned_yaml::Entry| Some((number_of(entry.name())?, entry.value.text()?.to_owned()));
        node.entries()?.iter().map(of).collect::<Option<_>>()
    });
    let mut values: Vec<_> = values.ok_or_else(|| wrong("values"))?;
    values.sort();
    Ok(StopParameter {
        number: number.ok_or_else(|| row.wrong("n", "`n` is 1 to 4"))?,
        when: when.ok_or_else(|| wrong("when"))?,
        is: row.text("is")?.to_owned(),
        holds,
        values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &'static str) -> (Table<u32, StopRow<String>>, Vec<String>) {
        let mut mistakes = Vec::new();
        let table = stops(&YamlText::new("stops.yaml", text), &mut mistakes);
        (table, mistakes.iter().map(|mistake| mistake.message.clone()).collect())
    }

    #[test]
    fn a_stop_has_parameters_with_conditions_and_values() {
        let (table, mistakes) = read_text(
            "stops:\n  - code: 0x9F\n    page: p\n    stack: tells\n    parameters:\n      \
             - {n: 1, is: kind, values: {0x3: held}}\n      - {n: 4, when: [3], is: request, holds: code}\n",
        );
        assert_eq!(mistakes, [""; 0]);
        let stop = &table[&0x9F];
        assert!(stop.stack_tells);
        assert_eq!(stop.parameters[0].values, [(3, "held".to_owned())]);
        assert_eq!(
            (stop.parameters[1].number, &*stop.parameters[1].when, stop.parameters[1].holds),
            (4, &[3][..], Holds::Code)
        );
    }

    #[test]
    fn mistakes_are_told() {
        for (row, message) in [
            ("{n: 5, is: x}", "`n` is 1 to 4"),
            ("{n: 1}", "`is` is missing"),
            ("{n: 1, is: x, holds: y}", "`holds` is `code`, `status` or `fast-fail`"),
            ("{n: 1, is: x, values: {a: b}}", "`values` has numbers, such as 7 or 0x403"),
            ("{n: 1, is: x, what: y}", "`what` means nothing here"),
        ] {
            let text = format!("stops:\n  - code: 1\n    page: p\n    parameters: [{row}]\n");
            assert_eq!(read_text(text.leak()).1, [message]);
        }
    }
}
