//! Compares positions of the chess core with those of shakmaty and cozy-chess.

use std::fmt;

use pgn_reader::shakmaty::fen::Fen;
use pgn_reader::shakmaty::san::{San, SanPlus};
use pgn_reader::shakmaty::zobrist::Zobrist64;
use pgn_reader::shakmaty::{self, CastlingMode, Chess, EnPassantMode, Position as _};
use tabia_core::chess::{FenStyle, Move, Ply, Position, Role, Setup, Square, san};

use tabia_testkit::Random;

use crate::read_pgn_mainlines::Game;

/// A position about which the chess core and another implementation disagree.
#[derive(Debug)]
pub struct Disagreement {
    /// The FEN of the position in the chess core.
    pub fen: String,
    /// The difference, with the value of the chess core first.
    pub difference: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fen, self.difference)
    }
}

/// Counts of games, positions and moves compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Games played through.
    pub games: u64,
    /// Games left out because shakmaty refuses their start.
    pub refused: u64,
    /// Games compared only up to a null move or a move that shakmaty refuses too.
    pub cut: u64,
    /// Moves with a missing or superfluous `x`, which only the chess core reads.
    pub unmarked: u64,
    /// Positions compared.
    pub positions: u64,
    /// Moves written as SAN and read back.
    pub moves: u64,
    /// Random moves whose legality was compared.
    pub legality_checks: u64,
    random: Random,
}

impl Default for Comparison {
    fn default() -> Self {
        Self {
            games: 0,
            refused: 0,
            cut: 0,
            unmarked: 0,
            positions: 0,
            moves: 0,
            legality_checks: 0,
            random: Random::new(0),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} games, {} positions, {} moves in SAN, {} checks of legality agree \
             ({} starts refused, {} games cut at a null or bad move, {} moves with a wrong x)",
            self.games,
            self.positions,
            self.moves,
            self.legality_checks,
            self.refused,
            self.cut,
            self.unmarked
        )
    }
}

impl Comparison {
    /// Plays a game and compares each position.
    pub fn game(&mut self, game: &Game) -> Result<(), Disagreement> {
        let start = match &game.fen {
            None => Chess::default(),
            Some(fen) => {
                let theirs = Fen::from_ascii(fen)
                    .ok()
                    .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
                let Some(start) = theirs else {
                    self.refused += 1;
                    return Ok(());
                };
                start
            }
        };
        let setup = match &game.fen {
            None => Setup::standard(),
            Some(fen) => Setup::parse_fen(fen).map_err(|error| Disagreement {
                fen: String::from_utf8_lossy(fen).into_owned(),
                difference: format!("{error}; shakmaty reads it"),
            })?,
        };
        self.games += 1;
        let mut pair = Pair::new(&setup, start)?;
        for text in game.sans() {
            self.position(&pair)?;
            let bare = text.strip_suffix(b"+").or(text.strip_suffix(b"#"));
            let theirs = San::from_ascii(bare.unwrap_or(text))
                .ok()
                .and_then(|san| san.to_move(&pair.theirs).ok());
            match (san::read(&pair.ours, text), theirs) {
                (Ok(Ply::Move(m)), Some(theirs)) if m == from_shakmaty(theirs) => {
                    pair.play(m, theirs)?;
                }
                (Ok(Ply::Move(m)), None) if pair.differs_by_mark_of_capture(m, text) => {
                    self.unmarked += 1;
                    pair.play(m, pair.to_shakmaty(m)?)?;
                }
                (Err(_) | Ok(Ply::Null), None) => {
                    self.cut += 1;
                    return Ok(());
                }
                (ours, theirs) => {
                    let text = String::from_utf8_lossy(text);
                    return pair.disagree(format!("read {text} as {ours:?}, not {theirs:?}"));
                }
            }
        }
        self.position(&pair)
    }

