//! Enumerations each of whose variants has a word in facts and reports.

/// Defines an enumeration with a word for each variant: `Variant => "word",`.
#[macro_export]
macro_rules! words {
    ($(#[$attribute:meta])* $name:ident { $($(#[$about:meta])* $variant:ident => $word:literal,)+ }) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            /// The words of all variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for it in facts and reports.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}
