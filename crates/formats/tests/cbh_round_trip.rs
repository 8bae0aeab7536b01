//! ChessBase databases through full PGN and written again: the games are equal, annotation by
//! annotation. Scidb databases through full PGN.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it counted"
)]

#[path = "support/real_cbh_sets.rs"]
mod sets;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sets::{
    assert_equal, charset, clear, games, is_exhaustive, name, open_set, sampled, sets, settled,
    write,
};
use support::{ReadGame, open, read_database, read_stream, stream, write_text};
use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{Event, Game, RecordKind, Want};
use tabia_core::games::Database;
use tabia_core::io::Charset;
use tabia_core::loss::Feature;
use tabia_formats::games::cbh;
use tabia_formats::games::cbh::Record;
use tabia_formats::games::cbh::records::{AnnotationsHead, MovesHead};
use tabia_formats::games::{pgn, scidb};
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Scratch, shared_data};

/// Games as full PGN, read again.
fn through_pgn(games: &[Game], what: &str) -> Vec<Game> {
    let mut options = CreateOptions::default();
    options.profile = Profile::Full;
    let (text, losses) = write_text(&pgn::FORMAT, &options, games);
    assert!(losses.is_empty(), "{what}: {losses}");
    let read = read_stream(&mut *stream(&pgn::FORMAT, &text), Want::ALL);
    assert_eq!(read.len(), games.len(), "{what}");
    read.into_iter().map(|read| read.game).collect()
}

#[test]
fn sets_round_trip_through_full_pgn() {
    let scratch = Scratch::new("round-trip");
    let mut sum = [0; 3];
    for path in sets("sets_round_trip_through_full_pgn") {
        let what = name(&path);
        let before = games(&open_set(&path));
        let between = through_pgn(&before, &what);
        let target = scratch.join("back.cbh");
        let losses = write(&cbh::FORMAT, &target, &between, charset(&path));
        let after = read_database(&open_set(&target), Want::ALL);
        let has_moves = path.with_extension("cbg").exists();
        let mut counts = [0; 3];
        for (number, old) in before.iter().enumerate() {
            let what = format!("{what}, number {}", number + 1);
            assert_equal(&format!("{what}, as PGN"), old, &between[number]);
            assert!(losses[number].is_empty(), "{what}: {}", losses[number]);
            let ReadGame { game, problems, .. } = &after[number];
            assert_eq!(problems, &[""; 0], "{what}");
            let old = settled(old);
            if has_moves {
                assert_equal(&what, &old, game);
            } else {
                // Without moves, the positions of annotations are lost: only their number counts.
                assert_eq!(old.head, game.head, "{what}");
                assert_eq!(old.events().count(), game.events().count(), "{what}");
            }
            counts[usize::from(old.head.kind == RecordKind::Text)] += 1;
            let annotations = old.events();
            counts[2] += annotations
                .filter(|event| matches!(event, Event::Annotation(_)))
                .count();
        }
        let [games, texts, annotations] = counts;
        println!("{what}: {games} games, {texts} texts, {annotations} annotations equal");
        for (sum, count) in sum.iter_mut().zip(counts) {
            *sum += count;
        }
        clear(&scratch);
    }
    println!("{sum:?} games, texts and annotations in all");
}

/// Generated games, with every kind of annotation that the format can store.
#[test]
fn generated_games_round_trip_through_full_pgn() {
    let scratch = Scratch::new("generated");
    let count = if is_exhaustive() { 5000 } else { 250 };
    let generated: Vec<Game> = (0..count).map(arbitrary_game).collect();
    // The round trip begins with what the format can store of them.
    let first = scratch.join("first.cbh");
    write(&cbh::FORMAT, &first, &generated, Charset::Auto);
    let read = |path: &Path| -> Vec<Game> {
        let read = read_database(&open_set(path), Want::ALL);
        read.into_iter().map(|read| read.game).collect()
    };
    let before = read(&first);
    let between = through_pgn(&before, "generated games");
    let second = scratch.join("second.cbh");
    let losses = write(&cbh::FORMAT, &second, &between, Charset::Auto);
    let mut seen = BTreeMap::new();
    for (number, (old, new)) in before.iter().zip(read(&second)).enumerate() {
        let what = format!("game of seed {number}");
        assert_equal(&what, old, &new);
        assert!(losses[number].is_empty(), "{what}: {}", losses[number]);
        for event in old.events() {
            if let Event::Annotation(annotation) = event {
                *seen.entry(annotation.feature()).or_insert(0) += 1;
            }
        }
    }
    println!("{seen:?}");
    for feature in [
        Feature::Comments,
        Feature::Nags,
        Feature::Shapes,
        Feature::Clocks,
        Feature::Evals,
        Feature::EvalProfiles,
        Feature::Medals,
        Feature::CriticalPositions,
        Feature::VariationColors,
        Feature::PawnStructures,
        Feature::PiecePaths,
        Feature::Training,
        Feature::Quotations,
        Feature::WebLinks,
        Feature::Media,
        Feature::VideoTimes,
        Feature::TimeControls,
        Feature::GuidingTexts,
        Feature::Foreign,
    ] {
        assert!(seen.contains_key(&feature), "{feature:?} does not occur");
    }
}

/// The number of records of a set that are written as the same bytes, and the numbers of the others.
#[derive(Debug, Default)]
struct SameRecords {
    same: u32,
    others: Vec<u32>,
}

