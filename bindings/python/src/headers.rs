//! Headers of games in order.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::list::{ListOptions, ListRow, list, row};
use tabia::sort::SortOrder;
use tabia::{Eco, Error, GameIndex, GameResult, Want};

use crate::date::Date;
use crate::inputs::Inputs;
use crate::kept_problems::{BatchesWithProblems, Keep};
use crate::read_game::read_record;
use crate::sorted_records::{RecordAt, SortedRecords};

/// Headers that are handed on at a time, once they are sorted.
const CHUNK: usize = 512;

/// Headers, read on threads of their own.
///
/// >>> sum(1 for header in db.headers())
/// 7
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Headers {
    rows: BatchesWithProblems<(Arc<str>, ListRow<'static>)>,
    /// The names of the tags that were asked for.
    names: Arc<[String]>,
}

impl Headers {
    /// Headers in the order of the inputs.
    pub(crate) fn start(inputs: Arc<Inputs>, options: ListOptions) -> std::io::Result<Self> {
        let names = options.tags.clone().into();
        let rows = BatchesWithProblems::start(
            Arc::clone(&inputs.closing),
            move |progress, problems, send| {
                let mut observer = Keep(problems.clone());
                inputs.check()?;
                for item in inputs.items.iter() {
                    let name: Arc<str> = item.name().into();
                    let render = |row: &ListRow<'_>, rows: &mut Vec<ListRow<'static>>| {
                        rows.push(row.clone().into_owned());
                    };
                    let emit = &mut |rows: &mut Vec<ListRow<'static>>| {
                        let rows = rows.drain(..).map(|row| (Arc::clone(&name), row));
                        if send(rows.collect()) {
                            Ok(())
                        } else {
                            Err(Error::cancelled())
                        }
                    };
                    list(item, &options, &render, progress, &mut observer, emit)?;
                }
                Ok(())
            },
        )?;
        Ok(Self { rows, names })
    }

    /// Headers in another order.
    pub(crate) fn start_sorted(
        inputs: Arc<Inputs>,
        options: ListOptions,
        order: SortOrder,
    ) -> std::io::Result<Self> {
        let names = options.tags.clone().into();
        let tags = options.tags.clone();
        let records = SortedRecords {
            inputs: Arc::clone(&inputs),
            options,
            order,
            chunk: CHUNK,
        };
        let rows = BatchesWithProblems::start(
            Arc::clone(&inputs.closing),
            move |progress, problems, send| {
                let items = records.inputs.items.iter();
                let names: Vec<Arc<str>> = items.map(|item| item.name().into()).collect();
                let mut found = |_: usize, found: Vec<Error>| problems.add(found);
                let mut make = |at: RecordAt<'_>| {
                    let name = names.get(at.input).cloned().unwrap_or_default();
                    let mut row = row(at.database, at.reader, at.game)?.into_owned();
                    if !tags.is_empty() {
                        let (game, _) = read_record(at.database, at.game, Want::TAGS, at.item)?;
                        let value = |tag: &String| game.tag(tag).map(str::to_owned);
                        row.tags = tags.iter().map(value).collect();
                    }
                    Ok((name, row))
                };
                records.send_each(progress, &mut found, &mut make, send)
            },
        )?;
        Ok(Self { rows, names })
    }
}

impl Headers {
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<Header>> {
        let next = self.rows.next(py)?;
        Ok(next.map(|(source, row)| Header {
            source,
            row,
            names: Arc::clone(&self.names),
        }))
    }

    /// Ends the reading.
    pub(crate) fn end(&self, py: Python<'_>) {
        self.rows.close(py);
    }
}

#[pymethods]
impl Headers {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Header>> {
        self.next(py)
    }

    /// Problems so far, as exceptions that were not raised.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows.problems(py)
    }

    /// Number of problems so far; of more than a hundred thousand `problems` has the first.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.rows.problem_count()
    }

    /// Ends the reading; the iterator is then empty.
    fn close(&self, py: Python<'_>) {
        self.end(py);
    }
}

/// A game without its moves. What is unknown is `None`.
///
/// >>> header = next(db.headers())
/// >>> header.number, header.white, header.date.year, header.result
/// (2, 'Morphy, Paul', 1858, '1-0')
#[pyclass(frozen, weakref, module = "tabia")]
pub(crate) struct Header {
    source: Arc<str>,
    row: ListRow<'static>,
    /// The names of the tags that were asked for.
    names: Arc<[String]>,
}

