//! [`Date`]: a date whose parts may be unknown.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A date whose parts may be unknown.
///
/// >>> date = tabia.Date(2013, 9)
/// >>> str(date), date.day, date.complete
/// ('2013.09.??', None, None)
///
/// Dates are ordered by year, month and day; a part that is unknown precedes those that are known.
///
/// >>> tabia.Date(2013) < date < tabia.Date(2013, 9, 1)
/// True
#[pyclass(frozen, eq, ord, hash, module = "tabia")]
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Date(pub(crate) tabia::Date);

/// A date that was pickled.
#[pyfunction]
pub(crate) fn _date(year: u16, month: u8, day: u8) -> Date {
    Date(tabia::Date::new(year, month, day))
}

/// A part of a date, 0 if it is unknown.
fn part(value: Option<&Bound<'_, PyAny>>, name: &str, last: u16) -> PyResult<u16> {
    let Some(value) = value else {
        return Ok(0);
    };
    let number = whole_number(value)?.and_then(|number| u16::try_from(number).ok());
    number.filter(|number| *number <= last).ok_or_else(|| {
        PyValueError::new_err(format!("a {name} is 1 to {last}, or `None` if unknown"))
    })
}

/// A whole number of Python; `None` if it has more than 64 bits.
pub(crate) fn whole_number(value: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    match value.extract::<i64>() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

#[pymethods]
impl Date {
    #[new]
    #[pyo3(signature = (year=None, month=None, day=None))]
    fn new(
        year: Option<&Bound<'_, PyAny>>,
        month: Option<&Bound<'_, PyAny>>,
        day: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let year = part(year, "year", 9999)?;
        let (month, day) = (part(month, "month", 12)?, part(day, "day", 31)?);
        Ok(Self(tabia::Date::new(year, month as u8, day as u8)))
    }

    /// Some formats store other months than the constructor takes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (u16, u8, u8))> {
        let date = py.import("tabia._tabia")?.getattr("_date")?;
        Ok((date, (self.0.year, self.0.month, self.0.day)))
    }

    /// The year; `None` if unknown.
    #[getter]
    fn year(&self) -> Option<u16> {
        Some(self.0.year).filter(|part| *part != 0)
    }

    /// The month; `None` if unknown.
    #[getter]
    fn month(&self) -> Option<u8> {
        Some(self.0.month).filter(|part| *part != 0)
    }

    /// The day; `None` if unknown.
    #[getter]
    fn day(&self) -> Option<u8> {
        Some(self.0.day).filter(|part| *part != 0)
    }

    /// The date as `datetime.date`, if it is complete and exists.
    #[getter]
    fn complete<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !self.0.is_complete() {
            return Ok(None);
        }
        let parts = (self.0.year, self.0.month, self.0.day);
        match py.import("datetime")?.getattr("date")?.call1(parts) {
            Ok(date) => Ok(Some(date)),
            Err(error) if error.is_instance_of::<PyValueError>(py) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let part =
            |part: Option<u16>| part.map_or_else(|| "None".to_owned(), |part| part.to_string());
        let month = self.month().map(u16::from);
        let day = self.day().map(u16::from);
        format!(
            "Date({}, {}, {})",
            part(self.year()),
            part(month),
            part(day)
        )
    }
}
