//! The report of a conversion: a file of JSON with what `convert --report` of the command line writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use tabia::core::io::{OutputSet, TemporaryFile, Transaction};
use tabia::select::SelectionCounts;
use tabia::{Error, Feature, GameIndex, InputItem, Losses, Problem, Summary};

/// A report that is being written. Problems are written as they come; losses wait in a temporary file, so that memory
/// does not depend on their number.
pub(crate) struct Report {
    set: OutputSet,
    transaction: Transaction,
    problems: u64,
    losses: BufWriter<TemporaryFile>,
    loss_count: u64,
    /// The row of each kind that may get more games.
    open: BTreeMap<Feature, LossRow>,
    /// The inputs that were read to their ends, as JSON.
    inputs: Vec<String>,
}

/// A kind of loss in one game, or in several that follow each other.
struct LossRow {
    file: String,
    first: u64,
    last: u64,
    count: u64,
}

impl Report {
    pub(crate) fn create(path: &Path, force: bool) -> Result<Self, Error> {
        let transaction = Transaction::new();
        let mut set = OutputSet::new(force);
        transaction.join(&mut set);
        set.create(path).map_err(Error::in_output)?;
        let mut report = Self {
            set,
            transaction,
            problems: 0,
            losses: BufWriter::new(TemporaryFile::new().map_err(Error::in_output)?),
            loss_count: 0,
            open: BTreeMap::new(),
            inputs: Vec::new(),
        };
        report.write("{\"command\":\"convert\",\n\"problems\":[")?;
        Ok(report)
    }

    /// What the target joins, so that both get their names together.
    pub(crate) fn transaction(&self) -> Transaction {
        self.transaction.clone()
    }

    pub(crate) fn problem(&mut self, problem: &Problem) -> Result<(), Error> {
        let mut row = String::from(if self.problems == 0 { "\n" } else { ",\n" });
        self.problems += 1;
        row.push('{');
        let at = problem.error.location();
        let file = at.file.as_ref().map(|file| file.display().to_string());
        if let Some(file) = file {
            row.push_str("\"file\":");
            push_string(&mut row, &file);
            row.push(',');
        }
        let numbers = [
            ("game", at.game.map(number)),
            ("ply", at.ply.map(u64::from)),
            ("line", at.line),
            ("column", at.column.map(u64::from)),
            ("offset", at.offset),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                // Writing to a string does not fail.
                let _ = write!(row, "\"{name}\":{number},");
            }
        }
        let text = problem.error.kind().to_string();
        // The number of an error of the system means nothing to people.
        let end = text.find(" (os error ").unwrap_or(text.len());
        row.push_str("\"reason\":");
        push_string(&mut row, text.get(..end).unwrap_or(&text));
        row.push('}');
        self.write(&row)
    }

    pub(crate) fn losses(
        &mut self,
        item: &InputItem,
        game: GameIndex,
        losses: &Losses,
    ) -> Result<(), Error> {
        let (file, game) = (item.name(), number(game));
        for (feature, loss) in losses.iter() {
            if let Some(row) = self.open.get_mut(&feature)
                && row.last + 1 == game
                && row.count == loss.count
                && row.file == file
            {
                row.last = game;
                continue;
            }
            let row = LossRow {
                file: file.clone(),
                first: game,
                last: game,
                count: loss.count,
            };
            if let Some(done) = self.open.insert(feature, row) {
                self.loss_row(feature, &done)?;
            }
        }
        Ok(())
    }

    fn loss_row(&mut self, feature: Feature, loss: &LossRow) -> Result<(), Error> {
        let mut row = String::from(if self.loss_count == 0 { "\n" } else { ",\n" });
        self.loss_count += 1;
        row.push_str("{\"file\":");
        push_string(&mut row, &loss.file);
        let _ = write!(row, ",\"game\":{}", loss.first);
        if loss.last > loss.first {
            let _ = write!(row, ",\"lastGame\":{}", loss.last);
        }
        row.push_str(",\"kind\":");
        push_string(&mut row, &feature.key());
        let _ = write!(row, ",\"count\":{},\"reason\":", loss.count);
        let reason = format!("not kept in the target format: {}", feature.label());
        push_string(&mut row, &reason);
        row.push('}');
        let written = self.losses.write_all(row.as_bytes());
        written.map_err(|error| Error::from(error).in_output())
    }

    pub(crate) fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) {
        let mut row = String::from("{\"file\":");
        push_string(&mut row, &item.name());
        row.push_str(",\"format\":");
        push_string(&mut row, &item.format().id().to_string());
        let _ = write!(
            row,
            ",\"games\":{},\"texts\":{},\"deletedLeftOut\":{}}}",
            counts.games, counts.texts, counts.deleted
        );
        self.inputs.push(row);
    }

    /// Completes the report, and gives it and the target their names.
    pub(crate) fn commit(mut self, summary: &Summary) -> Result<(), Error> {
        for (feature, row) in std::mem::take(&mut self.open) {
            self.loss_row(feature, &row)?;
        }
        self.write("],\n\"losses\":[")?;
        self.append_losses()
            .map_err(|error| Error::from(error).in_output())?;
        let mut end = String::from("],\n\"summary\":{");
        let _ = write!(end, "\"problems\":{},\"losses\":[", self.problems);
        for (number, (feature, loss)) in summary.losses.iter().enumerate() {
            end.push_str(if number == 0 { "" } else { "," });
            end.push_str("{\"kind\":");
            push_string(&mut end, &feature.key());
            end.push_str(",\"label\":");
            push_string(&mut end, feature.label());
            let _ = write!(end, ",\"count\":{},\"games\":{}", loss.count, loss.games);
            end.push_str(",\"firstFile\":");
            push_string(&mut end, &loss.input);
            end.push_str(",\"firstGame\":");
            match loss.first {
                Some(game) => {
                    let _ = write!(end, "{}", self::number(game));
                }
                None => end.push_str("null"),
            }
            if !loss.names.is_empty() {
                end.push_str(",\"names\":");
                let names = loss.names.iter().map(|name| {
                    let mut text = String::new();
                    push_string(&mut text, name);
                    text
                });
                let _ = write!(end, "[{}]", names.collect::<Vec<_>>().join(","));
            }
            end.push('}');
        }
        let _ = writeln!(end, "],\"inputs\":[{}]}}}}", self.inputs.join(","));
        self.write(&end)?;
        self.set.commit().map_err(Error::in_output)?;
        self.transaction.commit().map_err(Error::in_output)
    }

    fn append_losses(&mut self) -> io::Result<()> {
        self.losses.flush()?;
        let mut gathered = self.losses.get_ref();
        gathered.rewind()?;
        if let Some(file) = self.set.file(0) {
            io::copy(&mut gathered, file)?;
        }
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        let Some(file) = self.set.file(0) else {
            return Ok(());
        };
        let written = file.write_all(text.as_bytes());
        written.map_err(|error| Error::from(error).in_path(file.target()).in_output())
    }
}

/// The number of a game, from 1.
fn number(index: GameIndex) -> u64 {
    u64::from(index.0) + 1
}

/// A string of JSON; control characters, those of C1 too, are escaped.
fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
