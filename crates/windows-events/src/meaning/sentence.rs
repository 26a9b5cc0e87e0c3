//! Events of which a sentence says all: the sentence is in the table of events, and the record's values are put into it.
//!
//! | in the sentence | becomes |
//! | --- | --- |
//! | `{name}` | the field's value; there is no sentence without it |
//! | `{name:code}` | the value as `0xC0000365`, a number in decimal digits or, with `0x`, in hexadecimal ones |
//! | `{name:number}` | the value in decimal digits (problem code 43 of a device) |
//! | `{name:file}` | the file name at the end of the value, a path |
//! | `{name:service}` | the service's own name in the binary data, or the field's value |
//! | `{packet:status}` | `FinalStatus` of the I/O error packet among the binary data of a driver's event |
//! | `[...]` | the text between the brackets, or nothing when the record lacks a field in it |
//!
//! A reference to Windows' table of messages (`%%1053`) becomes `error 1053`: services log their errors in this form. A number
//! of more than 16 bits, an HRESULT or status, becomes `error 0x8007000E`.

use super::super::fields::Fields;
use super::machine::internal_name;
use super::packet::Packet;
use evidence::{EventBody, base_name};
use untrusted::notation::{number_u32, present};

/// The sentence with the values of a record with event id `id`, for a timeline entry of this kind, or of the catalogue's;
/// `None` when the record lacks a field that it needs.
pub(super) fn said(sentence: &str, kind: Option<&'static str>, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    Some(EventBody::Said { sentence: fields.share(&fill_in(sentence, id, fields)?), kind })
}

/// The text of the sentence.
pub(super) fn fill_in(sentence: &str, id: u32, fields: &Fields<'_>) -> Option<String> {
    let mut out = String::with_capacity(sentence.len().saturating_add(64));
    let mut rest = sentence;
    while let Some((before, optional)) = rest.split_once('[') {
        fill(before, id, fields, &mut out)?;
        let (part, after) = optional.split_once(']')?;
        let length = out.len();
        if fill(part, id, fields, &mut out).is_none() {
            out.truncate(length);
        }
        rest = after;
    }
    fill(rest, id, fields, &mut out)?;
    Some(out)
}

/// Adds a part without brackets to `out`; `None` when the record lacks one of its fields.
fn fill(part: &str, id: u32, fields: &Fields<'_>, out: &mut String) -> Option<()> {
    let mut rest = part;
    while let Some((before, place)) = rest.split_once('{') {
        out.push_str(before);
        let (place, after) = place.split_once('}')?;
        push_value(place, id, fields, out)?;
        rest = after;
    }
    out.push_str(rest);
    Some(())
}

/// Adds the value for the place between braces.
fn push_value(place: &str, id: u32, fields: &Fields<'_>, out: &mut String) -> Option<()> {
    if place == "packet:status" {
        let binary = fields.binary()?;
        out.push_str(&Packet::from_event(&binary, id)?.final_status()?.to_string());
        return Some(());
    }
    let (name, form) = place.split_once(':').unwrap_or((place, ""));
    if form == "service"
        && let Some(service) = internal_name(fields)
    {
        out.push_str(&service);
        return Some(());
    }
    let value = present(fields.written(name)?)?;
    match form {
        "code" => out.push_str(&format!("0x{:08X}", number_u32(value)?)),
        "number" => out.push_str(&number_u32(value)?.to_string()),
        "file" => push_one_line(base_name(value), out),
        _ => match value.strip_prefix("%%").and_then(number_u32) {
            // Numbers of system errors have 16 bits.
            Some(number @ 0x1_0000..) => out.push_str(&format!("error 0x{number:08X}")),
            Some(number) => out.push_str(&format!("error {number}")),
            None => push_one_line(value, out),
        },
    }
    Some(())
}

/// Adds a text in one line: line ends and runs of blanks become one blank.
fn push_one_line(text: &str, out: &mut String) {
    let mut before = "";
    for word in text.split_whitespace() {
        out.push_str(before);
        out.push_str(word);
        before = " ";
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use evtx_scan::{Node, RecordFields};

    use super::*;
    use evidence::Names;

    fn sentence(template: &str, data: &serde_json::Value) -> Option<String> {
        let json = json!({ "EventData": data }).to_string();
        let node: Node<'_> = serde_json::from_str(&json).expect("JSON");
        let Node::Map(elements) = node else { panic!("an object") };
        let names = Names::default();
        let fields = RecordFields::from_elements(&elements);
        fill_in(template, 161, &Fields::new(&fields, &[], &names))
    }

    #[test]
    fn values_stand_where_their_names_stood() {
        let data = json!({"Name": " Printer\r\n queue ", "Path": "C:\\a\\b.sys", "Empty": "", "Status": "3221226341"});
        let of = |template| sentence(template, &data);
        assert_eq!(of("{Name} failed").as_deref(), Some("Printer queue failed"));
        assert_eq!(of("{Path:file} failed ({Status:code})").as_deref(), Some("b.sys failed (0xC0000365)"));
        assert_eq!(of("{Empty} failed"), None);
        assert_eq!(of("{Name} failed[ for {Empty}][: {Path}]").as_deref(), Some("Printer queue failed: C:\\a\\b.sys"));
        assert_eq!(of("failed[, {Name:code}]").as_deref(), Some("failed"), "a text that is no number");
    }

    #[test]
    fn a_reference_to_a_message_becomes_its_number() {
        assert_eq!(sentence("{A}; {B}", &json!({"A": "%%1053", "B": "%%x"})).as_deref(), Some("error 1053; %%x"));
        assert_eq!(sentence("{A}", &json!({"A": "%%2147942414"})).as_deref(), Some("error 0x8007000E"));
    }

    #[test]
    fn a_service_is_called_by_its_own_name_where_the_record_has_it() {
        // "DemoSvc" in UTF-16 with its terminating zero.
        let binary = "440065006D006F005300760063000000";
        let said = |data: serde_json::Value| sentence("{param1:service} did not start", &data);
        let display_name = "Démonstration";
        let own = said(json!({"param1": display_name, "Binary": binary}));
        assert_eq!(own.as_deref(), Some("DemoSvc did not start"));
        assert_eq!(said(json!({ "param1": display_name })).as_deref(), Some("Démonstration did not start"));
    }

    #[test]
    fn a_driver_s_packet_gives_its_final_status() {
        let packet = "00".repeat(12) + "A1000AC0" + "00000000" + "010000C0" + &"00".repeat(16);
        let said = |binary: &str| sentence("no dump[ ({packet:status})]", &json!({ "Binary": binary }));
        assert_eq!(said(&packet).as_deref(), Some("no dump (0xC0000001)"));
        assert_eq!(said("00").as_deref(), Some("no dump"));
    }
}
