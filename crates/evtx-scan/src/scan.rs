//! Deciding which records of a chunk are wanted without decoding them.
//!
//! A record is an instance of a template: a reference to a definition that stands somewhere in the chunk, and a table
//! of values. The definition tells where provider, event id, channel and computer come from; it is looked at once a
//! chunk. Records of one template mostly have values of the same types and sizes up to those parts, so that where
//! they lie is worked out once for each such layout, and a record is decided by comparing the beginning of its table
//! and looking at two places.

use std::ops::Range;
use std::sync::Arc;

use super::binary_xml::Unusual;
use super::binary_xml::system::{Part, System};
use super::binary_xml::token::{Instance, Tokens};
use super::binary_xml::value::Values;
use super::catalogue::Catalogue;
use super::channel_ids::{ChannelIds, Channels};
use super::coverage::Spans;
use super::definitions::{Definition, Definitions, Wanted};
use super::instance_layout::{Layouts, text};
use super::quiet_records::QuietRecords;
use super::records::RawRecord;
use super::selection::{Providers, Selection, WantedIds};
use untrusted::bytes::u16_at;

/// How many slots the table of a chunk's templates has: a power of two, several times what chunks were seen to hold
/// (6 on average). Of a chunk with more templates, the records of those that don't fit go to the `evtx` crate.
const SLOTS: usize = 512;

/// What is to be done with a record.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decision<'c> {
    /// Nobody wants it.
    Pass,
    /// It is wanted.
    Take(Shape<'c>),
    /// Its shape is unusual: only decoding it tells.
    Ask,
}

/// How a wanted record is built.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape<'c> {
    /// It holds its tokens itself.
    Plain,
    /// It is an instance of the template with this index, with these values.
    Instance(usize, Values<'c>),
}

/// The scan's memory: what it knows of the chunk that it is in, and of providers.
#[derive(Debug)]
pub(crate) struct Scanner {
    /// Generation, offset of a definition, and index into `templates`, by a hash of the offset. Those of other
    /// generations are of chunks before.
    slots: Vec<(u32, u32, u32)>,
    generation: u32,
    templates: Vec<Template>,
    definitions: Definitions,
    layouts: Layouts,
    providers: Providers,
    channels: Channels,
}

/// One template of the chunk.
#[derive(Debug)]
struct Template {
    /// What its definition says; `None` when that is of an unusual shape.
    system: Option<System>,
    /// Where its tokens end.
    tokens_end: usize,
    /// What is wanted of its provider, where the definition names it.
    provider: Option<Wanted>,
    /// Channel and computer, where the definition names both.
    span: Option<usize>,
    /// The number under which the layouts of its instances are known.
    layouts: usize,
    /// Where the provider stands that was looked up last, and what is wanted of it.
    known: (Range<usize>, WantedIds),
    /// Where the channel stands that was looked up last, and its span, where the definition names the computer.
    channel: (Range<usize>, usize),
    /// What its records that tell of nothing are known by.
    quiet: QuietRecords,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            slots: vec![(0, 0, 0); SLOTS],
            generation: 0,
            templates: Vec::new(),
            definitions: Definitions::default(),
            layouts: Layouts::default(),
            providers: Providers::new(Arc::default()),
            channels: Channels::default(),
        }
    }
}

