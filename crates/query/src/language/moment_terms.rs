//! Terms about one position of a game, the moment, and the move played from it.

use tabia_core::chess::{Color, Piece, Ply, Position, Role, Square};

use super::attacks::Attack;
use super::deferred_conditions::{Later, Sacrifice};
use super::inputs_of_tests::{Inputs, PlayedMoves};
use super::move_pattern::MovePattern;
use super::pawn_structures::PawnCheck;
use super::piece_set::{EMPTY, MEN, PieceSet};
use super::pins::pinned;
use super::square_set::square_set;
use super::values::Bounds;

/// A term about a position; one of its values must fit. Equal if the texts are.
#[derive(Debug, Clone)]
pub(crate) struct MomentTerm {
    pub(crate) field: &'static str,
    pub(crate) values: Vec<(String, Check)>,
}

impl MomentTerm {
    /// Whether it is decided by what follows the moment.
    pub(crate) fn is_later(&self) -> bool {
        let mut checks = self.values.iter();
        checks.any(|(_, check)| matches!(check, Check::Later(_)))
    }

    /// Whether it asks for annotations.
    pub(crate) fn asks_for_notes(&self) -> bool {
        let mut checks = self.values.iter();
        checks.any(|(_, check)| matches!(check, Check::Later(Later::Note(_))))
    }
}

impl PartialEq for MomentTerm {
    fn eq(&self, other: &Self) -> bool {
        let texts = |term: &Self| -> Vec<String> {
            term.values.iter().map(|(text, _)| text.clone()).collect()
        };
        self.field == other.field && texts(self) == texts(other)
    }
}

/// A position and the move played from it, if any.
#[derive(Clone, Copy)]
pub(crate) struct Moment<'p> {
    /// Plies before it.
    pub(crate) ply: u32,
    pub(crate) position: &'p Position,
    pub(crate) played: Option<Ply>,
    /// How often the position occurred up to here, this time included.
    pub(crate) occurrences: u32,
}

/// What is asked of a moment.
#[derive(Debug, Clone)]
pub(crate) enum Check {
    /// Equal in that many fields of FEN, 1 to 4.
    Fen(Box<Position>, usize),
    /// Sets of pieces that must be on all, or on any, of the squares.
    Squares(Vec<(PieceSet, u64, bool)>),
    /// Least and greatest number of queens, rooks, bishops, knights and pawns of White and Black.
    Material([[(u32, u32); 5]; 2]),
    Count(PieceSet, Bounds),
    /// What White has more of: queens, rooks, bishops, knights, minor pieces, pawns.
    Imbalance([Option<i64>; 6]),
    Balance(Bounds),
    /// One bishop each, on squares of different colours or of the same.
    Bishops {
        opposite: bool,
    },
    /// With files exchanged if the second is set.
    Pawns(PawnCheck, bool),
    Turn(Color),
    Ply(Bounds),
    /// The side to move is in check.
    Attacked,
    Mate,
    Stalemate,
    Move(Box<MovePattern>),
    /// The kinds of piece that the move moves, one bit each.
    Moved(u8),
    /// The kinds of piece that the move takes.
    Takes(u8),
    Attack(Attack),
    /// A man of the set is pinned to its king.
    Pinned(PieceSet),
    /// How often the position occurred up to here.
    Repeats(Bounds),
    /// Decided by what follows the moment; [`fits`](Self::fits) holds for it.
    Later(Later),
    /// Nothing fits.
    Never,
}

