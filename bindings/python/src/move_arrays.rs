//! All moves of a database as two arrays of numbers.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tabia::{Error, InputItem, NoObserver, Progress};
use tabia_columns::write::{TableOptions, each_batch};

use crate::error::OrRaise;
use crate::interrupt::{self, AtSignal};

/// Numbers that numpy reads where they are.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Numbers(Values);

enum Values {
    Int16(Arc<Vec<i16>>),
    Int32(Arc<Vec<i32>>),
    Int64(Arc<Vec<i64>>),
}

#[pymethods]
impl Numbers {
    /// The address and type of the numbers, which live as long as this object.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (address, length, kind) = match &self.0 {
            Values::Int16(values) => (values.as_ptr().addr(), values.len(), "i2"),
            Values::Int32(values) => (values.as_ptr().addr(), values.len(), "i4"),
            Values::Int64(values) => (values.as_ptr().addr(), values.len(), "i8"),
        };
        let order = if cfg!(target_endian = "little") {
            '<'
        } else {
            '>'
        };
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item("shape", (length,))?;
        dict.set_item("typestr", format!("{order}{kind}"))?;
        dict.set_item("data", (address, true))?;
        Ok(dict)
    }
}

/// The moves of all games: those of game `i` are `codes[offsets[i]:offsets[i + 1]]`.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Moves {
    codes: Arc<Vec<i16>>,
    offsets: Arc<Vec<i64>>,
    numbers: Arc<Vec<i32>>,
}

#[derive(Default)]
struct Collected {
    codes: Vec<i16>,
    offsets: Vec<i64>,
    numbers: Vec<i32>,
}

impl Moves {
    pub(crate) fn read(
        py: Python<'_>,
        items: Arc<Vec<InputItem>>,
        options: TableOptions,
    ) -> PyResult<Self> {
        let progress = Arc::new(Progress::default());
        let cancelled = Arc::clone(&progress);
        let job = move || collect(&items, &options, &progress);
        let cancel = || cancelled.cancel();
        let moves = interrupt::run(py, job, AtSignal::Cancel(&cancel), &mut || Ok(()))?;
        let moves = moves.or_raise(py)?;
        Ok(Self {
            codes: Arc::new(moves.codes),
            offsets: Arc::new(moves.offsets),
            numbers: Arc::new(moves.numbers),
        })
    }
}

fn collect(
    items: &[InputItem],
    options: &TableOptions,
    progress: &Arc<Progress>,
) -> Result<Collected, Error> {
    let mut moves = Collected::default();
    moves.offsets.push(0);
    each_batch(items, options, progress, &mut NoObserver, &mut |batch| {
        let [numbers, codes] = batch.columns() else {
            return Ok(true);
        };
        let numbers = numbers.as_primitive::<Int32Type>();
        moves.numbers.extend_from_slice(numbers.values());
        let lists = codes.as_list::<i32>();
        let before = moves.codes.len() as i64;
        let ends = lists.value_offsets().iter().skip(1);
        moves
            .offsets
            .extend(ends.map(|end| before + i64::from(*end)));
        let values = lists.values().as_primitive::<Int16Type>();
        moves.codes.extend_from_slice(values.values());
        Ok(true)
    })?;
    Ok(moves)
}

fn numpy(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let numbers = Bound::new(py, Numbers(values))?;
    py.import("numpy")?.call_method1("asarray", (numbers,))
}

#[pymethods]
impl Moves {
    /// Number of games.
    fn __len__(&self) -> usize {
        self.numbers.len()
    }

    /// A number a ply, as in the column `move_codes`: from + 64·to + 4096·promotion; needs numpy.
    #[getter]
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy(py, Values::Int16(Arc::clone(&self.codes)))
    }

    /// Where the moves of each game begin, and at last where they end; needs numpy.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy(py, Values::Int64(Arc::clone(&self.offsets)))
    }

    /// The number of each game in its database, from 1; needs numpy.
    #[getter]
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy(py, Values::Int32(Arc::clone(&self.numbers)))
    }
}
