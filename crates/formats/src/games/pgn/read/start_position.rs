//! The start position, from the tags of a game.

use tabia_core::chess::{Color, Position, Setup};
use tabia_core::error::Error;
use tabia_core::game::{RecordKind, Rules};

use super::{Input, Reader};
use crate::games::pgn::full_profile;

impl Reader {
    /// Sets the start position; `false` if no moves can be played from it.
    pub(super) fn start(&mut self, input: &mut Input<'_, '_>, at: usize) -> bool {
        if !self.has_full_tags {
            return self.start_position(input, at, full_profile::tags::RecordMarks::default());
        }
        let marks = full_profile::tags::record_marks(&self.head.tags);
        let playable = self.start_position(input, at, marks);
        full_profile::tags::restore(&mut self.head.tags);
        if marks.deleted {
            self.head.deleted = true;
        }
        if marks.text {
            self.head.kind = RecordKind::Text;
        }
        playable
    }

    /// Sets the start position from the tags `FEN` and `Variant`.
    fn start_position(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        marks: full_profile::tags::RecordMarks,
    ) -> bool {
        let tags = self.has_start_tags.then_some(&self.head.tags);
        let fen = tags.and_then(|tags| tags.get("FEN"));
        // Programs write an empty one for games from the initial position.
        if let Some(fen) = fen.filter(|fen| !fen.trim().is_empty()) {
            let (setup, error) = read_fen(fen);
            if let Some(error) = error {
                self.report(input, at, error, None);
            }
            let Some(setup) = setup else {
                return false;
            };
            self.head.start.setup = Some(Box::new(setup));
        }
        let tags = self.has_start_tags.then_some(&self.head.tags);
        let variant = tags
            .and_then(|tags| tags.get("Variant"))
            .map(Rules::of_variant);
        self.head.start.chess960 = variant == Some(Rules::Chess960) && !marks.classical;
        if variant == Some(Rules::Standard) {
            self.drop_chess960_rights(input, at);
        }
        if let Some(Rules::Other) = variant {
            let name = self.head.tags.text("Variant");
            let error = format!("games of {name} are not played here");
            self.unplayable = Some(Error::unsupported(error));
            return false;
        }
        match &self.head.start.setup {
            None => {
                self.line.position = Position::standard();
                true
            }
            Some(setup) => match Position::from_setup(setup) {
                Ok(position) => {
                    if position.is_chess960() && !marks.classical {
                        self.head.start.chess960 = true;
                    }
                    self.line.position = position;
                    true
                }
                Err(error) => {
                    let error = format!("no moves can be played from the setup position: {error}");
                    self.unplayable = Some(Error::invalid(error));
                    false
                }
            },
        }
    }
}

impl Reader {
    /// Removes and reports castling rights that only Chess960 has.
    #[cold]
    fn drop_chess960_rights(&mut self, input: &mut Input<'_, '_>, at: usize) {
        let Some(setup) = self.head.start.setup.as_deref_mut() else {
            return;
        };
        let mut dropped = false;
        for color in [Color::White, Color::Black] {
            let has_king_at_home = setup.king(color).is_some_and(|king| king.file() == 4);
            for (side, file) in [(0, 7), (1, 0)] {
                let right = &mut setup.castling[color as usize][side];
                if right.is_some_and(|rook| !has_king_at_home || rook.file() != file) {
                    *right = None;
                    dropped = true;
                }
            }
        }
        if dropped {
            let text =
                "the setup position has castling rights of Chess960, but Variant is Standard";
            self.report(input, at, Error::invalid(text), None);
        }
    }
}

/// Parses the value of a tag `FEN`: the position if it can be read, and the problem if there is one.
/// Counters that cannot be read or are too large do not prevent reading.
fn read_fen(fen: &str) -> (Option<Setup>, Option<Error>) {
    let text = fen.trim_ascii().as_bytes();
    match Setup::parse_fen(text) {
        Ok(setup) => {
            let mut fields = fields_of(text);
            let counters = [
                ("half-move clock", setup.half_move_clock, fields.nth(4)),
                ("move number", setup.full_move_number, fields.next()),
            ];
            let mut saturated = counters
                .into_iter()
                .filter(|(_, number, field)| *number == u16::MAX && *field != Some(b"65535"));
            let error = saturated.next().map(|(name, ..)| {
                let text = format!("the {name} of the setup position `{fen}` is too large");
                Error::invalid(text)
            });
            let error = error.or_else(|| dropped_right(text, &setup));
            (Some(setup), error)
        }
        Err(error) => {
            let is_counter = matches!(error.field, "half-move clock" | "move number");
            let before = text.get(..error.at).unwrap_or_default();
            let setup = is_counter.then(|| Setup::parse_fen(before).ok()).flatten();
            let part = if setup.is_some() { error.field } else { "" };
            let text = match part {
                "" => format!("the setup position `{fen}` cannot be read"),
                part => format!("the {part} of the setup position `{fen}` cannot be read"),
            };
            (setup, Some(Error::invalid(text)))
        }
    }
}

/// The fields of a FEN, which blanks or underscores separate.
fn fields_of(fen: &[u8]) -> impl Iterator<Item = &[u8]> {
    fen.split(|&byte| byte.is_ascii_whitespace() || byte == b'_')
        .filter(|field| !field.is_empty())
}

/// The problem of a FEN that has a castling right without king and rook on their squares, which
/// [`Setup`] does not keep.
fn dropped_right(fen: &[u8], setup: &Setup) -> Option<Error> {
    let letters = fields_of(fen).nth(2)?;
    let kept = setup.castling.iter().flatten().flatten().count();
    let mut distinct = letters.to_vec();
    distinct.retain(u8::is_ascii_alphabetic);
    distinct.sort_unstable();
    distinct.dedup();
    (distinct.len() > kept).then(|| {
        let text = format!(
            "the setup position `{}` has a castling right without king and rook on their squares",
            String::from_utf8_lossy(fen)
        );
        Error::invalid(text)
    })
}