impl Check {
    /// Parses a value of a field about moments.
    ///
    /// # Errors
    /// Why it is none, after the value in quotation marks.
    pub(super) fn parse(field: &str, text: &str) -> Result<Self, String> {
        let number = || Bounds::number(text);
        let color = || match text.to_ascii_lowercase().as_str() {
            "white" | "w" => Some(Color::White),
            "black" | "b" => Some(Color::Black),
            _ => None,
        };
        let found = match field {
            "fen" => return fen(text),
            "pos" => {
                let (position, _) = super::line_of_moves::play(text)?;
                return Ok(Self::Fen(Box::new(position), 4));
            }
            "sub" => return sub(text),
            "pawns" => return PawnCheck::parse(text).map(|check| Self::Pawns(check, false)),
            "on" => on(text),
            "mat" => material(text),
            "count" => count(text),
            "imb" => imbalance(text),
            "balance" => number().map(Self::Balance),
            "bishops" => match text {
                "opposite" => Some(Self::Bishops { opposite: true }),
                "same" => Some(Self::Bishops { opposite: false }),
                _ => None,
            },
            "stm" => color().map(Self::Turn),
            "ply" => number().map(Self::Ply),
            "is" => match text {
                "check" => Some(Self::Attacked),
                "mate" => Some(Self::Mate),
                "stalemate" => Some(Self::Stalemate),
                _ => None,
            },
            "move" => MovePattern::parse(text).map(|pattern| Self::Move(Box::new(pattern))),
            "moved" => roles(text).map(Self::Moved),
            "attacks" => Attack::parse(text).map(Self::Attack),
            "pinned" => PieceSet::parse(text)
                .filter(|(_, rest)| rest.is_empty())
                .map(|(set, _)| Self::Pinned(set)),
            "sac" => {
                let test = Sacrifice::parse(text).map(Later::Sacrifice);
                test.map(Self::Later)
            }
            "repeats" => number().map(Self::Repeats),
            _ => roles(text).map(Self::Takes),
        };
        found.ok_or_else(|| {
            let what = match field {
                "on" => "a piece and squares, as `Nf5`, `[RQ]h1-8` or `P[c,e]2-7`",
                "mat" => "material, as `KRPKR` or `KRP+KRP*`",
                "count" => "a number of pieces, as `Q=1` or `QRqr<=2`",
                "imb" => "a difference of material, as `MvR` or `PPvN`",
                "bishops" => "`opposite` or `same`",
                "stm" => "`white` or `black`",
                "move" => "a move, as `Bxh7+`, `=N`, `e2e4` or `castling`",
                "moved" | "takes" => "kinds of pieces, as `K` or `QR`",
                "attacks" => "a piece and what it attacks, as `Q>h7` or `Nf5>k`",
                "pinned" => "a piece, as `n` or `[RN]`",
                "sac" => "`white`, `black` or a number of pawns, as `>=5`",
                _ => "a number",
            };
            let square = square_of_no_board(text).filter(|_| matches!(field, "on" | "move"));
            let sides = text.replace("vs", "").replace(['v', '-'], "");
            let joined = Some(sides).filter(|sides| field == "mat" && material(sides).is_some());
            let why = match (square, joined) {
                (Some(square), _) => format!(": there is no square {square}"),
                (None, Some(sides)) => format!(": the pieces of both sides are `{sides}`"),
                (None, None) => String::new(),
            };
            format!("is not {what}{why}")
        })
    }

