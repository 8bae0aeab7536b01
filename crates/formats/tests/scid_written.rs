//! Scid databases that tabia writes: written, read back, damaged.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::time::{Duration, Instant};

use tabia_core::chess::{Ply, Setup};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Event, Flow, Game, GameResult, Start, Visitor, Want, project};
use tabia_core::games::{Database, NameId, NameKind, is_blank_entry};
use tabia_core::io::Source;
use tabia_core::loss::{Feature, Losses};
use tabia_core::{GameFormat, GameIndex};
use tabia_formats::games::scid::{SI3, SI4, SI5};
use tabia_formats::games::scidb;
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::open_and_read::{open_files, read_games};
use tabia_testkit::time_and_memory_limits::Watchdog;
use tabia_testkit::tiny::GameBuilder;
use tabia_testkit::{Scratch, corrupt, dump};

const ALL: [&GameFormat; 3] = [&SI3, &SI4, &SI5];

/// The files of a database: index, names, games.
type Files = Vec<(String, Vec<u8>)>;

/// A game with the tags that every Scid game has.
fn builder(round: &str) -> GameBuilder {
    roster(GameBuilder::new(), round)
}

fn roster(builder: GameBuilder, round: &str) -> GameBuilder {
    builder
        .tag("Event", "Tiny Open")
        .tag("Site", "Žižkov")
        .tag("Date", "2021.05.??")
        .tag("Round", round)
        .tag("White", "Abel, Ada")
        .tag("Black", "Brandt, Bo")
}

/// Games with everything that all three versions can hold.
fn games() -> Vec<Game> {
    let annotated = builder("1.1")
        .tag("Result", "1-0")
        .tag("WhiteElo", "2801")
        .tag("BlackRapid", "2799")
        .tag("ECO", "C65a1")
        .tag("EventDate", "2021.04.30")
        .tag("ScidFlags", "WN!U")
        .tag("Annotator", "Somebody")
        .tag("CustomTag", "\"x\" and \\")
        .tag("Empty", "")
        .comment("before the game")
        .moves("e4")
        .nag(1)
        .nag(146)
        .comment("two\nlines")
        .begin()
        .moves("d4")
        .comment_before("instead")
        .comment("inside")
        .moves("d5")
        .begin()
        .moves("-- c4")
        .end()
        .begin()
        .end()
        .end()
        .begin()
        .moves("c4")
        .end()
        .moves("e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O")
        .comment("")
        .result(GameResult::WhiteWins);
    let mut deleted = builder("?")
        .tag("Result", "*")
        .tag("WhiteElo", "2100*")
        .tag("ECO", "B90/01")
        .moves("a4 b5 axb5 a6 bxa6 Bb7 axb7 Nc6 bxa8=N h5 g4 hxg4")
        .result(GameResult::Unknown);
    deleted.head.deleted = true;
    let fen = "r3k2r/pppppppp/8/8/4P3/8/PPPP1PPP/R3K2R b KQkq e3 0 7";
    let setup = roster(GameBuilder::from_fen(fen), "2")
        .tag("Result", "0-1")
        .tag("SetUp", "1")
        .tag(
            "FEN",
            "r3k2r/pppppppp/8/8/4P3/8/PPPP1PPP/R3K2R b KQkq e3 0 7",
        )
        .moves("O-O-O O-O d5 exd5 Rxd5")
        .begin()
        .moves("e6")
        .end()
        .result(GameResult::BlackWins);
    vec![annotated, deleted, setup]
}

fn files(format: &GameFormat, games: &[Game]) -> (Files, Losses) {
    let scratch = Scratch::new("scid-own");
    let path = scratch.join(format!("own.{}", format.file.id));
    let mut options = CreateOptions::default();
    options.title = Some("Our games".to_owned());
    options.facts = [("type", "4"), ("flag1", "Analysed"), ("unknown", "x")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec();
    let mut writer = format.create.unwrap()(&path, &options).unwrap();
    let mut losses = Losses::new();
    for (number, game) in (0..).zip(games) {
        let mut lost = writer.write(game).unwrap();
        lost.in_game(GameIndex(number));
        losses.merge(&lost);
    }
    let written = writer.finish().unwrap();
    assert_eq!(scratch.names().len(), 3);
    let files = written
        .files
        .iter()
        .map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(file).unwrap())
        })
        .collect();
    (files, losses)
}

