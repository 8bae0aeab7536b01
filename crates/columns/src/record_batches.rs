//! Rows as record batches of Arrow.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Int8Builder, Int16Builder, Int32Builder, StringBuilder,
};
use arrow_array::{
    ArrayRef, DictionaryArray, Int16Array, ListArray, MapArray, RecordBatch, StructArray,
};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use tabia::core::calendar;
use tabia::{Date, Error, ErrorKind, GameResult};

use crate::game_rows::{GameRows, NameCell, RareNumber, RowRef};
use crate::move_code::MoveTexts;
use crate::name_column::NameColumn;
use crate::schema::{self, Cell, GameColumns};
use crate::sent_texts::InputTexts;
use crate::tag_targets::TextField;

/// Rows of a batch.
pub(crate) const BATCH_ROWS: usize = 8192;

/// Bytes of texts and lists after which a batch has fewer rows.
pub(crate) const BATCH_BYTES: usize = 16 << 20;

/// An error of Arrow while a table is made.
pub(crate) fn table_error(error: &ArrowError) -> Error {
    Error::invalid(format!("Arrow: {error}")).in_output()
}

/// Makes batches of [`Table::Games`](crate::schema::Table::Games).
pub(crate) struct GameBatches {
    schema: SchemaRef,
    columns: Vec<(Cell, ColumnBuilder)>,
    /// Those of the input.
    texts: InputTexts,
    rows: usize,
    bytes: usize,
}

impl GameBatches {
    pub(crate) fn new(columns: &GameColumns) -> Self {
        let builders = columns.columns().map(|column| {
            (
                column.cell,
                ColumnBuilder::new(column.cell, column.column.data),
            )
        });
        Self {
            schema: columns.schema(),
            columns: builders.collect(),
            texts: InputTexts::default(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Appends records of a piece from an index on, until the batch is full or all are there; `base` is added to
    /// their numbers. Returns the index after the last.
    ///
    /// # Errors
    /// When there are more games than the table can number.
    pub(crate) fn push(
        &mut self,
        piece: &GameRows,
        from: usize,
        base: u32,
        source: &str,
    ) -> Result<usize, Error> {
        let mut end = from;
        for row in piece.rows(from..piece.len()) {
            let number = u64::from(row.game().0) + u64::from(base) + 1;
            if i32::try_from(number).is_err() {
                let kind = ErrorKind::Limit {
                    what: "number of a game",
                    limit: i32::MAX as u64,
                    size: number,
                };
                return Err(Error::new(kind).in_output());
            }
            end += 1;
            self.rows += 1;
            self.bytes += row.size();
            if self.is_full() {
                break;
            }
        }
        let rows = Rows {
            piece,
            range: from..end,
            base,
            source,
            texts: &self.texts,
        };
        for (cell, builder) in &mut self.columns {
            builder.extend(*cell, &rows);
        }
        Ok(end)
    }

    /// The rows that follow are of this piece.
    pub(crate) fn begin_piece(&mut self, piece: &GameRows) {
        self.texts.take(piece.sent_texts());
    }

    /// The rows that follow are of another input.
    pub(crate) fn begin_input(&mut self) {
        self.texts.clear();
        for (_, builder) in &mut self.columns {
            if let ColumnBuilder::Name(column) = builder {
                column.forget_numbers();
            }
        }
    }

    /// Whether the batch should be taken.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// The rows so far; `None` without any.
    ///
    /// # Errors
    /// When Arrow refuses the columns.
    pub(crate) fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        if self.rows == 0 {
            return Ok(None);
        }
        let arrays: Result<Vec<ArrayRef>, ArrowError> = self
            .columns
            .iter_mut()
            .map(|(_, builder)| builder.finish())
            .collect();
        let batch = arrays.and_then(|arrays| RecordBatch::try_new(self.schema.clone(), arrays));
        self.rows = 0;
        self.bytes = 0;
        batch.map(Some).map_err(|error| table_error(&error))
    }
}

/// The days of a date since 1970, if it is complete and exists.
pub(crate) fn days(date: Date) -> Option<i32> {
    if !date.is_complete() {
        return None;
    }
    let days = calendar::days_from_civil(i32::from(date.year), date.month, date.day);
    let same = (i32::from(date.year), date.month, date.day);
    let exists = calendar::civil_from_days(days) == Some(same);
    i32::try_from(days).ok().filter(|_| exists)
}

/// A result as the tables show it.
pub(crate) const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWins => "1-0",
        GameResult::BlackWins => "0-1",
        GameResult::Draw => "1/2-1/2",
        GameResult::Unknown => "*",
        GameResult::WhiteWinsByForfeit => "+/-",
        GameResult::BlackWinsByForfeit => "-/+",
        GameResult::DrawByForfeit => "=/=",
        GameResult::BothLose => "0-0",
    }
}