    /// Whether a moment fits. What follows the moment is decided later.
    pub(crate) fn fits(&self, moment: Moment<'_>) -> bool {
        let position = moment.position;
        match self {
            Self::Fen(wanted, fields) => equals(position, wanted, *fields),
            Self::Squares(parts) => parts.iter().all(|&(set, squares, any)| {
                let found = set.squares(position);
                if any {
                    found & squares != 0
                } else {
                    squares & !found == 0
                }
            }),
            Self::Material(sides) => {
                [Color::White, Color::Black]
                    .into_iter()
                    .zip(sides)
                    .all(|(color, counts)| {
                        KINDS.into_iter().zip(counts).all(|(role, (least, most))| {
                            let count = position.by_piece(Piece { color, role }).count();
                            (*least..=*most).contains(&count)
                        })
                    })
            }
            Self::Count(set, bounds) => bounds.has(i64::from(set.squares(position).count_ones())),
            Self::Imbalance(wanted) => {
                let difference = |role| {
                    let of = |color| i64::from(position.by_piece(Piece { color, role }).count());
                    of(Color::White) - of(Color::Black)
                };
                let (bishops, knights) = (difference(Role::Bishop), difference(Role::Knight));
                let found = [
                    difference(Role::Queen),
                    difference(Role::Rook),
                    bishops,
                    knights,
                    bishops + knights,
                    difference(Role::Pawn),
                ];
                let mut pairs = wanted.iter().zip(found);
                pairs.all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == found))
            }
            Self::Balance(bounds) => bounds.has(i64::from(balance(position))),
            Self::Bishops { opposite } => {
                const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
                let of = |color| {
                    let role = Role::Bishop;
                    position.by_piece(Piece { color, role }).0
                };
                let (white, black) = (of(Color::White), of(Color::Black));
                let differ = (white & LIGHT == 0) != (black & LIGHT == 0);
                white.is_power_of_two() && black.is_power_of_two() && differ == *opposite
            }
            Self::Pawns(check, is_mirrored) => check.fits(position, *is_mirrored),
            Self::Turn(color) => position.turn() == *color,
            Self::Ply(bounds) => bounds.has(i64::from(moment.ply)),
            Self::Attacked => position.is_check(),
            Self::Mate => position.is_checkmate(),
            Self::Stalemate => position.is_stalemate(),
            Self::Move(pattern) => moment.played.is_some_and(|ply| pattern.fits(position, ply)),
            Self::Moved(roles) => {
                role_moved(moment).is_some_and(|role| roles >> role as u8 & 1 != 0)
            }
            Self::Takes(roles) => {
                role_taken(moment).is_some_and(|role| roles >> role as u8 & 1 != 0)
            }
            Self::Attack(attack) => attack.fits(position),
            Self::Pinned(set) => set.squares(position) & pinned(position) != 0,
            Self::Repeats(bounds) => bounds.has(i64::from(moment.occurrences)),
            Self::Later(_) => true,
            Self::Never => false,
        }
    }

    /// The least number of men of a position that fits; with fewer there will never be one again.
    pub(crate) fn least_men(&self) -> u32 {
        match self {
            Self::Fen(position, _) => position.occupied().count(),
            Self::Material(sides) => {
                2 + sides.iter().flatten().map(|(least, _)| least).sum::<u32>()
            }
            _ => 2,
        }
    }

    /// The greatest number of men of a position that fits.
    pub(crate) fn most_men(&self) -> u32 {
        const MANY: u32 = u32::MAX - 1;
        match self {
            Self::Fen(position, _) => position.occupied().count(),
            Self::Material(sides) => {
                let counts = sides.iter().flatten().map(|(_, most)| *most);
                counts.fold(2, u32::saturating_add).min(MANY)
            }
            _ => MANY,
        }
    }

    /// The pawns of White and of Black that a position that fits has on their first squares.
    pub(crate) fn home_pawns(&self) -> [u64; 2] {
        match self {
            Self::Fen(position, _) => {
                let of = |color, rank: u64| {
                    let role = Role::Pawn;
                    position.by_piece(Piece { color, role }).0 & rank
                };
                [of(Color::White, 0xff00), of(Color::Black, 0xff << 48)]
            }
            _ => [0; 2],
        }
    }

    /// What of a position decides it.
    pub(crate) fn inputs(&self) -> Inputs {
        match self {
            // Bishops stay on the squares of their colour.
            Self::Material(_)
            | Self::Count(..)
            | Self::Imbalance(_)
            | Self::Balance(_)
            | Self::Bishops { .. } => Inputs::MATERIAL,
            Self::Pawns(..) => Inputs::PAWNS,
            Self::Squares(parts) => {
                Inputs::squares(parts.iter().fold(0, |all, (_, squares, _)| all | squares))
            }
            Self::Never => Inputs::ONCE,
            _ => Inputs::ALL,
        }
    }

    /// Whether it asks for the move played, which the last position of a line does not have.
    pub(crate) fn asks_for_move(&self) -> bool {
        matches!(self, Self::Move(_) | Self::Moved(_) | Self::Takes(_))
    }

    /// The occupied squares of every position that fits, if they are known.
    pub(crate) fn occupied(&self) -> Option<u64> {
        match self {
            Self::Fen(position, _) => Some(position.occupied().0),
            _ => None,
        }
    }

    /// The moves with which it may hold.
    pub(crate) fn played_moves(&self) -> PlayedMoves {
        match self {
            Self::Move(pattern) => pattern.played_moves(),
            Self::Takes(_) => PlayedMoves {
                captures: true,
                ..PlayedMoves::ANY
            },
            _ => PlayedMoves::ANY,
        }
    }

    /// A rough measure of what the test costs.
    pub(crate) fn cost(&self) -> u32 {
        match self {
            Self::Turn(_) | Self::Ply(_) | Self::Fen(..) => 0,
            Self::Material(_) | Self::Moved(_) | Self::Takes(_) => 1,
            Self::Move(_) => 2,
            Self::Attacked => 3,
            Self::Mate | Self::Stalemate | Self::Attack(_) | Self::Pinned(_) => 9,
            _ => 4,
        }
    }
}

