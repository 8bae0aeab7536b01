//! A row of a table as a game.

use std::borrow::Cow;
use std::io::Cursor;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use tabia::core::chess::{Setup, san, uci};
use tabia::core::game::{
    Clock, ClockKind, Comment, CommentPlacement, Eval, RecordKind, SEVEN_TAG_ROSTER, Score,
};
use tabia::core::games::GameStream;
use tabia::{
    Annotation, Date, Error, Flow, GameHead, GameIndex, GameResult, Nag, OpenOptions, Ply,
    Position, Problem, Visitor, Want,
};

use super::cells;
use super::column_roles::Role;
use crate::move_code::MoveTexts;

/// Evaluations of aix from here on are mates.
const MATE_BOUND: i64 = 32_767 - 1_000;

/// The columns of a batch with their roles.
#[derive(Debug, Clone)]
pub(super) struct Columns(Vec<(Role, usize)>);

/// What precedes the moves of a game.
#[derive(Debug, Default)]
pub(super) struct RowHead {
    pub(super) head: GameHead,
    pub(super) result: GameResult,
    /// What is wrong with it.
    problems: Vec<String>,
    /// Its start position cannot be read: from another one its moves would be others.
    is_unplayable: bool,
}

impl Columns {
    /// `roles` are those of the columns of a batch, in order.
    pub(super) fn new(roles: impl Iterator<Item = Role>) -> Self {
        Self(roles.zip(0..).collect())
    }

