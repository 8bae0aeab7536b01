//! Encodes the moves of a game as the parts of its record, and fills the fields of its index entry
//! that depend on them.

use tabia_core::chess::{Color, HomePawns, Material, Piece, Ply, Position, Role};
use tabia_core::error::{Error, Result};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Eval, Event, Foreign, Game, Language,
};
use tabia_core::io::{Cursor, Sink};
use tabia_core::loss::{Feature, Features, Losses};

use crate::games::common::annotation_order::{
    comments_after_variations, move_annotations_before_variations,
};
use crate::games::common::scid_and_scidb_index_codes::count_code;
use crate::games::common::unread_moves_text::unread_text;
use crate::games::scid::home_pawns::home_number;

use super::board::{Board, token};
use super::entry::{Entry, MAX_PLIES, STANDARD, castled};
use super::format_identity::{ID, VERSION};
use super::mainline_squares::MainlineSquares;
use super::record_body::{Body, is_time_table};
use super::replay::comment_flag;
use super::shapes_clocks_and_evals;
use super::shapes_clocks_and_evals::foreign;
use super::text;

/// How much of a game is written: less if the record would be too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    Mainline,
    Variations,
    All,
}

/// Encodes moves, reusing its buffers.
#[derive(Debug)]
pub(crate) struct Encoder {
    can: Features,
    /// The moves with their tokens.
    pub(crate) moves: Vec<u8>,
    /// The data of tokens.
    pub(crate) side: Sink,
    pub(crate) text: Vec<u8>,
    /// Names of engines, each with a final zero, and their number.
    pub(crate) engines: Vec<u8>,
    pub(crate) engine_count: u8,
    pub(crate) time_table: Vec<u8>,
    /// The number of moves before the first token.
    pub(crate) run: u16,
    /// The standard position.
    standard: MainlineSquares,
    open: Vec<(Option<Board>, Board)>,
    pending: PendingAnnotations,
}

/// The annotations since the last move, begin or end of a variation.
#[derive(Debug, Default)]
struct PendingAnnotations {
    nags: Vec<u8>,
    /// Marks and move informations: their number, and their bytes in the side data.
    marks: (u32, Sink),
    informations: (u32, Sink),
    before: Vec<(Option<Language>, String)>,
    after: Vec<(Option<Language>, String)>,
}

/// Counts and fields for the index entry.
#[derive(Debug)]
struct EntryFacts {
    annotations: u32,
    comments: u32,
    variations: u32,
    plies: u32,
    /// The number of moves before the first token, once there is a token.
    run: Option<u32>,
    home: HomePawns,
    home_pawns: [u8; 8],
    home_pawn_count: u8,
    castlings: u8,
    promotion: bool,
    under_promotion: bool,
    has_english: bool,
    has_other: bool,
    first: [u16; 2],
}

impl Encoder {
    pub(crate) fn new(can: Features) -> Self {
        Self {
            can,
            moves: Vec::new(),
            side: Sink::new(),
            text: Vec::new(),
            engines: Vec::new(),
            engine_count: 0,
            time_table: Vec::new(),
            run: 0,
            standard: MainlineSquares::standard(),
            open: Vec::new(),
            pending: PendingAnnotations::default(),
        }
    }

    /// Copies the parts of a record.
    pub(crate) fn copy(&mut self, body: &Body<'_>) {
        self.side.clear();
        self.side.bytes(body.side);
        self.engine_count = memchr::memchr_iter(0, body.engines).count() as u8;
        self.run = body.run;
        for (buffer, part) in [
            (&mut self.moves, body.moves),
            (&mut self.text, body.text),
            (&mut self.engines, body.engines),
            (&mut self.time_table, body.time_table),
        ] {
            buffer.clear();
            buffer.extend_from_slice(part);
        }
    }

