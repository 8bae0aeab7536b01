//! The records of a piece of an input as rows, made while they are visited.

use std::ops::Range;
use std::time::Duration;

use tabia::collect_in_parallel::Collector;
use tabia::core::chess::FenStyle;
use tabia::core::game::{ClockKind, Comment, CommentPlacement, Language, RecordKind, Score};
use tabia::core::game::{Start, Tags};
use tabia::core::games::{HeadName, HeadReader, IndexHead, TextWriter};
use tabia::known_texts::{KnownText, KnownTexts};
use tabia::{
    Annotation, Database, Date, Feature, Flow, GameHead, GameIndex, GameResult, Losses, Ply,
    Position, Problem, Visitor, Want,
};

use crate::first_time_period::first_period;
use crate::move_code;
use crate::sent_texts::{PieceTexts, SentNumbers, TEXT_FIELDS};
use crate::span::Span;
use crate::tag_targets::{TagTarget, TagTargets, TextField};

/// A mark of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    Deleted,
    Text,
    Variations,
    Comments,
    Nags,
}

/// A text of a row as a batch gets it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NameCell<'a> {
    /// The text and the number of the value, `u32::MAX` if it has none.
    Text(&'a str, u32),
    /// The number of a text that was sent.
    Sent(u32),
}

impl<'a> NameCell<'a> {
    /// The text, unless it was sent.
    pub(crate) const fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text, _) => Some(text),
            Self::Sent(_) => None,
        }
    }
}

/// A text of a row: where it is, and the number of the value, if it has one.
#[derive(Debug, Clone, Copy)]
struct TextCell {
    start: usize,
    length: u32,
    number: u32,
}

impl TextCell {
    /// No text.
    const NONE: Self = Self {
        start: usize::MAX,
        length: 0,
        number: u32::MAX,
    };

    /// A text that was sent.
    const fn sent(number: u32) -> Self {
        Self {
            start: usize::MAX - 1,
            length: 0,
            number,
        }
    }

    const fn is_sent(self) -> bool {
        self.start == usize::MAX - 1
    }

    const fn is_none(self) -> bool {
        self.start == usize::MAX
    }

    fn span(self) -> Span {
        Span {
            start: self.start,
            end: self.start + self.length as usize,
        }
    }
}

/// Numbers that few databases have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RareNumber {
    WhiteFideId,
    BlackFideId,
    UtcTime,
    Period,
}

/// Values of one kind for the plies of some games; a game without any takes no memory.
#[derive(Debug, Default)]
pub(crate) struct PlyValues {
    values: Vec<Option<i32>>,
    /// Where the values of the open game begin.
    start: usize,
}

impl PlyValues {
    fn clear(&mut self) {
        self.values.clear();
        self.start = 0;
    }

    /// A game begins; what one that did not end has left is dropped.
    fn begin(&mut self) {
        self.values.truncate(self.start);
    }

    /// Sets the value of a ply, counted from 0; whether it had none.
    fn set(&mut self, ply: usize, value: i32) -> bool {
        let index = self.start + ply;
        if self.values.len() <= index {
            self.values.resize(index + 1, None);
        }
        let slot = self.values.get_mut(index);
        slot.is_some_and(|slot| slot.replace(value).is_none())
    }

    /// The values of the open game, which has that many plies; `None` without any.
    fn end(&mut self, plies: usize) -> Option<Span> {
        let start = self.start;
        if self.values.len() == start {
            return None;
        }
        self.values.resize(start + plies, None);
        self.start = self.values.len();
        Some(Span {
            start,
            end: self.start,
        })
    }
}

/// A record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    game: u32,
    /// What the column `variant` has if no tag states it.
    chess960: bool,
    pub(crate) elo: [Option<i16>; 2],
    pub(crate) fide_id: [Option<i32>; 2],
    pub(crate) result: GameResult,
    pub(crate) date: Date,
    pub(crate) utc_time: Option<i32>,
    pub(crate) period: Option<(i32, i16)>,
    pub(crate) speed: Option<&'static str>,
    flags: [bool; 5],
    problems: u32,
    tags: Span,
    moves: Span,
    /// The number of plies that the database states; `None` if the moves were read.
    stated_plies: Option<u32>,
    /// Bytes of its texts.
    text_bytes: usize,
}

