//! [`Date`]: a date whose parts may be unknown.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A date whose parts may be unknown.
///
/// >>> date = tabia.Date(2013, 9)
/// >>> str(date), date.day, date.complete
/// ('2013.09.??', None, None)
#[pyclass(frozen, eq, hash, module = "tabia")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Date(pub(crate) tabia::Date);

#[pymethods]
impl Date {
    #[new]
    #[pyo3(signature = (year=None, month=None, day=None))]
    fn new(year: Option<u16>, month: Option<u8>, day: Option<u8>) -> Self {
        let (month, day) = (month.unwrap_or(0), day.unwrap_or(0));
        Self(tabia::Date::new(year.unwrap_or(0), month, day))
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
