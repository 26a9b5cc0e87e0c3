//! Matches Sigma rules with the records of event logs.

use std::borrow::Cow;

use evidence::{Names, Observation};
use evtx_scan::{ChannelIds, Record};
use jiff::Timestamp;
use sigma::SigmaRules;
use windows_events::RecordMatcher;

/// Sigma rules as a matcher of records.
#[derive(Debug, Clone, Copy)]
pub struct SigmaMatcher<'s>(pub &'s SigmaRules);

impl RecordMatcher for SigmaMatcher<'_> {
    fn records(&self) -> ChannelIds {
        let sigma::Records { by_channel, any } = self.0.records();
        ChannelIds::new(by_channel, any)
    }

    fn matches(&self, record: &Record<'_>, names: &Names) -> Vec<Observation> {
        let found = self.0.matches(&LogRecord(record), names).into_iter();
        found.map(|found| Observation::Sigma(Box::new(found))).collect()
    }
}

/// A record of an event log as Sigma rules see it.
#[derive(Debug, Clone, Copy)]
pub struct LogRecord<'l, 'r>(pub &'l Record<'r>);

impl sigma::Record for LogRecord<'_, '_> {
    fn provider(&self) -> &str {
        self.0.provider
    }

    fn event_id(&self) -> u32 {
        self.0.event_id
    }

    fn channel(&self) -> Option<&str> {
        self.0.channel
    }

    fn computer(&self) -> Option<&str> {
        self.0.computer
    }

    fn time(&self) -> Option<Timestamp> {
        self.0.time
    }

    fn fields(&self) -> Box<dyn Iterator<Item = (Option<&str>, &str)> + '_> {
        Box::new(self.0.fields.iter())
    }

    fn head(&self, part: &str) -> Option<Option<Cow<'_, str>>> {
        self.0.head.text(part).ok()
    }
}

#[cfg(test)]
mod tests {
    use windows_events::pasted_events;

    use super::*;

    const SYSTEM: &str = "<System><Provider Name='Application Error'/><EventID Qualifiers='0'>1000</EventID>\
        <TimeCreated SystemTime='2024-05-06T07:08:09.1234567Z'/><EventRecordID>77</EventRecordID>\
        <Channel>Application</Channel><Computer>PC-9</Computer></System>";

    fn crash(data: &str) -> String {
        format!("<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>{SYSTEM}<EventData>{data}")
    }

    #[test]
    fn sigma_rules_see_a_pasted_event_as_they_see_a_record() {
        let rule = "title: A shell by a crashed program\nid: 11111111-2222-3333-4444-555555555555\nlogsource: {product: windows, \
            service: application}\ndetection:\n  crash: {Provider_Name: Application Error, EventID: 1000, AppName|endswith: .exe}\n  \
            condition: crash\nlevel: low\n";
        let sigma = SigmaRules::of_text("rule.yml", rule);
        assert_eq!(sigma.len(), 1, "{}", sigma.summary());
        let matches = |app: &str| {
            let event = crash(&format!("<Data Name='AppName'>{app}</Data></EventData></Event>"));
            let events = pasted_events(&event, &Names::default(), Some(&SigmaMatcher(&sigma)));
            events.into_iter().flat_map(|event| event.matches).map(|found| found.observation).collect::<Vec<_>>()
        };
        let found = matches("tool.exe");
        assert!(matches!(&*found, [Observation::Sigma(found)] if found.event_id == 1000 && found.time.is_some()));
        assert!(matches("tool.com").is_empty());
    }
}
