//! A small generated database in memory: read intact, without companions, and damaged.

use tabia_core::GameIndex;
use tabia_core::chess::Square;
use tabia_core::error::{Error, ErrorKind};
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Flow, Game, GameResult, Language, Nag, RecordKind,
    Shape, ShapeColor, ShapeKind, TextKind, TextPart, Want,
};
use tabia_core::games::{Database, NameKind, is_blank_entry};
use tabia_core::io::{Blob, Sink, Source};
use tabia_testkit::corrupt;
use tabia_testkit::tiny::GameBuilder;
use zerocopy::{FromZeros, IntoBytes};

use super::annotations;
use super::charset::TextForm;
use super::content_summary::{Contents, MoveSummary};
use super::files_of_newer_versions::side_header;
use super::guiding_texts;
use super::moves;
use super::open::CbhDatabase;
use super::records::{
    AnnotatorRecord, ENTITY_MAGIC, EXTENDED_DEFAULT, FileHeader, GameRecord, PlayerRecord,
    SourceRecord, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TeamRecord, TextRecord, TournamentRecord,
    U24,
};
use super::score;
use super::verify::verify;

type Files = Vec<(String, Vec<u8>)>;

/// The moves of the first game: one variation with another inside.
fn first_game() -> Game {
    GameBuilder::new()
        .moves("e4 e5")
        .begin()
        .moves("c5 Nf3")
        .begin()
        .moves("c3")
        .end()
        .end()
        .moves("Qh5 Ke7 Qxe5#")
        .result(GameResult::WhiteWins)
}

fn comment(placement: CommentPlacement, language: Option<Language>, text: &str) -> Annotation<'_> {
    Annotation::Comment(Comment {
        placement,
        language,
        text,
    })
}

/// The annotations of the first game; stored order: e4 e5 Qh5 Ke7 Qxe5 c5 Nf3 c3.
fn first_annotations() -> Vec<(i32, Annotation<'static>)> {
    let square = |number| Square::new(number).unwrap();
    vec![
        (
            -1,
            comment(CommentPlacement::After, None, "Before\nthe game [#]"),
        ),
        (-1, Annotation::Medals(1 << 6)),
        (
            1,
            comment(
                CommentPlacement::After,
                Language::iso(*b"de"),
                "gut für ♘f3",
            ),
        ),
        (1, Annotation::Nag(Nag(1))),
        (1, Annotation::Nag(Nag(14))),
        (
            4,
            Annotation::Shape(Shape {
                kind: ShapeKind::Arrow(square(39), square(36)),
                color: ShapeColor::Red,
            }),
        ),
        (5, comment(CommentPlacement::Before, None, "Or")),
        (99, comment(CommentPlacement::After, None, "past the end")),
    ]
}

fn setup_game() -> Game {
    GameBuilder::from_fen("4k3/P7/8/8/8/8/7p/4K3 b - - 0 12")
        .moves("h1=Q+ Ke2")
        .result(GameResult::Unknown)
}

fn body_header(size: usize) -> Vec<u8> {
    let mut sink = Sink::new();
    sink.u16_be(26);
    sink.u32_be(size as u32);
    sink.u32_be(0);
    sink.u64_be(size as u64);
    sink.u64_be(0);
    sink.into_vec()
}

/// A file of entities; only the first is in the tree.
fn entities(data: &[&[u8]]) -> Vec<u8> {
    let size = data.first().map_or(0, |data| data.len());
    let mut sink = Sink::new();
    sink.u32_le(data.len() as u32);
    sink.u32_le(0);
    sink.u32_le(ENTITY_MAGIC);
    sink.u32_le(size as u32);
    sink.i32_le(-1);
    sink.u32_le(data.len() as u32);
    sink.u32_le(4);
    sink.u32_le(0);
    for data in data {
        sink.i32_le(-1);
        sink.i32_le(-1);
        sink.u8(0);
        sink.bytes(data);
    }
    sink.into_vec()
}

