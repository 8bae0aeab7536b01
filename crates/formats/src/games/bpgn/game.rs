//! A match: its tags, and its moves as text.

use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Comment, CommentPlacement, GameResult, Tags};
use tabia_core::io::{Charset, decode};

use super::tag_parser;
use super::token::{Tokens, Turn, Word};

/// A bughouse match, with the tags and the text that a visitor gets.
#[derive(Debug, Default)]
pub(crate) struct Match {
    pub(crate) tags: Tags,
    /// The movetext of the file without its result, with one blank between words.
    pub(crate) moves: String,
    pub(crate) result: GameResult,
    /// The problems, at most one for each field.
    pub(crate) problems: Vec<Malformed>,
}

/// The value of the tag `Variant`.
pub(crate) const VARIANT: &str = "Bughouse";

impl Match {
    /// Parses a match.
    pub(crate) fn read(&mut self, bytes: &[u8], charset: Charset) {
        self.tags.clear();
        self.moves.clear();
        self.problems.clear();
        let moves_at = self.read_tags(bytes, charset);
        let stated = self
            .tags
            .get("Result")
            .and_then(|text| GameResult::parse(text.as_bytes()));
        let moves = bytes.get(moves_at..).unwrap_or_default();
        let found = self.read_moves(moves, moves_at, charset);
        if let Some(Err(problem)) = found
            && !moves.trim_ascii().is_empty()
        {
            self.add_problem(problem);
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

    fn add_problem(&mut self, problem: Malformed) {
        let is_first = |other: &Malformed| other.field != problem.field;
        if self.problems.iter().all(is_first) {
            self.problems.push(problem);
        }
    }

    /// Parses the tags and returns the offset of the moves.
    fn read_tags(&mut self, bytes: &[u8], charset: Charset) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let line = rest.get(..length).unwrap_or_default().trim_ascii();
            if !line.is_empty() && !line.starts_with(b"%") {
                if !tag_parser::is_tag(line) {
                    return at;
                }
                let mut tags = tag_parser::Tags::new(line);
                for tag in tags.by_ref() {
                    let value = decode(&tag.value, charset);
                    self.tags.push(&decode(tag.name, charset), &value);
                    if !tag.is_complete {
                        self.add_problem(malformed("tag", at, Why::Text));
                    }
                }
                if !tags.rest().trim_ascii().is_empty() {
                    self.add_problem(malformed("tag", at, Why::Text));
                }
            }
            at += length;
        }
        bytes.len()
    }

    /// Parses the moves. Returns the result at their end, or an error if it is absent; `None` if there
    /// are no moves.
    fn read_moves(
        &mut self,
        bytes: &[u8],
        base: usize,
        charset: Charset,
    ) -> Option<Result<GameResult, Malformed>> {
        let mut result = None;
        // A result that is followed by other words is one of the words of the moves.
        let mut last_result: Option<&[u8]> = None;
        let mut order = MoveOrder::default();
        let mut words = 0;
        for token in Tokens::new(bytes) {
            words += 1;
            let at = base + token.at;
            if let Some(word) = last_result.take() {
                self.push(word, charset);
                self.add_problem(malformed("after_result", at, Why::Text));
            }
            match token.word {
                Word::Turn(turn, word) => {
                    self.push(word, charset);
                    if !order.follows(turn) {
                        self.add_problem(malformed(
                            "move_number",
                            at,
                            Why::Value(turn.number.into()),
                        ));
                    }
                }
                Word::Comment(text, is_closed) => {
                    self.space();
                    self.moves.push('{');
                    let text = decode(text, charset);
                    let mut blank = "";
                    for word in text.split_whitespace() {
                        self.moves.push_str(blank);
                        // A comment after a semicolon may contain a brace, one in braces may not.
                        self.moves.push_str(&word.replace('}', ")"));
                        blank = " ";
                    }
                    if text.contains('}') {
                        self.add_problem(malformed("comment", at, Why::Text));
                    }
                    self.moves.push('}');
                    if !is_closed {
                        self.add_problem(malformed(
                            "comment",
                            at,
                            Why::Truncated { needed: 1, left: 0 },
                        ));
                    }
                }
                Word::Result(found, word) => {
                    result = Some(found);
                    last_result = Some(word);
                }
                Word::Move(word) => self.push(word, charset),
                Word::Other(word) => {
                    self.push(word, charset);
                    self.add_problem(malformed("move", at, Why::Text));
                }
            }
        }
        let missing = malformed("result", base, Why::Truncated { needed: 1, left: 0 });
        (words > 0).then(|| result.ok_or(missing))
    }

    /// Appends a blank, except at the start.
    fn space(&mut self) {
        if !self.moves.is_empty() {
            self.moves.push(' ');
        }
    }

    /// Appends a word.
    fn push(&mut self, word: &[u8], charset: Charset) {
        self.space();
        self.moves.push_str(&decode(word, charset));
    }

    /// Adds the tags that lists of games show: the teams as players, the variant and the result.
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

/// The value of the tag `White` or `Black`: the two players of a team, the one on board A first. `None`
/// if neither is known.
pub(crate) fn team(tags: &Tags, name: &str) -> Option<String> {
    let [first, second] = match name {
        "White" => ["WhiteA", "BlackB"],
        _ => ["BlackA", "WhiteB"],
    };
    let player = |name: &str| tags.get(name).filter(|text| !text.is_empty());
    let (first, second) = (player(first), player(second));
    let is_known = first.is_some() || second.is_some();
    is_known.then(|| [first.unwrap_or("?"), second.unwrap_or("?")].join(" + "))
}

/// Whether a comment contains the moves of a match, in the form of [`Match::moves`].
pub(crate) fn is_movetext(text: &str) -> bool {
    let mut has_turns = false;
    let mut has_others = false;
    for token in Tokens::new(text.as_bytes()) {
        has_turns |= matches!(token.word, Word::Turn(..) | Word::Comment(..));
        has_others |= matches!(token.word, Word::Other(_));
    }
    let mut parsed = Match::default();
    let with_result = format!("{text} *");
    parsed.read_moves(with_result.as_bytes(), 0, Charset::Auto);
    !text.is_empty() && (has_turns || !has_others) && parsed.moves == text && !text.starts_with('%')
}

/// The order of the move numbers on both boards. A match may begin with any number.
#[derive(Debug, Default)]
struct MoveOrder {
    /// The number and side of the next move on each board.
    next: [Option<(u32, bool)>; 2],
}

impl MoveOrder {
    /// Whether a move is the next one of its board.
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

const fn malformed(field: &'static str, at: usize, why: Why) -> Malformed {
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
        assert_eq!(game.problems, []);
    }

    #[test]
    fn one_problem_of_a_field_is_reported() {
        let fields = |text| {
            let problems = read(text).problems;
            let fields = problems.iter().map(|problem| problem.field);
            fields.collect::<Vec<_>>()
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
    fn movetext_is_distinguished_from_other_comments() {
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
