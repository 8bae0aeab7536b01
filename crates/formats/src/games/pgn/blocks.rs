//! Streams of games, cut into blocks of whole games.

use std::io::Read;

use tabia_core::error::Result;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::{Block, BlockCounts, BlockReader, Blocks, GameStream};
use tabia_core::io::Charset;
use tabia_core::{Error, GameIndex};

use super::encoding::{Input, SAMPLE, detect};
use super::game_boundary::{BOM, Boundaries};
use super::read::Reader;
use super::text_cursor::{Walk, count_lines};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 19;

/// Cuts a stream where games certainly begin.
#[derive(Debug)]
pub(super) struct PgnBlocks {
    input: Input,
    /// The first `filled` bytes are read and not yet handed out; behind them is room.
    ready: Vec<u8>,
    filled: usize,
    offset: u64,
    ended: bool,
    piece: usize,
    limits: Limits,
    strict: bool,
    charset: Charset,
    boundaries: Boundaries,
}

impl PgnBlocks {
    pub(super) fn open(input: Box<dyn Read + Send>, options: &OpenOptions) -> Result<Self> {
        Self::with_piece(input, options, PIECE)
    }

    pub(super) fn with_piece(
        input: Box<dyn Read + Send>,
        options: &OpenOptions,
        piece: usize,
    ) -> Result<Self> {
        let mut input = Input::open(input)?;
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
        Ok(Self {
            input,
            ready,
            filled,
            offset,
            ended,
            piece: piece.max(16),
            limits: options.limits,
            strict: options.strict,
            charset,
            boundaries: Boundaries::default(),
        })
    }

    fn new_reader(&self) -> Reader {
        Reader::new(self.charset, self.strict, self.limits.depth)
    }

    /// Where to cut the first `length` bytes: at the last game that certainly begins there, else
    /// at the last but one that reading finds.
    fn cut(&self, length: usize) -> Option<usize> {
        let text = self.ready.get(..length)?;
        if let Some(place) = self.boundaries.last(text) {
            return Some(place);
        }
        // How a game begins may depend on what follows it; the last one's is not seen here.
        let (mut last, mut cut) = (0, 0);
        let mut reader = Reader::new(self.charset, false, self.limits.depth);
        let mut walk = Walk::default();
        while let Ok(Some(_)) = reader.next(text, &mut walk, Want::TAGS, &mut Nobody) {
            (cut, last) = (last, walk.at);
        }
        (cut > 0).then_some(cut)
    }
}

/// Looks at nothing.
struct Nobody;

impl Visitor for Nobody {
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
        let mut wanted = self.piece;
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
                self.cut(length)
            };
            let Some(cut) = cut else {
                Limits::check("game", wanted as u64, self.limits.record)
                    .map_err(|error| error.at_offset(self.offset))?;
                wanted = wanted.saturating_mul(2);
                continue;
            };
            // What is behind the cut is short; the buffers change places.
            let rest = self.ready.get(cut..self.filled).unwrap_or_default();
            if block.bytes.len() < rest.len() {
                block.bytes.resize(rest.len(), 0);
            }
            if let Some(room) = block.bytes.get_mut(..rest.len()) {
                room.copy_from_slice(rest);
            }
            self.filled = rest.len();
            std::mem::swap(&mut block.bytes, &mut self.ready);
            block.bytes.truncate(cut);
            self.offset += cut as u64;
            return Ok(cut > 0);
        }
    }

    fn reader(&self) -> Box<dyn BlockReader> {
        Box::new(PgnBlockReader(self.new_reader()))
    }
}

struct PgnBlockReader(Reader);

impl BlockReader for PgnBlockReader {
    fn read(
        &mut self,
        block: &Block,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<(Flow, BlockCounts)> {
        let mut walk = Walk::default();
        let mut flow = Flow::Go;
        while flow == Flow::Go {
            match self.0.next(&block.bytes, &mut walk, want, visitor)? {
                Some(answer) => flow = answer,
                None => break,
            }
        }
        let counts = BlockCounts {
            games: walk.games,
            lines: count_lines(&block.bytes, 0, block.bytes.len()),
        };
        Ok((flow, counts))
    }
}

/// One game after another.
#[derive(Debug)]
pub(super) struct PgnStream {
    blocks: PgnBlocks,
    block: Block,
    reader: Reader,
    walk: Walk,
}

impl PgnStream {
    pub(super) fn new(blocks: PgnBlocks) -> Self {
        let reader = blocks.new_reader();
        let walk = Walk::new(0, blocks.offset);
        Self {
            blocks,
            block: Block::default(),
            reader,
            walk,
        }
    }
}

impl GameStream for PgnStream {
    fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>, Error> {
        loop {
            let answer = self
                .reader
                .next(&self.block.bytes, &mut self.walk, want, visitor)?;
            if answer.is_some() {
                return Ok(answer);
            }
            self.walk.next_text(&self.block.bytes);
            if !self.blocks.next(&mut self.block)? {
                self.block.bytes.clear();
                return Ok(None);
            }
        }
    }
}