fn text<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [0; N];
    field[..text.len()].copy_from_slice(text.as_bytes());
    field
}

/// The files of a set with three records: a game, a deleted game with a setup position, a text.
fn set() -> Files {
    let mut moves_file = body_header(0);
    let mut annotations_file = body_header(0);
    let mut headers = Sink::new();
    let mut header = FileHeader::new_zeroed();
    header.header_size.set(44);
    header.record_size.set(46);
    header.version = 1;
    header.next_game.set(4);
    headers.bytes(header.as_bytes());

    let mut encoder = moves::Encoder::new();
    let mut annotations = annotations::Encoder::new(TextForm::UTF8);
    for (position, annotation) in first_annotations() {
        assert_eq!(annotations.push(position, &annotation), None);
    }
    let annotations = annotations.finish(1).unwrap().to_vec();
    let items = annotations::Items::new(&annotations)
        .unwrap()
        .map(Result::unwrap);
    let summary = MoveSummary {
        mainline: 5,
        variations: 3,
        ..MoveSummary::default()
    };
    let contents = Contents::of(summary, items.map(Into::into));
    let mut first = GameRecord::new_zeroed();
    first.kind = TYPE_ALWAYS;
    first.moves_at.set(moves_file.len() as u32);
    first.annotations_at.set(annotations_file.len() as u32);
    first.black = U24::new(1);
    first.date = U24::new(2021 << 9 | 5 << 5 | 1);
    first.result = 2;
    first.round = 5;
    first.sub_round = 2;
    first.white_elo.set(2200);
    first.eco.set(221 * 128 + 3);
    first.medals.set(contents.medals);
    first.flags.set(contents.flags);
    first.magnitudes.set(contents.magnitudes);
    first.move_count = contents.short_move_count();
    headers.bytes(first.as_bytes());
    moves_file.extend_from_slice(encoder.encode(&first_game()).unwrap().record);
    annotations_file.extend_from_slice(&annotations);

    let mut second = GameRecord::new_zeroed();
    second.kind = TYPE_ALWAYS | TYPE_DELETED;
    second.moves_at.set(moves_file.len() as u32);
    second.white = U24::new(1);
    second.black = U24::new(2);
    second.tournament = U24::new(1);
    second.result = 6;
    second.flags.set(1);
    second.move_count = 2;
    headers.bytes(second.as_bytes());
    moves_file.extend_from_slice(encoder.encode(&setup_game()).unwrap().record);

    let mut body = guiding_texts::Encoder::default();
    for (kind, text) in [
        (TextKind::Title, "Preface"),
        (TextKind::Html, "<p>Žižka</p>"),
    ] {
        body.push(&Annotation::Text(TextPart {
            kind,
            language: 0,
            text,
        }));
    }
    let mut third = TextRecord::new_zeroed();
    third.kind = TYPE_ALWAYS | TYPE_TEXT;
    third.body_at.set(moves_file.len() as u32);
    headers.bytes(third.as_bytes());
    moves_file.extend_from_slice(&body.finish(TextForm::UTF8).unwrap());

    for file in [&mut moves_file, &mut annotations_file] {
        let header = body_header(file.len());
        file[..26].copy_from_slice(&header);
    }
    let mut files = names();
    files.push(("Tiny.CBH".to_owned(), headers.into_vec()));
    files.push(("Tiny.cbg".to_owned(), moves_file));
    files.push(("Tiny.cba".to_owned(), annotations_file));
    files
}

