//! The table of positions: a row for each move of the mainlines.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::builder::{Int16Builder, StringBuilder};
use arrow_array::{
    ArrayRef, DictionaryArray, Int8Array, Int16Array, Int32Array, Int64Array, RecordBatch,
};
use arrow_schema::{ArrowError, SchemaRef};
use tabia::collect_in_parallel::Collector;
use tabia::core::game::{ClockKind, Score};
use tabia::{Annotation, Error, Flow, GameHead, GameIndex, GameResult, Ply, Position, Visitor};

use crate::move_code;
use crate::move_code::MoveTexts;
use crate::record_batches::{BATCH_BYTES, BATCH_ROWS, table_error};
use crate::schema::{Column, POSITIONS, Table, schema_of};

/// A key of Polyglot as a signed number that sorts as the key does.
pub(crate) const fn signed_key(key: u64) -> i64 {
    (key ^ (1 << 63)).cast_signed()
}

/// A move of a game and the position before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PositionRow {
    game: u32,
    ply: u16,
    key: u64,
    /// Where its FEN ends in the texts.
    fen_end: usize,
    code: i16,
    clock: Option<i32>,
    centipawns: Option<i16>,
    mate: Option<i16>,
    result: Option<i8>,
}

/// The moves of the games of a piece of an input.
#[derive(Debug, Default)]
pub(crate) struct PositionRows {
    rows: Vec<PositionRow>,
    fens: String,
}

/// Makes rows of the moves that it visits.
#[derive(Debug)]
pub(crate) struct PositionCollector {
    plies: RangeInclusive<u16>,
    with_fen: bool,
    done: PositionRows,
    game: u32,
    chess960: bool,
    /// Plies of the open game.
    ply: u16,
    /// Index of the first row of the open game.
    start: usize,
    depth: u32,
}

impl PositionCollector {
    pub(crate) fn new(plies: RangeInclusive<u16>, with_fen: bool) -> Self {
        Self {
            plies,
            with_fen,
            done: PositionRows::default(),
            game: 0,
            chess960: false,
            ply: 0,
            start: 0,
            depth: 0,
        }
    }

    /// The row of the last move, if it has one.
    fn last_row(&mut self) -> Option<&mut PositionRow> {
        let ply = self.ply;
        let rows = self.done.rows.get_mut(self.start..)?;
        rows.last_mut().filter(|row| row.ply == ply)
    }
}

impl Visitor for PositionCollector {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game.0;
        self.chess960 = head.start.chess960;
        self.ply = 0;
        self.start = self.done.rows.len();
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.ply = self.ply.saturating_add(1);
        if self.ply > *self.plies.end() || self.ply == u16::MAX {
            return Flow::Skip;
        }
        if self.ply >= *self.plies.start() {
            if self.with_fen {
                self.done.fens.push_str(&before.fen());
            }
            self.done.rows.push(PositionRow {
                game: self.game,
                ply: self.ply,
                key: before.key(),
                fen_end: self.done.fens.len(),
                code: move_code::encode(ply, self.chess960),
                clock: None,
                centipawns: None,
                mate: None,
                result: None,
            });
        }
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.depth > 0 {
            return Flow::Go;
        }
        match annotation {
            Annotation::Clock(clock) if clock.kind == ClockKind::Remaining => {
                if let Some(row) = self.last_row() {
                    let time = i32::try_from(clock.time.as_millis()).ok();
                    row.clock = row.clock.or(time);
                }
            }
            Annotation::Eval(eval) => {
                if let Some(row) = self.last_row()
                    && row.centipawns.is_none()
                    && row.mate.is_none()
                {
                    match eval.score {
                        Score::Centipawns(score) => row.centipawns = score.try_into().ok(),
                        Score::Mate(moves) => row.mate = moves.try_into().ok(),
                    }
                }
            }
            _ => {}
        }
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        let result = match result.to_pgn() {
            GameResult::WhiteWins => Some(1),
            GameResult::Draw => Some(0),
            GameResult::BlackWins => Some(-1),
            _ => None,
        };
        let rows = self.done.rows.get_mut(self.start..).unwrap_or_default();
        for row in rows {
            row.result = result;
        }
    }
}

