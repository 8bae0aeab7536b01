//! The deep check of a database: compares what the files state about themselves and each other with their
//! contents.

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::{Error, Problem};
use tabia_core::game::{Flow, GameHead, Visitor, Want};
use tabia_core::games::{Database, GameReader as _};
use tabia_core::plural::counted;
use tabia_core::{GameIndex, io::Cursor};

use super::annotations::game_annotations::GameAnnotations;
use super::container::{self, FILE_HEADER, FRAME, HEAD, MARK};
use super::game_lists::Heads;
use super::name_orders;
use super::open::Cbh2Database;
use super::record_reader::Reader;
use super::records::{GameRecord, Record, SIZE};
use super::write::{UNUSED_MAGNITUDES, material};
use crate::games::cbh::content_summary::{Contents, MoveSummary};

/// Reads and compares everything. What reading a record reports is left out.
pub(super) fn verify(db: &Cbh2Database, found: &mut dyn FnMut(Problem)) {
    let mut reader = Reader::new(db);
    for index in (0..db.len()).map(GameIndex) {
        let Ok(record) = db.record(index) else {
            continue;
        };
        if let Record::Game(game) = record {
            let mut summary = GameSummary::default();
            if reader.read(index, Want::ALL, &mut summary).is_err() || summary.has_problems {
                continue;
            }
            check_header(db, index, game, &summary, found);
        }
    }
    check_records(db, found);
    check_indexes(db, found);
}

/// Compares a header with the game's moves and annotations.
fn check_header(
    db: &Cbh2Database,
    index: GameIndex,
    game: &GameRecord,
    summary: &GameSummary,
    found: &mut dyn FnMut(Problem),
) {
    let content = db.annotations.as_ref().and_then(|file| {
        let at = game.annotations_at.get();
        container::content(file, at, db.options.limits.record).ok()
    });
    let bytes = content.map(|content| content.bytes).unwrap_or_default();
    let (annotations, _) = GameAnnotations::read(bytes, db.texts);
    let computed = Contents::of(summary.moves, annotations.summaries());
    let [strong, weak] = summary.material;
    let magnitudes = |bits: u16| u32::from(bits & !UNUSED_MAGNITUDES);
    // ChessBase does not fill it in for games that it did not replay.
    let has_material = (game.material_strong.get(), game.material_weak.get()) != (0, 0);
    let material = |stored: u32, computed: u16| {
        if has_material {
            (stored, computed.into())
        } else {
            (0, 0)
        }
    };
    for (field, (stored, computed)) in [
        ("flags", (game.flags.get(), computed.flags)),
        (
            "magnitudes",
            (
                magnitudes(game.magnitudes.get()),
                magnitudes(computed.magnitudes),
            ),
        ),
        (
            "move_count",
            (game.move_count.get().into(), computed.move_count),
        ),
        (
            "material_strong",
            material(game.material_strong.get(), strong),
        ),
        ("material_weak", material(game.material_weak.get(), weak)),
    ] {
        if stored != computed {
            let text = format!("`{field}` is {stored:#x}, not {computed:#x} as computed");
            let error = Error::invalid(text).in_file(&db.headers_name);
            found(error.in_game(index).into());
        }
    }
}

/// Checks that the records of `.2cbg` and `.2cba` follow each other without gaps, in the order of the
/// games.
fn check_records(db: &Cbh2Database, found: &mut dyn FnMut(Problem)) {
    let offsets = |annotations: bool| {
        (0..db.len()).filter_map(move |index| {
            let (moves, of_annotations) = db.record(GameIndex(index)).ok()?.offsets();
            if annotations {
                of_annotations
            } else {
                Some(moves)
            }
        })
    };
    for (file, name, annotations) in [
        (db.moves.as_ref(), &db.moves_name, false),
        (db.annotations.as_ref(), &db.annotations_name, true),
    ] {
        let Some(file) = file else { continue };
        let mut report = |text: String| found(Error::invalid(text).in_file(name).into());
        let mut at = FILE_HEADER as u64;
        let mut misplaced = 0;
        for offset in offsets(annotations) {
            if u64::try_from(offset) != Ok(at) {
                misplaced += 1;
                at = u64::try_from(offset).unwrap_or(at);
            }
            match record_size(file, at) {
                Some(size) => at += size,
                // Reading the record has reported it.
                None => break,
            }
        }
        if misplaced > 0 {
            let count = counted(misplaced, "record does", "records do");
            report(format!("{count} not follow the record before"));
        } else if at < file.len() as u64 && record_size(file, at).is_some() {
            report("there are records that belong to no game".to_owned());
        }
    }
}

/// Bytes of the record at an offset; `None` if no record begins there.
fn record_size(file: &[u8], at: u64) -> Option<u64> {
    let bytes = file.get(usize::try_from(at).ok()?..)?.get(..HEAD)?;
    let mut cursor = Cursor::new(bytes);
    if cursor.array::<8>("mark").ok()? != MARK {
        return None;
    }
    let size = cursor.u32_le("size").ok()?;
    let free = cursor.u32_le("free_space").ok()?;
    Some(u64::from(size) + u64::from(free) + FRAME)
}

/// Compares the orders of names and their lists of games with the headers.
fn check_indexes(db: &Cbh2Database, found: &mut dyn FnMut(Problem)) {
    let records = || {
        let records = db.headers().chunks_exact(SIZE).skip(1);
        records.filter_map(Record::read)
    };
    let count = |role: super::name_roles::Role| {
        db.names
            .as_ref()
            .map_or(0, |names| names.stored(role.kind()))
    };
    let lists = Heads::of(records, count);
    if let Some((file, name)) = &db.lists {
        let different = lists.different(records, file);
        if different > 0 {
            let count = counted(different, "name has", "names have");
            let text = format!("{count} another list of games than the headers state");
            found(Error::invalid(text).in_file(name).into());
        }
    }
    if let Some((file, name)) = &db.orders {
        for role in name_orders::different(&lists, file) {
            let label = name_orders::label(role);
            let text = format!("the order `{label}` is not a sorted tree of the names in use");
            found(Error::invalid(text).in_file(name).into());
        }
    }
}

/// Why the names, their orders or the lists of their games are those of another set; `None` if they fit.
pub(super) fn misfit_of_names(db: &Cbh2Database) -> Option<Error> {
    let mut first = None;
    check_indexes(db, &mut |problem| {
        first.get_or_insert(problem.error);
    });
    first
}

/// What a header states of a game's moves.
#[derive(Debug, Default)]
struct GameSummary {
    moves: MoveSummary,
    depth: u32,
    /// The position after the last move of the mainline.
    last: Option<Position>,
    material: [u16; 2],
    has_problems: bool,
}

impl Visitor for GameSummary {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        let setup = head.start.setup.as_deref();
        self.moves.has_start = setup.is_some() || head.start.chess960;
        self.moves.black_first = setup.is_some_and(|setup| setup.turn == Color::Black);
        self.moves.unorthodox = head.start.chess960;
        self.last = head.start.position();
        if let (None, Some(setup)) = (&self.last, setup) {
            self.material = material(|square| setup.piece(square));
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.depth > 0 {
            self.moves.variations += 1;
            return Flow::Go;
        }
        self.moves.mainline += 1;
        let last = self.last.get_or_insert_with(|| before.clone());
        last.clone_from(before);
        last.play_ply(ply);
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_game(&mut self, _result: tabia_core::game::GameResult) {
        if let Some(last) = &self.last {
            self.material = material(|square| last.piece_at(square));
        }
    }

    fn problem(&mut self, _problem: Problem) -> Flow {
        self.has_problems = true;
        Flow::Go
    }
}
