//! A PGN file written game by game.

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

/// Text collected before it goes to the file.
const CHUNK: usize = 1 << 18;

/// Writes games to a file.
#[derive(Debug)]
pub(super) struct PgnFile {
    files: OutputSet,
    file: usize,
    writer: Writer,
    records: u32,
}

impl PgnFile {
    pub(super) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut files = OutputSet::new(options.force);
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

impl GameWriter for PgnFile {
    fn write(&mut self, game: &Game) -> Result<Losses> {
        let length = self.writer.text().len();
        let _ = game.replay(GameIndex(self.records), Want::ALL, &mut self.writer);
        if self.writer.text().len() > length {
            self.records = self.records.saturating_add(1);
        }
        if self.writer.text().len() >= CHUNK {
            self.flush()?;
        }
        Ok(self.writer.take_losses())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.flush()?;
        let (files, bytes) = self.files.commit()?;
        Ok(Written {
            records: self.records,
            files,
            bytes,
        })
    }
}
