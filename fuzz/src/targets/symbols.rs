//! Symbols and images beside a dump.

use std::sync::LazyLock;

use crash_dump::{Options, Symbols, read_minidump};
use evidence::Names;

use crate::shop::{IMAGE, PDB, SYM_RECORDS, dump, sym_file};
use crate::{Group, Shape, Target, scratch};

pub(super) const TARGETS: &[Target] = &[
    Target::new("pdb", Group::Symbols, "The PDB of a module on a dump's stack", pdb, || vec![PDB.to_vec()]),
    Target::new("sym", Group::Symbols, "The `.sym` file of a module on a dump's stack", sym, || {
        vec![sym_file(SYM_RECORDS).into_bytes()]
    })
    .with_words(&[
        "FUNC ",
        "PUBLIC ",
        "STACK CFI INIT ",
        "STACK CFI ",
        "STACK WIN 4 ",
        "FILE ",
        "INLINE ",
        "INLINE_ORIGIN ",
        "MODULE ",
        ".cfa: ",
        ".ra: ",
        "$rsp ",
        "^",
        "+",
        "\n",
        "ffffffff",
        "-1",
    ]),
    Target::new("image", Group::Symbols, "The file of a module on a dump's stack", image, || vec![IMAGE.to_vec()]),
];

fn pdb(input: &[u8]) -> Shape {
    beside(&[("shop64.pdb", input)])
}

fn sym(input: &[u8]) -> Shape {
    beside(&[("shop64.sym", input)])
}

fn image(input: &[u8]) -> Shape {
    beside(&[("shop64.dll", input)])
}

/// Reads the dump with these files beside it.
fn beside(files: &[(&str, &[u8])]) -> Shape {
    static DUMP: LazyLock<Vec<u8>> = LazyLock::new(|| dump().to_bytes());
    let paths: Vec<_> = files.iter().map(|(name, content)| scratch::named_file(name, content)).collect();
    let symbols = Symbols::open(&paths).expect("files that are there");
    let names = Names::default();
    let options = Options { names: &names, walk_stacks: true, symbols: Some(&symbols) };
    let outcome = scratch::with_file(&DUMP, |file, bytes| read_minidump(file, bytes, &options));
    let outcome = outcome.map_err(Into::into);
    assert!(outcome.is_ok(), "damaged symbols cost the dump");
    let mut shape = Shape::of_reading(outcome.as_ref());
    symbols.notes().iter().for_each(|note| shape.message(&note.rsplit(": ").next().unwrap_or_default()));
    shape
}
