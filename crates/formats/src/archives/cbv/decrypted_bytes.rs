//! The bytes of an archive, decrypted where necessary.

use std::borrow::Cow;

use des::Des;
use des::cipher::{Array, BlockCipherDecrypt, KeyInit};
use tabia_core::io::{Blob, Charset, encode};

/// Bytes that DES takes at once.
const UNIT: usize = 8;

/// The bytes of an archive. Cloning shares them.
#[derive(Clone)]
pub(super) struct Store {
    blob: Blob,
    key: Option<Des>,
}

impl Store {
    pub(super) fn plain(blob: Blob) -> Self {
        Self { blob, key: None }
    }

    pub(super) fn encrypted(blob: Blob, password: &[u8]) -> Self {
        Self {
            blob,
            key: Some(cipher(password)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self.key {
            // A unit that is cut off cannot be decrypted.
            Some(_) => self.blob.len() / UNIT * UNIT,
            None => self.blob.len(),
        }
    }

    /// `length` bytes in the clear; `None` when they are not inside.
    pub(super) fn get(&self, at: usize, length: usize) -> Option<Cow<'_, [u8]>> {
        let end = at.checked_add(length)?;
        let Some(key) = &self.key else {
            return self.blob.get(at..end).map(Cow::Borrowed);
        };
        // Units do not depend on each other: any of them can be decrypted alone.
        let first = at / UNIT * UNIT;
        let mut bytes = self.blob.get(first..end.next_multiple_of(UNIT))?.to_vec();
        for unit in bytes.chunks_exact_mut(UNIT) {
            if let Ok(unit) = <&mut Array<u8, _>>::try_from(unit) {
                key.decrypt_block(unit);
            }
        }
        bytes.drain(..at - first);
        bytes.truncate(length);
        Some(Cow::Owned(bytes))
    }
}

/// What a typed password may be in bytes: as ChessBase encodes text, then as it came.
pub(super) fn password_bytes(password: &str) -> Vec<Vec<u8>> {
    if password.is_empty() {
        return Vec::new();
    }
    let ansi = Charset::parse("cp1252").map(|charset| encode(password, charset));
    let mut all: Vec<Vec<u8>> = Vec::new();
    if let Some((bytes, true)) = ansi {
        all.push(bytes.into_owned());
    }
    if all.first().is_none_or(|bytes| bytes != password.as_bytes()) {
        all.push(password.as_bytes().to_vec());
    }
    all
}

/// The cipher of a password. Facts: FORMAT.md, "Encryption".
pub(super) fn cipher(password: &[u8]) -> Des {
    let mut key = [0_u8; UNIT];
    if password.len() > UNIT {
        for (i, byte) in password.iter().enumerate() {
            if let Some(folded) = key.get_mut(i % UNIT) {
                *folded = (*folded << 1) ^ byte;
            }
        }
    } else {
        for (folded, byte) in key.iter_mut().zip(password.iter().cycle()) {
            *folded = *byte;
        }
    }
    Des::new(&Array::from(key))
}
