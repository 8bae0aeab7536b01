//! The `.cbtt` file under construction: one record a tournament, up to the last that says anything.

use tabia_core::error::{Error, Result};
use zerocopy::IntoBytes;

use super::set_files::side_header;
use crate::games::cbh::records::{SideHeader, TOURNAMENT_EXTRA_DEFAULT, TournamentExtraRecord};
use crate::games::cbh::side_files::SideTable;

/// The records of the file.
#[derive(Debug)]
pub(super) struct Extras {
    version: u32,
    /// Bytes of a record; those behind what is known are zero in new ones.
    size: usize,
    records: Vec<u8>,
}

impl Extras {
    /// No records, of the version that is written.
    pub(super) fn new() -> Self {
        Self {
            version: 3,
            size: TournamentExtraRecord::SIZE,
            records: Vec::new(),
        }
    }

    /// The records of a file; shorter ones are filled up to the version that is written.
    pub(super) fn of(table: &SideTable) -> Self {
        let mut extras = Self::new();
        let stored = table.header().record_size.get() as usize;
        if stored > extras.size {
            extras.version = table.header().version.get();
            extras.size = stored;
        }
        for id in 0..table.len() {
            let (record, rest) = table.tournament(id);
            extras.records.extend_from_slice(record.as_bytes());
            extras.records.extend_from_slice(rest);
        }
        extras
    }

    /// No records, as long as these.
    pub(super) fn empty(&self) -> Self {
        Self {
            version: self.version,
            size: self.size,
            records: Vec::new(),
        }
    }

    /// What is said of a tournament; empty when that is nothing.
    pub(super) fn details(&self, id: u32) -> &[u8] {
        let start = (id as usize).saturating_mul(self.size);
        let record = self.records.get(start..start + TournamentExtraRecord::SIZE);
        record
            .filter(|record| *record != TOURNAMENT_EXTRA_DEFAULT.as_bytes())
            .unwrap_or_default()
    }

    /// Sets what is said of a tournament.
    pub(super) fn set(&mut self, id: u32, extra: &TournamentExtraRecord) -> Result<()> {
        let start = (id as usize).saturating_mul(self.size);
        let is_default = *extra == TOURNAMENT_EXTRA_DEFAULT;
        if start >= self.records.len() && is_default {
            return Ok(());
        }
        while start >= self.records.len() {
            let end = self.records.len() + self.size;
            if u32::try_from(end).is_err() {
                return Err(Error::invalid("too many tournaments"));
            }
            self.records
                .extend_from_slice(TOURNAMENT_EXTRA_DEFAULT.as_bytes());
            self.records.resize(end, 0);
        }
        let mut place = self.records.iter_mut().skip(start).take(self.size);
        for &byte in extra.as_bytes() {
            if let Some(place) = place.next() {
                *place = byte;
            }
        }
        for place in place {
            *place = 0;
        }
        Ok(())
    }

    /// The whole file.
    pub(super) fn file(&self) -> Vec<u8> {
        let count = self.records.len() / self.size.max(1);
        let last = count.saturating_sub(1) as u32;
        let mut sink = side_header(self.version, self.size as u32, last);
        sink.bytes(&self.records);
        debug_assert!(sink.len() >= SideHeader::SIZE);
        sink.into_vec()
    }
}
