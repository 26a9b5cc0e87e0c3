//! Records that are wanted by channel and event id.

use std::collections::{BTreeMap, BTreeSet};

use super::utf16_names::ByName;

/// Event ids by channel.
#[derive(Debug, Clone, Default)]
pub struct ChannelIds {
    /// By the channel's name in lower case; `None` for every id.
    channels: BTreeMap<String, Option<BTreeSet<u32>>>,
    /// The ids that are wanted in every channel; `None` for every id.
    any: Option<BTreeSet<u32>>,
}

impl ChannelIds {
    /// The ids of each channel, by the channel's name in lower case, and the ids that are wanted in every channel; `None`
    /// stands for every id.
    #[must_use]
    pub fn new(channels: BTreeMap<String, Option<BTreeSet<u32>>>, any: Option<BTreeSet<u32>>) -> Self {
        Self { channels, any }
    }

    /// Whether records of this channel with this event id are wanted.
    #[must_use]
    pub fn has(&self, channel: Option<&str>, id: u32) -> bool {
        contains(&self.any, id) || channel.is_some_and(|channel| self.has_lower(&channel.to_lowercase(), id))
    }

    /// As [`has`](Self::has), for the name of a channel in lower case.
    fn has_lower(&self, channel: &str, id: u32) -> bool {
        contains(&self.any, id) || self.channels.get(channel).is_some_and(|ids| contains(ids, id))
    }

    /// As [`has`](Self::has), for the name of a channel in UTF-16, which ends at a NUL, as where it is decoded. `names`
    /// remembers the names in lower case.
    pub(crate) fn has_utf16(&self, names: &mut ByName<String>, channel: &[u8], id: u16) -> bool {
        names.with(channel, |name| name.to_lowercase(), |name| self.has_lower(name, id.into()))
    }
}

fn contains(ids: &Option<BTreeSet<u32>>, id: u32) -> bool {
    ids.as_ref().is_none_or(|ids| ids.contains(&id))
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
        let mut names = ByName::default();
        for _ in 0..2 {
            assert!(ids.has_utf16(&mut names, &utf16, 7045) && !ids.has_utf16(&mut names, &utf16, 7046));
        }
    }
}
