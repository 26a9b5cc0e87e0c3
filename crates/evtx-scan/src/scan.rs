//! Deciding which records of a chunk are wanted without decoding them.
//!
//! A record is an instance of a template: the offset of a definition somewhere in the chunk, and a table of values. Which
//! values are provider, event id, channel and computer is read from the definition, once a chunk. Records of one template
//! mostly have values of the same types and sizes up to those parts, so that the offsets of the parts are worked out once for
//! each such layout. To decide about a record then takes comparing the beginning of its table and looking at two places.

use std::ops::Range;
use std::sync::Arc;

use super::binary_xml::Unusual;
use super::binary_xml::system::{Part, System};
use super::binary_xml::token::{Instance, Tokens};
use super::binary_xml::value::Values;
use super::catalogue::Catalogue;
use super::channel_ids::ChannelIds;
use super::coverage::ChannelSpans;
use super::definitions::{Definition, Definitions, Wanted};
use super::instance_layout::{Layouts, text};
use super::quiet_records::QuietRecords;
use super::records::RawRecord;
use super::selection::{Providers, Selection, WantedIds};
use super::utf16_names::ByName;
use untrusted::bytes::u16_at;

/// Number of slots in the table of a chunk's templates: a power of two, and many times the number that chunks were seen to
/// have (6 on average). In a chunk with more templates, the records of those that don't fit are left to the `evtx` crate.
const SLOTS: usize = 512;

/// Whether a record is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decision<'c> {
    /// The record is not wanted.
    Unwanted,
    /// The record is wanted, or is unless its fields mark it as quiet.
    Wanted(Shape<'c>),
    /// The record has an unusual shape: it must be decoded to decide.
    Unknown,
}

/// The shape of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape<'c> {
    /// The record contains its tokens itself.
    Plain,
    /// The record is an instance, with these values, of the template with this index in [`Scanner`].
    Instance(usize, Values<'c>),
}

/// The scan's memory: of the current chunk, and of definitions, layouts and providers of all chunks.
#[derive(Debug)]
pub(crate) struct Scanner {
    /// The table of the chunk's templates: generation, offset of a definition, and index into `templates`, by a hash of the
    /// offset. Slots with another generation than the current one are of earlier chunks, and free.
    slots: Vec<(u32, u32, u32)>,
    generation: u32,
    templates: Vec<Template>,
    definitions: Definitions,
    layouts: Layouts,
    providers: Providers,
    /// Names of channels in lower case.
    channels: ByName<String>,
}

/// A template of the current chunk.
#[derive(Debug, Default)]
struct Template {
    /// Where the definition has the parts of `System`; `None` for a definition of unusual shape.
    system: Option<System>,
    /// Where the definition's tokens end.
    tokens_end: usize,
    /// The wanted events of the provider, where the definition names one.
    provider: Option<Wanted>,
    /// The index of the span of channel and computer, where the definition names both.
    span: Option<usize>,
    /// The number of the template's layouts in [`Layouts`].
    layouts: usize,
    /// The place of the provider's name that was looked up last, and the provider's wanted events.
    provider_looked_up: (Range<usize>, WantedIds),
    /// The place of the channel's name that was looked up last, and the index of its span, where the definition names the
    /// computer; empty where it does not.
    channel_looked_up: (Range<usize>, usize),
    /// Where quiet records have the field that marks them.
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
            channels: ByName::default(),
        }
    }
}

impl Scanner {
    /// Forgets the templates of the chunk before and, if that was read with another catalogue, the wanted events of providers.
    pub(crate) fn begin_chunk(&mut self, catalogue: &Arc<Catalogue>) {
        if !Arc::ptr_eq(&self.providers.catalogue, catalogue) {
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

    /// Decides whether `record` of the chunk in `bytes` is wanted, and counts it in `spans`.
    #[inline]
    pub(crate) fn decide<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        selection: &Selection,
        spans: &mut ChannelSpans,
    ) -> Decision<'c> {
        let decision = self.decide_by_event(bytes, record, selection, spans);
        match (decision, selection.by_channel()) {
            (Decision::Unwanted, Some(wanted)) => self.decide_by_channel(bytes, record, wanted, spans),
            _ => decision,
        }
    }