/// Lists of a column under construction.
#[derive(Default)]
struct Offsets(Vec<i32>);

impl Offsets {
    /// A list ends, after `length` elements of all lists.
    fn end(&mut self, length: usize) {
        if self.0.is_empty() {
            self.0.push(0);
        }
        // Batches are cut long before that many elements.
        self.0.push(i32::try_from(length).unwrap_or(i32::MAX));
    }

    fn finish(&mut self) -> OffsetBuffer<i32> {
        let mut offsets = std::mem::take(&mut self.0);
        if offsets.is_empty() {
            offsets.push(0);
        }
        OffsetBuffer::new(ScalarBuffer::from(offsets))
    }
}

/// Records of a piece.
struct Rows<'p> {
    piece: &'p GameRows,
    range: Range<usize>,
    /// Added to the numbers of games.
    base: u32,
    source: &'p str,
    texts: &'p InputTexts,
}

impl<'p> Rows<'p> {
    fn each(&self) -> impl Iterator<Item = RowRef<'p>> {
        self.piece.rows(self.range.clone())
    }

    /// The numbers of games, from 1; they were checked.
    fn number(&self, row: RowRef<'_>) -> i32 {
        let number = row.game().0.saturating_add(self.base).saturating_add(1);
        i32::try_from(number).unwrap_or(i32::MAX)
    }
}

/// A column under construction.
enum ColumnBuilder {
    Bool(BooleanBuilder),
    Int8(Int8Builder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Date(Date32Builder),
    Text(StringBuilder),
    Name(NameColumn),
    Tags {
        offsets: Offsets,
        pairs: usize,
        names: StringBuilder,
        values: StringBuilder,
    },
    Moves {
        offsets: Offsets,
        keys: Vec<i16>,
    },
    Codes {
        offsets: Offsets,
        codes: Vec<i16>,
    },
    Int16List {
        offsets: Offsets,
        lists: NullBufferBuilder,
        values: Int16Builder,
    },
    Int32List {
        offsets: Offsets,
        lists: NullBufferBuilder,
        values: Int32Builder,
    },
    Nags {
        offsets: Offsets,
        lists: NullBufferBuilder,
        inner: Offsets,
        values: Vec<i16>,
    },
    Comments {
        offsets: Offsets,
        lists: NullBufferBuilder,
        values: StringBuilder,
        plies: usize,
    },
}

impl ColumnBuilder {
    fn new(cell: Cell, data: schema::ColumnType) -> Self {
        use schema::ColumnType;
        let offsets = Offsets::default;
        let lists = || NullBufferBuilder::new(BATCH_ROWS);
        match data {
            ColumnType::Bool => Self::Bool(BooleanBuilder::new()),
            ColumnType::Int8 => Self::Int8(Int8Builder::new()),
            ColumnType::Int16 => Self::Int16(Int16Builder::new()),
            ColumnType::Int32 | ColumnType::Int64 => Self::Int32(Int32Builder::new()),
            ColumnType::Date => Self::Date(Date32Builder::new()),
            ColumnType::Text => Self::Text(StringBuilder::new()),
            ColumnType::Name => Self::Name(NameColumn::new()),
            ColumnType::Tags => Self::Tags {
                offsets: offsets(),
                pairs: 0,
                names: StringBuilder::new(),
                values: StringBuilder::new(),
            },
            ColumnType::Moves => Self::Moves {
                offsets: offsets(),
                keys: Vec::new(),
            },
            ColumnType::Int16List(_) if cell == Cell::MoveCodes => Self::Codes {
                offsets: offsets(),
                codes: Vec::new(),
            },
            ColumnType::Int16List(_) => Self::Int16List {
                offsets: offsets(),
                lists: lists(),
                values: Int16Builder::new(),
            },
            ColumnType::Int32List => Self::Int32List {
                offsets: offsets(),
                lists: lists(),
                values: Int32Builder::new(),
            },
            ColumnType::Int16Lists => Self::Nags {
                offsets: offsets(),
                lists: lists(),
                inner: offsets(),
                values: Vec::new(),
            },
            ColumnType::TextList => Self::Comments {
                offsets: offsets(),
                lists: lists(),
                values: StringBuilder::new(),
                plies: 0,
            },
        }
    }

