//! Comments and the commands inside them: shapes, clocks, evaluations.

use std::fmt::Write;

use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, CommentPlacement, Eval, Flow, Language, Score, Shape,
    ShapeColor, ShapeKind, Visitor,
};
use tabia_core::loss::{Feature, Losses};

use crate::games::common::variation_walker::HeldComment;
use crate::games::pgn::command_parser;
use crate::games::pgn::full_profile;
use crate::games::pgn::full_profile::ParsedCommand;
use crate::games::pgn::shape_colors;

/// Visits the annotations and the text of a comment in their order. Text on both sides of commands
/// is joined and follows them. The text goes to `held` if given.
pub(crate) fn read(
    text: &str,
    mut held: Option<&mut Vec<HeldComment>>,
    visitor: &mut dyn Visitor,
) -> Flow {
    let mut plain = PlainText::default();
    let mut rest = text;
    let mut end = None;
    while let Some((before, command)) = next_command(rest) {
        plain.push(before);
        let offset = text.len() - rest.len() + before.len();
        rest = command.after;
        let is_words = !plain.is_blank() && !plain.is_exact;
        if is_words && offset >= *end.get_or_insert_with(|| text_end(text)) {
            plain.has_commands = true;
            if plain.visit(held.as_deref_mut(), visitor) == Flow::Stop {
                return Flow::Stop;
            }
            plain = PlainText {
                has_commands: true,
                ..PlainText::default()
            };
        }
        let mut flow = Flow::Go;
        let parsed = command_parser::read(command.name, command.args, &mut |annotation| {
            if flow == Flow::Go {
                flow = visitor.visit_annotation(annotation);
            }
        });
        if flow == Flow::Stop {
            return Flow::Stop;
        }
        plain.has_commands |= parsed.is_some();
        match parsed {
            Some(ParsedCommand::Language(language)) => plain.language = Some(language),
            Some(ParsedCommand::Before | ParsedCommand::BeforeHere) => plain.before = Some(true),
            Some(ParsedCommand::After) => plain.before = Some(false),
            Some(ParsedCommand::Text(encoded)) => {
                plain.text = full_profile::percent_encoding::decode(encoded);
                plain.is_exact = true;
            }
            Some(
                ParsedCommand::Annotation
                | ParsedCommand::Variation
                | ParsedCommand::Lines(_)
                | ParsedCommand::Chars(_)
                | ParsedCommand::Ends(_),
            ) => {}
            None => plain.push(command.source),
        }
    }
    plain.push(rest);
    if plain.is_blank() && plain.has_commands && !plain.is_exact {
        return Flow::Go;
    }
    plain.visit(held, visitor)
}

/// The text of a comment without its commands.
#[derive(Debug, Default)]
struct PlainText {
    text: String,
    language: Option<Language>,
    before: Option<bool>,
    has_commands: bool,
    /// The text is that of a command, and the text outside commands is only layout.
    is_exact: bool,
}

impl PlainText {
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

    fn visit(self, held: Option<&mut Vec<HeldComment>>, visitor: &mut dyn Visitor) -> Flow {
        let mut text = self.text;
        if !self.is_exact && text.contains("\r\n") {
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
    source: &'t str,
    name: &'t str,
    args: &'t str,
    after: &'t str,
}

impl Command<'_> {
    /// Whether a reader takes it for more than text.
    fn is_known(&self) -> bool {
        command_parser::read(self.name, self.args, &mut |_| ()).is_some()
    }
}

/// The next command, and the text before it.
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
        // Texts of training questions are quoted and may contain a bracket.
        quoted ^= byte == b'"' && name == "tqu";
        byte == b']' && !quoted
    })?;
    let source = text.get(..2 + length + end + 1)?;
    (!name.is_empty()).then_some(Command {
        source,
        name,
        args: args.get(..end)?,
        after: args.get(end + 1..)?,
    })
}

