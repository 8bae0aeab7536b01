//! The chess core compared with shakmaty, on one thread, with the moves already extracted from the file.

use std::path::Path;
use std::time::Duration;

use shakmaty::san::{San, SanPlus};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen};
use tabia_core::chess::{Move, Ply, Position, Setup, san};
use tabia_oracle::compare::from_shakmaty;
use tabia_oracle::for_each_game;
use zerocopy::byteorder::little_endian::U64;

use crate::rounds::{Contestant, run as time};

/// A game for both libraries.
struct Game {
    ours: Position,
    theirs: Chess,
    sans: Texts,
    moves: Vec<Move>,
    their_moves: Vec<shakmaty::Move>,
}

/// The SAN of the moves, one after another as in a file, so that neither library waits for memory.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// Offset and length of each.
    spans: Vec<(u32, u32)>,
}

impl Texts {
    fn push(&mut self, text: &[u8]) {
        let span = (self.bytes.len() as u32, text.len() as u32);
        self.spans.push(span);
        self.bytes.extend_from_slice(text);
        self.bytes.push(b' ');
    }

    fn each(&self) -> impl Iterator<Item = &[u8]> {
        let text = |&(start, length): &(u32, u32)| {
            let start = start as usize;
            self.bytes.get(start..start + length as usize)
        };
        self.spans.iter().filter_map(text)
    }

    /// The bytes from the start of each on, and its length.
    fn with_rest(&self) -> impl Iterator<Item = (&[u8], usize)> {
        let rest = |&(start, length): &(u32, u32)| {
            let rest = self.bytes.get(start as usize..)?;
            Some((rest, length as usize))
        };
        self.spans.iter().filter_map(rest)
    }
}

/// Prints nanoseconds per ply and ratios for four tasks.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(name) = arguments.first() else {
        return Err("chess FILE.pgn[.zst] [ROUNDS]".into());
    };
    let rounds = match arguments.get(1) {
        Some(text) => text.parse().map_err(|_| format!("{text}: not a number"))?,
        None => 7,
    };
    let games = load(Path::new(name)).map_err(|error| format!("{name}: {error}"))?;
    let plies: usize = games.iter().map(|game| game.moves.len()).sum();
    if plies == 0 {
        return Err(format!("{name}: no moves"));
    }
    println!(
        "{name}: {} games, {plies} plies, {rounds} rounds",
        games.len()
    );

    let mut resolve = [
        Contestant::new("tabia san::read_letters, san::write_and_play", || {
            ours_letters(&games)
        }),
        Contestant::new("tabia san::read, san::write_and_play", || {
            ours_joined(&games)
        }),
        Contestant::new("tabia san::read, play, san::write", || ours_all(&games)),
        Contestant::new("shakmaty San, SanPlus::from_move_and_play", || {
            theirs_plus(&games)
        }),
        Contestant::new("shakmaty San, suffix only when in check", || {
            theirs_fast(&games)
        }),
    ];
    report(
        "resolve SAN, play, write SAN",
        &mut resolve,
        rounds,
        plies,
        true,
    )?;

    let mut read = [
        Contestant::new("tabia san::read, play", || ours_read(&games)),
        Contestant::new("shakmaty San::to_move, play_unchecked", || {
            theirs_read(&games)
        }),
    ];
    report("resolve SAN, play", &mut read, rounds, plies, false)?;

    let mut keys = [
        Contestant::new("tabia play (key updated)", || ours_keys(&games)),
        Contestant::new("shakmaty play, update_zobrist_hash, else computed", || {
            theirs_keys(&games)
        }),
        Contestant::new("shakmaty play, zobrist_hash computed", || {
            theirs_fresh_keys(&games)
        }),
    ];
    report(
        "play known moves, Polyglot key of every position",
        &mut keys,
        rounds,
        plies,
        true,
    )?;

    let mut play = [
        Contestant::new("tabia play (key updated)", || ours_play(&games)),
        Contestant::new("shakmaty play_unchecked, no key", || theirs_play(&games)),
    ];
    report("play known moves", &mut play, rounds, plies, false)
}

