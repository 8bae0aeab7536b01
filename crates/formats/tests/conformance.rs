//! Properties that every format of games must have. The descriptor of a format states which operations
//! it supports; each of them is checked.
#![allow(clippy::expect_used, reason = "a test")]

mod support;

use std::cell::Cell;
use std::io::{Cursor, Read};
use std::thread;

use tabia_core::formats::{Confidence, CreateOptions, OpenOptions, Profile};
use tabia_core::game::{Eco, Event, Game, RecordKind, Recorder, Start, Tags, Want, project};
use tabia_core::games::{Database, HeadName, IndexHead};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{GameFormat, GameIndex};
use tabia_formats::{EXPORTS, GAMES};
use tabia_testkit::dump::{self, assert_same};
use tabia_testkit::implied_times::with_implied_times;
use tabia_testkit::shared_data_folder::{files_below, shared_data};
use tabia_testkit::{Scratch, tiny};

use support::{
    ReadGame, can, databases, fixtures, game_formats, open, read_blocks, read_database,
    read_stream, score, stream, write_text,
};

/// Small games with every feature, and the games of all fixtures.
fn games() -> Vec<Game> {
    let mut games = tiny::games();
    games.push(tiny::annotated());
    for format in game_formats() {
        for path in fixtures(format) {
            let database = open(format, &path, &OpenOptions::default());
            games.extend(
                read_database(&*database, Want::ALL)
                    .into_iter()
                    .map(|read| read.game),
            );
        }
    }
    games
}

#[test]
fn ids_and_extensions_are_distinct() {
    assert!(!GAMES.is_empty());
    for (number, format) in GAMES.iter().enumerate() {
        for other in &GAMES[number + 1..] {
            assert_ne!(format.file.id, other.file.id);
        }
        let id = format.file.id.as_str();
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
            "{id}"
        );
        for extension in format.file.extensions {
            assert_eq!(*extension, extension.to_lowercase(), "{id}");
        }
    }
}

#[test]
fn every_format_that_is_written_has_fixtures() {
    let is_written = |format: &&GameFormat| format.create_text.is_some() || format.create.is_some();
    for format in game_formats().filter(is_written) {
        assert!(
            !fixtures(format).is_empty(),
            "{} has no fixtures",
            format.file.id
        );
    }
}

#[test]
fn text_round_trips() {
    let games = games();
    // Formats without moves have tests of their own.
    let writes =
        |format: &&&GameFormat| format.create_text.is_some() && format.can.has(Feature::Moves);
    for format in GAMES.iter().filter(writes) {
        for (profile, name) in Profile::ALL {
            for wrap in [true, false] {
                let mut options = CreateOptions::default();
                options.profile = profile;
                options.wrap = wrap;
                let what = format!("{} in profile {name}, wrap {wrap}", format.file.id);
                check_text_round_trip(format, &options, &games, &what);
            }
        }
    }
}

/// Checks that games are read back as predicted. Profile `full` restores equal games; the other
/// profiles restore the moves, and writing a second time changes nothing.
fn check_text_round_trip(format: &GameFormat, options: &CreateOptions, games: &[Game], what: &str) {
    let (text, _) = write_text(format, options, games);
    let read = read_stream(&mut *stream(format, &text), Want::ALL);
    assert_eq!(read.len(), games.len(), "{what}: number of games");
    for (index, (game, read)) in games.iter().zip(&read).enumerate() {
        let index = GameIndex(index as u32);
        let (projected, _) = project(can(format, options), game);
        // A start position that cannot be played from is a problem.
        if game.head.start.position().is_some() {
            assert_eq!(read.problems, [""; 0], "{what}, game {index}");
        }
        if options.profile == Profile::Full {
            let expected = dump::game(index, &projected);
            let found = dump::game(index, &read.game);
            assert_same(&format!("{what}, game {index}"), &expected, &found);
            assert_eq!(read.game, *projected, "{what}, game {index}");
        } else {
            let expected: Vec<_> = projected.mainline().collect();
            let found: Vec<_> = read.game.mainline().collect();
            assert_eq!(found, expected, "{what}, game {index}");
        }
    }
    let again: Vec<Game> = read.into_iter().map(|read| read.game).collect();
    let (second, losses) = write_text(format, options, &again);
    let text = String::from_utf8_lossy(&text);
    let second = String::from_utf8_lossy(&second);
    assert_same(&format!("{what}: written again"), &text, &second);
    assert!(losses.is_empty(), "{what}: the second time loses {losses}");
}

