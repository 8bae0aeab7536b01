//! A few bytes kept where they stand.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Bytes kept in place.
const SHORT: usize = 14;

/// A few bytes, which take no memory of their own unless there are more than 14.
#[derive(Clone)]
pub struct SmallBytes(Kept);

#[derive(Clone)]
enum Kept {
    Here(u8, [u8; SHORT]),
    Elsewhere(Box<[u8]>),
}

impl SmallBytes {
    /// No bytes.
    pub const fn new() -> Self {
        Self(Kept::Here(0, [0; SHORT]))
    }

    /// Forgets all bytes.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl From<&[u8]> for SmallBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut short = [0; SHORT];
        match short.get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Self(Kept::Here(bytes.len() as u8, short))
            }
            None => Self(Kept::Elsewhere(bytes.into())),
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
            Kept::Here(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Kept::Elsewhere(bytes) => bytes,
        }
    }
}

impl DerefMut for SmallBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Kept::Here(length, bytes) => bytes.get_mut(..usize::from(*length)).unwrap_or_default(),
            Kept::Elsewhere(bytes) => bytes,
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
    fn bytes_come_back() {
        for length in [0, 1, 13, 14, 15, 100] {
            let bytes: Vec<u8> = (0..length).collect();
            let mut raw = SmallBytes::from(bytes.as_slice());
            assert_eq!(&*raw, bytes);
            assert_eq!(raw, raw.clone());
            for byte in &mut *raw {
                *byte ^= 1;
            }
            assert_eq!(raw == SmallBytes::from(bytes.as_slice()), length == 0);
            raw.clear();
            assert_eq!(raw, SmallBytes::new());
        }
    }
}
