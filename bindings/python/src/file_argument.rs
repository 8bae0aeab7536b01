//! What is opened: a path, bytes, or a file object, which is copied to a temporary file.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

/// Bytes of a path, at most.
const MAX_PATH: usize = 4096;

/// Bytes that are copied at a time.
const CHUNK: usize = 1 << 20;

/// A path: a `str`, an `os.PathLike`, or bytes as `os.fsencode` makes them.
pub(crate) struct PathArgument(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for PathArgument {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let os = argument.py().import("os")?;
        if let Ok(path) = os.call_method1("fsdecode", (argument,)) {
            return Ok(Self(path.extract()?));
        }
        let name = argument.get_type().name()?;
        let text = format!("a path is a `str`, an `os.PathLike` or bytes, not `{name}`");
        Err(PyTypeError::new_err(text))
    }
}

/// One path, or what can be iterated over for several.
pub(crate) fn paths_of(argument: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let is_one = argument.is_instance_of::<PyString>()
        || argument.is_instance_of::<PyBytes>()
        || argument.hasattr("__fspath__")?;
    if is_one {
        return Ok(vec![argument.extract::<PathArgument>()?.0]);
    }
    let Ok(paths) = argument.try_iter() else {
        let name = argument.get_type().name()?;
        let text = format!("a path or several are needed, not `{name}`");
        return Err(PyTypeError::new_err(text));
    };
    paths
        .map(|path| Ok(path?.extract::<PathArgument>()?.0))
        .collect()
}

/// A folder that is removed with everything in it when it is dropped.
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Of Python's module `tempfile`, so that its settings apply.
    fn create(py: Python<'_>) -> PyResult<Self> {
        let options = PyDict::new(py);
        options.set_item("prefix", "tabia-")?;
        let made = py.import("tempfile")?.getattr("mkdtemp")?;
        Ok(Self(made.call((), Some(&options))?.extract()?))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Nothing depends on it any more.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file that is opened.
pub(crate) struct FileArgument {
    pub(crate) path: PathBuf,
    /// Where the file is, if it is a copy. It has to live as long as the path is used.
    pub(crate) folder: Option<Arc<TemporaryFolder>>,
}

impl FileArgument {
    /// The file of a path, of bytes, or of an object with the method `read`; `name` is for those of the
    /// last two that have none.
    pub(crate) fn new(argument: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        let py = argument.py();
        let is_file = argument.hasattr("read")?;
        let bytes = if is_file { None } else { bytes_of(argument)? };
        if !is_file && bytes.is_none() {
            let Ok(PathArgument(path)) = argument.extract() else {
                let text = "a path, bytes, or an object with a method `read` is needed";
                return Err(PyTypeError::new_err(text));
            };
            return Ok(Self { path, folder: None });
        }
        if name.is_none()
            && let Some(bytes) = &bytes
            && is_path(bytes)?
        {
            let text = "bytes are the contents of a file, and these are the path of one: \
                        `tabia.open(os.fsdecode(path))` opens it";
            return Err(PyTypeError::new_err(text));
        }
        let own_name: Option<String> = match name {
            Some(name) => Some(name.to_owned()),
            None => argument
                .getattr_opt("name")?
                .and_then(|name| name.extract().ok()),
        };
        let name = own_name
            .as_deref()
            .and_then(|name| Path::new(name).file_name());
        let folder = TemporaryFolder::create(py)?;
        let path = folder.0.join(name.unwrap_or("input".as_ref()));
        let mut file = File::create_new(&path)?;
        match bytes {
            Some(bytes) => file.write_all(bytes.as_bytes())?,
            None => copy(argument, &mut file)?,
        }
        Ok(Self {
            path,
            folder: Some(Arc::new(folder)),
        })
    }
}

/// Whether bytes are the path of something that exists.
fn is_path(bytes: &Bound<'_, PyBytes>) -> PyResult<bool> {
    let text = bytes.as_bytes();
    if text.is_empty() || text.len() > MAX_PATH || text.iter().any(u8::is_ascii_control) {
        return Ok(false);
    }
    let path = bytes.py().import("os.path")?;
    path.call_method1("exists", (bytes,))?.extract()
}

/// The bytes of `bytes`, a `bytearray` or a `memoryview`; `None` for other objects.
fn bytes_of<'py>(argument: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if let Ok(bytes) = argument.cast::<PyBytes>() {
        return Ok(Some(bytes.clone()));
    }
    let builtins = argument.py().import("builtins")?;
    for name in ["bytearray", "memoryview"] {
        if argument.is_instance(&builtins.getattr(name)?)? {
            let bytes = builtins.getattr("bytes")?.call1((argument,))?;
            return Ok(Some(bytes.cast_into::<PyBytes>()?));
        }
    }
    Ok(None)
}

fn copy(source: &Bound<'_, PyAny>, file: &mut File) -> PyResult<()> {
    let py = source.py();
    loop {
        py.check_signals()?;
        let piece = source.call_method1("read", (CHUNK,))?;
        let bytes: &[u8] = if let Ok(bytes) = piece.cast::<PyBytes>() {
            bytes.as_bytes()
        } else if let Ok(text) = piece.cast::<PyString>() {
            text.to_str()?.as_bytes()
        } else {
            return Err(PyTypeError::new_err(
                "`read` returned neither bytes nor text",
            ));
        };
        if bytes.is_empty() {
            return Ok(());
        }
        file.write_all(bytes)?;
    }
}
