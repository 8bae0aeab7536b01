//! A PGN file to which games are written one by one.

use std::io::Write as _;
use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::error::{Error, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::{Game, Want};
use tabia_core::games::{GameWriter, TextWriter as _, Written};
use tabia_core::io::OutputSet;
use tabia_core::loss::Losses;

use super::write::Writer;

/// Bytes of text that are collected before they are written to the file.
const FLUSH_SIZE: usize = 1 << 18;

/// Writes games to a new PGN file, which appears under its name at [`finish`](GameWriter::finish).
#[derive(Debug)]
pub(super) struct PgnFileWriter {
    files: OutputSet,
    file: usize,
    writer: Writer,
    records: u32,
}

impl PgnFileWriter {
    pub(super) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut files = options.outputs();
        let file = files.create(path)?;
        Ok(Self {
            files,
            file,
            writer: Writer::new(options),
            records: 0,
        })
    }

    fn flush(&mut self) -> Result<()> {
        let text = self.writer.text();
        if let Some(output) = self.files.file(self.file) {
            let written = output.write_all(text);
            written.map_err(|error| Error::from(error).in_path(output.target()))?;
        }
        text.clear();
        Ok(())
    }
}

impl GameWriter for PgnFileWriter {
    fn write(&mut self, game: &Game) -> Result<Losses> {
        let length = self.writer.text().len();
        let _ = game.replay(GameIndex(self.records), Want::ALL, &mut self.writer);
        if self.writer.text().len() > length {
            self.records = self.records.saturating_add(1);
        }
        if self.writer.text().len() >= FLUSH_SIZE {
            self.flush()?;
        }
        Ok(self.writer.take_losses())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.flush()?;
        let (files, bytes) = self.files.commit()?;
        Ok(Written::new(self.records, files, bytes))
    }
}