const KINDS: [Role; 5] = [
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// White's material minus Black's in pawns.
pub(crate) fn balance(position: &Position) -> i32 {
    let values = [9, 5, 3, 3, 1];
    let of = |color| -> u32 {
        let counts = KINDS.map(|role| position.by_piece(Piece { color, role }).count());
        counts.into_iter().zip(values).map(|(n, v)| n * v).sum()
    };
    of(Color::White).cast_signed() - of(Color::Black).cast_signed()
}

fn equals(position: &Position, wanted: &Position, fields: usize) -> bool {
    let sides = [Color::White, Color::Black];
    if sides
        .iter()
        .any(|&color| position.by_color(color) != wanted.by_color(color))
    {
        return false;
    }
    let rook = |position: &Position, color, side| position.castling_rook(color, side);
    Role::ALL
        .iter()
        .all(|&role| position.by_role(role) == wanted.by_role(role))
        && (fields < 2 || position.turn() == wanted.turn())
        && (fields < 3
            || sides.iter().all(|&color| {
                (0..2).all(|side| rook(position, color, side) == rook(wanted, color, side))
            }))
        && (fields < 4 || position.en_passant() == wanted.en_passant())
}

fn role_moved(moment: Moment<'_>) -> Option<Role> {
    let m = moment.played?.to_move()?;
    moment.position.piece_at(m.from()).map(|piece| piece.role)
}

fn role_taken(moment: Moment<'_>) -> Option<Role> {
    let m = moment.played?.to_move()?;
    if m.is_castling() {
        return None;
    }
    let position = moment.position;
    let taken = position.piece_at(m.to()).map(|piece| piece.role);
    let is_pawn = role_moved(moment) == Some(Role::Pawn);
    taken.or((is_pawn && m.from().file() != m.to().file()).then_some(Role::Pawn))
}

/// A position by as many fields as the text has; counters are ignored.
fn fen(text: &str) -> Result<Check, String> {
    let fields: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == '_')
        .filter(|field| !field.is_empty())
        .collect();
    let count = fields.len().min(4);
    let text = fields.get(..count).unwrap_or_default().join(" ");
    let position = Position::parse_fen(text.as_bytes()).map_err(|error| {
        let text = error.to_string();
        match text.strip_prefix("FEN: ") {
            Some(why) => format!("is not FEN: {why}"),
            None => format!("is not FEN of a position: {text}"),
        }
    })?;
    Ok(Check::Fen(Box::new(position), count))
}

/// The first letter and digit of a text that are written as a square, and are none of a board.
fn square_of_no_board(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'z', b'0'..=b'9']);
    let is_of_board = |pair: &[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
    let at = bytes
        .windows(2)
        .position(|pair| is_square(pair) && !is_of_board(pair))?;
    text.get(at..at + 2)
}

