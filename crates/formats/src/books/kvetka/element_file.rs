//! Merged elements in a temporary file, in the order of their keys.

use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use tabia_core::error::{Error, Result};
use tabia_core::io::{Sink, TemporaryFile};

use super::merged_element::MergedElement;

/// Called with the element of each position, in the order of the keys.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&MergedElement) -> Result<()>;

/// Elements in a temporary file, in the order of their keys.
pub(super) struct ElementFile {
    file: TemporaryFile,
}

pub(super) struct ElementFileWriter {
    out: BufWriter<TemporaryFile>,
    sink: Sink,
}

impl ElementFile {
    pub(super) fn create(base: &Path) -> Result<ElementFileWriter> {
        let file = TemporaryFile::new_in(TemporaryFile::folder_of(base))?;
        Ok(ElementFileWriter {
            out: BufWriter::with_capacity(1 << 18, file),
            sink: Sink::new(),
        })
    }

    pub(super) fn for_each(&self, visit: Visit<'_>) -> Result<()> {
        let mut file = BufReader::with_capacity(1 << 18, &self.file);
        file.rewind()?;
        let mut bytes = Vec::new();
        loop {
            let mut length = [0; 2];
            match file.read_exact(&mut length) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            let [high, low] = length.map(usize::from);
            bytes.resize(high << 8 | low, 0);
            file.read_exact(&mut bytes)?;
            visit(&MergedElement::load(&bytes)?)?;
        }
    }
}

impl ElementFileWriter {
    pub(super) fn push(&mut self, element: &MergedElement) -> Result<()> {
        self.sink.clear();
        self.sink.u16_be(0);
        element.save(&mut self.sink);
        let length = self.sink.len() - 2;
        self.sink.patch_u16_be(0, length as u16);
        Ok(self.out.write_all(self.sink.as_slice())?)
    }

    pub(super) fn finish(self) -> Result<ElementFile> {
        let file = self.out.into_inner();
        let file = file.map_err(|error| Error::from(error.into_error()))?;
        Ok(ElementFile { file })
    }
}
