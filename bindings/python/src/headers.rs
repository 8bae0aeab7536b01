//! Headers of games in order.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::Error;
use tabia::list::{ListOptions, ListRow, list, row};
use tabia::sort::SortOrder;

use crate::date::Date;
use crate::inputs::Inputs;
use crate::kept_problems::{BatchesWithProblems, Keep};
use crate::sorted_records::{RecordAt, SortedRecords};

/// Headers that are handed on at a time, once they are sorted.
const CHUNK: usize = 512;

/// Headers, read on threads of their own.
///
/// >>> sum(1 for header in db.headers())
/// 7
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Headers(BatchesWithProblems<(Arc<str>, ListRow<'static>)>);

impl Headers {
    /// Headers in the order of the inputs.
    pub(crate) fn start(inputs: Arc<Inputs>, options: ListOptions) -> std::io::Result<Self> {
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
        Ok(Self(rows))
    }

    /// Headers in another order.
    pub(crate) fn start_sorted(
        inputs: Arc<Inputs>,
        options: ListOptions,
        order: SortOrder,
    ) -> std::io::Result<Self> {
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
                    let row = row(at.database, at.reader, at.game)?;
                    Ok((name, row.into_owned()))
                };
                records.send_each(progress, &mut found, &mut make, send)
            },
        )?;
        Ok(Self(rows))
    }
}

impl Headers {
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<Header>> {
        let next = self.0.next(py)?;
        Ok(next.map(|(source, row)| Header { source, row }))
    }

    /// Ends the reading.
    pub(crate) fn end(&self, py: Python<'_>) {
        self.0.close(py);
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
        self.0.problems(py)
    }

    /// Number of problems so far; of more than a hundred thousand `problems` has the first.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.0.problem_count()
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
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Header {
    source: Arc<str>,
    row: ListRow<'static>,
}

/// A text that is not empty.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

impl Header {
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
    fn ply_count(&self) -> Option<u32> {
        self.row.plies
    }

    /// Marks as letters: `D` deleted, `T` text, `P` setup position, `V` variations, `C` comments,
    /// `S` symbols.
    #[getter]
    fn flags(&self) -> String {
        self.row.flags.to_string()
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