/// The offset after which `text` contains only commands and blanks. Unknown commands are text.
fn text_end(text: &str) -> usize {
    let mut rest = text;
    let mut end = 0;
    while let Some((before, command)) = next_command(rest) {
        let offset = text.len() - rest.len();
        if !command.is_known() {
            end = offset + before.len() + command.source.len();
        } else if !before.trim_ascii().is_empty() {
            end = offset + before.len();
        }
        rest = command.after;
    }
    if rest.trim_ascii().is_empty() {
        end
    } else {
        text.len()
    }
}

/// Writes the annotations of a move as the one comment that Scid has for it: text and commands.
#[derive(Debug, Default)]
pub(crate) struct CommentWriter {
    /// The commands.
    text: String,
    words: String,
    /// The offset of the words in `text`.
    words_at: usize,
    comments: u32,
    is_used: bool,
    /// Words that commands next to them would change are written as a command.
    is_exact: bool,
    /// The loss of a change was counted.
    is_counted: bool,
    /// The name of the last command, if another shape can be added to it.
    list: Option<&'static str>,
    /// What the comment holds, for the losses if there is no space for it. Its words are one text.
    contents: Vec<Feature>,
}

impl CommentWriter {
    /// A writer. With `is_exact` it may use commands that only this library reads, and keeps all
    /// words.
    pub(crate) fn new(is_exact: bool) -> Self {
        Self {
            is_exact,
            ..Self::default()
        }
    }

