//! The result and the start position of a game, and the tags that repeat them.

use std::borrow::Cow;

use super::game::RecordedFacts;
use crate::game::{Game, GameHead, GameResult, Start};

impl Game {
    /// Sets the result and the tag `Result`.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Game, GameResult};
    ///
    /// let mut game = Game::new();
    /// game.head.tags.set("Result", "*");
    /// game.set_result(GameResult::Draw);
    /// assert_eq!((game.result, game.tag("Result")), (GameResult::Draw, Some("1/2-1/2")));
    /// ```
    pub fn set_result(&mut self, result: GameResult) {
        self.result = result;
        self.recorded.result = result;
        self.head.tags.set("Result", result.pgn());
        keep_first_result(&mut self.head);
    }

    /// Sets the start position and removes the tags `FEN`, `SetUp` and `Variant`, which writers make of it. The moves
    /// stay: [`check_moves`](Self::check_moves) finds those that cannot be played from there.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::chess::Setup;
    /// use tabia::{Game, Start};
    ///
    /// let mut game = Game::new();
    /// let mut start = Start::default();
    /// start.setup = Some(Box::new(Setup::parse_fen(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?));
    /// game.set_start(start);
    /// assert!(game.start_position().is_some());
    /// game.set_start(Start::default());
    /// assert_eq!(game.tag("FEN"), None);
    /// # Ok::<(), tabia_core::chess::FenError>(())
    /// ```
    pub fn set_start(&mut self, start: Start) {
        let is_of_start = |name: &str| matches!(name, "FEN" | "SetUp" | "Variant");
        self.head.tags.retain(|name, _| !is_of_start(name));
        self.recorded.start.clone_from(&start);
        self.head.start = start;
    }

    /// The game with the tags that its result and its start have now, as it is written: if the fields
    /// [`result`](Self::result) or [`head.start`](GameHead::start) were changed since it was recorded, the tags that
    /// contradict them are what was there before. A tag that contradicted them in the file stays.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Game, GameResult};
    ///
    /// let mut game = Game::new();
    /// game.head.tags.set("Result", "0-1");
    /// game.result = GameResult::WhiteWins;
    /// assert_eq!(game.with_current_tags().tag("Result"), Some("1-0"));
    /// ```
    pub fn with_current_tags(&self) -> Cow<'_, Self> {
        let (recorded, start) = (&self.recorded, &self.head.start);
        let has_stale_result = recorded.result != self.result && has_stale_result(self);
        let has_stale_start = recorded.start != *start
            && self
                .head
                .tags
                .iter()
                .any(|tag| is_stale(recorded, start, tag));
        if !has_stale_result && !has_stale_start {
            return Cow::Borrowed(self);
        }
        let mut game = self.clone();
        if has_stale_result {
            game.set_result(self.result);
        }
        if has_stale_start {
            game.head
                .tags
                .retain(|name, value| !is_stale(recorded, start, (name, value)));
            game.recorded.start.clone_from(start);
        }
        Cow::Owned(game)
    }
}

/// Whether a tag `Result` states another result than that of the game, or none.
fn has_stale_result(game: &Game) -> bool {
    let mut results = game.head.tags.iter().filter(|(name, _)| *name == "Result");
    results.any(|(_, value)| {
        let is_unknown = || {
            let parsed = GameResult::parse(value.trim_ascii().as_bytes());
            parsed.unwrap_or_default() == GameResult::Unknown
        };
        game.result.contradicts(value)
            || game.result.to_pgn() != GameResult::Unknown && is_unknown()
    })
}

/// Removes the tags `Result` but the first one.
fn keep_first_result(head: &mut GameHead) {
    let mut seen = 0;
    head.tags.retain(|name, _| {
        seen += u32::from(name == "Result");
        name != "Result" || seen == 1
    });
}

