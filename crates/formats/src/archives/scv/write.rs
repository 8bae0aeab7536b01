//! Writing archives that every version of Scidb unpacks. Layout: FORMAT.md, "Writing".

use std::io::{self, SeekFrom, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use tabia_core::io::Blob;
use tabia_core::{Error, Result};

use super::header::{DATA, HEAD};
use super::{MAGIC, lzo};
use crate::archives::create_options::{CreateOptions, Packing, STEP, WriteSeek};
use crate::archives::new_member::NewMember;

/// Columns that Scidb leaves for numbers which it fills in later.
const COLUMNS: usize = 11;

/// Names of formats and the extensions of their files, in Scidb's order.
const GROUPS: [(&str, &[&str]); 6] = [
    ("sci", &["sci", "scg", "scn"]),
    ("si3", &["si3", "sg3", "sn3"]),
    ("si4", &["si4", "sg4", "sn4", "ssc"]),
    ("si5", &["si5", "sg5", "sn5"]),
    ("cbf", &["cbf", "cbi"]),
    (
        "cbh",
        &[
            "cba", "cbb", "cbc", "cbd", "cbe", "cbg", "cbgi", "cbh", "cbj", "cbl", "cbm", "cbp",
            "cbs", "cbt", "cbtt",
        ],
    ),
];

pub(super) fn create(
    out: &mut dyn WriteSeek,
    members: &[NewMember],
    options: &CreateOptions,
) -> Result<()> {
    let sorted = sorted(members)?;
    out.write_all(MAGIC)?;
    out.write_all(b"\n<TotalSize> ")?;
    let total_at = out.stream_position()?;
    out.write_all(&[b' '; COLUMNS])?;
    out.write_all(b"\n")?;
    if let Some(games) = options.games {
        writeln!(out, "<Count> {games}")?;
    }
    writeln!(out, "<Format> {}", formats(&sorted).join(","))?;
    let roots: std::collections::BTreeSet<&str> =
        sorted.iter().map(|member| root(&member.name)).collect();
    writeln!(
        out,
        "<Type> {}",
        if roots.len() > 1 { "multi" } else { "single" }
    )?;
    let mut total = 0;
    for (number, member) in sorted.iter().enumerate() {
        if number > 0 {
            out.write_all(b"\n")?;
        }
        total += write_member(out, member, options)?;
    }
    patch(out, total_at, total)
}

/// The members with the files of one database together, databases in the order of `members`, the
/// files of each in Scidb's order.
fn sorted(members: &[NewMember]) -> Result<Vec<&NewMember>> {
    for member in members {
        if member.name.contains(['<', '>']) {
            let text = format!("a Scidb archive cannot hold the file name {}", member.name);
            return Err(Error::unsupported(text));
        }
    }
    let first = |name: &str| {
        members
            .iter()
            .position(|member| root(&member.name) == root(name))
    };
    let mut sorted: Vec<&NewMember> = members.iter().collect();
    sorted.sort_by_cached_key(|member| (first(&member.name), rank(&member.name)));
    Ok(sorted)
}

/// A name without its extension, and without `.gz`.
fn root(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(root, _)| root)
}