    fn get<'b>(&self, batch: &'b RecordBatch, role: &Role) -> Option<&'b ArrayRef> {
        let (_, index) = self.0.iter().find(|(other, _)| other == role)?;
        batch.columns().get(*index)
    }

    fn number(&self, batch: &RecordBatch, role: &Role, row: usize) -> Option<i64> {
        cells::number(self.get(batch, role)?, row)
    }

    fn list(&self, batch: &RecordBatch, role: &Role, row: usize) -> Option<ArrayRef> {
        cells::list(self.get(batch, role)?, row)
    }

    /// The head of a row.
    pub(super) fn head(&self, batch: &RecordBatch, row: usize) -> RowHead {
        let mut out = RowHead::default();
        let mut tags: Vec<(String, String)> = Vec::new();
        let mut fen = None;
        for (role, index) in &self.0 {
            let Some(array) = batch.columns().get(*index) else {
                continue;
            };
            if cells::has_broken_text(array, row) {
                let schema = batch.schema_ref();
                let name = schema.fields().get(*index).map_or("", |field| field.name());
                let text = format!("`{}` is not UTF-8", name.escape_default());
                out.problems.push(text);
            }
            match role {
                Role::Tag(name) => tags.extend(
                    cells::any(array, row)
                        .filter(|value| !value.is_empty())
                        .map(|value| (name.clone(), value)),
                ),
                Role::DateText => tags.extend(
                    cells::text(array, row).map(|text| ("Date".to_owned(), text.into_owned())),
                ),
                Role::UtcSeconds => tags.extend(
                    cells::number(array, row)
                        .and_then(cells::time_text)
                        .map(|text| ("UTCTime".to_owned(), text)),
                ),
                Role::Variant => {
                    let variant = cells::text(array, row).unwrap_or_default();
                    let lower = variant.trim().to_lowercase();
                    out.head.start.chess960 = matches!(
                        lower.as_str(),
                        "chess960" | "chess 960" | "fischerandom" | "fischer random"
                    );
                    if !matches!(lower.as_str(), "" | "standard" | "chess") {
                        let name = if lower == "chess960" {
                            "Chess960"
                        } else {
                            &*variant
                        };
                        tags.push(("Variant".to_owned(), name.to_owned()));
                    }
                }
                Role::Fen => fen = cells::text(array, row).filter(|fen| !fen.is_empty()),
                Role::Deleted => out.head.deleted = cells::flag(array, row),
                Role::IsText if cells::flag(array, row) => out.head.kind = RecordKind::Text,
                Role::Tags => tags.extend(pairs(array, row)),
                _ => {}
            }
        }
        self.add_date(batch, row, &mut tags);
        out.set_fen(fen.as_deref(), &mut tags);
        out.set_result(&mut tags);
        out.replace_zeros(&mut tags);
        tags.sort_by_key(|(name, _)| {
            let known = SEVEN_TAG_ROSTER.iter().position(|other| other == name);
            known.unwrap_or(SEVEN_TAG_ROSTER.len())
        });
        let mut names = Vec::new();
        for (name, value) in &tags {
            // A pair in `tags` repeats a column that had another value.
            if name == "Variant" && names.contains(&name) {
                continue;
            }
            names.push(name);
            out.head.tags.push(name, value);
        }
        out
    }

    /// The date from its parts, if there is no other.
    fn add_date(&self, batch: &RecordBatch, row: usize, tags: &mut Vec<(String, String)>) {
        if tags.iter().any(|(name, _)| name == "Date") {
            return;
        }
        // As in the files of Lichess, whose days are those of UTC.
        let utc = tags.iter().find(|(name, _)| name == "UTCDate");
        if let Some(date) = utc.and_then(|(_, value)| Date::parse(&value.replace('-', "."))) {
            tags.push(("Date".to_owned(), date.to_string()));
            return;
        }
        let part = |role| self.number(batch, &role, row).unwrap_or(0);
        let (year, month, day) = (part(Role::Year), part(Role::Month), part(Role::Day));
        let year = u16::try_from(year).unwrap_or(0);
        let small = |part: i64| u8::try_from(part).unwrap_or(0);
        let date = Date::new(year, small(month), small(day));
        if !date.is_unknown() {
            tags.push(("Date".to_owned(), date.to_string()));
        }
    }

    /// Hands a row to a visitor.
    ///
    /// # Errors
    /// When a text of moves cannot be read at all.
    pub(super) fn visit(
        &self,
        batch: &RecordBatch,
        row: usize,
        game: GameIndex,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow, Error> {
        let text = |role| {
            self.get(batch, &role)
                .and_then(|array| cells::text(array, row))
        };
        let mut out = self.head(batch, row);
        if let Some(pgn) = text(Role::Pgn) {
            let pgn = out.without_zeros(pgn);
            return visit_text(pgn.into_owned(), &out, game, want, visitor);
        }
        let moves = || text(Role::Moves).filter(|moves| is_movetext(moves));
        if let Some(movetext) = text(Role::Movetext).or_else(moves) {
            let movetext = out.without_zeros(movetext);
            let pgn = out.pgn(&movetext);
            return visit_text(pgn, &out, game, want, visitor);
        }
        let flow = visitor.begin_game(game, &out.head);
        match flow {
            Flow::Stop => return Ok(Flow::Stop),
            Flow::Skip => {}
            Flow::Go => {
                let problems = std::mem::take(&mut out.problems);
                for text in problems {
                    if report(visitor, game, Error::invalid(text)) == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                let is_game = out.head.kind == RecordKind::Game && !out.is_unplayable;
                let needs_moves = want.has(Want::MAINLINE) || want.has(Want::ANNOTATIONS);
                if is_game
                    && needs_moves
                    && self.visit_moves(batch, row, game, want, &out.head, visitor) == Flow::Stop
                {
                    return Ok(Flow::Stop);
                }
            }
        }
        visitor.end_game(out.result);
        Ok(Flow::Go)
    }

    fn visit_moves(
        &self,
        batch: &RecordBatch,
        row: usize,
        game: GameIndex,
        want: Want,
        head: &GameHead,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let texts = self.get(batch, &Role::Moves);
        let Some(column) = texts.or_else(|| self.get(batch, &Role::MoveCodes)) else {
            return Flow::Go;
        };
        let list = cells::list(column, row);
        let text = cells::text(column, row);
        let moves: Vec<Option<Cow<'_, str>>> = match (&list, &text) {
            (Some(list), _) if texts.is_none() => {
                let known = MoveTexts::get();
                let code = |ply| i16::try_from(cells::number(list, ply)?).ok();
                let codes = (0..list.len()).map(code);
                codes
                    .map(|code| known.text(code?).map(Cow::Borrowed))
                    .collect()
            }
            (Some(list), _) => (0..list.len()).map(|ply| cells::text(list, ply)).collect(),
            (None, Some(text)) => {
                let words = text.split_whitespace();
                words.map(|text| Some(Cow::Borrowed(text))).collect()
            }
            (None, None) => {
                return report(visitor, game, Error::invalid("its moves are null"));
            }
        };
        let Some(mut position) = head.start.position() else {
            return report(
                visitor,
                game,
                Error::invalid("its position cannot be played from"),
            );
        };
        let values = PlyValues::of(self, batch, row);
        if let Some(name) = values.unequal(moves.len()) {
            let text = format!("its list `{name}` is not as long as its moves");
            if report(visitor, game, Error::invalid(text)) == Flow::Stop {
                return Flow::Stop;
            }
        }
        for (number, text) in moves.iter().enumerate() {
            let text = text.as_deref().unwrap_or_default();
            let ply = uci::read(&position, text.as_bytes());
            let Some(ply) = ply.or_else(|| san::read(&position, text.as_bytes()).ok()) else {
                let shown: String = text.chars().take(12).collect();
                let error =
                    Error::invalid(format!("`{}` is no legal move", shown.escape_default()));
                return report(visitor, game, error.at_ply(number as u32 + 1));
            };
            if want.has(Want::MAINLINE) {
                match visitor.visit_move(&position, ply) {
                    Flow::Go => {}
                    other => return other,
                }
            }
            if want.has(Want::ANNOTATIONS) {
                match values.visit(game, number, &position, visitor) {
                    Flow::Go => {}
                    other => return other,
                }
            }
            position.play_ply(ply);
        }
        Flow::Go
    }
}