    /// Decides by channel and event id about a record that is not wanted by provider and event id.
    fn decide_by_channel<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        wanted: &ChannelIds,
        spans: &mut ChannelSpans,
    ) -> Decision<'c> {
        let (id, channel, shape) = match Instance::of_record(bytes, record.content_start()..record.content_end()) {
            Ok(Some(Instance { definition, values })) => {
                let Some(index) = self.template(bytes, definition, spans) else { return Decision::Unknown };
                let Some(template) = self.templates.get_mut(index) else { return Decision::Unknown };
                let Some(system) = &template.system else { return Decision::Unknown };
                let Ok(places) = self.layouts.fitting(template.layouts, &values, system) else {
                    return Decision::Unknown;
                };
                let id = match places.event_id {
                    Some(place) => u16_at(bytes, values.start.saturating_add(place)),
                    None => literal_id(bytes, system.event_id),
                };
                let channel = places.channel.map_or_else(|| literal(system.channel), |place| text(&values, place));
                (id, channel, Shape::Instance(index, values))
            }
            Ok(None) => match plain_system(bytes, record) {
                Ok((system, _)) => (literal_id(bytes, system.event_id), literal(system.channel), Shape::Plain),
                Err(_) => return Decision::Unknown,
            },
            Err(Unusual(_)) => return Decision::Unknown,
        };
        let (Some(id), Some(channel)) = (id, bytes.get(channel)) else { return Decision::Unknown };
        if wanted.has_utf16(&mut self.channels, channel, id) { Decision::Wanted(shape) } else { Decision::Unwanted }
    }

    /// Decides by provider and event id, or by the record's id.
    #[inline]
    fn decide_by_event<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        selection: &Selection,
        spans: &mut ChannelSpans,
    ) -> Decision<'c> {
        let instance = match Instance::of_record(bytes, record.content_start()..record.content_end()) {
            Ok(Some(instance)) => instance,
            Ok(None) => return self.decide_plain(bytes, record, selection, spans),
            Err(Unusual(_)) => return Decision::Unknown,
        };
        let values = instance.values;
        let Some(index) = self.template(bytes, instance.definition, spans) else { return Decision::Unknown };
        let Some(template) = self.templates.get_mut(index) else { return Decision::Unknown };
        let Some(system) = &template.system else { return Decision::Unknown };
        let outcome =
            |wanted: bool| if wanted { Decision::Wanted(Shape::Instance(index, values)) } else { Decision::Unwanted };

        if let Some(span) = template.span {
            spans.add(span, record.filetime);
            // Nothing of the record needs to be looked at.
            if !selection.is_by_event() {
                return outcome(selection.selects_record(record.id));
            }
            match template.provider {
                Some(Wanted::Nothing) => return Decision::Unwanted,
                Some(Wanted::All) => return outcome(true),
                Some(Wanted::Some(_)) | None => {}
            }
        }
        let Ok(places) = self.layouts.fitting(template.layouts, &values, system) else { return Decision::Unknown };
        let text = |place| text(&values, place);
        if template.span.is_none() {
            let channel = places.channel.map_or_else(|| literal(system.channel), text);
            let is_known = places.computer.is_none()
                && !template.channel_looked_up.0.is_empty()
                && is_same_text(bytes, &template.channel_looked_up.0, &channel);
            if !is_known {
                let computer = places.computer.map_or_else(|| literal(system.computer), text);
                let span = spans.find(bytes, channel.clone(), computer);
                // If the record names the computer, the next record may name another one.
                let known = if places.computer.is_none() { channel } else { 0..0 };
                template.channel_looked_up = (known, span);
            }
            spans.add(template.channel_looked_up.1, record.filetime);
            if !selection.is_by_event() {
                return outcome(selection.selects_record(record.id));
            }
        }
        let id = match places.event_id {
            Some(place) => u16_at(bytes, values.start.saturating_add(place)),
            None => literal_id(bytes, system.event_id),
        };
        let Some(id) = id else { return Decision::Unknown };
        let data = system.end..template.tokens_end;
        let catalogue = &selection.catalogue;
        match template.provider {
            Some(Wanted::Nothing) => return Decision::Unwanted,
            Some(Wanted::All) => return outcome(true),
            Some(Wanted::Some(ids)) => {
                let row = if catalogue.lists(id) { self.providers.row(ids, id) } else { None };
                return outcome(
                    row.is_some_and(|row| !template.quiet.are_marked(bytes, catalogue, row, data, &values)),
                );
            }
            None => {}
        }
        let Some(provider) = places.provider.map(text) else { return Decision::Unknown };
        if !catalogue.lists(id) && !u16_at(bytes, provider.start).is_some_and(|first| catalogue.may_want_all_of(first))
        {
            return Decision::Unwanted;
        }
        let Some(name) = bytes.get(provider.clone()) else { return Decision::Unknown };
        if bytes.get(template.provider_looked_up.0.clone()) != Some(name) {
            template.provider_looked_up = (provider, self.providers.wanted(name));
        }
        let row = self.providers.row(template.provider_looked_up.1, id);
        outcome(row.is_some_and(|row| !template.quiet.are_marked(bytes, catalogue, row, data, &values)))
    }

    /// As [`decide_by_event`](Self::decide_by_event), for a record without template, as some forwarded events are.
    #[cold]
    fn decide_plain<'c>(
        &mut self,
        bytes: &'c [u8],
        record: &RawRecord,
        selection: &Selection,
        spans: &mut ChannelSpans,
    ) -> Decision<'c> {
        let Ok((system, _)) = plain_system(bytes, record) else { return Decision::Unknown };
        spans.add_texts(bytes, literal(system.channel), literal(system.computer), record.filetime);
        let wanted = if selection.is_by_event() {
            let Some(id) = literal_id(bytes, system.event_id) else { return Decision::Unknown };
            let Part::Literal(start, end) = system.provider else { return Decision::Unknown };
            let Some(name) = bytes.get(start..end) else { return Decision::Unknown };
            let wanted = self.providers.wanted(name);
            self.providers.row(wanted, id).is_some()
        } else {
            selection.selects_record(record.id)
        };
        if wanted { Decision::Wanted(Shape::Plain) } else { Decision::Unwanted }
    }

    /// Where a wanted record of the current chunk has the parts of `System`, and where its tokens end.
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

    /// The index of the template whose definition is at offset `definition`; `None` when the chunk has too many templates.
    #[inline]
    fn template(&mut self, bytes: &[u8], definition: usize, spans: &mut ChannelSpans) -> Option<usize> {
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

    /// Reads the definition of a template that is new in this chunk.
    #[cold]
    fn learn(&mut self, bytes: &[u8], definition: usize, spans: &mut ChannelSpans) -> Template {
        let mut template = Template::default();
        let Ok(read) = self.definitions.read(bytes, definition, &mut self.providers) else { return template };
        let Definition { system, tokens_end, provider } = read;
        let is_value = |part| matches!(part, Part::Value(_));
        if !is_value(system.channel) && !is_value(system.computer) {
            template.span = Some(spans.find(bytes, literal(system.channel), literal(system.computer)));
        }
        template.layouts = self.layouts.number_of(&system);
        template.system = Some(system);
        template.tokens_end = tokens_end;
        template.provider = provider;
        template
    }
}

/// Whether both places have the same text. Names of channels are short: most are compared without a call.
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

/// Where a record that contains its tokens itself has the parts of `System`, and where its tokens end.
fn plain_system(bytes: &[u8], record: &RawRecord) -> Result<(System, usize), Unusual> {
    let mut tokens = Tokens::of_record(bytes, record.content_start()..record.content_end())?;
    Ok((System::read(&mut tokens)?, record.content_end()))
}

/// The place of a text that is among the tokens; an empty range for any other part.
fn literal(part: Part) -> Range<usize> {
    match part {
        Part::Literal(start, end) => start..end,
        _ => 0..0,
    }
}

/// The event id that is among the tokens, as a number or as text.
fn literal_id(bytes: &[u8], part: Part) -> Option<u16> {
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
