//! The reader: games of a text handed to a visitor.
//!
//! | module | holds |
//! |---|---|
//! | `start` | where a game begins |
//! | `tags` | the tag section and the first position |
//! | `moves` | movetext, and moves as nearly all are written |
//! | `odd` | moves written otherwise, and what cannot be read |
//! | `lines` | variations |
//! | `remarks` | comments and symbols |

mod comments;
mod lenient_moves;
mod moves;
mod start_position;
mod tags;
mod variations;

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Error, GameIndex, Problem, Result};
use tabia_core::game::{Flow, GameHead, GameResult, Language, Visitor, Want};
use tabia_core::io::Charset;

use self::start_position::find_start;
use self::tags::Spans;
use self::variations::Frame;
use super::game_boundary::Boundaries;
use super::movetext_skipper::{End, skip};
use super::tag_roster;
use super::text_cursor::Walk;

/// Reads games, reusing its scratch space.
#[derive(Debug)]
pub(super) struct Reader {
    charset: Charset,
    strict: bool,
    max_depth: usize,
    boundaries: Boundaries,
    head: GameHead,
    game_start: usize,
    /// The value of the tag `Result`.
    tag_result: Option<GameResult>,
    position: Position,
    /// A position of this line, and where in `since` the moves from there on begin.
    checkpoint: Position,
    since_start: usize,
    since: Vec<Ply>,
    frames: Vec<Frame>,
    /// Plies played in this line and before it.
    ply: u32,
    /// Whether this line has a move.
    moved: bool,
    /// Whether a move number stands since the last move.
    numbered: bool,
    /// Comments that wait for their move, in `waiting_text`.
    waiting: Vec<(usize, Option<Language>)>,
    waiting_text: String,
    text: String,
    /// A result that tag and marker do not say.
    said: Option<GameResult>,
    /// Whether there is a tag of the profile `full`.
    special: bool,
    pairs: Vec<Spans>,
    /// Why no moves can be played from the first position.
    unplayable: Option<Error>,
    /// Whether to go on, to leave this game, or to end: because the visitor said so or of `failed`.
    flow: Flow,
    failed: Option<Error>,
}

/// What the moves of a game are read with.
struct Input<'t, 'v> {
    text: &'t [u8],
    walk: &'v mut Walk,
    want: Want,
    visitor: &'v mut dyn Visitor,
}

impl Reader {
    pub(super) fn new(charset: Charset, strict: bool, max_depth: u32) -> Self {
        Self {
            charset,
            strict,
            max_depth: max_depth as usize,
            boundaries: Boundaries::default(),
            head: GameHead::default(),
            game_start: 0,
            tag_result: None,
            position: Position::standard(),
            checkpoint: Position::standard(),
            since_start: 0,
            since: Vec::new(),
            frames: Vec::new(),
            ply: 0,
            moved: false,
            numbered: false,
            waiting: Vec::new(),
            waiting_text: String::new(),
            text: String::new(),
            said: None,
            special: false,
            pairs: Vec::new(),
            unplayable: None,
            flow: Flow::Go,
            failed: None,
        }
    }

    /// Hands the next game of `text` to `visitor`; `None` when there is no other.
    pub(super) fn next(
        &mut self,
        text: &[u8],
        walk: &mut Walk,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Option<Flow>> {
        self.flow = Flow::Go;
        self.failed = None;
        while walk.advance(text, &self.boundaries) {
            let part = text.get(..walk.end).unwrap_or(text);
            let mut input = Input {
                text: part,
                walk: &mut *walk,
                want,
                visitor: &mut *visitor,
            };
            let found = self.find(&mut input);
            if !found {
                if let Some(error) = self.failed.take() {
                    return Err(error);
                }
                if self.has_ended() {
                    return Ok(Some(Flow::Stop));
                }
                continue;
            }
            self.game(&mut input);
            walk.games = walk.games.saturating_add(1);
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            return Ok(Some(if self.has_ended() {
                Flow::Stop
            } else {
                Flow::Go
            }));
        }
        Ok(None)
    }

    /// Goes to the start of the next game in this part of the text; `false` when it has none.
    fn find(&mut self, input: &mut Input<'_, '_>) -> bool {
        let text = input.text;
        let (start, garbage) = find_start(text, input.walk.at);
        input.walk.at = start.unwrap_or(text.len());
        if let Some((from, to)) = garbage {
            let bytes = text.get(from..to).unwrap_or_default().trim_ascii_end();
            let error = Error::invalid("text that belongs to no game");
            let go = self.report(input, from, error, Some(bytes));
            // What stands between games belongs to none of them.
            return go && start.is_some();
        }
        start.is_some()
    }

    /// Reports a problem; `false` when reading should end.
    fn report(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        error: Error,
        kept: Option<&[u8]>,
    ) -> bool {
        let error = input.walk.locate(input.text, at, error);
        if self.strict {
            self.failed.get_or_insert(error);
            self.flow = Flow::Stop;
            return false;
        }
        let unread_bytes = kept.map(Box::from);
        if input.visitor.problem(Problem {
            error,
            unread_bytes,
        }) == Flow::Stop
        {
            self.flow = Flow::Stop;
        }
        !self.has_ended()
    }

    /// Whether nothing more is to be handed on.
    fn has_ended(&self) -> bool {
        self.flow == Flow::Stop
    }

    /// Where the game read last begins in its text.
    pub(super) fn game_start(&self) -> usize {
        self.game_start
    }

    fn game(&mut self, input: &mut Input<'_, '_>) {
        self.game_start = input.walk.at;
        self.flow = Flow::Go;
        let mut at = self.tags(input);
        let playable = self.start(input, at);
        let index = GameIndex(input.walk.games);
        let flow = if self.has_ended() {
            Flow::Skip
        } else {
            input.visitor.begin_game(index, &self.head)
        };
        if flow == Flow::Stop {
            self.flow = Flow::Stop;
        }
        let moves = input.want.has(Want::MAINLINE)
            || input.want.has(Want::VARIATIONS)
            || input.want.has(Want::ANNOTATIONS);
        let end;
        (at, end) = if flow != Flow::Go || !moves || self.has_ended() {
            skip(input.text, at, 0, false)
        } else if playable {
            self.moves(input, at)
        } else {
            self.unplayed(input, at)
        };
        let marker = match end {
            End::Result(result, length) => {
                at = self.behind(
                    input,
                    at + length,
                    flow == Flow::Go && moves && self.flow != Flow::Skip,
                );
                Some(result)
            }
            _ => None,
        };
        input.walk.at = at;
        if !self.has_ended() {
            let result = tag_roster::result(self.tag_result, marker);
            input.visitor.end_game(self.said.unwrap_or(result));
        }
    }
}
