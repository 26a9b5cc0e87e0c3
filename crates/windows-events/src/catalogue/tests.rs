//! The events in the table, and those left out.

use super::*;
use facts::schema::TIMELINE_KINDS;

fn meaning(provider: &str, id: u32) -> Option<Meaning> {
    find(provider, id).map(|row| row.meaning)
}

#[test]
fn an_event_is_wanted_by_provider_and_id_together() {
    assert_eq!(meaning("Application Error", 1000), Some(Meaning::ApplicationError));
    assert_eq!(meaning("Application Error", 1001), None);
    assert_eq!(meaning("Windows Error Reporting", 1000), None);
    assert_eq!(meaning("Security", 1000), None);
    assert_eq!(meaning("", 1000), None);
}

#[test]
fn providers_compare_without_regard_to_case() {
    assert_eq!(meaning("Disk", 51), Some(Meaning::Storage));
    assert_eq!(meaning("disk", 51), Some(Meaning::Storage));
    assert_eq!(meaning("SERVICE CONTROL MANAGER", 7034), Some(Meaning::ServiceEnded));
}

#[test]
fn the_same_id_means_what_its_provider_says() {
    assert_eq!(meaning("disk", 153), Some(Meaning::Storage));
    assert_eq!(meaning("nvlddmkm", 153), Some(Meaning::DisplayDriver));
    assert_eq!(meaning("Windows Error Reporting", 1001), Some(Meaning::Wer));
    assert_eq!(meaning("BugCheck", 1001), Some(Meaning::BugCheck));
    assert_eq!(meaning("Microsoft-Windows-WER-SystemErrorReporting", 1001), Some(Meaning::BugCheck));
}

#[test]
fn a_family_holds_every_generation_of_a_driver() {
    for provider in ["iaStorA", "iaStorAC", "iastorvd", "LSI_SAS2", "stornvme", "storvsc"] {
        assert_eq!(meaning(provider, 129), Some(Meaning::Storage), "{provider}");
    }
    for provider in ["igfx", "igfxn", "igfxnd"] {
        assert_eq!(meaning(provider, 4), Some(Meaning::DisplayDriver), "{provider}");
    }
    for provider in ["iaSto", "LSI", "ige", "igfxCUIService2.0.0.0", "nvlddmkm2", "ä"] {
        assert_eq!(meaning(provider, 129), None, "{provider}");
    }
}

#[test]
fn every_hardware_error_has_a_row() {
    for id in (1..=3).chain(16..=29).chain(40..=49) {
        let corrected = match meaning("Microsoft-Windows-WHEA-Logger", id) {
            Some(Meaning::Hardware) => false,
            Some(Meaning::CorrectedHardware) => true,
            _ => panic!("WHEA-Logger {id} is not catalogued"),
        };
        if id >= 16 {
            assert_eq!(corrected, id % 2 == 1, "{id}");
        }
    }
}

#[test]
fn rows_without_effect_are_absent() {
    // Volume shadow copies that run out of space, and what each signature check found.
    for (provider, id) in [("Volsnap", 36), ("disk", 98), ("Display", 4102), ("Microsoft-Windows-CodeIntegrity", 3089)]
    {
        assert_eq!(meaning(provider, id), None, "{provider} {id}");
    }
}

#[test]
fn timeline_words_are_those_of_the_fact() {
    assert!(ROWS.len() >= 108, "{} rows", ROWS.len());
    for row in ROWS.iter() {
        assert!(TIMELINE_KINDS.contains(&row.timeline), "{row:?}");
    }
}

#[test]
fn every_event_that_is_explained_is_read_or_said_not_to_be() {
    for event in windows_codes::events() {
        let read = event.called.iter().chain([&event.provider]).any(|name| find(name, event.id).is_some());
        let said = event.look.iter().any(|text| text.contains("this program does not read it"));
        assert!(read != said, "{} {}", event.provider, event.id);
    }
}

#[test]
fn no_row_is_hidden_behind_another() {
    for (index, row) in ROWS.iter().enumerate() {
        for other in &ROWS[..index] {
            let wanted = wanted_row(other);
            let same_provider = row.providers.iter().any(|name| wanted.is_of_provider(name.trim_end_matches('*')));
            let same_id = row.ids.is_empty()
                || other.ids.is_empty()
                || row.ids.iter().cloned().flatten().any(|id| other.ids.iter().any(|others| others.contains(&id)));
            assert!(!(same_provider && same_id), "{row:?} is hidden behind {other:?}");
        }
    }
}
