//! Records that are wanted by channel and event id.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

use super::binary_xml::value::until_nul;
use super::selection::NameHasher;

/// How many channels' names are remembered before all are forgotten. Damaged logs may hold any number of names.
const MOST_REMEMBERED: usize = 4096;
/// The longest name that is remembered, bytes. Windows allows 255 characters.
const LONGEST_REMEMBERED: usize = 512;

/// Event ids by channel.
#[derive(Debug, Clone, Default)]
pub struct ChannelIds {
    /// By the channel's name in lower case; `None` for every id.
    channels: BTreeMap<String, Option<BTreeSet<u32>>>,
    /// Of every channel.
    any: Option<BTreeSet<u32>>,
}

impl ChannelIds {
    /// The ids of each channel, by its name in lower case, and those of every channel; `None` is every id.
    #[must_use]
    pub fn new(channels: BTreeMap<String, Option<BTreeSet<u32>>>, any: Option<BTreeSet<u32>>) -> Self {
        Self { channels, any }
    }

    /// Whether the record is wanted.
    #[must_use]
    pub fn has(&self, channel: Option<&str>, id: u32) -> bool {
        is_in(&self.any, id) || channel.is_some_and(|channel| self.has_lower(&channel.to_lowercase(), id))
    }

    /// The same for the name of a channel in lower case.
    fn has_lower(&self, channel: &str, id: u32) -> bool {
        is_in(&self.any, id) || self.channels.get(channel).is_some_and(|ids| is_in(ids, id))
    }
}

fn is_in(ids: &Option<BTreeSet<u32>>, id: u32) -> bool {
    ids.as_ref().is_none_or(|ids| ids.contains(&id))
}

/// Channels as records name them.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    names: HashMap<Box<[u8]>, String, BuildHasherDefault<NameHasher>>,
}

impl Channels {
    /// Whether a record of the channel with this name, UTF-16, is wanted. As where it is decoded, a NUL ends it.
    pub(crate) fn wants(&mut self, ids: &ChannelIds, utf16: &[u8], id: u16) -> bool {
        let id = u32::from(id);
        if let Some(name) = self.names.get(utf16) {
            return ids.has_lower(name, id);
        }
        if self.names.len() >= MOST_REMEMBERED {
            self.names.clear();
        }
        let units: Vec<u16> = until_nul(utf16).as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        let name = String::from_utf16_lossy(&units).to_lowercase();
        let wants = ids.has_lower(&name, id);
        if utf16.len() <= LONGEST_REMEMBERED {
            self.names.insert(utf16.into(), name);
        }
        wants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_wanted_by_its_channel_in_any_case_and_its_id() {
        let of = |ids: &[u32]| Some(ids.iter().copied().collect::<BTreeSet<u32>>());
        let channels = [("system".to_owned(), of(&[7045])), ("security".to_owned(), None)];
        let ids = ChannelIds::new(channels.into(), of(&[1102]));
        assert!(ids.has(Some("SYSTEM"), 7045) && !ids.has(Some("System"), 1) && !ids.has(Some("Other"), 7045));
        assert!(ids.has(Some("Security"), 1) && ids.has(None, 1102) && !ids.has(None, 7045));
        let utf16: Vec<u8> = "System\0x".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut names = Channels::default();
        for _ in 0..2 {
            assert!(names.wants(&ids, &utf16, 7045) && !names.wants(&ids, &utf16, 7046));
        }
    }
}