#[test]
fn databases_round_trip() {
    let games = games();
    for format in GAMES {
        if format.create.is_none() {
            continue;
        }
        let (read, losses) = write_and_read(format, &games);
        let mut all = Vec::new();
        for (index, ((game, read), lost)) in games.iter().zip(&read).zip(&losses).enumerate() {
            let what = format!("{}, game {}", format.file.id, index + 1);
            // A start position that cannot be played from is a problem whenever it is read.
            if game.head.start.position().is_some() {
                check_predicted(format, game, read, lost, &what);
            }
            all.push(read.game.clone());
        }
        assert_eq!(read.len(), games.len(), "{}", format.file.id);
        let (again, losses) = write_and_read(format, &all);
        for (index, ((once, twice), lost)) in read.iter().zip(&again).zip(&losses).enumerate() {
            let what = format!("{}, game {}, written again", format.file.id, index + 1);
            assert_same(&what, &once.dump, &twice.dump);
            assert!(lost.is_empty(), "{what}: {lost} are lost");
        }
    }
}

/// Writes games to a new database and reads it: its games, and the reported losses of each.
fn write_and_read(format: &GameFormat, games: &[Game]) -> (Vec<ReadGame>, Vec<Losses>) {
    let scratch = Scratch::new("round-trip");
    let extension = format.file.extensions.first().copied().unwrap_or_default();
    let path = scratch.join(format!("new.{extension}"));
    let create = format.create.expect("the caller checks it");
    let mut writer = create(&path, &CreateOptions::default()).expect("the target is created");
    let write = |game| writer.write(game).expect("the game is written");
    let losses = games.iter().map(write).collect();
    let written = writer.finish().expect("the target is completed");
    assert_eq!(written.records as usize, games.len(), "{}", format.file.id);
    let names: Vec<String> = written
        .files
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(
        scratch.names(),
        sorted,
        "{}: files that are not listed",
        format.file.id
    );
    assert_eq!(
        names.first().map(String::as_str),
        Some(&*format!("new.{extension}"))
    );
    let database = open(format, &path, &OpenOptions::default());
    assert_eq!(database.info().problems, [""; 0], "{}", format.file.id);
    (read_database(&*database, Want::ALL), losses)
}

/// Checks that moves, variations, annotations and tags are those that were predicted, unless the writer
/// reports further losses. The order of tags may differ.
fn check_predicted(format: &GameFormat, game: &Game, read: &ReadGame, lost: &Losses, what: &str) {
    let (projected, predicted) = project(can(format, &CreateOptions::default()), game);
    for (feature, count) in predicted.iter() {
        let reported = lost.count(feature);
        assert!(
            reported >= count.count,
            "{what}: {} {}, reported {reported}",
            count.count,
            feature.label()
        );
    }
    assert_eq!(read.problems, [""; 0], "{what}");
    assert_eq!(read.error, None, "{what}");
    // Narrow fields of the format can cause losses that were not predicted.
    // Moves that were not read can become a comment.
    if lost == &predicted && lost.count(Feature::UnreadMoves) == 0 {
        let lines = |game: &Game| format!("{:#?}", by_kind(&with_implied_times(game)));
        let (expected, found) = (lines(&projected), lines(&read.game));
        assert_same(what, &expected, &found);
        assert_eq!(read.game.result, projected.result, "{what}");
        assert_eq!(read.game.head.start, projected.head.start, "{what}");
        assert_eq!(read.game.head.deleted, projected.head.deleted, "{what}");
        for (name, value) in projected.head.tags.iter() {
            let unknown = value.chars().all(|c| "?.-".contains(c));
            let is_start = ["SetUp", "FEN", "Variant"].contains(&name);
            let is_counted = name == "PlyCount" && value == game.ply_count().to_string();
            if name == "Date" {
                assert_eq!(
                    read.game.head.tags.date(),
                    projected.head.tags.date(),
                    "{what}"
                );
            } else if !unknown && !is_start && !is_counted {
                assert_eq!(read.game.head.tags.get(name), Some(value), "{what}: {name}");
            }
        }
    }
}

