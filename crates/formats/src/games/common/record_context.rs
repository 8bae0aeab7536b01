//! The origin of a game's bytes, for errors and problems found in them.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Malformed, Problem, Result};
use tabia_core::game::{Flow, GameHead, Visitor};
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
