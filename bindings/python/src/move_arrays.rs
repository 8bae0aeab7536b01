//! All moves of a database as arrays of numbers.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int16Type, Int32Type};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::Error;
use tabia_columns::schema::GameColumns;
use tabia_columns::write::{TableOptions, TakeBatch, each_batch};

use crate::database::cancellable;
use crate::error::OrRaise;
use crate::inputs::Inputs;
use crate::kept_problems::{KeepCauses, Problems};

/// Numbers that numpy reads where they are.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Numbers(Values);

enum Values {
    Int16(Arc<Vec<i16>>),
    Int32(Arc<Vec<i32>>),
    Int64(Arc<Vec<i64>>),
    Bool(Arc<Vec<bool>>),
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
            Values::Bool(values) => (values.as_ptr().addr(), values.len(), "b1"),
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

/// Values of plies, with those that are missing.
struct Masked<T> {
    /// 0 where a value is missing.
    values: Arc<Vec<T>>,
    is_missing: Arc<Vec<bool>>,
}

impl<T: Default + Copy> Masked<T> {
    fn with_capacity(plies: usize) -> (Vec<T>, Vec<bool>) {
        (Vec::with_capacity(plies), Vec::with_capacity(plies))
    }

    fn of((values, is_missing): (Vec<T>, Vec<bool>)) -> Self {
        Self {
            values: Arc::new(values),
            is_missing: Arc::new(is_missing),
        }
    }
}

/// Evaluations of plies: hundredths of a pawn, and moves to mate.
type Evals = (Masked<i16>, Masked<i16>);

/// The moves of all games: those of game `i` are `codes[offsets[i]:offsets[i + 1]]`, and so are the values of `clocks`,
/// `evals` and `mates`. All arrays are views of numpy on the memory of this object, which cannot be written to.
///
/// The values of plies are masked arrays: a value that the database does not have is masked, whatever the number below
/// the mask is. They are read when they are first asked for, which fails once the files have changed.
///
/// >>> moves = db.moves(where="player:morphy")
/// >>> start, end = moves.offsets.tolist()
/// >>> moves.games.tolist(), end - start, moves.clocks.tolist()[:2]
/// ([2], 33, [None, None])
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Moves {
    codes: Arc<Vec<i16>>,
    offsets: Arc<Vec<i64>>,
    numbers: Arc<Vec<i32>>,
    inputs: Arc<Inputs>,
    options: TableOptions,
    /// Those of the reading that found most.
    problems: Mutex<Problems>,
    clocks: OnceLock<Masked<i32>>,
    evals: OnceLock<Evals>,
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
        inputs: Arc<Inputs>,
        options: TableOptions,
    ) -> PyResult<Self> {
        let problems = inputs.first_problems();
        let noted = &problems;
        let moves = read(py, &inputs, &options, noted, "game,move_codes", |batches| {
            let mut moves = Collected::default();
            moves.offsets.push(0);
            batches(&mut |batch| {
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
        })?;
        Ok(Self {
            codes: Arc::new(moves.codes),
            offsets: Arc::new(moves.offsets),
            numbers: Arc::new(moves.numbers),
            inputs,
            options,
            problems: Mutex::new(problems),
            clocks: OnceLock::new(),
            evals: OnceLock::new(),
        })
    }

    /// The values of lists of plies, by columns.
    fn values<T: ArrowPrimitiveType, const N: usize>(
        &self,
        py: Python<'_>,
        columns: &str,
    ) -> PyResult<[Masked<T::Native>; N]>
    where
        T::Native: Default + Send + Sync,
    {
        let (offsets, plies) = (Arc::clone(&self.offsets), self.codes.len());
        let numbers = Arc::clone(&self.numbers);
        let columns = format!("game,{columns}");
        let problems = self.inputs.first_problems();
        let (inputs, options) = (&self.inputs, &self.options);
        let values = read(py, inputs, options, &problems, &columns, move |batches| {
            let mut all: [_; N] =
                std::array::from_fn(|_| Masked::<T::Native>::with_capacity(plies));
            let mut games = numbers.iter().zip(offsets.windows(2));
            batches(&mut |batch| {
                let Some((found, lists)) = batch.columns().split_first() else {
                    return Ok(true);
                };
                let found = found.as_primitive::<Int32Type>();
                for (row, game) in found.values().iter().enumerate() {
                    let (number, ends) = games.next().ok_or_else(changed)?;
                    let &[start, end] = ends else {
                        return Err(changed());
                    };
                    let length = (end - start) as usize;
                    for ((values, is_missing), list) in all.iter_mut().zip(lists) {
                        let lists = list.as_list::<i32>();
                        let list = lists.is_valid(row).then(|| lists.value(row));
                        let list = list.as_ref().map(AsArray::as_primitive::<T>);
                        if number != game || list.is_some_and(|list| list.len() != length) {
                            return Err(changed());
                        }
                        if let Some(list) = list {
                            let known =
                                |value: Option<_>| (value.unwrap_or_default(), value.is_none());
                            let (some, none): (Vec<_>, Vec<_>) = list.iter().map(known).unzip();
                            values.extend(some);
                            is_missing.extend(none);
                        } else {
                            values.resize(values.len() + length, T::Native::default());
                            is_missing.resize(is_missing.len() + length, true);
                        }
                    }
                }
                Ok(true)
            })?;
            if games.next().is_some() {
                return Err(changed());
            }
            Ok(all.map(Masked::of))
        })?;
        // Those of the moves are found again, and next to them those of annotations.
        let mut known = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if known.count() < problems.count() {
            *known = problems;
        }
        Ok(values)
    }

    fn known_problems(&self) -> Problems {
        let problems = self.problems.lock();
        problems.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn evals(&self, py: Python<'_>) -> PyResult<&Evals> {
        if let Some(evals) = self.evals.get() {
            return Ok(evals);
        }
        let [pawns, mates] = self.values::<Int16Type, 2>(py, "evals_cp,evals_mate")?;
        Ok(self.evals.get_or_init(|| (pawns, mates)))
    }
}

fn changed() -> Error {
    Error::invalid("changed since its moves were read; open it again when no program writes it")
}

type Batches<'a> = &'a mut dyn FnMut(TakeBatch<'_>) -> Result<(), Error>;

/// What `job` makes of the batches of a table of games with these columns.
fn read<T: Send + 'static>(
    py: Python<'_>,
    inputs: &Arc<Inputs>,
    options: &TableOptions,
    problems: &Problems,
    columns: &str,
    job: impl FnOnce(Batches<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    inputs.ensure_not_closed()?;
    inputs.check().or_raise(py)?;
    let mut options = options.clone();
    options.columns = GameColumns::parse(columns).or_raise(py)?;
    let inputs = Arc::clone(inputs);
    let mut observer = KeepCauses(problems.clone());
    cancellable(py, move |progress| {
        let items = &inputs.items;
        job(&mut |take| each_batch(items, &options, progress, &mut observer, take).map(drop))
    })
}

fn numpy(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    let numbers = Bound::new(py, Numbers(values))?;
    py.import("numpy")?.call_method1("asarray", (numbers,))
}

fn masked<'py>(
    py: Python<'py>,
    values: Values,
    is_missing: &Arc<Vec<bool>>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = (numpy(py, values)?,);
    let options = PyDict::new(py);
    options.set_item("mask", numpy(py, Values::Bool(Arc::clone(is_missing)))?)?;
    options.set_item("copy", false)?;
    let kind = py.import("numpy.ma")?.getattr("MaskedArray")?;
    kind.call(values, Some(&options))
}

#[pymethods]
impl Moves {
    /// Number of games.
    fn __len__(&self) -> usize {
        self.numbers.len()
    }

    /// Problems of what was read so far, as exceptions that were not raised; of more than a hundred thousand the first.
    /// Those of the files of a folder that cannot be read precede them. Those of clocks and evaluations are known once
    /// these were asked for.
    ///
    /// >>> moves = tabia.open(b"1. e4 e5 2. Ke3 *", name="a.pgn").moves()
    /// >>> [(problem.game, problem.ply) for problem in moves.problems], moves.problem_count
    /// ([(1, 2)], 1)
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.known_problems().list(py)
    }

    /// Number of problems of what was read so far.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.known_problems().count()
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

    /// The time left after each ply in milliseconds, masked where it is unknown; needs numpy.
    ///
    /// >>> clocks = tabia.open(b"1. e4 {[%clk 0:03:00]} e5 *", name="a.pgn").moves().clocks
    /// >>> clocks.tolist(), clocks.mask.tolist(), clocks.flags.writeable
    /// ([180000, None], [False, True], False)
    #[getter]
    fn clocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let clocks = if let Some(clocks) = self.clocks.get() {
            clocks
        } else {
            let [clocks] = self.values::<Int32Type, 1>(py, "clocks_ms")?;
            self.clocks.get_or_init(|| clocks)
        };
        let values = Values::Int32(Arc::clone(&clocks.values));
        masked(py, values, &clocks.is_missing)
    }

    /// The evaluation after each ply in hundredths of a pawn, positive if White is better, masked where there is none or
    /// mate in some moves; needs numpy.
    ///
    /// >>> moves = tabia.open(b"1. e4 {[%eval 0.25]} e5 {[%eval #-3]} 2. d4 *", name="a.pgn").moves()
    /// >>> moves.evals.tolist(), moves.mates.tolist()
    /// ([25, None, None], [None, -3, None])
    #[getter]
    #[pyo3(name = "evals")]
    fn pawns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (pawns, _) = self.evals(py)?;
        masked(
            py,
            Values::Int16(Arc::clone(&pawns.values)),
            &pawns.is_missing,
        )
    }

    /// Moves to mate after each ply, negative if Black mates, masked where there is no such evaluation; needs numpy.
    #[getter]
    fn mates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (_, mates) = self.evals(py)?;
        masked(
            py,
            Values::Int16(Arc::clone(&mates.values)),
            &mates.is_missing,
        )
    }
}
