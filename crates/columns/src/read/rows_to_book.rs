//! Tables of book rows back to books.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::{Array, ArrayRef, RecordBatch};
use tabia::book::merge::Merged;
use tabia::book::positions::Builder;
use tabia::core::BookFormat;
use tabia::core::books::{BookEntry, BookPosition, Learn, Wdl};
use tabia::core::game::Nag;
use tabia::formats::books::polyglot::decode_move;
use tabia::{CreateOptions, Error, InputItem, OpenOptions, Position, Progress};

use super::cells;
use super::table_file::TableFile;
use crate::schema::{TABLE_KEY, Table, VERSION, VERSION_KEY};

/// Moves of a position that are kept before they are handed on. No position has more legal moves.
const MAX_MOVES: usize = 218;

/// Whether an item is a table of book rows. An input that can be read only once is none.
pub fn is_book_rows(item: &InputItem, options: &OpenOptions) -> bool {
    !item.is_once()
        && open(item, options).is_ok_and(|table| {
            let name = table.schema().metadata().get(TABLE_KEY);
            name.is_some_and(|name| name == Table::BookRows.name())
        })
}

fn open(item: &InputItem, options: &OpenOptions) -> Result<TableFile, Error> {
    let files = item.files(options)?;
    let table = files
        .main()
        .open()
        .and_then(|file| TableFile::open(file, &options.limits));
    table.map_err(|error| error.in_file(item.label()))
}

/// Writes a book of the rows of tables, one after another. They are found by the names of their columns: `key` and
/// `move` are needed, and `fen` for formats that store boards. Rows may be in any order; those of a
/// move that comes again are summed.
///
/// [`Merged::damage`] has a line for each kind of row that could not be read, for each table;
/// [`Merged::unreached`] counts positions without `fen` that the format cannot hold.
///
/// # Errors
/// If a table cannot be read or lacks a column, or the book cannot be written.
pub fn book_from_rows(
    items: &[InputItem],
    format: &'static BookFormat,
    path: &Path,
    open_options: &OpenOptions,
    create: &CreateOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let mut tables = Vec::new();
    for item in items {
        let table = open(item, open_options)?;
        let columns = Columns::of(&table).map_err(|error| error.in_file(item.label()))?;
        tables.push((item, table, columns));
    }
    let mut builder = Builder::create(format, path, create)?;
    let mut damage = Vec::new();
    for (item, table, columns) in &tables {
        let mut rows = RowReader {
            builder: &mut builder,
            group: None,
            problems: BTreeMap::new(),
            decoded: 0,
        };
        let mask = table.mask(columns.indices());
        let read = table.each_batch(&mask, &mut |batch| {
            progress.check()?;
            let columns = columns.arrays(batch);
            (0..batch.num_rows()).try_for_each(|row| rows.push(&columns, row))
        });
        read.map_err(|error| error.in_file(item.label()))?;
        rows.end_group()?;
        let problems = rows.problems.into_iter();
        let mut texts: Vec<String> = problems.map(|(what, count)| problem(what, count)).collect();
        match rows.decoded {
            0 => {}
            1 => texts.push("1 `comment` is not UTF-8".to_owned()),
            count => texts.push(format!("{count} `comment`s are not UTF-8")),
        }
        damage.push(texts);
    }
    let mut merged = builder.finish()?;
    merged.damage = damage;
    Ok(merged)
}

fn problem(what: &str, count: u64) -> String {
    match count {
        1 => format!("1 row left out: {what}"),
        count => format!("{count} rows left out: {what}"),
    }
}

const NAMES: [&str; 17] = [
    "key",
    "move",
    "white",
    "draws",
    "black",
    "games",
    "weight",
    "average_elo",
    "performance",
    "recommended",
    "nags",
    "comment",
    "learn",
    "fen",
    "mirror_image",
    "elo_sum",
    "elo_n",
];

/// The columns of a table by their names.
struct Columns {
    /// For each of [`NAMES`] its index in the table.
    indices: [Option<usize>; NAMES.len()],
}

/// The columns of a batch.
struct Arrays<'b>([Option<&'b ArrayRef>; NAMES.len()]);

impl Columns {
    /// # Errors
    /// When the table is of a later version, another table, or has no moves of a book.
    fn of(table: &TableFile) -> Result<Self, Error> {
        let metadata = table.schema().metadata();
        let version = metadata.get(VERSION_KEY);
        if let Some(newer) = version.filter(|version| *version != VERSION) {
            let text = format!(
                "a table of version {}, made by a later tabia; this one reads version {VERSION}",
                newer.escape_default()
            );
            return Err(Error::unsupported(text));
        }
        let name = metadata.get(TABLE_KEY).map(String::as_str);
        if name.is_some_and(|name| name != Table::BookRows.name()) {
            let text = "a table of games; `tabia book build` makes a book of it";
            return Err(Error::unsupported(text));
        }
        let fields = table.schema().fields();
        let mut columns = Self {
            indices: [None; NAMES.len()],
        };
        for (slot, name) in columns.indices.iter_mut().zip(NAMES) {
            *slot = fields.iter().position(|field| field.name() == name);
        }
        let [key, code, ..] = columns.indices;
        if key.is_none() || code.is_none() {
            let text = "no table of book rows: it has no columns `key` and `move`";
            return Err(Error::unsupported(text));
        }
        Ok(columns)
    }

