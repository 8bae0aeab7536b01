//! Encodes the moves of a game as a blob, and fills the fields of its index entry that depend on
//! them.

use tabia_core::chess::{Color, FenStyle, Ply, Role, Setup};
use tabia_core::error::{Error, Result};
use tabia_core::game::{Annotation, CommentPlacement, Event, Game};
use tabia_core::loss::{Feature, Features, Losses};

use crate::games::common::annotation_order::{
    comments_after_variations, has_annotations_after_variations, move_annotations_before_variations,
};
use crate::games::common::scid_and_scidb_index_codes::count_code;
use crate::games::common::unread_moves_text::{comment_of, unread_text};

use super::blob_parts::{self, start_flag};
use super::board::{Board, token};
use super::comments::CommentWriter;
use super::entry::{Entry, MAX_PLIES, flag};
use super::home_pawns::PawnMoves;
use super::move_codes::MoveBytes;
use super::piece_lists::PieceLists;
use super::stored_lines::StoredLine;
use super::version::Version;

/// How much of a game is written: less if the blob would be too long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Detail {
    pub(crate) variations: bool,
    /// Bytes of all comments. Those that do not fit are left out.
    pub(crate) comments: usize,
    /// Bytes of tags and moves. Moves after that are left out.
    pub(crate) moves: usize,
}

impl Detail {
    pub(crate) const ALL: Self = Self {
        variations: true,
        comments: usize::MAX,
        moves: usize::MAX,
    };
}

/// Turns games into blobs, reusing its buffers.
#[derive(Debug)]
pub(crate) struct Encoder {
    version: Version,
    can: Features,
    /// The blob, which begins with the tags that the caller writes.
    pub(crate) blob: Vec<u8>,
    comments: Vec<u8>,
    /// Number of comments without any text since the last one with text.
    empty_comments: u32,
    /// Bytes of the comments in the blob.
    pub(crate) comment_bytes: usize,
    detail: Detail,
    /// The standard position.
    standard: PieceLists,
    open: Vec<(Option<PieceLists>, PieceLists)>,
    pending: PendingComments,
}

/// The comments since the last move, begin or end of a variation.
#[derive(Debug, Default)]
struct PendingComments {
    /// The comment before the first move of a variation, and the offset of its mark.
    start: CommentWriter,
    start_at: usize,
    /// The comment after the move, or before the game.
    after: CommentWriter,
    in_variation: bool,
    /// The line has no move yet.
    at_start: bool,
    /// The last move is the first one of a variation.
    is_first: bool,
}

/// Counts and fields for the index entry.
struct EntryFacts {
    nags: u32,
    comments: u32,
    variations: u32,
    plies: u32,
    flags: u32,
    pawns: PawnMoves,
    stored_line: StoredLine,
}

impl Encoder {
    pub(crate) fn new(version: Version, can: Features) -> Self {
        Self {
            version,
            can,
            blob: Vec::new(),
            comments: Vec::new(),
            empty_comments: 0,
            comment_bytes: 0,
            detail: Detail::ALL,
            standard: PieceLists::of(&Board::standard()),
            open: Vec::new(),
            pending: PendingComments::new(can.has(Feature::Foreign)),
        }
    }

