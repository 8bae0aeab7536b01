//! One game: its tags, and its moves as text.

use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Comment, CommentPlacement, GameResult, Tags};
use tabia_core::io::{Charset, decode};

use super::game_boundary;
use super::token::{Tokens, Turn, Word};

/// A game as it is visited.
#[derive(Debug, Default)]
pub(crate) struct Match {
    pub(crate) tags: Tags,
    /// The moves as they stand in the file, with one blank between words.
    pub(crate) moves: String,
    pub(crate) result: GameResult,
    /// What is wrong, at most one fault of a kind.
    pub(crate) faults: Vec<Malformed>,
}

/// The variant's name, as other programs write it.
pub(crate) const VARIANT: &str = "Bughouse";

impl Match {
    /// Reads a game.
    pub(crate) fn read(&mut self, bytes: &[u8], charset: Charset) {
        self.tags.clear();
        self.moves.clear();
        self.faults.clear();
        let moves_at = self.read_tags(bytes, charset);
        let stated = self
            .tags
            .get("Result")
            .and_then(|text| GameResult::parse(text.as_bytes()));
        let moves = bytes.get(moves_at..).unwrap_or_default();
        let found = self.read_moves(moves, moves_at, charset);
        if let Some(Err(fault)) = found
            && !moves.trim_ascii().is_empty()
        {
            self.fault(fault);
        }
        let found = found.and_then(Result::ok);
        self.result = found.or(stated).unwrap_or_default();
        self.derive_tags();
    }

    /// The moves as an annotation of the game.
    pub(crate) fn annotation(&self) -> Option<Annotation<'_>> {
        (!self.moves.is_empty()).then_some(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text: &self.moves,
        }))
    }

    fn fault(&mut self, fault: Malformed) {
        if self.faults.iter().all(|known| known.field != fault.field) {
            self.faults.push(fault);
        }
    }

    /// Reads the tags; where the moves begin.
    fn read_tags(&mut self, bytes: &[u8], charset: Charset) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let line = rest.get(..length).unwrap_or_default().trim_ascii();
            if !line.is_empty() && !line.starts_with(b"%") {
                if !game_boundary::is_tag(line) {
                    return at;
                }
                let mut tags = game_boundary::Tags::new(line);
                for tag in tags.by_ref() {
                    let value = decode(&tag.value, charset);
                    self.tags.push(&decode(tag.name, charset), &value);
                    if !tag.is_whole {
                        self.fault(fault("tag", at, Why::Text));
                    }
                }
                if !tags.rest().trim_ascii().is_empty() {
                    self.fault(fault("tag", at, Why::Text));
                }
            }
            at += length;
        }
        bytes.len()
    }

    /// Reads the moves; the result at their end, or why there is none. `None` without moves.
    fn read_moves(
        &mut self,
        bytes: &[u8],
        base: usize,
        charset: Charset,
    ) -> Option<Result<GameResult, Malformed>> {
        let mut result = None;
        // A result is the end only when nothing follows it.
        let mut end: Option<&[u8]> = None;
        let mut order = Order::default();
        let mut words = 0;
        for token in Tokens::new(bytes) {
            words += 1;
            let at = base + token.at;
            if let Some(word) = end.take() {
                self.push(word, charset);
                self.fault(fault("after_result", at, Why::Text));
            }
            match token.word {
                Word::Turn(turn, word) => {
                    self.push(word, charset);
                    if !order.follows(turn) {
                        self.fault(fault("move_number", at, Why::Value(turn.number.into())));
                    }
                }
                Word::Comment(text, is_closed) => {
                    self.space();
                    self.moves.push('{');
                    let text = decode(text, charset);
                    let mut blank = "";
                    for word in text.split_whitespace() {
                        self.moves.push_str(blank);
                        // Behind a semicolon it may stand, between braces it cannot.
                        self.moves.push_str(&word.replace('}', ")"));
                        blank = " ";
                    }
                    if text.contains('}') {
                        self.fault(fault("comment", at, Why::Text));
                    }
                    self.moves.push('}');
                    if !is_closed {
                        self.fault(fault("comment", at, Why::Truncated { needed: 1, left: 0 }));
                    }
                }
                Word::Result(found, word) => {
                    result = Some(found);
                    end = Some(word);
                }
                Word::Move(word) => self.push(word, charset),
                Word::Other(word) => {
                    self.push(word, charset);
                    self.fault(fault("move", at, Why::Text));
                }
            }
        }
        let missing = fault("result", base, Why::Truncated { needed: 1, left: 0 });
        (words > 0).then(|| result.ok_or(missing))
    }

    fn space(&mut self) {
        if !self.moves.is_empty() {
            self.moves.push(' ');
        }
    }

    fn push(&mut self, word: &[u8], charset: Charset) {
        self.space();
        self.moves.push_str(&decode(word, charset));
    }

    /// Adds what lists of games show: the teams as players, and the variant.
    fn derive_tags(&mut self) {
        for name in ["White", "Black"] {
            if self.tags.get(name).is_none()
                && let Some(team) = team(&self.tags, name)
            {
                self.tags.push(name, &team);
            }
        }
        if self.tags.get("Variant").is_none() {
            self.tags.push("Variant", VARIANT);
        }
        if self.tags.get("Result").is_none() {
            self.tags.push("Result", self.result.pgn());
        }
    }
}

