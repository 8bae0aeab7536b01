//! The position that `--fen` and an option with moves name.

use tabia::Error;
use tabia::book::position_arg::{IllegalMove, play_moves, position_of_fen, uci_position};
use tabia::core::chess::{Move, PieceLetters, Ply, Position, Role, san, uci};
use tabia::core::shell_argument::argument;

/// The position of `--fen` and of moves from there.
pub(crate) struct TypedPosition {
    /// The position of `--fen`, else the standard one.
    pub(crate) start: Position,
    /// The moves from there.
    pub(crate) plies: Vec<Ply>,
    /// The position after the moves.
    pub(crate) position: Position,
}

impl TypedPosition {
    /// `option` takes the moves: `--moves` or `--line`.
    ///
    /// # Errors
    /// A usage error with an example of a FEN, with what it does not state, or with the legal moves that were probably
    /// meant.
    pub(crate) fn parse(fen: Option<&str>, option: &str, moves: &str) -> Result<Self, Error> {
        // What a log of an engine has.
        let of_moves = uci_position(moves).filter(|_| fen.is_none());
        let of_fen = fen.and_then(uci_position);
        if let Some((fen, typed)) = of_moves {
            return Self::parse_parts(fen, option, typed);
        }
        if let Some((fen, typed)) = of_fen.filter(|_| fen != Some("startpos")) {
            let moves = format!("{typed} {moves}");
            return Self::parse_parts(fen, option, moves.trim());
        }
        Self::parse_parts(fen, option, moves)
    }

    fn parse_parts(fen: Option<&str>, option: &str, moves: &str) -> Result<Self, Error> {
        let start = match fen {
            Some(fen) => {
                let position = position_of_fen(fen).map_err(|why| {
                    Error::usage(format!("`--fen {fen}`: {why}")).with_hint(fen_hint())
                })?;
                refuse_incomplete(fen)?;
                position
            }
            None => Position::standard(),
        };
        let (position, plies) = play_moves(&start, moves).map_err(|illegal| {
            let hint = english_line(&start, moves).map_or_else(
                || move_hint(&illegal, option, &start),
                |line| {
                    let line = argument(&line);
                    format!("with the letters of English pieces that is `{option} {line}`")
                },
            );
            Error::usage(format!("`{option}`: {illegal}")).with_hint(hint)
        })?;
        Ok(Self {
            start,
            plies,
            position,
        })
    }
}

/// A FEN that ends after its board, from which it cannot be known which position is meant.
pub(crate) fn board_alone(fen: &str) -> Option<&str> {
    let mut fields = fields_of(fen);
    let board = fields.next().filter(|board| board.contains('/'))?;
    fields.next().is_none().then_some(board)
}

/// A FEN that ends after the side to move, as board and side: from it castling rights are not known.
pub(crate) fn board_and_side(fen: &str) -> Option<(&str, &str)> {
    let mut fields = fields_of(fen);
    let (board, side) = (fields.next()?, fields.next()?);
    let is_end = fields.next().is_none() && board.contains('/');
    (is_end && matches!(side, "w" | "b" | "W" | "B")).then_some((board, side))
}

/// The fields of a FEN, between blanks or underscores.
fn fields_of(fen: &str) -> impl Iterator<Item = &str> {
    let fields = fen.split(|c: char| c.is_ascii_whitespace() || c == '_');
    fields.filter(|field| !field.is_empty())
}

/// Refuses a FEN without a field on which it depends which position is meant.
fn refuse_incomplete(fen: &str) -> Result<(), Error> {
    if let Some(board) = board_alone(fen) {
        let text = format!("`--fen {board}` does not state the side to move");
        let hint = format!(
            "`--fen '{board} w - -'` has White to move and no castling, `b KQkq` Black and all castling"
        );
        return Err(Error::usage(text).with_hint(hint));
    }
    if let Some((board, side)) = board_and_side(fen) {
        let key = |castling: &str| {
            let fen = format!("{board} {side} {castling} - 0 1");
            position_of_fen(&fen).ok().map(|position| position.key())
        };
        // With king and rooks away from home there are none.
        if key("KQkq").is_some_and(|with| Some(with) != key("-")) {
            let text = format!("`--fen '{board} {side}'` does not state castling rights");
            let hint = format!("`--fen '{board} {side} - -'` has none, `{side} KQkq` all of them");
            return Err(Error::usage(text).with_hint(hint));
        }
    }
    Ok(())
}