fn open(format: &GameFormat, files: &Files) -> tabia_core::Result<Box<dyn Database>> {
    open_files(format, files, &OpenOptions::default())
}

fn read(database: &dyn Database) -> Vec<Game> {
    let (games, problems) = read_games(database);
    assert_eq!(problems, [""; 0]);
    games
}

fn written(format: &GameFormat, game: Game) -> (Game, Losses) {
    let (files, losses) = files(format, &[game]);
    let mut games = read(&*open(format, &files).unwrap());
    (games.remove(0), losses)
}

#[test]
fn games_round_trip() {
    let games = games();
    for format in ALL {
        let (files, losses) = files(format, &games);
        assert!(losses.is_empty(), "{}: {losses}", format.file.id);
        let database = open(format, &files).unwrap();
        assert_eq!(database.info().problems, Vec::<String>::new());
        assert_eq!(database.info().title.as_deref(), Some("Our games"));
        let facts = &database.info().facts;
        let fact = |key: &str| facts.iter().find(|(known, _)| known == key);
        assert_eq!(fact("type").unwrap().1, "4");
        assert_eq!(fact("flag1").is_some(), format.file.id != SI3.file.id);
        assert!(fact("unknown").is_none());
        for (index, (game, back)) in (0..).zip(games.iter().zip(read(&*database))) {
            let index = GameIndex(index);
            let what = format!("{} game {index}", format.file.id);
            dump::assert_same(&what, &dump::game(index, game), &dump::game(index, &back));
            assert_eq!(*game, back, "{what}");
        }
    }
}

#[test]
fn index_entries_summarize_their_games() {
    for format in ALL {
        let (files, _) = files(format, &games());
        let database = open(format, &files).unwrap();
        let [first, second, third] = [0, 1, 2].map(|game| database.entry(GameIndex(game)).unwrap());
        assert_eq!(
            (first.has_variations, first.has_comments, first.has_nags),
            (Some(true), Some(true), Some(true))
        );
        // The rating of Black is of another kind.
        assert_eq!((first.white_elo, first.black_elo), (Some(2801), None));
        assert_eq!(first.ply_count, Some(9));
        assert_eq!(first.eco.unwrap().to_string(), "C65");
        assert_eq!(first.date.to_string(), "2021.05.??");
        assert_eq!(first.result, GameResult::WhiteWins);
        assert!(!first.deleted && second.deleted && !second.has_setup && third.has_setup);
        assert_eq!(second.has_comments, Some(false));
        assert_eq!((second.white_elo, second.eco), (None, None));
        let name = |kind, id: Option<NameId>| database.name(kind, id.unwrap()).unwrap();
        assert_eq!(name(NameKind::Site, third.site), "Žižkov");
        assert_eq!(name(NameKind::Round, first.round), "1.1");
        assert_eq!(name(NameKind::Player, Some(NameId(99))), "?");
        assert!(database.entry(GameIndex(3)).is_err());
        let players = (NameKind::Player, 2);
        assert!(database.info().names.contains(&players));
        assert_eq!(database.info().deleted, 1);
    }
}

#[test]
fn want_selects_parts_without_changing_them() {
    for format in ALL {
        let (files, _) = files(format, &games());
        let database = open(format, &files).unwrap();
        let mut reader = database.reader();
        for (index, game) in (0..).zip(read(&*database)) {
            let mut part = Game::new();
            let mut read = |want| {
                let flow = reader.read(GameIndex(index), want, &mut part.recorder());
                assert_eq!(flow.unwrap(), Flow::Go);
                part.clone()
            };
            let tags = read(Want::TAGS);
            assert_eq!((&tags.head, tags.result), (&game.head, game.result));
            assert_eq!(tags.ply_count(), 0);
            let mainline = read(Want::MAINLINE);
            assert!(mainline.mainline().eq(game.mainline()));
            assert!(!mainline.has_variations() && !mainline.has_annotations());
            assert_eq!(mainline.head.start, game.head.start);
            let lines = read(Want::MAINLINE.and(Want::VARIATIONS));
            let moves = |game: &Game| -> Vec<Ply> {
                let ply = |event| match event {
                    Event::Move(ply) => Some(ply),
                    _ => None,
                };
                game.events().filter_map(ply).collect()
            };
            assert_eq!(moves(&lines), moves(&game));
            let comments = read(Want::MAINLINE.and(Want::ANNOTATIONS));
            assert!(!comments.has_variations());
            assert_eq!(comments.has_annotations(), game.has_annotations());
        }
    }
}

