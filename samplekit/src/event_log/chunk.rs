//! One chunk: its header, its tables and its records.

use std::collections::BTreeMap;

use super::CHUNK_BYTES;
use super::record::{Argument, Content, Instance, Node, Record, Template};
use super::value::{Value, XML_TYPE};
use crate::bytes::{ByteWriter, count16, count32};

/// Where records begin: after 128 bytes of header, 64 offsets of names and 32 offsets of templates.
const RECORDS: usize = 512;
const NAME_TABLE: usize = 128;
const TEMPLATE_TABLE: usize = 384;

/// Tokens of binary XML. The flag "more" means that attributes follow.
mod token {
    pub const END_OF_STREAM: u8 = 0x00;
    pub const OPEN_ELEMENT: u8 = 0x01;
    pub const CLOSE_START_TAG: u8 = 0x02;
    pub const CLOSE_EMPTY_TAG: u8 = 0x03;
    pub const END_ELEMENT: u8 = 0x04;
    pub const VALUE: u8 = 0x05;
    pub const ATTRIBUTE: u8 = 0x06;
    pub const TEMPLATE_INSTANCE: u8 = 0x0C;
    pub const HOLE: u8 = 0x0D;
    pub const OPTIONAL_HOLE: u8 = 0x0E;
    pub const MORE: u8 = 0x40;
    /// Start of a stream: the token, version 1.1, no flags.
    pub const STREAM_HEADER: [u8; 4] = [0x0F, 1, 1, 0];
}

/// The owner of tokens.
#[derive(Debug, Clone, Copy)]
enum Tokens {
    /// A template: its elements name the value on which they depend.
    OfTemplate,
    /// A record that contains its own tokens.
    OfRecord,
}

/// A chunk that is being filled.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    bytes: ByteWriter,
    /// Offsets of names that are already in the chunk.
    names: BTreeMap<String, u32>,
    /// The newest name of each bucket; each name points to the one before it.
    name_heads: [u32; 64],
    /// Offsets of templates that are already in the chunk.
    templates: BTreeMap<Template, u32>,
    /// The newest template of each bucket.
    template_heads: [u32; 32],
    first_record: u64,
    last_record: u64,
    last_record_offset: u32,
}

impl Chunk {
    /// An empty chunk whose first record will have this id.
    pub(super) fn new(first_record: u64) -> Self {
        let mut bytes = ByteWriter::new();
        bytes.zeros(RECORDS);
        Self {
            bytes,
            names: BTreeMap::new(),
            name_heads: [0; 64],
            templates: BTreeMap::new(),
            template_heads: [0; 32],
            first_record,
            last_record: first_record,
            last_record_offset: count32(RECORDS),
        }
    }

    /// Appends a record. Gives whether it fits; if not, the chunk can't be used any more.
    pub(super) fn add(&mut self, record_id: u64, record: &Record) -> bool {
        let start = self.bytes.len();
        self.last_record = record_id;
        self.last_record_offset = self.bytes.offset();
        // Signature, size (set below), id and time of writing.
        self.bytes.raw(b"**\0\0").u32(0).u64(record_id).u64(record.time.0);
        self.stream(&record.content);
        // Records are a multiple of eight bytes long; the size is repeated at the end.
        let size = (self.bytes.len() + 4 - start).next_multiple_of(8);
        self.bytes.zeros_to(start + size - 4).u32(count32(size));
        self.bytes.patch_u32(start + 4, count32(size));
        self.bytes.len() <= CHUNK_BYTES
    }

    /// The finished 64 KiB.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let free = self.bytes.offset();
        let records = crc32fast::hash(&self.bytes.as_slice()[RECORDS..]);

        let mut header = ByteWriter::new();
        header.raw(b"ElfChnk\0");
        // Record numbers in the file and record ids; the same as long as nothing was cleared.
        header.u64(self.first_record).u64(self.last_record).u64(self.first_record).u64(self.last_record);
        header.u32(128).u32(self.last_record_offset).u32(free).u32(records).zeros_to(NAME_TABLE);
        self.bytes.patch(0, header.as_slice());
        for (bucket, head) in self.name_heads.iter().enumerate() {
            self.bytes.patch_u32(NAME_TABLE + bucket * 4, *head);
        }
        for (bucket, head) in self.template_heads.iter().enumerate() {
            self.bytes.patch_u32(TEMPLATE_TABLE + bucket * 4, *head);
        }

