//! The headers of `.cbh`, `.cbg`, `.cba` and the side files, and records that overlap.

use tabia_core::error::{Error, ErrorKind, GameIndex};
use tabia_core::games::Database;
use tabia_core::plural::counted;

use super::{Finding, Severity, Verifier};
use crate::games::cbh::entities::EntityTable;
use crate::games::cbh::files_of_newer_versions::{
    EXTENDED_SIZES, EXTRA_SIZES, MEDIA_SIZES, RecordSizes, SideTable,
};
use crate::games::cbh::records::{
    FileHeader, FlagsHeader, OLD_BODY_HEADER, SideHeader, body_header,
};

impl Verifier<'_> {
    /// Checks all files except the entity files.
    pub(super) fn files(&mut self) {
        self.main_header();
        let db = self.db;
        for (extension, file, records) in [
            (
                "cbg",
                &db.companions().moves,
                std::mem::take(&mut self.bodies),
            ),
            (
                "cba",
                &db.companions().annotations,
                std::mem::take(&mut self.annotations),
            ),
        ] {
            if let Some(file) = file {
                self.body_file(extension, file, records);
            }
        }
        let tables = db.tables();
        if let Some(extended) = &tables.extended {
            self.side_table("cbj", extended, EXTENDED_SIZES);
            // Files with fewer records than stated were reported when they were opened.
            let (stated, found) = (extended.header().count.get(), extended.len());
            if stated < found {
                let stated = counted(stated, "record", "records");
                let text = format!("the header states {stated}, the file has {found}");
                self.in_file("cbj", text);
            }
            if found > db.len() {
                let found = counted(found, "record", "records");
                let text = format!("{found} for {} in .cbh", db.len());
                self.in_file("cbj", text);
            }
        }
        if let Some(extras) = &tables.tournament_extras {
            self.side_table("cbtt", extras, EXTRA_SIZES);
            // The index of the last record, which is 0 both for one record and for none.
            let (stated, found) = (extras.header().count.get(), extras.len());
            if stated < found.saturating_sub(1) {
                let found = counted(found, "record", "records");
                let text =
                    format!("the header states {stated} as the last index, the file has {found}");
                self.in_file("cbtt", text);
            }
            let tournaments = tables.tournaments.as_ref().map(EntityTable::capacity);
            if let Some(tournaments) = tournaments.filter(|&count| count < found) {
                let found = counted(found, "record", "records");
                let text = format!(
                    "{found} for {}",
                    counted(tournaments, "tournament", "tournaments")
                );
                self.in_file("cbtt", text);
            }
        }
        if let Some(media) = &db.companions().media {
            self.side_table("cbm", media, MEDIA_SIZES);
            let (stated, found) = (media.header().count.get(), media.len());
            if stated < found {
                let stated = counted(stated, "record", "records");
                let text = format!("the header states {stated}, the file has {found}");
                self.in_file("cbm", text);
            }
        }
        if let Some(marks) = &tables.top_games {
            let bytes = marks.bytes();
            let words = FlagsHeader::read(bytes).map_or(0, |header| header.capacity.get());
            let found = (bytes.len() - FlagsHeader::SIZE) / 4;
            if (words as usize) < found {
                let words = counted(words, "word", "words");
                let text = format!("the header states {words}, the file has {found}");
                self.in_file("flags", text);
            }
        }
    }

    fn in_file(&mut self, extension: &str, text: String) {
        let name = self.db.headers_name.with_extension(extension);
        self.report(Severity::Stale, Error::invalid(text).in_path(&name));
    }

    /// Reports a size that no program needs: `ChessBase` itself leaves it as it was.
    fn out_of_date(&mut self, extension: &str, text: String) {
        let name = self.db.headers_name.with_extension(extension);
        let error = Error::new(ErrorKind::OutOfDate(text));
        self.report(Severity::Stale, error.in_path(&name));
    }

    /// Compares the second copy of the next number; the first is compared on opening.
    fn main_header(&mut self) {
        let Some(header) = self.db.header() else {
            return;
        };
        let again = header.next_game_again.get();
        let is_old = usize::from(header.header_size.get()) < FileHeader::SIZE - 2;
        if !is_old && again != header.next_game.get() {
            let next = header.next_game.get();
            let text =
                format!("the header states {next} as the next game, its second copy {again}");
            self.in_file("cbh", text);
        }
    }

    /// Compares the sizes in the header of `.cbg` or `.cba`, and reports records that overlap each
    /// other or the header.
    fn body_file(&mut self, extension: &str, file: &[u8], mut records: Vec<(u64, u64, GameIndex)>) {
        // A file that is cut off was reported when it was opened.
        let Some(header) = body_header(file) else {
            return;
        };
        let size = file.len() as u64;
        let is_long = header.header_size.get() > OLD_BODY_HEADER;
        let stated = u64::from(header.file_size.get());
        if stated != size & 0xffff_ffff {
            if stated < size {
                let stated = counted(stated, "byte", "bytes");
                let text = format!("the header states {stated}, the file has {size}");
                self.out_of_date(extension, text);
            }
        } else if is_long && header.file_size_wide.get() != size {
            let stated = header.file_size_wide.get();
            let stated = counted(stated, "byte", "bytes");
            let text = format!("the header states {stated} in its wide field, the file has {size}");
            self.out_of_date(extension, text);
        }
        let is_size_true = stated == size & 0xffff_ffff;
        records.sort_unstable();
        let mut covered = u64::from(header.header_size.get());
        let mut unused = 0;
        let mut last: Option<GameIndex> = None;
        for &(start, end, game) in &records {
            if start < covered {
                let text = match last {
                    Some(last) => format!("the record runs into that of game {last}"),
                    None => "the record begins inside the header".to_owned(),
                };
                let name = self.db.headers_name.with_extension(extension);
                let error = Error::invalid(text).in_path(&name);
                self.findings.push(Finding {
                    severity: Severity::Damage,
                    error: error.in_game(game).at_offset(start),
                    other: last,
                    is_of_reading: false,
                });
            }
            unused += start.saturating_sub(covered);
            if end > covered {
                covered = end;
                last = Some(game);
            }
        }
        unused += size.saturating_sub(covered);
        let stated = u64::from(header.unused.get());
        if !is_size_true {
            return;
        }
        if stated != unused & 0xffff_ffff {
            let stated = counted(stated, "unused byte", "unused bytes");
            let text = format!("the header states {stated}, the file has {unused}");
            self.out_of_date(extension, text);
        } else if is_long && header.unused_wide.get() != unused {
            let stated = header.unused_wide.get();
            let stated = counted(stated, "unused byte", "unused bytes");
            let text =
                format!("the header states {stated} in its wide field, the file has {unused}");
            self.out_of_date(extension, text);
        }
    }

    /// Compares the record size with that of the version.
    fn side_table(&mut self, extension: &str, table: &SideTable, sizes: RecordSizes) {
        let header: &SideHeader = table.header();
        let (version, size) = (header.version.get(), header.record_size.get());
        let entry = sizes.iter().find(|(other, _)| *other == version);
        match entry {
            Some((_, expected)) if *expected != size => {
                let text = format!("version {version} has records of {expected} bytes, not {size}");
                self.in_file(extension, text);
            }
            _ => {}
        }
        let rest = table.rest();
        if rest > 0 {
            let text = format!(
                "{} not a complete record",
                counted(rest, "byte at the end is", "bytes at the end are")
            );
            self.in_file(extension, text);
        }
    }
}
