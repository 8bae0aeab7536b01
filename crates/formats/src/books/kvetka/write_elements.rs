//! Writes the merged elements in blocks; first adds, if the header requires it, the moves to all
//! positions of the book, played or not.

use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use tabia_core::error::{Error, Result};
use tabia_core::io::{Sink, TemporaryFile};
use tabia_core::loss::Feature;

use super::block_writer::BlockWriter;
use super::book_builder::KvetkaBuilder;
use super::key::Key;
use super::merged_element::MergedElement;
use super::move_code::encode_move;
use super::record_sorter::RecordSorter;
use crate::books::mirrored::orientation::Orientation;

/// Keys that are looked up in one pass at most: 88 MiB of them.
const MAX_KEYS: usize = 4 << 20;

/// The size of a written book.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenBlocks {
    pub(super) parts: u32,
    pub(super) elements: u32,
    pub(super) moves: u64,
}

/// Writes all blocks.
pub(super) fn write(builder: &mut KvetkaBuilder) -> Result<WrittenBlocks> {
    let empty = RecordSorter::new(&builder.base, 1);
    let contributions = std::mem::replace(&mut builder.contributions, empty);
    let max_keys = builder.settings.memory / Key::SIZE;
    let base = builder.base.clone();
    if !builder.header.links {
        return write_blocks(builder, &base, |visit| merge(contributions, visit));
    }
    let mut out = ElementFile::create(&base)?;
    merge(contributions, &mut |element| out.push(element))?;
    let elements = add_moves(out.finish()?, &base, max_keys.clamp(1, MAX_KEYS))?;
    write_blocks(builder, &base, |visit| elements.for_each(visit))
}

/// Called with the element of each position, in the order of the keys.
type Visit<'v> = &'v mut dyn FnMut(&MergedElement) -> Result<()>;

/// Merges the contributions to each position.
fn merge(contributions: RecordSorter, visit: Visit<'_>) -> Result<()> {
    let mut current: Option<MergedElement> = None;
    contributions.finish(|key, contribution| {
        if let Some(done) = current.take_if(|element| element.key != Some(*key)) {
            visit(&done)?;
        }
        current
            .get_or_insert_with(|| MergedElement::new(*key))
            .add(contribution)?;
        Ok(())
    })?;
    current.map_or(Ok(()), |last| visit(&last))
}

fn write_blocks(
    builder: &mut KvetkaBuilder,
    base: &Path,
    for_each: impl FnOnce(Visit<'_>) -> Result<()>,
) -> Result<WrittenBlocks> {
    let has_links = builder.header.has_game_links();
    let settings = &builder.settings;
    let (form, max_part, fill) = (settings.list_form, settings.max_part, settings.fill);
    let (mut links, mut comments, mut moves) = (0, 0, 0);
    let mut writer = BlockWriter::new(&mut builder.set, base, &builder.header, max_part, fill)?;
    let mut bytes = Sink::new();
    for_each(&mut |element| {
        bytes.clear();
        let (cut_links, cut_comment) = element.write(has_links, form, &mut bytes);
        links += cut_links;
        comments += u64::from(cut_comment > 0);
        moves += element.move_count();
        match element.key {
            Some(key) => writer.push(key, bytes.as_slice()),
            None => Ok(()),
        }
    })?;
    let (parts, elements) = writer.finish(&builder.header)?;
    builder.losses.add(Feature::GameLinks, links, None);
    builder.losses.add(Feature::LongText, comments, None);
    Ok(WrittenBlocks {
        parts,
        elements,
        moves,
    })
}

/// Adds to every element the moves that lead to a position of the book. Each pass looks up at most
/// `max_keys` keys, which are in memory.
fn add_moves(mut elements: ElementFile, base: &Path, max_keys: usize) -> Result<ElementFile> {
    let mut first = 0;
    loop {
        let mut keys = Vec::new();
        let mut number = 0;
        elements.for_each(&mut |element| {
            if number >= first && keys.len() < max_keys {
                keys.extend(element.key);
            }
            number += 1;
            Ok(())
        })?;
        let mut out = ElementFile::create(base)?;
        elements.for_each(&mut |element| {
            let mut element = element.clone();
            add_moves_to(&mut element, &keys);
            out.push(&element)
        })?;
        elements = out.finish()?;
        first += keys.len();
        if first >= number || keys.is_empty() {
            return Ok(elements);
        }
    }
}

/// Adds the moves that lead to one of these positions; `keys` are sorted.
fn add_moves_to(element: &mut MergedElement, keys: &[Key]) {
    let key = element.key;
    let Some(position) = key.and_then(|key| key.position(Orientation::IDENTITY)) else {
        return;
    };
    for &m in &*position.legal_moves() {
        let Some(code) = encode_move(&position, Orientation::IDENTITY, m) else {
            continue;
        };
        let mut child = position.clone();
        child.play(m);
        if let Some((key, _)) = Key::of(&child)
            && keys.binary_search(&key).is_ok()
        {
            element.add_move(code);
        }
    }
}

/// Elements in a temporary file, in the order of their keys.
struct ElementFile {
    file: TemporaryFile,
}

struct ElementFileWriter {
    out: BufWriter<TemporaryFile>,
    sink: Sink,
}

impl ElementFile {
    fn create(base: &Path) -> Result<ElementFileWriter> {
        let file = TemporaryFile::new_in(TemporaryFile::folder_of(base))?;
        Ok(ElementFileWriter {
            out: BufWriter::with_capacity(1 << 18, file),
            sink: Sink::new(),
        })
    }

    fn for_each(&self, visit: Visit<'_>) -> Result<()> {
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
            visit(&MergedElement::load(&bytes)?)?;
        }
    }
}

impl ElementFileWriter {
    fn push(&mut self, element: &MergedElement) -> Result<()> {
        self.sink.clear();
        self.sink.u16_be(0);
        element.save(&mut self.sink);
        let length = self.sink.len() - 2;
        self.sink.patch_u16_be(0, length as u16);
        Ok(self.out.write_all(self.sink.as_slice())?)
    }

    fn finish(self) -> Result<ElementFile> {
        let file = self.out.into_inner();
        let file = file.map_err(|error| Error::from(error.into_error()))?;
        Ok(ElementFile { file })
    }
}
