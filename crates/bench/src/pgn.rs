//! PGN compared with pgn-reader and shakmaty: reading without moves, and PGN to PGN with every move
//! checked, on one thread with the file in memory.

use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use pgn_reader::{Outcome, RawTag, Reader, Skip, Visitor as TheirVisitor};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position as _};
use tabia_core::GameIndex;
use tabia_core::chess::{Ply, Position};
use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Flow, GameHead, GameResult, Visitor, Want,
};
use tabia_core::games::{Block, TextWriter};
use tabia_formats::games::pgn::FORMAT;

use crate::rounds::{Contestant, run as time};

/// Prints megabytes per second, nanoseconds per ply, and ratios.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(name) = arguments.first() else {
        return Err("pgn FILE.pgn [ROUNDS]".into());
    };
    let rounds = match arguments.get(1) {
        Some(text) => text.parse().map_err(|_| format!("{text}: not a number"))?,
        None => 5,
    };
    let text = std::fs::read(name).map_err(|error| format!("{name}: {error}"))?;
    let block = Block {
        bytes: text,
        offset: 0,
    };
    let text = &block.bytes;
    let shared: Arc<[u8]> = Arc::from(text.as_slice());
    let mut count = Counter::default();
    ours_read(&block, Want::MAINLINE, &mut count)?;
    println!(
        "{name}: {} games, {} plies, {rounds} rounds",
        count.games, count.plies
    );

    let mut read = [
        Contestant::new("tabia, tags only", || {
            let mut count = Counter::default();
            let _ = ours_read(&block, Want::TAGS, &mut count);
            count.games
        }),
        Contestant::new("pgn-reader, tags only", || {
            let mut tags = Tags::default();
            let _ = Reader::new(Cursor::new(text)).visit_all_games(&mut tags);
            tags.games
        }),
        Contestant::new("pgn-reader, every token, no moves resolved", || {
            let mut tokens = Tokens::default();
            let _ = Reader::new(Cursor::new(text)).visit_all_games(&mut tokens);
            tokens.games
        }),
    ];
    report(
        "reading without moves",
        &mut read,
        rounds,
        text,
        count.plies,
    );

    let heavy = Block {
        bytes: with_comments(&block)?,
        offset: 0,
    };
    let mut read = [
        Contestant::new("tabia, tags only", || {
            let mut count = Counter::default();
            let _ = ours_read(&heavy, Want::TAGS, &mut count);
            count.games
        }),
        Contestant::new("tabia, moves checked and comments read", || {
            let mut count = Counter::default();
            let _ = ours_read(&heavy, Want::ALL, &mut count);
            count.games
        }),
        Contestant::new("pgn-reader, tags only", || {
            let mut tags = Tags::default();
            let _ = Reader::new(Cursor::new(&heavy.bytes)).visit_all_games(&mut tags);
            tags.games
        }),
        Contestant::new("pgn-reader, every token, no moves resolved", || {
            let mut tokens = Tokens::default();
            let _ = Reader::new(Cursor::new(&heavy.bytes)).visit_all_games(&mut tokens);
            tokens.games
        }),
    ];
    report(
        "reading with a comment of 100 bytes at every move",
        &mut read,
        rounds,
        &heavy.bytes,
        count.plies,
    );
    drop(read);

    let mut check = [
        Contestant::new("tabia", || {
            let mut count = Counter::default();
            let _ = ours_read(&block, Want::ALL, &mut count);
            count.plies
        }),
        Contestant::new("pgn-reader, shakmaty", || {
            let mut legal = Legal::default();
            let _ = Reader::new(Cursor::new(text)).visit_all_games(&mut legal);
            legal.plies
        }),
    ];
    report("every move checked", &mut check, rounds, text, count.plies);

    let mut write = [
        Contestant::new("tabia", || ours_write(&shared, Profile::Standard)),
        Contestant::new("pgn-reader, shakmaty, moves as they were read", || {
            let mut copy = Copy {
                is_new: false,
                out: Vec::new(),
                length: 0,
            };
            let _ = Reader::new(Cursor::new(text)).visit_all_games(&mut copy);
            copy.length
        }),
        Contestant::new("pgn-reader, shakmaty, SanPlus", || {
            let mut copy = Copy {
                is_new: true,
                out: Vec::new(),
                length: 0,
            };
            let _ = Reader::new(Cursor::new(text)).visit_all_games(&mut copy);
            copy.length
        }),
    ];
    report(
        "PGN to PGN, every move checked",
        &mut write,
        rounds,
        text,
        count.plies,
    );
    Ok(())
}

