//! Writes the files of a set: an index, a name file, and a game file of blocks.

use std::io::{Read, Write};
use std::path::Path;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::io::{CompanionNames, Output, OutputSet};

/// The files of a set that is being written.
#[derive(Debug)]
pub(crate) struct SetWriter {
    outputs: OutputSet,
    /// Numbers of the files in `outputs`.
    index: usize,
    names: usize,
    games: usize,
    layout: BlockLayout,
    /// Length of the game file so far.
    games_end: u64,
}

/// How records are stored in a game file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockLayout {
    /// Bytes of a block. A record is inside one block, or begins one if it is longer.
    pub(crate) block: u64,
    /// The greatest length of the file.
    pub(crate) max_length: u64,
}

impl SetWriter {
    /// Creates the index at `path`, and the name file and the game file with these extensions.
    pub(crate) fn create(
        path: &Path,
        names: &str,
        games: &str,
        layout: BlockLayout,
        options: &CreateOptions,
    ) -> Result<Self> {
        let mut outputs = options.outputs();
        // An interrupted replacement is complete then.
        let index = outputs.create(path)?;
        let companions = CompanionNames::of(path)?;
        Ok(Self {
            index,
            names: outputs.create(&companions.path(names))?,
            games: outputs.create(&companions.path(games))?,
            outputs,
            layout,
            games_end: 0,
        })
    }

    /// The index.
    pub(crate) fn index(&mut self) -> Result<&mut Output> {
        file(&mut self.outputs, self.index)
    }

    /// The name file.
    pub(crate) fn names(&mut self) -> Result<&mut Output> {
        file(&mut self.outputs, self.names)
    }

    /// Appends bytes to the game file.
    pub(crate) fn append_games(&mut self, bytes: &[u8]) -> Result<()> {
        file(&mut self.outputs, self.games)?.write_all(bytes)?;
        self.games_end += bytes.len() as u64;
        Ok(())
    }

    /// Appends a record to the game file, after zeros if it would cross the end of a block. Returns
    /// its offset.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if the file would be too long.
    pub(crate) fn append_record(&mut self, record: &[u8]) -> Result<u64> {
        let BlockLayout { block, max_length } = self.layout;
        let length = record.len() as u64;
        let mut at = self.games_end;
        if length > block - at % block {
            at = at.next_multiple_of(block);
        }
        if at + length > max_length {
            return Err(Error::new(ErrorKind::Limit {
                what: "the file of games",
                limit: max_length,
                size: at + length,
            }));
        }
        let fill = at - self.games_end;
        if fill > 0 {
            let file = file(&mut self.outputs, self.games)?;
            std::io::copy(&mut std::io::repeat(0).take(fill), file)?;
            self.games_end = at;
        }
        self.append_games(record)?;
        Ok(at)
    }

    /// The files, ready to be committed.
    pub(crate) fn into_outputs(self) -> OutputSet {
        self.outputs
    }
}

fn file(outputs: &mut OutputSet, number: usize) -> Result<&mut Output> {
    outputs
        .file(number)
        .ok_or_else(|| Error::invalid("a file of the set is closed"))
}
