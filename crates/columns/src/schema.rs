//! The tables: their columns, types and meanings. Version 1.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use tabia::{Error, Want};

use crate::game_rows::Flag;
use crate::tag_targets::TextField;

/// The version of the tables, in the metadata of every file as `tabia.schema`.
pub const VERSION: &str = "1";

/// The key of [`VERSION`] in the metadata of a file.
pub const VERSION_KEY: &str = "tabia.schema";

/// The key of the table's name in the metadata of a file.
pub const TABLE_KEY: &str = "tabia.table";

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// A row for each record of a database.
    Games,
    /// A row for each move of the mainlines.
    Positions,
    /// A row for each move of each position of a book.
    BookRows,
}

impl Table {
    /// Every table.
    pub const ALL: [Table; 3] = [Self::Games, Self::Positions, Self::BookRows];

    /// Its name: `games`, `positions`, `book_rows`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Positions => "positions",
            Self::BookRows => "book_rows",
        }
    }

    /// The table of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Its columns, in order.
    pub fn columns(self) -> Vec<&'static Column> {
        match self {
            Self::Games => GAMES.iter().map(|column| &column.column).collect(),
            Self::Positions => POSITIONS.iter().collect(),
            Self::BookRows => BOOK_ROWS.iter().collect(),
        }
    }
}

/// A column of a table.
#[derive(Debug)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub data: ColumnType,
    /// Whether the source may be silent about it.
    pub nullable: bool,
    /// What it states.
    pub meaning: &'static str,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// True or false.
    Bool,
    /// 8 bits, signed.
    Int8,
    /// 16 bits, signed.
    Int16,
    /// 32 bits, signed.
    Int32,
    /// 64 bits, signed.
    Int64,
    /// A day.
    Date,
    /// UTF-8.
    Text,
    /// UTF-8, in a dictionary.
    Name,
    /// Pairs of texts, in order.
    Tags,
    /// A list of texts, in a dictionary.
    Moves,
    /// A list of 16-bit numbers; `true`: some of them may be null.
    Int16List(bool),
    /// A list of 32-bit numbers, some of which may be null.
    Int32List,
    /// A list of lists of 16-bit numbers.
    Int16Lists,
    /// A list of texts, some of which may be null.
    TextList,
}

impl ColumnType {
    /// The type in Arrow.
    pub fn arrow(self) -> DataType {
        let list = |data, nullable| DataType::List(element(data, nullable));
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int8 => DataType::Int8,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::Date => DataType::Date32,
            Self::Text => DataType::Utf8,
            Self::Name => dictionary(DataType::Int32),
            Self::Tags => DataType::Map(map_entries(), false),
            Self::Moves => list(dictionary(DataType::Int16), false),
            Self::Int16List(nullable) => list(DataType::Int16, nullable),
            Self::Int32List => list(DataType::Int32, true),
            Self::Int16Lists => list(list(DataType::Int16, false), false),
            Self::TextList => list(DataType::Utf8, true),
        }
    }

    /// The type as the documentation shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Date => "date32",
            Self::Text => "string",
            Self::Name => "dict<int32, string>",
            Self::Tags => "map<string, string>",
            Self::Moves => "list<dict<int16, string>>",
            Self::Int16List(_) => "list<int16>",
            Self::Int32List => "list<int32>",
            Self::Int16Lists => "list<list<int16>>",
            Self::TextList => "list<string>",
        }
    }

    /// The type in SQL.
    const fn sql(self) -> &'static str {
        match self {
            Self::Bool => "BOOLEAN",
            Self::Int8 => "TINYINT",
            Self::Int16 => "SMALLINT",
            Self::Int32 => "INTEGER",
            Self::Int64 => "BIGINT",
            Self::Date => "DATE",
            Self::Text | Self::Name => "VARCHAR",
            Self::Tags => "MAP(VARCHAR, VARCHAR)",
            Self::Moves | Self::TextList => "VARCHAR[]",
            Self::Int16List(_) => "SMALLINT[]",
            Self::Int32List => "INTEGER[]",
            Self::Int16Lists => "SMALLINT[][]",
        }
    }
}

fn dictionary(key: DataType) -> DataType {
    DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8))
}

/// The field of the elements of a list.
pub(crate) fn element(data: DataType, nullable: bool) -> FieldRef {
    Arc::new(Field::new("element", data, nullable))
}

