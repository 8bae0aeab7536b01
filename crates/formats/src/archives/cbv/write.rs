//! Writing archives of ChessBase.

use std::io::SeekFrom;
use std::num::NonZero;

use des::Des;
use des::cipher::{Array, BlockCipherEncrypt};
use tabia_core::io::{Charset, Sink, encode};
use tabia_core::{Error, ErrorKind, Result};

use super::decrypted_bytes::{DES_BLOCK, cipher, password_bytes};
use super::directory::record_at;
use super::{BLOCK, MAGIC, RECORD, checksum, compress_block};
use crate::archives::create_options::{CreateOptions, Packing, WriteSeek};
use crate::archives::new_member::NewMember;

/// Blocks packed at a time; bounds the memory for large members.
const BATCH: usize = 64;

pub(super) fn create_cbv(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<()> {
    write(out, members, options, None)
}

pub(super) fn create_cbz(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<()> {
    let password = options.password.as_deref().unwrap_or_default();
    let candidates = password_bytes(password);
    let bytes = candidates
        .first()
        .ok_or_else(|| Error::new(ErrorKind::Password))?;
    write(out, members, options, Some(&cipher(bytes)))
}

/// The order in which ChessBase archives the files of a database. Other files follow.
const ORDER: [&str; 13] = [
    "cbh", "ini", "cbg", "cba", "cbp", "cbt", "cbs", "cbc", "cbj", "cbe", "cbm", "cbtt", "cbl",
];

/// The position of a file in [`ORDER`].
fn rank(name: &str) -> usize {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let found = ORDER
        .iter()
        .position(|other| extension.eq_ignore_ascii_case(other));
    found.unwrap_or(ORDER.len())
}

fn write(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
    key: Option<&Des>,
) -> Result<()> {
    let count = u16::try_from(members.len())
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| Error::unsupported("a ChessBase archive holds 1 to 65,535 files"))?;
    let mut sorted: Vec<&NewMember> = members.iter().collect();
    sorted.sort_by_key(|member| rank(&member.name));

    let mut head = Sink::new();
    head.bytes(&MAGIC);
    head.u16_le(count);
    head.u8(RECORD as u8);
    head.bytes(&[0, 3, 0]);

    let head_length = record_at(members.len());
    // The head is written last. If it ends inside a DES block, the data that shares this block is
    // written with it.
    let shared = head_length.next_multiple_of(DES_BLOCK) - head_length;
    out.seek(SeekFrom::Start((head_length + shared) as u64))?;
    let mut data = EncryptedWriter {
        out,
        key,
        pending: Vec::new(),
        first_bytes: Vec::new(),
        shared,
    };
    let mut at = head_length as u64;
    for member in sorted {
        let (packed, size) = write_member(&mut data, member, options)?;
        record(&mut head, member, at, packed, size)?;
        at += packed;
    }
    data.finish(head.as_slice())
}

/// Packs one file and returns its packed and its unpacked size.
fn write_member(
    data: &mut EncryptedWriter<'_>,
    member: &NewMember,
    options: &CreateOptions,
) -> Result<(u64, u64)> {
    let bytes = member.open()?;
    let stored = options.packing == Packing::Stored;
    let mut packed = 0;
    for batch in bytes.chunks(BLOCK * BATCH) {
        let blocks: Vec<&[u8]> = batch.chunks(BLOCK).collect();
        for payload in pack_all(&blocks, stored) {
            let mut block = Sink::new();
            block.u16_le(payload.len() as u16);
            block.u16_le(checksum(&payload));
            block.bytes(&payload);
            packed += block.len() as u64;
            data.write(block.as_slice())?;
        }
        options.advance(batch.len())?;
    }
    Ok((packed, bytes.len() as u64))
}

/// Packs blocks on all processors; the result does not depend on their number.
fn pack_all(blocks: &[&[u8]], stored: bool) -> Vec<Vec<u8>> {
    let threads = std::thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(8);
    let share = blocks.len().div_ceil(threads).max(1);
    if stored || threads == 1 || blocks.len() < 2 {
        return blocks
            .iter()
            .map(|block| compress_block::pack(block, stored))
            .collect();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = blocks
            .chunks(share)
            .map(|part| {
                let work = move || {
                    part.iter()
                        .map(|block| compress_block::pack(block, false))
                        .collect()
                };
                (part, scope.spawn(work))
            })
            .collect();
        let join = |(part, worker): (&[&[u8]], std::thread::ScopedJoinHandle<'_, Vec<Vec<u8>>>)| {
            // The blocks of a thread that panicked are stored.
            worker.join().unwrap_or_else(|_| {
                part.iter()
                    .map(|block| compress_block::pack(block, true))
                    .collect()
            })
        };
        workers.into_iter().flat_map(join).collect()
    })
}

