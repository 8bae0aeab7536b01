//! Parts of a set over which zeros were written up to the end of their file. The last record of a file shows it; only if
//! that one is hit, all of them are counted.

use tabia_core::error::GameIndex;
use tabia_core::games::BlankEntries;
use tabia_core::io::Blob;

use super::annotations::Items;
use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::Tables;
use super::headerless_record_finder::Readability;
use super::open::CbhDatabase;
use super::records::{
    AnnotationsHead, FileHeader, GameRecord, MovesHead, OLD_BODY_HEADER, Record, TYPE_TEXT,
};
use crate::games::common::zeroed_files::{has_only_zeros, zeroed};

/// What the headers state about the ends of the other files.
#[derive(Debug, Default)]
pub(super) struct ZeroedParts {
    /// The headers that have only zeros.
    pub(super) blank: BlankEntries,
    /// The last header, if none is blank.
    last: Option<GameIndex>,
    /// The record whose moves begin last, and where.
    moves: (u32, GameIndex),
    /// The same of annotations.
    annotations: (u32, GameIndex),
}

impl ZeroedParts {
    /// Adds the header of a record.
    #[inline]
    pub(super) fn add(&mut self, index: GameIndex, header: &[u8]) {
        let Some(game) = GameRecord::read(header) else {
            return;
        };
        if game.kind == 0 && BlankEntries::is_blank(header) {
            self.blank.add(index);
            self.last = None;
            return;
        }
        if self.blank.count() == 0 {
            self.last = Some(index);
        }
        self.moves = self.moves.max((game.moves_at.get(), index));
        if game.kind & TYPE_TEXT == 0 {
            let at = game.annotations_at.get();
            self.annotations = self.annotations.max((at, index));
        }
    }

    /// The problems of the set by the extensions of the files.
    pub(super) fn problems(&self, db: &CbhDatabase) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut add = |extension: &'static str, text: Option<String>| {
            found.extend(text.map(|text| (extension, text)));
        };
        add("cbh", self.blank.problem());
        add("cbh", self.last.and_then(|last| cut_header(db, last)));
        let companions = db.companions();
        add("cbg", companions.moves.as_ref().and_then(blank_header));
        add(
            "cba",
            companions.annotations.as_ref().and_then(blank_header),
        );
        add("cbg", self.zeroed_moves(db));
        add("cba", self.zeroed_annotations(db));
        let Tables {
            players,
            tournaments,
            annotators,
            sources,
            teams,
            game_tags,
            extended,
            ..
        } = db.tables();
        let count = |is_lost: &dyn Fn(GameIndex, Record<'_>) -> bool| count_records(db, is_lost);
        add(
            "cbp",
            lost_names(players.as_ref(), "players of", |table| {
                count(&|_, record| match record {
                    Record::Game(game) => {
                        table.is_blank(game.white.get()) || table.is_blank(game.black.get())
                    }
                    Record::Text(_) => false,
                })
            }),
        );
        add(
            "cbt",
            lost_names(tournaments.as_ref(), "events and sites of", |table| {
                count(&|_, record| {
                    table.is_blank(match record {
                        Record::Game(game) => game.tournament.get(),
                        Record::Text(text) => text.tournament.get(),
                    })
                })
            }),
        );
        add(
            "cbc",
            lost_names(annotators.as_ref(), "annotators of", |table| {
                count(&|_, record| {
                    table.is_blank(match record {
                        Record::Game(game) => game.annotator.get(),
                        Record::Text(text) => text.annotator.get(),
                    })
                })
            }),
        );
        add(
            "cbs",
            lost_names(sources.as_ref(), "sources of", |table| {
                count(&|_, record| {
                    table.is_blank(match record {
                        Record::Game(game) => game.source.get(),
                        Record::Text(text) => text.source.get(),
                    })
                })
            }),
        );
        let id = |id: i32| u32::try_from(id).ok();
        add(
            "cbe",
            lost_names(teams.as_ref(), "teams of", |table| {
                count(&|index, record| {
                    let extended = db.extended(index).map(|(extended, _)| extended);
                    let teams = extended.map(|record| [record.white_team, record.black_team]);
                    let teams = teams.filter(|_| matches!(record, Record::Game(_)));
                    let mut teams = teams.into_iter().flatten();
                    teams.any(|team| id(team.get()).is_some_and(|id| table.is_blank(id)))
                })
            }),
        );
        add(
            "cbl",
            lost_names(game_tags.as_ref(), "titles of", |table| {
                count(&|index, _| {
                    let extended = db.extended(index);
                    let tag = extended.and_then(|(extended, _)| id(extended.game_tag.get()));
                    tag.is_some_and(|id| table.is_blank(id))
                })
            }),
        );
        if let Some(table) = extended {
            let last = table.len().min(db.len).checked_sub(1);
            if last.is_some_and(|last| table.is_zeroed(last)) {
                let zeroed_entries = count(&|index, _| table.is_zeroed(index.0));
                add("cbj", zeroed("the teams of", zeroed_entries));
            }
        }
        found
    }

    /// The games whose moves have only zeros, if those of the last one have or end in zeros.
    fn zeroed_moves(&self, db: &CbhDatabase) -> Option<String> {
        let moves = db.companions().moves.as_ref()?;
        let at_of = |index: GameIndex, record: Record<'_>| db.offsets(index, record).moves_at;
        let is_zeroed = |at: u64| at > 0 && has_only_zeros(moves, at, MovesHead::SIZE as u64);
        let last = self.moves.1;
        let at = at_of(last, db.record(last)?);
        if is_zeroed(at) {
            let count = count_records(db, &|index, record| is_zeroed(at_of(index, record)));
            return zeroed("the moves of", count);
        }
        let start = usize::try_from(at).ok().filter(|start| *start > 0)?;
        let size = MovesHead::read(moves.at_most(start, MovesHead::SIZE)?)?.size;
        let record = moves.at_most(start, size.get() as usize)?;
        // A record may end in zero, but one that was cut by zeros cannot be read.
        let is_cut = record.len() > MovesHead::SIZE
            && record.last() == Some(&0)
            && !Readability::default().is_readable(moves, at);
        is_cut.then(|| zeroed("moves of", 1)).flatten()
    }

    /// The same of annotations.
    fn zeroed_annotations(&self, db: &CbhDatabase) -> Option<String> {
        let annotations = db.companions().annotations.as_ref()?;
        let at_of = |index: GameIndex, record: Record<'_>| db.offsets(index, record).annotations_at;
        let is_zeroed =
            |at: u64| at > 0 && has_only_zeros(annotations, at, AnnotationsHead::SIZE as u64);
        let last = self.annotations.1;
        let at = at_of(last, db.record(last)?);
        if is_zeroed(at) {
            let count = count_records(db, &|index, record| is_zeroed(at_of(index, record)));
            return zeroed("the annotations of", count);
        }
        let start = usize::try_from(at).ok().filter(|start| *start > 0)?;
        let size = Items::size(annotations.at_most(start, AnnotationsHead::SIZE)?).ok()?;
        let record = annotations.at_most(start, size)?;
        let has_wrong_items =
            || Items::new(record).is_ok_and(|mut items| items.any(|i| i.is_err()));
        let is_cut = record.last() == Some(&0) && has_wrong_items();
        is_cut.then(|| zeroed("annotations of", 1)).flatten()
    }
}

