//! Comments and the commands inside them: marks, clocks, evaluations.

use std::fmt::Write;

use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, Eval, Flow, Language, Score, Shape,
    ShapeColor, ShapeKind, Visitor,
};
use tabia_core::loss::{Feature, Losses};

use crate::games::common::replay::HeldComment;
use crate::games::pgn::commands;
use crate::games::pgn::full_profile;
use crate::games::pgn::full_profile::ParsedCommand;
use crate::games::pgn::shape_colors;

/// Visits what a comment says: annotations and words in their order; words on both sides of
/// commands come joined, behind them. The words go to `held` when there is one.
pub(crate) fn read(
    text: &str,
    mut held: Option<&mut Vec<HeldComment>>,
    visitor: &mut dyn Visitor,
) -> Flow {
    let mut words = Words::default();
    let mut rest = text;
    while let Some((before, command)) = next_command(rest) {
        words.push(before);
        rest = command.after;
        if !words.is_blank() && !words.is_exact && !has_words(rest) {
            words.has_commands = true;
            if words.show(held.as_deref_mut(), visitor) == Flow::Stop {
                return Flow::Stop;
            }
            words = Words {
                has_commands: true,
                ..Words::default()
            };
        }
        let mut flow = Flow::Go;
        let said = commands::read(command.name, command.args, &mut |annotation| {
            if flow == Flow::Go {
                flow = visitor.visit_annotation(annotation);
            }
        });
        if flow == Flow::Stop {
            return Flow::Stop;
        }
        words.has_commands |= said.is_some();
        match said {
            Some(ParsedCommand::Language(language)) => words.language = Some(language),
            Some(ParsedCommand::Before | ParsedCommand::BeforeHere) => words.before = Some(true),
            Some(ParsedCommand::After) => words.before = Some(false),
            Some(ParsedCommand::Text(encoded)) => {
                words.text = full_profile::decode(encoded);
                words.is_exact = true;
            }
            Some(ParsedCommand::Annotation) => {}
            None => words.push(command.whole),
        }
    }
    words.push(rest);
    if words.is_blank() && words.has_commands && !words.is_exact {
        return Flow::Go;
    }
    words.show(held, visitor)
}

/// What stands beside the commands of a comment.
#[derive(Debug, Default)]
struct Words {
    text: String,
    language: Option<Language>,
    before: Option<bool>,
    has_commands: bool,
    /// The text was given by a command; what stands beside it is only layout.
    is_exact: bool,
}

impl Words {
    fn push(&mut self, part: &str) {
        if self.is_exact {
            return;
        }
        let at_blank =
            self.text.is_empty() || self.text.ends_with(|c: char| c.is_ascii_whitespace());
        if self.has_commands && at_blank {
            self.text.push_str(part.trim_ascii_start());
        } else {
            self.text.push_str(part);
        }
    }

    fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    fn show(self, held: Option<&mut Vec<HeldComment>>, visitor: &mut dyn Visitor) -> Flow {
        let mut text = self.text;
        if text.contains("\r\n") {
            text = text.replace("\r\n", "\n");
        }
        if self.has_commands && !self.is_exact {
            text.truncate(text.trim_ascii_end().len());
            text.drain(..text.len() - text.trim_ascii_start().len());
        }
        let comment = HeldComment {
            language: self.language,
            text,
        };
        match (held, self.before) {
            (Some(held), None | Some(true)) => {
                held.push(comment);
                Flow::Go
            }
            (None, Some(true)) => {
                visitor.visit_annotation(comment.annotation(CommentPlacement::Before))
            }
            _ => visitor.visit_annotation(comment.annotation(CommentPlacement::After)),
        }
    }
}

/// `[%name args]` in a text.
struct Command<'t> {
    whole: &'t str,
    name: &'t str,
    args: &'t str,
    after: &'t str,
}

/// What stands before the next command, and the command.
fn next_command(text: &str) -> Option<(&str, Command<'_>)> {
    let mut from = 0;
    loop {
        let at = from + memchr::memmem::find(text.as_bytes().get(from..)?, b"[%")?;
        let (before, rest) = text.split_at_checked(at)?;
        if let Some(command) = command(rest) {
            return Some((before, command));
        }
        from = at + 2;
    }
}