/// The fields of the pairs of [`ColumnType::Tags`].
pub(crate) fn pair_fields() -> Fields {
    Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, false),
    ])
}

/// The field of the pairs of [`ColumnType::Tags`].
pub(crate) fn map_entries() -> FieldRef {
    Arc::new(Field::new(
        "key_value",
        DataType::Struct(pair_fields()),
        false,
    ))
}

/// A column of [`Table::Games`] and where its cells come from.
#[derive(Debug)]
pub(crate) struct GameColumn {
    pub(crate) column: Column,
    pub(crate) cell: Cell,
}

/// What of a row a column of [`Table::Games`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    Game,
    Source,
    Text(TextField),
    Elo(usize),
    FideId(usize),
    Result,
    Year,
    Month,
    Day,
    Date,
    UtcTime,
    InitialTime,
    Increment,
    Speed,
    PlyCount,
    Flag(Flag),
    Problems,
    Tags,
    Moves,
    MoveCodes,
    Clocks,
    Elapsed,
    EvalCentipawns,
    EvalMate,
    EvalDepth,
    Nags,
    Comments,
}

impl Cell {
    /// What of a game has to be read for it.
    const fn want(self) -> Want {
        match self {
            Self::PlyCount | Self::Moves | Self::MoveCodes => Want::MAINLINE,
            Self::Clocks
            | Self::Elapsed
            | Self::EvalCentipawns
            | Self::EvalMate
            | Self::EvalDepth
            | Self::Nags
            | Self::Comments => Want::MAINLINE.and(Want::ANNOTATIONS),
            Self::Flag(Flag::Variations) => Want::MAINLINE.and(Want::VARIATIONS),
            Self::Flag(Flag::Comments | Flag::Nags)
            | Self::Problems
            | Self::Text(TextField::Pgn) => Want::ALL,
            Self::Game
            | Self::Source
            | Self::Elo(_)
            | Self::FideId(_)
            | Self::Result
            | Self::Year
            | Self::Month
            | Self::Day
            | Self::Date
            | Self::UtcTime
            | Self::InitialTime
            | Self::Increment
            | Self::Speed
            | Self::Flag(Flag::Deleted | Flag::Text)
            | Self::Tags
            | Self::Text(_) => Want::TAGS,
        }
    }
}

const fn column(
    name: &'static str,
    data: ColumnType,
    nullable: bool,
    meaning: &'static str,
) -> Column {
    Column {
        name,
        data,
        nullable,
        meaning,
    }
}

const fn game_column(
    name: &'static str,
    data: ColumnType,
    nullable: bool,
    cell: Cell,
    meaning: &'static str,
) -> GameColumn {
    GameColumn {
        column: column(name, data, nullable, meaning),
        cell,
    }
}

const fn name(name: &'static str, field: TextField, meaning: &'static str) -> GameColumn {
    game_column(name, ColumnType::Name, true, Cell::Text(field), meaning)
}

const fn text(name: &'static str, field: TextField, meaning: &'static str) -> GameColumn {
    game_column(name, ColumnType::Text, true, Cell::Text(field), meaning)
}

const fn flag(name: &'static str, flag: Flag, meaning: &'static str) -> GameColumn {
    game_column(name, ColumnType::Bool, false, Cell::Flag(flag), meaning)
}

const fn list(
    name: &'static str,
    data: ColumnType,
    cell: Cell,
    meaning: &'static str,
) -> GameColumn {
    game_column(name, data, true, cell, meaning)
}

