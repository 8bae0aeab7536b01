//! Archives of ChessBase: `.cbv`, and `.cbz` with a password. Layout: FORMAT.md in this folder.

mod compress_block;
mod decrypted_bytes;
mod directory;
mod huffman_decoder;
mod lz_decoder;
mod read;
mod write;

use tabia_core::Result;
use tabia_core::error::ErrorKind;
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::io::Source;
use tabia_core::{Error, FormatId};

use self::decrypted_bytes::DecryptedBytes;
use super::archive::file_format;
use super::{Archive, ArchiveFormat, Packing};

/// The first bytes: the offset of the directory.
const MAGIC: [u8; 2] = [8, 0];
/// Offset of the directory.
const DIRECTORY: usize = 8;
/// Size of a directory record, in bytes.
const RECORD: usize = 173;
/// Bytes of a member in a block of ChessBase.
const BLOCK: usize = 0xf000;

/// Archives of ChessBase.
pub static CBV: ArchiveFormat = ArchiveFormat {
    file: file_format("cbv", "ChessBase archive", &["cbv"], score_cbv, ""),
    open: open_cbv,
    create: if cfg!(feature = "writers") {
        Some(write::create_cbv)
    } else {
        None
    },
    packings: &[Packing::Stored],
};

/// Archives of ChessBase with a password.
pub static CBZ: ArchiveFormat = ArchiveFormat {
    file: file_format(
        "cbz",
        "encrypted ChessBase archive",
        &["cbz"],
        score_cbz,
        "",
    ),
    open: open_cbz,
    create: if cfg!(feature = "writers") {
        Some(write::create_cbz)
    } else {
        None
    },
    packings: &[Packing::Stored],
};

fn score_cbv(probe: &Probe<'_>) -> Confidence {
    if directory::is_header(probe.head) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

/// Encrypted archives cannot be recognised by their content.
fn score_cbz(probe: &Probe<'_>) -> Confidence {
    if probe.extension() == "cbz" && probe.head.len() >= 8 && !directory::is_header(probe.head) {
        Confidence::ByName
    } else {
        Confidence::No
    }
}

fn open_cbv(source: &Source, options: &OpenOptions) -> Result<Box<dyn Archive>> {
    let bytes = DecryptedBytes::plain(source.main().open()?);
    let archive = read::CbvArchive::open(bytes, FormatId::new("cbv"), source.label(), options)?;
    Ok(Box::new(archive))
}

fn open_cbz(source: &Source, options: &OpenOptions) -> Result<Box<dyn Archive>> {
    let password = options.password.as_deref().unwrap_or_default();
    for password in decrypted_bytes::password_bytes(password) {
        let bytes = DecryptedBytes::encrypted(source.main().open()?, &password);
        let head = bytes.get(0, DIRECTORY).unwrap_or_default();
        if directory::is_header(&head) {
            let id = FormatId::new("cbz");
            return Ok(Box::new(read::CbvArchive::open(
                bytes,
                id,
                source.label(),
                options,
            )?));
        }
    }
    Err(Error::new(ErrorKind::Password))
}

/// The sum of the 16-bit little-endian words of the payload. The last byte is ignored if the length
/// is uneven.
fn checksum(payload: &[u8]) -> u16 {
    use zerocopy::FromBytes;
    use zerocopy::little_endian::U16;
    <[U16]>::ref_from_prefix_with_elems(payload, payload.len() / 2)
        .map(|(words, _)| {
            words
                .iter()
                .fold(0, |sum: u16, word| sum.wrapping_add(word.get()))
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_ignores_a_last_half_word() {
        assert_eq!(checksum(&[1, 2, 0xff, 0xff, 9]), 0x0200);
        assert_eq!(checksum(&[9]), 0);
    }
}