    fn indices(&self) -> impl Iterator<Item = usize> {
        self.indices.iter().flatten().copied()
    }

    /// The columns in a batch of this projection.
    fn arrays<'b>(&self, batch: &'b RecordBatch) -> Arrays<'b> {
        let mut arrays = Arrays([None; NAMES.len()]);
        let known = self.indices.iter().zip(NAMES);
        for (slot, (index, name)) in arrays.0.iter_mut().zip(known) {
            *slot = index.and_then(|_| batch.column_by_name(name));
        }
        arrays
    }
}

impl<'b> Arrays<'b> {
    fn array(&self, name: &str) -> Option<&'b ArrayRef> {
        let index = NAMES.iter().position(|known| *known == name)?;
        self.0.get(index).copied().flatten()
    }

    fn number(&self, name: &str, row: usize) -> Option<i64> {
        cells::number(self.array(name)?, row)
    }

    /// A number of a smaller type.
    ///
    /// # Errors
    /// When it does not fit.
    fn small<T: TryFrom<i64>>(
        &self,
        name: &'static str,
        row: usize,
    ) -> Result<Option<T>, &'static str> {
        let number = self.number(name, row);
        let small = number.map(T::try_from).transpose();
        small.map_err(|_| "a number is out of range")
    }

    fn text(&self, name: &str, row: usize) -> Option<Cow<'b, str>> {
        cells::text(self.array(name)?, row)
    }
}

/// What a row states of a move or of a position.
#[derive(Default)]
struct Row {
    results: Option<Wdl>,
    games: Option<u64>,
    average_elo: Option<u16>,
    performance: Option<u16>,
    nags: Vec<Nag>,
    comment: Option<String>,
}

impl Row {
    /// # Errors
    /// What is wrong with the row.
    fn read(columns: &Arrays<'_>, row: usize) -> Result<Self, &'static str> {
        let [white, draws, black] =
            ["white", "draws", "black"].map(|name| columns.small::<u64>(name, row));
        let (white, draws, black) = (white?, draws?, black?);
        let has_results = white.is_some() || draws.is_some() || black.is_some();
        let results = has_results.then(|| Wdl {
            white: white.unwrap_or(0),
            draws: draws.unwrap_or(0),
            black: black.unwrap_or(0),
        });
        let mut games = columns.small("games", row)?;
        if columns.array("games").is_none() {
            games = results.map(Wdl::games);
        }
        let mut average_elo = columns.small("average_elo", row)?;
        if average_elo.is_none() {
            let (sum, number) = (columns.number("elo_sum", row), columns.number("elo_n", row));
            let mean = sum.zip(number.filter(|number| *number > 0));
            average_elo = mean.and_then(|(sum, number)| {
                u16::try_from(sum.saturating_add(number / 2) / number).ok()
            });
        }
        let mut nags = Vec::new();
        let list = columns
            .array("nags")
            .and_then(|array| cells::list(array, row));
        if let Some(list) = list {
            for at in 0..list.len() {
                let nag = cells::number(&list, at).and_then(|nag| u8::try_from(nag).ok());
                nags.push(Nag(nag.ok_or("a NAG is out of range")?));
            }
        }
        Ok(Self {
            results,
            games,
            average_elo,
            performance: columns.small("performance", row)?,
            nags,
            comment: columns.text("comment", row).map(Cow::into_owned),
        })
    }

    fn into_entry(self, columns: &Arrays<'_>, row: usize) -> Result<BookEntry, &'static str> {
        let mut entry = BookEntry::default();
        entry.weight = columns.small("weight", row)?;
        entry.results = self.results;
        entry.games = self.games;
        entry.average_rating = self.average_elo;
        entry.performance = self.performance;
        let advice = columns.array("recommended");
        entry.recommended = advice
            .filter(|array| array.is_valid(row))
            .map(|array| cells::flag(array, row));
        entry.nags = self.nags;
        entry.comment = self.comment;
        entry.learn = match columns.text("learn", row) {
            Some(text) => {
                Some(Learn::parse(&text).ok_or("`learn` is not eight hexadecimal digits")?)
            }
            None => None,
        };
        Ok(entry)
    }
}

/// Rows of one position, one after another.
struct Group {
    key: u64,
    fen: Option<String>,
    position: Option<Position>,
    has_own_row: bool,
    page: BookPosition,
    /// The entries and codes of a position without a board.
    moves: Vec<(u16, BookEntry)>,
}

/// Hands the rows of a table on as positions.
struct RowReader<'a> {
    builder: &'a mut Builder,
    group: Option<Group>,
    /// What was wrong with rows, and with how many.
    problems: BTreeMap<&'static str, u64>,
    /// Comments that are not UTF-8.
    decoded: u64,
}

impl RowReader<'_> {
    fn push(&mut self, columns: &Arrays<'_>, row: usize) -> Result<(), Error> {
        if let Err(what) = self.try_push(columns, row)? {
            *self.problems.entry(what).or_default() += 1;
        } else if let Some(comments) = columns.array("comment") {
            self.decoded += u64::from(cells::has_broken_text(comments, row));
        }
        Ok(())
    }