    /// Plays a random game of at most `plies` plies from a Chess960 start; 518 is the standard position.
    pub fn random_game(&mut self, start: u16, plies: u32) -> Result<(), Disagreement> {
        let Some(setup) = Setup::chess960_start(start) else {
            return Ok(());
        };
        let fen = setup.fen(FenStyle::Shredder);
        let theirs = Fen::from_ascii(fen.as_bytes())
            .ok()
            .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
        let Some(theirs) = theirs else {
            return Err(Disagreement {
                fen,
                difference: "shakmaty refuses this start".into(),
            });
        };
        self.games += 1;
        let mut pair = Pair::new(&setup, theirs)?;
        for _ in 0..plies {
            self.position(&pair)?;
            let moves = pair.theirs.legal_moves();
            if moves.is_empty() {
                return Ok(());
            }
            let choice = self.random.below(moves.len());
            let m = moves[choice];
            pair.play(from_shakmaty(m), m)?;
        }
        self.position(&pair)
    }

    /// Compares the board, the key, the legal moves and their SAN.
    fn position(&mut self, pair: &Pair) -> Result<(), Disagreement> {
        self.positions += 1;
        let Pair { ours, theirs, cozy } = pair;
        let fen = ours.fen();
        let their_fen = Fen::from_position(theirs, EnPassantMode::PseudoLegal).to_string();
        if fen != their_fen {
            return pair.disagree(format!("shakmaty's FEN is {their_fen}"));
        }
        let key: Zobrist64 = theirs.zobrist_hash(EnPassantMode::PseudoLegal);
        if ours.key() != key.0 {
            return pair.disagree(format!("key {:016x}, not {:016x}", ours.key(), key.0));
        }
        let again = Position::from_setup(&ours.to_setup());
        if again.as_ref().map(Position::key) != Ok(ours.key()) {
            return pair.disagree("the key differs from a newly computed one".into());
        }
        if ours.is_check() != theirs.is_check() {
            return pair.disagree(format!("check: {}", ours.is_check()));
        }
        let mut moves: Vec<Move> = ours.legal_moves().to_vec();
        moves.sort_unstable();
        let their_moves = theirs.legal_moves();
        let mut expected: Vec<Move> = their_moves.iter().copied().map(from_shakmaty).collect();
        expected.sort_unstable();
        if moves != expected {
            return pair.disagree(format!("moves {moves:?}, shakmaty {expected:?}"));
        }
        if let Some(cozy) = cozy {
            let mut expected = cozy_moves(cozy);
            expected.sort_unstable();
            if moves != expected {
                return pair.disagree(format!("moves {moves:?}, cozy-chess {expected:?}"));
            }
            // All fields except the en passant square, for which cozy-chess has a different rule.
            let shredder = ours.to_setup().fen(FenStyle::Shredder);
            let cozy_fen = format!("{cozy:#}");
            let head = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
            if head(&shredder) != head(&cozy_fen) {
                return pair.disagree(format!("cozy-chess's FEN is {cozy_fen}"));
            }
        }
        let mut text = Vec::new();
        let mut expected = Vec::new();
        for &theirs_move in &their_moves {
            let m = from_shakmaty(theirs_move);
            text.clear();
            expected.clear();
            san::write(ours, Ply::Move(m), &mut text);
            SanPlus::from_move(theirs.clone(), theirs_move).append_ascii_to(&mut expected);
            if text != expected || san::read(ours, &text) != Ok(Ply::Move(m)) || !ours.is_legal(m) {
                return pair.disagree(format!(
                    "{m:?} is written {} and read back as {:?}, legal {}; shakmaty writes {}",
                    String::from_utf8_lossy(&text),
                    san::read(ours, &text),
                    ours.is_legal(m),
                    String::from_utf8_lossy(&expected)
                ));
            }
            self.moves += 1;
        }
        for _ in 0..4 {
            if let Some(m) = Move::from_bits((self.random.next_u64() >> 32) as u16) {
                self.legality_checks += 1;
                if ours.is_legal(m) != moves.binary_search(&m).is_ok() {
                    return pair.disagree(format!("{m:?} legal: {}", ours.is_legal(m)));
                }
            }
        }
        Ok(())
    }
}

/// The same position in the three implementations.
struct Pair {
    ours: Position,
    theirs: Chess,
    /// `None` if cozy-chess refuses the start.
    cozy: Option<cozy_chess::Board>,
}

impl Pair {
    fn new(setup: &Setup, theirs: Chess) -> Result<Pair, Disagreement> {
        let fen = setup.fen(FenStyle::Shredder);
        let cozy = cozy_chess::Board::from_fen(&fen, true).ok();
        let ours = Position::from_setup(setup).map_err(|error| Disagreement {
            fen,
            difference: format!("{error}; shakmaty plays it"),
        })?;
        Ok(Pair { ours, theirs, cozy })
    }