/// The events of a game, with adjacent annotations sorted by kind, because some formats have an order
/// of their own. The order of annotations of one kind is unchanged.
fn by_kind(game: &Game) -> Vec<Event<'_>> {
    let mut events: Vec<Event<'_>> = game.events().collect();
    let is_annotation = |event: &Event<'_>| matches!(event, Event::Annotation(_));
    for run in events.chunk_by_mut(|a, b| is_annotation(a) && is_annotation(b)) {
        run.sort_by_key(|event| match event {
            Event::Annotation(annotation) => Some(annotation.feature()),
            _ => None,
        });
    }
    events
}

/// Every combination that includes the mainline.
fn wants() -> Vec<Want> {
    let parts = [Want::TAGS, Want::VARIATIONS, Want::ANNOTATIONS];
    (0..8)
        .map(|bits| {
            let chosen = parts
                .iter()
                .enumerate()
                .filter(|(bit, _)| bits >> bit & 1 == 1);
            chosen.fold(Want::MAINLINE, |want, (_, part)| want.and(*part))
        })
        .collect()
}

#[test]
fn partial_reading_gives_parts_of_the_same_games() {
    for_each_fixture(|what, database, all| {
        for want in wants() {
            let found = read_database(database, want);
            for (index, (all, found)) in all.iter().zip(&found).enumerate() {
                let what = format!("{what}, game {}, {want:?}", index + 1);
                assert_eq!(found.game.result, all.game.result, "{what}");
                assert_eq!(found.game.head.start, all.game.head.start, "{what}");
                if want.has(Want::TAGS) {
                    assert_eq!(found.game.head, all.game.head, "{what}");
                }
                let expected = format!("{:#?}", wanted_events(&all.game, want));
                let found = format!("{:#?}", found.game.events().collect::<Vec<_>>());
                assert_same(&what, &expected, &found);
            }
            assert_eq!(found.len(), all.len(), "{what}, {want:?}");
        }
    });
}

/// The events of a game that a reader must visit for `want`. Unread movetext is visited with the moves of
/// its line.
fn wanted_events(game: &Game, want: Want) -> Vec<Event<'_>> {
    let mut depth = 0;
    let mut wanted = Vec::new();
    for event in game.events() {
        let in_line = depth == 0 || want.has(Want::VARIATIONS);
        match event {
            Event::BeginVariation => {
                depth += 1;
                if want.has(Want::VARIATIONS) {
                    wanted.push(event);
                }
            }
            Event::EndVariation => {
                depth -= 1;
                if want.has(Want::VARIATIONS) {
                    wanted.push(event);
                }
            }
            Event::Move(_) if in_line => wanted.push(event),
            Event::Annotation(_) if in_line && want.has(Want::ANNOTATIONS) => wanted.push(event),
            _ => {}
        }
    }
    wanted
}

#[test]
fn threads_read_equal_games() {
    for_each_fixture(|what, database, all| {
        thread::scope(|scope| {
            for start in 0..4 {
                scope.spawn(move || {
                    let mut reader = database.reader();
                    let count = all.len();
                    // Each thread reads the games in a different order.
                    for step in 0..count {
                        let number = (start * count / 4 + step * (2 * start + 1)) % count;
                        let mut dump = dump::Dump::new();
                        let index = GameIndex(number as u32);
                        let answer = reader.read(index, Want::ALL, &mut dump);
                        if answer.is_ok() {
                            assert_same(what, &all[number].dump, &dump.text);
                        }
                        assert_eq!(answer.is_err(), all[number].error.is_some(), "{what}");
                    }
                });
            }
        });
    });
}