/// A visitor can skip variations, the rest of a game, or everything that follows.
#[test]
fn a_visitor_can_skip_or_stop() {
    struct SkippingVisitor(Vec<String>, Flow);
    impl Visitor for SkippingVisitor {
        fn visit_move(&mut self, _: &tabia_core::chess::Position, _: Ply) -> Flow {
            self.0.push("move".to_owned());
            if self.0.len() == 2 { self.1 } else { Flow::Go }
        }
        fn visit_annotation(&mut self, annotation: tabia_core::game::Annotation<'_>) -> Flow {
            if let tabia_core::game::Annotation::Comment(comment) = annotation {
                self.0.push(comment.text.to_owned());
            }
            Flow::Go
        }
        fn end_game(&mut self, result: GameResult) {
            self.0.push(result.to_string());
        }
    }
    let (files, _) = files(&SI5, &games());
    let database = open(&SI5, &files).unwrap();
    let shown = |flow| {
        let mut visitor = SkippingVisitor(Vec::new(), flow);
        let flow = database
            .reader()
            .read(GameIndex(0), Want::ALL, &mut visitor);
        (visitor.0.join(" "), flow.unwrap())
    };
    // Comments of skipped variations are not read as those of later moves.
    let all = "before the game move two\nlines move move move move move move move move  1-0";
    assert_eq!(shown(Flow::Go), (all.to_owned(), Flow::Go));
    assert_eq!(
        shown(Flow::Skip),
        ("before the game move 1-0".to_owned(), Flow::Go)
    );
    assert_eq!(
        shown(Flow::Stop),
        ("before the game move".to_owned(), Flow::Stop)
    );
}

#[test]
fn values_that_do_not_fit_are_losses() {
    let long = "x".repeat(300);
    let game = builder("1")
        .tag("Result", "*")
        .tag("LongTag", &long)
        .tag(&"n".repeat(241), "")
        .tag("ScidFlags", "13z")
        .moves("e4")
        .comment("one")
        .comment("two")
        .moves("e5")
        .comment_before("before")
        .result(GameResult::BothLose);
    let mut game = game;
    game.head.tags.set("White", &"é".repeat(130));
    let counts = |format: &GameFormat| {
        let (_, losses) = written(format, game.clone());
        losses
            .iter()
            .map(|(feature, loss)| (feature, loss.count))
            .collect::<Vec<_>>()
    };
    let common = |long, facts| {
        vec![
            (Feature::HeaderFacts, facts),
            (Feature::LongText, long),
            (Feature::CommentPlacement, 1),
            (Feature::SeveralComments, 1),
            (Feature::SpecialResults, 1),
        ]
    };
    assert_eq!(counts(&SI5), common(2, 1));
    assert_eq!(counts(&SI4), common(3, 1));
    assert_eq!(counts(&SI3), common(3, 3));
    let (back, _) = written(&SI4, game.clone());
    assert_eq!(back.head.tags.text("White"), "é".repeat(127));
    assert_eq!(back.head.tags.text("LongTag").len(), 233);
}

