//! Men pinned to their king.

use tabia_core::chess::{Color, Position, Role, Square};

/// The men that cannot leave their line without exposing their own king.
pub(super) fn pinned(position: &Position) -> u64 {
    const STEPS: [(i8, i8); 8] = [
        (1, 0),
        (-1, 0),
        (0, 1),
        (0, -1),
        (1, 1),
        (1, -1),
        (-1, 1),
        (-1, -1),
    ];
    let mut found = 0;
    for color in [Color::White, Color::Black] {
        let king = position.king(color);
        for (file_step, rank_step) in STEPS {
            let is_straight = file_step == 0 || rank_step == 0;
            let (mut file, mut rank) = (king.file() as i8, king.rank() as i8);
            let mut shield: Option<Square> = None;
            loop {
                (file, rank) = (file + file_step, rank + rank_step);
                let (Ok(file), Ok(rank)) = (u8::try_from(file), u8::try_from(rank)) else {
                    break;
                };
                let Some(square) = Square::from_coords(file, rank) else {
                    break;
                };
                let Some(piece) = position.piece_at(square) else {
                    continue;
                };
                match shield {
                    None if piece.color == color => shield = Some(square),
                    None => break,
                    Some(shield) => {
                        let slides = match piece.role {
                            Role::Queen => true,
                            Role::Rook => is_straight,
                            Role::Bishop => !is_straight,
                            _ => false,
                        };
                        if piece.color != color && slides {
                            found |= shield.bit();
                        }
                        break;
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::parse_fen(fen.as_bytes()).unwrap()
    }

    #[test]
    fn pins_on_lines_and_diagonals() {
        for (fen, squares) in [
            ("4k3/4n3/8/8/8/8/8/4RK2 w - - 0 1", 1 << 52),
            ("4k3/3n4/8/1B6/8/8/8/4K3 w - - 0 1", 1 << 51),
            ("4k3/3n4/2n5/1B6/8/8/8/4K3 w - - 0 1", 0),
            ("4k3/3n4/8/1R6/8/8/8/4K3 w - - 0 1", 0),
            ("4k3/8/8/8/1b6/2N5/3K4/8 w - - 0 1", 1 << 18),
        ] {
            assert_eq!(pinned(&position(fen)), squares, "{fen}");
        }
    }
}
