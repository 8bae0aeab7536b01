//! From a game to its blob and what the index says of it.

use tabia_core::chess::{FenStyle, Ply, Role, Setup};
use tabia_core::error::{Error, Result};
use tabia_core::game::{Annotation, CommentPlacement, Event, Game};
use tabia_core::loss::{Feature, Features, Losses};

use crate::games::common::annotation_order::remarks_first;

use super::board::{Board, token};
use super::comments::CommentWriter;
use super::entry::{Entry, Version, count_code, flag};
use super::game_blob::start_flag;
use super::home_pawns::PawnMoves;
use super::move_codes::MoveBytes;
use super::piece_lists::Lists;
use super::stored_lines::StoredLine;

/// How much of a game is written; less when the blob would be too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    Mainline,
    Variations,
    Everything,
}

/// Turns games into blobs, reusing its buffers.
#[derive(Debug)]
pub(crate) struct Encoder {
    version: Version,
    can: Features,
    /// The blob: tags first, by the caller.
    pub(crate) blob: Vec<u8>,
    comments: Vec<u8>,
    /// The usual start.
    standard: Lists,
    open: Vec<(Option<Lists>, Lists)>,
    node: Node,
}

/// The place at hand, until the next move or bracket.
#[derive(Debug, Default)]
struct Node {
    /// What stands before the first move of a variation, and where its mark belongs.
    start: CommentWriter,
    start_at: usize,
    /// What stands behind the move, or before the game.
    after: CommentWriter,
    in_variation: bool,
    /// No move yet in this line.
    at_start: bool,
    /// The move is the first one of a variation.
    is_first: bool,
}

