//! Builds the `.cbtt` file: one record for each tournament, up to the last one that is not default.

use tabia_core::error::{Error, Result};
use zerocopy::IntoBytes;

use crate::games::cbh::files_of_newer_versions::{SideTable, side_header};
use crate::games::cbh::records::{SideHeader, TOURNAMENT_EXTRA_DEFAULT, TournamentExtraRecord};

/// The extended records of all tournaments.
#[derive(Debug)]
pub(super) struct TournamentExtras {
    version: u32,
    /// Bytes of a record; those after the known fields are zero in new records.
    size: usize,
    records: Vec<u8>,
}

impl TournamentExtras {
    /// No records, in the version for new files.
    pub(super) fn new() -> Self {
        Self {
            version: 3,
            size: TournamentExtraRecord::SIZE,
            records: Vec::new(),
        }
    }

    /// The records of a file; shorter ones are extended to the version for new files.
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

    /// No records, in the version and size of these.
    pub(super) fn empty(&self) -> Self {
        Self {
            version: self.version,
            size: self.size,
            records: Vec::new(),
        }
    }

    /// The record of a tournament; empty if it is default.
    pub(super) fn details(&self, id: u32) -> &[u8] {
        let start = (id as usize).saturating_mul(self.size);
        let record = self.records.get(start..start + TournamentExtraRecord::SIZE);
        record
            .filter(|record| *record != TOURNAMENT_EXTRA_DEFAULT.as_bytes())
            .unwrap_or_default()
    }

    /// Sets the record of a tournament.
    ///
    /// # Errors
    /// If the file would exceed 4 GiB.
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
        let record = self.records.get_mut(start..start + self.size);
        let record = record.unwrap_or_default();
        if let Some((fields, rest)) = record.split_at_mut_checked(TournamentExtraRecord::SIZE) {
            fields.copy_from_slice(extra.as_bytes());
            rest.fill(0);
        }
        Ok(())
    }

    /// The bytes of the complete file.
    pub(super) fn file(&self) -> Vec<u8> {
        let count = self.records.len() / self.size.max(1);
        let last = count.saturating_sub(1) as u32;
        let mut sink = side_header(self.version, self.size as u32, last);
        sink.bytes(&self.records);
        debug_assert!(sink.len() >= SideHeader::SIZE);
        sink.into_vec()
    }
}