/// Lists of a record that few records have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct RowLists {
    clocks: Option<Span>,
    elapsed: Option<Span>,
    centipawns: Option<Span>,
    mates: Option<Span>,
    depths: Option<Span>,
    nags: Option<Span>,
    comments: Option<Span>,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            game: 0,
            chess960: false,
            elo: [None; 2],
            fide_id: [None; 2],
            result: GameResult::Unknown,
            date: Date::UNKNOWN,
            utc_time: None,
            period: None,
            speed: None,
            flags: [false; 5],
            problems: 0,
            tags: Span::default(),
            moves: Span::default(),
            stated_plies: None,
            text_bytes: 0,
        }
    }
}

/// A comment of a ply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommentCell {
    pub(crate) ply: usize,
    language: Option<Language>,
    text: Span,
}

/// The records of a piece of an input.
#[derive(Debug, Default)]
pub(crate) struct GameRows {
    rows: Vec<Row>,
    /// Lists of the rows; those of the last rows are absent if they have none.
    lists: Vec<RowLists>,
    /// Texts of the rows, by field; those of the last rows are absent if they have none.
    cells: [Vec<TextCell>; TEXT_FIELDS],
    /// A bit for each kind of numbers that a row has, by [`RareNumber`].
    rare_numbers: u8,
    /// Texts of this piece and those after it.
    sent: PieceTexts,
    text: String,
    tags: Vec<(Span, Span)>,
    codes: Vec<i16>,
    clocks: PlyValues,
    elapsed: PlyValues,
    centipawns: PlyValues,
    mates: PlyValues,
    depths: PlyValues,
    nags: Vec<(usize, i16)>,
    comments: Vec<CommentCell>,
}

impl GameRows {
    fn clear(&mut self) {
        self.rows.clear();
        self.lists.clear();
        self.cells.iter_mut().for_each(Vec::clear);
        self.rare_numbers = 0;
        self.sent.clear();
        self.text.clear();
        self.tags.clear();
        self.codes.clear();
        self.clocks.clear();
        self.elapsed.clear();
        self.centipawns.clear();
        self.mates.clear();
        self.depths.clear();
        self.nags.clear();
        self.comments.clear();
    }

    /// The texts that the piece sends.
    pub(crate) const fn sent_texts(&self) -> &PieceTexts {
        &self.sent
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Records, in order.
    pub(crate) fn rows(&self, range: Range<usize>) -> impl Iterator<Item = RowRef<'_>> {
        let rows = self.rows.get(range.clone()).unwrap_or_default();
        let rows = rows.iter().zip(range.start..);
        rows.map(|(row, index)| RowRef {
            rows: self,
            row,
            index,
        })
    }

    /// The texts of a field of some records. `None` if no record of the piece has one.
    pub(crate) fn names(
        &self,
        field: TextField,
        range: Range<usize>,
    ) -> Option<impl Iterator<Item = Option<NameCell<'_>>>> {
        let cells = self
            .cells
            .get(field as usize)
            .filter(|cells| !cells.is_empty())?;
        let end = range.end.min(cells.len());
        let there = cells.get(range.start.min(end)..end).unwrap_or_default();
        let absent = std::iter::repeat_n(None, range.len() - there.len());
        let there = there.iter().map(|cell| {
            if cell.is_none() {
                return None;
            }
            if cell.is_sent() {
                return Some(NameCell::Sent(cell.number));
            }
            let span = cell.span();
            let text = self.text.get(span.start..span.end).unwrap_or_default();
            Some(NameCell::Text(text, cell.number))
        });
        Some(there.chain(absent))
    }

    /// Whether a record of the piece has a number of this kind.
    pub(crate) const fn has_numbers(&self, kind: RareNumber) -> bool {
        self.rare_numbers & 1 << kind as u8 != 0
    }

    fn push_text(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text);
        Span {
            start,
            end: self.text.len(),
        }
    }
}

/// A record of [`GameRows`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowRef<'a> {
    rows: &'a GameRows,
    pub(crate) row: &'a Row,
    index: usize,
}

impl<'a> RowRef<'a> {
    /// Number of the game in its piece, from 0.
    pub(crate) fn game(self) -> GameIndex {
        GameIndex(self.row.game)
    }

    /// The variant, with a number.
    pub(crate) fn variant(self) -> (&'a str, u32) {
        let chess960 = self.row.chess960;
        let usual = if chess960 { "chess960" } else { "standard" };
        let cells = self.rows.cells.get(TextField::Variant as usize);
        let stated = cells.and_then(|cells| cells.get(self.index));
        let stated = stated.filter(|cell| !cell.is_none());
        stated.map_or((usual, chess960.into()), |cell| {
            (self.slice(cell.span()), cell.number)
        })
    }

    fn lists(self) -> RowLists {
        let lists = self.rows.lists.get(self.index);
        lists.copied().unwrap_or_default()
    }