        // The header's checksum leaves out flags and itself (120 to 127).
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&self.bytes.as_slice()[..120]);
        checksum.update(&self.bytes.as_slice()[128..RECORDS]);
        self.bytes.patch_u32(124, checksum.finalize());
        self.bytes.zeros_to(CHUNK_BYTES);
        self.bytes.into_bytes()
    }

    /// A whole stream of binary XML: header, one template instance or element, end.
    fn stream(&mut self, content: &Content) {
        self.bytes.raw(&token::STREAM_HEADER);
        match content {
            Content::Instance(instance) => self.instance(instance),
            Content::Tokens(root) => self.node(root, Tokens::OfRecord),
        }
        self.bytes.u8(token::END_OF_STREAM);
    }

    fn instance(&mut self, instance: &Instance) {
        self.bytes.u8(token::TEMPLATE_INSTANCE).u8(1);
        // A template's short id is the first four bytes of its GUID.
        let [a, b, c, d, ..] = instance.template.guid().0;
        self.bytes.raw(&[a, b, c, d]);
        match self.templates.get(&instance.template) {
            Some(offset) => {
                self.bytes.u32(*offset);
            }
            None => self.define_template(&instance.template),
        }
        self.arguments(&instance.arguments);
    }

    /// The offset of the template, which follows at once: it is used here for the first time.
    fn define_template(&mut self, template: &Template) {
        let offset = self.bytes.offset() + 4;
        let head = &mut self.template_heads[template.bucket()];
        self.bytes.u32(offset).u32(*head).raw(&template.guid().0);
        *head = offset;
        self.templates.insert(template.clone(), offset);

        let size_field = self.bytes.len();
        self.bytes.u32(0);
        let start = self.bytes.len();
        self.bytes.raw(&token::STREAM_HEADER);
        self.node(&template.root, Tokens::OfTemplate);
        self.bytes.u8(token::END_OF_STREAM);
        self.bytes.patch_u32(size_field, count32(self.bytes.len() - start));
    }

    /// Number of values, size and type of each, then the values.
    fn arguments(&mut self, arguments: &[Argument]) {
        self.bytes.u32(count32(arguments.len()));
        let descriptors = self.bytes.len();
        self.bytes.zeros(arguments.len() * 4);
        for (index, argument) in arguments.iter().enumerate() {
            let start = self.bytes.len();
            let kind = match argument {
                Argument::Value(value) => {
                    self.bytes.raw(&value.bytes());
                    value.type_code()
                }
                Argument::Xml(content) => {
                    self.stream(content);
                    XML_TYPE
                }
            };
            let descriptor = descriptors + index * 4;
            self.bytes.patch_u16(descriptor, count16(self.bytes.len() - start));
            self.bytes.patch_u16(descriptor + 2, u16::from(kind));
        }
    }

    fn node(&mut self, node: &Node, tokens: Tokens) {
        match node {
            Node::Element { name, dependency, attributes, children } => {
                let flag = if attributes.is_empty() { 0 } else { token::MORE };
                self.bytes.u8(token::OPEN_ELEMENT | flag);
                if let Tokens::OfTemplate = tokens {
                    self.bytes.u16(*dependency);
                }
                self.element(name, attributes, children, tokens);
            }
            Node::Text(text) => self.text(text),
            Node::Literal(Value::Text(text)) => self.text(text),
            Node::Literal(value) => {
                self.bytes.u8(token::VALUE).u8(value.type_code()).raw(&value.bytes());
            }
            Node::Hole { index, kind, optional } => {
                let token = if *optional { token::OPTIONAL_HOLE } else { token::HOLE };
                self.bytes.u8(token).u16(*index).u8(*kind);
            }
        }
    }

    fn text(&mut self, text: &str) {
        let units = text.encode_utf16().count();
        self.bytes.u8(token::VALUE).u8(0x01).u16(count16(units)).utf16(text);
    }

    /// The content of an element behind its token.
    fn element(&mut self, name: &str, attributes: &[(String, Node)], children: &[Node], tokens: Tokens) {
        // Size of everything in the element that follows the size itself.
        let size_field = self.bytes.len();
        self.bytes.u32(0);
        self.name(name);
        if !attributes.is_empty() {
            self.attributes(attributes, tokens);
        }
        if children.is_empty() {
            self.bytes.u8(token::CLOSE_EMPTY_TAG);
        } else {
            self.bytes.u8(token::CLOSE_START_TAG);
            for child in children {
                self.node(child, tokens);
            }
            self.bytes.u8(token::END_ELEMENT);
        }
        self.bytes.patch_u32(size_field, count32(self.bytes.len() - size_field - 4));
    }

    fn attributes(&mut self, attributes: &[(String, Node)], tokens: Tokens) {
        let size_field = self.bytes.len();
        self.bytes.u32(0);
        for (index, (name, value)) in attributes.iter().enumerate() {
            let flag = if index + 1 < attributes.len() { token::MORE } else { 0 };
            self.bytes.u8(token::ATTRIBUTE | flag);
            self.name(name);
            self.node(value, tokens);
        }
        self.bytes.patch_u32(size_field, count32(self.bytes.len() - size_field - 4));
    }

    /// The offset of a name; a name that is used for the first time follows at once.
    fn name(&mut self, name: &str) {
        if let Some(offset) = self.names.get(name) {
            self.bytes.u32(*offset);
            return;
        }
        let offset = self.bytes.offset() + 4;
        let hash = name_hash(name);
        let head = &mut self.name_heads[usize::from(hash % 64)];
        self.bytes.u32(offset).u32(*head).u16(hash).u16(count16(name.encode_utf16().count())).utf16(name).u16(0);
        *head = offset;
        self.names.insert(name.to_owned(), offset);
    }
}

/// The hash of a name in the table of names: multiply by 65599, add the next unit, keep the lower 16 bits.
fn name_hash(name: &str) -> u16 {
    let hash = name.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(65_599).wrapping_add(u32::from(unit)));
    (hash & 0xFFFF) as u16
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_hash_as_windows_hashes_them() {
        // Hashes in logs that Windows wrote.
        for (name, hash) in [("Channel", 0x6183), ("EventData", 0x8244), ("Data", 0x6F8A), ("Name", 0x954B)] {
            assert_eq!(super::name_hash(name), hash, "{name}");
        }
    }
}
