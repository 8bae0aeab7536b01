//! Several files in one input: the set of files of a database.
//!
//! Each file is stored as one byte (the index of its extension in a list, modulo the length of the
//! list), its length in three bytes (little-endian, limited to the rest of the input), and its bytes.

use tabia_core::io::{Blob, Source};

/// The base name of all sets.
const BASE: &str = "fuzz";

/// Packs files, each with the index of its extension, into one input.
pub fn pack(files: &[(u8, &[u8])]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (extension, bytes) in files {
        let length = bytes.len().min(0xff_ffff);
        packed.push(*extension);
        packed.extend((0..3).map(|byte| (length >> (8 * byte)) as u8));
        packed.extend_from_slice(&bytes[..length]);
    }
    packed
}

/// The files in an input. Of several with the same extension only the first is returned.
pub fn unpack(mut data: &[u8], extensions: &[&str]) -> Vec<(String, Blob)> {
    let mut members: Vec<(String, Blob)> = Vec::new();
    while let [index, a, b, c, rest @ ..] = data {
        let length = usize::from(*a) | usize::from(*b) << 8 | usize::from(*c) << 16;
        let (bytes, further) = rest.split_at(length.min(rest.len()));
        let extension = extensions[usize::from(*index) % extensions.len()];
        let name = format!("{BASE}.{extension}");
        if members.iter().all(|member| member.0 != name) {
            members.push((name, Blob::from(bytes.to_vec())));
        }
        data = further;
    }
    members
}

/// The set in an input. Its main file is the one with the first extension; `None` if that is absent.
pub fn source(data: &[u8], extensions: &[&str]) -> Option<Source> {
    let main = format!("{BASE}.{}", extensions.first()?);
    Source::from_members(&main, &main, unpack(data, extensions)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_round_trip() {
        let extensions = ["cbh", "cbg"];
        let packed = pack(&[(1, b"moves"), (0, b"heads"), (1, b"again")]);
        let members = unpack(&packed, &extensions);
        let members: Vec<(&str, &[u8])> = members
            .iter()
            .map(|(name, bytes)| (name.as_str(), &**bytes))
            .collect();
        assert_eq!(
            members,
            [("fuzz.cbg", &b"moves"[..]), ("fuzz.cbh", &b"heads"[..])]
        );
        assert_eq!(source(&packed, &extensions).unwrap().name(), "fuzz.cbh");
        assert!(source(b"", &extensions).is_none());
        assert_eq!(unpack(&packed[..6], &extensions).len(), 1);
    }
}