    fn slice(self, span: Span) -> &'a str {
        self.rows.text.get(span.start..span.end).unwrap_or_default()
    }

    pub(crate) fn flag(self, flag: Flag) -> bool {
        self.row
            .flags
            .get(flag as usize)
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn problems(self) -> i16 {
        i16::try_from(self.row.problems).unwrap_or(i16::MAX)
    }

    pub(crate) fn plies(self) -> usize {
        self.row.moves.end - self.row.moves.start
    }

    pub(crate) fn ply_count(self) -> i16 {
        let plies = self
            .row
            .stated_plies
            .map_or(self.plies(), |plies| plies as usize);
        i16::try_from(plies).unwrap_or(i16::MAX)
    }

    pub(crate) fn codes(self) -> &'a [i16] {
        let span = self.row.moves;
        self.rows
            .codes
            .get(span.start..span.end)
            .unwrap_or_default()
    }

    pub(crate) fn tags(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let span = self.row.tags;
        let tags = self.rows.tags.get(span.start..span.end).unwrap_or_default();
        tags.iter()
            .map(move |(name, value)| (self.slice(*name), self.slice(*value)))
    }

    pub(crate) fn clocks(self) -> Option<&'a [Option<i32>]> {
        values(&self.rows.clocks, self.lists().clocks)
    }

    pub(crate) fn elapsed(self) -> Option<&'a [Option<i32>]> {
        values(&self.rows.elapsed, self.lists().elapsed)
    }

    pub(crate) fn centipawns(self) -> Option<&'a [Option<i32>]> {
        values(&self.rows.centipawns, self.lists().centipawns)
    }

    pub(crate) fn mates(self) -> Option<&'a [Option<i32>]> {
        values(&self.rows.mates, self.lists().mates)
    }

    pub(crate) fn depths(self) -> Option<&'a [Option<i32>]> {
        values(&self.rows.depths, self.lists().depths)
    }

    /// NAGs of the mainline with their plies, counted from 0.
    pub(crate) fn nags(self) -> &'a [(usize, i16)] {
        let span = self.lists().nags.unwrap_or_default();
        self.rows.nags.get(span.start..span.end).unwrap_or_default()
    }

    /// Comments of the mainline, in the order of plies.
    pub(crate) fn comments(self) -> &'a [CommentCell] {
        let span = self.lists().comments.unwrap_or_default();
        self.rows
            .comments
            .get(span.start..span.end)
            .unwrap_or_default()
    }

    pub(crate) fn comment_text(self, comment: &CommentCell) -> &'a str {
        self.slice(comment.text)
    }

    /// Bytes of the texts and lists of the row, about.
    pub(crate) fn size(self) -> usize {
        let row = self.row;
        let lists = self.lists();
        let lists = [
            lists.clocks,
            lists.elapsed,
            lists.centipawns,
            lists.mates,
            lists.depths,
        ];
        let lists = lists.iter().flatten().count() * 4 + 2;
        row.text_bytes + self.plies() * lists + 100
    }
}

fn values(all: &PlyValues, span: Option<Span>) -> Option<&[Option<i32>]> {
    span.and_then(|span| all.values.get(span.start..span.end))
}

/// What rows are made of.
pub(crate) struct RowOptions {
    /// Comments in every language, not in one.
    pub(crate) all_comments: bool,
    /// Writes the column `pgn`.
    pub(crate) pgn: Option<Box<dyn TextWriter>>,
    /// What the index of a database states is taken from there, instead of reading moves.
    pub(crate) is_header: bool,
    /// Nothing else is needed of games but their heads.
    pub(crate) takes_heads: bool,
}

/// What the index of a database states of a game; `None` for what is read of the game.
#[derive(Debug, Clone, Copy, Default)]
struct Stated {
    plies: Option<u32>,
    /// Variations, comments, NAGs.
    marks: Option<[bool; 3]>,
}

impl Stated {
    fn of(database: &dyn Database, game: GameIndex) -> Self {
        let Ok(entry) = database.entry(game) else {
            return Self::default();
        };
        if entry.is_text {
            return Self {
                plies: Some(0),
                marks: Some([false; 3]),
            };
        }
        let marks = [entry.has_variations, entry.has_comments, entry.has_nags];
        let marks = match marks {
            [Some(variations), Some(comments), Some(nags)] => Some([variations, comments, nags]),
            _ => None,
        };
        // The number of plies is worth nothing if the game is read for its marks.
        let plies = marks.and_then(|_| {
            let plies = entry.ply_count.map(u32::from);
            plies.or_else(|| database.stored_plies(game))
        });
        Self { plies, marks }
    }

