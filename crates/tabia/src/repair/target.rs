//! Where saved records go: a database or a text file.

use std::io::Write;
use std::path::Path;

use tabia_core::formats::CreateOptions;
use tabia_core::game::{Game, Want};
use tabia_core::games::{GameWriter, TextWriter, Written};
use tabia_core::io::OutputSet;
use tabia_core::loss::Losses;
use tabia_core::{Error, GameFormat, GameIndex, Result};

use crate::error::Failure;

pub(super) enum Sink {
    Database(Box<dyn GameWriter>),
    Text {
        writer: Box<dyn TextWriter>,
        outputs: OutputSet,
        records: u32,
    },
}

impl Sink {
    pub(super) fn create(
        format: &'static GameFormat,
        path: &Path,
        options: &CreateOptions,
    ) -> Result<Self, Failure> {
        match (format.create, format.create_text) {
            (Some(create), _) => create(path, options).map(Self::Database),
            (None, Some(create)) => create(options).and_then(|writer| {
                let mut outputs = OutputSet::new(options.force);
                outputs.create(path)?;
                Ok(Self::Text {
                    writer,
                    outputs,
                    records: 0,
                })
            }),
            (None, None) => {
                let text = format!(
                    "{} ({}) cannot be written",
                    format.file.name, format.file.id
                );
                return Err(Failure::Usage(text));
            }
        }
        .map_err(Failure::output)
    }

    /// Appends a record; what the target cannot hold of it.
    pub(super) fn write(&mut self, number: GameIndex, game: &Game) -> Result<Losses> {
        match self {
            Self::Database(writer) => writer.write(game),
            Self::Text {
                writer,
                outputs,
                records,
            } => {
                let _ = game.replay(number, Want::ALL, &mut **writer);
                *records = records.saturating_add(1);
                let text = writer.text();
                outputs
                    .file(0)
                    .ok_or_else(|| Error::invalid("the target is closed"))?
                    .write_all(text)?;
                text.clear();
                Ok(writer.take_losses())
            }
        }
    }

    pub(super) fn finish(self) -> Result<Written, Failure> {
        match self {
            Self::Database(writer) => writer.finish(),
            Self::Text {
                outputs, records, ..
            } => outputs.commit().map(|(files, bytes)| Written {
                records,
                files,
                bytes,
            }),
        }
        .map_err(Failure::output)
    }
}
