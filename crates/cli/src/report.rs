//! What went wrong and what was lost: on standard error, in a report, in a file of rejects.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use tabia::core::error::Location;
use tabia::core::io::OutputSet;
use tabia::core::loss::Losses;
use tabia::core::{Error, GameIndex, Problem, Result};
use tabia::repair::{RecordOutcome, RepairObserver};
use tabia::select::SelectionCounts;
use tabia::{Failure, InputItem, LossTable, Observer, Summary};

use crate::context::Context;
use crate::json::Json;
use crate::messages::{Messages, friendly};
use crate::units::{counted_as, grouped};

/// Problems shown on standard error unless all are wanted.
const SHOWN: u64 = 10;
/// Problems kept for the result of a command.
const KEPT: usize = 1000;

/// Takes note of every problem and loss.
#[derive(Debug)]
pub(crate) struct Reporter {
    messages: Messages,
    report: Option<ReportFile>,
    rejects: Option<OutputSet>,
    problems: u64,
    inputs: Vec<Json>,
    /// The problems of the current input, as far as they are kept.
    pub(crate) kept: Vec<Json>,
    /// Records that a repair could not save whole, as far as they are kept.
    pub(crate) records: Vec<Json>,
    /// What else the summary says.
    pub(crate) extra: Vec<(&'static str, Json)>,
}

impl Reporter {
    /// The files are created at once, so that a target that cannot be written shows before the
    /// work begins.
    pub(crate) fn new(
        context: &Context,
        command: &str,
        force: bool,
        rejects: Option<&Path>,
    ) -> Result<Self, Failure> {
        let report = context
            .common
            .report
            .as_deref()
            .map(|path| ReportFile::create(path, force, command))
            .transpose()?;
        let rejects = rejects
            .map(|path| {
                let mut set = OutputSet::new(force);
                set.create(path).map(|_| set)
            })
            .transpose()
            .map_err(Failure::output)?;
        Ok(Self {
            messages: context.messages,
            report,
            rejects,
            problems: 0,
            inputs: Vec::new(),
            kept: Vec::new(),
            records: Vec::new(),
            extra: Vec::new(),
        })
    }

    /// How many problems there were.
    pub(crate) fn count(&self) -> u64 {
        self.problems
    }

    /// Notes an input that cannot be read at all.
    pub(crate) fn failed_input(&mut self, failure: &Failure) -> Result<(), Failure> {
        self.messages.failure(failure);
        if let (Some(report), Failure::Input(error)) = (&mut self.report, failure) {
            report.problem(error).map_err(Failure::output)?;
        }
        Ok(())
    }

    /// Notes a problem that was told already.
    pub(crate) fn note(&mut self, error: &Error) -> Result<(), Failure> {
        self.problems += 1;
        match &mut self.report {
            Some(report) => report.problem(error).map_err(Failure::output),
            None => Ok(()),
        }
    }

    /// Notes what a file as a whole does not hold, and completes the files.
    pub(crate) fn finish_whole(mut self, file: &Path, losses: &Losses) -> Result<(), Failure> {
        let file = file.display().to_string();
        let mut ledger = Summary::default();
        ledger.losses.add_whole(&file, losses);
        if let Some(report) = &mut self.report {
            report
                .losses(&file, None, losses)
                .map_err(Failure::output)?;
        }
        self.finish(Some(&ledger))
    }

    /// Ends the list of problems on standard error and completes the files.
    pub(crate) fn finish(mut self, ledger: Option<&Summary>) -> Result<(), Failure> {
        if !self.messages.verbose && self.problems > SHOWN {
            let hidden = counted_as(self.problems - SHOWN, "more problem", "more problems");
            let text = format!("{hidden}; `--verbose` or `--report FILE` lists all");
            self.messages.warning(&text);
        }
        if let Some(rejects) = self.rejects.take() {
            rejects.commit().map_err(Failure::output)?;
        }
        if let Some(report) = self.report.take() {
            let inputs = std::mem::take(&mut self.inputs);
            let losses = ledger.map_or(Json::List(Vec::new()), |ledger| loss_rows(&ledger.losses));
            let mut summary = std::mem::take(&mut self.extra);
            summary.extend([
                ("problems", self.problems.into()),
                ("losses", losses),
                ("inputs", Json::List(inputs)),
            ]);
            report.finish(summary)?;
        }
        Ok(())
    }