    /// Writes the moves and fills the fields of the entry that depend on them. Without a board only
    /// annotations of the game are written.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        detail: Detail,
        board: Option<&Board>,
        entry: &mut Entry,
        losses: &mut Losses,
    ) -> Result<()> {
        self.moves.clear();
        self.side.clear();
        self.text.clear();
        self.engines.clear();
        self.engine_count = 0;
        self.time_table.clear();
        self.open.clear();
        self.pending.clear();
        let mut facts = EntryFacts {
            annotations: 0,
            comments: 0,
            variations: 0,
            plies: 0,
            run: None,
            home: HomePawns::ALL,
            home_pawns: [0; 8],
            home_pawn_count: 0,
            castlings: 0,
            promotion: false,
            under_promotion: false,
            has_english: false,
            has_other: false,
            first: [0; 2],
        };
        let is_plain = !game.has_annotations() && !game.has_variations();
        (entry.material, entry.pawns) = if is_plain && game.has_known_moves() {
            let last = self.write_known_mainline(game, &mut facts)?;
            (last.material(), last.pawns())
        } else {
            let last = if let Some(board) = board.cloned() {
                if is_plain {
                    self.write_mainline(game, board, &mut facts)?.position
                } else {
                    let events = move_annotations_before_variations(game.events().collect());
                    if detail == Detail::All {
                        let moved = comments_after_variations(game);
                        losses.add(Feature::CommentPlacement, moved, None);
                    }
                    self.write_events(&events, detail, board, &mut facts, losses)?
                        .position
                }
            } else {
                // Annotations of the game need no position.
                let events: Vec<Event<'_>> = game
                    .events()
                    .take_while(|event| matches!(event, Event::Annotation(_)))
                    .collect();
                self.write_events(&events, detail, Board::standard(), &mut facts, losses)?;
                Position::standard()
            };
            (Material::of(&last).to_bits(), pawns(&last))
        };
        self.moves.extend([token::END, token::END]);
        self.run = facts.run.unwrap_or(facts.plies).min(u16::MAX.into()) as u16;
        entry.annotations = count_code(facts.annotations);
        entry.comments = count_code(facts.comments);
        entry.variations = count_code(facts.variations);
        entry.plies = facts.plies.min(MAX_PLIES.into()) as u16;
        entry.castlings = facts.castlings;
        entry.promotion = facts.promotion;
        entry.under_promotion = facts.under_promotion;
        entry.has_english = facts.has_english;
        entry.has_other_languages = facts.has_other;
        // Scidb leaves both empty for starts that are stored as FEN.
        if entry.start != 0 {
            entry.home_pawns = facts.home_pawns;
            entry.home_pawn_count = facts.home_pawn_count;
        }
        if !matches!(entry.start, 0 | STANDARD) {
            let [first, second] = facts.first;
            entry.opening = u32::from(first) << 16 | u32::from(second);
        }
        Ok(())
    }

    /// Writes the moves of a game without variations and annotations whose moves are
    /// [known](Game::has_known_moves), as most are. Returns the pieces at the end.
    fn write_known_mainline(
        &mut self,
        game: &Game,
        facts: &mut EntryFacts,
    ) -> Result<MainlineSquares> {
        let mut squares = self.standard.clone();
        let mut us = Color::White;
        for ply in game.mainline() {
            let gone = match ply {
                Ply::Move(m) => squares.play(m, &mut self.moves),
                Ply::Null => None,
            };
            let Some(gone) = gone else {
                return Err(Error::invalid(
                    "a move that was known to be legal cannot be played",
                ));
            };
            facts.count_ply(ply, us);
            if gone != 0 {
                facts.leave_home(home_number(gone));
            }
            us = us.other();
        }
        Ok(squares)
    }

    /// Writes the moves of a game without variations and annotations. Returns the position at the end.
    fn write_mainline(
        &mut self,
        game: &Game,
        mut board: Board,
        facts: &mut EntryFacts,
    ) -> Result<Board> {
        for ply in game.mainline() {
            if !board.encode(ply, &mut self.moves) {
                return Err(unplayable(ply, &board.position));
            }
            let us = board.position.turn();
            board.play(ply);
            facts.play(ply, us, &board.position);
        }
        Ok(board)
    }

    /// Writes the events. Returns the position at the end of the mainline.
    fn write_events(
        &mut self,
        events: &[Event<'_>],
        detail: Detail,
        mut board: Board,
        facts: &mut EntryFacts,
        losses: &mut Losses,
    ) -> Result<Board> {
        let mut before: Option<Board> = None;
        let mut depth = 0_u32;
        // The depth of a variation that is skipped.
        let mut muted: Option<u32> = None;
        // Indexes of comments that were written already.
        let mut written: Vec<usize> = Vec::new();
        for (index, event) in events.iter().enumerate() {
            if let Some(level) = muted {
                match event {
                    Event::BeginVariation => depth += 1,
                    Event::EndVariation => {
                        depth -= 1;
                        if depth < level {
                            muted = None;
                        }
                    }
                    Event::Move(_) | Event::Annotation(_) => {}
                }
                continue;
            }
            match *event {
                Event::Move(ply) => {
                    let last = index.checked_sub(1).and_then(|last| events.get(last));
                    if matches!(last, Some(Event::BeginVariation)) && detail == Detail::All {
                        self.open_variation(events, index, &mut written, losses);
                    }
                    self.flush(facts, depth);
                    if !board.encode(ply, &mut self.moves) {
                        return Err(unplayable(ply, &board.position));
                    }
                    let rest = events.get(index + 1..).unwrap_or_default();
                    before = is_replaced(rest).then(|| board.clone());
                    let us = board.position.turn();
                    board.play(ply);
                    if depth == 0 {
                        facts.play(ply, us, &board.position);
                    }
                }
                Event::Annotation(_) if written.contains(&index) => {}
                Event::Annotation(Annotation::Foreign(foreign))
                    if is_before_first_move(events, index) && unread_text(&foreign).is_some() =>
                {
                    // A comment there is read as one before the move.
                    losses.add(Feature::UnreadMoves, 1, None);
                }
                Event::Annotation(annotation) => self.annotate(annotation, detail, facts, losses),
                Event::BeginVariation => {
                    depth += 1;
                    let start = before.clone().filter(|_| detail != Detail::Mainline);
                    let Some(start) = start else {
                        losses.add(Feature::Variations, 1, None);
                        muted = Some(depth);
                        continue;
                    };
                    self.flush(facts, depth - 1);
                    facts.end_run();
                    facts.variations += 1;
                    self.moves.push(token::BEGIN_VARIATION);
                    let after = std::mem::replace(&mut board, start);
                    self.open.push((before.take(), after));
                }
                Event::EndVariation => {
                    self.flush(facts, depth);
                    depth = depth.saturating_sub(1);
                    self.moves.extend([token::END, token::END]);
                    if let Some((outer_before, outer)) = self.open.pop() {
                        before = outer_before;
                        board = outer;
                    }
                }
            }
        }
        self.flush(facts, depth);
        Ok(board)
    }

    /// Writes comments at the start of a variation. Of two comments of one language before its first
    /// move, the first is stored there and the second with the move.
    fn open_variation(
        &mut self,
        events: &[Event<'_>],
        first_move: usize,
        written: &mut Vec<usize>,
        losses: &mut Losses,
    ) {
        written.clear();
        let following = (first_move + 1..).zip(events.iter().skip(first_move + 1));
        let annotations = following.map_while(|(index, event)| match event {
            Event::Annotation(annotation) => Some((index, annotation)),
            _ => None,
        });
        let before: Vec<(usize, Comment<'_>)> = annotations
            .filter_map(|(index, annotation)| match *annotation {
                Annotation::Comment(comment) if comment.placement == CommentPlacement::Before => {
                    Some((index, comment))
                }
                _ => None,
            })
            .collect();
        for (number, &(index, comment)) in before.iter().enumerate() {
            let code = |comment: &Comment<'_>| comment.language.and_then(Language::letters);
            let is_same = |(_, other): &(usize, Comment<'_>)| code(other) == code(&comment);
            let is_first = !before.iter().take(number).any(is_same);
            if is_first && before.iter().skip(number + 1).any(is_same) {
                add_text(
                    &mut self.pending.after,
                    comment.language,
                    comment.text,
                    losses,
                );
                written.push(index);
            }
        }
    }

    fn annotate(
        &mut self,
        annotation: Annotation<'_>,
        detail: Detail,
        facts: &mut EntryFacts,
        losses: &mut Losses,
    ) {
        let feature = annotation.feature();
        if let Annotation::Foreign(foreign) = annotation
            && detail == Detail::All
            && let Some(text) = unread_text(&foreign)
        {
            // They are moves no more.
            losses.add(feature, 1, None);
            add_text(&mut self.pending.after, None, &text, losses);
            return;
        }
        if !self.can.has(feature) {
            losses.add(feature, 1, None);
            return;
        }
        if detail != Detail::All {
            losses.add(feature, 1, None);
            return;
        }
        let pending = &mut self.pending;
        let (marks, mark_bytes) = &mut pending.marks;
        let (informations, information_bytes) = &mut pending.informations;
        let is_kept = match annotation.reduce(self.can, losses) {
            // Number 0 marks illegal moves.
            Annotation::Nag(nag) if nag.0 == 0 => false,
            Annotation::Nag(nag) => {
                facts.annotations += 1;
                pending.nags.push(nag.0);
                true
            }
            Annotation::Comment(comment) => {
                let list = match comment.placement {
                    CommentPlacement::Before => &mut pending.before,
                    CommentPlacement::After => &mut pending.after,
                };
                add_text(list, comment.language, comment.text, losses);
                true
            }
            Annotation::Shape(shape) => {
                let written = shapes_clocks_and_evals::write_shape(shape, mark_bytes);
                facts.annotations += u32::from(written);
                *marks += u32::from(written);
                written
            }
            Annotation::Clock(clock) => {
                let written = shapes_clocks_and_evals::write_clock(clock, information_bytes);
                *informations += u32::from(written);
                written && shapes_clocks_and_evals::is_exact(clock)
            }
            Annotation::Eval(eval) => {
                let eval = reduce_eval(eval, self.engine_count, losses);
                let written = shapes_clocks_and_evals::write_eval(eval, information_bytes);
                *informations += u32::from(written);
                written
            }
            Annotation::Foreign(foreign) => self.foreign(&foreign),
            _ => false,
        };
        if !is_kept {
            losses.add(feature, 1, None);
        }
    }

    /// Writes foreign bytes of a Scidb database. `false` for others.
    fn foreign(&mut self, foreign: &Foreign<'_>) -> bool {
        if foreign.format != ID {
            return false;
        }
        let bytes = foreign.bytes;
        match foreign.kind {
            foreign::ENGINES if self.engines.is_empty() && bytes.last() == Some(&0) => {
                let count = memchr::memchr_iter(0, bytes).count();
                let Ok(count) = u8::try_from(count) else {
                    return false;
                };
                self.engine_count = count;
                self.engines.extend_from_slice(bytes);
                true
            }
            foreign::TIME_TABLE if self.time_table.is_empty() && is_time_table(bytes) => {
                self.time_table.extend_from_slice(bytes);
                true
            }
            foreign::INFORMATION => {
                let mut cursor = Cursor::new(bytes);
                let is_item = shapes_clocks_and_evals::read(&mut cursor, VERSION).is_ok()
                    && cursor.is_empty();
                if is_item {
                    let is_mark = bytes
                        .first()
                        .is_none_or(|&byte| byte < shapes_clocks_and_evals::INFORMATION);
                    let pending = &mut self.pending;
                    let (count, sink) = if is_mark {
                        &mut pending.marks
                    } else {
                        &mut pending.informations
                    };
                    *count += 1;
                    sink.bytes(bytes);
                }
                is_item
            }
            foreign::ILLEGAL => {
                self.pending.nags.push(0);
                true
            }
            _ => false,
        }
    }

    /// Writes the pending annotations.
    fn flush(&mut self, facts: &mut EntryFacts, depth: u32) {
        let pending = &mut self.pending;
        if pending.is_empty() {
            return;
        }
        if depth == 0 {
            facts.end_run();
        }
        for &nag in &pending.nags {
            self.moves.push(token::NAG);
            self.side.u8(nag);
        }
        let put = |(count, sink): &(u32, Sink), moves: &mut Vec<u8>, side: &mut Sink| {
            moves.extend((0..*count).map(|_| token::MARK));
            side.bytes(sink.as_slice());
        };
        put(&pending.marks, &mut self.moves, &mut self.side);
        let mut flag = 0;
        for (texts, bit, english, other) in [
            (
                &pending.before,
                comment_flag::BEFORE,
                comment_flag::BEFORE_ENGLISH,
                comment_flag::BEFORE_OTHER,
            ),
            (
                &pending.after,
                comment_flag::AFTER,
                comment_flag::AFTER_ENGLISH,
                comment_flag::AFTER_OTHER,
            ),
        ] {
            if texts.is_empty() {
                continue;
            }
            facts.comments += 1;
            flag |= bit;
            for (language, _) in texts {
                match language.and_then(Language::letters) {
                    None => {}
                    Some([b'e', b'n']) => {
                        flag |= english;
                        facts.has_english = true;
                    }
                    Some(_) => {
                        flag |= other;
                        facts.has_other = true;
                    }
                }
            }
            let stored = text::write(texts);
            self.text.extend_from_slice(stored.as_bytes());
            self.text.push(0);
        }
        if flag != 0 {
            self.moves.push(token::COMMENT);
            self.side.u8(flag);
        }
        put(&pending.informations, &mut self.moves, &mut self.side);
        pending.clear();
    }
}

impl PendingAnnotations {
    fn clear(&mut self) {
        self.nags.clear();
        for (count, sink) in [&mut self.marks, &mut self.informations] {
            *count = 0;
            sink.clear();
        }
        self.before.clear();
        self.after.clear();
    }

    fn is_empty(&self) -> bool {
        self.nags.is_empty()
            && self.marks.0 + self.informations.0 == 0
            && self.before.is_empty()
            && self.after.is_empty()
    }
}

/// Whether an annotation is at the start of a variation that has a move.
fn is_before_first_move(events: &[Event<'_>], index: usize) -> bool {
    let is_annotation = |event: &&Event<'_>| matches!(event, Event::Annotation(_));
    let mut before = events.iter().take(index).rev();
    let mut after = events.iter().skip(index);
    let last = before.find(|event| !is_annotation(event));
    let next = after.find(|event| !is_annotation(event));
    matches!(
        (last, next),
        (Some(Event::BeginVariation), Some(Event::Move(_)))
    )
}

/// Adds a text to a comment. Two texts in one language become one of two lines. Languages without a
/// code of two letters are dropped.
fn add_text(
    list: &mut Vec<(Option<Language>, String)>,
    language: Option<Language>,
    text: &str,
    losses: &mut Losses,
) {
    let has_code = |language: &Language| language.letters().is_some();
    if language.is_some_and(|language| !has_code(&language)) {
        losses.add(Feature::Languages, 1, None);
    }
    let language = language.filter(has_code);
    let mut text = text.to_owned();
    if text.contains('\0') {
        losses.add(Feature::Characters, 1, None);
        text.retain(|c| c != '\0');
    }
    match list.iter_mut().find(|(other, _)| *other == language) {
        Some((_, joined)) => {
            losses.add(Feature::SeveralComments, 1, None);
            joined.push('\n');
            joined.push_str(&text);
        }
        None => list.push((language, text)),
    }
}

/// Drops a depth that cannot be stored, and an engine that is not listed.
fn reduce_eval(mut eval: Eval, engines: u8, losses: &mut Losses) -> Eval {
    if eval.depth.is_some_and(|depth| !(1..64).contains(&depth)) {
        eval.depth = None;
        losses.add(Feature::EvalDepths, 1, None);
    }
    if eval.engine > engines.min(15) {
        eval.engine = 0;
        losses.add(Feature::EvalDepths, 1, None);
    }
    eval
}

impl EntryFacts {
    /// Ends the run of moves without tokens before the last move of the mainline.
    fn end_run(&mut self) {
        self.run.get_or_insert(self.plies.saturating_sub(1));
    }

    /// Adds a ply of the mainline.
    fn play(&mut self, ply: Ply, us: Color, after: &Position) {
        let now = HomePawns::of(after);
        if let Some(bit) = self.home.gone(now) {
            self.home = now;
            self.leave_home(bit);
        }
        self.count_ply(ply, us);
    }

    /// Adds a pawn that left home, by its number in [`HomePawns`].
    fn leave_home(&mut self, bit: u8) {
        let count = self.home_pawn_count;
        if let Some(byte) = self.home_pawns.get_mut(usize::from(count / 2)) {
            *byte |= bit << (4 * (count & 1));
            self.home_pawn_count += 1;
        }
    }

    /// Adds a ply of the mainline, without its pawn.
    #[inline]
    fn count_ply(&mut self, ply: Ply, us: Color) {
        self.plies += 1;
        let Ply::Move(m) = ply else {
            return;
        };
        if let Some(role) = m.promotion_role() {
            self.promotion = true;
            self.under_promotion |= role != Role::Queen;
        }
        if m.is_castling() {
            let is_short = m.to().file() > m.from().file();
            self.castlings |= match (us, is_short) {
                (Color::White, true) => castled::WHITE_SHORT,
                (Color::White, false) => castled::WHITE_LONG,
                (Color::Black, true) => castled::BLACK_SHORT,
                (Color::Black, false) => castled::BLACK_LONG,
            };
        }
        let index = self.plies as usize - 1;
        if let Some(code) = self.first.get_mut(index)
            && m.is_normal()
        {
            *code = u16::from(m.from().number()) | u16::from(m.to().number()) << 6;
        }
    }
}

#[cold]
fn unplayable(ply: Ply, position: &Position) -> Error {
    let ply = match ply {
        Ply::Move(m) => m.to_string(),
        Ply::Null => "--".to_owned(),
    };
    let fen = position.fen();
    Error::invalid(format!("{ply} cannot be played in {fen}"))
}

/// Whether a variation replaces the move before these events.
fn is_replaced(events: &[Event<'_>]) -> bool {
    let mut events = events.iter();
    let next = events.find(|event| !matches!(event, Event::Annotation(_)));
    matches!(next, Some(Event::BeginVariation))
}

/// The files of pawns on their second and third ranks.
pub(super) fn pawns(position: &Position) -> [u8; 4] {
    let pawns = |color| {
        let role = Role::Pawn;
        position.by_piece(Piece { color, role }).0
    };
    let rank = |pawns: u64, rank: u32| (pawns >> (8 * rank)) as u8;
    let (white, black) = (pawns(Color::White), pawns(Color::Black));
    [
        rank(white, 1),
        rank(white, 2),
        rank(black, 6),
        rank(black, 5),
    ]
}