/// The entity files and side files of the set.
fn names() -> Files {
    let player = |last: &str, first: &str| PlayerRecord {
        last_name: text(last),
        first_name: text(first),
        references: 0.into(),
        first_game: 0.into(),
    };
    let players = [player("Abel", "Ada"), player("Čapek", ""), player("", "")];
    let mut open = TournamentRecord::new_zeroed();
    open.title = text("Tiny Open");
    open.site = text("Berlin");
    open.date.set(2021 << 9);
    open.kind = 4 | 0x40;
    open.nation = 53;
    let blank = TournamentRecord::new_zeroed();
    let mut annotator = AnnotatorRecord::new_zeroed();
    annotator.name = text("Ann");
    let mut source = SourceRecord::new_zeroed();
    source.title = text("A source");
    source.quality = 1;
    let mut team = TeamRecord::new_zeroed();
    team.title = text("Club");
    team.year.set(2020);
    team.season = 1;
    let mut extended = EXTENDED_DEFAULT;
    extended.white_team.set(0);
    extended.version.set(3);
    let mut side = Sink::new();
    side.u32_le(11);
    side.u32_le(120);
    side.u32_le(1);
    side.zeros(20);
    side.bytes(extended.as_bytes());
    let players: Vec<&[u8]> = players.iter().map(IntoBytes::as_bytes).collect();
    let extras = side_header(3, 65, 0);
    [
        ("cbtt", extras.into_vec()),
        ("cbp", entities(&players)),
        ("cbt", entities(&[open.as_bytes(), blank.as_bytes()])),
        ("cbc", entities(&[annotator.as_bytes()])),
        ("cbs", entities(&[source.as_bytes()])),
        ("cbe", entities(&[team.as_bytes()])),
        ("cbj", side.into_vec()),
    ]
    .map(|(extension, bytes)| (format!("tiny.{extension}"), bytes))
    .into()
}

fn open(files: &Files) -> Result<CbhDatabase, Error> {
    open_with(files, &OpenOptions::default())
}

fn open_with(files: &Files, options: &OpenOptions) -> Result<CbhDatabase, Error> {
    let members = files
        .iter()
        .map(|(name, bytes)| (name.clone(), Blob::from(bytes.clone())))
        .collect();
    let source = Source::from_members("set.cbv", "Tiny.CBH", members)?;
    CbhDatabase::open(&source, options)
}

fn read(db: &CbhDatabase, index: u32) -> (Game, Vec<String>) {
    try_read(db, index).unwrap()
}

fn try_read(db: &CbhDatabase, index: u32) -> Result<(Game, Vec<String>), Error> {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let flow = db
        .reader()
        .read(GameIndex(index), Want::ALL, &mut recorder)?;
    assert_eq!(flow, Flow::Go);
    let problems = recorder.take_problems();
    let problems = problems
        .iter()
        .map(|problem| problem.error.to_string())
        .collect();
    Ok((game, problems))
}

#[test]
fn games_have_tags_moves_and_annotations() {
    let db = open(&set()).unwrap();
    assert_eq!(db.info().problems, [""; 0]);
    let (game, problems) = read(&db, 0);
    assert!(problems.is_empty(), "{problems:?}");
    let tags: Vec<_> = game.head.tags.iter().collect();
    assert_eq!(
        tags,
        [
            ("Event", "Tiny Open"),
            ("Site", "Berlin"),
            ("Date", "2021.05.01"),
            ("Round", "5.2"),
            ("White", "Abel, Ada"),
            ("Black", "Čapek"),
            ("Result", "1-0"),
            ("ECO", "C20"),
            ("CbEcoSub", "3"),
            ("WhiteElo", "2200"),
            ("Annotator", "Ann"),
            ("EventDate", "2021.??.??"),
            ("EventType", "swiss (rapid)"),
            ("EventCountry", "GER"),
            ("SourceTitle", "A source"),
            ("SourceQuality", "1"),
            ("WhiteTeam", "Club"),
            ("CbWhiteTeamYear", "2020"),
            ("CbWhiteTeamSeason", "1"),
            ("CbVersion", "3"),
        ]
    );
    assert_eq!(game.result, GameResult::WhiteWins);
    let moves = |game: &Game| -> Vec<String> {
        let events = game
            .events()
            .filter(|e| !matches!(e, tabia_core::game::Event::Annotation(_)));
        events.map(|event| format!("{event:?}")).collect()
    };
    assert_eq!(moves(&game), moves(&first_game()));
    let annotations: Vec<Annotation<'_>> = game
        .events()
        .filter_map(|event| match event {
            tabia_core::game::Event::Annotation(annotation) => Some(annotation),
            _ => None,
        })
        .collect();
    // Those of the variation come before those of the later moves.
    let mut expected: Vec<_> = first_annotations()
        .into_iter()
        .map(|(_, annotation)| annotation)
        .collect();
    expected.swap(5, 6);
    assert_eq!(annotations, expected);
}