fn sub(text: &str) -> Result<Check, String> {
    let mut parts: Vec<(PieceSet, u64, bool)> = Vec::new();
    let (mut rank, mut number) = (7_u8, 0_u8);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let square = || match Square::from_coords(number, rank) {
            Some(square) => format!("at {square}"),
            None => format!("after rank {}", rank + 1),
        };
        if letter == '/' && number == 8 && rank > 0 {
            (rank, number) = (rank - 1, 0);
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        if let Some(any) = letter.to_digit(10).filter(|any| (1..=8).contains(any)) {
            number = number.saturating_add(any as u8);
            rest = rest.get(1..).unwrap_or_default();
        } else {
            let parsed = PieceSet::parse(rest);
            let (set, after) = parsed.ok_or_else(|| format!("cannot be read {}", square()))?;
            let Some(square) = Square::from_coords(number, rank) else {
                return Err(format!("has more than 8 squares on rank {}", rank + 1));
            };
            if set.0 != MEN | EMPTY {
                match parts.iter_mut().find(|(other, ..)| *other == set) {
                    Some((_, squares, _)) => *squares |= square.bit(),
                    None => parts.push((set, square.bit(), false)),
                }
            }
            number += 1;
            rest = after;
        }
        if number > 8 {
            return Err(format!("has more than 8 squares on rank {}", rank + 1));
        }
    }
    if rank != 0 || number != 8 {
        return Err(format!("ends on rank {} after {number} squares", rank + 1));
    }
    Ok(Check::Squares(parts))
}

fn on(text: &str) -> Option<Check> {
    let (set, rest) = PieceSet::parse(text)?;
    let squares = if rest.is_empty() {
        u64::MAX
    } else {
        square_set(rest)?
    };
    Some(Check::Squares(vec![(set, squares, true)]))
}

fn material(text: &str) -> Option<Check> {
    let mut sides = [[(0, 0); 5]; 2];
    let mut side = None;
    let mut last: Option<&mut (u32, u32)> = None;
    let many = 64;
    for letter in text.chars() {
        match letter.to_ascii_uppercase() {
            'K' => {
                side = Some(match side {
                    None => 0,
                    Some(0) => 1,
                    _ => return None,
                });
                last = None;
            }
            '+' => last.take()?.1 = many,
            '*' => {
                let range = last.take()?;
                *range = (range.0.saturating_sub(1), many);
            }
            '?' => {
                let range = last.take()?;
                range.0 = range.0.saturating_sub(1);
            }
            letter => {
                let role = Role::from_char(u8::try_from(letter).ok()?)?;
                let kind = KINDS.iter().position(|kind| *kind == role)?;
                let range = sides.get_mut(side?)?.get_mut(kind)?;
                *range = (range.0 + 1, range.1 + 1);
                last = Some(range);
            }
        }
    }
    (side == Some(1)).then_some(Check::Material(sides))
}

pub(super) fn count(text: &str) -> Option<Check> {
    let end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (letters, bounds) = text.split_at(end);
    let mut set = 0;
    for letter in letters.chars() {
        set |= PieceSet::letter(letter)?;
    }
    let bounds = if bounds.is_empty() {
        Bounds::number(">=1")?
    } else {
        Bounds::number(bounds)?
    };
    (set != 0).then_some(Check::Count(PieceSet(set), bounds))
}

fn imbalance(text: &str) -> Option<Check> {
    let (more, fewer) = text.split_once(['v', 'V'])?;
    let mut wanted: [Option<i64>; 6] = [Some(0), Some(0), Some(0), Some(0), None, None];
    let mut is_minor = false;
    for (letters, by) in [(more, 1), (fewer, -1)] {
        for letter in letters.chars() {
            let index = match letter.to_ascii_uppercase() {
                'Q' => 0,
                'R' => 1,
                'B' => 2,
                'N' => 3,
                'M' => 4,
                'P' => 5,
                _ => return None,
            };
            is_minor |= index == 4;
            let slot = wanted.get_mut(index)?;
            *slot = Some(slot.unwrap_or_default() + by);
        }
    }
    if is_minor {
        // Knights and bishops are counted together.
        let minor = [2, 3, 4]
            .into_iter()
            .filter_map(|index| *wanted.get(index)?);
        wanted[4] = Some(minor.sum());
        (wanted[2], wanted[3]) = (None, None);
    }
    (!more.is_empty() || !fewer.is_empty()).then_some(Check::Imbalance(wanted))
}

