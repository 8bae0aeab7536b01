//! A position as a board of characters.

use std::fmt::Write;

use tabia::core::chess::{Color, Position, Role, Square};

/// Background and foreground of light and dark squares, as parameters of escape sequences
/// (256 colours).
const LIGHT: &str = "48;5;180;38;5;16";
const DARK: &str = "48;5;137;38;5;16";

/// The board from White's side, a rank per line, with coordinates: coloured squares with figurines,
/// or `is_colored == false`: FEN letters and dots.
pub(crate) fn draw(position: &Position, is_colored: bool) -> String {
    let setup = position.to_setup();
    let mut text = String::new();
    for rank in (0..8u8).rev() {
        let _ = write!(text, "{} ", rank + 1);
        for file in 0..8u8 {
            let square = Square::new(rank * 8 + file);
            let piece = square.and_then(|square| setup.piece(square));
            if is_colored {
                let is_dark = (rank + file).is_multiple_of(2);
                let colors = if is_dark { DARK } else { LIGHT };
                let sign = piece.map_or(' ', |piece| figurine(piece.role, piece.color));
                let _ = write!(text, "\u{1b}[{colors}m {sign} \u{1b}[0m");
            } else {
                let letter = piece.map_or('.', |piece| {
                    let letter = fen_letter(piece.role);
                    if piece.color == Color::White {
                        letter.to_ascii_uppercase()
                    } else {
                        letter
                    }
                });
                let _ = write!(text, " {letter}");
            }
        }
        text.push('\n');
    }
    text.push_str(if is_colored {
        "   a  b  c  d  e  f  g  h\n"
    } else {
        "   a b c d e f g h\n"
    });
    text
}

/// Outlined figurines for White, filled ones for Black.
fn figurine(role: Role, color: Color) -> char {
    let signs = match color {
        Color::White => ['♙', '♘', '♗', '♖', '♕', '♔'],
        Color::Black => ['♟', '♞', '♝', '♜', '♛', '♚'],
    };
    let [pawn, knight, bishop, rook, queen, king] = signs;
    match role {
        Role::Pawn => pawn,
        Role::Knight => knight,
        Role::Bishop => bishop,
        Role::Rook => rook,
        Role::Queen => queen,
        Role::King => king,
    }
}

fn fen_letter(role: Role) -> char {
    match role {
        Role::Pawn => 'p',
        Role::Knight => 'n',
        Role::Bishop => 'b',
        Role::Rook => 'r',
        Role::Queen => 'q',
        Role::King => 'k',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_show_every_square() {
        let board = draw(&Position::standard(), false);
        let lines: Vec<&str> = board.lines().collect();
        assert_eq!(lines[0], "8  r n b q k b n r");
        assert_eq!(lines[3], "5  . . . . . . . .");
        assert_eq!(lines[7], "1  R N B Q K B N R");
        assert_eq!(lines[8], "   a b c d e f g h");
        let board = draw(&Position::standard(), true);
        assert!(board.starts_with("8 \u{1b}[48;5;180;38;5;16m ♜ \u{1b}[0m"));
        assert_eq!(board.lines().count(), 9);
    }
}