/// Moves with the piece letters of another language, in English; `None` if they are legal in no language, or are other
/// moves in another one.
fn english_line(start: &Position, text: &str) -> Option<String> {
    let others = PieceLetters::ALL.iter().skip(1);
    let mut lines = others.filter_map(|letters| line_with(letters, start, text));
    let line = lines.next()?;
    lines.all(|other| other == line).then_some(line)
}

/// The line in English if all its moves are legal with these letters.
fn line_with(letters: &PieceLetters, start: &Position, text: &str) -> Option<String> {
    let mut position = start.clone();
    let mut line = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',') {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '…');
        if word.is_empty() {
            continue;
        }
        let ply = san::read(&position, in_english(letters, word).as_bytes()).ok()?;
        line.push(position.san(ply).to_string());
        position.play_ply(ply);
    }
    Some(line.join(" "))
}

/// A move with the letters of English pieces; a letter may be that of what a pawn becomes.
fn in_english(letters: &PieceLetters, word: &str) -> String {
    let mut english = String::new();
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let can_be_piece = english.is_empty() || english.ends_with(['=', '1', '8']);
        let length = if let Some((role, length)) = letters.prefix(rest).filter(|_| can_be_piece) {
            if role != Role::Pawn {
                english.push(char::from(role.upper_char()));
            }
            length
        } else {
            english.push(c);
            c.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    english
}

/// Whether a text begins with the number of a move, as `1.e4`, which has the form of a file name with an extension.
pub(crate) fn begins_with_move_number(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with('.')
}

/// A legal move of a position, in UCI or SAN, that `--move` names.
///
/// # Errors
/// A usage error with the legal moves that were probably meant.
pub(crate) fn parse_move(position: &Position, text: &str) -> Result<Move, Error> {
    let read =
        uci::read(position, text.as_bytes()).or_else(|| san::read(position, text.as_bytes()).ok());
    if let Some(Ply::Move(m)) = read {
        return Ok(m);
    }
    let illegal = IllegalMove {
        word: text.to_owned(),
        played: Vec::new(),
        position: Box::new(position.clone()),
    };
    let hint = format!(
        "{}; `--move` takes a move as `Nf3` or `g1f3`",
        legal_there(&illegal)
    );
    Err(Error::usage(illegal.to_string()).with_hint(hint))
}

/// What a FEN looks like.
fn fen_hint() -> String {
    let fen = Position::standard().fen();
    format!(
        "a FEN has the ranks from the eighth to the first, the side to move, castling rights and the en-passant \
         square, as in `--fen '{fen}'`; `--fen startpos` is the standard position"
    )
}

/// The legal moves that were probably meant, and the option with the moves before.
fn move_hint(illegal: &IllegalMove, option: &str, start: &Position) -> String {
    let legal = legal_there(illegal);
    if illegal.played.is_empty() {
        return format!("{legal}; `{option}` takes moves as `'1.e4 c5 2.Nf3'`");
    }
    let mut position = start.clone();
    let mut moves = Vec::new();
    for ply in &illegal.played {
        moves.push(position.san(*ply).to_string());
        position.play_ply(*ply);
    }
    let moves = moves.join(" ");
    format!("{legal}; `{option} {}` ends before it", argument(&moves))
}

fn legal_there(illegal: &IllegalMove) -> String {
    let similar = illegal.similar();
    if similar.is_empty() {
        return "no move is legal there".to_owned();
    }
    // Of moves that nothing sets apart only the first ones are named.
    let has_more = similar.len() >= 8 && similar.len() < illegal.position.legal_moves().len();
    let more = if has_more { ", …" } else { "" };
    format!("legal there: {}{more}", similar.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_other_languages_are_put_into_english() {
        let line = |text| english_line(&Position::standard(), text);
        assert_eq!(
            line("1.e4 e5 2.Sf3 Sc6 3.Lb5").as_deref(),
            Some("e4 e5 Nf3 Nc6 Bb5")
        );
        assert_eq!(line("e4 e5 Cf3").as_deref(), Some("e4 e5 Nf3"));
        assert_eq!(line("e4 e5 Кf3").as_deref(), Some("e4 e5 Nf3"));
        for text in ["e4 e5 Xf3", "e4 e5 Nf4", "e4 e5 Sf6"] {
            assert_eq!(line(text), None, "{text}");
        }
    }
}
