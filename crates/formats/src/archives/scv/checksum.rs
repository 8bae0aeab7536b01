//! The checksum of a member and its accepted forms. Facts: FORMAT.md, "Checksums".

use flate2::Crc;

/// Whether `wanted` is a checksum of a member: of its stored bytes, of the form that Tcl gives
/// them, or of what they unpack to (`unpacked`).
pub(super) fn fits(wanted: u32, stored: &[u8], unpacked: u32) -> bool {
    wanted == unpacked || is_stored(wanted, stored)
}

/// Whether `wanted` is a checksum of the stored bytes in either form.
pub(super) fn is_stored(wanted: u32, stored: &[u8]) -> bool {
    wanted == plain(stored) || wanted == tcl(stored)
}

/// CRC-32 as in ZIP.
pub(super) fn plain(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// CRC-32 of Tcl's inner form of the bytes: UTF-8 of each as a character, 0 as two bytes.
fn tcl(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    let mut wide = Vec::with_capacity(1 << 14);
    for part in bytes.chunks(1 << 13) {
        wide.clear();
        for &byte in part {
            match byte {
                0 => wide.extend([0xc0, 0x80]),
                1..=0x7f => wide.push(byte),
                _ => wide.extend([0xc0 | byte >> 6, 0x80 | byte & 0x3f]),
            }
        }
        crc.update(&wide);
    }
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(plain(b"abc"), 0x3524_41c2);
        assert_eq!(tcl(b"abc"), plain(b"abc"));
        assert_eq!(tcl(&[0, 0xfc]), plain(&[0xc0, 0x80, 0xc3, 0xbc]));
        assert!(fits(plain(b"x"), b"y", plain(b"x")));
        assert!(!fits(1, b"y", 2));
    }
}
