//! `.zip`.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use zip::read::{Config, ZipFile, read_zipfile_from_stream};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipReadOptions};
// Reads the directory entry by entry: makes no room for as many as the archive claims, and keeps those of one name.
use zip::unstable::read::ZipIterable;

use super::limits::Limited;
use super::name::Names;
use super::{Allowance, Each, Member, words};
use untrusted::{Loss, Unreadable};

pub(super) fn members(
    file: &mut File,
    allowance: &Allowance,
    names: &mut Names,
    each: &mut Each<'_>,
) -> Result<Vec<Loss>, Unreadable> {
    let again = |error: io::Error| Unreadable::whole(error.to_string());
    let mut archive = match ZipIterable::try_new(BufReader::new(file.try_clone().map_err(again)?), Config::default()) {
        Ok(archive) => archive,
        Err(error) => {
            file.seek(SeekFrom::Start(0)).map_err(again)?;
            return without_directory(BufReader::new(file), &error, allowance, names, each);
        }
    };
    let mut losses = Vec::new();
    let files = archive.files().map_err(|error| Unreadable::whole(reason(&error)))?;
    while let Some(entry) = files.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                losses.push(Loss::new("directory", format!("no more members can be found: {}", reason(&error))));
                break;
            }
        };
        if entry.is_dir() || entry.is_symlink() {
            continue;
        }
        if !allowance.take_member(&mut losses) {
            break;
        }
        let name = names.of(&name_of(entry.name(), entry.name_raw()));
        let (bytes, method) = (entry.size(), entry.compression());
        if !entry.encrypted() && !KNOWN.contains(&method) {
            losses.push(Loss::new(name, unknown_method(&method.to_string())));
            continue;
        }
        match entry.with_reader(files.reader_mut(), ZipReadOptions::new()) {
            Ok(content) => each(Member { name, bytes: Some(bytes), content: &mut Limited::new(content, allowance) }),
            Err(error) => losses.push(Loss::new(name, reason(&error))),
        }
    }
    Ok(losses)
}

/// The methods of compression that are known: those of Windows and of nearly everybody else.
const KNOWN: [CompressionMethod; 3] =
    [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Deflate64];

/// The members of an archive whose end is missing, where their directory would be: one after the other, as far as each
/// says where it ends.
fn without_directory(
    mut file: BufReader<&mut File>,
    error: &ZipError,
    allowance: &Allowance,
    names: &mut Names,
    each: &mut Each<'_>,
) -> Result<Vec<Loss>, Unreadable> {
    let missing = format!("it can't be read: {}", reason(error));
    let mut losses = vec![Loss::new("directory", missing.clone())];
    let mut found = 0_usize;
    loop {
        match read_zipfile_from_stream(&mut file) {
            Ok(Some(mut entry)) => {
                if !allowance.take_member(&mut losses) {
                    break;
                }
                found = found.saturating_add(1);
                give(&mut entry, allowance, names, each);
                // Without the end of this one there is no other.
                if let Err(error) = io::copy(&mut Limited::new(&mut entry, allowance), &mut io::sink()) {
                    losses.push(Loss::new("members", format!("no more can be found: {}", words(&error))));
                    break;
                }
            }
            Ok(None) => break,
            Err(_) if found == 0 => return Err(Unreadable::whole(missing)),
            Err(error) => {
                losses.push(Loss::new("members", format!("no more can be found: {}", reason(&error))));
                break;
            }
        }
    }
    Ok(losses)
}

fn give<R: Read>(entry: &mut ZipFile<'_, R>, allowance: &Allowance, names: &mut Names, each: &mut Each<'_>) {
    if entry.is_dir() || entry.is_symlink() {
        return;
    }
    let name = names.of(&name_of(entry.name(), entry.name_raw()));
    let bytes = Some(entry.size());
    each(Member { name, bytes, content: &mut Limited::new(entry, allowance) });
}

/// A name as text, also where it is none in the encoding that it should have.
fn name_of(name: zip::result::ZipResult<std::borrow::Cow<'_, str>>, raw: &[u8]) -> String {
    name.map_or_else(|_| String::from_utf8_lossy(raw).into_owned(), std::borrow::Cow::into_owned)
}

fn reason(error: &ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            "encrypted: it needs a password; extract it and analyze the folder".to_owned()
        }
        ZipError::CompressionMethodNotSupported(method) => unknown_method(&method.to_string()),
        ZipError::Io(error) => words(error),
        other => other.to_string(),
    }
}

fn unknown_method(method: &str) -> String {
    format!("compressed by a method that is not known ({method}); extract it and analyze the folder")
}