fn report(
    what: &str,
    contestants: &mut [Contestant<'_>],
    rounds: usize,
    plies: usize,
    equal: bool,
) -> Result<(), String> {
    time(contestants, rounds);
    println!(
        "\n{what} (processor time: best of rounds, median; ratios to the first: min / median / max)"
    );
    let first = contestants
        .first()
        .map(|first| first.times().to_vec())
        .unwrap_or_default();
    let per_ply = |time: Duration| time.as_secs_f64() * 1e9 / plies as f64;
    for contestant in contestants.iter() {
        let [least, median, most] = contestant.ratios(&first);
        println!(
            "  {:50} {:7.1} {:7.1} ns/ply  {least:.2} / {median:.2} / {most:.2}",
            contestant.name,
            per_ply(contestant.best()),
            per_ply(contestant.median()),
        );
    }
    let sums = contestants.iter().map(|contestant| contestant.sum);
    if equal && sums.clone().max() != sums.min() {
        return Err(format!("{what}: the results differ"));
    }
    Ok(())
}

fn load(path: &Path) -> std::io::Result<Vec<Game>> {
    let mut games = Vec::new();
    for_each_game(path, |game| {
        let (Some(ours), Some(theirs)) = (match &game.fen {
            None => (Some(Position::standard()), Some(Chess::default())),
            Some(fen) => (
                Setup::parse_fen(fen)
                    .ok()
                    .and_then(|setup| Position::from_setup(&setup).ok()),
                Fen::from_ascii(fen)
                    .ok()
                    .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok()),
            ),
        }) else {
            return;
        };
        let mut read = Game {
            ours,
            theirs,
            sans: Texts::default(),
            moves: Vec::new(),
            their_moves: Vec::new(),
        };
        let mut position = read.theirs.clone();
        for text in game.sans() {
            let parsed = SanPlus::from_ascii(text).ok();
            let Some(m) = parsed.and_then(|san| san.san.to_move(&position).ok()) else {
                break;
            };
            position.play_unchecked(m);
            read.sans.push(text);
            read.their_moves.push(m);
            read.moves.push(from_shakmaty(m));
        }
        games.push(read);
    })?;
    Ok(games)
}

/// A hash for comparing texts, eight bytes at a time: it takes part in every time.
fn sum(text: &[u8]) -> u64 {
    let (words, rest) = text.as_chunks();
    let rest = rest.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let words = words.iter().map(|word| U64::from_bytes(*word).get());
    words
        .chain([rest])
        .fold(0xcbf2_9ce4_8422_2325, |sum, word| {
            (sum.rotate_left(5) ^ word).wrapping_mul(0x100_0000_01b3)
        })
}

fn ours_all(games: &[Game]) -> u64 {
    let mut out = Vec::new();
    let mut total = 0u64;
    for game in games {
        out.clear();
        let mut position = game.ours.clone();
        for text in game.sans.each() {
            let Ok(ply) = san::read(&position, text) else {
                break;
            };
            san::write(&position, ply, &mut out);
            out.push(b' ');
            position.play_ply(ply);
        }
        total = total.wrapping_add(sum(&out));
    }
    total
}

fn ours_joined(games: &[Game]) -> u64 {
    let mut out = Vec::new();
    let mut total = 0u64;
    for game in games {
        out.clear();
        let mut position = game.ours.clone();
        for text in game.sans.each() {
            let Ok(ply) = san::read(&position, text) else {
                break;
            };
            san::write_and_play(&mut position, ply, &mut out);
            out.push(b' ');
        }
        total = total.wrapping_add(sum(&out));
    }
    total
}

/// [`ours_joined`] with the SAN as the PGN reader passes it: in a register, if it is usual.
fn ours_letters(games: &[Game]) -> u64 {
    let mut out = Vec::new();
    let mut total = 0u64;
    for game in games {
        out.clear();
        let mut position = game.ours.clone();
        for (rest, length) in game.sans.with_rest() {
            let word = rest.first_chunk().map(|word| U64::from_bytes(*word).get());
            let usual = word.and_then(|word| san::read_letters(&position, word, length));
            let ply = match usual {
                Some(m) => Ply::Move(m),
                None => match san::read(&position, rest.get(..length).unwrap_or_default()) {
                    Ok(ply) => ply,
                    Err(_) => break,
                },
            };
            san::write_and_play(&mut position, ply, &mut out);
            out.push(b' ');
        }
        total = total.wrapping_add(sum(&out));
    }
    total
}