/// Losses are known before anything is written: from the features of the descriptor, and from the
/// encoder for narrower limits. Both agree with the losses of writing.
#[test]
fn losses_are_those_predicted() {
    let mut games = tabia_testkit::tiny::games();
    games.push(tabia_testkit::tiny::annotated());
    games.extend((1..900).map(arbitrary_game));
    for format in ALL {
        let scratch = Scratch::new("scid-predicted");
        let path = scratch.join(format!("own.{}", format.file.id));
        let options = CreateOptions::default();
        let mut writer = format.create.unwrap()(&path, &options).unwrap();
        let mut encoder = writer.encoder().unwrap();
        let mut without_loss = Vec::new();
        let mut number = 0;
        for game in &games {
            let mut record = Vec::new();
            let Ok(predicted) = encoder.encode(game, &mut record) else {
                assert!(writer.write(game).is_err());
                continue;
            };
            let losses = writer.write(game).unwrap();
            assert_eq!(losses, predicted);
            let (kept, lost) = project(format.can, game);
            for feature in Feature::ALL
                .iter()
                .filter(|feature| !format.can.has(**feature))
            {
                let what = format!("{}: {feature:?}", format.file.id);
                // The contents of lines that cannot be written are not counted in addition.
                let cuts = [Feature::Chess960, Feature::IllegalPositions];
                let is_cut = cuts.iter().any(|cut| losses.count(*cut) > 0);
                if !has_narrower_limits(*feature) && !is_text(game) && !is_cut {
                    assert_eq!(losses.count(*feature), lost.count(*feature), "{what}");
                }
            }
            // The projected game has no loss of a feature of the descriptor.
            let again = encoder.encode(&kept, &mut record).unwrap();
            for (feature, _) in again.iter() {
                assert!(
                    format.can.has(feature) || has_narrower_limits(feature),
                    "{feature:?}"
                );
            }
            if losses.is_empty() {
                without_loss.push((number, game));
            }
            number += u32::from(!is_text(game));
        }
        writer.finish().unwrap();
        let source = Source::from_path(&path).unwrap();
        let database = (format.open)(&source, &OpenOptions::default()).unwrap();
        let back = read(&*database);
        assert_eq!(back.len(), number as usize);
        let count = without_loss.len();
        assert!(count > 3, "{}: {count}", format.file.id);
        for (number, game) in without_loss {
            let back = &back[number as usize];
            assert_eq!(back.head.start, game.head.start, "{number}");
            assert_eq!(back.result, game.result, "{number}");
            assert!(
                back.events().eq(game.events()),
                "{}: {number}",
                format.file.id
            );
        }
    }
}

fn is_text(game: &Game) -> bool {
    game.head.kind == tabia_core::game::RecordKind::Text
}

/// Features that the format holds within limits, so that single games can lose them.
fn has_narrower_limits(feature: Feature) -> bool {
    matches!(
        feature,
        Feature::Chess960
            | Feature::LongText
            | Feature::SeveralComments
            | Feature::CommentPlacement
            | Feature::IllegalPositions
            | Feature::HeaderFacts
            | Feature::GuidingTexts
    )
}

#[test]
fn only_si5_holds_chess960() {
    let fen = "rk2qnbr/pppppppp/8/8/8/8/PPPPPPPP/RK2QNBR w KQkq - 0 1";
    let mut game = roster(GameBuilder::from_fen(fen), "1")
        .tag("Result", "*")
        .tag("SetUp", "1")
        .tag("FEN", fen)
        .moves("e4 e5 O-O-O O-O-O d3")
        .result(GameResult::Unknown);
    game.head.start.chess960 = true;
    let (back, losses) = written(&SI5, game.clone());
    assert!(losses.is_empty(), "{losses}");
    assert_eq!(back, game);
    for format in [&SI3, &SI4] {
        let (back, losses) = written(format, game.clone());
        assert_eq!(losses.to_string(), "1 Chess960 game, 3 moves");
        assert!(!back.head.start.chess960);
        assert_eq!(back.ply_count(), 2);
    }
}

#[test]
fn rights_of_standard_chess_in_chess960_are_kept() {
    // White's king and rooks are where they are in standard chess.
    let fen = "rk2qnbr/pppppppp/8/8/8/8/PPPPPPPP/RN2K2R w KQkq - 0 1";
    let mut game = roster(GameBuilder::from_fen(fen), "1")
        .tag("Result", "*")
        .moves("e4 e5 O-O d6")
        .result(GameResult::Unknown);
    game.head.start.chess960 = true;
    for format in [&SI3, &SI4] {
        let (back, losses) = written(format, game.clone());
        assert_eq!(losses.to_string(), "1 Chess960 game");
        assert_eq!(back.ply_count(), 4);
        let setup = back.head.start.setup.as_deref().unwrap();
        let fen = setup.fen(tabia_core::chess::FenStyle::XFen);
        assert!(fen.ends_with(" w KQ - 0 1"), "{fen}");
    }
}

#[test]
fn what_follows_a_castling_of_chess960_is_counted_as_lost() {
    let fen = "rk2qnbr/pppppppp/8/8/8/8/PPPPPPPP/RK2QNBR w KQkq - 0 1";
    let game = roster(GameBuilder::from_fen(fen), "1")
        .tag("Result", "*")
        .moves("e4")
        .comment("kept")
        .moves("e5 O-O-O")
        .comment("lost")
        .begin()
        .moves("d3")
        .comment("in a lost variation")
        .end()
        .moves("d6")
        .nag(1)
        .result(GameResult::Unknown);
    for format in [&SI3, &SI4] {
        let (back, losses) = written(format, game.clone());
        assert_eq!(
            losses.to_string(),
            "1 Chess960 game, 1 variation, 1 comment, 1 move symbol, 2 moves"
        );
        assert_eq!(back.ply_count(), 2);
    }
}