fn roles(text: &str) -> Option<u8> {
    let mut set = 0;
    for letter in text.bytes() {
        set |= 1 << Role::from_char(letter)? as u8;
    }
    (set != 0).then_some(set)
}

#[cfg(test)]
mod tests {
    use tabia_core::chess::Setup;

    use super::*;

    fn fits(field: &str, text: &str, fen: &str) -> bool {
        let position = Position::parse_fen(fen.as_bytes()).unwrap();
        Check::parse(field, text).unwrap().fits(Moment {
            ply: 0,
            position: &position,
            played: None,
            occurrences: 1,
        })
    }

    #[test]
    fn every_named_structure_is_drawn() {
        for (name, pawns) in [
            ("iqp", "8/pp3ppp/4p3/8/3P4/8/PP3PPP/8"),
            ("hanging", "8/p4ppp/1p2p3/8/2PP4/8/P4PPP/8"),
            ("carlsbad", "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"),
            ("maroczy", "8/pp1ppp1p/3p2p1/8/2P1P3/8/PP3PPP/8"),
            ("hedgehog", "8/pp3ppp/8/2p1p3/8/PP1PP3/5PPP/8"),
            ("stonewall", "8/pp3ppp/4p3/2pp4/3P1P2/4P3/PPP3PP/8"),
            ("benoni", "8/pp3p1p/3p2p1/2pP4/4P3/8/PP3PPP/8"),
            ("frenchchain", "8/ppp2ppp/4p3/3pP3/3P4/8/PPP2PPP/8"),
            ("kidchain", "8/ppp2ppp/3p4/3Pp3/4P3/8/PPP2PPP/8"),
            ("passed", "8/5ppp/8/3P4/8/8/8/8"),
            ("isolated", "8/8/8/8/8/8/P1P5/8"),
            ("doubled", "8/8/8/8/8/P7/PPP5/8"),
        ] {
            let kings = |pawns: &str| {
                let mut setup = Setup::parse_fen(pawns.as_bytes()).unwrap();
                setup.set(Square::E1, Piece::from_fen_char(b'K'));
                setup.set(Square::E8, Piece::from_fen_char(b'k'));
                setup
            };
            let own = Position::from_setup(&kings(pawns)).unwrap();
            let mut mirrored = kings("8/8/8/8/8/8/8/8");
            for square in own.by_role(Role::Pawn) {
                let piece = own.piece_at(square).unwrap();
                let color = piece.color.other();
                mirrored.set(square.flip(), Some(Piece { color, ..piece }));
            }
            let other = Position::from_setup(&mirrored).unwrap().fen();
            let black = format!("{name}/black");
            assert!(fits("pawns", name, &own.fen()), "{name}");
            assert!(fits("pawns", &black, &other), "{name}");
            assert!(!fits("pawns", name, "4k3/8/8/8/8/8/8/4K3 w"), "{name}");
            assert!(fits("pawns", pawns, &own.fen()), "{name}");
        }
    }