fn theirs_plus(games: &[Game]) -> u64 {
    let mut out = Vec::new();
    let mut total = 0u64;
    for game in games {
        out.clear();
        let mut position = game.theirs.clone();
        for text in game.sans.each() {
            let Some(m) = their_move(&position, text) else {
                break;
            };
            SanPlus::from_move_and_play_unchecked(&mut position, m).append_ascii_to(&mut out);
            out.push(b' ');
        }
        total = total.wrapping_add(sum(&out));
    }
    total
}

fn theirs_fast(games: &[Game]) -> u64 {
    let mut out = Vec::new();
    let mut total = 0u64;
    for game in games {
        out.clear();
        let mut position = game.theirs.clone();
        for text in game.sans.each() {
            let Some(m) = their_move(&position, text) else {
                break;
            };
            San::from_move(&position, m).append_ascii_to(&mut out);
            position.play_unchecked(m);
            if position.is_check() {
                out.push(if position.legal_moves().is_empty() {
                    b'#'
                } else {
                    b'+'
                });
            }
            out.push(b' ');
        }
        total = total.wrapping_add(sum(&out));
    }
    total
}

fn their_move(position: &Chess, text: &[u8]) -> Option<shakmaty::Move> {
    SanPlus::from_ascii(text).ok()?.san.to_move(position).ok()
}

fn ours_read(games: &[Game]) -> u64 {
    let mut total = 0;
    for game in games {
        let mut position = game.ours.clone();
        for text in game.sans.each() {
            let Ok(ply) = san::read(&position, text) else {
                break;
            };
            position.play_ply(ply);
        }
        total ^= position.occupied().0;
    }
    total
}

fn theirs_read(games: &[Game]) -> u64 {
    let mut total = 0;
    for game in games {
        let mut position = game.theirs.clone();
        for text in game.sans.each() {
            let Some(m) = their_move(&position, text) else {
                break;
            };
            position.play_unchecked(m);
        }
        total ^= position.board().occupied().0;
    }
    total
}

fn ours_keys(games: &[Game]) -> u64 {
    let mut total = 0u64;
    for game in games {
        let mut position = game.ours.clone();
        for &m in &game.moves {
            position.play(m);
            total = total.wrapping_add(position.key());
        }
    }
    total
}

const MODE: EnPassantMode = EnPassantMode::PseudoLegal;

fn theirs_keys(games: &[Game]) -> u64 {
    let mut total = 0u64;
    for game in games {
        let mut position = game.theirs.clone();
        let mut key: Zobrist64 = position.zobrist_hash(MODE);
        for &m in &game.their_moves {
            let next = position.update_zobrist_hash(key, m, MODE);
            position.play_unchecked(m);
            key = next.unwrap_or_else(|| position.zobrist_hash(MODE));
            total = total.wrapping_add(key.0);
        }
    }
    total
}

fn theirs_fresh_keys(games: &[Game]) -> u64 {
    let mut total = 0u64;
    for game in games {
        let mut position = game.theirs.clone();
        for &m in &game.their_moves {
            position.play_unchecked(m);
            let key: Zobrist64 = position.zobrist_hash(MODE);
            total = total.wrapping_add(key.0);
        }
    }
    total
}

fn ours_play(games: &[Game]) -> u64 {
    let mut total = 0;
    for game in games {
        let mut position = game.ours.clone();
        for &m in &game.moves {
            position.play(m);
        }
        total ^= position.occupied().0;
    }
    total
}

fn theirs_play(games: &[Game]) -> u64 {
    let mut total = 0;
    for game in games {
        let mut position = game.theirs.clone();
        for &m in &game.their_moves {
            position.play_unchecked(m);
        }
        total ^= position.board().occupied().0;
    }
    total
}
