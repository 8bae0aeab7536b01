//! Records of inputs in the order of some fields, in bounded memory.

use std::sync::Arc;

use tabia::list::{ListOptions, ListRow, list};
use tabia::sort::{GameSorter, SortOrder, row_key};
use tabia::{Error, GameIndex, Progress};

use crate::inputs::Inputs;
use crate::kept_problems::{Keep, Problems, take};

/// Visits the records in order: the number of the input and that of the record in it. Only their keys
/// are sorted, with temporary files if they are many. Before the first of them `found` gets the problems of
/// each input.
pub(crate) fn for_each_sorted(
    inputs: &Inputs,
    options: &ListOptions,
    order: &SortOrder,
    progress: &Arc<Progress>,
    found: &mut dyn FnMut(usize, Vec<Error>),
    visit: &mut dyn FnMut(usize, GameIndex) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut sorter = GameSorter::new(order, &std::env::temp_dir());
    let problems = Problems::default();
    for (input, item) in inputs.items.iter().enumerate() {
        let render = |row: &ListRow<'_>, rows: &mut Vec<(Vec<u8>, u64)>| {
            let mut key = Vec::new();
            row_key(order, row, &mut key);
            rows.push((key, (input as u64) << 32 | u64::from(row.game.0)));
        };
        let emit = &mut |rows: &mut Vec<(Vec<u8>, u64)>| {
            let mut rows = rows.drain(..);
            rows.try_for_each(|(key, record)| sorter.push(key, &record.to_ne_bytes()))
        };
        let mut observer = Keep(Arc::clone(&problems));
        list(item, options, &render, progress, &mut observer, emit)?;
        found(input, take(&problems));
    }
    sorter.finish(&mut |record| {
        progress.check()?;
        let record = record.try_into().map_or(u64::MAX, u64::from_ne_bytes);
        visit((record >> 32) as usize, GameIndex(record as u32))
    })
}
