//! Every position of generated games is answered as counting by hand does.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;

use tabia_core::GameIndex;
use tabia_core::chess::{Material, Ply, Position};
use tabia_core::game::{Flow, Game, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::io::{Blob, Progress};
use tabia_index::{
    Batch, BuildOptions, Builder, Collector, Kept, PositionIndex, ReadMark, digest_of_games,
};
use tabia_testkit::Random;
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::tiny::GameBuilder;

/// A random game that begins with one of few openings, so that many games share lines and transpose.
fn game(random: &mut Random) -> Game {
    let mut position = Position::standard();
    let mut builder = GameBuilder::new();
    let length = random.below(120);
    for ply in 0..length {
        let mut moves: Vec<_> = position.legal_moves().to_vec();
        if moves.is_empty() {
            break;
        }
        moves.sort_unstable();
        let choices = if ply < 8 { 2 } else { 3 };
        let m = match random.below(8) {
            0 if ply > 20 => random.pick(&moves),
            _ => moves[random.below(moves.len().min(choices)) * 7 % moves.len()],
        };
        builder = builder.moves(&position.san(m).to_string());
        position.play(m);
    }
    let results = [GameResult::WhiteWins, GameResult::Draw, GameResult::Unknown];
    builder = builder.tag("WhiteElo", &format!("{}", 2000 + random.below(800)));
    builder.result(random.pick(&results))
}

fn games(count: usize) -> Vec<Game> {
    let random = &mut Random::new(7);
    let mut games: Vec<Game> = (0..count).map(|_| game(random)).collect();
    for number in 0..count / 8 {
        games.insert(number * 5, games[number * 3].clone());
        games.push(arbitrary_game(number as u64));
    }
    let castle = GameBuilder::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    games.push(castle.moves("O-O O-O-O").result(GameResult::Draw));
    games.push(GameBuilder::from_fen("8/8/8/8/8/8/k7/2K5 b - - 3 9").result(GameResult::Draw));
    games
}

fn batch(games: &[Game]) -> Batch {
    batch_from(games, 0, games.len())
}

/// Games with the numbers from `first` on.
fn batch_from(games: &[Game], first: usize, end: usize) -> Batch {
    let (mut collector, mut batch) = (Collector::new(), Batch::default());
    for (number, game) in games.iter().enumerate().take(end).skip(first) {
        let _ = game.replay(GameIndex(number as u32), Want::ALL, &mut collector);
    }
    collector.swap(&mut batch);
    batch
}

fn build(games: &[Game], threads: usize, segment_games: usize) -> Vec<u8> {
    let mut options = BuildOptions::default();
    options.threads = threads;
    options.segment_games = segment_games;
    let progress = Progress::new();
    let mut builder = Builder::in_memory(options, &progress).unwrap();
    for (number, part) in games.chunks(33).enumerate() {
        assert_eq!(
            builder.add(&batch(part), number as u32 * 33).unwrap(),
            Kept::Yes
        );
    }
    builder.finish_bytes(b"stamp").unwrap().unwrap().1
}

/// Of each position the games that reached it, with ply and continuation of the first arrival.
type Reached = BTreeMap<String, (Position, BTreeMap<u32, (u32, Option<Ply>)>)>;

#[derive(Default)]
struct Count {
    reached: Reached,
    game: u32,
    ply: u32,
    last: Option<(Position, Option<Ply>)>,
}

impl Count {
    fn arrive(&mut self, position: &Position, played: Option<Ply>) {
        let fen = position
            .to_setup()
            .fen(tabia_core::chess::FenStyle::Shredder);
        let name: Vec<&str> = fen.split(' ').take(4).collect();
        let entry = self.reached.entry(name.join(" "));
        let (_, games) = entry.or_insert_with(|| (position.clone(), BTreeMap::new()));
        games.entry(self.game).or_insert((self.ply, played));
        self.ply += 1;
    }
}

impl Visitor for Count {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game.0;
        self.ply = 0;
        self.last = None;
        if head.kind == RecordKind::Text {
            return Flow::Skip;
        }
        self.last = head.start.position().map(|position| (position, None));
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.arrive(before, Some(ply));
        self.last = Some((before.clone(), Some(ply)));
        Flow::Go
    }

    fn end_game(&mut self, _result: GameResult) {
        if let Some((mut position, ply)) = self.last.take() {
            if let Some(ply) = ply {
                position.play_ply(ply);
            }
            self.arrive(&position, None);
        }
    }
}

