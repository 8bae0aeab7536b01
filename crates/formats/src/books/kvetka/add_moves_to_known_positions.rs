//! Adds to all positions of a book the moves that lead to another position of it, played or not.

use std::path::Path;

use tabia_core::error::Result;

use super::element_file::ElementFile;
use super::key::Key;
use super::merged_element::MergedElement;
use super::move_code::encode_move;
use crate::books::mirrored::orientation::Orientation;

/// Keys that are looked up in one pass at most: 88 MiB of them.
pub(super) const MAX_KEYS: usize = 4 << 20;

/// Adds to every element the moves that lead to a position of the book. Each pass looks up at most
/// `max_keys` keys, which are in memory.
pub(super) fn add_moves(
    mut elements: ElementFile,
    base: &Path,
    max_keys: usize,
) -> Result<ElementFile> {
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
