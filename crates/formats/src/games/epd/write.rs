//! Writes games as positions, one on each line.

use tabia_core::chess::{FenStyle, Ply, Position, Setup};
use tabia_core::error::GameIndex;
use tabia_core::formats::{CreateOptions, Profile};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Rules, Visitor};
use tabia_core::games::TextWriter;
use tabia_core::loss::{Feature, Losses};

use super::line::{is_name, is_operation, write_operations};
use super::style::LineStyle;

/// Tags that are not written because the position contains them.
const REDUNDANT_TAGS: [&str; 3] = ["FEN", "SetUp", "Variant"];

/// Writes one position for each game: the end of its mainline.
#[derive(Debug)]
pub(super) struct Writer {
    style: LineStyle,
    /// Whether all tags are written, not only those with the name of an operation.
    all_tags: bool,
    text: Vec<u8>,
    losses: Losses,
    head: GameHead,
    game: GameIndex,
    /// The position after the last move; `None` before the first one.
    reached: Option<Position>,
    /// The game has moves that could not be read.
    has_unread_moves: bool,
}

impl Writer {
    pub(super) fn new(style: LineStyle, options: &CreateOptions) -> Self {
        Self {
            style,
            all_tags: options.profile == Profile::Full,
            text: Vec::new(),
            losses: Losses::new(),
            head: GameHead::default(),
            game: GameIndex(0),
            reached: None,
            has_unread_moves: false,
        }
    }

    fn lose(&mut self, feature: Feature, count: u64) {
        self.losses.add(feature, count, Some(self.game));
    }

    /// Whether a tag becomes an operation.
    fn writes(&self, name: &str) -> bool {
        let is_redundant = match name {
            "Result" => self.head.tags.text(name) == "*",
            name => REDUNDANT_TAGS.contains(&name),
        };
        !is_redundant && (is_operation(name) || self.all_tags && is_name(name))
    }

    /// Whether the game goes on from its start with moves that are not known: those that could not be read, and those of
    /// other rules, which a comment holds.
    fn has_unknown_moves(&self) -> bool {
        let start = &self.head.start;
        self.has_unread_moves || start.setup.is_none() && self.head.first_position().is_none()
    }

    /// Writes the line of the current game.
    fn write_line(&mut self) {
        let fen = match (&self.reached, &self.head.start.setup) {
            (Some(position), _) => position.fen(),
            (None, Some(setup)) => setup.fen(FenStyle::XFen),
            (None, None) => Position::standard().fen(),
        };
        let is_shown = Setup::parse_fen(fen.as_bytes())
            .ok()
            .and_then(|setup| Position::from_setup(&setup).ok())
            .is_some_and(|position| position.is_chess960());
        if self.head.start.chess960 && !is_shown {
            self.lose(Feature::Chess960, 1);
        }
        let mut operations = Vec::new();
        let changed = write_operations(&self.head.tags, |name| self.writes(name), &mut operations);
        self.lose(Feature::Characters, changed);
        let is_lost = |(name, value): &(&str, &str)| {
            let is_known = !value.is_empty() && !value.chars().all(|c| "?.".contains(c));
            let is_kept = match *name {
                "FEN" => !self.head.start.contradicts(value),
                "SetUp" => !self.head.start.contradicts_setup_tag(value),
                // Unless the position shows it, Chess960 is a loss of its own.
                "Variant" => Rules::of_variant(value) != Rules::Other,
                "Result" if *value == "*" => true,
                name => self.writes(name),
            };
            is_known && !is_kept
        };
        let lost = self.head.tags.iter().filter(is_lost);
        let lost: Vec<String> = lost.map(|(name, _)| name.to_owned()).collect();
        for name in lost {
            self.lose(Feature::Tags, 1);
            self.losses.add_name(Feature::Tags, &name);
        }
        match self.style {
            LineStyle::Fen => self.text.extend_from_slice(fen.as_bytes()),
            LineStyle::Epd => self.write_four_fields(&fen),
        }
        self.text.extend_from_slice(&operations);
        self.text.push(b'\n');
    }

    /// Writes the first four fields of a FEN, and its two numbers as operations unless they are 0 and 1.
    fn write_four_fields(&mut self, fen: &str) {
        let mut fields = fen.rsplitn(3, ' ');
        let (number, clock) = (fields.next(), fields.next());
        let position = fields.next().unwrap_or(fen);
        self.text.extend_from_slice(position.as_bytes());
        for (name, value, default) in [("hmvc", clock, "0"), ("fmvn", number, "1")] {
            if let Some(value) = value.filter(|value| *value != default) {
                let operation = format!(" {name} {value};");
                self.text.extend_from_slice(operation.as_bytes());
            }
        }
    }
}

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.head.clone_from(head);
        self.game = game;
        self.reached = None;
        self.has_unread_moves = false;
        if head.deleted {
            self.lose(Feature::DeletionMarks, 1);
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let mut position = before.clone();
        position.play_ply(ply);
        self.reached = Some(position);
        self.lose(Feature::Moves, 1);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        // A guiding text is one loss, whatever it consists of.
        if self.head.kind == RecordKind::Game {
            self.lose(annotation.feature(), 1);
        }
        if let Annotation::Foreign(foreign) = annotation {
            self.has_unread_moves |= foreign.is_unread_moves();
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.lose(Feature::Variations, 1);
        Flow::Skip
    }

    fn end_game(&mut self, _: GameResult) {
        if self.head.kind == RecordKind::Text {
            self.lose(Feature::GuidingTexts, 1);
        } else if self.reached.is_some() || !self.has_unknown_moves() {
            self.write_line();
        } else if !self.has_unread_moves {
            self.lose(Feature::UnreadMoves, 1);
        }
    }
}

impl TextWriter for Writer {
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }
}
