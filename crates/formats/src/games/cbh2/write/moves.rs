//! Encodes the moves of a game as words.

use tabia_core::chess::{Move, Piece, Ply, Position, Role, Setup, Square};
use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Game, Start};
use tabia_core::io::Sink;
use tabia_core::loss::{Feature, Losses};

use crate::games::cbh::moves::is_chess960;
use crate::games::cbh::tags::parse_values::start_number;
use crate::games::cbh2::{move_codes, start_position};
use crate::games::common::line_tree::{LineTree, NONE};
use crate::games::common::playable_part::playable_part;

/// Encodes games; its buffers are reused from game to game.
#[derive(Debug, Default)]
pub(super) struct MovesEncoder {
    tree: LineTree,
    pending: Vec<PendingLine>,
    open: Vec<u32>,
    numbers: Vec<u32>,
    mainline: Vec<u32>,
    content: Sink,
}

/// The encoded moves of a game.
#[derive(Debug)]
pub(super) struct EncodedMoves<'e> {
    /// The content of the record.
    pub(super) content: &'e [u8],
    /// For every move in the game's order, its number in the order of annotations.
    pub(super) numbers: &'e [u32],
    /// The numbers of the mainline's moves.
    pub(super) mainline: &'e [u32],
    /// Whether the start position was stored completely; a half-move clock cannot be stored.
    pub(super) is_start_exact: bool,
    /// Whether the record is that of a Chess960 game.
    pub(super) is_chess960: bool,
    /// The number of the Chess960 start position whose words castling has.
    pub(super) start_number: Option<u16>,
    /// The pieces at the end of the mainline.
    pub(super) material: [u16; 2],
}

/// A line that is stored later: the position before its first move, this move, and the plies before it.
#[derive(Debug)]
struct PendingLine {
    position: Position,
    first: u32,
    ply: u32,
}

/// The largest content of a record.
pub(super) const MAX_CONTENT: usize = i32::MAX as usize - 4096;

impl MovesEncoder {
    /// Encodes the moves of a game. Variations without moves are left out.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] if a move is illegal; [`ErrorKind::Limit`] if the record does not fit.
    pub(super) fn encode(&mut self, game: &Game) -> Result<EncodedMoves<'_>, Error> {
        self.content.clear();
        self.numbers.clear();
        self.mainline.clear();
        let start = EncodedStart::of(game);
        if !start.words.is_empty() {
            self.content.u16_le(move_codes::START);
            for word in &start.words {
                self.content.u16_le(*word);
            }
        }
        self.content.u16_le(move_codes::MOVES);
        let has_moves = game.mainline().next().is_some() || game.has_variations();
        let material = match start.position {
            Some(position) if game.has_variations() => {
                self.tree.collect(game);
                self.number_moves();
                self.write_lines(position, start.number)?
            }
            Some(position) => self.write_mainline(game, position, start.number)?,
            None if has_moves => {
                return Err(Error::invalid("moves from a position without its kings").at_ply(0));
            }
            None => {
                self.content.u16_le(move_codes::END);
                let setup = game.head.start.setup.as_deref();
                setup.map_or([0; 2], |setup| material(|square| setup.piece(square)))
            }
        };
        if self.content.len() > MAX_CONTENT {
            return Err(Error::new(ErrorKind::Limit {
                what: "size of a game's moves",
                limit: MAX_CONTENT as u64,
                size: self.content.len() as u64,
            }));
        }
        Ok(EncodedMoves {
            content: self.content.as_slice(),
            numbers: &self.numbers,
            mainline: &self.mainline,
            is_start_exact: start.is_exact,
            is_chess960: start.is_chess960,
            start_number: start.number,
            material,
        })
    }

    /// Numbers the moves as annotations do: the alternatives to a move, each with all that follows it,
    /// come directly after the move.
    fn number_moves(&mut self) {
        self.numbers.resize(self.tree.len(), 0);
        self.open.clear();
        self.open.push(0);
        let mut number = 0;
        while let Some(at) = self.open.pop() {
            let Some(node) = self.tree.node(at) else {
                continue;
            };
            if let Some(stored) = self.numbers.get_mut(at as usize) {
                *stored = number;
            }
            number += 1;
            if node.next != NONE {
                self.open.push(node.next);
            }
            let from = self.open.len();
            let mut alternative = if node.first == at {
                node.alternative
            } else {
                NONE
            };
            while let Some(other) = self.tree.node(alternative) {
                self.open.push(alternative);
                alternative = other.alternative;
            }
            self.open.get_mut(from..).unwrap_or_default().reverse();
        }
        let mut at = 0;
        while let Some(node) = self.tree.node(at) {
            let number = self.numbers.get(at as usize).copied();
            self.mainline.push(number.unwrap_or_default());
            at = node.next;
        }
    }

    /// Writes the moves of a game without variations.
    fn write_mainline(
        &mut self,
        game: &Game,
        mut position: Position,
        start: Option<u16>,
    ) -> Result<[u16; 2], Error> {
        for (count, ply) in (0..).zip(game.mainline()) {
            self.put(&mut position, ply, start)
                .map_err(|error| error.at_ply(count))?;
            self.numbers.push(count);
        }
        self.mainline.extend_from_slice(&self.numbers);
        self.content.u16_le(move_codes::END);
        Ok(material(|square| position.piece_at(square)))
    }

    /// Writes all lines: each to its end, then the alternatives, the last announced one first.
    fn write_lines(
        &mut self,
        mut position: Position,
        start: Option<u16>,
    ) -> Result<[u16; 2], Error> {
        self.pending.clear();
        let (mut at, mut ply) = (0, 0);
        let mut at_end = None;
        loop {
            while let Some(node) = self.tree.node(at) {
                let before = (node.alternative != NONE).then(|| position.clone());
                self.put(&mut position, node.ply, start)
                    .map_err(|error| error.at_ply(ply))?;
                if let Some(position) = before {
                    self.content.u16_le(move_codes::ALTERNATIVE);
                    self.pending.push(PendingLine {
                        position,
                        first: node.alternative,
                        ply,
                    });
                }
                ply += 1;
                at = node.next;
            }
            self.content.u16_le(move_codes::END);
            at_end.get_or_insert_with(|| material(|square| position.piece_at(square)));
            let Some(line) = self.pending.pop() else {
                return Ok(at_end.unwrap_or_default());
            };
            (position, at, ply) = (line.position, line.first, line.ply);
        }
    }

    /// Writes and plays a move.
    fn put(&mut self, position: &mut Position, ply: Ply, start: Option<u16>) -> Result<(), Error> {
        let word = match ply {
            Ply::Null => move_codes::NULL,
            Ply::Move(m) => {
                if !position.is_legal_cached(m) && !grant(position, m) {
                    let text = format!("{m:?} cannot be played in {}", position.fen());
                    return Err(Error::invalid(text));
                }
                move_codes::word(position, m, start)
            }
        };
        self.content.u16_le(word);
        position.play_ply(ply);
        Ok(())
    }
}

