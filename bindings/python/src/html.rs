//! What notebooks show: boards as SVG, tables as HTML.

use std::fmt::Write;

use tabia::{Color, Position, Role, Square};

/// The side of a square.
const SIDE: u32 = 40;
const LIGHT: &str = "#f0d9b5";
const DARK: &str = "#b58863";

/// A text without the characters that mean something in HTML.
fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// The escaped text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    push_escaped(&mut out, text);
    out
}

/// Wins of White, draws, and wins of Black.
pub(crate) fn results((white, draws, black): (u64, u64, u64)) -> String {
    format!("{white} {draws} {black}")
}

/// The filled figure of a role: both colours have the same form.
fn figure(role: Role) -> char {
    match role {
        Role::Pawn => '\u{265f}',
        Role::Knight => '\u{265e}',
        Role::Bishop => '\u{265d}',
        Role::Rook => '\u{265c}',
        Role::Queen => '\u{265b}',
        Role::King => '\u{265a}',
    }
}

/// The board from White's side.
pub(crate) fn board(position: &Position) -> String {
    let setup = position.to_setup();
    let side = 8 * SIDE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" height=\"{side}\" \
         role=\"img\" aria-label=\"{}\">",
        escaped(&position.fen())
    );
    for rank in 0..8u8 {
        for file in 0..8u8 {
            let (x, y) = (u32::from(file) * SIDE, u32::from(7 - rank) * SIDE);
            let color = if (rank + file).is_multiple_of(2) {
                DARK
            } else {
                LIGHT
            };
            // Writing to a string does not fail.
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{color}\"/>"
            );
            let square = Square::new(rank * 8 + file);
            let Some(piece) = square.and_then(|square| setup.piece(square)) else {
                continue;
            };
            let fill = if piece.color == Color::White {
                "#fff"
            } else {
                "#000"
            };
            // The selector keeps the figure from becoming a picture of the system's font.
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"34\" text-anchor=\"middle\" fill=\"{fill}\" stroke=\"#000\" \
                 stroke-width=\"0.7\">{}\u{fe0e}</text>",
                x + 20,
                y + 32,
                figure(piece.role)
            );
        }
    }
    out.push_str("</svg>");
    out
}

/// A table.
pub(crate) fn table(names: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = String::from("<table><thead><tr>");
    for name in names {
        let _ = write!(out, "<th>{}</th>", escaped(name));
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            out.push_str("<td>");
            push_escaped(&mut out, &cell);
            out.push_str("</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table>");
    out
}

/// A board with a table below it.
pub(crate) fn board_and_table(
    position: &Position,
    names: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    format!("<div>{}{}</div>", board(position), table(names, rows))
}

/// The columns of games.
pub(crate) const HEADER: [&str; 9] = [
    "game", "White", "Elo", "Black", "Elo", "result", "date", "event", "ECO",
];
