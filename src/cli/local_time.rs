//! `--local-time`: the zone of this computer.

use jiff::tz::TimeZone;

use super::Exit;
use super::stream::usage;

/// The zone of this computer, where times are wanted in it: that of the variable `TZ`, or of the system.
pub fn zone(wanted: bool) -> Result<Option<TimeZone>, Exit> {
    if !wanted {
        return Ok(None);
    }
    let zone = TimeZone::try_system();
    let unknown = |why| usage(format!("--local-time: the time zone of this computer is not known: {why}; set TZ"));
    zone.map(Some).map_err(unknown)
}