    /// What has to be read.
    fn want(self, want: Want) -> Want {
        match self {
            Self { plies: Some(_), .. } => Want::TAGS,
            Self { marks: Some(_), .. } => Want::TAGS.and(Want::MAINLINE),
            _ => want,
        }
    }
}

/// Makes rows of the games that it visits.
pub(crate) struct RowCollector {
    options: RowOptions,
    done: GameRows,
    row: Row,
    is_open: bool,
    chess960: bool,
    /// How many variations are open.
    depth: u32,
    /// Indices into `done` where the parts of the open game begin.
    starts: Starts,
    /// Problems of the game that begins next.
    early_problems: u32,
    /// What the index states of the game that begins next, or is open.
    stated: Stated,
    targets: TagTargets,
    /// The names that were sent, by [`HeadName`].
    sent_names: [SentNumbers; HeadName::ALL.len()],
    /// The texts of other names in the piece, by [`HeadName`].
    known_names: [KnownTexts; HeadName::ALL.len()],
    /// The texts of dates.
    known_dates: KnownTexts,
    /// A date as an index has it, and as its text is read.
    last_date: (Date, Date),
    result_tag: Option<Span>,
    losses: Losses,
}

#[derive(Debug, Clone, Copy, Default)]
struct Starts {
    tags: usize,
    codes: usize,
    nags: usize,
    comments: usize,
    text: usize,
}

impl std::fmt::Debug for RowCollector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowCollector")
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

impl RowCollector {
    pub(crate) fn new(options: RowOptions) -> Self {
        Self {
            options,
            done: GameRows::default(),
            row: Row::default(),
            is_open: false,
            chess960: false,
            depth: 0,
            starts: Starts::default(),
            early_problems: 0,
            stated: Stated::default(),
            targets: TagTargets::default(),
            sent_names: Default::default(),
            known_names: Default::default(),
            known_dates: KnownTexts::default(),
            last_date: (Date::UNKNOWN, Date::UNKNOWN),
            result_tag: None,
            losses: Losses::new(),
        }
    }

    fn plies(&self) -> usize {
        self.done.codes.len() - self.starts.codes
    }

    /// The number of the last ply of the mainline, from 0; counts a loss if there is none.
    fn last_ply(&mut self, lost: Feature) -> Option<usize> {
        let last = self.plies().checked_sub(1);
        if last.is_none() {
            self.lose(lost);
        }
        last
    }

    fn lose(&mut self, feature: Feature) {
        // The column `pgn` has it.
        if self.options.pgn.is_none() {
            self.losses.add(feature, 1, None);
        }
    }

    /// Puts tag pairs into their columns; those that belong to none, or do not fit, into `tags`.
    fn put_tags(&mut self, tags: &Tags, game_start: &Start) {
        let mut targets = std::mem::take(&mut self.targets);
        let (values, ends) = tags.values();
        let base = self.done.text.len();
        self.done.text.push_str(values);
        let mut numbers = tags.numbers();
        let mut start = 0;
        for ((index, target), end) in targets.of(tags).iter().enumerate().zip(ends) {
            let end = *end as usize;
            let value = values.get(start..end).unwrap_or_default();
            let span = Span {
                start: base + start,
                end: base + end,
            };
            start = end;
            let mut number = u32::MAX;
            while let Some((&(of, known), rest)) = numbers.split_first()
                && of as usize <= index
            {
                if of as usize == index {
                    number = known;
                }
                numbers = rest;
            }
            if !self.put_tag(*target, value, (span, number), game_start)
                && let Some((name, _)) = tags.pair(index)
            {
                let name = self.done.push_text(name);
                self.done.tags.push((name, span));
            }
        }
        self.targets = targets;
    }