    fn play(&mut self, m: Move, theirs: shakmaty::Move) -> Result<(), Disagreement> {
        if let Some(cozy) = &mut self.cozy {
            // cozy-chess counts at most 100 plies.
            if cozy.halfmove_clock() >= 99 {
                cozy.set_halfmove_clock(0);
            }
            if cozy.try_play(to_cozy(m)).is_err() {
                return self.disagree(format!("cozy-chess will not play {m:?}"));
            }
        }
        self.ours.play(m);
        self.theirs.play_unchecked(theirs);
        Ok(())
    }

    fn to_shakmaty(&self, m: Move) -> Result<shakmaty::Move, Disagreement> {
        let moves = self.theirs.legal_moves();
        let found = moves
            .iter()
            .copied()
            .find(|&theirs| from_shakmaty(theirs) == m);
        found.map_or_else(
            || self.disagree(format!("{m:?} is not legal for shakmaty")),
            Ok,
        )
    }

    /// Whether `text` is the SAN of the move except for `x`, `+` and `#`.
    fn differs_by_mark_of_capture(&self, m: Move, text: &[u8]) -> bool {
        let mut written = Vec::new();
        san::write(&self.ours, Ply::Move(m), &mut written);
        let bare = |text: &[u8]| -> Vec<u8> {
            text.iter()
                .copied()
                .filter(|byte| !b"x+#".contains(byte))
                .collect()
        };
        bare(&written) == bare(text)
    }

    fn disagree<T>(&self, difference: String) -> Result<T, Disagreement> {
        Err(Disagreement {
            fen: self.ours.fen(),
            difference,
        })
    }
}

fn square(theirs: shakmaty::Square) -> Square {
    Square::ALL[usize::from(theirs)]
}

/// Converts a move of shakmaty.
pub fn from_shakmaty(m: shakmaty::Move) -> Move {
    match m {
        shakmaty::Move::Normal {
            from,
            to,
            promotion: Some(role),
            ..
        } => Move::promotion(square(from), square(to), promoted(role)),
        shakmaty::Move::Normal { from, to, .. } | shakmaty::Move::EnPassant { from, to } => {
            Move::normal(square(from), square(to))
        }
        shakmaty::Move::Castle { king, rook } => Move::castling(square(king), square(rook)),
        // Drops do not exist in chess.
        shakmaty::Move::Put { to, .. } => Move::normal(square(to), square(to)),
    }
}

fn promoted(role: shakmaty::Role) -> Role {
    match role {
        shakmaty::Role::Knight => Role::Knight,
        shakmaty::Role::Bishop => Role::Bishop,
        shakmaty::Role::Rook => Role::Rook,
        _ => Role::Queen,
    }
}

fn cozy_moves(board: &cozy_chess::Board) -> Vec<Move> {
    let mut moves = Vec::new();
    board.generate_moves(|piece_moves| {
        for m in piece_moves {
            let (from, to) = (Square::ALL[m.from as usize], Square::ALL[m.to as usize]);
            let is_castling = board.colors(board.side_to_move()).has(m.to);
            moves.push(match m.promotion {
                Some(cozy_chess::Piece::Knight) => Move::promotion(from, to, Role::Knight),
                Some(cozy_chess::Piece::Bishop) => Move::promotion(from, to, Role::Bishop),
                Some(cozy_chess::Piece::Rook) => Move::promotion(from, to, Role::Rook),
                Some(_) => Move::promotion(from, to, Role::Queen),
                None if is_castling => Move::castling(from, to),
                None => Move::normal(from, to),
            });
        }
        false
    });
    moves
}

fn to_cozy(m: Move) -> cozy_chess::Move {
    cozy_chess::Move {
        from: cozy_chess::Square::index(m.from().index()),
        to: cozy_chess::Square::index(m.to().index()),
        promotion: m.promotion_role().map(|role| match role {
            Role::Knight => cozy_chess::Piece::Knight,
            Role::Bishop => cozy_chess::Piece::Bishop,
            Role::Rook => cozy_chess::Piece::Rook,
            _ => cozy_chess::Piece::Queen,
        }),
    }
}