    #[test]
    fn positions_and_patterns() {
        let najdorf = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
        let black = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 0 6";
        let board = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R";
        assert!(fits("fen", najdorf, najdorf) && !fits("fen", najdorf, black));
        assert!(fits("fen", board, black));
        assert!(fits("fen", &format!("{board}_w_KQkq_-"), najdorf));
        assert!(!fits("fen", &format!("{board} w KQ"), najdorf));
        let moves = "1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6";
        assert!(fits("pos", moves, najdorf));
        assert!(!fits("sub", "8/8/p7/8/3[NB]4/8/8/R[^N]!2_1?", najdorf));
        assert!(!fits("sub", "8/8/p7/8/3[NB]_3/8/8/8", black));
        assert!(fits("sub", "8/8/p2p4/8/3NP3/8/8/R_AQ4", najdorf));
        for (text, expected) in [
            ("Nd4", true),
            ("[RQ]a1-8", true),
            ("P[c,d]2-7", true),
            ("P[d]2-7", false),
            ("_[d5,e6]", true),
            ("nf5-6", false),
        ] {
            if text == "nf5-6" {
                assert!(fits("on", text, najdorf));
            } else {
                assert_eq!(fits("on", text, najdorf), expected, "{text}");
            }
        }
        for (field, text) in [
            ("fen", "k7/8/8/8/8/8/8/8"),
            ("sub", "8/8/8/8/8/8/8/7z"),
            ("sub", "8/8"),
            ("sub", "9/8/8/8/8/8/8/8"),
            ("on", "Nz5"),
            ("mat", "KRP"),
            ("mat", "RKK"),
            ("count", "X=1"),
            ("imb", "M"),
            ("move", "Nj3"),
            ("pawns", "iqps"),
        ] {
            assert!(Check::parse(field, text).is_err(), "{field}:{text}");
        }
    }

    #[test]
    fn material_in_all_forms() {
        let rook_ending = "4k2r/8/8/8/8/8/4P3/R3K3 w - - 0 1";
        for (field, text, expected) in [
            ("mat", "KRPKR", true),
            ("mat", "KRKRP", false),
            ("mat", "KRP+KRP*", true),
            ("mat", "KQ?RP?KR", true),
            ("mat", "KRPPKR", false),
            ("count", "P=1", true),
            ("count", "Rr=2", true),
            ("count", "QRNqrn=0", false),
            ("count", "m..0", true),
            ("imb", "Pv", true),
            ("imb", "MvR", false),
            ("balance", "1", true),
            ("balance", ">=2", false),
            ("stm", "white", true),
        ] {
            assert_eq!(fits(field, text, rook_ending), expected, "{field}:{text}");
        }
        let exchange = "4k2r/8/8/8/8/8/8/B3K3 w - - 0 1";
        assert!(fits("imb", "MvR", exchange) && fits("imb", "BvR", exchange));
        assert!(!fits("imb", "NvR", exchange));
        assert!(fits("bishops", "opposite", "2b1k3/8/8/8/8/8/8/2B1K3 w"));
        assert!(fits("bishops", "same", "4kb2/8/8/8/8/8/8/2B1K3 w"));
    }

    #[test]
    fn moves_as_far_as_they_are_written() {
        let plays = |fen: &str, san: &str, text: &str| {
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            let played = Some(position.parse_san(san).unwrap());
            Check::parse("move", text).unwrap().fits(Moment {
                ply: 0,
                position: &position,
                played,
                occurrences: 1,
            })
        };
        let greek = "rnbq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/R1BQK2R w KQ - 0 8";
        for (text, expected) in [
            ("Bxh7+", true),
            ("Bh7", true),
            ("Bh7#", false),
            ("d3h7", true),
            ("Bdxh7", true),
            ("Nh7", false),
            ("capture", true),
            ("check", true),
            ("castling", false),
            ("h7", false),
        ] {
            assert_eq!(plays(greek, "Bxh7+", text), expected, "{text}");
        }
        for (text, expected) in [
            ("O-O", true),
            ("O-O-O", false),
            ("e1g1", true),
            ("castling", true),
            ("Kg1", false),
        ] {
            assert_eq!(plays(greek, "O-O", text), expected, "{text}");
        }
        let pawn = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
        for (text, expected) in [
            ("=N", true),
            ("a8=N", true),
            ("a8", true),
            ("a7a8n", true),
            ("=Q", false),
            ("underpromotion", true),
            ("promotion", true),
        ] {
            assert_eq!(plays(pawn, "a8=N", text), expected, "{text}");
        }
        let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
        assert!(plays(passing, "exd6", "enpassant") && plays(passing, "exd6", "exd6"));
        assert!(!plays(passing, "e6", "enpassant"));
    }
}