/// Whether a tag contradicts a start that was changed since the game was recorded.
fn is_stale(recorded: &RecordedFacts, start: &Start, (name, value): (&str, &str)) -> bool {
    match name {
        "FEN" => !value.trim_ascii().is_empty() && start.contradicts(value),
        "SetUp" => start.contradicts_setup_tag(value),
        "Variant" => recorded.start.chess960 != start.chess960,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Setup;
    use crate::game::{Tags, Visitor};
    use crate::ids::GameIndex;

    fn setup() -> Start {
        let setup = Setup::parse_fen(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        Start {
            setup: Some(Box::new(setup)),
            chess960: false,
        }
    }

    fn recorded(tags: &[(&str, &str)], start: Start, result: GameResult) -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let head = GameHead {
            tags: tags.iter().copied().collect::<Tags>(),
            start,
            ..GameHead::default()
        };
        let _ = recorder.begin_game(GameIndex(0), &head);
        recorder.end_game(result);
        game
    }

    fn tags(game: &Game) -> Vec<(String, String)> {
        let tags = game.with_current_tags();
        let pairs = tags.head.tags.iter();
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn a_changed_result_is_in_the_tag() {
        use GameResult::{BlackWins, BothLose, Draw, Unknown, WhiteWins, WhiteWinsByForfeit};
        for (values, recorded_result, result, expected) in [
            (&["1-0"][..], WhiteWins, Draw, &["1/2-1/2"][..]),
            (&["*"], Unknown, BlackWins, &["0-1"]),
            (&["?"], Unknown, BlackWins, &["0-1"]),
            (&["1-0"], WhiteWins, Unknown, &["*"]),
            (&["1-0", "0-1"], WhiteWins, Draw, &["1/2-1/2"]),
            (&["1-0"], WhiteWins, BothLose, &["*"]),
            // They agree.
            (&["1-0"], Draw, WhiteWins, &["1-0"]),
            (&["1-0"], WhiteWins, WhiteWinsByForfeit, &["1-0"]),
            (&["+:-"], WhiteWins, WhiteWinsByForfeit, &["+:-"]),
            (&["?"], WhiteWins, Unknown, &["?"]),
            (&[], WhiteWins, Draw, &[]),
            // As they are in the file.
            (&["1-0"], Draw, Draw, &["1-0"]),
            (&["1-0", "0-1"], WhiteWins, WhiteWins, &["1-0", "0-1"]),
        ] {
            let pairs: Vec<_> = values.iter().map(|value| ("Result", *value)).collect();
            let mut game = recorded(&pairs, Start::default(), recorded_result);
            game.result = result;
            let found: Vec<String> = tags(&game).into_iter().map(|(_, value)| value).collect();
            assert_eq!(found, expected, "{values:?} {recorded_result:?} {result:?}");
            game.set_result(result);
            assert_eq!(game.tag("Result"), Some(result.pgn()));
            assert!(matches!(game.with_current_tags(), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn a_changed_start_has_no_stale_tags() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let pairs = [("FEN", fen), ("SetUp", "1"), ("White", "A")];
        let mut game = recorded(&pairs, setup(), GameResult::Unknown);
        assert_eq!(tags(&game).len(), 3);
        game.head.start = Start::default();
        assert_eq!(tags(&game), [("White".to_owned(), "A".to_owned())]);
        // As it is in the file.
        let game = recorded(&pairs, Start::default(), GameResult::Unknown);
        assert_eq!(tags(&game).len(), 3);
        // A tag that agrees.
        let mut game = recorded(&pairs[..1], Start::default(), GameResult::Unknown);
        game.head.start = setup();
        assert_eq!(tags(&game).len(), 1);
        // The variant.
        let chess960 = Start {
            chess960: true,
            ..setup()
        };
        let mut game = recorded(&[("Variant", "Chess960")], chess960, GameResult::Unknown);
        assert_eq!(tags(&game).len(), 1);
        game.head.start.chess960 = false;
        assert_eq!(tags(&game), []);
        game.set_start(setup());
        assert_eq!((game.tag("Variant"), &game.head.start), (None, &setup()));
    }
}