#[test]
fn entries_agree_with_tags() {
    use tabia_core::games::NameKind;
    for_each_fixture(|what, database, all| {
        for (index, read) in all
            .iter()
            .enumerate()
            .filter(|(_, read)| read.error.is_none())
        {
            let index = GameIndex(index as u32);
            let what = format!("{what}, game {index}");
            let entry = database
                .entry(index)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            let tags = &read.game.head.tags;
            for (kind, id, tag) in [
                (NameKind::Player, entry.white, "White"),
                (NameKind::Player, entry.black, "Black"),
                (NameKind::Event, entry.event, "Event"),
                (NameKind::Site, entry.site, "Site"),
                (NameKind::Round, entry.round, "Round"),
                (NameKind::Annotator, entry.annotator, "Annotator"),
            ] {
                // Scid stores annotators only with the moves.
                if id.is_none() && kind == NameKind::Annotator {
                    continue;
                }
                let name = id.map(|id| database.name(kind, id).expect("the id has a name"));
                // Both `?` and an empty text denote an unknown name.
                let normalized = |text: &str| {
                    if text == "?" {
                        String::new()
                    } else {
                        text.to_owned()
                    }
                };
                let name = name.map_or_else(String::new, |name| normalized(&name));
                assert_eq!(name, normalized(tags.text(tag)), "{what}: {tag}");
            }
            let head = &read.game.head;
            assert_eq!(entry.date, tags.date().unwrap_or_default(), "{what}: Date");
            for (elo, tag, name) in [
                (entry.white_elo, tags.white_elo(), "WhiteElo"),
                (entry.black_elo, tags.black_elo(), "BlackElo"),
            ] {
                // Ratings of other kinds have other tags, and no field in an index entry.
                assert!(
                    elo == tag || tag.is_none(),
                    "{what}: {name} {elo:?}, tag {tag:?}"
                );
            }
            assert_eq!(entry.result, read.game.result, "{what}: result");
            // A tag does not have the subcodes of some formats.
            let code = |eco: Option<Eco>| eco.map(Eco::code);
            assert_eq!(code(entry.eco), code(tags.eco()), "{what}: ECO");
            assert_eq!(entry.deleted, head.deleted, "{what}: deleted");
            // The entry describes moves that may be missing in a damaged game.
            if !read.problems.is_empty() || !database.info().problems.is_empty() {
                continue;
            }
            assert_eq!(entry.has_setup, head.start.setup.is_some(), "{what}: setup");
            if let Some(plies) = entry.ply_count {
                assert_eq!(usize::from(plies), read.game.ply_count(), "{what}: plies");
            }
            if let Some(has) = entry.has_variations {
                assert_eq!(has, read.game.has_variations(), "{what}: variations");
            }
        }
        let outside = GameIndex(database.len());
        assert!(
            database.entry(outside).is_err(),
            "{what}: a game beyond the last"
        );
    });
}

#[test]
fn heads_of_an_index_are_those_of_the_games() {
    let compared = Cell::new(0);
    for_each_fixture(|what, database, _| {
        compared.set(compared.get() + check_heads(what, database));
    });
    assert!(compared.get() > 50, "{} heads", compared.get());
}

#[test]
fn heads_of_shared_databases_are_those_of_the_games() {
    let Some(folder) = shared_data("heads_of_shared_databases_are_those_of_the_games", "") else {
        return;
    };
    let mut compared = 0;
    for path in files_below(&folder) {
        let is_its = |format: &&GameFormat| {
            let mut extensions = format.file.extensions.iter();
            extensions.any(|extension| path.extension().is_some_and(|found| found == *extension))
        };
        for format in game_formats().filter(is_its) {
            if let Ok(source) = Source::from_path(&path)
                && let Ok(database) = (format.open)(&source, &OpenOptions::default())
            {
                compared += check_heads(&path.display().to_string(), &*database);
            }
        }
    }
    assert!(compared > 1000, "{compared} heads");
}