#[test]
fn a_saturated_number_of_plies_is_unknown() {
    for (rounds, expected) in [(255, Some(1020)), (256, None), (300, None)] {
        let game = builder("1")
            .moves(&"Nf3 Nf6 Ng1 Ng8 ".repeat(rounds))
            .result(GameResult::Draw);
        for format in [&SI3, &SI4, &SI5] {
            let (files, _) = files(format, std::slice::from_ref(&game));
            let database = open_files(format, &files, &OpenOptions::default()).unwrap();
            assert_eq!(database.entry(GameIndex(0)).unwrap().ply_count, expected);
        }
    }
}

#[test]
fn setups_that_cannot_be_played_keep_their_fen() {
    let mut game = builder("1")
        .tag("Result", "*")
        .tag("FEN", "8/8/8/8/8/8/8/8 w - - 0 1")
        .result(GameResult::Unknown);
    game.head.start = Start {
        setup: Some(Box::new(Setup::empty())),
        chess960: false,
    };
    let (back, losses) = written(&SI5, game);
    assert_eq!(
        losses.to_string(),
        "1 setup position that is not legal chess"
    );
    assert_eq!(back.head.tags.text("FEN"), "8/8/8/8/8/8/8/8 w - - 0 1");
    assert_eq!(back.head.start, Start::default());
}

#[test]
fn long_games_lose_comments_first() {
    let mut long = builder("1").tag("Result", "*");
    for _ in 0..40 {
        long = long.moves("Nf3 Nf6 Ng1 Ng8").comment(&"word ".repeat(800));
    }
    let long = long.result(GameResult::Unknown);
    for (format, fit) in [(&SI3, 8), (&SI4, 32), (&SI5, 32)] {
        let (back, losses) = written(format, long.clone());
        let kept = back.events();
        let kept = kept.filter(|event| matches!(event, Event::Annotation(_)));
        assert_eq!(kept.count(), fit);
        assert_eq!(losses.count(Feature::Comments), 40 - fit as u64);
        assert!(back.mainline().eq(long.mainline()));
    }
    // Blobs of 40 KiB do not cross the boundary of a block of 128.
    let mut half = builder("1").tag("Result", "*");
    for _ in 0..10 {
        half = half.moves("Nf3 Nf6 Ng1 Ng8").comment(&"w".repeat(4000));
    }
    let half = half.result(GameResult::Unknown);
    let games = vec![half; 7];
    let (files, losses) = files(&SI4, &games);
    assert!(losses.is_empty());
    assert!(read(&*open(&SI4, &files).unwrap()) == games);
    assert!(files[2].1.len() > 2 * 131_072);
}

/// Annotations of a move after its variations are stored before them.
#[test]
fn annotations_after_variations_stay_with_their_move() {
    let game = builder("1")
        .tag("Result", "*")
        .moves("e4")
        .begin()
        .moves("d4")
        .comment("inside")
        .end()
        .comment("after")
        .nag(3)
        .moves("e5")
        .result(GameResult::Unknown);
    let (back, losses) = written(&SI5, game);
    assert_eq!(losses.count(Feature::CommentPlacement), 1);
    assert_eq!(losses.iter().count(), 1);
    let expected = builder("1")
        .tag("Result", "*")
        .moves("e4")
        .nag(3)
        .comment("after")
        .begin()
        .moves("d4")
        .comment("inside")
        .end()
        .moves("e5")
        .result(GameResult::Unknown);
    assert_eq!(back, expected);
}

#[test]
fn an_empty_index_is_an_empty_database() {
    for format in ALL {
        let (files, _) = files(format, &[]);
        let database = open(format, &files).unwrap();
        assert!(database.is_empty());
        assert_eq!(database.info().problems, Vec::<String>::new());
        assert_eq!(database.info().title.as_deref(), Some("Our games"));
    }
    let none = vec![("own.si5".to_owned(), Vec::new())];
    assert!(open(&SI5, &none).unwrap().is_empty());
}