    /// Puts the value of a tag, which is at a span and has a number, into its column; `false` if it belongs to `tags`.
    fn put_tag(
        &mut self,
        target: TagTarget,
        value: &str,
        stored: (Span, u32),
        game_start: &Start,
    ) -> bool {
        match target {
            TagTarget::Name(field) => self.put_name(field, value, stored),
            TagTarget::TimeControl => {
                let is_new = self.put_name(TextField::TimeControl, value, stored);
                if is_new {
                    self.row.period = first_period(value);
                    self.row.speed = tabia::query::speed_of_time_control(value);
                }
                is_new
            }
            TagTarget::Date => {
                let is_new = self.put_name(TextField::Date, value, stored);
                if is_new {
                    self.row.date = date_of(value);
                }
                is_new
            }
            TagTarget::Elo(side) => match self.row.elo.get_mut(side) {
                Some(slot) => put_elo(slot, value),
                None => false,
            },
            TagTarget::FideId(side) => match self.row.fide_id.get_mut(side) {
                Some(slot) => put_number(slot, value),
                None => false,
            },
            TagTarget::UtcTime if self.row.utc_time.is_none() => {
                self.row.utc_time = time_of_day(value);
                self.row.utc_time.is_some()
            }
            TagTarget::Result if self.result_tag.is_none() => {
                self.result_tag = Some(stored.0);
                true
            }
            TagTarget::Fen => !game_start.contradicts(value),
            TagTarget::SetUp => !game_start.contradicts_setup_tag(value),
            TagTarget::Variant => {
                let variant = value.trim().to_lowercase();
                let is_plain = matches!(value, "Standard" | "Chess960");
                if !variant.is_empty() {
                    self.put_text(TextField::Variant, &variant);
                }
                is_plain
            }
            TagTarget::UtcTime | TagTarget::Result | TagTarget::Other => false,
        }
    }

    /// Whether the field had no text yet; unknown values are not stored.
    fn put_name(&mut self, field: TextField, value: &str, (span, number): (Span, u32)) -> bool {
        let is_new = !self.has_text(field);
        if is_new && !value.is_empty() && value != "?" {
            self.set_text(field, span, number);
        }
        is_new
    }

    /// Whether the open game has a text in a field.
    fn has_text(&self, field: TextField) -> bool {
        let cells = self.done.cells.get(field as usize);
        let cell = cells.and_then(|cells| cells.get(self.done.rows.len()));
        cell.is_some_and(|cell| !cell.is_none())
    }

    fn put_text(&mut self, field: TextField, value: &str) {
        let span = self.done.push_text(value);
        self.set_text(field, span, u32::MAX);
    }

    /// Sets the text of a field of the open game.
    fn set_text(&mut self, field: TextField, span: Span, number: u32) {
        let Ok(length) = u32::try_from(span.end - span.start) else {
            // Limits keep the texts of a game far below 4 GiB.
            self.row.problems = self.row.problems.saturating_add(1);
            return;
        };
        self.set_cell(
            field,
            TextCell {
                start: span.start,
                length,
                number,
            },
        );
    }

    fn set_cell(&mut self, field: TextField, cell: TextCell) {
        let row = self.done.rows.len();
        let Some(cells) = self.done.cells.get_mut(field as usize) else {
            return;
        };
        if let Some(known) = cells.get_mut(row) {
            *known = cell;
        } else {
            cells.resize(row, TextCell::NONE);
            cells.push(cell);
        }
    }

    fn set_flag(&mut self, flag: Flag) {
        if let Some(slot) = self.row.flags.get_mut(flag as usize) {
            *slot = true;
        }
    }

    fn annotate_mainline(&mut self, annotation: Annotation<'_>) {
        let feature = annotation.feature();
        match annotation {
            Annotation::Nag(nag) => {
                self.set_flag(Flag::Nags);
                if let Some(ply) = self.last_ply(feature) {
                    self.done.nags.push((ply, i16::from(nag.0)));
                }
            }
            Annotation::Comment(comment) => {
                self.set_flag(Flag::Comments);
                self.put_comment(comment);
            }
            Annotation::Clock(clock) => {
                let Some(ply) = self.last_ply(feature) else {
                    return;
                };
                let values = match clock.kind {
                    ClockKind::Remaining => Some(&mut self.done.clocks),
                    ClockKind::ElapsedMove => Some(&mut self.done.elapsed),
                    _ => None,
                };
                let time = milliseconds(clock.time);
                let is_put = match (values, time) {
                    (Some(values), Some(time)) => values.set(ply, time),
                    _ => false,
                };
                if !is_put {
                    self.lose(feature);
                }
            }
            Annotation::Eval(eval) => {
                let Some(ply) = self.last_ply(feature) else {
                    return;
                };
                let (values, other, score) = match eval.score {
                    Score::Centipawns(score) => {
                        (&mut self.done.centipawns, &self.done.mates, score)
                    }
                    Score::Mate(moves) => (&mut self.done.mates, &self.done.centipawns, moves),
                };
                let has_other = other
                    .values
                    .get(other.start + ply)
                    .is_some_and(Option::is_some);
                let is_put = i16::try_from(score).is_ok() && !has_other && values.set(ply, score);
                if !is_put {
                    self.lose(feature);
                    return;
                }
                match eval.depth.map(i16::try_from) {
                    Some(Ok(depth)) => {
                        self.done.depths.set(ply, i32::from(depth));
                    }
                    Some(Err(_)) => self.lose(Feature::EvalDepths),
                    None => {}
                }
                if eval.engine != 0 {
                    self.lose(Feature::EvalDepths);
                }
            }
            // Once for each record.
            Annotation::Text(_) => {}
            _ => self.lose(feature),
        }
    }

