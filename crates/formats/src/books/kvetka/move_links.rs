//! From sorted records to blocks; and on the way, if the book asks for it, the moves between all
//! its positions.

use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use tabia_core::error::{Error, Result};
use tabia_core::io::{Sink, TemporaryFile};
use tabia_core::loss::Feature;

use super::block_writer::Packer;
use super::book_builder::Builder;
use super::key::Key;
use super::merged_element::Gathered;
use super::moves::encode_move;
use super::record_sorter::RecordSorter;
use crate::books::mirrored::orientation::Orientation;

/// Keys looked up in memory at a time: 88 MiB of them.
const KEYS: usize = 4 << 20;

/// Writes all blocks; returns the numbers of parts and elements.
pub(super) fn write(builder: &mut Builder) -> Result<(u32, u32)> {
    let empty = RecordSorter::new(&builder.base, 1);
    let elements = std::mem::replace(&mut builder.elements, empty);
    let most = builder.settings.memory / Key::SIZE;
    let base = builder.base.clone();
    if !builder.header.links {
        return pack(builder, &base, |each| gather(elements, each));
    }
    let mut out = Saved::create(&base)?;
    gather(elements, &mut |gathered| out.push(gathered))?;
    let all = out.finish()?;
    let all = link(all, &base, most.clamp(1, KEYS))?;
    pack(builder, &base, |each| all.each(each))
}

/// Hands on what is said of each position.
type Each<'e> = &'e mut dyn FnMut(&Gathered) -> Result<()>;

fn gather(elements: RecordSorter, each: Each<'_>) -> Result<()> {
    let mut current: Option<Gathered> = None;
    elements.finish(|key, says| {
        if let Some(done) = current.take_if(|known| known.key != Some(*key)) {
            each(&done)?;
        }
        current
            .get_or_insert_with(|| Gathered::new(*key))
            .add(says)?;
        Ok(())
    })?;
    current.map_or(Ok(()), |last| each(&last))
}

fn pack(
    builder: &mut Builder,
    base: &Path,
    all: impl FnOnce(Each<'_>) -> Result<()>,
) -> Result<(u32, u32)> {
    let linked = builder.header.has_game_links();
    let settings = &builder.settings;
    let (form, part, fill) = (settings.list, settings.part, settings.fill);
    let (mut links, mut comments, mut moves) = (0, 0, 0);
    let mut packer = Packer::new(&mut builder.set, base, &builder.header, part, fill)?;
    let mut element = Sink::new();
    all(&mut |gathered| {
        element.clear();
        let (cut_links, cut_comment) = gathered.write(linked, form, &mut element);
        links += cut_links;
        comments += u64::from(cut_comment > 0);
        moves += gathered.move_count();
        match gathered.key {
            Some(key) => packer.push(key, element.as_slice()),
            None => Ok(()),
        }
    })?;
    let done = packer.finish(&builder.header)?;
    builder.moves = moves;
    builder.losses.add(Feature::GameLinks, links, None);
    builder.losses.add(Feature::LongText, comments, None);
    Ok(done)
}

/// Adds to every position the moves that lead to a position of the book. As many keys as memory
/// holds are looked up in one pass, so there are as many passes as that takes.
fn link(mut all: Saved, base: &Path, most: usize) -> Result<Saved> {
    let mut first = 0;
    loop {
        let mut keys = Vec::new();
        let mut place = 0;
        all.each(&mut |gathered| {
            if place >= first && keys.len() < most {
                keys.extend(gathered.key);
            }
            place += 1;
            Ok(())
        })?;
        let mut out = Saved::create(base)?;
        all.each(&mut |gathered| {
            let mut gathered = gathered.clone();
            link_one(&mut gathered, &keys);
            out.push(&gathered)
        })?;
        all = out.finish()?;
        first += keys.len();
        if first >= place || keys.is_empty() {
            return Ok(all);
        }
    }
}

fn link_one(gathered: &mut Gathered, keys: &[Key]) {
    let position = gathered
        .key
        .and_then(|key| key.position(Orientation::IDENTITY));
    let Some(position) = position else {
        return;
    };
    for &m in &*position.legal_moves() {
        let Some(code) = encode_move(&position, Orientation::IDENTITY, m) else {
            continue;
        };
        let mut next = position.clone();
        next.play(m);
        if let Some((key, _)) = Key::of(&next)
            && keys.binary_search(&key).is_ok()
        {
            gathered.add_move(code);
        }
    }
}

/// Positions in a file without a name, in order.
struct Saved {
    file: TemporaryFile,
}

struct Saving {
    out: BufWriter<TemporaryFile>,
    sink: Sink,
}

impl Saved {
    fn create(base: &Path) -> Result<Saving> {
        let file = TemporaryFile::new_in(TemporaryFile::folder_of(base))?;
        Ok(Saving {
            out: BufWriter::with_capacity(1 << 18, file),
            sink: Sink::new(),
        })
    }

    fn each(&self, each: Each<'_>) -> Result<()> {
        let mut file = BufReader::with_capacity(1 << 18, &self.file);
        file.rewind()?;
        let mut bytes = Vec::new();
        loop {
            let mut length = [0; 2];
            match file.read_exact(&mut length) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            let [high, low] = length.map(usize::from);
            bytes.resize(high << 8 | low, 0);
            file.read_exact(&mut bytes)?;
            each(&Gathered::load(&bytes)?)?;
        }
    }
}

impl Saving {
    fn push(&mut self, gathered: &Gathered) -> Result<()> {
        self.sink.clear();
        self.sink.u16_be(0);
        gathered.save(&mut self.sink);
        let length = self.sink.len() - 2;
        self.sink.patch_u16_be(0, length as u16);
        Ok(self.out.write_all(self.sink.as_slice())?)
    }

    fn finish(self) -> Result<Saved> {
        let file = self.out.into_inner();
        let file = file.map_err(|error| Error::from(error.into_error()))?;
        Ok(Saved { file })
    }
}