    fn reject(&mut self, problem: &Problem) -> Result<()> {
        let (Some(set), Some(bytes)) = (&mut self.rejects, &problem.unread_bytes) else {
            return Ok(());
        };
        if let Some(file) = set.file(0) {
            file.write_all(bytes)?;
            if !bytes.ends_with(b"\n") {
                file.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}

impl Observer for Reporter {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<()> {
        self.problems += 1;
        if self.messages.verbose || self.problems <= SHOWN {
            self.messages.warning(&problem.error.to_string());
        }
        if self.kept.len() < KEPT {
            self.kept.push(problem_json(&problem.error));
        }
        self.reject(problem)?;
        match &mut self.report {
            Some(report) => report.problem(&problem.error),
            None => Ok(()),
        }
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> Result<()> {
        match &mut self.report {
            Some(report) => report.losses(&item.name(), Some(game), losses),
            None => Ok(()),
        }
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> Result<()> {
        if self.report.is_some() {
            self.inputs.push(Json::Object(vec![
                ("file", item.name().into()),
                ("format", item.format().id().to_string().into()),
                ("games", counts.games.into()),
                ("texts", counts.texts.into()),
                ("deletedLeftOut", counts.deleted.into()),
            ]));
        }
        Ok(())
    }
}

impl RepairObserver for Reporter {
    fn record_outcome(&mut self, item: &InputItem, record: &RecordOutcome<'_>) -> Result<()> {
        let reasons = record.reasons.iter().map(|reason| {
            let mut pairs = place(&reason.at);
            pairs.retain(|(key, _)| *key != "game");
            pairs.push(("reason", friendly(&reason.text).into()));
            Json::Object(pairs)
        });
        let saved_as = record.saved_as.map(|game| u64::from(game.0) + 1);
        let row = Json::Object(vec![
            ("file", item.name().into()),
            ("game", (u64::from(record.game.0) + 1).into()),
            ("fate", record.outcome.name().into()),
            ("savedAs", saved_as.into()),
            ("reasons", Json::List(reasons.collect())),
        ]);
        if let Some(report) = &mut self.report {
            report.records.push(&row)?;
        }
        if self.records.len() < KEPT {
            self.records.push(row);
        }
        Ok(())
    }
}

/// A problem with its place, as JSON; parts that do not apply are absent.
pub(crate) fn problem_json(error: &Error) -> Json {
    let at = error.location();
    let mut pairs = place(at);
    let reason = friendly(&error.kind().to_string());
    pairs.push(("reason", reason.into()));
    Json::Object(pairs)
}

fn place(at: &Location) -> Vec<(&'static str, Json)> {
    let mut pairs = Vec::new();
    if let Some(file) = &at.file {
        pairs.push(("file", file.display().to_string().into()));
    }
    if let Some(game) = at.game {
        pairs.push(("game", (u64::from(game.0) + 1).into()));
    }
    if let Some(ply) = at.ply {
        pairs.push(("ply", ply.into()));
    }
    if let Some(line) = at.line {
        pairs.push(("line", line.into()));
    }
    if let Some(column) = at.column {
        pairs.push(("column", column.into()));
    }
    if let Some(offset) = at.offset {
        pairs.push(("offset", offset.into()));
    }
    pairs
}

/// The report: problems are written as they come, losses and records gathered beside it and
/// appended, so that memory does not grow with any.
#[derive(Debug)]
struct ReportFile {
    set: OutputSet,
    problem_count: u64,
    losses: Rows,
    /// What a repair could not save whole.
    records: Rows,
}

/// Rows that wait in a temporary file.
#[derive(Debug)]
struct Rows {
    file: BufWriter<File>,
    count: u64,
}

impl Rows {
    fn create() -> Result<Self> {
        Ok(Self {
            file: BufWriter::new(tabia::temporary_files::file()?),
            count: 0,
        })
    }

    fn push(&mut self, row: &Json) -> Result<()> {
        let comma = if self.count == 0 { "\n" } else { ",\n" };
        self.count += 1;
        write!(self.file, "{comma}{}", row.compact())?;
        Ok(())
    }

    /// Writes all rows to a file.
    fn append_to(&mut self, set: &mut OutputSet) -> Result<()> {
        self.file.flush()?;
        let mut gathered = self.file.get_ref().try_clone()?;
        gathered.seek(SeekFrom::Start(0))?;
        if let Some(file) = set.file(0) {
            io::copy(&mut gathered, file)?;
        }
        Ok(())
    }
}

impl ReportFile {
    fn create(path: &Path, force: bool, command: &str) -> Result<Self, Failure> {
        let mut set = OutputSet::new(force);
        set.create(path).map_err(Failure::output)?;
        let mut report = Self {
            set,
            problem_count: 0,
            losses: Rows::create().map_err(Failure::output)?,
            records: Rows::create().map_err(Failure::output)?,
        };
        let mut head = String::from("{\"command\":");
        crate::json::quote(command, &mut head);
        head.push_str(",\n\"problems\":[");
        report.write(&head).map_err(Failure::output)?;
        Ok(report)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        match self.set.file(0) {
            Some(file) => file
                .write_all(text.as_bytes())
                .map_err(|error| Error::from(error).in_path(file.target())),
            None => Ok(()),
        }
    }

    fn problem(&mut self, error: &Error) -> Result<()> {
        let comma = if self.problem_count == 0 { "\n" } else { ",\n" };
        self.problem_count += 1;
        self.write(&format!("{comma}{}", problem_json(error).compact()))
    }

    fn losses(&mut self, file: &str, game: Option<GameIndex>, losses: &Losses) -> Result<()> {
        for (feature, loss) in losses.iter() {
            let reason = format!("{} have no place in the target", feature.label());
            let mut row = vec![("file", file.into())];
            row.extend(game.map(|game| ("game", (u64::from(game.0) + 1).into())));
            row.extend([
                ("kind", feature.key().into()),
                ("count", loss.count.into()),
                ("reason", reason.into()),
            ]);
            self.losses.push(&Json::Object(row))?;
        }
        Ok(())
    }

    fn finish(mut self, summary: Vec<(&'static str, Json)>) -> Result<(), Failure> {
        let done = (|| {
            self.write("],\n\"losses\":[")?;
            self.losses.append_to(&mut self.set)?;
            if self.records.count > 0 {
                self.write("],\n\"records\":[")?;
                self.records.append_to(&mut self.set)?;
            }
            let summary = Json::Object(summary);
            self.write(&format!("],\n\"summary\":{}}}\n", summary.compact()))?;
            self.set.commit()?;
            Ok(())
        })();
        done.map_err(Failure::output)
    }
}

/// What was lost, a row a kind.
pub(crate) fn loss_rows(losses: &LossTable) -> Json {
    let rows = losses.iter().map(|(feature, row)| {
        Json::Object(vec![
            ("kind", feature.key().into()),
            ("label", feature.label().into()),
            ("count", row.count.into()),
            ("games", row.games.into()),
            ("firstFile", row.input.clone().into()),
            (
                "firstGame",
                row.first
                    .map_or(Json::Null, |first| (u64::from(first.0) + 1).into()),
            ),
        ])
    });
    Json::List(rows.collect())
}

/// The table of losses at the end of a conversion; nothing when there are none.
pub(crate) fn loss_table(messages: Messages, losses: &LossTable, several: bool) {
    if losses.is_empty() {
        return;
    }
    messages.note("not kept in the target format:");
    let rows: Vec<(String, &str, String)> = losses
        .iter()
        .map(|(feature, row)| {
            let place = match row.first {
                Some(first) if several => format!("first in {}: game {first}", row.input),
                Some(first) => format!("first in game {first}"),
                None if several => format!("of {}", row.input),
                None => String::new(),
            };
            (grouped(row.count), feature.label(), place)
        })
        .collect();
    let count = rows.iter().map(|row| row.0.len()).max().unwrap_or_default();
    let label = rows.iter().map(|row| row.1.len()).max().unwrap_or_default();
    for (number, kind, place) in &rows {
        let line = format!("  {number:>count$}  {kind:<label$}  {place}");
        messages.note(line.trim_end());
    }
}