/// What becomes known of a game while it is written.
struct Facts {
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
            standard: Lists::of(&Board::standard()),
            open: Vec::new(),
            node: Node::new(can.has(Feature::Foreign)),
        }
    }

    /// Appends start, moves and comments to the blob and fills what the index says of them.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        keep: Keep,
        entry: &mut Entry,
        losses: &mut Losses,
    ) -> Result<()> {
        let start_at = self.blob.len();
        let setup = self.write_start(game, losses);
        let mut facts = Facts {
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
            (Some(setup), true) => Board::from_setup(setup).map(|board| Lists::of(&board)),
            (Some(_), false) => None,
        };
        self.comments.clear();
        let last = if let Some(board) = board {
            self.write_moves(game, keep, board, &mut facts, losses)?
        } else {
            // What is said of the game needs no position.
            self.node.begin(self.blob.len(), false);
            for event in game.events() {
                let Event::Annotation(annotation) = event else {
                    break;
                };
                self.annotate(annotation, keep, &mut facts, losses);
            }
            self.flush(&mut facts);
            self.standard.clone()
        };
        self.blob.push(token::END_GAME);
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
        entry.plies = facts.plies.min(1023) as u16;
        entry.material = last.material();
        if !setup {
            entry.stored_line = facts.stored_line.code();
            entry.home_pawn_count = facts.pawns.count();
            entry.home_pawns = facts.pawns.list();
        }
        Ok(())
    }

    /// Writes the start; whether it is a setup position that can be played from.
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
            without_castling(setup).fen(FenStyle::XFen)
        } else {
            setup.fen(FenStyle::XFen)
        };
        self.blob.extend_from_slice(fen.as_bytes());
        self.blob.push(0);
        true
    }

    /// Writes the moves; the position after the last one of the mainline.
    fn write_moves(
        &mut self,
        game: &Game,
        keep: Keep,
        board: Lists,
        facts: &mut Facts,
        losses: &mut Losses,
    ) -> Result<Lists> {
        if !game.has_annotations() && !game.has_variations() {
            return self.write_plain(game, board, facts, losses);
        }
        self.open.clear();
        self.node.begin(self.blob.len(), false);
        let run = Run {
            keep,
            keeps_before: keep != Keep::Mainline && game.has_variations(),
            board,
        };
        if run.keeps_before && has_late_remarks(game) {
            let events = remarks_first(game.events().collect());
            self.write_events(events.into_iter(), run, facts, losses)
        } else {
            self.write_events(game.events(), run, facts, losses)
        }
    }

    /// Most games are nothing but a mainline.
    fn write_plain(
        &mut self,
        game: &Game,
        mut board: Lists,
        facts: &mut Facts,
        losses: &mut Losses,
    ) -> Result<Lists> {
        // Room is made for many moves at once.
        let mut end = self.blob.len();
        for ply in game.mainline() {
            if let Ply::Move(m) = ply
                && m.is_normal()
                && let Some((MoveBytes { bytes, length }, gone)) = board.step(m)
            {
                if self.blob.len() < end + 2 {
                    self.blob.resize(end + CHUNK, 0);
                }
                if let Some(room) = self.blob.get_mut(end..end + 2) {
                    room.copy_from_slice(&bytes);
                }
                end += length;
                facts.step(ply, gone);
                continue;
            }
            self.blob.truncate(end);
            if !self.can_write(&board, ply, losses) {
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
        run: Run,
        facts: &mut Facts,
        losses: &mut Losses,
    ) -> Result<Lists> {
        let Run {
            keep,
            keeps_before,
            mut board,
        } = run;
        let mut before = None;
        let mut depth = 0u32;
        // The depth of a line whose rest is left out, and whether the line was begun.
        let mut muted: Option<(u32, bool)> = None;
        for event in events {
            if let Some((level, begun)) = muted {
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
                    if !(self.node.at_start && self.node.in_variation) {
                        self.flush(facts);
                    }
                    if !self.can_write(&board, ply, losses) {
                        muted = Some((depth, true));
                        continue;
                    }
                    if keeps_before {
                        before = Some(board.clone());
                    }
                    self.write_move(&board, ply)?;
                    let gone = board.play(ply);
                    if depth == 0 {
                        facts.play(ply, gone);
                    }
                }
                Event::Annotation(annotation) => self.annotate(annotation, keep, facts, losses),
                Event::BeginVariation => {
                    depth += 1;
                    let Some(start) = before.clone() else {
                        losses.add(Feature::Variations, 1, None);
                        muted = Some((depth, false));
                        continue;
                    };
                    self.flush(facts);
                    facts.variations += 1;
                    self.blob.push(token::BEGIN_VARIATION);
                    let after = std::mem::replace(&mut board, start);
                    self.open.push((before.take(), after));
                    self.node.begin(self.blob.len(), true);
                }
                Event::EndVariation => {
                    depth = depth.saturating_sub(1);
                    self.flush(facts);
                    self.blob.push(token::END_VARIATION);
                    if let Some((outer_before, outer)) = self.open.pop() {
                        before = outer_before;
                        board = outer;
                    }
                    self.node.at_start = false;
                    self.node.in_variation = depth > 0;
                }
            }
        }
        self.flush(facts);
        Ok(board)
    }

    /// Whether the version can hold the move. Castling from other squares than the usual ones is
    /// for Scid 5 only.
    #[inline(always)]
    fn can_write(&self, board: &Lists, ply: Ply, losses: &mut Losses) -> bool {
        let Ply::Move(m) = ply else {
            return true;
        };
        let is_usual = || m.from().file() == 4 && matches!(m.to().file(), 0 | 7);
        if m.is_castling() && self.version != Version::V5 && !is_usual() {
            if losses.count(Feature::Chess960) == 0 {
                losses.add(Feature::Chess960, 1, None);
            }
            return false;
        }
        // A move onto a king, or of no piece, would leave a game that nobody can read.
        board.has_mover(m.from())
    }

    fn write_move(&mut self, board: &Lists, ply: Ply) -> Result<()> {
        if board.encode(ply, &mut self.blob) {
            let node = &mut self.node;
            node.is_first = node.at_start && node.in_variation;
            node.at_start = false;
            return Ok(());
        }
        Err(unplayable(ply))
    }

    fn annotate(
        &mut self,
        annotation: Annotation<'_>,
        keep: Keep,
        facts: &mut Facts,
        losses: &mut Losses,
    ) {
        let feature = annotation.feature();
        if !self.can.has(feature) {
            losses.add(feature, 1, None);
            return;
        }
        let node = &mut self.node;
        match annotation.reduce(self.can, losses) {
            Annotation::Nag(nag) if !node.at_start => {
                facts.nags += 1;
                self.blob.extend([token::NAG, nag.0]);
            }
            // There is no place for a NAG before the first move.
            Annotation::Nag(_) => losses.add(Feature::Nags, 1, None),
            _ if keep != Keep::Everything => losses.add(Feature::LongText, 1, None),
            kept => {
                let stands_before = matches!(
                    kept,
                    Annotation::Comment(comment) if comment.placement == CommentPlacement::Before
                );
                if stands_before && !node.is_first && !node.at_start {
                    losses.add(Feature::CommentPlacement, 1, None);
                }
                let at_start = node.at_start && node.in_variation;
                let writer = if at_start || stands_before && node.is_first {
                    &mut node.start
                } else {
                    &mut node.after
                };
                writer.add(&kept, losses);
            }
        }
    }

    /// Writes the comments of the place at hand. Scid 3 counts empty ones too.
    fn flush(&mut self, facts: &mut Facts) {
        let node = &mut self.node;
        if !node.start.is_empty() {
            self.blob.insert(node.start_at, token::COMMENT);
            let has_text = node.start.take_into(&mut self.comments);
            facts.comments += u32::from(has_text || self.version == Version::V3);
        }
        if !node.after.is_empty() {
            self.blob.push(token::COMMENT);
            let has_text = node.after.take_into(&mut self.comments);
            facts.comments += u32::from(has_text || self.version == Version::V3);
        }
        node.is_first = false;
    }
}

