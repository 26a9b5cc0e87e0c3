//! Sessions that ended without a shutdown.

use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::{LostPower, kernel_power, unclean_shutdown};

use crate::sample::{File, Incident, Sample};

pub fn lost_power() -> Sample {
    let boot = FileTime::utc(2024, 8, 2, 6, 57, 12);
    let mut log = EventLog::new("System", "PC-06").starting_at(71_433);
    log.add(kernel_power(boot, LostPower::default()));
    log.add(unclean_shutdown(boot.plus_seconds(9), boot.minus_seconds(612), 2, 38_211));
    Sample {
        name: "power-lost",
        shows: "The system came up after a session that was not shut down. No stop code, no power button, no dump: \
                power was lost, or the machine stood still; more is not in the log.",
        made: "System.evtx of PC-06 with Kernel-Power 41 (code 0) and EventLog 6008, whose bytes hold the last sign \
               of life ten minutes before the start.",
        files: vec![File::event_log("System.evtx", &log)],
        incidents: vec![Incident::new("power-loss", &["System.evtx"]).because(
            &["power-loss", "undetermined", "hardware-fault"],
            0.0,
            0.75,
        )],
    }
}
