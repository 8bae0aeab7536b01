//! Records of inputs in the order of some fields, in bounded memory.

use std::sync::Arc;

use tabia::core::games::GameReader;
use tabia::list::{ListOptions, ListRow, list};
use tabia::sort::{GameSorter, SortOrder, row_key};
use tabia::{Database, Error, GameIndex, InputItem, Progress};

use crate::batches::Send;
use crate::inputs::Inputs;
use crate::kept_problems::{Keep, Problems};

/// Which records of which inputs, and in which order.
pub(crate) struct SortedRecords {
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) options: ListOptions,
    pub(crate) order: SortOrder,
    /// Results that are sent at a time.
    pub(crate) chunk: usize,
}

/// A record, and where it is.
pub(crate) struct RecordAt<'r> {
    /// Number of the input.
    pub(crate) input: usize,
    pub(crate) item: &'r InputItem,
    pub(crate) database: &'r dyn Database,
    pub(crate) reader: &'r mut dyn GameReader,
    pub(crate) game: GameIndex,
}

impl SortedRecords {
    /// Sends what `make` makes of each record. Before the first of them `found` gets the problems of each input.
    pub(crate) fn send_each<T>(
        &self,
        progress: &Arc<Progress>,
        found: &mut dyn FnMut(usize, Vec<Error>),
        make: &mut dyn FnMut(RecordAt<'_>) -> Result<T, Error>,
        send: Send<'_, T>,
    ) -> Result<(), Error> {
        let databases = self.inputs.databases()?;
        let mut readers: Vec<_> = databases.iter().map(|database| database.reader()).collect();
        let mut batch = Vec::with_capacity(self.chunk);
        let visit = &mut |input, game| {
            let at = (
                self.inputs.items.get(input),
                databases.get(input),
                readers.get_mut(input),
            );
            if let (Some(item), Some(database), Some(reader)) = at {
                batch.push(make(RecordAt {
                    input,
                    item,
                    database: &**database,
                    reader: &mut **reader,
                    game,
                })?);
            }
            if batch.len() == self.chunk && !send(std::mem::take(&mut batch)) {
                return Err(Error::cancelled());
            }
            Ok(())
        };
        for_each_sorted(
            &self.inputs,
            &self.options,
            &self.order,
            progress,
            found,
            visit,
        )?;
        send(batch);
        Ok(())
    }
}

/// Visits the records in order: the number of the input and that of the record in it. Only their keys
/// are sorted, with temporary files if they are many.
fn for_each_sorted(
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
        let mut observer = Keep(problems.clone());
        list(item, options, &render, progress, &mut observer, emit)?;
        found(input, problems.take());
    }
    sorter.finish(&mut |record| {
        progress.check()?;
        let record = record.try_into().map_or(u64::MAX, u64::from_ne_bytes);
        visit((record >> 32) as usize, GameIndex(record as u32))
    })
}