/// The damages users report: the tail of the names lost, the index cut, a page of games zeroed.
#[test]
fn damage_loses_only_the_damaged_data() {
    for format in ALL {
        let (whole, _) = files(format, &games());
        let problems = |files: &Files, game| {
            let database = open(format, files).unwrap();
            let mut read = Game::new();
            let mut recorder = read.recorder();
            let flow = database
                .reader()
                .read(GameIndex(game), Want::ALL, &mut recorder);
            assert_eq!(flow.unwrap(), Flow::Go);
            let problems: Vec<String> = recorder
                .problems()
                .iter()
                .map(|problem| problem.error.to_string())
                .collect();
            (read, problems)
        };

        // The last name, a round or a site, is lost; the others are read.
        let mut names = whole.clone();
        names[1].1.pop();
        let database = open(format, &names).unwrap();
        assert_eq!(database.info().problems.len(), 1, "{}", format.file.id);
        assert_eq!(read_white(&*database), "Abel, Ada");
        names[1].1.clear();
        let (game, problem_texts) = problems(&names, 0);
        assert_eq!(problem_texts.len(), 5, "{problem_texts:?}");
        assert_eq!(game.head.tags.text("White"), "?");
        assert_eq!(game.head.tags.text("ECO"), "C65a1");
        assert!(game.mainline().eq(games()[0].mainline()));

        let mut index = whole.clone();
        index[0].1.pop();
        let database = open(format, &index).unwrap();
        assert_eq!(database.len(), 2);
        assert!(!database.info().problems.is_empty());

        let mut blobs = whole.clone();
        blobs[2].1.truncate(20);
        let (game, problem_texts) = problems(&blobs, 2);
        assert_eq!(problem_texts.len(), 1, "{problem_texts:?}");
        assert_eq!(game.head.tags.text("Round"), "2");
        assert_eq!(game.result, GameResult::BlackWins);
        blobs[2].1 = vec![0; whole[2].1.len()];
        let (game, problem_texts) = problems(&blobs, 0);
        // Every byte is a king's move to its own square, a null move.
        assert_eq!(problem_texts.len(), 1, "{problem_texts:?}");
        assert_eq!(game.head.tags.text("Round"), "1.1");

        blobs.truncate(1);
        let database = open(format, &blobs).unwrap();
        assert_eq!(database.info().problems.len(), 2);
        assert_eq!(database.len(), 3);
    }
}

fn read_white(database: &dyn Database) -> String {
    let white = database.entry(GameIndex(0)).unwrap().white.unwrap();
    database.name(NameKind::Player, white).unwrap().into_owned()
}

/// No damage causes a panic, an endless loop or an illegal move.
#[test]
fn damage_never_panics_or_loops() {
    let watchdog = Watchdog::new(Duration::from_mins(1));
    for format in ALL {
        let (whole, _) = files(format, &games());
        for number in 0..whole.len() {
            let bytes = &whole[number].1;
            let damages = corrupt::prefixes(bytes)
                .chain(corrupt::single_bytes(bytes))
                .chain(corrupt::random(bytes, 400, 11));
            for damaged in damages {
                let what = format!("{}: {}", whole[number].0, damaged.how);
                watchdog.case(&what);
                let mut files = whole.clone();
                files[number].1 = damaged.bytes;
                let Ok(database) = open(format, &files) else {
                    assert_eq!(number, 0, "{what}");
                    continue;
                };
                let mut reader = database.reader();
                for game in 0..database.len().min(8) {
                    let mut text = dump::Dump::new();
                    match reader.read(GameIndex(game), Want::ALL, &mut text) {
                        Err(error) => assert!(is_blank_entry(&error), "{what}: {error}"),
                        Ok(flow) => assert_eq!(flow, Flow::Go, "{what}"),
                    }
                    assert_eq!(text.violation(), None, "{what}");
                }
            }
        }
    }
}

/// With `strict`, the first problem of a game is an error.
#[test]
fn strict_readers_fail_at_the_first_problem() {
    let (mut files, _) = files(&SI4, &games());
    files[2].1.truncate(20);
    let mut options = OpenOptions::default();
    options.strict = true;
    let database = open_files(&SI4, &files, &options).unwrap();
    let mut game = Game::new();
    let error = database
        .reader()
        .read(GameIndex(2), Want::ALL, &mut game.recorder())
        .unwrap_err();
    assert!(error.to_string().contains("game 3"), "{error}");
    assert!(error.to_string().contains("sg4"), "{error}");
}