/// Whether moves with blanks between are movetext of PGN: they begin with the number of a move.
fn is_movetext(moves: &str) -> bool {
    let first = moves.split_whitespace().next().unwrap_or_default();
    let rest = first.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < first.len() && (rest.is_empty() || rest.starts_with('.'))
}

impl RowHead {
    fn set_fen(&mut self, fen: Option<&str>, tags: &mut Vec<(String, String)>) {
        let Some(fen) = fen else {
            return;
        };
        match Setup::parse_fen(fen.trim().as_bytes()) {
            Ok(setup) => {
                if setup != Setup::standard() {
                    self.head.start.setup = Some(Box::new(setup));
                }
            }
            Err(error) => {
                self.problems.push(error.to_string());
                self.is_unplayable = true;
                tags.push(("FEN".to_owned(), fen.to_owned()));
            }
        }
    }

    fn set_result(&mut self, tags: &mut [(String, String)]) {
        let Some((_, text)) = tags.iter_mut().find(|(name, _)| name == "Result") else {
            return;
        };
        if let Some(result) = GameResult::parse(text.trim().as_bytes()) {
            self.result = result;
            result.pgn().clone_into(text);
        } else {
            let text = format!("`{}` is no result", text.escape_default());
            self.problems.push(text);
        }
    }

    /// Zeros in texts become U+FFFD.
    fn replace_zeros(&mut self, tags: &mut [(String, String)]) {
        let replace = |text: &mut String| {
            let has_zeros = text.contains('\0');
            if has_zeros {
                *text = text.replace('\0', "\u{fffd}");
            }
            has_zeros
        };
        for (name, value) in tags {
            if replace(name) | replace(value) {
                let name = name.escape_default();
                let text = format!("the tag `{name}` has characters U+0000: they are U+FFFD now");
                self.problems.push(text);
            }
        }
    }

    /// A text of the moves in which zeros are U+FFFD, which is a problem.
    fn without_zeros<'t>(&mut self, text: Cow<'t, str>) -> Cow<'t, str> {
        if !text.contains('\0') {
            return text;
        }
        let problem = "its text has characters U+0000: they are U+FFFD now";
        self.problems.push(problem.to_owned());
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    }

    /// The game as PGN, with moves that are text.
    fn pgn(&self, movetext: &str) -> String {
        let mut pgn = String::new();
        let mut tag = |name: &str, value: &str| {
            pgn.push('[');
            pgn.push_str(name);
            pgn.push_str(" \"");
            for c in value.chars() {
                match c {
                    '"' | '\\' => pgn.extend(['\\', c]),
                    c if c.is_control() => pgn.push(' '),
                    c => pgn.push(c),
                }
            }
            pgn.push_str("\"]\n");
        };
        for (name, value) in self.head.tags.iter() {
            tag(name, value);
        }
        let start = &self.head.start;
        if let Some(setup) = &start.setup {
            tag("SetUp", "1");
            tag("FEN", &setup.fen(tabia::core::chess::FenStyle::XFen));
        }
        if start.chess960 && self.head.tags.get("Variant").is_none() {
            tag("Variant", "Chess960");
        }
        pgn.push('\n');
        pgn.push_str(movetext.trim());
        let last = movetext.split_whitespace().next_back().unwrap_or_default();
        if GameResult::parse(last.as_bytes()).is_none() {
            pgn.push(' ');
            pgn.push_str(self.result.pgn());
        }
        pgn.push('\n');
        pgn
    }
}