/// Appends the directory record of a member to the head.
fn record(head: &mut Sink, member: &NewMember, at: u64, packed: u64, size: u64) -> Result<()> {
    let name = member.name.replace('/', "\\");
    let (bytes, is_complete) = match Charset::parse("cp1252") {
        Some(charset) => encode(&name, charset),
        None => encode(&name, Charset::Utf8),
    };
    if !is_complete || bytes.len() > 127 {
        return Err(Error::unsupported(format!(
            "a ChessBase archive cannot hold the file name {name}: at most 127 characters of windows-1252"
        )));
    }
    head.fixed(&bytes, 128);
    for number in [at, packed, size] {
        head.u32_le(number as u32);
    }
    head.u8(1);
    let time = member.modified.unwrap_or_default();
    let date = u32::from(time.year) * 10_000 + u32::from(time.month) * 100 + u32::from(time.day);
    head.u32_le(date);
    let clock =
        u32::from(time.hour) * 10_000 + u32::from(time.minute) * 100 + u32::from(time.second);
    head.u32_le(clock * 100);
    for number in [at, packed, size] {
        head.u64_le(number);
    }
    Ok(())
}

/// Writes the data after the head, encrypted if there is a key.
struct EncryptedWriter<'a> {
    out: &'a mut dyn WriteSeek,
    key: Option<&'a Des>,
    pending: Vec<u8>,
    /// The bytes of the data that share a DES block with the head: the first `shared` ones.
    first_bytes: Vec<u8>,
    shared: usize,
}

impl EncryptedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let missing = (self.shared - self.first_bytes.len()).min(bytes.len());
        let (first, bytes) = bytes.split_at(missing);
        self.first_bytes.extend_from_slice(first);
        self.pending.extend_from_slice(bytes);
        let length = self.pending.len() / DES_BLOCK * DES_BLOCK;
        if length >= 1 << 16 {
            self.flush(length)?;
        }
        Ok(())
    }

    /// Writes `length` pending bytes.
    fn flush(&mut self, length: usize) -> Result<()> {
        let mut bytes: Vec<u8> = self.pending.drain(..length).collect();
        encrypt(self.key, &mut bytes);
        Ok(self.out.write_all(&bytes)?)
    }

    /// Writes the remaining bytes, then the head.
    fn finish(mut self, head: &[u8]) -> Result<()> {
        if self.key.is_some() {
            self.pending
                .resize(self.pending.len().next_multiple_of(DES_BLOCK), 0);
            self.first_bytes.resize(self.shared, 0);
        }
        self.flush(self.pending.len())?;
        let mut start = head.to_vec();
        start.extend_from_slice(&self.first_bytes);
        encrypt(self.key, &mut start);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&start)?;
        Ok(())
    }
}

/// Encrypts complete DES blocks; without a key nothing.
fn encrypt(key: Option<&Des>, bytes: &mut [u8]) {
    let Some(key) = key else { return };
    for block in bytes.chunks_exact_mut(DES_BLOCK) {
        if let Ok(block) = <&mut Array<u8, _>>::try_from(block) {
            key.encrypt_block(block);
        }
    }
}
