//! Checks the records of games: headers against moves, annotations, and references to entities.

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::{Error, ErrorKind, GameIndex, Problem};
use tabia_core::game::{Flow, GameHead, Visitor, Want};
use tabia_core::games::GameReader;
use tabia_core::plural::counted;

use super::{Severity, Verifier};
use crate::games::cbh::annotations::{Item, Items};
use crate::games::cbh::content_summary::{Contents, MoveSummary};
use crate::games::cbh::name_uses::NameUses;
use crate::games::cbh::records::{AnnotationsHead, ExtendedRecord, GameRecord, MovesHead, Record};

impl Verifier<'_> {
    pub(super) fn record(
        &mut self,
        index: GameIndex,
        reader: &mut dyn GameReader,
        references: &mut NameUses,
    ) {
        let mut counter = MoveCounter::default();
        let want = if self.contents { Want::ALL } else { Want::TAGS };
        if let Err(error) = reader.read(index, want, &mut counter) {
            self.unread(error);
            return;
        }
        for problem in counter.problems {
            // Missing files are reported once for the database.
            if !matches!(problem.error.kind(), ErrorKind::MissingFile(_)) {
                self.unread(problem.error);
            }
        }
        let Some(record) = self.db.record(index) else {
            return;
        };
        self.references(index, record, references);
        let offsets = self.db.offsets(index, record);
        if let Some((extended, _)) = self.db.extended(index) {
            self.extended(index, record, &extended);
        }
        if let Some(moves) = &self.db.companions().moves
            && let Some(bytes) = bytes_from(moves, offsets.moves_at)
            && let Some(head) = MovesHead::read(bytes)
        {
            let end = offsets.moves_at + u64::from(head.size.get());
            self.bodies.push((offsets.moves_at, end, index));
        }
        if let Record::Game(game) = record {
            self.game(index, game, counter.moves, offsets.annotations_at);
        }
    }

    /// Compares the offsets of `.cbj` with those of the header, and checks the media that it refers
    /// to.
    fn extended(&mut self, index: GameIndex, record: Record<'_>, extended: &ExtendedRecord) {
        let (moves_at, annotations_at) = match record {
            Record::Game(game) => (game.moves_at.get(), Some(game.annotations_at.get())),
            // In texts of old files this field has no meaning.
            Record::Text(text) => (text.body_at.get(), None),
        };
        for (field, copy, short) in [
            ("moves_at", extended.moves_at.get(), Some(moves_at)),
            (
                "annotations_at",
                extended.annotations_at.get(),
                annotations_at,
            ),
        ] {
            let Some(short) = short else { continue };
            // Zero in records that are too short or were never filled.
            if copy != 0 && copy & 0xffff_ffff != u64::from(short) {
                let text = format!("`{field}` is {short:#x}, in .cbj {copy:#x}");
                self.header(Severity::Stale, index, text);
            }
        }
        let media_at = extended.media_at.get();
        if let (Record::Text(_), Ok(at @ 1..)) = (record, u64::try_from(media_at)) {
            let media = self.db.companions().media.as_ref();
            if media.is_some_and(|media| media.media(at).is_none()) {
                let text = format!("`media_at` is {at:#x}, where .cbm has no list of files");
                self.header(Severity::Stale, index, text);
            }
        }
    }

    /// Compares the header with the moves and annotations.
    fn game(&mut self, index: GameIndex, game: &GameRecord, moves: MoveSummary, at: u64) {
        let mut items: Vec<Item<'_>> = Vec::new();
        if let Some(file) = &self.db.companions().annotations
            && at != 0
            && let Some(bytes) = bytes_from(file, at)
            && let Ok(size) = Items::size(bytes)
            && let Some(record) = bytes.get(..size)
        {
            self.annotations.push((at, at + size as u64, index));
            if let Ok(all) = Items::new(record) {
                items.extend(all.map_while(Result::ok));
            }
            self.annotations_head(index, record, items.len());
        }
        let total = moves.mainline.saturating_add(moves.variations);
        if self.db.companions().moves.is_none() || !self.contents {
            return;
        }
        let past = items
            .iter()
            .filter(|item| i64::from(item.position) >= i64::from(total))
            .count();
        if past > 0 {
            let count = counted(past, "annotation belongs", "annotations belong");
            let text = format!("{count} to moves past the last of {total}");
            self.header(Severity::Damage, index, text);
        }
        let computed = Contents::of(moves, items.into_iter().map(Into::into));
        for (field, found, expected) in [
            ("flags", game.flags.get(), computed.flags),
            (
                "magnitudes",
                game.magnitudes.get().into(),
                computed.magnitudes.into(),
            ),
            ("medals", game.medals.get().into(), computed.medals.into()),
            (
                "move_count",
                game.move_count.into(),
                computed.short_move_count().into(),
            ),
        ] {
            if found != expected {
                let text = format!("`{field}` is {found:#x}, not {expected:#x} as computed");
                self.header(Severity::Stale, index, text);
            }
        }
    }

    fn annotations_head(&mut self, index: GameIndex, record: &[u8], count: usize) {
        let Some(head) = AnnotationsHead::read(record) else {
            return;
        };
        let name = &self.db.companions().annotations_name;
        let stated = head.count.get() as usize;
        if stated != count + 1 {
            let count = counted(count, "annotation", "annotations");
            let text = format!("`count` is {stated} for {count}");
            let error = Error::invalid(text).in_file(name).in_game(index);
            self.report(Severity::Stale, error);
        }
        if let Some(other) = head.marked_for_other(index) {
            let text = format!("the annotations are marked as those of game {other}");
            let error = Error::invalid(text).in_file(name).in_game(index);
            self.report(Severity::Damage, error);
        }
    }

    /// Counts the references of a record, and reports those to missing entities.
    fn references(&mut self, index: GameIndex, record: Record<'_>, references: &mut NameUses) {
        let mut missing = Vec::new();
        let extended = self.db.extended(index).map(|(extended, _)| extended);
        let number = index.0.saturating_add(1);
        references.add(record, extended.as_ref(), number, &mut |field, id| {
            missing.push((field, id));
        });
        for (field, id) in missing {
            // Reading the record has reported the other fields.
            if matches!(field, "white_team" | "black_team" | "game_tag") {
                let text = format!("`{field}` is number {id}, its file has fewer");
                self.header(Severity::Damage, index, text);
            }
        }
    }
}

/// The bytes from an offset on; `None` if it is beyond the end.
fn bytes_from(file: &[u8], at: u64) -> Option<&[u8]> {
    file.get(usize::try_from(at).ok()?..)
}

/// Counts the moves of a game and collects its problems.
#[derive(Debug, Default)]
struct MoveCounter {
    moves: MoveSummary,
    depth: u32,
    problems: Vec<Problem>,
}

impl Visitor for MoveCounter {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        let turn = head.start.setup.as_ref().map(|setup| setup.turn);
        self.moves.has_start = turn.is_some();
        self.moves.black_first = turn == Some(Color::Black);
        self.moves.unorthodox = head.start.chess960;
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        if self.depth == 0 {
            self.moves.mainline += 1;
        } else {
            self.moves.variations += 1;
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
    }
}
