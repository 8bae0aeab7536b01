//! Byte strings with inline storage.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Number of bytes that fit inline.
const MAX_INLINE: usize = 14;

/// A byte string that is stored inline up to 14 bytes and on the heap above.
#[derive(Clone)]
pub struct SmallBytes(Storage);

#[derive(Clone)]
enum Storage {
    /// Length and bytes.
    Inline(u8, [u8; MAX_INLINE]),
    Heap(Box<[u8]>),
}

impl SmallBytes {
    /// No bytes.
    pub const fn new() -> Self {
        Self(Storage::Inline(0, [0; MAX_INLINE]))
    }

    /// Removes all bytes.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl From<&[u8]> for SmallBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut inline = [0; MAX_INLINE];
        match inline.get_mut(..bytes.len()) {
            Some(target) => {
                target.copy_from_slice(bytes);
                Self(Storage::Inline(bytes.len() as u8, inline))
            }
            None => Self(Storage::Heap(bytes.into())),
        }
    }
}

impl<const N: usize> From<[u8; N]> for SmallBytes {
    fn from(bytes: [u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl Default for SmallBytes {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for SmallBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Inline(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Storage::Heap(bytes) => bytes,
        }
    }
}

impl DerefMut for SmallBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Storage::Inline(length, bytes) => {
                bytes.get_mut(..usize::from(*length)).unwrap_or_default()
            }
            Storage::Heap(bytes) => bytes,
        }
    }
}

impl PartialEq for SmallBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SmallBytes {}

impl fmt::Debug for SmallBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_length_round_trip() {
        for length in [0, 1, 13, 14, 15, 100] {
            let bytes: Vec<u8> = (0..length).collect();
            let mut stored = SmallBytes::from(bytes.as_slice());
            assert_eq!(&*stored, bytes);
            assert_eq!(stored, stored.clone());
            for byte in &mut *stored {
                *byte ^= 1;
            }
            assert_eq!(stored == SmallBytes::from(bytes.as_slice()), length == 0);
            stored.clear();
            assert_eq!(stored, SmallBytes::new());
        }
    }
}
