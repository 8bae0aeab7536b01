//! Results in movetext: the usual spellings, rare ones, and symbols that are results only at the end of a game.

use tabia_core::game::GameResult;

use super::char_class::{is_symbol, symbol_end};
use super::irregular_tags::begins_tag;
use super::non_ascii_tokens::{dash_length, skip_blanks};

/// The result that is the token at `at`, and its length in bytes. Inside a variation (`inner`), and
/// for `0-0`, which can also be castling, only if the game ends after it.
pub(super) fn result_at(text: &[u8], at: usize, inner: bool) -> Option<(GameResult, usize)> {
    let rest = text.get(at..)?;
    let (found, length) = match rest {
        [b'*', ..] => (GameResult::Unknown, 1),
        [b'1' | b'0', ..] => {
            let token = text.get(at..symbol_end(text, at))?;
            match token {
                b"1-0" => (GameResult::WhiteWins, 3),
                b"0-1" => (GameResult::BlackWins, 3),
                b"1/2-1/2" => (GameResult::Draw, 7),
                _ => rare_result(rest)?,
            }
        }
        [b'+' | b'-' | b'=' | b'5' | 0x80.., ..] => {
            // `0.5-0.5`, of which `0.` is read as a move number.
            if let Some(length) = [b"5-0.5", b"5-0,5"]
                .iter()
                .find_map(|half| rest.starts_with(*half).then_some(half.len()))
                && matches!(text.get(..at), Some([.., b'0', b'.' | b',']))
            {
                (GameResult::Draw, length)
            } else {
                rare_result(rest)?
            }
        }
        _ => return None,
    };
    let castling = found == GameResult::BothLose && rest.starts_with(b"0");
    let is_result = !(inner || castling) || game_ends_at(text, at + length);
    is_result.then_some((found, length))
}

/// Whether the game ends at `at`, because nothing or a tag follows.
pub(super) fn game_ends_at(text: &[u8], at: usize) -> bool {
    let next = skip_blanks(text, at);
    match text.get(next) {
        None => true,
        Some(b'[') => begins_tag(text, next),
        _ => false,
    }
}

/// The result at the start of `text` in other spellings than the three usual ones, and its length.
#[cold]
fn rare_result(text: &[u8]) -> Option<(GameResult, usize)> {
    let mut token = [0; 8];
    let (mut length, mut end) = (0, 0);
    while let Some(rest @ [first, ..]) = text.get(end..) {
        let half = match rest {
            [0xc2, 0xbd, ..] => Some(2),
            // Latin-1 and windows-1252.
            [0xbd, ..] => Some(1),
            _ => None,
        };
        let (letters, size): (&[u8], usize) = if let Some(size) = half {
            (b"1/2", size)
        } else if let Some(size) = dash_length(rest) {
            (b"-", size)
        } else if is_symbol(*first) {
            (rest.get(..1)?, 1)
        } else {
            break;
        };
        token
            .get_mut(length..length + letters.len())?
            .copy_from_slice(letters);
        length += letters.len();
        end += size;
    }
    let found = match token.get(..length)? {
        b"1-0" | b"1:0" => GameResult::WhiteWins,
        b"0-1" | b"0:1" => GameResult::BlackWins,
        b"1/2-1/2" | b"1/2" | b"1/2:1/2" => GameResult::Draw,
        b"0-0" | b"0:0" | b"-:-" => GameResult::BothLose,
        b"+:-" | b"1-0F" | b"1-0f" => GameResult::WhiteWinsByForfeit,
        b"-:+" | b"0-1F" | b"0-1f" => GameResult::BlackWinsByForfeit,
        b"=:=" | b"1/2-1/2F" | b"1/2-1/2f" => GameResult::DrawByForfeit,
        _ => return None,
    };
    Some((found, end))
}

/// The forfeit at `at` that is also the symbol of a NAG (`+-`), and its length, if nothing else
/// follows in the game.
pub(super) fn forfeit_at(text: &[u8], at: usize) -> Option<(GameResult, usize)> {
    let token = text.get(at..symbol_end(text, at))?;
    let found = match token {
        b"+--" | b"+-" | b"+/-" => GameResult::WhiteWinsByForfeit,
        b"--+" | b"-+" | b"-/+" => GameResult::BlackWinsByForfeit,
        _ => return None,
    };
    game_ends_at(text, at + token.len()).then_some((found, token.len()))
}