    /// Appends start, moves and comments to the blob and fills the fields of the entry that depend on
    /// them.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        detail: Detail,
        entry: &mut Entry,
        losses: &mut Losses,
    ) -> Result<()> {
        self.detail = detail;
        let start_at = self.blob.len();
        let setup = self.write_start(game, losses);
        let mut facts = EntryFacts {
            nags: 0,
            comments: 0,
            variations: 0,
            plies: 0,
            flags: if setup { flag::START } else { 0 },
            pawns: PawnMoves::default(),
            stored_line: StoredLine::new(),
        };
        let board = match (&game.head.start.setup, setup) {
            (None, _) => Some(self.standard.clone()),
            (Some(setup), true) => Board::from_setup(setup).map(|board| PieceLists::of(&board)),
            (Some(_), false) => None,
        };
        self.comments.clear();
        self.empty_comments = 0;
        let last = if let Some(board) = board {
            self.write_moves(game, board, &mut facts, losses)?
        } else {
            // Annotations of the game need no position.
            self.pending.begin(self.blob.len(), false);
            for event in game.events() {
                let Event::Annotation(annotation) = event else {
                    break;
                };
                self.annotate(annotation, &mut facts, losses);
            }
            self.flush(&mut facts, losses);
            self.standard.clone()
        };
        self.blob.push(token::END_GAME);
        self.comment_bytes = self.comments.len();
        self.blob.append(&mut self.comments);
        if let Some(start) = self.blob.get_mut(start_at) {
            if facts.flags & flag::PROMOTION != 0 {
                *start |= start_flag::PROMOTION;
            }
            if facts.flags & flag::UNDER_PROMOTION != 0 {
                *start |= start_flag::UNDER_PROMOTION;
            }
        }
        entry.nags = count_code(facts.nags);
        entry.comments = count_code(facts.comments);
        entry.variations = count_code(facts.variations);
        entry.flags |= facts.flags;
        entry.plies = facts.plies.min(MAX_PLIES.into()) as u16;
        entry.material = last.material();
        if !setup {
            entry.stored_line = facts.stored_line.code();
            entry.home_pawn_count = facts.pawns.count();
            entry.home_pawns = facts.pawns.list();
        }
        Ok(())
    }

    /// Writes the start. Returns whether it is a setup position that can be played from.
    fn write_start(&mut self, game: &Game, losses: &mut Losses) -> bool {
        let start = &game.head.start;
        let old_chess960 = start.chess960 && self.version != Version::V5;
        if old_chess960 {
            losses.add(Feature::Chess960, 1, None);
        }
        let Some(setup) = &start.setup else {
            self.blob.push(0);
            return false;
        };
        if !is_playable(setup) {
            losses.add(Feature::IllegalPositions, 1, None);
            self.blob.push(0);
            return false;
        }
        self.blob.push(start_flag::SETUP);
        let fen = if old_chess960 {
            with_classical_castling(setup).fen(FenStyle::XFen)
        } else {
            setup.fen(FenStyle::XFen)
        };
        self.blob.extend_from_slice(fen.as_bytes());
        self.blob.push(0);
        true
    }

    /// Writes the moves. Returns the position at the end of the mainline.
    fn write_moves(
        &mut self,
        game: &Game,
        board: PieceLists,
        facts: &mut EntryFacts,
        losses: &mut Losses,
    ) -> Result<PieceLists> {
        let is_whole = self.detail.moves == usize::MAX;
        if is_whole && !game.has_annotations() && !game.has_variations() {
            return self.write_mainline(game, board, facts, losses);
        }
        self.open.clear();
        self.pending.begin(self.blob.len(), false);
        let options = LineOptions {
            has_variations: self.detail.variations && game.has_variations(),
            board,
        };
        if options.has_variations && has_annotations_after_variations(game) {
            let events = move_annotations_before_variations(game.events().collect());
            let moved = comments_after_variations(game);
            losses.add(Feature::CommentPlacement, moved, None);
            self.write_events(events.into_iter(), options, facts, losses)
        } else {
            self.write_events(game.events(), options, facts, losses)
        }
    }

    /// Writes the moves of a game without variations and annotations, as most are.
    fn write_mainline(
        &mut self,
        game: &Game,
        mut board: PieceLists,
        facts: &mut EntryFacts,
        losses: &mut Losses,
    ) -> Result<PieceLists> {
        // Space for many moves is reserved at once.
        let mut end = self.blob.len();
        let mut plies = game.mainline();
        while let Some(ply) = plies.next() {
            if let Ply::Move(m) = ply
                && m.is_normal()
                && let Some((MoveBytes { bytes, length }, gone)) = board.step(m)
            {
                if self.blob.len() < end + 2 {
                    self.blob.resize(end + CHUNK, 0);
                }
                if let Some(space) = self.blob.get_mut(end..end + 2) {
                    space.copy_from_slice(&bytes);
                }
                end += length;
                facts.step(ply, gone);
                continue;
            }
            self.blob.truncate(end);
            if !self.can_write(&board, ply, losses) {
                losses.add(Feature::Moves, 1 + plies.count() as u64, None);
                break;
            }
            if !board.encode(ply, &mut self.blob) {
                return Err(unplayable(ply));
            }
            end = self.blob.len();
            let gone = board.play(ply);
            facts.play(ply, gone);
        }
        self.blob.truncate(end);
        Ok(board)
    }

    fn write_events<'g>(
        &mut self,
        events: impl Iterator<Item = Event<'g>>,
        options: LineOptions,
        facts: &mut EntryFacts,
        losses: &mut Losses,
    ) -> Result<PieceLists> {
        let LineOptions {
            has_variations,
            mut board,
        } = options;
        let mut before = None;
        let mut depth = 0u32;
        // The depth of a line whose rest is skipped, and whether its begin was written.
        let mut muted: Option<(u32, bool)> = None;
        for event in events {
            if let Some((level, begun)) = muted {
                // The rest of a line that ends early is lost; of a lost variation, nothing is
                // counted but itself.
                if begun && depth == level {
                    match event {
                        Event::Move(_) => losses.add(Feature::Moves, 1, None),
                        Event::Annotation(annotation) => losses.add(annotation.feature(), 1, None),
                        Event::BeginVariation => losses.add(Feature::Variations, 1, None),
                        Event::EndVariation => {}
                    }
                }
                match event {
                    Event::BeginVariation => depth += 1,
                    Event::EndVariation if depth > level => depth -= 1,
                    Event::EndVariation if !begun => {
                        depth -= 1;
                        muted = None;
                    }
                    Event::EndVariation => muted = None,
                    Event::Move(_) | Event::Annotation(_) => {}
                }
                if muted.is_some() || !begun {
                    continue;
                }
            }
            match event {
                Event::Move(ply) => {
                    if !(self.pending.at_start && self.pending.in_variation) {
                        self.flush(facts, losses);
                    }
                    let fits = self.blob.len() < self.detail.moves;
                    if !fits || !self.can_write(&board, ply, losses) {
                        losses.add(Feature::Moves, 1, None);
                        muted = Some((depth, true));
                        continue;
                    }
                    if has_variations {
                        before = Some(board.clone());
                    }
                    self.write_move(&board, ply)?;
                    let gone = board.play(ply);
                    if depth == 0 {
                        facts.play(ply, gone);
                    }
                }
                Event::Annotation(annotation) => self.annotate(annotation, facts, losses),
                Event::BeginVariation => {
                    depth += 1;
                    let Some(start) = before.clone() else {
                        losses.add(Feature::Variations, 1, None);
                        muted = Some((depth, false));
                        continue;
                    };
                    self.flush(facts, losses);
                    facts.variations += 1;
                    self.blob.push(token::BEGIN_VARIATION);
                    let after = std::mem::replace(&mut board, start);
                    self.open.push((before.take(), after));
                    self.pending.begin(self.blob.len(), true);
                }
                Event::EndVariation => {
                    depth = depth.saturating_sub(1);
                    self.flush(facts, losses);
                    self.blob.push(token::END_VARIATION);
                    if let Some((outer_before, outer)) = self.open.pop() {
                        before = outer_before;
                        board = outer;
                    }
                    self.pending.at_start = false;
                    self.pending.in_variation = depth > 0;
                }
            }
        }
        self.flush(facts, losses);
        Ok(board)
    }

    /// Whether the version can store the move. Only Scid 5 has castling from other squares than those
    /// of standard chess.
    #[inline(always)]
    fn can_write(&self, board: &PieceLists, ply: Ply, losses: &mut Losses) -> bool {
        let Ply::Move(m) = ply else {
            return true;
        };
        let is_standard = || m.from().file() == 4 && matches!(m.to().file(), 0 | 7);
        if m.is_castling() && self.version != Version::V5 && !is_standard() {
            if losses.count(Feature::Chess960) == 0 {
                losses.add(Feature::Chess960, 1, None);
            }
            return false;
        }
        // A move of no piece would make the rest of the game unreadable.
        board.has_mover(m.from())
    }

    fn write_move(&mut self, board: &PieceLists, ply: Ply) -> Result<()> {
        if board.encode(ply, &mut self.blob) {
            let pending = &mut self.pending;
            pending.is_first = pending.at_start && pending.in_variation;
            pending.at_start = false;
            return Ok(());
        }
        Err(unplayable(ply))
    }

    fn annotate(
        &mut self,
        annotation: Annotation<'_>,
        facts: &mut EntryFacts,
        losses: &mut Losses,
    ) {
        let feature = annotation.feature();
        if !self.can.has(feature) {
            losses.add(feature, 1, None);
            if let Annotation::Foreign(foreign) = annotation
                && let Some(text) = unread_text(&foreign)
            {
                self.annotate(comment_of(&text), facts, losses);
            }
            return;
        }
        let pending = &mut self.pending;
        match annotation.reduce(self.can, losses) {
            Annotation::Nag(nag) if !pending.at_start && self.blob.len() < self.detail.moves => {
                facts.nags += 1;
                self.blob.extend([token::NAG, nag.0]);
            }
            // A NAG before the first move cannot be stored, nor one for which there is no space.
            Annotation::Nag(_) => losses.add(Feature::Nags, 1, None),
            kept => {
                let is_before = matches!(
                    kept,
                    Annotation::Comment(comment) if comment.placement == CommentPlacement::Before
                );
                if is_before && !pending.is_first && !pending.at_start {
                    losses.add(Feature::CommentPlacement, 1, None);
                }
                let at_start = pending.at_start && pending.in_variation;
                let writer = if at_start || is_before && pending.is_first {
                    &mut pending.start
                } else {
                    &mut pending.after
                };
                writer.add(&kept, losses);
            }
        }
    }

    /// Writes the pending comments. Scid 3 counts empty ones too.
    fn flush(&mut self, facts: &mut EntryFacts, losses: &mut Losses) {
        if !self.pending.start.is_empty()
            && let Some(has_text) = self.take_comment(true, losses)
        {
            self.blob.insert(self.pending.start_at, token::COMMENT);
            facts.comments += u32::from(has_text || self.version == Version::V3);
        }
        if !self.pending.after.is_empty()
            && let Some(has_text) = self.take_comment(false, losses)
        {
            self.blob.push(token::COMMENT);
            facts.comments += u32::from(has_text || self.version == Version::V3);
        }
        self.pending.is_first = false;
    }

    /// Moves a pending comment to the others. Whether it has any text; `None` if there is no space for it.
    fn take_comment(&mut self, is_start: bool, losses: &mut Losses) -> Option<bool> {
        let pending = &mut self.pending;
        let writer = if is_start {
            &mut pending.start
        } else {
            &mut pending.after
        };
        let end = self.comments.len();
        let has_text = writer.take_into(&mut self.comments);
        self.empty_comments = if has_text { 0 } else { self.empty_comments + 1 };
        let is_kept = self.comments.len() <= self.detail.comments
            && self.empty_comments <= blob_parts::MAX_EMPTY_COMMENTS;
        if !is_kept {
            self.comments.truncate(end);
            writer.count_as_lost(losses);
        }
        writer.forget();
        is_kept.then_some(has_text)
    }
}

