//! Sessions that ended without a shutdown.

use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::{LostPower, MachineCheck, kernel_power, log_cleared, machine_check, unclean_shutdown};

use crate::sample::{File, Incident, Sample};

pub fn lost_power() -> Sample {
    let boot = FileTime::utc(2024, 8, 2, 6, 57, 12);
    let mut log = EventLog::new("System", "PC-06").starting_at(71_433);
    log.add(kernel_power(boot, LostPower::default()));
    log.add(unclean_shutdown(boot.plus_seconds(9), boot.minus_seconds(612), 2, 38_211));
    Sample {
        name: "power-lost",
        shows: "The system came up after a session that was not shut down. No stop code, no power button, no dump: \
                power was lost, or the machine froze; the log contains no more.",
        made: "System.evtx of PC-06 with Kernel-Power 41 (code 0) and EventLog 6008, whose bytes contain the last \
               time at which the system ran, ten minutes before the start.",
        files: vec![File::event_log("System.evtx", &log)],
        incidents: vec![Incident::new("power-loss", &["System.evtx"]).because(
            &["power-loss", "undetermined", "hardware-fault"],
            0.0,
            0.75,
        )],
    }
}

pub fn logs_cleared_before() -> Sample {
    let boot = FileTime::utc(2024, 8, 5, 9, 41, 33);
    let cleared = FileTime::utc(2024, 8, 5, 8, 15, 2);
    let mut system = EventLog::new("System", "PC-08");
    system.add(log_cleared(cleared, Some("System"), "anna"));
    system.add(log_cleared(cleared.plus_seconds(4), Some("Application"), "anna"));
    system.add(kernel_power(boot, LostPower::default()));
    system.add(unclean_shutdown(boot.plus_seconds(9), boot.minus_seconds(77), 2, 5_120));
    let mut security = EventLog::new("Security", "PC-08");
    security.add(log_cleared(cleared.plus_seconds(9), None, "anna"));
    Sample {
        name: "cleared-logs",
        shows: "The logs were cleared an hour before the power was lost. Earlier power losses and changes are no \
                longer in them, and the report states this.",
        made: "System.evtx of PC-08 with Eventlog 104 of the System and the Application log, Kernel-Power 41 (code 0) \
               and EventLog 6008; Security.evtx with Eventlog 1102.",
        files: vec![File::event_log("System.evtx", &system), File::event_log("Security.evtx", &security)],
        incidents: vec![Incident::new("power-loss", &["System.evtx"]).because(
            &["power-loss", "undetermined", "hardware-fault"],
            0.0,
            0.75,
        )],
    }
}

pub fn machine_check_at_boot() -> Sample {
    /// `WHEA_UNCORRECTABLE_ERROR`.
    const CODE: u32 = 0x124;
    // Valid, overflow, uncorrected, enabled, context corrupt; internal parity error.
    const STATUS: u64 = 0xF200_0000_0004_0005;
    let boot = FileTime::utc(2024, 12, 3, 17, 30, 41);
    // Source 0 is a machine check; then the record's address and the status in halves.
    let parameters = [0, 0xFFFF_C40F_9E21_5028, STATUS >> 32, STATUS & 0xFFFF_FFFF];
    let check = MachineCheck { apic_id: 24, bank: 0, status: STATUS, address: 0, error_type: 12 };
    let mut log = EventLog::new("System", "PC-07").starting_at(15_880);
    log.add(kernel_power(boot, LostPower { code: CODE, parameters, power_button: None }));
    log.add(unclean_shutdown(boot.plus_seconds(8), boot.minus_seconds(95), 2, 5120));
    log.add(machine_check(boot.plus_seconds(10), check));
    Sample {
        name: "machine-check",
        shows: "The processor reported an error that it could not correct; the system stopped with 0x124 (292 in \
                Kernel-Power's decimal) and logged the machine check at the next start.",
        made: "System.evtx of PC-07 with Kernel-Power 41, EventLog 6008 and WHEA-Logger 18: bank 0, internal parity \
               error, status 0xf200000000040005.",
        files: vec![File::event_log("System.evtx", &log)],
        incidents: vec![Incident::new("bugcheck", &["System.evtx"]).bugcheck("0x00000124").because(
            &["cpu-instability", "hardware-fault", "unstable-clocking"],
            0.4,
            0.95,
        )],
    }
}