fn extension(name: &str) -> String {
    name.rsplit_once('.')
        .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

/// The position of a file in Scidb's order.
fn rank(name: &str) -> usize {
    let extension = extension(name);
    let all = GROUPS.iter().flat_map(|(_, extensions)| extensions.iter());
    let mut all = all.copied();
    all.position(|other| other == extension)
        .unwrap_or(usize::MAX)
}

/// The formats of the members, each once.
fn formats(members: &[&NewMember]) -> Vec<String> {
    let mut formats: Vec<String> = Vec::new();
    for member in members {
        let extension = extension(&member.name);
        let group = GROUPS
            .iter()
            .find(|(_, all)| all.contains(&extension.as_str()));
        let format = group.map_or(extension, |(format, _)| (*format).to_owned());
        if !format.is_empty() && !formats.contains(&format) {
            formats.push(format);
        }
    }
    if formats.is_empty() {
        // Scidb requires the line and ignores its value.
        formats.push("bin".to_owned());
    }
    formats
}

/// Overwrites the blanks at `at` with a number.
fn patch(out: &mut dyn WriteSeek, at: u64, number: u64) -> Result<()> {
    let end = out.stream_position()?;
    let text = number.to_string();
    if text.len() > COLUMNS {
        return Err(Error::unsupported(
            "a Scidb archive cannot hold more than 100 GB",
        ));
    }
    out.seek(SeekFrom::Start(at))?;
    out.write_all(text.as_bytes())?;
    out.seek(SeekFrom::Start(end))?;
    Ok(())
}

/// Writes one member and returns its size.
fn write_member(
    out: &mut dyn WriteSeek,
    member: &NewMember,
    options: &CreateOptions,
) -> Result<u64> {
    let bytes = member.open()?;
    let packing = packing(options.packing, &bytes);
    let name = method(packing);
    out.write_all(HEAD)?;
    write!(
        out,
        "\n<FileName> {}\n<FileSize> {}\n",
        member.name,
        bytes.len()
    )?;
    writeln!(out, "<Compression> {name}")?;
    if let Some(modified) = member.modified {
        writeln!(out, "<Modified> {}", modified.to_unix())?;
    }
    out.write_all(b"<Size> ")?;
    let size_at = out.stream_position()?;
    out.write_all(&[b' '; COLUMNS])?;
    out.write_all(b"\n<Checksum> ")?;
    let checksum_at = out.stream_position()?;
    out.write_all(&[b' '; COLUMNS])?;
    out.write_all(b"\n")?;
    out.write_all(DATA)?;
    out.write_all(b"\n")?;
    let mut data = ChecksumWriter {
        out,
        crc: Crc::new(),
        count: 0,
    };
    match packing {
        Packing::Stored => {
            for part in bytes.chunks(STEP) {
                data.write_all(part)?;
                options.advance(part.len())?;
            }
        }
        Packing::Lzo => {
            for chunk in bytes.chunks(lzo::CHUNK) {
                data.write_all(&lzo::pack(chunk)?)?;
                options.advance(chunk.len())?;
            }
        }
        Packing::Best | Packing::Zlib => {
            // Scidb cannot read raw members with bytes other than ASCII: these are stored by deflate
            // without compression.
            let is_stored = options.packing == Packing::Stored;
            let level = if is_stored {
                Compression::none()
            } else {
                Compression::default()
            };
            let mut encoder = ZlibEncoder::new(&mut data, level);
            for part in bytes.chunks(STEP) {
                encoder.write_all(part)?;
                options.advance(part.len())?;
            }
            encoder.finish()?;
        }
    }
    let (crc, count) = (data.crc.sum(), data.count);
    patch(out, size_at, count)?;
    patch(out, checksum_at, u64::from(crc))?;
    Ok(bytes.len() as u64)
}

/// The packing of a member: only ASCII is stored raw, because Scidb reads raw members as text.
fn packing(wanted: Packing, bytes: &Blob) -> Packing {
    let can_be_raw = bytes.is_ascii() && !bytes.contains(&0);
    match wanted {
        Packing::Stored if !can_be_raw => Packing::Zlib,
        other => other,
    }
}

const fn method(packing: Packing) -> &'static str {
    match packing {
        Packing::Stored => "raw",
        Packing::Lzo => "lzo",
        Packing::Best | Packing::Zlib => "zlib",
    }
}

/// Counts the bytes written and computes their checksum.
struct ChecksumWriter<'a> {
    out: &'a mut dyn WriteSeek,
    crc: Crc,
    count: u64,
}

impl Write for ChecksumWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.crc.update(bytes.get(..written).unwrap_or_default());
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
