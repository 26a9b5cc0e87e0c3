//! Recognizes the kind of a file by its content. Names are unreliable: an event log may be called `.tmp`.

use std::io::{self, Read};
use std::path::Path;

use crate::archive::ArchiveKind;
use crash_dump::{is_kernel_dump, is_minidump};
use evidence::ArtifactKind;
use evtx_scan::is_event_log;
use pasted_text as ticket;
use wer::report as wer_report;

/// The number of first bytes that [`sniff`] needs: up to the magic of an event log's first chunk, by which a log with a
/// damaged header is recognized.
pub const SNIFFED: u64 = 4096 + 8;

/// The first [`SNIFFED`] bytes, or all there are.
///
/// # Errors
/// When they can't be read.
pub fn first_bytes(from: impl Read) -> io::Result<Vec<u8>> {
    // One read instead of many small ones.
    let mut first = Vec::with_capacity(usize::try_from(SNIFFED).unwrap_or_default());
    from.take(SNIFFED).read_to_end(&mut first)?;
    Ok(first)
}

/// The kind of a file that begins with `first`, its first [`SNIFFED`] bytes or all of it.
#[must_use]
pub fn sniff(first: &[u8]) -> ArtifactKind {
    if is_sentence(first) && not_pasted(first).is_none() {
        ArtifactKind::Ticket
    } else if is_minidump(first) {
        ArtifactKind::Minidump
    } else if is_event_log(first) {
        ArtifactKind::EventLog
    } else if is_kernel_dump(first) {
        ArtifactKind::KernelDump
    } else if is_archive(first) {
        ArtifactKind::Archive
    } else if wer_report::is_wer_report(first) {
        ArtifactKind::WerReport
    } else if ticket::is_text(first) && not_pasted(first).is_none() {
        ArtifactKind::Ticket
    } else {
        ArtifactKind::Unknown
    }
}

/// The kind of a text that is not a ticket, in words: a report of this program (its crashes would count again), a JSON
/// document, source code and the like. `None` for other texts, and for files that are not text.
#[must_use]
pub fn not_pasted(first: &[u8]) -> Option<&'static str> {
    if is_begun_signature(first) {
        return Some("only the first bytes of a dump, log or report that was cut short");
    }
    let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
    let after = |prefix: &[u8]| text.strip_prefix(prefix).map(<[u8]>::trim_ascii_start);
    let begins = |rest: &[u8], with: &[u8]| rest.first().is_some_and(|byte| with.contains(byte));
    if is_own_report(first) {
        Some("a report of crashsift")
    } else if is_own_answer(text) {
        Some("what crashsift printed")
    } else if after(b"{").is_some_and(|rest| begins(rest, b"\"}")) || after(b"[").is_some_and(|rest| begins(rest, b"{"))
    {
        Some("a JSON document")
    } else {
        ticket::other_document(first)
    }
}

/// The number of digits of an incident's id.
const ID_DIGITS: usize = 16;

/// The text of a file that begins so, without byte order mark, and its head: more than is before the program's name in any
/// report.
fn text_and_head(first: &[u8]) -> (&[u8], &[u8]) {
    const HEAD: usize = 256;
    let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
    (text, text.get(..HEAD).unwrap_or(text))
}

/// Whether a file that begins so is a report of this program that other commands read: JSON or JSON Lines.
#[must_use]
pub fn is_json_report(first: &[u8]) -> bool {
    let (_, head) = text_and_head(first);
    let names = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    head.first() == Some(&b'{') && names(b"\"schema_version\"") && names(b"\"crashsift\"")
}

/// Whether a file that begins so is a report of this program, in any of its formats.
#[must_use]
pub fn is_own_report(first: &[u8]) -> bool {
    let (text, head) = text_and_head(first);
    let names = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    // Markdown has the text's first line as its heading.
    let is_text = || {
        let heading = text.strip_prefix(b"# ").unwrap_or(text).strip_prefix(b"crashsift: ");
        heading.is_some_and(|rest| is_count(rest.trim_ascii_start()))
    };
    let is_page = || head.starts_with(b"<!doctype html>") && names(b"<meta name=\"generator\" content=\"crashsift ");
    let is_table = || head.starts_with(b"incident_id,kind,time,host,cause,confidence,");
    let is_sarif = || head.first() == Some(&b'{') && names(b"/sarif-") && names(b"\"crashsift\"");
    let of_pipelines = || {
        const BEGINNINGS: [&[u8]; 3] = [b"::notice title=crashsift::", b"# HELP crashsift_", b"{\"ecs\":{\"version\":"];
        let is_xml = head.starts_with(b"<?xml") && names(b"<testsuites name=\"crashsift\"");
        let is_gitlab = head.first() == Some(&b'[') && names(b"\"check_name\": \"crashsift/");
        is_xml || is_gitlab || BEGINNINGS.iter().any(|beginning| head.starts_with(beginning))
    };
    is_json_report(first) || is_text() || is_page() || is_table() || is_sarif() || of_pipelines()
}