    /// The outer error ends the reading, the inner one is of the row.
    fn try_push(
        &mut self,
        columns: &Arrays<'_>,
        row: usize,
    ) -> Result<Result<(), &'static str>, Error> {
        let Some(key) = columns.number("key", row) else {
            return Ok(Err("it has no key"));
        };
        let key = key.cast_unsigned() ^ (1 << 63);
        let fen = columns.text("fen", row);
        let fen = fen.as_deref();
        let is_mirror_image = columns
            .array("mirror_image")
            .is_some_and(|array| cells::flag(array, row));
        let read =
            Row::read(columns, row).and_then(|read| Ok((read, columns.small::<u16>("move", row)?)));
        let (read, code) = match read {
            Ok(read) => read,
            Err(what) => return Ok(Err(what)),
        };
        let is_same = self.group.as_ref().is_some_and(|group| {
            group.key == key
                && group.fen.as_deref() == fen
                && group.page.is_duplicate == is_mirror_image
        });
        if !is_same {
            self.end_group()?;
            match Group::new(key, fen, is_mirror_image) {
                Ok(group) => self.group = Some(group),
                Err(what) => return Ok(Err(what)),
            }
        }
        let Some(code) = code else {
            return self.push_own_row(read);
        };
        let entry = match read.into_entry(columns, row) {
            Ok(entry) => entry,
            Err(what) => return Ok(Err(what)),
        };
        self.push_move(code, entry)
    }

    /// Adds the statistics of the position itself.
    fn push_own_row(&mut self, read: Row) -> Result<Result<(), &'static str>, Error> {
        if self.group.as_ref().is_some_and(|group| group.has_own_row) {
            self.begin_again()?;
        }
        if let Some(group) = &mut self.group {
            if group.position.is_none() {
                return Ok(Err("it is of a position without `fen`"));
            }
            group.has_own_row = true;
            group.page.results = read.results;
            group.page.games = read.games;
            group.page.average_rating = read.average_elo;
            group.page.performance = read.performance;
            group.page.nags = read.nags;
            group.page.comment = read.comment;
        }
        Ok(Ok(()))
    }

    fn push_move(
        &mut self,
        code: u16,
        mut entry: BookEntry,
    ) -> Result<Result<(), &'static str>, Error> {
        let Some(group) = &self.group else {
            return Ok(Ok(()));
        };
        if let Some(position) = &group.position {
            entry.m = decode_move(position, code);
            if entry.m.is_none() {
                return Ok(Err("its move is not legal"));
            }
        } else if code == 0 {
            return Ok(Err("its move is not legal"));
        }
        let is_again = match &group.position {
            Some(_) => group.page.entries.iter().any(|known| known.m == entry.m),
            None => group.moves.len() >= MAX_MOVES,
        };
        if is_again {
            self.begin_again()?;
        }
        if let Some(group) = &mut self.group {
            match group.position {
                Some(_) => group.page.entries.push(entry),
                None => group.moves.push((code, entry)),
            }
        }
        Ok(Ok(()))
    }

    /// Hands the rows of the position on, and continues with more of it.
    fn begin_again(&mut self) -> Result<(), Error> {
        let again = self.group.as_ref().map(Group::emptied);
        self.end_group()?;
        self.group = again;
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Error> {
        let Some(mut group) = self.group.take() else {
            return Ok(());
        };
        match &group.position {
            Some(position) => self.builder.put_board(position, &mut group.page),
            None if group.moves.is_empty() => Ok(()),
            None => self.builder.put_key(group.key, group.moves),
        }
    }
}

impl Group {
    /// # Errors
    /// What is wrong with the position.
    fn new(key: u64, fen: Option<&str>, is_mirror_image: bool) -> Result<Self, &'static str> {
        let position = match fen {
            Some(fen) => {
                let position = Position::parse_fen(fen.as_bytes());
                let position = position.map_err(|_| "its `fen` is no position")?;
                if position.key() != key {
                    return Err("`key` is not that of `fen`");
                }
                Some(position)
            }
            None => None,
        };
        let mut page = BookPosition::default();
        page.is_duplicate = is_mirror_image;
        Ok(Self {
            key,
            fen: fen.map(str::to_owned),
            position,
            has_own_row: false,
            page,
            moves: Vec::new(),
        })
    }

    /// The same position without its rows.
    fn emptied(&self) -> Self {
        let mut page = BookPosition::default();
        page.is_duplicate = self.page.is_duplicate;
        Self {
            key: self.key,
            fen: self.fen.clone(),
            position: self.position.clone(),
            has_own_row: false,
            page,
            moves: Vec::new(),
        }
    }
}