fn command(text: &str) -> Option<Command<'_>> {
    let inside = text.strip_prefix("[%")?;
    let length = inside
        .bytes()
        .position(|byte| !byte.is_ascii_alphanumeric())?;
    let (name, args) = inside.split_at_checked(length)?;
    let mut quoted = false;
    let end = args.bytes().position(|byte| {
        // Texts of training questions stand between quotes and may hold a bracket.
        quoted ^= byte == b'"' && name == "tqu";
        byte == b']' && !quoted
    })?;
    let whole = text.get(..2 + length + end + 1)?;
    (!name.is_empty()).then_some(Command {
        whole,
        name,
        args: args.get(..end)?,
        after: args.get(end + 1..)?,
    })
}

/// Whether words stand between or behind the commands of `text`.
fn has_words(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, command)) = next_command(rest) {
        if !before.trim_ascii().is_empty() {
            return true;
        }
        rest = command.after;
    }
    !rest.trim_ascii().is_empty()
}

/// Puts what is said at one place into the one comment that Scid has there: words among commands.
#[derive(Debug, Default)]
pub(crate) struct CommentWriter {
    /// The commands.
    text: String,
    words: String,
    /// Where the words stand in `text`.
    words_at: usize,
    comments: u32,
    is_used: bool,
    /// Words that cannot stand beside commands as they are go into one.
    is_exact: bool,
    /// That they were changed was told.
    is_told: bool,
    /// The list command that another shape may join.
    list: Option<&'static str>,
}

impl CommentWriter {
    /// One that keeps all words if commands of our own may be written.
    pub(crate) fn new(is_exact: bool) -> Self {
        Self {
            is_exact,
            ..Self::default()
        }
    }

    /// Adds an annotation that Scid can hold in a comment.
    pub(crate) fn add(&mut self, annotation: &Annotation<'_>, losses: &mut Losses) {
        let list = self.list.take();
        match annotation {
            Annotation::Comment(comment) => self.add_words(comment, losses),
            Annotation::Shape(shape) => self.shape(*shape, list, losses),
            Annotation::Clock(clock) => self.command(&clock_command(*clock)),
            Annotation::Eval(eval) if eval.engine == 0 => self.command(&eval_command(*eval)),
            Annotation::Medals(bits) => self.command(&format!("[%mdl {bits}]")),
            other => {
                let mut text = Vec::new();
                full_profile::write(other, &mut text);
                self.command(&String::from_utf8_lossy(&text));
            }
        }
        if !self.is_exact && !self.is_told && self.comments > 0 && self.is_changed() {
            self.is_told = true;
            let is_gone = self.words.trim_ascii().is_empty();
            let feature = if is_gone {
                Feature::Comments
            } else {
                Feature::CommentText
            };
            losses.add(feature, 1, None);
        }
    }

    fn add_words(&mut self, comment: &Comment<'_>, losses: &mut Losses) {
        self.comments += 1;
        if self.comments > 1 {
            losses.add(Feature::SeveralComments, 1, None);
            self.words.push('\n');
        } else {
            self.words_at = self.text.len();
        }
        self.is_used = true;
        if comment.text.contains('\0') {
            losses.add(Feature::Characters, 1, None);
        }
        self.words
            .extend(comment.text.chars().filter(|&character| character != '\0'));
    }