/// Compares the heads of an index with those of the games; returns how many there are.
fn check_heads(what: &str, database: &dyn Database) -> usize {
    let mut compared = 0;
    let Some(mut reader) = database.head_reader() else {
        return 0;
    };
    let mut head = IndexHead::default();
    let (mut games, mut recorder) = (database.reader(), Recorder::new());
    for index in (0..database.len()).map(GameIndex) {
        if !reader.read(index, &mut head) {
            continue;
        }
        let what = format!("{what}, game {index}");
        compared += 1;
        let read = games.read(index, Want::TAGS, &mut recorder);
        assert!(
            read.is_ok() && recorder.take_problems().is_empty(),
            "{what}"
        );
        let read = recorder.replace(Game::new());
        let stored = &read.head;
        assert_eq!(stored.kind, RecordKind::Game, "{what}");
        assert_eq!(stored.start, Start::default(), "{what}");
        assert_eq!(stored.deleted, head.deleted, "{what}");
        assert_eq!(read.result, head.result, "{what}");
        let mut of_index = Tags::new();
        for (name, number) in HeadName::ALL.into_iter().zip(head.names) {
            let mut value = String::new();
            if let Some(number) = number {
                reader.push_value(name, number, &mut value);
                // No annotator is no tag.
                if name != HeadName::Annotator || !value.is_empty() {
                    of_index.push(name.tag(), &value);
                }
            }
        }
        of_index.push("Date", &head.date.to_string());
        of_index.push("Result", head.result.pgn());
        for (elo, tag) in head.elo.into_iter().zip(["WhiteElo", "BlackElo"]) {
            if elo != 0 {
                of_index.push(tag, &elo.to_string());
            }
        }
        let is_of_index = |name: &str| of_index.get(name).is_some();
        for (name, value) in of_index.iter() {
            assert_eq!(stored.tags.get(name), Some(value), "{what}: {name}");
        }
        let others = stored.tags.iter().filter(|(name, _)| !is_of_index(name));
        assert!(
            others.eq(head.rest.iter()),
            "{what}: {:?}, {:?}",
            stored.tags,
            head.rest
        );
        let entry = database.entry(index).expect("the record has an entry");
        assert_eq!(entry.ply_count, head.ply_count, "{what}");
        let marks = head.marks.map(|marks| marks.map(Some));
        let stated = [entry.has_variations, entry.has_comments, entry.has_nags];
        assert_eq!(
            marks,
            stated.iter().all(Option::is_some).then_some(stated),
            "{what}"
        );
    }
    compared
}

/// Calls `check` with the name, the database and all games of every fixture.
fn for_each_fixture(check: impl Fn(&str, &dyn Database, &[ReadGame])) {
    let mut count = 0;
    for format in game_formats() {
        for path in databases(format) {
            let what = path
                .file_name()
                .map_or_else(String::new, |n| n.to_string_lossy().into());
            let database = open(format, &path, &OpenOptions::default());
            let all = read_database(&*database, Want::ALL);
            check(&what, &*database, &all);
            count += all.len();
        }
    }
    assert!(count > 0, "there are no games to check");
}

#[test]
fn databases_streams_and_blocks_give_equal_games() {
    for format in game_formats() {
        for path in databases(format) {
            let what = path.display().to_string();
            let bytes = std::fs::read(&path).expect("the fixture can be read");
            let options = OpenOptions::default();
            let mut ways = Vec::new();
            let database = open(format, &path, &options);
            ways.push(("database", read_database(&*database, Want::ALL)));
            if let Some(open) = format.open_stream {
                let mut complete = stream(format, &bytes);
                ways.push(("stream", read_stream(&mut *complete, Want::ALL)));
                let slow = Box::new(OneByte(Cursor::new(bytes.clone())));
                let mut slow = open(slow, &options).expect("it opens");
                ways.push(("byte by byte", read_stream(&mut *slow, Want::ALL)));
            }
            if format.open_blocks.is_some() {
                let complete = Box::new(Cursor::new(bytes.clone()));
                ways.push(("blocks", read_blocks(format, complete, Want::ALL)));
                let slow = Box::new(OneByte(Cursor::new(bytes.clone())));
                ways.push(("blocks byte by byte", read_blocks(format, slow, Want::ALL)));
            }
            let (_, first) = &ways[0];
            for (way, games) in &ways[1..] {
                // Messages may differ: their offsets in a block begin at its start.
                let moves = |games: &[ReadGame]| -> Vec<Game> {
                    games.iter().map(|read| read.game.clone()).collect()
                };
                for (index, (a, b)) in first.iter().zip(games).enumerate() {
                    let what = format!("{what}, {way}, game {}", index + 1);
                    let index = GameIndex(index as u32);
                    assert_same(
                        &what,
                        &dump::game(index, &a.game),
                        &dump::game(index, &b.game),
                    );
                    assert_eq!(a.problems.len(), b.problems.len(), "{what}");
                }
                assert!(moves(first) == moves(games), "{what}, {way}");
            }
        }
    }
}

/// A reader that returns one byte for each call.
struct OneByte(Cursor<Vec<u8>>);

