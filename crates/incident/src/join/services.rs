//! Ends of services, which crashes of their processes explain.

use std::collections::HashMap;

use jiff::SignedDuration;

use super::by_time::SightingsByTime;
use super::key::JoinKey;
use super::sets::Sets;
use crate::sighting::{Family, Sighting};
use crate::sourced_evidence::SourcedEvidence;
use evidence::{EventBody, Observation, base_name};
use windows_codes::Knowledge;

/// How far the end of a service can be from the crash of its process. Measured: 0.5 seconds behind it.
const WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// How much earlier than the crash's own record the end of the service can be logged: Windows Error Reporting writes that
/// record, and the Service Control Manager sees the process end.
const EARLIER: SignedDuration = SignedDuration::from_secs(1);

/// The programs of services that were installed while the logs were kept, by Service Control Manager 7045.
pub(super) struct Installed(HashMap<(String, String), String>);

impl Installed {
    /// The programs among `items`, by computer and service in lower case. Nothing is looked up where no service ended.
    pub(super) fn new(items: &[SourcedEvidence], sightings: &[Sighting<'_>]) -> Self {
        let mut programs = HashMap::new();
        if sightings.iter().any(|sighting| sighting.family == Family::Service) {
            for item in items {
                let Observation::Event(event) = &item.observation else { continue };
                let content = &event.content;
                if content.id != 7045 || !content.provider.eq_ignore_ascii_case("Service Control Manager") {
                    continue;
                }
                let field = |wanted: &str| content.fields.iter().find(|(name, _)| *name == wanted);
                let (Some(host), Some((_, service)), Some((_, path))) =
                    (&event.computer, field("ServiceName"), field("ImagePath"))
                else {
                    continue;
                };
                programs.insert((host.to_lowercase(), service.trim().to_lowercase()), program_of(path));
            }
        }
        Self(programs)
    }
}

/// Joins the end of a service to the crash of its process at that moment: that of a shared host, whose record names the
/// service; that of a program with the service's name; or that of the program with which the service was installed or is
/// known to run.
pub(super) fn by_service(sightings: &[Sighting<'_>], installed: &Installed, sets: &mut Sets<'_>) {
    let crashes = SightingsByTime::new(sightings, |sighting| sighting.family == Family::Crash);
    for sighting in sightings.iter().filter(|sighting| sighting.family == Family::Service) {
        let Some(EventBody::ServiceEnded(end)) = sighting.event_body() else { continue };
        // Without the name that every language shares, the other one may be that name.
        let service = end.name.as_deref().unwrap_or(&end.display_name);
        let key = sighting.host.as_ref().map(|host| (host.to_lowercase(), service.to_lowercase()));
        let of_display = || {
            let host = sighting.host.as_ref()?.to_lowercase();
            installed.0.get(&(host, end.display_name.to_lowercase()))
        };
        let own = key.and_then(|key| installed.0.get(&key)).or_else(of_display);
        let known = Knowledge.program_of_service(service);
        let nearest = crashes.nearest(sighting, WINDOW, |crash| {
            let Some(EventBody::ApplicationError(error)) = crash.event_body() else { return false };
            let app = &error.app;
            let hosted = app.split_once('_').map(|(_, hosted)| hosted);
            let own_program = app.rsplit_once('.').map(|(stem, _)| stem);
            let mut names = [hosted, own_program].into_iter().flatten();
            let is_named = names.any(|name| name.eq_ignore_ascii_case(service));
            let mut programs = [own.map(String::as_str), known].into_iter().flatten();
            let is_program = programs.any(|program| program.eq_ignore_ascii_case(base_name(app)));
            let after = crash.time.zip(sighting.time).map(|(crash, end)| end.duration_since(crash));
            (is_named || is_program) && after.is_some_and(|after| after >= -EARLIER)
        });
        if let Some(crash) = nearest {
            sets.join(crash, sighting, JoinKey::Service);
        }
    }
}

/// The file name of the program in a service's command: a path in quotes with arguments behind it, or a path that ends at
/// `.exe`.
fn program_of(command: &str) -> String {
    let command = command.trim();
    let path = match command.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or(quoted),
        None => {
            let end = command.to_ascii_lowercase().find(".exe").map(|at| at.saturating_add(".exe".len()));
            end.and_then(|end| command.get(..end)).unwrap_or(command)
        }
    };
    base_name(path.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_command_has_no_arguments() {
        for (command, program) in [
            (r#""C:\Program Files\Demo\demo svc.exe" -k run"#, "demo svc.exe"),
            (r"C:\Program Files\Demo\Demo.EXE --service", "Demo.EXE"),
            (r"C:\Windows\System32\spoolsv.exe", "spoolsv.exe"),
            ("tool", "tool"),
            ("\"", ""),
        ] {
            assert_eq!(program_of(command), program, "{command}");
        }
    }
}