/// Whether a text is the output of `explain`, `inspect`, `why` or `compare`, whose crashes would count again.
fn is_own_answer(text: &[u8]) -> bool {
    const OF_INCIDENT: [&[u8]; 2] = [b"Incident ", b"# incident "];
    const OF_CODE: [&[u8]; 2] = [b"\n\n  says         ", b"\n\n  kind         "];
    let first = text.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let is_id = |rest: &[u8]| {
        let (id, behind) = rest.split_at_checked(ID_DIGITS).unwrap_or((&[], rest));
        id.len() == ID_DIGITS
            && id.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
            && matches!(behind.first(), None | Some(b':' | b'-'))
    };
    let of_incident = || OF_INCIDENT.iter().any(|words| first.strip_prefix(*words).is_some_and(is_id));
    let behind = text.get(first.len()..).unwrap_or_default();
    let of_code = || OF_CODE.iter().any(|words| behind.starts_with(words));
    first == b"Against the earlier report" || of_incident() || of_code()
}

/// Whether `text` begins with a number of artifacts or incidents, or of a problem, as reports do.
fn is_count(text: &[u8]) -> bool {
    let number = text.strip_prefix(b"problem ").unwrap_or(text);
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let counts =
        |rest: &[u8]| [&b" artifact"[..], b" incident", b" of a report"].iter().any(|noun| rest.starts_with(noun));
    digits > 0 && number.get(digits..).is_some_and(counts)
}

/// Whether a text begins with the letters of a dump's signature, such as a sentence about `MDMP` files. In a dump, no text
/// follows the signature.
fn is_sentence(first: &[u8]) -> bool {
    const LETTERS: [&[u8]; 3] = [b"MDMP", b"PAGEDU64", b"PAGEDUMP"];
    let behind = LETTERS.iter().find_map(|letters| first.strip_prefix(*letters));
    behind.is_some_and(|rest| rest.starts_with(b" ")) && ticket::is_text(first)
}

/// Whether a file ends within the signature of a format that is read; such bytes look like text.
fn is_begun_signature(first: &[u8]) -> bool {
    const SIGNATURES: &[&[u8]] = &[
        b"MDMP",
        b"ElfFile\0",
        b"PAGEDU64",
        b"PAGEDUMP",
        b"\xFF\xFEV\0e\0r\0s\0i\0o\0n\0=\x001\0",
        b"V\0e\0r\0s\0i\0o\0n\0=\x001\0",
    ];
    SIGNATURES.iter().any(|signature| first.len() < signature.len() && signature.starts_with(first))
}

/// Whether a file is an archive that people send evidence in.
fn is_archive(first: &[u8]) -> bool {
    ArchiveKind::recognized(first).is_some() && !is_office_document(first)
}

/// Whether a file is a document of an office program: a zip archive with texts and pictures, but no evidence as a member.
/// Its first member is one of a few.
#[must_use]
pub fn is_office_document(first: &[u8]) -> bool {
    /// The offset of the first member's name, behind the local header of 30 bytes.
    const NAME: usize = 30;
    const MEMBERS: [&[u8]; 4] = [b"[Content_Types].xml", b"_rels/", b"docProps/", b"mimetypeapplication/"];
    let name = first.get(NAME..).unwrap_or_default();
    first.starts_with(b"PK\x03\x04") && MEMBERS.iter().any(|member| name.starts_with(member))
}

/// The kind of a file by its name, for messages about other content and about files that can't be read.
#[must_use]
pub fn named_kind(path: &Path) -> Option<ArtifactKind> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let (stem, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "dmp" if is_kernel_dump_name(stem) => ArtifactKind::KernelDump,
        "kdmp" => ArtifactKind::KernelDump,
        "dmp" | "mdmp" | "hdmp" => ArtifactKind::Minidump,
        "evtx" => ArtifactKind::EventLog,
        "wer" => ArtifactKind::WerReport,
        "zip" | "7z" | "cab" | "gz" | "tgz" | "rar" | "xz" | "txz" | "bz2" | "tbz2" | "zst" | "tzst" | "tar" => {
            ArtifactKind::Archive
        }
        _ => return None,
    })
}

