//! PGN with styles for terminals: tags dim, comments and glyphs in colour.

use tabia::Error;

use crate::stdout::StdoutWriter;
use crate::terminal::TextStyle;

/// Writes PGN, each token in its style. The text itself is not changed.
pub(crate) fn write(pgn: &str, out: &mut StdoutWriter) -> Result<(), Error> {
    let mut rest = pgn;
    while !rest.is_empty() {
        let (token, style) = next_token(rest);
        match style {
            Some(style) => out.styled(style, token)?,
            None => out.text(token)?,
        }
        rest = rest.get(token.len()..).unwrap_or_default();
    }
    Ok(())
}

/// The token at the start of `text`, at least one character long, and its style.
fn next_token(text: &str) -> (&str, Option<TextStyle>) {
    let until = |end: Option<usize>| text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    match text.as_bytes().first() {
        Some(b'[') => {
            let tag = until(text.find('\n'));
            (tag, Some(TextStyle::Dim))
        }
        Some(b'{') => {
            let comment = until(text.find('}').map(|end| end + 1));
            (comment, Some(TextStyle::Cyan))
        }
        Some(b'$') => {
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '$');
            let glyph = until(end);
            (glyph, Some(glyph_style(glyph)))
        }
        Some(b'(' | b')') => (until(Some(1)), Some(TextStyle::Dim)),
        _ => {
            let end = text.find(['[', '{', '$', '(', ')']);
            (until(end), None)
        }
    }
}

/// Green for strong moves, red for mistakes and blunders, yellow for everything else.
fn glyph_style(glyph: &str) -> TextStyle {
    match glyph {
        "$1" | "$3" => TextStyle::Green,
        "$2" | "$4" => TextStyle::Red,
        _ => TextStyle::Yellow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(mut text: &str) -> Vec<(&str, Option<TextStyle>)> {
        let mut tokens = Vec::new();
        while !text.is_empty() {
            let (token, style) = next_token(text);
            tokens.push((token, style));
            text = &text[token.len()..];
        }
        tokens
    }

    #[test]
    fn tokens_have_their_styles() {
        let pgn = "[White \"A [b]\"]\n\n1. e4 $3 {a (b) $4} (1. d4 $2) *";
        assert_eq!(
            tokens(pgn),
            [
                ("[White \"A [b]\"]", Some(TextStyle::Dim)),
                ("\n\n1. e4 ", None),
                ("$3", Some(TextStyle::Green)),
                (" ", None),
                ("{a (b) $4}", Some(TextStyle::Cyan)),
                (" ", None),
                ("(", Some(TextStyle::Dim)),
                ("1. d4 ", None),
                ("$2", Some(TextStyle::Red)),
                (")", Some(TextStyle::Dim)),
                (" *", None),
            ]
        );
    }

    #[test]
    fn unfinished_tokens_end_with_the_text() {
        assert_eq!(tokens("{a"), [("{a", Some(TextStyle::Cyan))]);
        assert_eq!(tokens("[a"), [("[a", Some(TextStyle::Dim))]);
        assert_eq!(tokens("$"), [("$", Some(TextStyle::Yellow))]);
    }
}
