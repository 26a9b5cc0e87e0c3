//! Reads YAML into a tree in which every node has its place in the file, and every scalar is the text as it was written.
//!
//! No types are guessed: `14.40` stays `14.40` (a version) and `no` stays `no`; the caller reads the text as the type that
//! belongs there. Anchors, aliases, tags and several documents in a file are refused, and size, depth and number of nodes
//! are bounded, so that no file can make reading it expensive.
//!
//! ```
//! use spanned_yaml::{self as yaml, YamlText};
//!
//! let text = YamlText::new("versions.yaml", "oldest: 14.40\n".to_owned());
//! let root = yaml::parse(&text).expect("it is YAML");
//! assert_eq!(root.get("oldest").and_then(|node| node.text()), Some("14.40"));
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod closest;
mod diagnostic;
mod node;
mod reader;
mod text;

pub use closest::closest;
pub use diagnostic::{Diagnostic, OtherPlace, sort as sort_diagnostics};
pub use diagnostic_codes::{Code, Level};
pub use node::{Entry, Kind, Node, Style};
pub use reader::{MAX_BYTES, MAX_DEPTH, MAX_NODES, parse, parse_documents, parse_leniently, read_file};
pub use text::{Span, YamlText};