/// The game without the moves that cannot be played from its start position as it is stored, which are counted.
pub(super) fn storable_part(game: &Game, losses: &mut Losses) -> Game {
    let start = EncodedStart::of(game);
    let can_store = |position: &mut Position, ply| match ply {
        Ply::Null => true,
        Ply::Move(m) => position.is_legal_cached(m) || grant(position, m),
    };
    losses.add(Feature::Chess960, u64::from(start.is_chess960), None);
    playable_part(game, start.position, can_store, losses)
}

/// Grants the castling right that a move needs, as readers do.
#[cold]
fn grant(position: &mut Position, m: Move) -> bool {
    let side = usize::from(m.to().file() < m.from().file());
    let turn = position.turn();
    m.is_castling()
        && position.castling_rook(turn, side).is_none()
        && position.grant_castling(turn, side)
        && position.is_legal_cached(m)
}

/// The start position of a game as it is stored.
struct EncodedStart {
    words: Vec<u16>,
    is_chess960: bool,
    /// The number of the Chess960 start position whose words castling has.
    number: Option<u16>,
    is_exact: bool,
    /// The position that is read again; `None` if no moves can be played from it.
    position: Option<Position>,
}

impl EncodedStart {
    fn of(game: &Game) -> Self {
        let start = &game.head.start;
        let is_chess960 = is_chess960(start);
        let standard = Setup::standard();
        let setup = start.setup.as_deref().unwrap_or(&standard);
        let words = start_position::write(setup, is_chess960);
        let again = start_position::read(&words, 0, is_chess960).ok();
        let is_exact = again.as_ref().is_some_and(|again| {
            let setup_again = again.setup.as_deref();
            setup_again.map_or(*setup == Setup::standard(), |again| again == setup)
        });
        // Castling is with the rooks that are read again.
        let read = again.as_ref().and_then(|again| again.setup.as_deref());
        let position = again.as_ref().and_then(Start::position);
        let position = position.map(|mut position| {
            if is_chess960 {
                position.set_chess960();
            }
            position
        });
        Self {
            number: is_chess960.then(|| {
                let stored = game.head.tags.get("CbChess960");
                let stored = stored.and_then(|value| start_number(value).ok());
                stored.unwrap_or_else(|| start_position::castling_start(read.unwrap_or(setup)))
            }),
            words,
            is_chess960,
            is_exact,
            position,
        }
    }
}

/// The pieces of both sides, each as rooks, bishops, knights and queens (3 bits each) and pawns (4), the
/// greater number first.
pub(in crate::games::cbh2) fn material(piece_at: impl Fn(Square) -> Option<Piece>) -> [u16; 2] {
    let mut counts = [[0_u16; 6]; 2];
    for piece in Square::ALL.into_iter().filter_map(piece_at) {
        let sides = counts.get_mut(piece.color as usize);
        if let Some(count) = sides.and_then(|roles| roles.get_mut(piece.role as usize)) {
            *count += 1;
        }
    }
    let [white, black] = counts.map(|roles| {
        let count = |role: Role, limit: u16| {
            let count = roles.get(role as usize).copied().unwrap_or_default();
            count.min(limit)
        };
        count(Role::Rook, 7)
            | count(Role::Bishop, 7) << 3
            | count(Role::Knight, 7) << 6
            | count(Role::Queen, 7) << 9
            | count(Role::Pawn, 15) << 12
    });
    [white.max(black), white.min(black)]
}