#[test]
fn deleted_games_setups_forfeits_and_texts_are_read() {
    let db = open(&set()).unwrap();
    let info = db.info();
    assert_eq!((info.records, info.texts, info.deleted), (3, 1, 1));
    let (game, _) = read(&db, 1);
    assert!(game.head.deleted);
    assert_eq!(game.result, GameResult::WhiteWinsByForfeit);
    assert_eq!(game.head.tags.text("Black"), "?");
    assert_eq!(game.head.start, setup_game().head.start);
    assert_eq!(game.ply_count(), 2);
    let (text, problems) = read(&db, 2);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(text.head.kind, RecordKind::Text);
    let parts: Vec<_> = text.events().map(|event| format!("{event:?}")).collect();
    assert_eq!(parts.len(), 2);
    assert!(parts[1].contains("Žižka"));
    let entry = db.entry(GameIndex(0)).unwrap();
    assert_eq!(entry.move_count, Some(3));
    assert_eq!(entry.has_variations, Some(true));
    assert_eq!(
        &*db.name(NameKind::Round, entry.round.unwrap()).unwrap(),
        "5.2"
    );
    assert_eq!(
        &*db.name(NameKind::Site, entry.site.unwrap()).unwrap(),
        "Berlin"
    );
    assert!(db.entry(GameIndex(3)).is_err());
}

#[test]
fn every_file_but_the_headers_may_be_missing() {
    let files = set();
    for missing in &files {
        let rest: Files = files
            .iter()
            .filter(|file| *file != missing)
            .cloned()
            .collect();
        let (name, _) = missing;
        if name == "Tiny.CBH" {
            assert!(open(&rest).is_err());
            continue;
        }
        let db = open(&rest).unwrap();
        for index in 0..3 {
            let (game, problems) = read(&db, index);
            let is_annotated = index == 0;
            let lost = name == "Tiny.cbg" || name == "Tiny.cba" && is_annotated;
            assert_eq!(problems.len(), usize::from(lost), "{name}: {problems:?}");
            assert!(game.head.tags.len() >= 3);
        }
        let (game, _) = read(&db, 0);
        let is_name = |tag| game.head.tags.text(tag) != "?";
        assert_eq!(is_name("White"), name != "tiny.cbp");
        assert_eq!(is_name("Event"), name != "tiny.cbt");
        assert_eq!(game.ply_count() == 5, name != "Tiny.cbg");
    }
    let mut strict = OpenOptions::default();
    strict.strict = true;
    let rest = files
        .iter()
        .filter(|(name, _)| name != "Tiny.cbg")
        .cloned()
        .collect();
    let db = open_with(&rest, &strict).unwrap();
    let mut game = Game::new();
    let error = db
        .reader()
        .read(GameIndex(1), Want::ALL, &mut game.recorder())
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MissingFile(name) if name == "set.cbg"));
}

