//! The accepted forms of a checksum of a member. Layout: FORMAT.md, "Checksums".

use flate2::Crc;

/// Whether `wanted` is a checksum of a member: of its stored bytes, of these in Tcl's internal form,
/// or of the unpacked bytes, whose CRC-32 is `unpacked`.
pub(super) fn matches(wanted: u32, stored: &[u8], unpacked: u32) -> bool {
    wanted == unpacked || matches_stored(wanted, stored)
}

/// Whether `wanted` is a checksum of the stored bytes in either form.
pub(super) fn matches_stored(wanted: u32, stored: &[u8]) -> bool {
    wanted == crc32(stored) || wanted == tcl_crc32(stored)
}

/// CRC-32 as in ZIP archives.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// CRC-32 of the bytes in Tcl's internal form: each byte as a UTF-8 character, 0 as two bytes.
fn tcl_crc32(bytes: &[u8]) -> u32 {
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
    fn all_accepted_forms_match() {
        assert_eq!(crc32(b"abc"), 0x3524_41c2);
        assert_eq!(tcl_crc32(b"abc"), crc32(b"abc"));
        assert_eq!(tcl_crc32(&[0, 0xfc]), crc32(&[0xc0, 0x80, 0xc3, 0xbc]));
        assert!(matches(crc32(b"x"), b"y", crc32(b"x")));
        assert!(!matches(1, b"y", 2));
    }
}