    /// Adds an annotation that a comment of Scid can contain.
    pub(crate) fn add(&mut self, annotation: &Annotation<'_>, losses: &mut Losses) {
        let list = self.list.take();
        match annotation {
            Annotation::Comment(_) if self.comments > 0 => {}
            Annotation::Comment(_) => self.contents.push(Feature::Comments),
            other => self.contents.push(other.feature()),
        }
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
        if self.is_exact || self.is_counted || self.comments == 0 {
            return;
        }
        // Readers take words that are a command for the annotation that it names.
        let has_command = has_command(&self.words);
        if has_command || self.is_changed() {
            self.is_counted = true;
            let is_lost = has_command || self.words.trim_ascii().is_empty();
            let feature = if is_lost {
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

    /// Adds a shape. Squares share a command, and arrows, as Lichess and ChessBase write them.
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
            _ => {
                if let Some(text) = scid_shape(shape) {
                    self.command(&text);
                } else {
                    self.contents.pop();
                    losses.add(Feature::ShapeColors, 1, None);
                }
            }
        }
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_used
    }

    /// Whether readers change the words: line breaks become simple, and next to commands blanks at the
    /// ends of words are lost, and so is an empty comment.
    fn is_changed(&self) -> bool {
        let words = self.words.as_str();
        let is_trimmed = words.is_empty() || words.trim_ascii() != words;
        !self.text.is_empty() && is_trimmed || words.contains("\r\n")
    }

    /// Counts what the comment that was taken last held, for which there was no space.
    pub(crate) fn count_as_lost(&self, losses: &mut Losses) {
        for feature in &self.contents {
            losses.add(*feature, 1, None);
        }
    }

    /// Another comment begins.
    pub(crate) fn forget(&mut self) {
        self.contents.clear();
    }

    /// Appends the comment with its final zero, and clears the writer but for what
    /// [`count_as_lost`](Self::count_as_lost) counts. Returns whether the comment has any text.
    pub(crate) fn take_into(&mut self, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        if self.comments > 0 && self.is_exact && (self.is_changed() || has_command(&self.words)) {
            let mut encoded = b"[%tabia text ".to_vec();
            full_profile::percent_encoding::encode_text(self.words.as_bytes(), &mut encoded);
            encoded.push(b']');
            self.words = String::from_utf8_lossy(&encoded).into_owned();
        }
        if has_open_command(&self.words) {
            // It would take a bracket of the commands that follow.
            self.words_at = self.text.len();
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
        self.is_counted = false;
        self.list = None;
        has_text
    }
}

/// Whether words contain a command.
fn has_command(words: &str) -> bool {
    let mut rest = words;
    while let Some((_, command)) = next_command(rest) {
        if command.is_known() {
            return true;
        }
        rest = command.after;
    }
    false
}

/// Whether words contain the start of a command that would end with the next command.
fn has_open_command(words: &str) -> bool {
    const NEXT: &str = "[%clk 0:00:01]";
    if !words.contains("[%") {
        return false;
    }
    let text = format!("{words} {NEXT}");
    let mut rest = text.as_str();
    let mut last = "";
    while let Some((_, command)) = next_command(rest) {
        (rest, last) = (command.after, command.source);
    }
    last != NEXT
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

/// The command as Lichess writes it: pawns, with at least one decimal place.
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

/// The command of Scid: `[%draw circle,e4,red]`. `None` if it has no name for the shape.
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

    /// What a comment is read as, and the comment that is written for it.
    fn shown(text: &str) -> (String, String) {
        let mut shown = Shown::default();
        assert_eq!(read(text, None, &mut shown), Flow::Go);
        let mut bytes = Vec::new();
        shown.1.take_into(&mut bytes);
        let written = std::str::from_utf8(&bytes).unwrap().trim_end_matches('\0');
        (shown.0.join("|"), written.to_owned())
    }

    #[test]
    fn commands_and_text_keep_their_order() {
        for (text, expected) in [
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
            ("words [%unknown x]", "words [%unknown x]"),
        ] {
            let (found, written) = shown(text);
            assert_eq!(found, expected, "{text}");
            assert_eq!(written, text);
        }
    }

    #[test]
    fn other_spellings_are_read() {
        for (text, expected, written) in [
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
            assert_eq!(
                shown(text),
                (expected.to_owned(), written.to_owned()),
                "{text}"
            );
        }
    }

    /// The comment for some words and a clock time, and its losses.
    fn written(words: &str, is_exact: bool) -> (String, Losses) {
        let mut writer = CommentWriter::new(is_exact);
        let mut losses = Losses::new();
        let comment = HeldComment {
            language: None,
            text: words.to_owned(),
        };
        writer.add(&comment.annotation(CommentPlacement::After), &mut losses);
        let time = std::time::Duration::from_secs(1);
        let kind = ClockKind::Remaining;
        writer.add(&Annotation::Clock(Clock { kind, time }), &mut losses);
        let mut bytes = Vec::new();
        writer.take_into(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        (text.trim_end_matches('\0').to_owned(), losses)
    }

    #[test]
    fn words_with_an_open_command_follow_commands() {
        for is_exact in [false, true] {
            let (text, losses) = written("[%clk", is_exact);
            assert_eq!(text, "[%clk 0:00:01] [%clk");
            assert!(losses.is_empty());
            assert_eq!(shown(&text).0, "Clocks|[%clk");
        }
    }

    #[test]
    fn words_with_brackets_that_begin_no_command_stay_between_commands() {
        let text = "[%clk 0:00:01] {[%[%  ; [%clk 0:00:02]";
        let (found, written) = shown(text);
        assert_eq!(found, "Clocks|{[%[%  ;|Clocks");
        assert_eq!(written, text);
    }

    #[test]
    fn words_that_are_a_command_are_lost_or_encoded() {
        let (text, losses) = written("at [%clk 0:00:02]", false);
        assert_eq!(text, "at [%clk 0:00:02] [%clk 0:00:01]");
        assert_eq!(losses.count(Feature::Comments), 1);
        let (text, losses) = written("at [%clk 0:00:02]", true);
        assert!(losses.is_empty());
        assert_eq!(shown(&text).0, "Clocks|at [%clk 0:00:02]");
    }

    #[test]
    fn many_commands_are_read_in_linear_time() {
        let text = format!("a {} b", "[%clk 0:00:01] ".repeat(100_000));
        let mut shown = Shown::default();
        assert_eq!(read(&text, None, &mut shown), Flow::Go);
        assert_eq!(shown.0.len(), 100_001);
    }

    #[test]
    fn text_before_a_first_move_is_held() {
        let mut held = Vec::new();
        let mut shown = Shown::default();
        let flow = read("[%csl Ga1] then", Some(&mut held), &mut shown);
        assert_eq!((flow, shown.0.join("|").as_str()), (Flow::Go, "Shapes"));
        assert_eq!(held.len(), 1);
        assert_eq!(held[0].text, "then");
    }
}
