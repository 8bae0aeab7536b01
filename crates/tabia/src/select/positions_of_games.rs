//! Positions of games in the stead of the games.

use tabia_core::chess::Setup;
use tabia_core::game::{GameHead, GameResult, RecordKind, Visitor};
use tabia_core::loss::Feature;
use tabia_core::{Error, GameFormat, GameIndex};
use tabia_query::{FoundMoment, Query};

/// Which positions of a game are written; for formats that hold positions without moves, such as EPD.
///
/// ```no_run
/// use tabia::convert::{ConvertOptions, Target, convert};
/// use tabia::select::PositionChoice;
///
/// # fn main() -> Result<(), tabia::Error> {
/// let resolver = tabia::Resolver::default();
/// let items = resolver.resolve("games.pgn".as_ref())?;
/// let target = Target::file(&resolver, "endings.epd".as_ref(), None)?;
/// let mut options = ConvertOptions::default();
/// options.plan.filter = Some(tabia::Query::parse("mat:KRPKR")?);
/// options.plan.positions = PositionChoice::Moments;
/// let (summary, _) = convert(&items, target, &options, &Default::default(), &mut tabia::NoObserver)?;
/// println!("{} positions of {} games", summary.counts.positions, summary.counts.games);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionChoice {
    /// Games are handed on as they are; a list of positions gets the last of the mainline.
    #[default]
    End,
    /// The position before the first move.
    Start,
    /// The positions at which the game fits the query, one for each of its steps. A game that fits without one
    /// is left out, and counted as [`without_position`](super::SelectionCounts::without_position).
    Moments,
}

impl PositionChoice {
    /// What the command line calls `start`, `end` or `moment`; `None` for other words.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "start" => Self::Start,
            "end" => Self::End,
            "moment" => Self::Moments,
            _ => return None,
        })
    }

    /// The choice for a target: that which is asked for, or [`End`](Self::End).
    ///
    /// # Errors
    /// A usage error if one is asked for and the target has games with their moves, and for moments of a query that
    /// asks for none.
    pub fn of_target(
        asked: Option<Self>,
        format: &GameFormat,
        query: Option<&Query>,
    ) -> Result<Self, Error> {
        let Some(choice) = asked else {
            return Ok(Self::End);
        };
        if format.can.has(Feature::Moves) {
            return Err(Self::has_games());
        }
        if choice == Self::Moments && !query.is_some_and(Query::asks_for_moments) {
            let text = "the query asks for no position, so that there is no moment to write";
            let hint = "`mat:KRPKR`, `fen:…` and `move:Bxh7+` ask for one; `--position end` writes the last one";
            return Err(Error::usage(text).with_hint(hint));
        }
        Ok(choice)
    }

    /// The error of a choice for a target that has games with their moves.
    pub fn has_games() -> Error {
        let text = "`--position` is for lists of positions, and this output has the whole games";
        Error::usage(text).with_hint("`-o positions.epd` or `-o positions.fen` writes positions")
    }

    /// Whether a game is written as positions without its moves.
    pub(crate) fn replaces_games(self) -> bool {
        self != Self::End
    }
}

/// Hands on positions of games as games without moves. Guiding texts stay as they are.
#[derive(Debug)]
pub(crate) struct PositionVisitor {
    choice: PositionChoice,
    /// The moments of the next game, or of the one being read.
    moments: Vec<Setup>,
    head: GameHead,
    game: GameIndex,
    /// Whether the record being read is a game.
    is_held: bool,
    /// Positions handed on.
    pub(crate) positions: u64,
    /// Games without one.
    pub(crate) without_position: u64,
}

impl PositionVisitor {
    /// `None` if games are handed on as they are.
    pub(crate) fn new(choice: PositionChoice) -> Option<Self> {
        choice.replaces_games().then(|| Self {
            choice,
            moments: Vec::new(),
            head: GameHead::default(),
            game: GameIndex(0),
            is_held: false,
            positions: 0,
            without_position: 0,
        })
    }

    pub(crate) fn take_moments(&mut self, moments: &[FoundMoment]) {
        self.moments.clear();
        if self.choice == PositionChoice::Moments {
            let setups = moments.iter().map(|moment| moment.position.to_setup());
            self.moments.extend(setups);
        }
    }

    /// Begins a record; whether its parts are held back.
    pub(crate) fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> bool {
        self.is_held = head.kind != RecordKind::Text;
        if self.is_held {
            self.game = game;
            self.head.clone_from(head);
        }
        self.is_held
    }

    /// Whether the parts of the record are held back.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// Hands on the positions of the game.
    pub(crate) fn end_game(&mut self, result: GameResult, target: &mut dyn Visitor) {
        self.is_held = false;
        if self.choice == PositionChoice::Start {
            self.positions += 1;
            let _ = target.begin_game(self.game, &self.head);
            target.end_game(result);
            return;
        }
        self.without_position += u64::from(self.moments.is_empty());
        // They are about another position.
        self.head
            .tags
            .retain(|name, _| !["FEN", "SetUp"].contains(&name));
        for setup in self.moments.drain(..) {
            self.positions += 1;
            let is_standard = setup == Setup::standard();
            self.head.start.setup = (!is_standard).then(|| Box::new(setup));
            let _ = target.begin_game(self.game, &self.head);
            target.end_game(result);
        }
    }
}