fn unplayable(ply: Ply) -> Error {
    let ply = match ply {
        Ply::Move(m) => m.to_string(),
        Ply::Null => "--".to_owned(),
    };
    Error::invalid(format!("{ply} cannot be played"))
}

/// So many bytes are made room for at once.
const CHUNK: usize = 128;

/// How the moves of a game are written.
struct Run {
    keep: Keep,
    /// Whether variations are written, which need the position before a move.
    keeps_before: bool,
    board: Lists,
}

impl Node {
    fn new(is_exact: bool) -> Self {
        Self {
            start: CommentWriter::new(is_exact),
            after: CommentWriter::new(is_exact),
            ..Self::default()
        }
    }

    /// A line begins at `at` in the blob.
    fn begin(&mut self, at: usize, in_variation: bool) {
        self.start_at = at;
        self.in_variation = in_variation;
        self.at_start = true;
        self.is_first = false;
    }
}

/// Whether something is said of a move behind a variation of it.
fn has_late_remarks(game: &Game) -> bool {
    let mut is_behind = false;
    game.events().any(|event| {
        let is_late = is_behind && matches!(event, Event::Annotation(_));
        is_behind = event == Event::EndVariation;
        is_late
    })
}

/// Whether moves from this position can be written.
pub(crate) fn is_playable(setup: &Setup) -> bool {
    Board::from_setup(setup).is_some()
}

fn without_castling(setup: &Setup) -> Setup {
    let mut setup = setup.clone();
    setup.castling = Default::default();
    setup
}

impl Facts {
    /// The next ply of the mainline was played, which promotes nothing.
    #[inline(always)]
    fn step(&mut self, ply: Ply, gone: u64) {
        self.plies += 1;
        self.pawns.push(gone);
        self.stored_line.play(ply);
    }

    /// The next ply of the mainline was played.
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