/// Hands the game in a text of PGN to a visitor.
fn visit_text(
    pgn: String,
    row: &RowHead,
    game: GameIndex,
    want: Want,
    visitor: &mut dyn Visitor,
) -> Result<Flow, Error> {
    let mut stream = text_stream(pgn)?;
    let mut visitor = Renumber {
        visitor,
        game,
        deleted: row.head.deleted,
        count: 0,
    };
    for text in &row.problems {
        if report(visitor.visitor, game, Error::invalid(text.clone())) == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    let flow = stream.next(want, &mut visitor)?;
    if visitor.count == 0 {
        let error = Error::invalid("its text has no game").in_game(game);
        return Err(error);
    }
    if flow == Some(Flow::Stop) {
        return Ok(Flow::Stop);
    }
    let mut rest = CountGames(0);
    while let Ok(Some(_)) = stream.next(Want::TAGS, &mut rest) {
        if rest.0 > 0 {
            let error = Error::invalid("its text has more than one game");
            return Ok(report(visitor.visitor, game, error));
        }
    }
    Ok(Flow::Go)
}

fn text_stream(pgn: String) -> Result<Box<dyn GameStream>, Error> {
    let mut formats = tabia::writable_formats().filter(|format| format.create_text.is_some());
    match formats.find_map(|format| format.open_stream) {
        Some(open) => open(
            Box::new(Cursor::new(pgn.into_bytes())),
            &OpenOptions::default(),
        ),
        None => Err(Error::unsupported("no text of games can be read")),
    }
}

fn report(visitor: &mut dyn Visitor, game: GameIndex, error: Error) -> Flow {
    visitor.problem(error.in_game(game).into())
}

/// Pairs of texts in a map.
fn pairs(array: &ArrayRef, row: usize) -> Vec<(String, String)> {
    let Some(map) = array
        .as_map_opt()
        .filter(|map| row < map.len() && map.is_valid(row))
    else {
        return Vec::new();
    };
    let entries = map.value(row);
    let [names, values] = entries.columns() else {
        return Vec::new();
    };
    (0..entries.len())
        .filter_map(|index| {
            let name = cells::text(names, index)?;
            let value = cells::any(values, index).unwrap_or_default();
            Some((name.into_owned(), value))
        })
        .collect()
}

/// The lists of a row with a value for each ply.
struct PlyValues {
    clocks: Option<ArrayRef>,
    elapsed: Option<ArrayRef>,
    side_clocks: [Option<ArrayRef>; 2],
    centipawns: Option<ArrayRef>,
    mates: Option<ArrayRef>,
    depths: Option<ArrayRef>,
    evals: Option<ArrayRef>,
    nags: Option<ArrayRef>,
    comments: Option<ArrayRef>,
}

impl PlyValues {
    fn of(columns: &Columns, batch: &RecordBatch, row: usize) -> Self {
        let list = |role: Role| columns.list(batch, &role, row);
        Self {
            clocks: list(Role::ClocksMs),
            elapsed: list(Role::ElapsedMs),
            side_clocks: [list(Role::ClockSeconds(0)), list(Role::ClockSeconds(1))],
            centipawns: list(Role::Centipawns),
            mates: list(Role::Mates),
            depths: list(Role::Depths),
            evals: list(Role::Evals),
            nags: list(Role::Nags),
            comments: list(Role::Comments),
        }
    }

    /// The name of the first list that has another length than the moves.
    fn unequal(&self, plies: usize) -> Option<&'static str> {
        let lists = [
            (&self.clocks, "clocks_ms"),
            (&self.elapsed, "elapsed_ms"),
            (&self.centipawns, "evals_cp"),
            (&self.mates, "evals_mate"),
            (&self.depths, "evals_depth"),
            (&self.evals, "evals"),
            (&self.nags, "nags"),
            (&self.comments, "comments"),
        ];
        let is_unequal =
            |list: &Option<ArrayRef>| list.as_ref().is_some_and(|list| list.len() != plies);
        let mut unequal = lists.into_iter().filter(|(list, _)| is_unequal(list));
        unequal.next().map(|(_, name)| name)
    }

    fn visit(
        &self,
        game: GameIndex,
        ply: usize,
        before: &Position,
        visitor: &mut dyn Visitor,
    ) -> Flow {
        let number = |list: &Option<ArrayRef>, index: usize| {
            list.as_ref().and_then(|list| cells::number(list, index))
        };
        let nags = self.nags.as_ref().and_then(|nags| cells::list(nags, ply));
        for index in 0..nags.as_ref().map_or(0, Array::len) {
            let nag = number(&nags, index).and_then(|nag| u8::try_from(nag).ok());
            if let Some(nag) = nag {
                match visitor.visit_annotation(Annotation::Nag(Nag(nag))) {
                    Flow::Go => {}
                    other => return other,
                }
            }
        }
        let time = |value: Option<i64>, unit: u64| {
            let value = value.and_then(|value| u64::try_from(value).ok())?;
            Some(Duration::from_millis(value.saturating_mul(unit)))
        };
        let side = usize::from(!before.turn().is_white());
        let side_clock = self.side_clocks.get(side);
        let side_clock = side_clock.and_then(|list| number(list, ply / 2));
        let remaining = time(number(&self.clocks, ply), 1).or_else(|| time(side_clock, 1000));
        let elapsed = time(number(&self.elapsed, ply), 1);
        for (kind, time) in [
            (ClockKind::Remaining, remaining),
            (ClockKind::ElapsedMove, elapsed),
        ] {
            if let Some(time) = time {
                match visitor.visit_annotation(Annotation::Clock(Clock { kind, time })) {
                    Flow::Go => {}
                    other => return other,
                }
            }
        }
        let small = |value: Option<i64>| value.and_then(|value| i32::try_from(value).ok());
        let score = small(number(&self.centipawns, ply)).map(Score::Centipawns);
        let score = score.or_else(|| small(number(&self.mates, ply)).map(Score::Mate));
        let score = score.or_else(|| number(&self.evals, ply).and_then(score_of_aix));
        if let Some(score) = score {
            let depth = number(&self.depths, ply).and_then(|depth| u16::try_from(depth).ok());
            let eval = Eval {
                score,
                depth,
                engine: 0,
            };
            match visitor.visit_annotation(Annotation::Eval(eval)) {
                Flow::Go => {}
                other => return other,
            }
        }
        self.visit_comment(game, ply, visitor)
    }

    fn visit_comment(&self, game: GameIndex, ply: usize, visitor: &mut dyn Visitor) -> Flow {
        let comments = self.comments.as_ref();
        let Some(mut text) = comments.and_then(|texts| cells::text(texts, ply)) else {
            return Flow::Go;
        };
        if text.contains('\0') {
            text = Cow::Owned(text.replace('\0', "\u{fffd}"));
            let problem = "a comment has characters U+0000: they are U+FFFD now";
            let error = Error::invalid(problem).at_ply(ply as u32 + 1);
            match report(visitor, game, error) {
                Flow::Go => {}
                other => return other,
            }
        }
        visitor.visit_annotation(Annotation::Comment(Comment {
            placement: CommentPlacement::After,
            language: None,
            text: &text,
        }))
    }
}