fn count(games: &[Game]) -> Reached {
    let mut count = Count::default();
    for (number, game) in games.iter().enumerate() {
        let _ = game.replay(GameIndex(number as u32), Want::ALL, &mut count);
    }
    count.reached
}

/// Compares the answers to all positions; the first that differs.
fn compare(index: &PositionIndex, expected: &Reached) -> Result<(), String> {
    let irregular = index.irregular().map_err(|error| error.to_string())?;
    for (name, (position, games)) in expected {
        let mut found = BTreeMap::new();
        let mut continuations = Vec::new();
        for arrival in index.find(position).map_err(|error| error.to_string())? {
            continuations.clear();
            index
                .continuations(position, &arrival, &mut continuations)
                .map_err(|error| error.to_string())?;
            assert_eq!(
                continuations
                    .iter()
                    .map(|(_, part)| part.games())
                    .sum::<u32>(),
                arrival.games()
            );
            for (played, part) in &continuations {
                let rows = index.rows(part.segment, part.ranks());
                for row in rows.map_err(|error| error.to_string())? {
                    let old = found.insert(row.game().0, (part.ply, *played));
                    assert_eq!(old, None, "{name}: game {} twice", row.game());
                }
            }
        }
        let games: BTreeMap<_, _> = games
            .iter()
            .filter(|(game, _)| !irregular.contains(game))
            .map(|(game, what)| (*game, *what))
            .collect();
        assert_eq!(found, games, "{name}");
    }
    Ok(())
}

fn open(bytes: &[u8]) -> PositionIndex {
    PositionIndex::open(&Blob::from(bytes.to_vec())).unwrap()
}

#[test]
fn every_position_is_answered_as_counting_does() {
    let mut games = games(250);
    // Equal lines are stored once, whoever played them.
    games.extend(games[..60].to_vec());
    let expected = count(&games);
    assert!(expected.len() > 5_000, "{}", expected.len());
    for segment_games in [usize::MAX, 150, 7] {
        let bytes = build(&games, 1, segment_games);
        assert_eq!(bytes, build(&games, 3, segment_games), "{segment_games}");
        let index = open(&bytes);
        index.check().unwrap();
        assert_eq!(index.stamp(), b"stamp");
        compare(&index, &expected).unwrap();
    }
}

/// The materials of the games, and their moves.
#[derive(Default)]
struct Record {
    materials: BTreeMap<u32, Material>,
    moves: Vec<Ply>,
    last: Option<Position>,
}

impl Record {
    fn of(game: &Game) -> Self {
        let mut record = Self {
            last: game.head.start.position(),
            ..Self::default()
        };
        let _ = game.replay(GameIndex(0), Want::MAINLINE, &mut record);
        record.see();
        record
    }

    fn see(&mut self) {
        if let Some(position) = &self.last {
            let material = Material::of(position);
            self.materials.insert(material.to_bits(), material);
        }
    }
}

impl Visitor for Record {
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.last = Some(before.clone());
        self.see();
        self.moves.push(ply);
        self.last = Some(before.after(ply));
        Flow::Go
    }
}

/// The games of some lines, each with its moves.
fn games_of(
    index: &PositionIndex,
    ranges: &[(usize, std::ops::Range<u32>)],
) -> BTreeMap<u32, Vec<Ply>> {
    let mut games = BTreeMap::new();
    for (segment, ranks) in ranges {
        let mut lines = index.lines(*segment, ranks.clone()).unwrap();
        let mut next = ranks.start;
        while let Some(ranks) = lines.next_line().unwrap() {
            assert_eq!(ranks.start, next);
            next = ranks.end;
            let mut record = Record::default();
            lines.visit(GameIndex(0), &mut record).unwrap();
            for row in index.rows(*segment, ranks).unwrap() {
                assert!(games.insert(row.game().0, record.moves.clone()).is_none());
            }
        }
        assert_eq!(next, ranks.end);
    }
    games
}