/// The problem of the last header if its end has zeros although the game has moves.
fn cut_header(db: &CbhDatabase, last: GameIndex) -> Option<String> {
    let Some(record @ Record::Game(game)) = db.record(last) else {
        return None;
    };
    if game.move_count != 0 {
        return None;
    }
    let moves = db.companions().moves.as_deref()?;
    let at = db.offsets(last, record).moves_at;
    is_cut_header(game, at, moves).then(|| {
        format!(
            "the entry of game {last} ends in zeros, which its moves contradict: its result, date, ratings and other \
             fields may be lost"
        )
    })
}

/// Whether a header states no moves, and as little about what the game has, although moves are stored at an offset.
pub(super) fn is_cut_header(game: &GameRecord, moves_at: u64, moves: &[u8]) -> bool {
    game.move_count == 0
        && game.magnitudes.get() == 0
        && Readability::default()
            .move_count(moves, moves_at)
            .is_some_and(|count| count > 0)
}

/// The problem of `.cbg` or `.cba` if its header has only zeros.
fn blank_header(file: &Blob) -> Option<String> {
    let header = file.at_most(0, OLD_BODY_HEADER.into())?;
    let is_blank = header.len() == usize::from(OLD_BODY_HEADER) && BlankEntries::is_blank(header);
    is_blank.then(|| "the header has only zeros, which no program writes".to_owned())
}

/// The problem of a file of names whose last record has only zeros, if records refer to such names.
fn lost_names<E: Entity>(
    table: Option<&EntityTable<E>>,
    what: &str,
    count: impl Fn(&EntityTable<E>) -> u32,
) -> Option<String> {
    let table = table?;
    let last = table.capacity().checked_sub(1)?;
    if !table.is_blank(last) {
        return None;
    }
    zeroed(what, count(table))
}

/// Records with headers that lack something.
fn count_records(db: &CbhDatabase, is_lost: &dyn Fn(GameIndex, Record<'_>) -> bool) -> u32 {
    let headers = db.headers.chunks_exact(FileHeader::SIZE).skip(1);
    let records = (0..).map(GameIndex).zip(headers);
    let lost = records.filter(|(index, header)| {
        let record = Record::read(header).filter(|_| !BlankEntries::is_blank(header));
        record.is_some_and(|record| is_lost(*index, record))
    });
    u32::try_from(lost.count()).unwrap_or(u32::MAX)
}
