//! Programs that did not start.

use std::sync::Arc;

use super::super::fields::Fields;
use super::split_extension;
use evidence::{EventBody, base_name};

/// The fields with the program and the assembly among SideBySide's values, of which each event fills only a few.
const PROGRAM: &str = "data10";
const ASSEMBLY: &str = "data0";
/// Extensions of programs in the title of a message box.
const PROGRAM_EXTENSIONS: &[&str] = &[".exe", ".com", ".scr"];

/// SideBySide 33 to 80.
pub(super) fn side_by_side(fields: &Fields<'_>) -> EventBody {
    EventBody::SideBySide {
        assembly: fields.text(ASSEMBLY).map(|assembly| unescaped(&assembly)),
        app: fields.text(PROGRAM),
    }
}

/// The assembly's name with asterisks, which the record has as character references that were escaped twice.
fn unescaped(assembly: &Arc<str>) -> Arc<str> {
    if assembly.contains("&#x") {
        Arc::from(assembly.replace("&#x2a;", "*").replace("&#x2A;", "*"))
    } else {
        Arc::clone(assembly)
    }
}

/// Application Popup 26.
pub(super) fn popup(fields: &Fields<'_>) -> Option<EventBody> {
    let caption = fields.text("Caption")?;
    let message = fields.text("Message").unwrap_or_else(|| Arc::from(""));
    Some(EventBody::Popup { app: program(&caption).map(Arc::from), dlls: dlls(&message), caption, message })
}

/// The program in a title such as `tool.exe - System Error`, whose second part is in the system's language.
fn program(caption: &str) -> Option<&str> {
    let (program, _) = caption.rsplit_once(" - ")?;
    let program = base_name(program.trim());
    let (_, extension) = split_extension(program)?;
    PROGRAM_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)).then_some(program)
}

/// The different file names that end in `.dll`, in their order. Text in any language may be directly beside them, so they are
/// found by the characters that names of DLLs consist of.
fn dlls(message: &str) -> Vec<Arc<str>> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || "_-.+@#$~".contains(character);
    let mut found: Vec<Arc<str>> = Vec::new();
    for word in message.split(|character| !is_name(character)) {
        let word = word.trim_matches('.');
        let Some((stem, extension)) = split_extension(word) else { continue };
        if !stem.is_empty()
            && extension.eq_ignore_ascii_case(".dll")
            && !found.iter().any(|known| known.eq_ignore_ascii_case(word))
        {
            found.push(Arc::from(word));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{named, positional};
    use super::*;

    #[test]
    fn a_missing_assembly_names_itself_and_the_program() {
        let mut values = [""; 20];
        values[0] = "Vendor.Runtime,language=\"&#x2a;\",processorArchitecture=\"amd64\",version=\"9.0.1.2\"";
        values[10] = "D:\\setup\\setup64.exe";
        let Some(EventBody::SideBySide { assembly, app }) = positional("SideBySide", 33, &values) else {
            panic!("a start failure")
        };
        let expected = "Vendor.Runtime,language=\"*\",processorArchitecture=\"amd64\",version=\"9.0.1.2\"";
        assert_eq!(assembly.as_deref(), Some(expected));
        assert_eq!(app.as_deref(), Some("D:\\setup\\setup64.exe"));
    }

    #[test]
    fn a_faulty_manifest_may_name_no_assembly() {
        let mut values = [""; 19];
        (values[7], values[8], values[10]) = ("C:\\a\\tool.manifest", "3", "C:\\a\\tool.exe");
        let Some(EventBody::SideBySide { assembly, app }) = positional("SideBySide", 59, &values) else {
            panic!("a start failure")
        };
        assert_eq!((assembly, app.as_deref()), (None, Some("C:\\a\\tool.exe")));
    }

    fn read(caption: &str, message: &str) -> (Option<String>, Vec<String>) {
        let data = json!({"Caption": caption, "Message": message});
        let Some(EventBody::Popup { app, dlls, .. }) = named("Application Popup", 26, data) else { panic!("a popup") };
        (app.map(|app| app.to_string()), dlls.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_missing_dll_is_found_in_any_language() {
        let tool = Some("tool.exe".to_owned());
        for message in [
            "The code execution cannot proceed because VENDOR140.dll was not found.",
            "由于找不到VENDOR140.dll，无法继续执行代码。",
            "Fehler in \"C:\\a b\\VENDOR140.dll\".",
        ] {
            let found = read("tool.exe - System Error", message);
            assert_eq!(found, (tool.clone(), vec!["VENDOR140.dll".to_owned()]), "{message}");
        }
    }

    #[test]
    fn a_dll_counts_once_and_a_bare_extension_is_none() {
        let (_, dlls) = read("x", "api-ms-win-x-l1-1-0.dll, B.DLL and b.dll; no .dll here, no a.dll.mui there");
        assert_eq!(dlls, ["api-ms-win-x-l1-1-0.dll", "B.DLL"]);
    }

    #[test]
    fn only_a_program_is_taken_from_the_caption() {
        assert_eq!(read("my - tool.exe - Erreur système", "").0.as_deref(), Some("my - tool.exe"));
        assert_eq!(read("C:\\a\\tool.EXE - x", "").0.as_deref(), Some("tool.EXE"));
        assert_eq!(read("Windows - Low Virtual Memory", "").0, None);
        assert_eq!(read("Some Title", "").0, None);
    }

    #[test]
    fn the_older_positional_form_reads_alike() {
        let values = ["tool.exe - System Error", "VENDOR140.dll is missing"];
        let Some(EventBody::Popup { caption, message, app, dlls }) = positional("Application Popup", 26, &values)
        else {
            panic!("a popup")
        };
        assert_eq!((&*caption, &*message), (values[0], values[1]));
        assert_eq!((app.as_deref(), dlls.len()), (Some("tool.exe"), 1));
    }
}