#[test]
fn lines_and_their_material_are_those_of_the_games() {
    let games = games(250);
    let progress = Progress::new();
    let records: Vec<Record> = games.iter().map(Record::of).collect();
    let is_text = |number: u32| games[number as usize].head.kind == RecordKind::Text;
    let texts = (0..games.len() as u32).filter(|number| is_text(*number));
    let texts = texts.count();
    for segment_games in [usize::MAX, 60] {
        let index = open(&build(&games, 2, segment_games));
        let irregular = index.irregular().unwrap();
        let all: Vec<_> = (0..index.segments())
            .map(|segment| (segment, index.ranks(segment)))
            .collect();
        let found = games_of(&index, &all);
        assert_eq!(found.len() + irregular.len() + texts, games.len());
        for (game, moves) in &found {
            assert_eq!(*moves, records[*game as usize].moves, "game {game}");
        }
        // From the middle of a block on.
        for (segment, ranks) in &all {
            let part = [(*segment, ranks.end / 3..ranks.end / 2)];
            let part = games_of(&index, &part);
            assert!(part.iter().all(|(game, moves)| found[game] == *moves));
        }
        let mut materials: BTreeMap<u32, Material> = BTreeMap::new();
        for record in &records {
            materials.extend(&record.materials);
        }
        assert!(materials.len() > 200, "{}", materials.len());
        let has = |record: &Record, wanted: &[u32]| {
            wanted
                .iter()
                .any(|bits| record.materials.contains_key(bits))
        };
        let all: Vec<u32> = materials.keys().copied().collect();
        let single = all.chunks(1);
        for wanted in single.chain(all.chunks(7)) {
            let fits = |material: Material| wanted.contains(&material.to_bits());
            let ranges = index.with_material(&fits, None, u64::MAX, &progress);
            let ranges = ranges.unwrap().unwrap();
            let found = games_of(&index, &ranges);
            let listed: Vec<Material> = wanted
                .iter()
                .map(|&bits| Material::from_bits(bits))
                .collect();
            let only = index.with_material(&|_| true, Some(&listed), u64::MAX, &progress);
            assert_eq!(only.unwrap().unwrap(), ranges);
            for (number, record) in (0..).zip(&records) {
                let is_found = found.contains_key(&number);
                if !irregular.contains(&number) && !is_text(number) {
                    assert_eq!(is_found, has(record, wanted), "game {number}, {wanted:?}");
                }
            }
        }
        assert_eq!(
            index.with_material(&|_| true, None, 10, &progress),
            Ok(None)
        );
        let cancelled = Progress::new();
        cancelled.cancel();
        let found = index.with_material(&|_| true, None, u64::MAX, &cancelled);
        assert_eq!(found, Ok(None));
    }
}

#[test]
fn positions_that_no_game_reached_are_not_found() {
    let index = open(&build(&games(100), 1, usize::MAX));
    for fen in [
        "8/8/8/8/8/8/k7/2K5 w - - 3 9",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
    ] {
        let position = Position::parse_fen(fen.as_bytes()).unwrap();
        assert_eq!(index.find(&position).unwrap(), [], "{fen}");
    }
}

#[test]
fn an_index_without_games_has_no_positions() {
    let index = open(&build(&[], 1, usize::MAX));
    assert_eq!((index.games(), index.segments()), (0, 0));
    assert_eq!(index.find(&Position::standard()).unwrap(), []);
}

#[test]
fn very_long_lines_are_compared_to_their_end() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(80);
    let games: Vec<Game> = [
        "e4", "d4 d5", "e4 e5", "", "d4", "e4 c5", "c4", "c4", "c4", "d4 c5",
    ]
    .into_iter()
    .map(|end| {
        let moves = format!("{shuffle}{end}");
        GameBuilder::new()
            .moves(moves.trim())
            .result(GameResult::Draw)
    })
    .collect();
    let index = open(&build(&games, 2, usize::MAX));
    compare(&index, &count(&games)).unwrap();
}

#[test]
fn rights_that_a_reader_grants_make_a_game_irregular() {
    let mut collector = Collector::new();
    let fen = b"4k3/8/8/8/8/8/8/4K2R w - - 0 1";
    let mut position = Position::parse_fen(fen).unwrap();
    let mut head = GameHead::default();
    head.start.setup = Some(Box::new(position.to_setup()));
    let _ = collector.begin_game(GameIndex(3), &head);
    for text in ["Rh2", "Kd8", "Rh1", "Ke8", "O-O"] {
        if text == "O-O" {
            assert!(position.grant_castling(tabia_core::chess::Color::White, 0));
        }
        let ply = position.parse_san(text).unwrap();
        let _ = collector.visit_move(&position, ply);
        position.play_ply(ply);
    }
    collector.end_game(GameResult::Draw);
    let mut batch = Batch::default();
    collector.swap(&mut batch);
    let progress = Progress::new();
    let mut builder = Builder::in_memory(BuildOptions::default(), &progress).unwrap();
    builder.add(&batch, 0).unwrap();
    let (built, bytes) = builder.finish_bytes(b"").unwrap().unwrap();
    let index = open(&bytes);
    assert_eq!((built.games, index.irregular().unwrap()), (1, vec![3]));
}