/// With the profile `full`, annotations that Scid cannot store are commands in comments.
#[test]
fn profile_full_keeps_annotations_of_other_formats() {
    let game = tabia_testkit::tiny::annotated();
    let scratch = Scratch::new("scid-full");
    for format in ALL {
        let path = scratch.join(format!("full.{}", format.file.id));
        let mut options = CreateOptions::default();
        options.profile = tabia_core::formats::Profile::Full;
        let can = format.can_with.unwrap()(&options);
        let (kept, predicted) = project(can, &game);
        let mut writer = format.create.unwrap()(&path, &options).unwrap();
        let losses = writer.write(&game).unwrap();
        writer.finish().unwrap();
        // Each move has one comment, without a language.
        assert_eq!(predicted.to_string(), "2 comment languages");
        assert_eq!(losses.count(Feature::Languages), 2);
        assert_eq!(losses.count(Feature::SeveralComments), 2);
        assert_eq!(losses.count(Feature::CommentPlacement), 1);
        assert_eq!(losses.iter().count(), 3, "{losses}");
        let source = Source::from_path(&path).unwrap();
        let options = OpenOptions::default();
        let database = (format.open)(&source, &options).unwrap();
        let back = read(&*database).remove(0);
        let others = |game: &Game| -> String {
            let is_comment = |event: &Event<'_>| {
                matches!(
                    event,
                    Event::Annotation(tabia_core::game::Annotation::Comment(_))
                )
            };
            let events = game.events().filter(|event| !is_comment(event));
            let lines: Vec<String> = events.map(|event| format!("{event:?}")).collect();
            lines.join("\n")
        };
        dump::assert_same("full", &others(&kept), &others(&back));
    }
}

/// The time for a game is linear in the number of its tags, also if their names repeat.
#[test]
fn many_tags_take_linear_time() {
    let started = Instant::now();
    for name in ["Tag#", "Same", "Date"] {
        let mut game = builder("1").tag("Result", "*").result(GameResult::Unknown);
        for number in 0..30_000 {
            let name = name.replace('#', &number.to_string());
            game.head.tags.push(&name, "x");
        }
        let (back, losses) = written(&scidb::FORMAT, game.clone());
        let lost = losses.count(Feature::Tags) as usize;
        assert_eq!(back.head.tags.len() + lost, game.head.tags.len(), "{name}");
        // A blob of Scid has space for a part of them.
        let (back, losses) = written(&SI5, game.clone());
        let lost = losses.count(Feature::Tags) as usize;
        assert_eq!(back.head.tags.len() + lost, game.head.tags.len(), "{name}");
    }
    // A quadratic algorithm takes a minute.
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(40), "{elapsed:?}");
}

/// Zeros are null moves only if the index states as many plies.
#[test]
fn null_moves_and_zeros_are_distinguished() {
    let nulls = |count: usize| vec!["--"; count].join(" ");
    let played = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7";
    for format in ALL {
        let game = builder("1")
            .tag("Result", "1/2-1/2")
            .moves(&nulls(30))
            .moves("e4")
            .begin()
            .moves(&nulls(9))
            .end()
            .moves("e5")
            .result(GameResult::Draw);
        let (again, losses) = written(format, game.clone());
        assert!(losses.is_empty(), "{losses:?}");
        assert_eq!(again, game);

        let game = builder("1").moves(played).result(GameResult::Draw);
        let (mut files, _) = files(format, &[game]);
        let (_, bytes) = files.last_mut().unwrap();
        let end = bytes.len() - 2;
        bytes[end - 10..end].fill(0);
        let (games, problems) = read_games(&*open(format, &files).unwrap());
        assert!(games[0].ply_count() < 15, "{}", games[0].ply_count());
        assert!(
            problems[0].contains("zero bytes in place of moves"),
            "{problems:?}"
        );
    }
}

/// Whether zeros are moves is found out once for a game.
#[test]
fn long_games_of_null_moves_are_read_in_linear_time() {
    let watchdog = Watchdog::new(Duration::from_secs(20));
    let nulls = vec!["--"; 100_000].join(" ");
    let game = builder("1").moves(&nulls).result(GameResult::Unknown);
    let (files, _) = files(&SI5, &[game]);
    let (games, problems) = read_games(&*open(&SI5, &files).unwrap());
    assert_eq!(problems, [""; 0]);
    assert_eq!(games[0].ply_count(), 100_000);
    drop(watchdog);
}