fn unplayable(ply: Ply) -> Error {
    let ply = match ply {
        Ply::Move(m) => m.to_string(),
        Ply::Null => "--".to_owned(),
    };
    Error::invalid(format!("{ply} cannot be played"))
}

/// Bytes of space that are reserved at once.
const CHUNK: usize = 128;

/// How the moves of a game are written, and from which position.
struct LineOptions {
    /// Variations are written, so that the position before a move is kept.
    has_variations: bool,
    board: PieceLists,
}

impl PendingComments {
    fn new(is_exact: bool) -> Self {
        Self {
            start: CommentWriter::new(is_exact),
            after: CommentWriter::new(is_exact),
            ..Self::default()
        }
    }

    /// Begins a line at offset `at` of the blob.
    fn begin(&mut self, at: usize, in_variation: bool) {
        self.start_at = at;
        self.in_variation = in_variation;
        self.at_start = true;
        self.is_first = false;
    }
}

/// Whether moves from a setup position can be written.
pub(crate) fn is_playable(setup: &Setup) -> bool {
    Board::from_setup(setup).is_some()
}

/// The setup with those castling rights of Chess960 that are also rights of standard chess: of a king on
/// the e-file with a rook in a corner.
fn with_classical_castling(setup: &Setup) -> Setup {
    let mut setup = setup.clone();
    for color in [Color::White, Color::Black] {
        let king = setup.king(color).filter(|king| king.file() == 4);
        let Some(rights) = setup.castling.get_mut(color as usize) else {
            continue;
        };
        for (right, file) in rights.iter_mut().zip([7, 0]) {
            *right = right.filter(|rook| {
                rook.file() == file && king.is_some_and(|king| king.rank() == rook.rank())
            });
        }
    }
    setup
}

impl EntryFacts {
    /// Adds a ply of the mainline that is no promotion. `gone` is the square of a pawn that left home.
    #[inline(always)]
    fn step(&mut self, ply: Ply, gone: u64) {
        self.plies += 1;
        self.pawns.push(gone);
        self.stored_line.play(ply);
    }

    /// Adds a ply of the mainline.
    fn play(&mut self, ply: Ply, gone: u64) {
        self.step(ply, gone);
        if let Ply::Move(m) = ply
            && let Some(role) = m.promotion_role()
        {
            self.flags |= flag::PROMOTION;
            if role != Role::Queen {
                self.flags |= flag::UNDER_PROMOTION;
            }
        }
    }
}
