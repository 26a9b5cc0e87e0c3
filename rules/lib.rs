//! Where the YAML files of the built-in rule set are while the program is built: the build scripts of other crates read
//! them there.

/// The folder that has `ruleset.yaml`.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