    fn put_comment(&mut self, comment: Comment<'_>) {
        let Some(ply) = self.last_ply(Feature::Comments) else {
            return;
        };
        if comment.placement == CommentPlacement::Before {
            self.lose(Feature::CommentPlacement);
        }
        let text = self.done.push_text(comment.text);
        self.done.comments.push(CommentCell {
            ply,
            language: comment.language,
            text,
        });
    }

    /// Leaves one language of the comments of the open game, and counts the others as lost.
    fn choose_language(&mut self) {
        if self.options.all_comments {
            return;
        }
        let start = self.starts.comments;
        let open = self.done.comments.get(start..).unwrap_or_default();
        let english = Language::iso(*b"en");
        let languages = || open.iter().filter_map(|comment| comment.language);
        let chosen = languages()
            .find(|language| Some(*language) == english)
            .or_else(|| languages().next());
        if chosen.is_none() {
            return;
        }
        let is_kept =
            |comment: &CommentCell| comment.language.is_none() || comment.language == chosen;
        let count = open.len();
        let kept: Vec<CommentCell> = open.iter().copied().filter(is_kept).collect();
        let lost = count - kept.len();
        self.done.comments.truncate(start);
        self.done.comments.extend(kept);
        for _ in 0..lost {
            self.lose(Feature::Comments);
        }
    }

    fn begin_row(&mut self, game: GameIndex) {
        self.row = Row {
            game: game.0,
            problems: std::mem::take(&mut self.early_problems),
            ..Row::default()
        };
        if self.is_open {
            // Of a game that did not end.
            let rows = self.done.rows.len();
            self.done
                .cells
                .iter_mut()
                .for_each(|cells| cells.truncate(rows));
        }
        self.is_open = true;
        self.depth = 0;
        self.result_tag = None;
        self.starts = Starts {
            tags: self.done.tags.len(),
            codes: self.done.codes.len(),
            nags: self.done.nags.len(),
            comments: self.done.comments.len(),
            text: self.done.text.len(),
        };
        let done = &mut self.done;
        for values in [
            &mut done.clocks,
            &mut done.elapsed,
            &mut done.centipawns,
            &mut done.mates,
            &mut done.depths,
        ] {
            values.begin();
        }
    }

    fn finish_row(&mut self, result: GameResult) {
        if let Some(value) = self.result_tag.take() {
            let text = self
                .done
                .text
                .get(value.start..value.end)
                .unwrap_or_default();
            if result.contradicts(text) {
                let name = self.done.push_text("Result");
                self.done.tags.push((name, value));
            }
        }
        self.choose_language();
        self.row.stated_plies = self.stated.plies;
        if let Some(marks) = self.stated.marks {
            self.set_marks(marks);
        }
        let plies = self.plies();
        let starts = self.starts;
        let done = &mut self.done;
        let row = &mut self.row;
        row.result = result;
        let until = |start, end| Span { start, end };
        row.tags = until(starts.tags, done.tags.len());
        row.moves = until(starts.codes, done.codes.len());
        let any = |start, end| (start < end).then_some(until(start, end));
        let lists = RowLists {
            clocks: done.clocks.end(plies),
            elapsed: done.elapsed.end(plies),
            centipawns: done.centipawns.end(plies),
            mates: done.mates.end(plies),
            depths: done.depths.end(plies),
            nags: any(starts.nags, done.nags.len()),
            comments: any(starts.comments, done.comments.len()),
        };
        if lists != RowLists::default() {
            done.lists.resize(done.rows.len(), RowLists::default());
            done.lists.push(lists);
        }
        if let Some(writer) = &mut self.options.pgn {
            let pgn = String::from_utf8_lossy(writer.text()).into_owned();
            writer.text().clear();
            self.put_text(TextField::Pgn, &pgn);
        }
        self.row.text_bytes = self.done.text.len() - starts.text;
        self.push_row();
    }

