//! Zip archives (`.zip`).

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};

use zip::ZipReadOptions;
use zip::read::{Config, read_zipfile_from_stream};
use zip::result::ZipError;
// Reads the directory entry by entry: allocates nothing by the stated number of entries, and keeps equal names apart.
use zip::unstable::read::{ZipIterable, ZipIterableFiles};

use super::checked::Checked;
use super::limits::Limited;
use super::passwords::Passwords;
use super::steady::Steady;
use super::unpacking::{Fused, Unpacking, words};
use super::{SYMBOLIC_LINK, zip_methods};
use crate::read_error::ReadError;
use untrusted::Unreadable;

pub(super) fn members(
    file: &mut File,
    passwords: &Passwords,
    unpacking: &mut Unpacking<'_, '_>,
) -> Result<(), Unreadable> {
    let again = |error: io::Error| Unreadable::whole(error.to_string());
    // Not every system has a second handle of a file.
    let handles = (0..passwords.count()).map(|_| file.try_clone()).collect::<io::Result<Vec<File>>>().map_err(again)?;
    let mut archive = match ZipIterable::try_new(BufReader::new(Steady::new(&mut *file)), Config::default()) {
        Ok(archive) => archive,
        Err(error) => {
            file.seek(SeekFrom::Start(0)).map_err(again)?;
            unpacking.is_cut = true;
            return without_directory(BufReader::new(Steady::new(file)), &error, unpacking);
        }
    };
    let unreadable = |error: ZipError| Unreadable::whole(reason(&error));
    let files = archive.files().map_err(unreadable)?;
    let mut copies = Vec::new();
    for handle in handles {
        copies.push(ZipIterable::try_new(BufReader::new(Steady::new(handle)), Config::default()).map_err(unreadable)?);
    }
    let mut trials = Trials { passes: Vec::new(), fitting: 0 };
    for copy in &mut copies {
        trials.passes.push((copy.files().map_err(unreadable)?, 0));
    }
    for at in 0_usize.. {
        let Some(entry) = files.next() else { break };
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                unpacking.lose("directory", format!("no more members can be found: {}", reason(&error)));
                break;
            }
        };
        if entry.is_dir() {
            continue;
        }
        if entry.is_symlink() {
            if !unpacking.pass_over(&name_of(entry.name(), entry.name_raw()), SYMBOLIC_LINK) {
                break;
            }
            continue;
        }
        if !unpacking.takes_member() {
            break;
        }
        let name = unpacking.names.unique(&name_of(entry.name(), entry.name_raw()));
        let (bytes, method) = (entry.size(), entry.compression());
        let password = match (entry.encrypted(), zip_methods::is_unpacked_by_library(method)) {
            (true, true) => trials.password(at, passwords, unpacking),
            (true, false) => Err(ReadError::UnknownMethod(zip_methods::name_of(method))),
            (false, true) => Ok(None),
            (false, false) => {
                let (header, packed, sum) = (entry.header_start(), entry.compressed_size(), entry.crc32());
                match zip_methods::content(files.reader_mut(), method, header, packed, bytes) {
                    Ok(content) => {
                        unpacking.give(name, Some(bytes), Checked::new(content, bytes, Some(sum)));
                    }
                    Err(error) => unpacking.lose(name, words(&error)),
                }
                continue;
            }
        };
        let password = match password {
            Ok(password) => password,
            Err(error) => {
                unpacking.lose(name, error.to_string());
                continue;
            }
        };
        match entry.with_reader(files.reader_mut(), ZipReadOptions::new().password(password)) {
            Ok(content) => unpacking.give(name, Some(bytes), content),
            Err(error) => unpacking.lose(name, reason(&error)),
        }
    }
    Ok(())
}

/// Tries passwords. Each one has a pass of its own over the directory, because trying uses an entry up.
struct Trials<'c> {
    /// The passes, with the position of the next entry.
    passes: Vec<(&'c mut ZipIterableFiles<BufReader<Steady<File>>>, usize)>,
    /// The position of the password that fitted last.
    fitting: usize,
}

impl Trials<'_> {
    /// The password with which the entry at this position is whole. The check that the format has for passwords is a single
    /// byte, which every 256th wrong one passes.
    fn password<'p>(
        &mut self,
        at: usize,
        passwords: &'p Passwords,
        unpacking: &Unpacking<'_, '_>,
    ) -> Result<Option<&'p [u8]>, ReadError> {
        for (number, password) in passwords.beginning_with(self.fitting) {
            let Some((pass, next)) = self.passes.get_mut(number) else { continue };
            let behind = at.saturating_sub(*next);
            *next = at.saturating_add(1);
            let Some(Ok(entry)) = pass.nth(behind) else { continue };
            let options = ZipReadOptions::new().password(Some(password.as_bytes()));
            let Ok(content) = entry.with_reader(pass.reader_mut(), options) else { continue };
            if io::copy(&mut Limited { content, allowance: unpacking.allowance }, &mut io::sink()).is_ok() {
                self.fitting = number;
                return Ok(Some(password.as_bytes()));
            }
        }
        Err(passwords.refused())
    }
}

/// The members of an archive without its end, where the directory would be: one after the other, as long as each states
/// its length.
fn without_directory(
    mut file: BufReader<Steady<&mut File>>,
    error: &ZipError,
    unpacking: &mut Unpacking<'_, '_>,
) -> Result<(), Unreadable> {
    let missing = format!("it can't be read: {}", reason(error));
    unpacking.lose("directory", missing.clone());
    let mut found = false;
    let ended = loop {
        match read_zipfile_from_stream(&mut file) {
            Ok(Some(mut entry)) => {
                if !unpacking.takes_member() {
                    return Ok(());
                }
                found = true;
                let is_file = !entry.is_dir() && !entry.is_symlink();
                let (name, bytes) = (name_of(entry.name(), entry.name_raw()), entry.size());
                let method = entry.compression();
                let mut content = Fused::new(&mut entry);
                if is_file {
                    let name = unpacking.names.unique(&name);
                    if !zip_methods::is_unpacked_by_library(method) {
                        let method = zip_methods::name_of(method);
                        unpacking.lose(name, ReadError::NeedsDirectory(method.clone()).to_string());
                        break format!("where a member ends that is compressed by {method} is not known");
                    }
                    unpacking.give(name, Some(bytes), &mut content);
                }
                // The next member begins at the end of this one.
                let mut rest = Limited { content, allowance: unpacking.allowance };
                if let Err(error) = io::copy(&mut rest, &mut io::sink()) {
                    break words(&error);
                }
            }
            Ok(None) => return Ok(()),
            Err(_) if !found => return Err(Unreadable::whole(missing)),
            Err(error) => break reason(&error),
        }
    };
    unpacking.lose("members", format!("no more can be found: {ended}"));
    Ok(())
}

/// A name as text, also where it is not valid in its encoding.
fn name_of(name: zip::result::ZipResult<std::borrow::Cow<'_, str>>, raw: &[u8]) -> String {
    name.map_or_else(|_| String::from_utf8_lossy(raw).into_owned(), std::borrow::Cow::into_owned)
}

fn reason(error: &ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            ReadError::Encrypted.to_string()
        }
        ZipError::CompressionMethodNotSupported(number) => {
            ReadError::UnknownMethod(format!("method {number}")).to_string()
        }
        ZipError::Io(error) => words(error),
        other => other.to_string(),
    }
}