#[test]
fn an_index_grows_with_its_database() {
    let games = games(300);
    let progress = Progress::new();
    let mut bytes = build(&games[..200], 1, usize::MAX);
    for end in [200, 201, 250, games.len()] {
        let index = open(&bytes);
        let old = bytes.clone();
        let options = BuildOptions::default();
        let grown = Builder::grow_in_memory(&index, bytes, options, &progress).unwrap();
        let mut builder = grown.unwrap();
        assert_eq!(builder.add(&batch(&games[..end]), 0).unwrap(), Kept::Yes);
        bytes = builder.finish_bytes(b"new").unwrap().unwrap().1;
        assert_eq!(old[8192..], bytes[8192..old.len()]);
        let index = open(&bytes);
        assert_eq!(
            (index.games(), index.stamp()),
            (open(&old).games().max(index.games()), &b"new"[..])
        );
        compare(&index, &count(&games[..end])).unwrap();
    }
    // Another game among those of the index.
    let index = open(&bytes);
    let mut changed = games.clone();
    changed[17].result = GameResult::BlackWins;
    let options = BuildOptions::default();
    let grown = Builder::grow_in_memory(&index, bytes.clone(), options.clone(), &progress);
    let mut builder = grown.unwrap().unwrap();
    assert_eq!(builder.add(&batch(&changed), 0).unwrap(), Kept::No);
    // Fewer games.
    let grown = Builder::grow_in_memory(&index, bytes, options, &progress);
    let mut builder = grown.unwrap().unwrap();
    assert_eq!(builder.add(&batch(&games[..20]), 0).unwrap(), Kept::Yes);
    assert!(builder.finish(b"").unwrap().is_none());
}

#[test]
fn many_small_segments_are_built_again() {
    let games = games(60);
    let index = open(&build(&games, 1, 8));
    assert!(index.segments() >= 8);
    let progress = Progress::new();
    let options = BuildOptions::default();
    let grown = Builder::grow_in_memory(&index, Vec::new(), options, &progress);
    assert!(grown.unwrap().is_none());
}

#[test]
fn small_segments_at_the_end_are_built_again_together() {
    let games = games(80);
    let mut options = BuildOptions::default();
    options.segment_games = 48;
    let progress = Progress::new();
    let mut bytes = build(&games[..50], 1, 48);
    for end in 51..=70 {
        let index = open(&bytes);
        let grown = Builder::grow_in_memory(&index, bytes, options.clone(), &progress).unwrap();
        let mut builder = grown.unwrap();
        assert_eq!(builder.add(&batch(&games[..end]), 0).unwrap(), Kept::Yes);
        let (built, new) = builder.finish_bytes(b"new").unwrap().unwrap();
        assert_eq!((built.games, built.added), (end as u64, 1), "{end}");
        bytes = new;
        let index = open(&bytes);
        assert!(index.segments() <= 12, "{end}: {}", index.segments());
        compare(&index, &count(&games[..end])).unwrap();
    }
}

#[test]
fn games_before_the_mark_need_not_be_added_again() {
    let games = games(120);
    let mut options = BuildOptions::default();
    options.segment_games = 40;
    let progress = Progress::new();
    let mut mark = ReadMark::default();
    let mut builder = Builder::in_memory(options.clone(), &progress).unwrap();
    builder.add(&batch(&games[..60]), 0).unwrap();
    (mark.records, mark.digest) = (60, 7);
    builder.mark_read(mark);
    let mut bytes = builder.finish_bytes(b"old").unwrap().unwrap().1;
    for end in 61..90 {
        let index = open(&bytes);
        assert_eq!(index.read_mark().map(|mark| mark.records), Some(end - 1));
        let grown = Builder::grow_in_memory(&index, bytes, options.clone(), &progress).unwrap();
        let mut builder = grown.unwrap();
        assert_eq!(builder.read_mark().map(|mark| mark.digest), Some(7));
        // Segments that are built again begin earlier.
        let first = builder.skip_known() as usize;
        assert!(first < end as usize && first >= 40, "{first}");
        assert_eq!(
            builder
                .add(&batch_from(&games, first, end as usize), 0)
                .unwrap(),
            Kept::Yes
        );
        mark.records = end;
        builder.mark_read(mark);
        let (built, new) = builder.finish_bytes(b"new").unwrap().unwrap();
        assert_eq!((built.games, built.added), (u64::from(end), 1), "{end}");
        bytes = new;
        compare(&open(&bytes), &count(&games[..end as usize])).unwrap();
    }
    // Without a new mark the old one is not kept: it is not that of the new games.
    let index = open(&bytes);
    let grown = Builder::grow_in_memory(&index, bytes, options, &progress).unwrap();
    let mut builder = grown.unwrap();
    assert_eq!(builder.add(&batch(&games), 0).unwrap(), Kept::Yes);
    let bytes = builder.finish_bytes(b"new").unwrap().unwrap().1;
    assert_eq!(open(&bytes).read_mark(), None);
}