impl Scanner {
    /// Forgets what belongs to the chunk before and, where other events are wanted than in that, what is known of
    /// providers.
    pub(crate) fn begin_chunk(&mut self, catalogue: &Arc<Catalogue>) {
        if !self.providers.are_of(catalogue) {
            self.providers = Providers::new(Arc::clone(catalogue));
            self.definitions = Definitions::default();
        }
        self.templates.clear();
        self.definitions.begin_chunk();
        self.layouts.begin_chunk();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill((0, 0, 0));
            self.generation = 1;
        }
    }

    /// Decides about `record` of the chunk in `bytes`, and notes in `spans` what it covers.
    #[inline]
    pub(crate) fn decide<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        selection: &Selection,
        spans: &mut Spans,
    ) -> Decision<'c> {
        let decision = self.decide_by_event(bytes, record, selection, spans);
        match (decision, selection.more()) {
            (Decision::Pass, Some(more)) => self.decide_by_channel(bytes, record, more, spans),
            _ => decision,
        }
    }

    /// Decides about a record that nobody wants by its provider.
    fn decide_by_channel<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        more: &ChannelIds,
        spans: &mut Spans,
    ) -> Decision<'c> {
        let (id, channel, shape) = match Instance::of_record(bytes, record.content_start()..record.content_end()) {
            Ok(Some(Instance { definition, values })) => {
                let Some(index) = self.template(bytes, definition, spans) else { return Decision::Ask };
                let Some(template) = self.templates.get_mut(index) else { return Decision::Ask };
                let Some(system) = &template.system else { return Decision::Ask };
                let Ok(places) = self.layouts.fitting(template.layouts, &values, system) else { return Decision::Ask };
                let id = match places.event_id {
                    Some(place) => u16_at(bytes, values.start().saturating_add(place)),
                    None => written_id(bytes, system.event_id),
                };
                let channel = places.channel.map_or_else(|| literal(system.channel), |place| text(&values, place));
                (id, channel, Shape::Instance(index, values))
            }
            Ok(None) => match plain_system(bytes, record) {
                Ok((system, _)) => (written_id(bytes, system.event_id), literal(system.channel), Shape::Plain),
                Err(_) => return Decision::Ask,
            },
            Err(Unusual(_)) => return Decision::Ask,
        };
        let (Some(id), Some(channel)) = (id, bytes.get(channel)) else { return Decision::Ask };
        if self.channels.wants(more, channel, id) { Decision::Take(shape) } else { Decision::Pass }
    }

    /// The same by provider and event id, or by the record's own id.
    #[inline]
    fn decide_by_event<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        selection: &Selection,
        spans: &mut Spans,
    ) -> Decision<'c> {
        let instance = match Instance::of_record(bytes, record.content_start()..record.content_end()) {
            Ok(Some(instance)) => instance,
            Ok(None) => return self.decide_plain(bytes, record, selection, spans),
            Err(Unusual(_)) => return Decision::Ask,
        };
        let values = instance.values;
        let Some(index) = self.template(bytes, instance.definition, spans) else { return Decision::Ask };
        let Some(template) = self.templates.get_mut(index) else { return Decision::Ask };
        let Some(system) = &template.system else { return Decision::Ask };
        let outcome =
            |wanted: bool| if wanted { Decision::Take(Shape::Instance(index, values)) } else { Decision::Pass };

        if let Some(span) = template.span {
            spans.add(span, record.filetime);
            // Nothing of the record needs to be looked at.
            if !selection.asks_by_event() {
                return outcome(selection.takes_record(record.id));
            }
            match template.provider {
                Some(Wanted::Nothing) => return Decision::Pass,
                Some(Wanted::All) => return outcome(true),
                Some(Wanted::Some(_)) | None => {}
            }
        }
        let Ok(places) = self.layouts.fitting(template.layouts, &values, system) else { return Decision::Ask };
        let text = |place| text(&values, place);
        if template.span.is_none() {
            let channel = places.channel.map_or_else(|| literal(system.channel), text);
            let is_known = places.computer.is_none()
                && !template.channel.0.is_empty()
                && is_same_text(bytes, &template.channel.0, &channel);
            if !is_known {
                let computer = places.computer.map_or_else(|| literal(system.computer), text);
                let span = spans.find(bytes, channel.clone(), computer);
                // With a computer of its own, the next record is asked for it again.
                let known = if places.computer.is_none() { channel } else { 0..0 };
                template.channel = (known, span);
            }
            spans.add(template.channel.1, record.filetime);
            if !selection.asks_by_event() {
                return outcome(selection.takes_record(record.id));
            }
        }
        let id = match places.event_id {
            Some(place) => u16_at(bytes, values.start().saturating_add(place)),
            None => written_id(bytes, system.event_id),
        };
        let Some(id) = id else { return Decision::Ask };
        let data = system.end..template.tokens_end;
        let catalogue = selection.catalogue();
        match template.provider {
            Some(Wanted::Nothing) => return Decision::Pass,
            Some(Wanted::All) => return outcome(true),
            Some(Wanted::Some(ids)) => {
                let row = if catalogue.lists(id) { self.providers.row(ids, id) } else { None };
                return outcome(row.is_some_and(|row| !template.quiet.has(bytes, catalogue, row, data, &values)));
            }
            None => {}
        }
        let Some(provider) = places.provider.map(text) else { return Decision::Ask };
        if !catalogue.lists(id) && !u16_at(bytes, provider.start).is_some_and(|first| catalogue.may_want_all_of(first))
        {
            return Decision::Pass;
        }
        let Some(name) = bytes.get(provider.clone()) else { return Decision::Ask };
        if bytes.get(template.known.0.clone()) != Some(name) {
            template.known = (provider, self.providers.wanted(name));
        }
        let row = self.providers.row(template.known.1, id);
        outcome(row.is_some_and(|row| !template.quiet.has(bytes, catalogue, row, data, &values)))
    }

    /// The same for a record that uses no template, as some forwarded events do.
    #[cold]
    fn decide_plain<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        selection: &Selection,
        spans: &mut Spans,
    ) -> Decision<'c> {
        let Ok((system, _)) = plain_system(bytes, record) else { return Decision::Ask };
        spans.add_texts(bytes, literal(system.channel), literal(system.computer), record.filetime);
        let wanted = if selection.asks_by_event() {
            let Some(id) = written_id(bytes, system.event_id) else { return Decision::Ask };
            let Part::Literal(start, end) = system.provider else { return Decision::Ask };
            let Some(name) = bytes.get(start..end) else { return Decision::Ask };
            {
                let wanted = self.providers.wanted(name);
                self.providers.row(wanted, id).is_some()
            }
        } else {
            selection.takes_record(record.id)
        };
        if wanted { Decision::Take(Shape::Plain) } else { Decision::Pass }
    }

    /// What the tokens of a wanted record of this chunk say of its system, and where they end.
    pub(crate) fn system(
        &self,
        bytes: &[u8],
        record: &RawRecord,
        shape: &Shape<'_>,
    ) -> Result<(System, usize), Unusual> {
        match shape {
            Shape::Plain => plain_system(bytes, record),
            Shape::Instance(template, _) => {
                let template = self.templates.get(*template);
                template
                    .and_then(|template| Some((template.system?, template.tokens_end)))
                    .ok_or(Unusual("a template of another chunk"))
            }
        }
    }

    /// The index of the template with its definition at `definition`; `None` when there are too many.
    #[inline]
    fn template(&mut self, bytes: &[u8], definition: usize, spans: &mut Spans) -> Option<usize> {
        let definition = u32::try_from(definition).ok()?;
        // Fibonacci hashing: the upper 9 bits of the product with 2^32 divided by the golden ratio.
        let mut slot = (definition.wrapping_mul(0x9E37_79B9) >> 23) as usize;
        for _ in 0..SLOTS {
            let known = self.slots.get_mut(slot)?;
            if known.0 != self.generation {
                let index = self.templates.len();
                *known = (self.generation, definition, u32::try_from(index).ok()?);
                let template = self.learn(bytes, definition as usize, spans);
                self.templates.push(template);
                return Some(index);
            }
            if known.1 == definition {
                return Some(known.2 as usize);
            }
            slot = slot.wrapping_add(1) % SLOTS;
        }
        None
    }

    #[cold]
    fn learn(&mut self, bytes: &[u8], definition: usize, spans: &mut Spans) -> Template {
        let mut template = Template {
            system: None,
            tokens_end: 0,
            provider: None,
            span: None,
            layouts: 0,
            known: (0..0, WantedIds::default()),
            channel: (0..0, 0),
            quiet: QuietRecords::default(),
        };
        let Ok(said) = self.definitions.read(bytes, definition, &mut self.providers) else { return template };
        let Definition { system, tokens_end, provider } = said;
        let is_value = |part| matches!(part, Part::Value(_));
        if !is_value(system.channel) && !is_value(system.computer) {
            template.span = Some(spans.find(bytes, literal(system.channel), literal(system.computer)));
        }
        template.layouts = self.layouts.of(&system);
        template.system = Some(system);
        template.tokens_end = tokens_end;
        template.provider = provider;
        template
    }
}

