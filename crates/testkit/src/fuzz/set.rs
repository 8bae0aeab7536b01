//! Several files in one input: the members of a database's set.
//!
//! Each file is a byte (its extension's place in a list, modulo the length), three bytes of
//! length (little-endian, cut to what is there), and its bytes.

use tabia_core::io::{Blob, Source};

/// The base name of every set made here.
const BASE: &str = "fuzz";

/// One input from files and their places in the list of extensions.
pub fn pack(files: &[(u8, &[u8])]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (place, bytes) in files {
        let length = bytes.len().min(0xff_ffff);
        packed.push(*place);
        packed.extend((0..3).map(|byte| (length >> (8 * byte)) as u8));
        packed.extend_from_slice(&bytes[..length]);
    }
    packed
}

/// The files in an input; of two with the same extension the first counts.
pub fn unpack(mut data: &[u8], extensions: &[&str]) -> Vec<(String, Blob)> {
    let mut members: Vec<(String, Blob)> = Vec::new();
    while let [place, a, b, c, rest @ ..] = data {
        let length = usize::from(*a) | usize::from(*b) << 8 | usize::from(*c) << 16;
        let (bytes, further) = rest.split_at(length.min(rest.len()));
        let extension = extensions[usize::from(*place) % extensions.len()];
        let name = format!("{BASE}.{extension}");
        if members.iter().all(|member| member.0 != name) {
            members.push((name, Blob::from(bytes.to_vec())));
        }
        data = further;
    }
    members
}

/// The set in an input, with the first extension as its main file.
pub fn source(data: &[u8], extensions: &[&str]) -> Option<Source> {
    let main = format!("{BASE}.{}", extensions.first()?);
    Source::from_members(&main, &main, unpack(data, extensions)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
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