    fn command(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.is_used = true;
        if !self.text.is_empty() && self.text.len() != self.words_at {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    /// Squares and arrows of one kind share a command, as Lichess and ChessBase write them.
    fn shape(&mut self, shape: Shape, list: Option<&'static str>, losses: &mut Losses) {
        let letter = shape_colors::letter_of(shape.color).map(char::from);
        let (name, squares) = match shape.kind {
            ShapeKind::Square(square) => ("csl", format!("{square}")),
            ShapeKind::Arrow(from, to) => ("cal", format!("{from}{to}")),
            _ => ("", String::new()),
        };
        match letter {
            Some(letter) if !name.is_empty() => {
                if list == Some(name) && self.text.pop() == Some(']') {
                    // Writing to a text cannot fail.
                    let _ = write!(self.text, ",{letter}{squares}]");
                } else {
                    self.command(&format!("[%{name} {letter}{squares}]"));
                }
                self.list = Some(name);
            }
            _ => match scid_shape(shape) {
                Some(text) => self.command(&text),
                None => losses.add(Feature::ShapeColors, 1, None),
            },
        }
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_used
    }

    /// Whether words are read otherwise where they stand beside commands: without blanks at their
    /// ends, and not at all when there is nothing else.
    fn is_changed(&self) -> bool {
        let words = self.words.as_str();
        !self.text.is_empty() && (words.is_empty() || words.trim_ascii() != words)
    }

    /// Appends the text with its final zero and forgets it; whether there was any text.
    pub(crate) fn take_into(&mut self, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        if self.comments > 0 && self.is_exact && (self.is_changed() || has_command(&self.words)) {
            let mut encoded = b"[%tabia text ".to_vec();
            full_profile::encode_text(self.words.as_bytes(), &mut encoded);
            encoded.push(b']');
            self.words = String::from_utf8_lossy(&encoded).into_owned();
        }
        let (before, after) = self
            .text
            .split_at_checked(self.words_at)
            .unwrap_or_default();
        for part in [before, &self.words, after] {
            if out.len() > start && !part.is_empty() {
                out.push(b' ');
            }
            out.extend_from_slice(part.as_bytes());
        }
        let has_text = out.len() > start;
        out.push(0);
        self.text.clear();
        self.words.clear();
        self.words_at = 0;
        self.comments = 0;
        self.is_used = false;
        self.is_told = false;
        self.list = None;
        has_text
    }
}

/// Whether words hold what is read as a command.
fn has_command(words: &str) -> bool {
    let mut rest = words;
    while let Some((_, command)) = next_command(rest) {
        if commands::read(command.name, command.args, &mut |_| ()).is_some() {
            return true;
        }
        rest = command.after;
    }
    false
}

fn clock_command(clock: Clock) -> String {
    let name = match clock.kind {
        ClockKind::Remaining => "clk",
        ClockKind::ElapsedGame => "egt",
        ClockKind::Mechanical => "mct",
        _ => "emt",
    };
    let seconds = clock.time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let mut text = format!("[%{name} {hours}:{minutes:02}:{:02}", seconds % 60);
    if clock.time.subsec_nanos() != 0 {
        let fraction = format!("{:09}", clock.time.subsec_nanos());
        let _ = write!(text, ".{}", fraction.trim_end_matches('0'));
    }
    text.push(']');
    text
}

/// As Lichess writes it: pawns, with at least one decimal.
fn eval_command(eval: Eval) -> String {
    let mut text = match eval.score {
        Score::Centipawns(value) => {
            let sign = if value < 0 { "-" } else { "" };
            let value = value.unsigned_abs();
            let (pawns, tenths, hundredths) = (value / 100, value / 10 % 10, value % 10);
            let mut text = format!("[%eval {sign}{pawns}.{tenths}");
            if hundredths != 0 {
                let _ = write!(text, "{hundredths}");
            }
            text
        }
        Score::Mate(moves) => format!("[%eval #{moves}"),
    };
    if let Some(depth) = eval.depth {
        let _ = write!(text, ",{depth}");
    }
    text.push(']');
    text
}

/// Scid's own command: `[%draw circle,e4,red]`. `None` for what it has no word for.
fn scid_shape(shape: Shape) -> Option<String> {
    let (kind, squares) = match shape.kind {
        ShapeKind::Square(square) => ("full".to_owned(), square.to_string()),
        ShapeKind::Arrow(from, to) => ("arrow".to_owned(), format!("{from},{to}")),
        ShapeKind::Circle(square) => ("circle".to_owned(), square.to_string()),
        ShapeKind::Disk(square) => ("disk".to_owned(), square.to_string()),
        ShapeKind::Frame(square) => ("square".to_owned(), square.to_string()),
        ShapeKind::Letter(square, letter) if !",[] ".contains(letter) => {
            (letter.to_string(), square.to_string())
        }
        _ => return None,
    };
    let color = match shape.color {
        ShapeColor::Green => "green".to_owned(),
        ShapeColor::Yellow => "yellow".to_owned(),
        ShapeColor::Red => "red".to_owned(),
        ShapeColor::Blue => "blue".to_owned(),
        ShapeColor::Orange => "orange".to_owned(),
        ShapeColor::Cyan => "cyan".to_owned(),
        ShapeColor::Magenta => "magenta".to_owned(),
        ShapeColor::Purple => "purple".to_owned(),
        ShapeColor::DarkBlue => "darkBlue".to_owned(),
        ShapeColor::White => "white".to_owned(),
        ShapeColor::Black => "black".to_owned(),
        ShapeColor::Rgb(rgb) if rgb <= 0xff_ffff => format!("#{rgb:06x}"),
        _ => return None,
    };
    Some(format!("[%draw {kind},{squares},{color}]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::{Ply, Position};

    /// Annotations as text, one after another.
    #[derive(Default)]
    struct Shown(Vec<String>, CommentWriter);

    impl Visitor for Shown {
        fn visit_move(&mut self, _: &Position, _: Ply) -> Flow {
            Flow::Go
        }

        fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
            let mut losses = Losses::new();
            self.1.add(&annotation, &mut losses);
            self.0.push(match annotation {
                Annotation::Comment(comment) => comment.text.to_owned(),
                other => format!("{:?}", other.feature()),
            });
            Flow::Go
        }
    }

    /// What a comment says, and the comment that is written for it.
    fn shown(text: &str) -> (String, String) {
        let mut shown = Shown::default();
        assert_eq!(read(text, None, &mut shown), Flow::Go);
        let mut bytes = Vec::new();
        shown.1.take_into(&mut bytes);
        let again = std::str::from_utf8(&bytes).unwrap().trim_end_matches('\0');
        (shown.0.join("|"), again.to_owned())
    }

    #[test]
    fn commands_and_words_keep_their_order() {
        for (text, said) in [
            ("words", "words"),
            ("", ""),
            ("two\nlines ", "two\nlines "),
            ("[%clk 0:05:00]", "Clocks"),
            ("[%eval -0.3] [%clk 1:02:03.5]", "Evals|Clocks"),
            ("[%eval #-3,20] why", "Evals|why"),
            (
                "marks [%csl Ga1,Rb2] [%cal Be2e4]",
                "marks|Shapes|Shapes|Shapes",
            ),
            (
                "[%draw circle,e4,red] [%draw full,d4,#0a0b0c]",
                "Shapes|Shapes",
            ),
            ("[%unknown x] and [% and [%", "[%unknown x] and [% and [%"),
            ("[%clk soon]", "[%clk soon]"),
        ] {
            let (found, again) = shown(text);
            assert_eq!(found, said, "{text}");
            assert_eq!(again, text);
        }
    }

    #[test]
    fn other_spellings_are_understood() {
        for (text, said, usual) in [
            (
                "[%csl Ga1][%cal Re2e4] x ",
                "Shapes|Shapes|x",
                "[%csl Ga1] [%cal Re2e4] x",
            ),
            ("a [%clk 0:00:01] b", "Clocks|a b", "[%clk 0:00:01] a b"),
            ("[%eval 31,20]", "Evals", "[%eval 0.31,20]"),
            ("[%mark full,d4,red]", "Shapes", "[%csl Rd4]"),
            ("[%tabia text a%0Ab]", "a\nb", "a\nb"),
            ("one\r\ntwo", "one\ntwo", "one\ntwo"),
        ] {
            assert_eq!(shown(text), (said.to_owned(), usual.to_owned()), "{text}");
        }
    }

    #[test]
    fn words_before_a_first_move_wait() {
        let mut held = Vec::new();
        let mut shown = Shown::default();
        let flow = read("[%csl Ga1] then", Some(&mut held), &mut shown);
        assert_eq!((flow, shown.0.join("|").as_str()), (Flow::Go, "Shapes"));
        assert_eq!(held.len(), 1);
        assert_eq!(held[0].text, "then");
    }
}