#[test]
fn ratings_need_only_the_headers() {
    let folder = tabia_testkit::Scratch::new("cbh-ratings");
    for (name, bytes) in set() {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let source = Source::from_path(&folder.join("Tiny.CBH")).unwrap();
    let db = CbhDatabase::open(&source, &OpenOptions::default()).unwrap();
    let mut ratings = [[7; 2]; 2];
    assert!(db.ratings(GameIndex(0), &mut ratings));
    assert_eq!(
        db.entry(GameIndex(0)).unwrap().white_elo,
        Some(ratings[0][0])
    );
    // The other files are open, so that they stay those of this set, and not parsed.
    assert!(db.companions.get().is_none());
    drop(folder);
    assert_eq!(db.info().problems, [""; 0]);
    assert!(db.companions.get().is_some());
}

#[test]
fn damage_does_not_affect_records_before_it() {
    let files = set();
    let intact = open(&files).unwrap();
    let games: Vec<Game> = (0..3).map(|index| read(&intact, index).0).collect();
    for (number, (name, bytes)) in files.iter().enumerate() {
        let step = bytes.len().div_ceil(400);
        let cuts = corrupt::prefixes(bytes).step_by(step);
        let changes = corrupt::single_bytes(bytes).step_by(step * 3);
        for damaged in cuts.chain(changes).chain(corrupt::random(bytes, 300, 7)) {
            let mut copy = files.clone();
            copy[number].1 = damaged.bytes;
            let Ok(db) = open(&copy) else {
                assert_eq!(name, "Tiny.CBH", "{}", damaged.how);
                continue;
            };
            for index in 0..db.len().min(3) {
                let (game, _) = match try_read(&db, index) {
                    Err(error) => {
                        assert!(is_blank_entry(&error), "{}: {error}", damaged.how);
                        continue;
                    }
                    Ok(read) => read,
                };
                // Records are at fixed offsets; those before the damage must not change.
                if name == "Tiny.CBH" && damaged.from >= 46 * (index as usize + 2) {
                    assert_eq!(game, games[index as usize], "{}", damaged.how);
                }
            }
            let _ = verify(&db);
        }
    }
}

#[test]
fn wrong_headers_are_refused() {
    let mut files = set();
    let header = files
        .iter_mut()
        .find(|(name, _)| name == "Tiny.CBH")
        .unwrap();
    header.1[4] = 45;
    let error = open(&files).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WrongFormat { .. }),
        "{error}"
    );
}

#[test]
fn findings_name_wrong_fields() {
    let mut files = set();
    let header = files
        .iter_mut()
        .find(|(name, _)| name == "Tiny.CBH")
        .unwrap();
    header.1[46 + 42] ^= 1 << 4; // flags of the first game
    header.1[2 * 46 + 11] = 9; // white of the second
    let db = open(&files).unwrap();
    let findings: Vec<String> = verify(&db).iter().map(ToString::to_string).collect();
    let has = |text: &str| findings.iter().any(|finding| finding.contains(text));
    assert!(has("game 1: `flags` is"), "{findings:#?}");
    assert!(
        has("game 2: `white` is number 9, its file has 3"),
        "{findings:#?}"
    );
    assert!(
        has("game 1: 1 annotation belongs to moves past the last of 8"),
        "{findings:#?}"
    );
    assert!(
        has("set.cbp: number 1 states 0 references"),
        "{findings:#?}"
    );
    assert!(has("set.cbp: number 1 is not in the tree"), "{findings:#?}");
}

#[test]
fn headers_of_all_versions_are_recognized() {
    let mut head = [0; 46];
    head[4] = 46;
    for size in [36, 44] {
        for version in [1, 3, 5] {
            head[2] = size;
            head[5] = version;
            let probe = |name| Probe {
                name: Some(name),
                head: &head,
                len: Some(46),
            };
            assert_eq!(score(&probe("x.cbh")), Confidence::Certain);
            assert_eq!(score(&probe("x.bin")), Confidence::Certain);
        }
    }
    let probe = |name, head| Probe {
        name: Some(name),
        head,
        len: None,
    };
    assert_eq!(score(&probe("X.CBH", &head[..20])), Confidence::ByName);
    assert_eq!(score(&probe("x.pgn", &head[..20])), Confidence::No);
    assert_eq!(score(&probe("x.cbh", &[b'x'; 60])), Confidence::No);
}