/// Whether the same stands at both places. Names of channels are short: most are compared without a call.
#[inline]
fn is_same_text(bytes: &[u8], one: &Range<usize>, other: &Range<usize>) -> bool {
    let (Some(one), Some(other)) = (bytes.get(one.clone()), bytes.get(other.clone())) else { return false };
    match one.len() {
        length if length != other.len() => false,
        // Both ends, which meet or overlap.
        8..=16 => one.first_chunk::<8>() == other.first_chunk() && one.last_chunk::<8>() == other.last_chunk(),
        17..=32 => one.first_chunk::<16>() == other.first_chunk() && one.last_chunk::<16>() == other.last_chunk(),
        _ => one == other,
    }
}

/// What a record that holds its tokens itself says of its system, and where its tokens end.
fn plain_system(bytes: &[u8], record: &RawRecord) -> Result<(System, usize), Unusual> {
    let mut tokens = Tokens::of_record(bytes, record.content_start()..record.content_end())?;
    Ok((System::read(&mut tokens)?, record.content_end()))
}

/// Where a text stands that the tokens write themselves; nowhere for any other part.
fn literal(part: Part) -> Range<usize> {
    match part {
        Part::Literal(start, end) => start..end,
        _ => 0..0,
    }
}

/// The event id that the tokens write themselves.
fn written_id(bytes: &[u8], part: Part) -> Option<u16> {
    match part {
        Part::Number(id) => Some(id),
        Part::Literal(start, end) => {
            let units = bytes.get(start..end)?.as_chunks::<2>().0;
            let digits = units.iter().try_fold(0_u16, |id, unit| {
                let digit = char::from_u32(u32::from(u16::from_le_bytes(*unit)))?.to_digit(10)?;
                id.checked_mul(10)?.checked_add(u16::try_from(digit).ok()?)
            });
            digits.filter(|_| !units.is_empty())
        }
        Part::Absent | Part::Value(_) | Part::Other => None,
    }
}