fn score_of_aix(value: i64) -> Option<Score> {
    let size = value.checked_abs()?;
    if size <= MATE_BOUND {
        return Some(Score::Centipawns(i32::try_from(value).ok()?));
    }
    let moves = i32::try_from(32_767 - size)
        .ok()
        .filter(|moves| *moves >= 0)?;
    Some(Score::Mate(if value < 0 { -moves } else { moves }))
}

/// Gives the only game of a text the number of its row.
struct Renumber<'v> {
    visitor: &'v mut dyn Visitor,
    game: GameIndex,
    deleted: bool,
    count: u32,
}

impl Visitor for Renumber<'_> {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        self.count += 1;
        if self.deleted == head.deleted {
            return self.visitor.begin_game(self.game, head);
        }
        let mut head = head.clone();
        head.deleted = self.deleted;
        self.visitor.begin_game(self.game, &head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.visitor.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.visitor.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.visitor.begin_variation()
    }

    fn end_variation(&mut self) {
        self.visitor.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.visitor.end_game(result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        let error = problem.error.shift(self.game.0, 0, 0).in_game(self.game);
        self.visitor.problem(Problem { error, ..problem })
    }
}

/// Counts games.
struct CountGames(u32);

impl Visitor for CountGames {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        self.0 += 1;
        Flow::Skip
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Skip
    }
}