#[test]
fn games_after_the_mark_are_compared() {
    let games = games(40);
    let progress = Progress::new();
    let mut mark = ReadMark::default();
    (mark.records, mark.bytes, mark.games_after) = (25, 1000, 5);
    mark.digest_after = digest_of_games(0, &batch_from(&games, 25, 30), 0);
    let mut builder = Builder::in_memory(BuildOptions::default(), &progress).unwrap();
    builder.add(&batch(&games[..30]), 0).unwrap();
    builder.mark_read(mark);
    let bytes = builder.finish_bytes(b"old").unwrap().unwrap().1;
    for (changed, expected) in [
        (None, Kept::Yes),
        (Some(27), Kept::No),
        (Some(33), Kept::Yes),
    ] {
        let mut games = games.clone();
        if let Some(changed) = changed {
            games[changed].result = GameResult::BlackWins;
        }
        let index = open(&bytes);
        let options = BuildOptions::default();
        let grown = Builder::grow_in_memory(&index, bytes.clone(), options, &progress).unwrap();
        let mut builder = grown.unwrap();
        assert_eq!(builder.skip_known(), 25);
        let kept = builder
            .add(&batch_from(&games, 25, games.len()), 0)
            .unwrap();
        assert_eq!(kept, expected, "{changed:?}");
        if kept == Kept::Yes {
            let (built, bytes) = builder.finish_bytes(b"new").unwrap().unwrap();
            assert_eq!(built.added, games.len() as u64 - 30);
            compare(&open(&bytes), &count(&games)).unwrap();
        }
    }
    // The last games are missing.
    let index = open(&bytes);
    let options = BuildOptions::default();
    let grown = Builder::grow_in_memory(&index, bytes.clone(), options, &progress).unwrap();
    let mut builder = grown.unwrap();
    builder.skip_known();
    builder.add(&batch_from(&games, 25, 28), 0).unwrap();
    assert!(builder.finish(b"new").unwrap().is_none());
}

#[test]
fn a_damaged_index_is_an_error_or_right() {
    let games = games(40);
    let expected = count(&games);
    let bytes = build(&games, 1, 25);
    let mut refused = 0;
    let mut cases = 0;
    let headers = (0..64).chain(4096..4160).step_by(3);
    for at in headers.chain((8192..bytes.len()).step_by(149)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        cases += u32::from(at >= 8192);
        let right = PositionIndex::open(&Blob::from(damaged))
            .map_err(|error| error.to_string())
            .and_then(|index| {
                index.check().map_err(|error| error.to_string())?;
                compare(&index, &expected)
            });
        refused += u32::from(at >= 8192 && right.is_err());
    }
    assert!(refused * 10 > cases * 8, "{refused} of {cases}");
    for length in (0..bytes.len()).step_by(997) {
        let cut = Blob::from(bytes[..length].to_vec());
        assert!(PositionIndex::open(&cut).is_err(), "{length} bytes");
    }
}

#[test]
fn growing_that_is_interrupted_leaves_the_old_index() {
    let games = games(60);
    let old = build(&games[..40], 1, usize::MAX);
    let index = open(&old);
    let progress = Progress::new();
    let options = BuildOptions::default();
    let grown = Builder::grow_in_memory(&index, old.clone(), options, &progress);
    let mut builder = grown.unwrap().unwrap();
    builder.add(&batch(&games), 0).unwrap();
    let new = builder.finish_bytes(b"stamp").unwrap().unwrap().1;
    // Everything was written but the header, in any length.
    for length in (old.len()..new.len()).step_by(501) {
        let mut state = new[..length].to_vec();
        state[..8192].copy_from_slice(&old[..8192]);
        compare(&open(&state), &count(&games[..40])).unwrap();
    }
    // The header was written in part.
    for length in 0..64 {
        let mut state = new.clone();
        state[..8192].copy_from_slice(&old[..8192]);
        state[4096..4096 + length].copy_from_slice(&new[4096..4096 + length]);
        let games = if open(&state).games() == open(&old).games() {
            40
        } else {
            games.len()
        };
        assert!(length > 56 || games == 40, "{length}");
    }
    compare(&open(&new), &count(&games)).unwrap();
}