#[rustfmt::skip]
pub(crate) static GAMES: &[GameColumn] = &[
    game_column("game", ColumnType::Int32, false, Cell::Game, "number in its database, from 1"),
    game_column("source", ColumnType::Name, false, Cell::Source, "file name of the input"),
    name("white", TextField::White, "player with White"),
    name("black", TextField::Black, "player with Black"),
    name("event", TextField::Event, "event or tournament"),
    name("site", TextField::Site, "site"),
    name("round", TextField::Round, "round"),
    name("annotator", TextField::Annotator, "annotator"),
    name("white_team", TextField::WhiteTeam, "team of White"),
    name("black_team", TextField::BlackTeam, "team of Black"),
    game_column("white_elo", ColumnType::Int16, true, Cell::Elo(0), "Elo of White"),
    game_column("black_elo", ColumnType::Int16, true, Cell::Elo(1), "Elo of Black"),
    name("white_title", TextField::WhiteTitle, "title of White: `GM`, `BOT`"),
    name("black_title", TextField::BlackTitle, "title of Black"),
    game_column("white_fide_id", ColumnType::Int32, true, Cell::FideId(0), "FIDE's number of White"),
    game_column("black_fide_id", ColumnType::Int32, true, Cell::FideId(1), "FIDE's number of Black"),
    game_column("result", ColumnType::Name, false, Cell::Result, "`1-0`, `0-1`, `1/2-1/2`, `*`; `+/-`, `-/+`, `=/=`, `0-0` where stored"),
    game_column("year", ColumnType::Int16, true, Cell::Year, "year of the game"),
    game_column("month", ColumnType::Int8, true, Cell::Month, "month of the game, known or not by itself"),
    game_column("day", ColumnType::Int8, true, Cell::Day, "day of the game, known or not by itself"),
    game_column("date", ColumnType::Date, true, Cell::Date, "the date, if it is complete and exists"),
    text("date_text", TextField::Date, "the date as stored: `1950.??.??`"),
    game_column("utc_time_s", ColumnType::Int32, true, Cell::UtcTime, "start, in seconds after midnight UTC"),
    name("eco", TextField::Eco, "opening code as stored"),
    name("opening", TextField::Opening, "name of the opening as stored"),
    text("time_control", TextField::TimeControl, "time control as stored: `180+2`"),
    game_column("initial_s", ColumnType::Int32, true, Cell::InitialTime, "seconds of its first period"),
    game_column("increment_s", ColumnType::Int16, true, Cell::Increment, "seconds added for each move of its first period"),
    game_column("speed", ColumnType::Name, true, Cell::Speed, "speed by the time control: `ultrabullet`, `bullet`, `blitz`, `rapid`, `classical`, `correspondence`"),
    name("termination", TextField::Termination, "how the game ended, as stored"),
    game_column("variant", ColumnType::Name, false, Cell::Text(TextField::Variant), "`standard`, `chess960`, or another as stored, in lower case"),
    text("fen", TextField::Fen, "setup position; null if the game begins as usual"),
    game_column("ply_count", ColumnType::Int16, false, Cell::PlyCount, "plies of the mainline that can be played"),
    flag("deleted", Flag::Deleted, "marked as deleted"),
    flag("is_text", Flag::Text, "a guiding text instead of a game"),
    flag("has_variations", Flag::Variations, "has variations"),
    flag("has_comments", Flag::Comments, "has comments, in variations too"),
    flag("has_nags", Flag::Nags, "has NAGs, in variations too"),
    game_column("problems", ColumnType::Int16, false, Cell::Problems, "problems found while this game was read"),
    game_column("tags", ColumnType::Tags, false, Cell::Tags, "every other tag pair, in stored order, and values that do not fit their column"),
    game_column("moves", ColumnType::Moves, false, Cell::Moves, "the mainline in UCI; castling as king takes rook only in Chess960; null move `0000`"),
    game_column("move_codes", ColumnType::Int16List(false), false, Cell::MoveCodes, "the mainline as from + 64·to + 4096·promotion (0 none, 1 N, 2 B, 3 R, 4 Q); null move 0"),
    list("clocks_ms", ColumnType::Int32List, Cell::Clocks, "time left after each ply, in milliseconds"),
    list("elapsed_ms", ColumnType::Int32List, Cell::Elapsed, "time spent on each ply, in milliseconds"),
    list("evals_cp", ColumnType::Int16List(true), Cell::EvalCentipawns, "evaluation after each ply, in hundredths of a pawn, positive if White is better"),
    list("evals_mate", ColumnType::Int16List(true), Cell::EvalMate, "moves to mate after each ply, negative if Black mates"),
    list("evals_depth", ColumnType::Int16List(true), Cell::EvalDepth, "depth of these evaluations, in plies"),
    list("nags", ColumnType::Int16Lists, Cell::Nags, "NAGs of each ply"),
    list("comments", ColumnType::TextList, Cell::Comments, "comments after each ply"),
    text("pgn", TextField::Pgn, "the game as PGN, if asked for"),
];

