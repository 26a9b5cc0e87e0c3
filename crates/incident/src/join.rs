//! Which sightings are of the same incident.
//!
//! Keys, strongest first: WER's report id; process id with start time; the parameters of a blue screen; the name of the
//! dump's file; and, where the evidence holds no id, computer and closeness in time among records that Windows writes
//! together, or of the same program in the same version. Sightings of different computers are never joined, and a sighting
//! that fits two incidents is joined to neither. Texts that people pasted come last: they join the one incident that agrees
//! with them. [`JoinKey`] lists the keys with their strength.
//!
//! [`JoinKey`]: key::JoinKey

mod by_time;
mod companions;
mod compare;
mod copies;
mod dump_path;
mod exits;
pub(super) mod key;
pub(super) mod last_alive;
pub(super) mod limits;
mod name_and_time;
mod process;
mod refusals;
mod reports;
mod resets;
mod restarts;
mod services;
pub(super) mod sets;
mod stop_and_time;
mod stops;
mod tickets;

use self::last_alive::LastAlive;
use self::sets::{JoinedSightings, Sets};
use super::sighting::Sighting;
use super::sourced_evidence::SourcedEvidence;

/// Groups the sightings, which are those of `items`: each group is one incident. Groups come in the order of their first
/// sighting.
pub(super) fn join<'s>(items: &[SourcedEvidence], sightings: &'s [Sighting<'s>]) -> Vec<JoinedSightings<'s>> {
    let mut sets = Sets::new(sightings);
    let alive = LastAlive::new(sightings);
    reports::by_report_id(sightings, &mut sets);
    let copies = copies::by_copy(sightings, &mut sets);
    process::by_process(sightings, &mut sets);
    stops::by_bugcheck(sightings, &alive, &mut sets);
    reports::by_report_folder(sightings, &mut sets);
    dump_path::by_dump_path(sightings, &alive, &mut sets);
    companions::by_pid(sightings, &mut sets);
    exits::by_exit(sightings, &mut sets);
    services::by_service(sightings, &services::Installed::new(items, sightings), &mut sets);
    restarts::by_restart(sightings, &mut sets);
    stop_and_time::by_stop_and_time(sightings, &alive, &mut sets);
    resets::by_reset_burst(sightings, &mut sets);
    refusals::by_refusal_burst(sightings, &mut sets);
    companions::by_companionship(sightings, &mut sets);
    name_and_time::by_name_and_time(sightings, &mut sets);
    copies::across_folders(copies, &mut sets);
    let mut fit_several = tickets::by_ticket(sightings, &mut sets);
    let failures = refusals::Failures::new(sightings, &mut sets);
    let mut groups = sets.groups();
    groups.retain(|group| !failures.explain(group));
    for group in groups.iter_mut().filter(|group| group.members.iter().all(|sighting| sighting.is_text())) {
        let fits = group.members.iter().find_map(|member| fit_several.remove(&member.index));
        group.fits = fits.unwrap_or_default();
    }
    groups
}
