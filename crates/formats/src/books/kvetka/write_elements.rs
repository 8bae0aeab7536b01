//! Writes the merged elements in blocks; first adds, if the header requires it, the moves to all
//! positions of the book, played or not.

use tabia_core::error::Result;
use tabia_core::io::Sink;
use tabia_core::loss::Feature;

use super::add_moves_to_known_positions::{MAX_KEYS, add_moves};
use super::block_writer::{BlockWriter, BookNames};
use super::book_builder::KvetkaBuilder;
use super::element_file::{ElementFile, Visit};
use super::key::Key;
use super::merged_element::MergedElement;
use super::record_sorter::RecordSorter;

/// The size of a written book.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenBlocks {
    pub(super) parts: u32,
    pub(super) elements: u32,
    pub(super) moves: u64,
}

/// Writes all blocks.
pub(super) fn write(builder: &mut KvetkaBuilder) -> Result<WrittenBlocks> {
    let empty = RecordSorter::new(&builder.names.base, 1);
    let contributions = std::mem::replace(&mut builder.contributions, empty);
    let max_keys = builder.settings.memory / Key::SIZE;
    let names = builder.names.clone();
    if !builder.header.links {
        return write_blocks(builder, &names, |visit| merge(contributions, visit));
    }
    let mut out = ElementFile::create(&names.base)?;
    merge(contributions, &mut |element| out.push(element))?;
    let elements = add_moves(out.finish()?, &names.base, max_keys.clamp(1, MAX_KEYS))?;
    write_blocks(builder, &names, |visit| elements.for_each(visit))
}

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
    names: &BookNames,
    for_each: impl FnOnce(Visit<'_>) -> Result<()>,
) -> Result<WrittenBlocks> {
    let has_links = builder.header.has_game_links();
    let settings = &builder.settings;
    let (form, max_part, fill) = (settings.list_form, settings.max_part, settings.fill);
    let (mut links, mut comments, mut moves) = (0, 0, 0);
    let mut writer = BlockWriter::new(&mut builder.set, names, &builder.header, max_part, fill)?;
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