    /// Appends the open row, which is complete but for what all rows have.
    fn push_row(&mut self) {
        if !self.has_text(TextField::Variant) {
            // The name of the usual variant, which is a text of the row as well.
            self.row.text_bytes += "standard".len();
        }
        let row = &self.row;
        for (kind, is_there) in [
            (RareNumber::WhiteFideId, row.fide_id[0].is_some()),
            (RareNumber::BlackFideId, row.fide_id[1].is_some()),
            (RareNumber::UtcTime, row.utc_time.is_some()),
            (RareNumber::Period, row.period.is_some()),
        ] {
            self.done.rare_numbers |= u8::from(is_there) << kind as u8;
        }
        self.done.rows.push(self.row);
        self.is_open = false;
    }

    /// Makes the row of a game of its head alone; `false` if the game has to be visited.
    fn push_head(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        heads: &dyn HeadReader,
        head: &IndexHead,
    ) -> bool {
        let mut plies = None;
        if self.options.is_header {
            // As `Stated` has it.
            plies = head
                .ply_count
                .map(u32::from)
                .or_else(|| database.stored_plies(game));
            if head.marks.is_none() || plies.is_none() {
                return false;
            }
        }
        if head.elo.iter().any(|elo| *elo > MAX_ELO.cast_unsigned()) {
            return false;
        }
        self.begin_row(game);
        let mut text_bytes = 0;
        for (index, (name, number)) in HeadName::ALL.into_iter().zip(head.names).enumerate() {
            let sent = self.sent_names.get_mut(index);
            let (Some(sent), Some(number)) = (sent, number) else {
                continue;
            };
            let field = field_of(name);
            let write = |text: &mut String| heads.push_value(name, number, text);
            if let Some(sent) = sent.find((field, number), &mut self.done.sent, write) {
                text_bytes += sent.length;
                if !sent.is_unknown {
                    self.set_cell(field, TextCell::sent(number));
                }
                continue;
            }
            let Some(known) = self.known_names.get_mut(index) else {
                continue;
            };
            let known = known.find(number, &mut self.done.text, write);
            text_bytes += known.end - known.start;
            if !known.is_unknown {
                self.set_text(field, span_of(known), number);
            }
        }
        let Date { year, month, day } = head.date;
        let number = u32::from(year) << 16 | u32::from(month) << 8 | u32::from(day);
        let known = self
            .known_dates
            .find(number, &mut self.done.text, |text| head.date.push_to(text));
        text_bytes += known.end - known.start;
        if self.last_date.0 != head.date {
            let text = self.done.text.get(known.start..known.end);
            self.last_date = (head.date, date_of(text.unwrap_or_default()));
        }
        self.row.date = self.last_date.1;
        self.set_text(TextField::Date, span_of(known), number);
        for (slot, elo) in self.row.elo.iter_mut().zip(head.elo) {
            *slot = i16::try_from(elo).ok().filter(|elo| *elo != 0);
        }
        if head.deleted {
            self.set_flag(Flag::Deleted);
        }
        let before = self.done.text.len();
        if !head.rest.is_empty() {
            self.put_tags(&head.rest, &Start::default());
        }
        self.row.text_bytes = text_bytes + self.done.text.len() - before;
        self.row.result = head.result;
        self.row.stated_plies = plies;
        if let Some(marks) = head.marks.filter(|_| self.options.is_header) {
            self.set_marks(marks);
        }
        self.row.tags = Span {
            start: self.starts.tags,
            end: self.done.tags.len(),
        };
        let moves = self.starts.codes;
        self.row.moves = Span {
            start: moves,
            end: moves,
        };
        self.push_row();
        true
    }

    /// Sets the flags of variations, comments and NAGs.
    fn set_marks(&mut self, [variations, comments, nags]: [bool; 3]) {
        for (flag, is_set) in [
            (Flag::Variations, variations),
            (Flag::Comments, comments),
            (Flag::Nags, nags),
        ] {
            if is_set {
                self.set_flag(flag);
            }
        }
    }
}

