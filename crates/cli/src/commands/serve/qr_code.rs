//! An address as a QR code on a terminal, for the camera of a phone.

use std::fmt::Write;

use qrcode::{Color, EcLevel, QrCode};

/// Light modules around the code.
const MARGIN: usize = 2;

/// The code of a text in lines for a terminal, black on white, two rows of modules a line; `None` if the text is too
/// long.
pub(super) fn lines(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let width = code.width();
    let modules = code.to_colors();
    let size = width + 2 * MARGIN;
    let is_dark = |row: usize, column: usize| {
        let row = row.checked_sub(MARGIN).filter(|row| *row < width);
        let column = column.checked_sub(MARGIN).filter(|column| *column < width);
        let module = row.zip(column).map(|(row, column)| row * width + column);
        module.and_then(|module| modules.get(module)) == Some(&Color::Dark)
    };
    let mut out = String::new();
    for row in (0..size).step_by(2) {
        out.push_str("\x1b[30;107m");
        for column in 0..size {
            out.push(match (is_dark(row, column), is_dark(row + 1, column)) {
                (false, false) => ' ',
                (true, false) => '▀',
                (false, true) => '▄',
                (true, true) => '█',
            });
        }
        let _ = writeln!(out, "\x1b[0m");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_a_finder_in_three_corners_and_a_margin() {
        let code = lines("http://192.168.1.20:6464/#0123456789abcdef0123456789abcdef").unwrap();
        let rows: Vec<&str> = code
            .lines()
            .map(|line| line.trim_start_matches("\x1b[30;107m"))
            .collect();
        let rows: Vec<&str> = rows
            .into_iter()
            .map(|row| row.trim_end_matches("\x1b[0m"))
            .collect();
        let size = rows[0].chars().count();
        assert_eq!(rows.len(), size.div_ceil(2));
        assert!(rows.iter().all(|row| row.chars().count() == size));
        assert!(rows[0].chars().all(|module| module == ' '));
        // The upper edge of a finder has seven dark modules over five light ones between dark ones.
        let edge = "█▀▀▀▀▀█";
        let corners = format!("  {edge} ");
        assert!(rows[1].starts_with(&corners) && rows[1].trim_end().ends_with(edge));
        assert!(lines(&"x".repeat(3000)).is_none());
    }
}