#[rustfmt::skip]
pub(crate) static POSITIONS: &[Column] = &[
    column("game", ColumnType::Int32, false, "number of the game in its database, from 1"),
    column("ply", ColumnType::Int16, false, "number of the move, from 1"),
    column("key", ColumnType::Int64, false, "Polyglot key of the position before the move, XOR 2^63, as signed number"),
    column("fen", ColumnType::Text, true, "the position before the move, if asked for"),
    column("move", ColumnType::Name, false, "the move in UCI, as in `moves` of the table `games`"),
    column("move_code", ColumnType::Int16, false, "the move as in `move_codes` of the table `games`"),
    column("clock_ms", ColumnType::Int32, true, "time left after the move, in milliseconds"),
    column("eval_cp", ColumnType::Int16, true, "evaluation after the move, in hundredths of a pawn, positive if White is better"),
    column("eval_mate", ColumnType::Int16, true, "moves to mate after the move, negative if Black mates"),
    column("result", ColumnType::Int8, true, "1 if White won the game, 0 if it was drawn, -1 if Black won"),
];

/// The schema of the table of book rows.
pub(crate) fn book_rows_schema() -> SchemaRef {
    schema_of(Table::BookRows, BOOK_ROWS.iter())
}

#[rustfmt::skip]
pub(crate) static BOOK_ROWS: &[Column] = &[
    column("key", ColumnType::Int64, false, "Polyglot key of the position XOR 2^63, as signed number: sorted as the keys are"),
    column("move", ColumnType::Int32, true, "the move in Polyglot's code, to + 64·from + 4096·promotion; null in a row of the position itself"),
    column("white", ColumnType::Int64, true, "games with the move that White won"),
    column("draws", ColumnType::Int64, true, "games with the move that were drawn"),
    column("black", ColumnType::Int64, true, "games with the move that Black won"),
    column("games", ColumnType::Int64, true, "games with the move"),
    column("weight", ColumnType::Int64, true, "weight of the move among those of its position; 0: never to be played"),
    column("average_elo", ColumnType::Int32, true, "average Elo of those who played the move"),
    column("performance", ColumnType::Int32, true, "performance of those who played the move, as an Elo"),
    column("recommended", ColumnType::Bool, true, "the author's advice: true to play the move, false never to"),
    column("nags", ColumnType::Int16List(false), true, "NAGs of the author"),
    column("comment", ColumnType::Text, true, "comment of the author"),
    column("learn", ColumnType::Text, true, "Polyglot's learn value, eight hexadecimal digits"),
    column("uci", ColumnType::Name, true, "the move in UCI; null without `fen`"),
    column("fen", ColumnType::Text, true, "the position; null if the book stores its key only and its moves do not lead there"),
    column("mirror_image", ColumnType::Bool, false, "the book stores one record for this position and an earlier one: not to be summed"),
    column("elo_sum", ColumnType::Int64, true, "sum of the Elo of those who played the move, in tables of games"),
    column("elo_n", ColumnType::Int64, true, "number of these Elo"),
    column("last_year", ColumnType::Int16, true, "year of the newest game with the move, in tables of games"),
];

/// The columns that a table of games has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameColumns {
    /// Indices of [`GAMES`], sorted.
    indices: Vec<usize>,
    /// Chosen as `header`, so that what the index of a database states is taken from there.
    is_header: bool,
}

impl Default for GameColumns {
    /// Every column but `move_codes` and `pgn`.
    fn default() -> Self {
        let usual = (0..GAMES.len()).filter(|index| !is_extra(*index));
        Self {
            indices: usual.collect(),
            is_header: false,
        }
    }
}

/// Whether a column is there only if it is asked for.
fn is_extra(index: usize) -> bool {
    let cell = GAMES.get(index).map(|column| column.cell);
    matches!(cell, Some(Cell::MoveCodes | Cell::Text(TextField::Pgn)))
}