    /// Appends the cells of some rows. What a column holds is asked once and not for each row.
    fn extend(&mut self, cell: Cell, rows: &Rows<'_>) {
        match self {
            Self::Bool(builder) => {
                if let Cell::Flag(flag) = cell {
                    rows.each()
                        .for_each(|row| builder.append_value(row.flag(flag)));
                }
            }
            Self::Int8(builder) => extend_bytes(builder, cell, rows),
            Self::Int16(builder) => extend_words(builder, cell, rows),
            Self::Int32(builder) => extend_numbers(builder, cell, rows),
            Self::Date(builder) => builder.extend(rows.each().map(|row| days(row.row.date))),
            Self::Text(builder) => {
                if let Cell::Text(field) = cell {
                    match rows.piece.names(field, rows.range.clone()) {
                        Some(texts) => {
                            // Only names are sent.
                            builder.extend(texts.map(|text| text.and_then(NameCell::text)));
                        }
                        None => builder.append_nulls(rows.range.len()),
                    }
                }
            }
            Self::Name(column) => extend_names(column, cell, rows),
            _ => rows.each().for_each(|row| self.push_lists(cell, row)),
        }
    }

    /// Appends the lists of a row.
    fn push_lists(&mut self, cell: Cell, row: RowRef<'_>) {
        match self {
            Self::Bool(_)
            | Self::Int8(_)
            | Self::Int16(_)
            | Self::Int32(_)
            | Self::Date(_)
            | Self::Text(_)
            | Self::Name(_) => {}
            Self::Tags {
                offsets,
                pairs,
                names,
                values,
            } => {
                for (name, value) in row.tags() {
                    names.append_value(name);
                    values.append_value(value);
                    *pairs += 1;
                }
                offsets.end(*pairs);
            }
            Self::Moves { offsets, keys } => {
                let texts = MoveTexts::get();
                keys.extend(row.codes().iter().map(|code| texts.key(*code)));
                offsets.end(keys.len());
            }
            Self::Codes { offsets, codes } => {
                codes.extend_from_slice(row.codes());
                offsets.end(codes.len());
            }
            Self::Int16List {
                offsets,
                lists,
                values,
            } => {
                let cells = match cell {
                    Cell::EvalCentipawns => row.centipawns(),
                    Cell::EvalMate => row.mates(),
                    _ => row.depths(),
                };
                lists.append(cells.is_some());
                for value in cells.unwrap_or_default() {
                    values.append_option(value.and_then(|value| i16::try_from(value).ok()));
                }
                offsets.end(arrow_array::builder::ArrayBuilder::len(values));
            }
            Self::Int32List {
                offsets,
                lists,
                values,
            } => {
                let cells = match cell {
                    Cell::Clocks => row.clocks(),
                    _ => row.elapsed(),
                };
                lists.append(cells.is_some());
                for value in cells.unwrap_or_default() {
                    values.append_option(*value);
                }
                offsets.end(arrow_array::builder::ArrayBuilder::len(values));
            }
            Self::Nags {
                offsets,
                lists,
                inner,
                values,
            } => {
                let mut nags = row.nags().iter().peekable();
                lists.append(nags.peek().is_some());
                let plies = nags.peek().map_or(0, |_| row.plies());
                for ply in 0..plies {
                    while let Some((_, nag)) = nags.next_if(|(at, _)| *at == ply) {
                        values.push(*nag);
                    }
                    inner.end(values.len());
                }
                offsets.end(inner.0.len().saturating_sub(1));
            }
            Self::Comments {
                offsets,
                lists,
                values,
                plies,
            } => {
                let mut comments = row.comments().iter().peekable();
                lists.append(comments.peek().is_some());
                let count = comments.peek().map_or(0, |_| row.plies());
                let mut text = String::new();
                for ply in 0..count {
                    text.clear();
                    let mut has_one = false;
                    while let Some(comment) = comments.next_if(|comment| comment.ply == ply) {
                        if has_one {
                            text.push('\n');
                        }
                        has_one = true;
                        text.push_str(row.comment_text(comment));
                    }
                    values.append_option(has_one.then_some(text.as_str()));
                }
                *plies += count;
                offsets.end(*plies);
            }
        }
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Int8(builder) => Arc::new(builder.finish()),
            Self::Int16(builder) => Arc::new(builder.finish()),
            Self::Int32(builder) => Arc::new(builder.finish()),
            Self::Date(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Name(column) => column.finish()?,
            Self::Tags {
                offsets,
                pairs,
                names,
                values,
            } => {
                *pairs = 0;
                let arrays: Vec<ArrayRef> =
                    vec![Arc::new(names.finish()), Arc::new(values.finish())];
                let entries = StructArray::try_new(schema::pair_fields(), arrays, None)?;
                let field = schema::map_entries();
                Arc::new(MapArray::try_new(
                    field,
                    offsets.finish(),
                    entries,
                    None,
                    false,
                )?)
            }
            Self::Moves { offsets, keys } => {
                let keys = Int16Array::from(std::mem::take(keys));
                let texts = Arc::clone(MoveTexts::get().texts());
                let moves: ArrayRef = Arc::new(DictionaryArray::try_new(keys, texts)?);
                list(offsets, moves, false, None)?
            }
            Self::Codes { offsets, codes } => {
                let codes = Int16Array::from(std::mem::take(codes));
                list(offsets, Arc::new(codes), false, None)?
            }
            Self::Int16List {
                offsets,
                lists,
                values,
            } => list(offsets, Arc::new(values.finish()), true, lists.finish())?,
            Self::Int32List {
                offsets,
                lists,
                values,
            } => list(offsets, Arc::new(values.finish()), true, lists.finish())?,
            Self::Nags {
                offsets,
                lists,
                inner,
                values,
            } => {
                let values: ArrayRef = Arc::new(Int16Array::from(std::mem::take(values)));
                let plies = list(inner, values, false, None)?;
                list(offsets, plies, false, lists.finish())?
            }
            Self::Comments {
                offsets,
                lists,
                values,
                plies,
            } => {
                *plies = 0;
                list(offsets, Arc::new(values.finish()), true, lists.finish())?
            }
        })
    }
}

