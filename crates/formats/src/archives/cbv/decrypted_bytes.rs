//! The bytes of an archive, decrypted where necessary.

use std::borrow::Cow;

use des::Des;
use des::cipher::{Array, BlockCipherDecrypt, KeyInit};
use encoding_rs::WINDOWS_1252;
use tabia_core::io::Blob;

/// Size of a DES block, in bytes.
pub(super) const DES_BLOCK: usize = 8;

/// The bytes of an archive, decrypted on access. Clones share them.
#[derive(Clone)]
pub(super) struct DecryptedBytes {
    blob: Blob,
    key: Option<Des>,
}

impl DecryptedBytes {
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
            // A block that is cut off cannot be decrypted.
            Some(_) => self.blob.len() / DES_BLOCK * DES_BLOCK,
            None => self.blob.len(),
        }
    }

    /// The most bytes that fill up the last block and belong to nothing.
    pub(super) fn padding(&self) -> usize {
        self.key.as_ref().map_or(0, |_| DES_BLOCK - 1)
    }

    /// The `length` decrypted bytes at `at`; `None` if they exceed the archive.
    pub(super) fn get(&self, at: usize, length: usize) -> Option<Cow<'_, [u8]>> {
        let end = at.checked_add(length)?;
        let Some(key) = &self.key else {
            return self.blob.get(at..end).map(Cow::Borrowed);
        };
        // Each block is encrypted independently of the others.
        let first = at / DES_BLOCK * DES_BLOCK;
        let mut bytes = self
            .blob
            .get(first..end.next_multiple_of(DES_BLOCK))?
            .to_vec();
        for block in bytes.chunks_exact_mut(DES_BLOCK) {
            if let Ok(block) = <&mut Array<u8, _>>::try_from(block) {
                key.decrypt_block(block);
            }
        }
        bytes.drain(..at - first);
        bytes.truncate(length);
        Some(Cow::Owned(bytes))
    }
}

/// The encodings of a password to try: windows-1252, which ChessBase uses for text, then UTF-8.
pub(super) fn password_bytes(password: &str) -> Vec<Vec<u8>> {
    if password.is_empty() {
        return Vec::new();
    }
    let mut all: Vec<Vec<u8>> = Vec::new();
    all.extend(in_windows_1252(password));
    let as_is = password.as_bytes();
    if all.first().map(Vec::as_slice) != Some(as_is) {
        all.push(as_is.to_vec());
    }
    all
}

/// The bytes of a text in windows-1252; `None` if a character is not in the set. Looked up by decoding each byte:
/// the encoders of `encoding_rs` would be in every build that only reads.
fn in_windows_1252(text: &str) -> Option<Vec<u8>> {
    let set: Vec<char> = (0..=u8::MAX)
        .filter_map(|byte| {
            let byte = [byte];
            let (character, _) = WINDOWS_1252.decode_without_bom_handling(&byte);
            character.chars().next()
        })
        .collect();
    text.chars()
        .map(|wanted| u8::try_from(set.iter().position(|&one| one == wanted)?).ok())
        .collect()
}

/// The cipher of a password: see FORMAT.md, "Encryption".
pub(super) fn cipher(password: &[u8]) -> Des {
    let mut key = [0_u8; DES_BLOCK];
    if password.len() > DES_BLOCK {
        for (i, byte) in password.iter().enumerate() {
            if let Some(folded) = key.get_mut(i % DES_BLOCK) {
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