/// Whether Windows gives this name to the dump of a blue screen: `MEMORY`, `073024-9531-01`, and `Mini073024-01` up to Windows XP.
fn is_kernel_dump_name(stem: &str) -> bool {
    let is_date = |text: &str| text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    let dated = stem.strip_prefix("mini").unwrap_or(stem).split_once('-').is_some_and(|(date, _)| is_date(date));
    stem == "memory" || dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_pasted_is_no_ticket() {
        assert_eq!(sniff(b"crashsift: 3 artifacts, 1 incident\n"), ArtifactKind::Unknown);
        for own in [
            &b"0xC0000409  STATUS_STACK_BUFFER_OVERRUN\n\n  says         the program ended itself"[..],
            b"43  the program's own\n\n  kind         exit code by convention\n",
            b"Incident 98597d554a18ecb9: hang of planner.exe, 2024-06-20T09:50:17Z\n",
            b"# incident 98597d554a18ecb9\n#   e1 samples/hang/Application.evtx, record 40020\n",
            b"\nAgainst the earlier report\n  1 incident before",
            b"crashsift: 116 incidents, 77 problems, 23 computers",
            b"crashsift: problem 3 of a report with 116 incidents, 200 files\npython.exe ended with exit code -1073740791\n",
            b"# crashsift: 3 artifacts, 1 incident\n\n## 1. python.exe ended with exit code -1073740791\n",
            b"incident_id,kind,time,host,cause,confidence,how_sure\r\n79c2f31c,crash,,,undetermined,0,not determined\r\n",
            b"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" \
              content=\"crashsift 0.1.0\">\n<p>0xC0000409</p>",
        ] {
            assert_eq!(sniff(own), ArtifactKind::Unknown, "{}", own.escape_ascii());
        }
        for other in [&b"Incident 12 of last week: exit code -1073740791"[..], b"0xC0000409\n\nsays the dialog"] {
            assert_eq!(sniff(other), ArtifactKind::Ticket, "{}", other.escape_ascii());
        }
        assert_eq!(sniff(b"{\n  \"schema_version\": \"1.0\"}"), ArtifactKind::Unknown);
        assert_eq!(sniff(b"[{\"Id\": 1000}]"), ArtifactKind::Unknown);
        assert_eq!(sniff(b"[WinError 126] The specified module could not be found"), ArtifactKind::Ticket);
        for cut in [&b"MDM"[..], b"ElfFile", b"PAGED", b"\xFF\xFEV\0e\0r\0"] {
            assert_eq!(sniff(cut), ArtifactKind::Unknown, "{cut:?}");
        }
        assert_eq!(sniff(b"crashsift says nothing about my crash"), ArtifactKind::Ticket);
    }

    #[test]
    fn a_ticket_may_begin_like_something_else() {
        for text in [
            "crashsift: 3 crashes since Monday, exit code -1073740791",
            "#! crash of the trainer\nexit code -1073740791",
            "schema: 1\nThe trainer crashed while it read this file.\nexit code -1073740791",
            "MDMP files attached, exit code -1073740791",
            "PS> python train.py\nPS> exit\n",
        ] {
            assert_eq!(sniff(text.as_bytes()), ArtifactKind::Ticket, "{text}");
        }
        assert_eq!(sniff(b"#!/usr/bin/env python\nprint(1)"), ArtifactKind::Unknown);
        assert_eq!(sniff(b"schema: 1\nabout: codes\n"), ArtifactKind::Unknown);
    }

    #[test]
    fn a_name_promises_a_kind() {
        for (name, kind) in [
            ("python.exe.4312.dmp", Some(ArtifactKind::Minidump)),
            ("WER1.tmp.MDMP", Some(ArtifactKind::Minidump)),
            ("MEMORY.DMP", Some(ArtifactKind::KernelDump)),
            ("073024-9531-01.dmp", Some(ArtifactKind::KernelDump)),
            ("Mini081224-01.dmp", Some(ArtifactKind::KernelDump)),
            ("1234-5678.dmp", Some(ArtifactKind::Minidump)),
            ("12345678-1.dmp", Some(ArtifactKind::Minidump)),
            ("minidump.dmp", Some(ArtifactKind::Minidump)),
            ("a.evtx", Some(ArtifactKind::EventLog)),
            ("Report.wer", Some(ArtifactKind::WerReport)),
            ("logs.zip", Some(ArtifactKind::Archive)),
            ("notes.txt", None),
            ("dmp", None),
        ] {
            assert_eq!(named_kind(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn an_office_document_is_no_archive_of_evidence() {
        let member = |name: &[u8]| [b"PK\x03\x04".as_slice(), &[0; 26], name].concat();
        assert_eq!(sniff(&member(b"dumps/a.dmp")), ArtifactKind::Archive);
        assert_eq!(sniff(&member(b"[Content_Types].xml")), ArtifactKind::Unknown);
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(sniff(&tar), ArtifactKind::Archive);
    }

    #[test]
    fn a_log_is_told_by_its_chunk_when_its_header_is_gone() {
        let mut log = vec![0; 4096];
        log.extend_from_slice(b"ElfChnk\0");
        assert_eq!(sniff(&log), ArtifactKind::EventLog);
    }
}