impl Read for OneByte {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn truncated_streams_have_equal_games_before_the_cut() {
    for format in game_formats().filter(|format| format.open_stream.is_some()) {
        for path in fixtures(format) {
            let bytes = std::fs::read(&path).expect("the fixture can be read");
            let complete = read_stream(&mut *stream(format, &bytes), Want::ALL);
            let step = (bytes.len() / 600).max(1);
            for length in (0..bytes.len()).step_by(step) {
                let cut = read_stream(&mut *stream(format, &bytes[..length]), Want::ALL);
                let what = format!("{} cut to {length} bytes", path.display());
                assert!(cut.len() <= complete.len() + 1, "{what}");
                // The last game may be incomplete.
                let unaffected = cut.len().saturating_sub(1);
                for (a, b) in complete.iter().zip(&cut[..unaffected]) {
                    assert_same(&what, &a.dump, &b.dump);
                }
            }
        }
    }
}

#[test]
fn fixtures_are_recognized_by_their_format() {
    for format in game_formats() {
        let databases = databases(format);
        assert!(!databases.is_empty(), "{} has no fixture", format.file.id);
        for path in databases {
            let bytes = std::fs::read(&path).expect("the fixture can be read");
            let expected_score = score(format, &path, &bytes);
            let what = path.display();
            assert!(
                expected_score > Confidence::No,
                "{what} is not recognised as {}",
                format.file.id
            );
            for other in GAMES.iter().filter(|other| other.file.id != format.file.id) {
                let other_score = score(other, &path, &bytes);
                assert!(
                    other_score < expected_score,
                    "{what} is as likely {} as {}",
                    other.file.id,
                    format.file.id
                );
            }
        }
    }
}

#[test]
fn strict_reading_differs_only_by_errors() {
    let mut strict = OpenOptions::default();
    strict.strict = true;
    for format in game_formats() {
        let mut compared = 0;
        for path in databases(format) {
            let lenient = open(format, &path, &OpenOptions::default());
            let is_sound = lenient.info().problems.is_empty();
            let lenient = read_database(&*lenient, Want::ALL);
            let source = Source::from_path(&path).expect("the file exists");
            let open = format.open;
            let database = match open(&source, &strict) {
                Ok(database) => database,
                Err(error) => {
                    assert!(!is_sound, "{}: {error}", path.display());
                    continue;
                }
            };
            let found = read_database(&*database, Want::ALL);
            compared += found.len();
            for (index, (lenient, strict)) in lenient.iter().zip(&found).enumerate() {
                let what = format!("{}, strict, game {}", path.display(), index + 1);
                if lenient.problems.is_empty() && lenient.error.is_none() {
                    assert_eq!(strict.error, None, "{what}");
                    assert_same(&what, &lenient.dump, &strict.dump);
                } else {
                    assert!(
                        strict.error.is_some(),
                        "{what}: {:?} is accepted",
                        lenient.problems
                    );
                }
            }
        }
        let id = format.file.id;
        assert!(compared > 0, "no game of {id} was compared");
    }
}

/// Every writer takes time linear in the number of tags of a game, also if their names repeat.
#[test]
fn many_tags_take_linear_time() {
    for format in GAMES
        .iter()
        .chain(EXPORTS)
        .filter(|format| format.is_writable())
    {
        for repeated in [false, true] {
            let mut game = tiny::games().swap_remove(0);
            for number in 0..100_000 {
                let name = if repeated {
                    "Same".to_owned()
                } else {
                    format!("Tag{number}")
                };
                game.head.tags.push(&name, "x");
            }
            let started = std::time::Instant::now();
            let mut options = CreateOptions::default();
            options.profile = Profile::Full;
            if format.create_text.is_some() {
                write_text(format, &options, std::slice::from_ref(&game));
            } else if let Some(create) = format.create {
                let scratch = Scratch::new("many-tags");
                let path = scratch.join(format!("tags.{}", format.file.extensions[0]));
                let mut writer = create(&path, &options).expect("the target can be made");
                // Some formats have no space for all tags.
                if writer.write(&game).is_ok() {
                    writer.finish().expect("the target can be completed");
                }
            }
            // A quadratic algorithm takes minutes.
            let elapsed = started.elapsed().as_secs();
            let what = format!("{}, repeated: {repeated}", format.file.id);
            assert!(elapsed < 60, "{what}: {elapsed} s");
        }
    }
}
