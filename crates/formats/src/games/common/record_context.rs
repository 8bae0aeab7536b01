//! The origin of a game's bytes, for errors and problems found in them.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Malformed, Problem, Result, Why};
use tabia_core::game::{Flow, GameHead, GameResult, Visitor};
use tabia_core::{Error, FormatId, GameIndex};

/// The origin of one game's bytes.
#[derive(Debug, Clone)]
pub(crate) struct Origin<'f> {
    pub(crate) file: &'f Arc<Path>,
    /// Offset of the record in the file.
    pub(crate) base: u64,
    pub(crate) game: GameIndex,
    pub(crate) format: FormatId,
    /// The first problem is an error.
    pub(crate) strict: bool,
}

impl Origin<'_> {
    /// The error of a malformed field in the record.
    pub(crate) fn error(&self, malformed: Malformed) -> Error {
        malformed
            .at_base(self.base)
            .in_game(self.game)
            .in_file(self.file)
    }

    /// The error of a record that is not, or not all, in the file: the part that begins at an offset.
    pub(crate) fn beyond_end(&self, text: String, offset: u64) -> Error {
        let error = Error::not_in_file(text).at_offset(offset);
        error.in_game(self.game).in_file(self.file)
    }

    /// Reports a problem to the visitor; fails if `strict` is set.
    pub(crate) fn report(
        &self,
        error: Error,
        unread_bytes: Option<Box<[u8]>>,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        if self.strict {
            return Err(error);
        }
        Ok(visitor.problem(Problem {
            error,
            unread_bytes,
        }))
    }

    /// The first `length` bytes of `available`; if it is shorter, all of it, and a problem.
    pub(crate) fn part<'b>(
        &self,
        field: &'static str,
        available: &'b [u8],
        length: usize,
        problems: &mut Vec<Error>,
    ) -> &'b [u8] {
        available.get(..length).unwrap_or_else(|| {
            let why = Why::Truncated {
                needed: length,
                left: available.len(),
            };
            let text = Malformed { field, at: 0, why }.to_string();
            problems.push(self.beyond_end(text, self.base));
            available
        })
    }

    /// The problem of a name that the name file lacks.
    pub(crate) fn lost_name(&self, field: &str, id: u32, names_file: &Arc<Path>) -> Error {
        let text = format!("`{field}` is lost: the name file has no number {id}");
        let error = Error::not_in_file(text).in_game(self.game);
        error.in_file(names_file)
    }

    /// The problem of a name of a damaged set that has zero bytes; `None` if it has none.
    pub(crate) fn changed_name(
        &self,
        field: &str,
        name: &[u8],
        names_file: &Arc<Path>,
    ) -> Option<Error> {
        let text =
            "has zero bytes, which no program writes into names: bytes of the file were changed";
        has_zero_bytes(name).then(|| {
            let error = Error::invalid(format!("`{field}` {text}"));
            error.in_game(self.game).in_file(names_file)
        })
    }

    /// The problem of a name of a damaged set that is not where the order of names has it.
    pub(crate) fn name_out_of_order(&self, field: &str, names_file: &Arc<Path>) -> Error {
        let text = "is not in the order of the names: a byte of it, or of the name next to it, was changed";
        let error = Error::invalid(format!("`{field}` {text}"));
        error.in_game(self.game).in_file(names_file)
    }

    /// Begins the game and reports the problems found before its moves. `Skip`: the game ends without
    /// moves.
    pub(crate) fn begin(
        &self,
        head: &GameHead,
        problems: impl IntoIterator<Item = Error>,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        let mut flow = visitor.begin_game(self.game, head);
        for error in problems {
            if flow != Flow::Go {
                break;
            }
            flow = self.report(error, None, visitor)?;
        }
        Ok(flow)
    }
}

/// Ends a game whose reading ended with `flow`. The visitor's `Stop` is returned, its `Skip` is not.
pub(crate) fn end_game(flow: Flow, result: GameResult, visitor: &mut dyn Visitor) -> Flow {
    if flow == Flow::Stop {
        return Flow::Stop;
    }
    visitor.end_game(result);
    Flow::Go
}

/// Whether a name has zero bytes, which no program writes into names; numbers and lengths have them.
pub(crate) fn has_zero_bytes(name: &[u8]) -> bool {
    memchr::memchr(0, name).is_some()
}
