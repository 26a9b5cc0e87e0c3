//! The encryption of 7z: AES-256 in CBC mode, with a key that takes many rounds of SHA-256 to compute.

use std::collections::HashMap;
use std::io::{self, Read};

use aes::Aes256Dec;
use aes::cipher::{BlockCipherDecrypt, KeyInit};
use sha2::{Digest, Sha256};

use crate::archive::fields::Fields;
use crate::read_error::ReadError;

/// The bytes of a block of AES.
const BLOCK: usize = 16;
/// The most rounds for one key, as a power of two: 7-Zip itself uses 2^19 and refuses more than these.
const MOST_ROUNDS_POWER: u32 = 24;
/// The value that stands for no rounds at all.
const NO_ROUNDS_POWER: u32 = 0x3F;
/// The most rounds for all keys of an archive: a hundred passwords of 7-Zip's kind, and as many again for other salts.
const MOST_ROUNDS: u64 = 200 << 19;

/// Computes keys, each once.
#[derive(Default)]
pub(super) struct Keys {
    known: HashMap<(usize, u32, Vec<u8>), [u8; 32]>,
    /// The rounds so far.
    rounds: u64,
}

/// How a stream is encrypted.
struct Encryption {
    rounds_power: u32,
    salt: Vec<u8>,
    start: [u8; BLOCK],
}

impl Encryption {
    /// Reads the properties of the coder.
    fn read(properties: &[u8]) -> io::Result<Self> {
        let mut fields = Fields(properties);
        let first = fields.u8()?;
        let sizes = if first & 0xC0 == 0 { 0 } else { fields.u8()? };
        let of = |bit: u8, more: u8| u64::from(first.wrapping_shr(u32::from(bit)) & 1).saturating_add(u64::from(more));
        let salt = fields.bytes(of(7, sizes.wrapping_shr(4)))?.to_vec();
        let given = fields.bytes(of(6, sizes & 0x0F))?;
        let mut start = [0; BLOCK];
        start.iter_mut().zip(given).for_each(|(byte, given)| *byte = *given);
        Ok(Self { rounds_power: u32::from(first & 0x3F), salt, start })
    }
}

impl Keys {
    /// The content of an encrypted stream, decrypted with the password at this position in the list.
    ///
    /// # Errors
    /// When the properties are damaged, or the key takes too long to compute.
    pub(super) fn decrypted<R: Read>(
        &mut self,
        packed: R,
        properties: &[u8],
        (at, password): (usize, &str),
    ) -> io::Result<Decrypted<R>> {
        let Encryption { rounds_power, salt, start } = Encryption::read(properties)?;
        let known = (at, rounds_power, salt);
        let key = match self.known.get(&known) {
            Some(key) => *key,
            None => {
                let key = self.compute(rounds_power, &known.2, password)?;
                *self.known.entry(known).or_insert(key)
            }
        };
        Ok(Decrypted { packed, cipher: Aes256Dec::new(&key.into()), before: start, block: [0; BLOCK], read: BLOCK })
    }

    fn compute(&mut self, rounds_power: u32, salt: &[u8], password: &str) -> io::Result<[u8; 32]> {
        let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
        if rounds_power == NO_ROUNDS_POWER {
            let mut key = [0; 32];
            key.iter_mut().zip(salt.iter().chain(&password)).for_each(|(byte, given)| *byte = *given);
            return Ok(key);
        }
        let rounds = 1_u64.wrapping_shl(rounds_power);
        self.rounds = self.rounds.saturating_add(rounds);
        if rounds_power > MOST_ROUNDS_POWER || self.rounds > MOST_ROUNDS {
            return Err(ReadError::SlowKey.into());
        }
        let mut sum = Sha256::new();
        for round in 0..rounds {
            sum.update(salt);
            sum.update(&password);
            sum.update(round.to_le_bytes());
        }
        Ok(sum.finalize().into())
    }
}

/// Decrypts block by block.
pub(super) struct Decrypted<R> {
    packed: R,
    cipher: Aes256Dec,
    /// The encrypted block before this one.
    before: [u8; BLOCK],
    /// The decrypted block, and how many of its bytes were given.
    block: [u8; BLOCK],
    read: usize,
}

impl<R: Read> Read for Decrypted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read >= BLOCK && !buffer.is_empty() {
            let mut packed = [0; BLOCK];
            match self.packed.read(&mut packed)? {
                0 => return Ok(0),
                read => self.packed.read_exact(packed.get_mut(read..).unwrap_or_default())?,
            }
            let mut block = packed.into();
            self.cipher.decrypt_block(&mut block);
            self.block = block.into();
            self.block.iter_mut().zip(self.before).for_each(|(byte, before)| *byte ^= before);
            (self.before, self.read) = (packed, 0);
        }
        let given = self.block.get(self.read..).unwrap_or_default();
        let count = given.len().min(buffer.len());
        buffer.iter_mut().zip(given).for_each(|(byte, given)| *byte = *given);
        self.read = self.read.saturating_add(count);
        Ok(count)
    }
}
