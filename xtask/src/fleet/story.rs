//! What happens in the fleet, and to which machines: the patterns that an analysis of all machines should find.

use samplekit::{FileTime, Random};

use crate::scene::Windows;

/// The fleet's time and chance.
#[derive(Debug)]
pub struct Story {
    /// Days that the logs cover.
    pub days: u64,
    /// Seed of everything that is left to chance.
    pub seed: u64,
}

/// Days until a change has reached all machines that get it.
const ROLLOUT: usize = 5;

impl Story {
    /// The first moment of a day, from 0.
    pub fn day(&self, day: u64) -> FileTime {
        FileTime::utc(2025, 3, 3, 0, 0, 0).plus_seconds(day * 86_400)
    }

    /// The day on which a display driver with a defect reaches the first machines.
    pub fn update(&self) -> u64 {
        self.days / 4
    }

    /// The day on which firmware with a defect reaches the first machines.
    pub fn firmware(&self) -> u64 {
        self.days / 2
    }

    /// The day on which the repaired display driver reaches the first machines.
    pub fn fix(&self) -> u64 {
        self.days * 2 / 3
    }
}

/// What one machine is like.
#[derive(Debug)]
pub struct Traits {
    /// Its number, from 0.
    pub number: usize,
    /// Its name: `LT-` and a number for laptops, `DT-` for desktops.
    pub host: String,
    /// Its Windows.
    pub windows: Windows,
    /// The day from which it has the display driver with the defect.
    pub updated: Option<u64>,
    /// The day from which it has the repaired display driver.
    pub fixed: Option<u64>,
    /// Whether an overlay is loaded into its programs.
    pub overlay: bool,
    /// Whether its memory is damaged: few laptops, which have a great part of all crashes.
    pub bad_memory: bool,
    /// Whether its drive is of the model that fails.
    pub bad_drive: bool,
    /// The day from which it has the firmware with the defect.
    pub firmware: Option<u64>,
}

impl Traits {
    /// The traits of a machine, which depend on the seed and its number alone.
    pub fn new(story: &Story, number: usize) -> Self {
        let mut random = random(story, number, 1);
        let laptop = random.below(100) < 45;
        let windows = if random.below(100) < 40 { Windows::Ten } else { Windows::Eleven };
        let mut in_rollout = |percent, begin: u64| {
            let (lot, day) = (random.below(100), random.below(ROLLOUT));
            (lot < percent).then_some(begin + day as u64)
        };
        let updated = in_rollout(25, story.update());
        let fixed = in_rollout(90, story.fix()).filter(|_| updated.is_some());
        let firmware = in_rollout(12, story.firmware()).filter(|_| laptop);
        let host = format!("{}-{number:05}", if laptop { "LT" } else { "DT" });
        let mut one_of = |hundred, thousandths| random.below(1000) < thousandths && hundred;
        let (overlay, bad_memory, bad_drive) = (one_of(true, 60), one_of(laptop, 25), one_of(true, 30));
        Self { number, host, windows, updated, fixed, overlay, bad_memory, bad_drive, firmware }
    }

    /// The version of the display driver on a day.
    pub fn driver(&self, day: u64) -> &'static Driver {
        let since = |from: Option<u64>| from.is_some_and(|from| from <= day);
        match (since(self.updated), since(self.fixed)) {
            (_, true) => &DRIVERS[2],
            (true, false) => &DRIVERS[1],
            (false, false) => &DRIVERS[0],
        }
    }
}

/// A version of the display driver.
#[derive(Debug)]
pub struct Driver {
    /// As Windows writes it.
    pub version: &'static str,
    /// When it was linked.
    pub linked: FileTime,
}

/// The display driver that all machines begin with, the one with the defect, and the repaired one.
pub static DRIVERS: [Driver; 3] = [
    Driver { version: "32.0.15.6094", linked: FileTime::utc(2024, 8, 14, 3, 0, 0) },
    Driver { version: "32.0.15.7283", linked: FileTime::utc(2025, 3, 1, 3, 0, 0) },
    Driver { version: "32.0.15.7316", linked: FileTime::utc(2025, 4, 2, 3, 0, 0) },
];

/// Numbers for one use of a machine: uses do not change each other's.
pub fn random(story: &Story, number: usize, purpose: u64) -> Random {
    let mixed = [story.seed, number as u64, purpose].iter().flat_map(|part| part.to_le_bytes()).collect::<Vec<u8>>();
    Random::new(samplekit::bytes::stable_hash(&mixed))
}