impl Visitor for RowCollector {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.begin_row(game);
        self.row.chess960 = head.start.chess960;
        self.chess960 = head.start.chess960;
        if head.deleted {
            self.set_flag(Flag::Deleted);
        }
        if head.kind == RecordKind::Text {
            self.set_flag(Flag::Text);
            self.lose(Feature::GuidingTexts);
        }
        self.put_tags(&head.tags, &head.start);
        if let Some(setup) = &head.start.setup {
            self.put_text(TextField::Fen, &setup.fen(FenStyle::XFen));
        }
        if let Some(writer) = &mut self.options.pgn {
            return writer.begin_game(game, head);
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.depth == 0 {
            self.done.codes.push(move_code::encode(ply, self.chess960));
        }
        match &mut self.options.pgn {
            Some(writer) => writer.visit_move(before, ply),
            None => Flow::Go,
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.depth == 0 {
            self.annotate_mainline(annotation);
        } else {
            match annotation {
                Annotation::Nag(_) => self.set_flag(Flag::Nags),
                Annotation::Comment(_) => self.set_flag(Flag::Comments),
                _ => {}
            }
        }
        match &mut self.options.pgn {
            Some(writer) => writer.visit_annotation(annotation),
            None => Flow::Go,
        }
    }

    fn begin_variation(&mut self) -> Flow {
        if self.depth == 0 {
            self.set_flag(Flag::Variations);
            self.lose(Feature::Variations);
        }
        let flow = match &mut self.options.pgn {
            Some(writer) => writer.begin_variation(),
            None => Flow::Go,
        };
        if flow == Flow::Go {
            self.depth += 1;
        }
        flow
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if let Some(writer) = &mut self.options.pgn {
            writer.end_variation();
        }
    }

    fn end_game(&mut self, result: GameResult) {
        if let Some(writer) = &mut self.options.pgn {
            writer.end_game(result);
            self.losses.merge(&writer.take_losses());
        }
        self.finish_row(result);
    }
}

impl Collector for RowCollector {
    type Piece = GameRows;

    fn swap(&mut self, piece: &mut GameRows) {
        piece.clear();
        std::mem::swap(&mut self.done, piece);
        let names = self.known_names.iter_mut();
        names
            .chain([&mut self.known_dates])
            .for_each(KnownTexts::forget);
    }

    fn on_problem(&mut self, problem: &Problem) {
        let game = problem.error.location().game;
        if self.is_open {
            self.row.problems = self.row.problems.saturating_add(1);
        } else if let Some(last) = self.done.rows.last_mut()
            && game.is_none_or(|game| game.0 == last.game)
        {
            last.problems = last.problems.saturating_add(1);
        } else {
            self.early_problems = self.early_problems.saturating_add(1);
        }
    }

    fn want_of(&mut self, database: &dyn Database, game: GameIndex, want: Want) -> Want {
        if !self.options.is_header {
            return want;
        }
        self.stated = Stated::of(database, game);
        self.stated.want(want)
    }

    fn wants_heads(&self) -> bool {
        self.options.takes_heads
    }

    fn take_head(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        heads: &dyn HeadReader,
        head: &IndexHead,
    ) -> bool {
        self.push_head(database, game, heads, head)
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }
}

/// The column of a tag whose values have numbers.
const fn field_of(name: HeadName) -> TextField {
    match name {
        HeadName::Event => TextField::Event,
        HeadName::Site => TextField::Site,
        HeadName::Round => TextField::Round,
        HeadName::White => TextField::White,
        HeadName::Black => TextField::Black,
        HeadName::Eco => TextField::Eco,
        HeadName::Annotator => TextField::Annotator,
    }
}

const fn span_of(known: KnownText) -> Span {
    Span {
        start: known.start,
        end: known.end,
    }
}

fn date_of(text: &str) -> Date {
    Date::of_text(text)
}

/// Ratings above this are none.
const MAX_ELO: i16 = 4999;

/// Whether the value fits the column, which had none.
fn put_elo(slot: &mut Option<i16>, value: &str) -> bool {
    let elo = value.trim().parse().ok();
    let elo = elo.filter(|elo| (1..=MAX_ELO).contains(elo));
    put(slot, elo, value)
}

fn put_number(slot: &mut Option<i32>, value: &str) -> bool {
    let number = value.trim().parse().ok().filter(|number| *number > 0);
    put(slot, number, value)
}

fn put<T>(slot: &mut Option<T>, value: Option<T>, text: &str) -> bool {
    if slot.is_some() {
        return false;
    }
    let is_unknown = matches!(text, "" | "?" | "-" | "0");
    let is_put = value.is_some() || is_unknown;
    *slot = value;
    is_put
}

/// Seconds after midnight, from `21:05:59`.
fn time_of_day(text: &str) -> Option<i32> {
    let mut parts = text.split(':');
    let mut next = |limit: i32| {
        let part = parts.next().filter(|part| part.len() == 2)?;
        part.parse()
            .ok()
            .filter(|number| (0..limit).contains(number))
    };
    let (hours, minutes, seconds) = (next(24)?, next(60)?, next(60)?);
    parts
        .next()
        .is_none()
        .then_some(hours * 3600 + minutes * 60 + seconds)
}

fn milliseconds(time: Duration) -> Option<i32> {
    i32::try_from(time.as_millis()).ok()
}
