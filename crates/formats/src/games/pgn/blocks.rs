//! Streams of games, and their blocks: parts of a stream that hold complete games.

use std::io::Read;

use tabia_core::chess::PieceLetters;
use tabia_core::error::Result;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::{Block, BlockCounts, BlockReader, Blocks, GameStream};
use tabia_core::io::Charset;
use tabia_core::{Error, GameIndex};

use super::char_class::BOM;
use super::encoding::{SAMPLE, Utf8Input, detect};
use super::event_boundary::EventBoundaries;
use super::letter_detection;
use super::read::{Reader, has_only_comments};
use super::text_cursor::{TextCursor, count_lines};

/// Size of a block, in bytes; a block with a longer game is larger.
const BLOCK_SIZE: usize = 1 << 19;

/// Cuts a stream into blocks, at event boundaries if possible.
#[derive(Debug)]
pub(super) struct PgnBlocks {
    input: Utf8Input,
    /// Bytes that are read but in no block yet: the first `filled` ones. The others are spare
    /// capacity.
    ready: Vec<u8>,
    filled: usize,
    /// Offset of the next block in the stream.
    offset: u64,
    /// Whether a block was cut.
    has_cut: bool,
    /// Whether the end of the stream is read.
    ended: bool,
    block_size: usize,
    limits: Limits,
    strict: bool,
    charset: Charset,
    /// The letters of pieces.
    letters: Option<&'static PieceLetters>,
    /// What is reported before the first game: its offset, and letters that were detected.
    notice: Option<(u64, &'static PieceLetters)>,
    boundaries: EventBoundaries,
}

impl PgnBlocks {
    pub(super) fn open(input: Box<dyn Read + Send>, options: &OpenOptions) -> Result<Self> {
        Self::with_block_size(input, options, BLOCK_SIZE)
    }

    pub(super) fn with_block_size(
        input: Box<dyn Read + Send>,
        options: &OpenOptions,
        block_size: usize,
    ) -> Result<Self> {
        let mut input = Utf8Input::open(input)?;
        let (mut ready, mut filled) = (Vec::new(), 0);
        let ended = !input.fill(SAMPLE, &mut ready, &mut filled)?;
        ready.truncate(filled);
        let charset = detect(&ready, options.charset);
        let mut offset = 0;
        if ready.starts_with(BOM) {
            ready.drain(..BOM.len());
            filled = ready.len();
            offset = BOM.len() as u64;
        }
        let depth = options.limits.depth;
        let text = Some(&ready).filter(|_| options.pieces.is_none());
        let detected = text.and_then(|text| letter_detection::detect(text, ended, charset, depth));
        Ok(Self {
            letters: options.pieces.or(detected),
            notice: detected.map(|letters| (offset, letters)),
            input,
            ready,
            filled,
            offset,
            has_cut: false,
            ended,
            block_size: block_size.max(16),
            limits: options.limits,
            strict: options.strict,
            charset,
            boundaries: EventBoundaries::default(),
        })
    }

    fn new_reader(&self) -> Reader {
        Reader::new(self.charset, self.strict, self.limits.depth, self.letters)
    }

    /// Where to cut the first `length` bytes: at the last event boundary, else after the last but one
    /// of the games that reading finds. `None` if more bytes are needed.
    fn find_cut(&self, length: usize) -> Option<usize> {
        let text = self.ready.get(..length)?;
        if let Some(boundary) = self.boundaries.last(text) {
            // Comments before the first game belong to it.
            let is_first = !self.has_cut && boundary == self.boundaries.next_after(text, 0);
            let before = text.get(..boundary).unwrap_or_default();
            return (!is_first || !has_only_comments(before)).then_some(boundary);
        }
        // Where a game begins may depend on the bytes after it, and those after the last are unread.
        let (mut last, mut cut) = (0, 0);
        let depth = self.limits.depth;
        let mut reader = Reader::new(self.charset, false, depth, self.letters);
        let mut cursor = TextCursor::default();
        while let Ok(Some(_)) = reader.next(text, &mut cursor, Want::TAGS, &mut SkipGames) {
            (cut, last) = (last, cursor.at);
        }
        (cut > 0).then_some(cut)
    }
}

/// A visitor that skips every game.
struct SkipGames;

impl Visitor for SkipGames {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        Flow::Skip
    }