impl GameColumns {
    /// Reads a list of names with commas between. `all` are the usual columns, `header` those of
    /// [`header`](Self::header); a list whose first name has a `+` adds to the usual ones.
    ///
    /// # Errors
    /// A [usage error](Error::usage) with the unknown name.
    ///
    /// ```
    /// use tabia_columns::schema::GameColumns;
    ///
    /// let columns = GameColumns::parse("white,moves,black")?;
    /// assert_eq!(columns.names().collect::<Vec<_>>(), ["white", "black", "moves"]);
    /// assert!(GameColumns::parse("+move_codes")?.names().any(|name| name == "tags"));
    /// assert!(GameColumns::parse("whit").is_err());
    /// # Ok::<(), tabia::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut chosen = Vec::new();
        let mut has_header = false;
        for (number, part) in text.split(',').enumerate() {
            let (name, is_more) = match part.trim().strip_prefix('+') {
                Some(name) => (name.trim(), true),
                None => (part.trim(), false),
            };
            if number == 0 && is_more {
                chosen.extend(Self::default().indices);
            }
            match name {
                "all" => chosen.extend(Self::default().indices),
                "header" => {
                    has_header = true;
                    chosen.extend(Self::header().indices);
                }
                name => chosen.push(index_of(name)?),
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        let is_header = has_header && chosen == Self::header().indices;
        Ok(Self {
            indices: chosen,
            is_header,
        })
    }

    /// The columns before `moves`, as databases state them: where the index of a database has the number of plies
    /// and the marks of variations, comments and NAGs, no moves are read for them. Plies that cannot be played
    /// then count too, and `problems` has those of the header. Columns that are chosen by name, and those next to
    /// the lists of moves, are exact.
    pub fn header() -> Self {
        let first_list = GAMES.iter().position(|column| column.cell == Cell::Moves);
        Self {
            indices: (0..first_list.unwrap_or(GAMES.len())).collect(),
            is_header: true,
        }
    }

    /// These columns and `pgn`.
    #[must_use]
    pub fn with_pgn(mut self) -> Self {
        let is_pgn = |column: &GameColumn| column.cell == Cell::Text(TextField::Pgn);
        if let Some(index) = GAMES.iter().position(is_pgn)
            && !self.indices.contains(&index)
        {
            self.indices.push(index);
            self.is_header = false;
        }
        self
    }

    /// The names, in the order of the table.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns().map(|column| column.column.name)
    }

    pub(crate) fn columns(&self) -> impl Iterator<Item = &'static GameColumn> {
        self.indices.iter().filter_map(|index| GAMES.get(*index))
    }

    /// Whether values are taken from the index of a database where it has them.
    pub(crate) const fn is_header(&self) -> bool {
        self.is_header
    }

    /// What of a game has to be read for these columns.
    pub(crate) fn want(&self) -> Want {
        let wants = self.columns().map(|column| column.cell.want());
        wants.fold(Want::TAGS, Want::and)
    }

    /// The schema of the table with these columns.
    pub fn schema(&self) -> SchemaRef {
        schema_of(Table::Games, self.columns().map(|column| &column.column))
    }
}

fn index_of(name: &str) -> Result<usize, Error> {
    let index = GAMES.iter().position(|column| column.column.name == name);
    index.ok_or_else(|| {
        let known: Vec<&str> = GAMES.iter().map(|column| column.column.name).collect();
        let text = format!(
            "no column is called `{name}`; there are {}",
            known.join(", ")
        );
        Error::usage(text)
    })
}

/// The schema of a table with these columns.
pub(crate) fn schema_of<'a>(table: Table, columns: impl Iterator<Item = &'a Column>) -> SchemaRef {
    let fields: Vec<Field> = columns
        .map(|column| Field::new(column.name, column.data.arrow(), column.nullable))
        .collect();
    let metadata = HashMap::from([
        (VERSION_KEY.to_owned(), VERSION.to_owned()),
        (TABLE_KEY.to_owned(), table.name().to_owned()),
    ]);
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// A table as a table of Markdown.
pub fn markdown(table: Table) -> String {
    let mut text = String::from("| column | type | null | meaning |\n|---|---|---|---|\n");
    for column in table.columns() {
        let null = if column.nullable { "yes" } else { "no" };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {null} | {} |",
            column.name,
            column.data.name(),
            column.meaning
        );
    }
    text
}

/// A table as a statement of SQL that creates it, with the types of `DuckDB`.
pub fn sql(table: Table) -> String {
    let columns: Vec<String> = table
        .columns()
        .iter()
        .map(|column| {
            let null = if column.nullable { "" } else { " NOT NULL" };
            format!("    \"{}\" {}{null}", column.name, column.data.sql())
        })
        .collect();
    format!(
        "CREATE TABLE {} (\n{}\n);\n",
        table.name(),
        columns.join(",\n")
    )
}