impl Collector for PositionCollector {
    type Piece = PositionRows;

    fn swap(&mut self, piece: &mut PositionRows) {
        piece.rows.clear();
        piece.fens.clear();
        std::mem::swap(&mut self.done, piece);
    }
}

/// The schema of the table.
pub(crate) fn schema(with_fen: bool) -> SchemaRef {
    schema_of(Table::Positions, columns(with_fen))
}

fn columns(with_fen: bool) -> impl Iterator<Item = &'static Column> {
    let columns = POSITIONS.iter();
    columns.filter(move |column| with_fen || column.name != "fen")
}

/// Makes batches of the table.
pub(crate) struct PositionBatches {
    schema: SchemaRef,
    with_fen: bool,
    rows: Vec<PositionRow>,
    fens: StringBuilder,
    bytes: usize,
}

impl PositionBatches {
    pub(crate) fn new(with_fen: bool) -> Self {
        Self {
            schema: schema(with_fen),
            with_fen,
            rows: Vec::new(),
            fens: StringBuilder::new(),
            bytes: 0,
        }
    }

    /// Appends rows from `next` on until the batch is full; returns the first that was not appended.
    /// `base` is added to the numbers of games.
    pub(crate) fn push(&mut self, rows: &PositionRows, next: usize, base: u32) -> usize {
        let mut at = next;
        let before = next.checked_sub(1).and_then(|before| rows.rows.get(before));
        let mut fen_start = before.map_or(0, |row| row.fen_end);
        while let Some(row) = rows.rows.get(at).filter(|_| !self.is_full()) {
            let game = row.game.saturating_add(base);
            self.rows.push(PositionRow { game, ..*row });
            if self.with_fen {
                let fen = rows.fens.get(fen_start..row.fen_end).unwrap_or_default();
                self.fens.append_value(fen);
                self.bytes += fen.len();
                fen_start = row.fen_end;
            }
            at += 1;
        }
        at
    }

    /// Whether the batch should be taken.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= BATCH_ROWS * 8 || self.bytes >= BATCH_BYTES
    }

    /// The rows so far; `None` without any.
    ///
    /// # Errors
    /// When Arrow refuses the columns.
    pub(crate) fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let batch = self.batch().map_err(|error| table_error(&error))?;
        self.rows.clear();
        self.bytes = 0;
        Ok(Some(batch))
    }

    fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let texts = MoveTexts::get();
        let rows = &self.rows;
        let int16 = |value: fn(&PositionRow) -> Option<i16>| -> ArrayRef {
            let mut builder = Int16Builder::with_capacity(rows.len());
            for row in rows {
                builder.append_option(value(row));
            }
            Arc::new(builder.finish())
        };
        let game = |row: &PositionRow| {
            i32::try_from(row.game)
                .unwrap_or(i32::MAX)
                .saturating_add(1)
        };
        let keys: Int32Array = rows
            .iter()
            .map(|row| i32::from(texts.key(row.code)))
            .collect();
        let moves = DictionaryArray::try_new(keys, Arc::clone(texts.texts()))?;
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(rows.iter().map(game).collect::<Int32Array>()),
            int16(|row| Some(i16::try_from(row.ply).unwrap_or(i16::MAX))),
            Arc::new(
                rows.iter()
                    .map(|row| signed_key(row.key))
                    .collect::<Int64Array>(),
            ),
        ];
        if self.with_fen {
            arrays.push(Arc::new(self.fens.finish()));
        }
        arrays.push(Arc::new(moves));
        arrays.push(Arc::new(Int16Array::from_iter_values(
            rows.iter().map(|row| row.code),
        )));
        arrays.push(Arc::new(
            rows.iter().map(|row| row.clock).collect::<Int32Array>(),
        ));
        arrays.push(int16(|row| row.centipawns));
        arrays.push(int16(|row| row.mate));
        arrays.push(Arc::new(
            rows.iter().map(|row| row.result).collect::<Int8Array>(),
        ));
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }
}