    fn visit_move(&mut self, _: &tabia_core::chess::Position, _: tabia_core::chess::Ply) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, _result: GameResult) {}
}

impl Blocks for PgnBlocks {
    fn next(&mut self, block: &mut Block) -> Result<bool> {
        block.offset = self.offset;
        let mut wanted = self.block_size;
        loop {
            if !self.ended && self.filled < wanted {
                let missing = wanted - self.filled;
                let filled = &mut self.filled;
                self.ended = !self.input.fill(missing, &mut self.ready, filled)?;
            }
            let length = wanted.min(self.filled);
            let cut = if self.ended && length == self.filled {
                Some(length)
            } else {
                self.find_cut(length)
            };
            let Some(cut) = cut else {
                Limits::check("game", wanted as u64, self.limits.record)
                    .map_err(|error| error.at_offset(self.offset))?;
                wanted = wanted.saturating_mul(2);
                continue;
            };
            // The bytes after the cut are few: copy them to the other buffer and swap the two.
            let rest = self.ready.get(cut..self.filled).unwrap_or_default();
            if block.bytes.len() < rest.len() {
                block.bytes.resize(rest.len(), 0);
            }
            if let Some(start) = block.bytes.get_mut(..rest.len()) {
                start.copy_from_slice(rest);
            }
            self.filled = rest.len();
            std::mem::swap(&mut block.bytes, &mut self.ready);
            block.bytes.truncate(cut);
            self.has_cut = true;
            self.offset += cut as u64;
            return Ok(cut > 0);
        }
    }

    fn reader(&self) -> Box<dyn BlockReader> {
        Box::new(PgnBlockReader {
            reader: self.new_reader(),
            notice: self.notice,
            strict: self.strict,
        })
    }
}

/// Reads the games of a block.
struct PgnBlockReader {
    reader: Reader,
    /// What is reported before the block at an offset.
    notice: Option<(u64, &'static PieceLetters)>,
    strict: bool,
}

/// Reports that letters were detected.
fn report_letters(letters: &PieceLetters, strict: bool, visitor: &mut dyn Visitor) -> Result<Flow> {
    let error = letter_detection::problem(letters);
    if strict {
        return Err(error);
    }
    Ok(visitor.problem(error.into()))
}

impl BlockReader for PgnBlockReader {
    fn read(
        &mut self,
        block: &Block,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<(Flow, BlockCounts)> {
        let mut cursor = TextCursor::default();
        let mut flow = Flow::Go;
        if let Some((offset, letters)) = self.notice
            && offset == block.offset
        {
            flow = report_letters(letters, self.strict, visitor)?;
        }
        while flow == Flow::Go {
            match self.reader.next(&block.bytes, &mut cursor, want, visitor)? {
                Some(answer) => flow = answer,
                None => break,
            }
        }
        let counts = BlockCounts {
            games: cursor.games,
            lines: count_lines(&block.bytes, 0, block.bytes.len()),
        };
        Ok((flow, counts))
    }
}

/// Reads the games of a stream one after another.
#[derive(Debug)]
pub(super) struct PgnStream {
    blocks: PgnBlocks,
    block: Block,
    reader: Reader,
    cursor: TextCursor,
}

impl PgnStream {
    pub(super) fn new(blocks: PgnBlocks) -> Self {
        let reader = blocks.new_reader();
        let cursor = TextCursor::new(0, blocks.offset);
        Self {
            blocks,
            block: Block::default(),
            reader,
            cursor,
        }
    }
}

impl GameStream for PgnStream {
    fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>, Error> {
        if let Some((_, letters)) = self.blocks.notice.take()
            && report_letters(letters, self.blocks.strict, visitor)? == Flow::Stop
        {
            return Ok(Some(Flow::Stop));
        }
        loop {
            let answer = self
                .reader
                .next(&self.block.bytes, &mut self.cursor, want, visitor)?;
            if answer.is_some() {
                return Ok(answer);
            }
            self.cursor.next_text(&self.block.bytes);
            if !self.blocks.next(&mut self.block)? {
                self.block.bytes.clear();
                return Ok(None);
            }
        }
    }
}