/// Names, most of which have numbers in a database with an index.
fn extend_names(column: &mut NameColumn, cell: Cell, rows: &Rows<'_>) {
    let each = rows.each();
    match cell {
        Cell::Text(TextField::Variant) => each.for_each(|row| {
            let (text, number) = row.variant();
            column.push_numbered(text, number);
        }),
        Cell::Text(field) => match rows.piece.names(field, rows.range.clone()) {
            Some(names) => names.for_each(|name| match name {
                Some(NameCell::Text(text, number)) => column.push_numbered(text, number),
                Some(NameCell::Sent(number)) => {
                    column.push_sent(number, || rows.texts.text(field, number));
                }
                None => column.push(None),
            }),
            None => column.push_nulls(rows.range.len()),
        },
        Cell::Source => column.push_repeated(rows.source, rows.range.len()),
        Cell::Result => each.for_each(|row| {
            let result = row.row.result;
            column.push_numbered(result_text(result), result as u32);
        }),
        // A speed comes from a time control.
        _ if rows.piece.names(TextField::TimeControl, 0..0).is_none() => {
            column.push_nulls(rows.range.len());
        }
        _ => each.for_each(|row| column.push(row.row.speed)),
    }
}

/// Parts of dates.
fn extend_bytes(builder: &mut Int8Builder, cell: Cell, rows: &Rows<'_>) {
    let known = |part: u8| i8::try_from(part).ok().filter(|part| *part != 0);
    match cell {
        Cell::Month => builder.extend(rows.each().map(|row| known(row.row.date.month))),
        _ => builder.extend(rows.each().map(|row| known(row.row.date.day))),
    }
}

fn extend_words(builder: &mut Int16Builder, cell: Cell, rows: &Rows<'_>) {
    let year = |year: u16| i16::try_from(year).ok().filter(|year| *year != 0);
    let each = rows.each();
    match cell {
        Cell::Elo(side) => builder.extend(each.map(|row| row.row.elo.get(side).copied().flatten())),
        Cell::Year => builder.extend(each.map(|row| year(row.row.date.year))),
        Cell::Increment if !rows.piece.has_numbers(RareNumber::Period) => {
            builder.append_nulls(rows.range.len());
        }
        Cell::Increment => {
            builder.extend(each.map(|row| row.row.period.map(|(_, increment)| increment)));
        }
        Cell::PlyCount => each.for_each(|row| builder.append_value(row.ply_count())),
        _ => each.for_each(|row| builder.append_value(row.problems())),
    }
}

fn extend_numbers(builder: &mut Int32Builder, cell: Cell, rows: &Rows<'_>) {
    let each = rows.each();
    match cell {
        Cell::Game => each.for_each(|row| builder.append_value(rows.number(row))),
        Cell::FideId(0) if !rows.piece.has_numbers(RareNumber::WhiteFideId) => {
            builder.append_nulls(rows.range.len());
        }
        Cell::FideId(1) if !rows.piece.has_numbers(RareNumber::BlackFideId) => {
            builder.append_nulls(rows.range.len());
        }
        Cell::UtcTime if !rows.piece.has_numbers(RareNumber::UtcTime) => {
            builder.append_nulls(rows.range.len());
        }
        Cell::InitialTime if !rows.piece.has_numbers(RareNumber::Period) => {
            builder.append_nulls(rows.range.len());
        }
        Cell::FideId(side) => {
            builder.extend(each.map(|row| row.row.fide_id.get(side).copied().flatten()));
        }
        Cell::UtcTime => builder.extend(each.map(|row| row.row.utc_time)),
        _ => builder.extend(each.map(|row| row.row.period.map(|(initial, _)| initial))),
    }
}

fn list(
    offsets: &mut Offsets,
    values: ArrayRef,
    nullable: bool,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let data: DataType = values.data_type().clone();
    let field = schema::element(data, nullable);
    Ok(Arc::new(ListArray::try_new(
        field,
        offsets.finish(),
        values,
        nulls,
    )?))
}