/// Everything that a header has, in the order in which it is pickled.
type Fields = (
    (String, u32),
    [(String, Option<u16>); 2],
    (&'static str, (u16, u8, u8)),
    [String; 4],
    (Option<String>, Option<u32>, String),
    Vec<(String, Option<String>)>,
);

/// The same, read.
type PickledFields = (
    (String, u32),
    [(String, Option<u16>); 2],
    (String, (u16, u8, u8)),
    [String; 4],
    (Option<String>, Option<u32>, String),
    Vec<(String, Option<String>)>,
);

/// A header that was pickled.
#[pyfunction]
#[pyo3(signature = (*fields))]
pub(crate) fn _header(fields: PickledFields) -> Header {
    let (
        (source, number),
        [(white, white_elo), (black, black_elo)],
        (result, (year, month, day)),
        [event, site, round, annotator],
        (eco, plies, flags),
        tags,
    ) = fields;
    let mut row = ListRow::default();
    row.game = GameIndex(number.saturating_sub(1));
    (row.white, row.white_elo) = (white.into(), white_elo);
    (row.black, row.black_elo) = (black.into(), black_elo);
    row.result = GameResult::parse(result.as_bytes()).unwrap_or_default();
    row.date = tabia::Date::new(year, month, day);
    (row.event, row.site) = (event.into(), site.into());
    (row.round, row.annotator) = (round.into(), annotator.into());
    row.eco = eco.and_then(|eco| Eco::parse(&eco));
    row.plies = plies;
    row.flags.deleted = flags.contains('D');
    row.flags.text = flags.contains('T');
    row.flags.setup = flags.contains('P');
    row.flags.variations = flags.contains('V');
    row.flags.comments = flags.contains('C');
    row.flags.nags = flags.contains('S');
    let (names, values): (Vec<String>, Vec<Option<String>>) = tags.into_iter().unzip();
    row.tags = values;
    Header {
        source: source.into(),
        row,
        names: names.into(),
    }
}

/// A text that is not empty.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

impl Header {
    fn fields(&self) -> Fields {
        let row = &self.row;
        let date = (row.date.year, row.date.month, row.date.day);
        let names = [&row.event, &row.site, &row.round, &row.annotator];
        let tags = self.names.iter().cloned().zip(row.tags.iter().cloned());
        (
            (self.source.to_string(), row.game.0.saturating_add(1)),
            [
                (row.white.to_string(), row.white_elo),
                (row.black.to_string(), row.black_elo),
            ],
            (row.result.pgn(), date),
            names.map(ToString::to_string),
            (self.eco(), row.plies, row.flags.to_string()),
            tags.collect(),
        )
    }

    /// The cells of a row of [`html::HEADER`].
    pub(crate) fn cells(&self) -> Vec<String> {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let elo = |elo: Option<u16>| elo.map_or_else(String::new, |elo| elo.to_string());
        vec![
            self.number().to_string(),
            text(self.white()),
            elo(self.white_elo()),
            text(self.black()),
            elo(self.black_elo()),
            self.result().to_owned(),
            self.row.date.to_string(),
            text(self.event()),
            self.eco().unwrap_or_default(),
        ]
    }
}

#[pymethods]
impl Header {
    /// The number in its database, from 1.
    #[getter]
    fn number(&self) -> u64 {
        u64::from(self.row.game.0) + 1
    }

    /// The input that the game is in.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// The player with White.
    #[getter]
    fn white(&self) -> Option<&str> {
        known(&self.row.white)
    }

    /// The player with Black.
    #[getter]
    fn black(&self) -> Option<&str> {
        known(&self.row.black)
    }

    /// The Elo of White.
    #[getter]
    fn white_elo(&self) -> Option<u16> {
        self.row.white_elo
    }

    /// The Elo of Black.
    #[getter]
    fn black_elo(&self) -> Option<u16> {
        self.row.black_elo
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> &'static str {
        self.row.result.pgn()
    }

    /// The date, whose parts may be unknown.
    #[getter]
    fn date(&self) -> Date {
        Date(self.row.date)
    }

    /// The event.
    #[getter]
    fn event(&self) -> Option<&str> {
        known(&self.row.event)
    }

    /// The site: town or server.
    #[getter]
    fn site(&self) -> Option<&str> {
        known(&self.row.site)
    }

    /// The round.
    #[getter]
    fn round(&self) -> Option<&str> {
        known(&self.row.round)
    }

    /// The annotator.
    #[getter]
    fn annotator(&self) -> Option<&str> {
        known(&self.row.annotator)
    }

    /// The opening code, as stored.
    #[getter]
    fn eco(&self) -> Option<String> {
        self.row.eco.map(|eco| eco.to_string())
    }

    /// Plies of the mainline, when the database stores the number.
    #[getter]
    fn plies(&self) -> Option<u32> {
        self.row.plies
    }

    /// Marks as letters: `D` deleted, `T` text, `P` setup position, `V` variations, `C` comments,
    /// `S` symbols.
    #[getter]
    fn flags(&self) -> String {
        self.row.flags.to_string()
    }

    /// The tags that `headers` was asked for, those that the game has.
    ///
    /// >>> header = next(db.headers(tags=["WhiteTitle", "SourceTitle"]))
    /// >>> sorted(header.tags) in ([], ["SourceTitle"])
    /// True
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.names.iter().zip(&self.row.tags) {
            if let Some(value) = value {
                dict.set_item(name, value)?;
            }
        }
        Ok(dict)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.fields() == other.fields()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.fields().hash(&mut hasher);
        hasher.finish()
    }

    /// Pickled with everything that it has.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Fields)> {
        let make = py.import("tabia._tabia")?.getattr("_header")?;
        Ok((make, self.fields()))
    }

    fn __repr__(&self) -> String {
        let name = |name: Option<&str>| name.unwrap_or("?").to_owned();
        let (white, black) = (name(self.white()), name(self.black()));
        format!(
            "<tabia.Header {} {white} - {black} {}>",
            self.number(),
            self.result()
        )
    }
}
