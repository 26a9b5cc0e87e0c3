//! Changing the texts in a value of any type, each with the field that it is in.
//!
//! Evidence has a hundred types. Were their texts visited by code for each, a new field would be passed on as it is until
//! somebody remembers this crate; here, a text of a new field is rewritten like all others, and the exceptions have names. The
//! value is encoded (Postcard, like evidence of mergeable reports) by a serializer that changes texts on their way, and decoded.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Where a text is: the name of the type, and the name of its field. Both are empty outside of structures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) of: &'static str,
    pub(crate) name: &'static str,
}

/// What replaces a text in a field.
pub(crate) type Change<'c> = dyn for<'t> Fn(Field, &'t str) -> Cow<'t, str> + 'c;

/// The value with its texts as `change` gives them.
///
/// # Errors
/// When what is changed is no value of the type.
pub(crate) fn rewritten<T: Serialize + DeserializeOwned>(value: &T, change: &Change<'_>) -> Result<T, postcard::Error> {
    let bytes = postcard::to_allocvec(&Changed { value, change, field: Field::default() })?;
    postcard::from_bytes(&bytes)
}

/// Calls `visit` with every text of a value.
pub(crate) fn visited<T: Serialize>(value: &T, visit: &mut dyn FnMut(Field, &str)) {
    let visit = RefCell::new(visit);
    let change: &Change<'_> = &|field, text| {
        (visit.borrow_mut())(field, text);
        Cow::Borrowed("")
    };
    // Only a value that can't be encoded fails, and then it can't be redacted either.
    drop(postcard::to_allocvec(&Changed { value, change, field: Field::default() }));
}

/// A value whose texts are changed while it is written.
struct Changed<'c, T: ?Sized> {
    value: &'c T,
    change: &'c Change<'c>,
    field: Field,
}

impl<T: Serialize + ?Sized> Serialize for Changed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Changing { inner: serializer, change: self.change, field: self.field })
    }
}

/// A serializer, or a part of one, that changes texts.
struct Changing<'c, S> {
    inner: S,
    change: &'c Change<'c>,
    field: Field,
}

impl<'c, S> Changing<'c, S> {
    fn of<'v, T: ?Sized>(&self, value: &'v T, field: Field) -> Changed<'v, T>
    where
        'c: 'v,
    {
        Changed { value, change: self.change, field }
    }
}

macro_rules! as_they_are {
    ($($method:ident: $type:ty),+) => {
        $(fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        })+
    };
}

impl<'c, S: Serializer> Serializer for Changing<'c, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Changing<'c, S::SerializeSeq>;
    type SerializeTuple = Changing<'c, S::SerializeTuple>;
    type SerializeTupleStruct = Changing<'c, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Changing<'c, S::SerializeTupleVariant>;
    type SerializeMap = Changing<'c, S::SerializeMap>;
    type SerializeStruct = Changing<'c, S::SerializeStruct>;
    type SerializeStructVariant = Changing<'c, S::SerializeStructVariant>;

    as_they_are! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8]
    }

    fn serialize_str(self, text: &str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_str(&(self.change)(self.field, text))
    }

    /// What a value shows of itself, such as a time, is no text of an artifact.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.of(value, self.field);
        self.inner.serialize_some(&value)
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_struct(name)
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.of(value, Field { of: name, name: "" });
        self.inner.serialize_newtype_struct(name, &value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = self.of(value, Field { of: name, name: variant });
        self.inner.serialize_newtype_variant(name, index, variant, &value)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        let (change, field) = (self.change, self.field);
        Ok(Changing { inner: self.inner.serialize_seq(length)?, change, field })
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        let (change, field) = (self.change, self.field);
        Ok(Changing { inner: self.inner.serialize_tuple(length)?, change, field })
    }

    fn serialize_tuple_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        let change = self.change;
        let inner = self.inner.serialize_tuple_struct(name, length)?;
        Ok(Changing { inner, change, field: Field { of: name, name: "" } })
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let change = self.change;
        let inner = self.inner.serialize_tuple_variant(name, index, variant, length)?;
        Ok(Changing { inner, change, field: Field { of: name, name: variant } })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let (change, field) = (self.change, self.field);
        Ok(Changing { inner: self.inner.serialize_map(length)?, change, field })
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeStruct, S::Error> {
        let change = self.change;
        Ok(Changing { inner: self.inner.serialize_struct(name, length)?, change, field: Field { of: name, name: "" } })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let change = self.change;
        let inner = self.inner.serialize_struct_variant(name, index, variant, length)?;
        Ok(Changing { inner, change, field: Field { of: name, name: variant } })
    }
}

macro_rules! elements {
    ($($of:ident.$method:ident),+) => {$(
        impl<S: $of> $of for Changing<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                let value = self.of(value, self.field);
                self.inner.$method(&value)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        }
    )+};
}

elements!(
    SerializeSeq.serialize_element,
    SerializeTuple.serialize_element,
    SerializeTupleStruct.serialize_field,
    SerializeTupleVariant.serialize_field
);

macro_rules! fields {
    ($($of:ident),+) => {$(
        impl<S: $of> $of for Changing<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), S::Error> {
                let value = self.of(value, Field { of: self.field.of, name });
                self.inner.serialize_field(name, &value)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        }
    )+};
}

fields!(SerializeStruct, SerializeStructVariant);

impl<S: SerializeMap> SerializeMap for Changing<'_, S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        let key = self.of(key, self.field);
        self.inner.serialize_key(&key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        let value = self.of(value, self.field);
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.inner.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Plain(String),
        Named { text: Option<String>, number: u64 },
        Pair(String, f64),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Everything {
        kinds: Vec<Kind>,
        by_number: BTreeMap<u32, String>,
        kept: String,
    }

    #[test]
    fn texts_are_changed_wherever_they_are_and_nothing_else() {
        let before = Everything {
            kinds: vec![
                Kind::Plain("a".to_owned()),
                Kind::Named { text: Some("a".to_owned()), number: 7 },
                Kind::Pair("a".to_owned(), 0.5),
            ],
            by_number: BTreeMap::from([(1, "a".to_owned())]),
            kept: "a".to_owned(),
        };
        let change: &Change<'_> = &|field, text| match field.name {
            "kept" => Cow::Borrowed(text),
            name => Cow::Owned(format!("{}.{name}", field.of)),
        };
        let after = rewritten(&before, change).expect("rewritten");
        assert_eq!(
            after.kinds,
            [
                Kind::Plain("Kind.Plain".to_owned()),
                Kind::Named { text: Some("Kind.text".to_owned()), number: 7 },
                Kind::Pair("Kind.Pair".to_owned(), 0.5),
            ]
        );
        assert_eq!((after.by_number.get(&1).map(String::as_str), &*after.kept), (Some("Everything.by_number"), "a"));
    }
}
