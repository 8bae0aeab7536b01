//! One game: its tags, and its moves as text.

use tabia_core::error::{Malformed, Why};
use tabia_core::game::{Annotation, Comment, GameResult, Place, Tags};
use tabia_core::io::{Charset, decode};

use super::cut;
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
const VARIANT: &str = "Bughouse";

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
            place: Place::After,
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
                if !cut::is_tag(line) {
                    return at;
                }
                let mut tags = cut::Tags::new(line);
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
        let mut order = Order::default();
        let mut words = 0;
        for token in Tokens::new(bytes) {
            words += 1;
            let at = base + token.at;
            if result.is_some() {
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
                        self.moves.push_str(word);
                        blank = " ";
                    }
                    self.moves.push('}');
                    if !is_closed {
                        self.fault(fault("comment", at, Why::Truncated { needed: 1, left: 0 }));
                    }
                }
                Word::Result(found, _) if result.is_none() => result = Some(found),
                Word::Move(word) | Word::Result(_, word) => self.push(word, charset),
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
        for (name, [first, second]) in [
            ("White", ["WhiteA", "BlackB"]),
            ("Black", ["BlackA", "WhiteB"]),
        ] {
            if self.tags.get(name).is_some() {
                continue;
            }
            let known = |name: &str| self.tags.get(name).filter(|text| !text.is_empty());
            let (first, second) = (known(first), known(second));
            if first.is_some() || second.is_some() {
                let team = [first.unwrap_or("?"), second.unwrap_or("?")].join(" + ");
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
    }
}