impl SameRecords {
    fn add(&mut self, is_same: bool, number: u32) {
        if is_same {
            self.same += 1;
        } else {
            self.others.push(number);
        }
    }
}

impl std::fmt::Display for SameRecords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of {}",
            self.same,
            self.same as usize + self.others.len()
        )
    }
}

/// Games whose moves ChessBase wrote in another way: start positions with the move number 0, which
/// readers take as 1, and one with the filler among its moves.
const NOT_CANONICAL: [(&str, &[u32]); 2] = [("cbhlib_test", &[11, 18]), ("Mate2", &[7])];

/// The move record and the annotation record of a game, without the game's number.
fn streams<'f>(
    record: Record<'_>,
    moves: &'f [u8],
    annotations: &'f [u8],
) -> (&'f [u8], Option<&'f [u8]>) {
    let (moves_at, annotations_at) = match record {
        Record::Game(game) => (game.moves_at.get(), game.annotations_at.get()),
        Record::Text(text) => (text.body_at.get(), 0),
    };
    let bytes = &moves[moves_at as usize..];
    let size = MovesHead::read(bytes).unwrap().size.get() as usize;
    let items = (annotations_at != 0).then(|| {
        let bytes = &annotations[annotations_at as usize..];
        let size = AnnotationsHead::read(bytes).unwrap().size.get() as usize;
        &bytes[3..size]
    });
    (&bytes[..size], items)
}

#[test]
fn records_are_written_as_the_same_bytes() {
    let scratch = Scratch::new("byte-for-byte");
    let read = |path: &Path, extension| std::fs::read(path.with_extension(extension)).unwrap();
    for path in sets("records_are_written_as_the_same_bytes") {
        if !path.with_extension("cbg").exists() {
            continue;
        }
        let database = open_set(&path);
        let numbers: Vec<u32> = sampled(database.len()).collect();
        let target = scratch.join("again.cbh");
        write(&cbh::FORMAT, &target, &games(&database), charset(&path));
        let again = open_set(&target);
        let files = |path: &Path| (read(path, "cbg"), read(path, "cba"));
        let ((moves, notes), (moves_again, notes_again)) = (files(&path), files(&target));
        let (mut moves_share, mut notes_share) = (SameRecords::default(), SameRecords::default());
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let exceptions = NOT_CANONICAL.iter().find(|(set, _)| *set == stem);
        for (new, &old) in (0..).zip(&numbers) {
            let record = database.record(GameIndex(old)).unwrap();
            let (old_moves, old_notes) = streams(record, &moves, &notes);
            // Texts of version 1 are written in version 3, as ChessBase does.
            let is_old_text = matches!(record, Record::Text(_)) && old_moves.get(4) == Some(&1);
            let record = again.record(GameIndex(new)).unwrap();
            let (new_moves, new_notes) = streams(record, &moves_again, &notes_again);
            let number = old + 1;
            moves_share.add(old_moves == new_moves, number);
            if old_notes.is_some() || new_notes.is_some() {
                notes_share.add(old_notes == new_notes, number);
            }
            let is_exception = exceptions.is_some_and(|(_, games)| games.contains(&number));
            let what = name(&path);
            let is_canonical = !is_old_text && !is_exception;
            assert_eq!(
                old_moves == new_moves,
                is_canonical,
                "{what}: moves of {number}"
            );
        }
        assert_eq!(notes_share.others, [0; 0], "{}", name(&path));
        println!(
            "{}: {moves_share} move records, {notes_share} annotation records; {:?}",
            name(&path),
            moves_share.others
        );
        clear(&scratch);
    }
}

/// Databases that Scidb wrote, through full PGN.
#[test]
fn scidb_round_trips_through_full_pgn() {
    let Some(folder) = shared_data("scidb_round_trips_through_full_pgn", "scid/sci") else {
        return;
    };
    let scratch = Scratch::new("sci-pgn");
    let is_main = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sci");
    for path in files_below(&folder).into_iter().filter(is_main) {
        let what = name(&path);
        let database = open(&scidb::FORMAT, &path, &OpenOptions::default());
        let read = read_database(&*database, Want::ALL);
        let sound = read.into_iter().filter(|read| read.error.is_none());
        let before: Vec<Game> = sound.map(|read| read.game).collect();
        let back = through_pgn(&before, &what);
        let target = scratch.join("back.sci");
        let losses = write(&scidb::FORMAT, &target, &back, Charset::Auto);
        let again = open(&scidb::FORMAT, &target, &OpenOptions::default());
        let again = read_database(&*again, Want::ALL);
        assert_eq!(again.len(), before.len(), "{what}");
        for (number, (old, new)) in before.iter().zip(&again).enumerate() {
            let what = format!("{what}, number {}", number + 1);
            assert!(
                losses[number].is_empty(),
                "{what}: {} are lost",
                losses[number]
            );
            assert!(old.events().eq(new.game.events()), "{what}");
            assert_eq!(old.head.start, new.game.head.start, "{what}");
            assert_eq!(old.result, new.game.result, "{what}");
            for (tag, value) in old.head.tags.iter() {
                assert_eq!(new.game.head.tags.get(tag), Some(value), "{what}: {tag}");
            }
        }
        println!("{what}: {} games", before.len());
        clear(&scratch);
    }
}