/// The team that stands for a player in lists: for `White` who has White on A, and the partner.
pub(crate) fn team(tags: &Tags, name: &str) -> Option<String> {
    let [first, second] = match name {
        "White" => ["WhiteA", "BlackB"],
        _ => ["BlackA", "WhiteB"],
    };
    let known = |name: &str| tags.get(name).filter(|text| !text.is_empty());
    let (first, second) = (known(first), known(second));
    let is_known = first.is_some() || second.is_some();
    is_known.then(|| [first.unwrap_or("?"), second.unwrap_or("?")].join(" + "))
}

/// Whether a comment holds the moves of a match, in the form in which they are read.
pub(crate) fn is_movetext(text: &str) -> bool {
    let mut has_turns = false;
    let mut has_others = false;
    for token in Tokens::new(text.as_bytes()) {
        has_turns |= matches!(token.word, Word::Turn(..) | Word::Comment(..));
        has_others |= matches!(token.word, Word::Other(_));
    }
    let mut page = Match::default();
    let ended = format!("{text} *");
    page.read_moves(ended.as_bytes(), 0, Charset::Auto);
    !text.is_empty() && (has_turns || !has_others) && page.moves == text && !text.starts_with('%')
}

/// The moves that come next on both boards. A match may begin anywhere.
#[derive(Debug, Default)]
struct Order {
    next: [Option<(u32, bool)>; 2],
}

impl Order {
    fn follows(&mut self, turn: Turn) -> bool {
        let [first, second] = &mut self.next;
        let next = if turn.is_first_board { first } else { second };
        let fits = next.is_none_or(|next| next == (turn.number, turn.is_white));
        *next = Some(if turn.is_white {
            (turn.number, false)
        } else {
            (turn.number.saturating_add(1), true)
        });
        fits
    }
}

const fn fault(field: &'static str, at: usize, why: Why) -> Malformed {
    Malformed { field, at, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Match {
        let mut game = Match::default();
        game.read(text.as_bytes(), Charset::Auto);
        game
    }

    #[test]
    fn a_match_has_four_players_and_its_moves() {
        let game = read(
            "[Event \"x\"]\n[WhiteA \"a\"][BlackA \"b\"]\n[WhiteB \"c\"]\n\n1A. e4 {180}\n1a.P@e5  {b\n resigns} 1-0\n",
        );
        assert_eq!(game.moves, "1A. e4 {180} 1a. P@e5 {b resigns}");
        assert_eq!(game.result, GameResult::WhiteWins);
        assert_eq!(game.tags.text("White"), "a + ?");
        assert_eq!(game.tags.text("Black"), "b + c");
        assert_eq!(game.tags.text("Variant"), "Bughouse");
        assert_eq!(game.faults, []);
    }

    #[test]
    fn faults_are_told_once_of_a_kind() {
        let fields = |text| {
            let faults = read(text).faults;
            faults.iter().map(|fault| fault.field).collect::<Vec<_>>()
        };
        assert_eq!(fields("1A. e4 3a. e5 5a. e6 *"), ["move_number"]);
        assert_eq!(fields("1A. foo 1a. bar *"), ["move"]);
        assert_eq!(fields("1A. e4 * 1a. e5"), ["after_result"]);
        assert_eq!(fields("1A. e4"), ["result"]);
        assert_eq!(
            fields("[A \"b]\n[C \"d\"] e\n\n{open"),
            ["tag", "comment", "result"]
        );
        assert_eq!(fields("[A \"b\"]\n\n"), [""; 0]);
        assert_eq!(fields("1A. e4 ; so } it is\n*"), ["comment"]);
    }

    #[test]
    fn only_the_last_word_is_the_result() {
        let game = read("1A. e4 1-0 1a. e5 {late} 0-1 {later}");
        assert_eq!(game.moves, "1A. e4 1-0 1a. e5 {late} 0-1 {later}");
        assert_eq!(game.result, GameResult::BlackWins);
        assert_eq!(read("1A. e4 1/2").moves, "1A. e4");
    }

    #[test]
    fn moves_are_told_from_remarks() {
        for text in ["1A. e4 {180} 1a. e5", "{WA resigns}", "e4 N@f7", "1A. foo"] {
            assert!(is_movetext(text), "{text}");
        }
        for text in [
            "a fine match",
            "1A. e4  1a. e5",
            "1A. e4 {open",
            "1A. e4\n1a. e5",
            "%x 1A. e4",
            "",
        ] {
            assert!(!is_movetext(text), "{text}");
        }
    }
}
