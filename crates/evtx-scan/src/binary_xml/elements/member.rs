//! Elements that are fields, or on the path to fields.

use super::super::Unusual;
use super::super::names::{EVENT_DATA, USER_DATA};
use super::super::text::{is_empty, items, push, push_ascii};
use super::super::token::Name;
use super::attributes::Attributes;
use super::reader::{FieldReader, Form, Kind, Parent, Sibling, TokenSource, check, deeper};
use super::siblings::push_number;
use super::text::Text;
use crate::fields::{FieldSpans, TextSpan, is_numbered_data};

impl<'c> FieldReader<'c, '_> {
    /// Reads an element that is a field, or on the path to fields, behind its beginning.
    pub(super) fn member(
        &mut self,
        source: &mut TokenSource<'c>,
        name: Name<'c>,
        parent: &mut Parent,
        repeats: bool,
        depth: usize,
    ) -> Result<(), Unusual> {
        let depth = deeper(depth)?;
        check(name)?;
        parent.run = None;
        parent.behind_data |= parent.form == Form::Positional;
        let path = self.scratch.path.len();
        self.extend_path(name, parent)?;
        let attributes = self.attributes(source, matches!(parent.kind, Kind::EventData { .. }))?;
        let siblings = self.scratch.siblings.len();
        let kind = Kind::Path { by_attribute: name.is(EVENT_DATA) || name.is(USER_DATA) };
        let mut element = Parent::new(kind, self.scratch);
        let mut text = self.text(repeats);
        if !attributes.end_element {
            self.content(source, &mut element, &mut text, depth)?;
        }
        self.scratch.siblings.truncate(siblings);
        match text.list.and_then(items) {
            None => self.end_member(&attributes, &element, &text, parent)?,
            Some(list) => {
                for (index, item) in list.enumerate() {
                    if index > 0 {
                        self.scratch.path.truncate(path);
                        self.extend_path(name, parent)?;
                    }
                    let text = Text { is_some: !is_empty(item), ..self.text(false) };
                    push(item, &mut self.texts)?;
                    self.end_member(&attributes, &element, &text, parent)?;
                }
            }
        }
        self.scratch.path.truncate(path);
        Ok(())
    }

    /// Adds an element's name to the path, with a number if an earlier element of the parent has the same name.
    pub(super) fn extend_path(&mut self, name: Name<'c>, parent: &mut Parent) -> Result<(), Unusual> {
        if parent.kind == Kind::UserData {
            return Ok(());
        }
        let earlier = self.earlier(parent, Sibling { at: name.at, size: name.utf16.len(), is_data: false })?;
        let path = &mut self.scratch.path;
        if !path.is_empty() {
            path.push(b'.');
        }
        if !push_ascii(name.utf16, path) {
            return Err(Unusual("a name that is not ASCII"));
        }
        push_number(earlier, path);
        Ok(())
    }

    /// Ends an element whose text is the texts from its beginning on.
    pub(super) fn end_member(
        &mut self,
        attributes: &Attributes,
        element: &Parent,
        text: &Text<'c>,
        parent: &mut Parent,
    ) -> Result<(), Unusual> {
        if let Kind::EventData { .. } = parent.kind {
            let path = &*self.scratch.path;
            let positional = path == b"Data" || (parent.positional && is_numbered_data(path));
            if attributes.name.is_some() || positional {
                if element.has_elements {
                    return Err(Unusual("elements in a field"));
                }
                parent.positional |= attributes.name.is_none();
                self.push(attributes.name, text.start);
                return Ok(());
            }
        }
        // An element with attributes only is no field, but an empty one is.
        if !element.has_elements && (text.is_some || !attributes.have_text) {
            let value = TextSpan { start: text.start, end: self.texts.len() };
            self.texts.extend_from_slice(&self.scratch.path);
            let name = TextSpan { start: value.end, end: self.texts.len() };
            self.list.push(FieldSpans { name: Some(name), value });
        }
        Ok(())
    }
}
