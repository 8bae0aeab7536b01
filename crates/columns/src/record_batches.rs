//! Rows as record batches of Arrow.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Int8Builder, Int16Builder, Int32Builder, StringBuilder,
    StringDictionaryBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int16Array, ListArray, MapArray, RecordBatch, StructArray,
};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use tabia::core::calendar;
use tabia::{Date, Error, ErrorKind, GameResult};

use crate::game_rows::RowRef;
use crate::move_code::MoveTexts;
use crate::schema::{self, Cell, GameColumns};

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
            rows: 0,
            bytes: 0,
        }
    }

    /// Appends a row; `number` is that of the game in its input, from 0.
    ///
    /// # Errors
    /// When there are more games than the table can number.
    pub(crate) fn push(&mut self, row: RowRef<'_>, number: u32, source: &str) -> Result<(), Error> {
        let number = i32::try_from(u64::from(number) + 1).map_err(|_| {
            Error::new(ErrorKind::Limit {
                what: "number of a game",
                limit: i32::MAX as u64,
                size: u64::from(number) + 1,
            })
            .in_output()
        })?;
        for (cell, builder) in &mut self.columns {
            builder.push(*cell, row, number, source);
        }
        self.rows += 1;
        self.bytes += row.size();
        Ok(())
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

/// A column under construction.
enum ColumnBuilder {
    Bool(BooleanBuilder),
    Int8(Int8Builder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Date(Date32Builder),
    Text(StringBuilder),
    Name(StringDictionaryBuilder<Int32Type>),
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
            ColumnType::Name => Self::Name(StringDictionaryBuilder::new()),
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

    fn push(&mut self, cell: Cell, row: RowRef<'_>, number: i32, source: &str) {
        let known = |part: u16| (part != 0).then_some(part);
        let date = row.row.date;
        match self {
            Self::Bool(builder) => {
                if let Cell::Flag(flag) = cell {
                    builder.append_value(row.flag(flag));
                }
            }
            Self::Int8(builder) => {
                let part = match cell {
                    Cell::Month => date.month,
                    _ => date.day,
                };
                builder.append_option(known(part.into()).and_then(|part| i8::try_from(part).ok()));
            }
            Self::Int16(builder) => builder.append_option(match cell {
                Cell::Elo(side) => row.row.elo.get(side).copied().flatten(),
                Cell::Year => known(date.year).and_then(|year| i16::try_from(year).ok()),
                Cell::Increment => row.row.period.map(|(_, increment)| increment),
                Cell::PlyCount => Some(i16::try_from(row.plies()).unwrap_or(i16::MAX)),
                _ => Some(row.problems()),
            }),
            Self::Int32(builder) => builder.append_option(match cell {
                Cell::Game => Some(number),
                Cell::FideId(side) => row.row.fide_id.get(side).copied().flatten(),
                Cell::UtcTime => row.row.utc_time,
                _ => row.row.period.map(|(initial, _)| initial),
            }),
            Self::Date(builder) => builder.append_option(days(date)),
            Self::Text(builder) => {
                if let Cell::Text(field) = cell {
                    builder.append_option(row.text(field));
                }
            }
            Self::Name(builder) => builder.append_option(match cell {
                Cell::Text(field) => row.text(field),
                Cell::Source => Some(source),
                Cell::Result => Some(result_text(row.row.result)),
                _ => row.row.speed,
            }),
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
            Self::Name(builder) => Arc::new(builder.finish()),
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