fn report(what: &str, contestants: &mut [Contestant<'_>], rounds: usize, text: &[u8], plies: u64) {
    time(contestants, rounds);
    println!("\n{what} (processor time, best of rounds; ratios to the first: min / median / max)");
    let first = contestants
        .first()
        .map(|first| first.times().to_vec())
        .unwrap_or_default();
    for contestant in contestants.iter() {
        let seconds = contestant.best().as_secs_f64();
        let [least, median, most] = contestant.ratios(&first);
        println!(
            "  {:45} {:7.0} MB/s {:7.1} ns/ply  {least:.2} / {median:.2} / {most:.2}   result {}",
            contestant.name,
            text.len() as f64 / 1e6 / seconds,
            seconds * 1e9 / plies as f64,
            contestant.sum
        );
    }
}

/// Counts games and plies.
#[derive(Default)]
struct Counter {
    games: u64,
    plies: u64,
}

impl Visitor for Counter {
    fn visit_move(&mut self, _: &Position, _: Ply) -> Flow {
        self.plies += 1;
        Flow::Go
    }

    fn begin_game(&mut self, _: GameIndex, _: &GameHead) -> Flow {
        self.games += 1;
        Flow::Go
    }

    fn end_game(&mut self, _: GameResult) {}
}

fn ours_read(block: &Block, want: Want, visitor: &mut dyn Visitor) -> Result<(), String> {
    let open = FORMAT.open_blocks.ok_or("PGN is not read in blocks")?;
    let blocks = open(Box::new(std::io::empty()), &OpenOptions::default());
    let mut reader = blocks.map_err(|error| error.to_string())?.reader();
    let read = reader.read(block, want, visitor);
    read.map(|_| ()).map_err(|error| error.to_string())
}

/// The games with a comment of 100 bytes after every move.
fn with_comments(block: &Block) -> Result<Vec<u8>, String> {
    let create = FORMAT.create_text.ok_or("PGN is not written")?;
    let mut options = CreateOptions::default();
    options.wrap = false;
    let mut writer = CommentWriter(create(&options).map_err(|error| error.to_string())?);
    ours_read(block, Want::MAINLINE, &mut writer)?;
    Ok(std::mem::take(writer.0.text()))
}

/// Writes games with a comment after every move.
struct CommentWriter(Box<dyn TextWriter>);

impl Visitor for CommentWriter {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.0.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let _ = self.0.visit_move(before, ply);
        self.0.visit_annotation(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text: "The knight is strong here; White has the two bishops and also a little more space on \
                   the queen side.",
        }))
    }

    fn end_game(&mut self, result: GameResult) {
        self.0.end_game(result);
    }
}

/// Converts block by block into a buffer, as `convert` does on one thread.
fn ours_write(text: &Arc<[u8]>, profile: Profile) -> u64 {
    let mut options = CreateOptions::default();
    options.profile = profile;
    let (Some(open), Some(create)) = (FORMAT.open_blocks, FORMAT.create_text) else {
        return 0;
    };
    let input = Box::new(Cursor::new(Arc::clone(text)));
    let (Ok(mut blocks), Ok(mut writer)) = (open(input, &OpenOptions::default()), create(&options))
    else {
        return 0;
    };
    let mut reader = blocks.reader();
    let mut block = Block::default();
    let mut length = 0;
    while matches!(blocks.next(&mut block), Ok(true)) {
        let visitor: &mut dyn Visitor = &mut *writer;
        if reader.read(&block, Want::ALL, visitor).is_err() {
            break;
        }
        length += writer.text().len() as u64;
        writer.text().clear();
    }
    length
}

/// Visits the tags of pgn-reader, ignores them and skips the moves.
#[derive(Default)]
struct Tags {
    games: u64,
}

impl TheirVisitor for Tags {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        self.games += 1;
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// Plays the mainlines.
#[derive(Default)]
struct Legal {
    plies: u64,
}

impl TheirVisitor for Legal {
    type Tags = ();
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        let Ok(m) = san.san.to_move(position) else {
            return ControlFlow::Break(());
        };
        position.play_unchecked(m);
        self.plies += 1;
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, _: Chess) {}
}

/// Visits every token of pgn-reader and ignores it.
#[derive(Default)]
struct Tokens {
    games: u64,
}

impl TheirVisitor for Tokens {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(false))
    }

    fn end_game(&mut self, (): ()) {
        self.games += 1;
    }
}

/// Writes tags, numbered SAN and the result: less text than tabia, and without line breaks.
struct Copy {
    /// The SAN is made anew; otherwise it is written as it was read, after it is resolved and played.
    is_new: bool,
    out: Vec<u8>,
    length: u64,
}

impl TheirVisitor for Copy {
    type Tags = ();
    type Movetext = (Chess, u32);
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        self.out.push(b'[');
        self.out.extend_from_slice(name);
        self.out.extend_from_slice(b" \"");
        self.out.extend_from_slice(value.as_bytes());
        self.out.extend_from_slice(b"\"]\n");
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), (Chess, u32)> {
        ControlFlow::Continue((Chess::default(), 0))
    }

    fn san(&mut self, (position, ply): &mut (Chess, u32), san: SanPlus) -> ControlFlow<()> {
        let Ok(m) = san.san.to_move(position) else {
            return ControlFlow::Break(());
        };
        if *ply % 2 == 0 {
            let _ = write!(self.out, "{}. ", *ply / 2 + 1);
        }
        *ply += 1;
        let written = if self.is_new {
            SanPlus::from_move_and_play_unchecked(position, m)
        } else {
            position.play_unchecked(m);
            san
        };
        written.append_ascii_to(&mut self.out);
        self.out.push(b' ');
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut (Chess, u32)) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, _: &mut (Chess, u32), outcome: Outcome) -> ControlFlow<()> {
        let _ = write!(self.out, "{outcome}");
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _: (Chess, u32)) {
        self.out.extend_from_slice(b"\n\n");
        self.length += self.out.len() as u64;
        self.out.clear();
    }
}
