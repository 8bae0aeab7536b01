//! Problems and losses: on standard error, in a report, in a file of rejected bytes.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tabia::core::error::Location;
use tabia::core::formats::CreateOptions;
use tabia::core::io::{OutputSet, TemporaryFile, Transaction, name_text};
use tabia::core::loss::{Feature, Losses};
use tabia::core::{FormatId, GameIndex, Problem, Result};
use tabia::repair::{RecordOutcome, RepairObserver};
use tabia::select::SelectionCounts;
use tabia::{Error, ErrorKind, ErrorSide, InputItem, LossTable, Observer, Summary};
use unicode_width::UnicodeWidthStr as _;

pub(crate) use rows::RecordRow;
use rows::{LossRuns, RecordRuns};

use crate::control_char_filter::one_line;
use crate::exit_code::ExitCode;
use crate::json::{self, Displayed};
use crate::messages::{Messages, exceeds_unpacked, repair_hint, without_os_error_number};
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, grouped};
use crate::table::cut_front;
use crate::terminal;

/// Lines about problems on standard error without `--verbose`.
const MAX_SHOWN: usize = 10;
/// Lines in all if there are many inputs: the first one of each is shown.
const MAX_SHOWN_OF_INPUTS: usize = 100;
/// Problems of one kind in one file that have a line each; if there are more, one line counts them.
const MAX_ALIKE: usize = 3;
/// Kinds of problems that are distinguished.
const MAX_KINDS: usize = 1000;
/// Problems of an input, and records of a repair, listed in the result of a command.
const MAX_LISTED: usize = 1000;

/// Collects every problem and loss of a command.
#[derive(Debug)]
pub(crate) struct Reporter {
    messages: Messages,
    report: Option<ReportFile>,
    rejects: Option<OutputSet>,
    /// Gives the report and the rejected bytes their names together with the result.
    transaction: Option<Transaction>,
    /// The first problem ends the command.
    pub(crate) is_strict: bool,
    /// Another reporter of the command has shown the problems of the inputs.
    pub(crate) are_problems_reported: bool,
    problems: u64,
    /// Those that are on standard error, or counted in a line there.
    shown_problems: u64,
    /// Lines about problems so far.
    shown_lines: Vec<String>,
    /// Problems of the current input that are not on standard error yet, by kind.
    groups: Vec<ProblemGroup>,
    /// Whether `--max-unpacked` would allow to read more.
    exceeds_unpacked: bool,
    inputs: Vec<InputRow>,
    /// Games of the inputs that were read to their ends.
    pub(crate) games_read: u64,
    /// Texts of these inputs.
    pub(crate) texts_read: u64,
    /// The first problems of the current input.
    pub(crate) input_problems: Vec<ProblemRow>,
    /// The first problems of archives, which are found again when what is in them is read.
    of_archives: BTreeSet<String>,
    /// Problems of the current input that are those of its archive.
    pub(crate) repeated: u64,
    /// Inputs with texts that are not all UTF-8, and the character sets in which these were read.
    assumed_charsets: Vec<(String, &'static str)>,
    /// The first database of several files with a problem that is not about one of its games.
    damaged_set: Option<PathBuf>,
    /// Whether files of a database are missing.
    lacks_files: bool,
    /// Those that are reported as missing.
    missing_files: BTreeSet<PathBuf>,
    /// The first records that a repair could not save without losses.
    pub(crate) records: Vec<RecordRow>,
    record_runs: RecordRuns,
    /// What to do about inputs that cannot be read, each kind of advice once with the number of inputs.
    hints: Vec<(String, u64)>,
}

/// Problems of one kind in one file.
#[derive(Debug)]
struct ProblemGroup {
    /// The file, and the reason without numbers and quoted texts.
    kind: String,
    /// The first problems.
    lines: Vec<String>,
    count: u64,
    /// The last game that has one.
    last: Option<u64>,
}

/// A problem and its location; parts that do not apply are absent.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ProblemRow {
    #[serde(flatten)]
    at: LocationKeys,
    reason: String,
}

/// Where a problem is. Games and plies count from 1.
#[derive(Debug, Clone, Serialize)]
struct LocationKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// An input that was read to its end.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InputRow {
    file: String,
    format: Displayed<FormatId>,
    games: u64,
    texts: u64,
    deleted_left_out: u64,
}

/// A kind of loss, summed over all games.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LossRow<'a> {
    kind: String,
    label: &'static str,
    count: u64,
    games: u64,
    first_file: &'a str,
    first_game: Option<u64>,
    /// Names of some, as those of tags.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    names: &'a [String],
}

/// The end of a report, after the counts of the command.
#[derive(Serialize)]
struct ReportSummary<'a, C: Serialize> {
    #[serde(flatten)]
    counts: Option<&'a C>,
    problems: u64,
    losses: Vec<LossRow<'a>>,
    /// Comments left out by `--language`, by language.
    #[serde(rename = "commentsLeftOut", skip_serializing_if = "BTreeMap::is_empty")]
    comments_left_out: BTreeMap<String, u64>,
    inputs: &'a [InputRow],
}

/// The number of a game, from 1.
fn number(index: GameIndex) -> u64 {
    u64::from(index.0) + 1
}

impl Reporter {
    /// Creates the report and the file of rejected bytes, so that a path that cannot be written fails
    /// before the work begins. `report` is the path of the report.
    pub(crate) fn create(
        messages: Messages,
        report: Option<&Path>,
        rejects: Option<&Path>,
        command: &str,
        force: bool,
    ) -> Result<Self, Error> {
        let transaction = Transaction::new();
        let new_set = |path| {
            let mut set = OutputSet::new(force);
            transaction.join(&mut set);
            set.create(path).map(|_| set).map_err(Error::in_output)
        };
        let report = report.map(|path| ReportFile::create(new_set(path)?, command));
        let report = report.transpose()?;
        let rejects = rejects.map(new_set).transpose()?;
        let has_files = report.is_some() || rejects.is_some();
        Ok(Self {
            messages,
            report,
            rejects,
            transaction: has_files.then_some(transaction),
            is_strict: false,
            are_problems_reported: false,
            problems: 0,
            shown_problems: 0,
            shown_lines: Vec::new(),
            groups: Vec::new(),
            exceeds_unpacked: false,
            inputs: Vec::new(),
            games_read: 0,
            texts_read: 0,
            input_problems: Vec::new(),
            of_archives: BTreeSet::new(),
            repeated: 0,
            assumed_charsets: Vec::new(),
            damaged_set: None,
            lacks_files: false,
            missing_files: BTreeSet::new(),
            records: Vec::new(),
            record_runs: RecordRuns::default(),
            hints: Vec::new(),
        })
    }

    /// What gives the result its names together with the report and the rejected bytes; `None` if there are
    /// neither. An output that joins it gets its names in [`Reporter::commit`].
    pub(crate) fn transaction(&self) -> Option<Transaction> {
        self.transaction.clone()
    }

    /// How a result is created that gets its name in [`Reporter::commit`]. `force`: it may replace a file.
    pub(crate) fn create_options(&mut self, force: bool) -> CreateOptions {
        let mut create = CreateOptions::default();
        create.force = force;
        create.transaction = Some(self.begin_transaction());
        create
    }

    /// Removes a result that has no name yet and is not to replace an old one.
    pub(crate) fn discard_result(&mut self) {
        if let Some(transaction) = &self.transaction {
            transaction.discard();
        }
    }

    /// As [`Reporter::transaction`], also without a report.
    pub(crate) fn begin_transaction(&mut self) -> Transaction {
        self.transaction.get_or_insert_default().clone()
    }

    /// The number of problems so far.
    pub(crate) fn count(&self) -> u64 {
        self.problems
    }

    /// Reports an input that cannot be read at all: a problem, too.
    pub(crate) fn report_failed_input(&mut self, error: &Error) -> Result<(), Error> {
        self.report_failed_input_with(error, None)
    }

    /// As [`Reporter::report_failed_input`], with a hint of the command instead of that of the error.
    pub(crate) fn report_failed_input_with(
        &mut self,
        error: &Error,
        hint: Option<&str>,
    ) -> Result<(), Error> {
        let own = self.messages.error_without_hint(error);
        if let Some(hint) = hint.map(str::to_owned).or(own) {
            let kind = kind_of(&hint);
            let mut hints = self.hints.iter_mut();
            match hints.find(|(other, _)| kind_of(other) == kind) {
                Some((_, count)) => *count += 1,
                None => self.hints.push((hint, 1)),
            }
        }
        self.count_reported(error)
    }

    /// Writes what to do about the inputs that cannot be read.
    fn show_hints(&mut self) {
        for (hint, count) in std::mem::take(&mut self.hints) {
            let more = match count {
                1 => String::new(),
                count => format!("; likewise {}", counted(count - 1, "more input")),
            };
            self.messages.error_hint(&(hint + &more));
        }
    }

    /// How to repair the database of several files that is damaged as a whole, if there is one.
    pub(crate) fn repair_hint(&self) -> Option<String> {
        let path = self.damaged_set.as_deref()?;
        let repair = repair_hint(Some(path));
        Some(if self.lacks_files {
            format!("put the missing files next to the others; if they are lost, {repair}")
        } else {
            repair
        })
    }

    /// As [`Reporter::finish`] of a command that reads: with what to do about a database of several files that is damaged
    /// as a whole.
    pub(crate) fn finish_reading(mut self) -> Result<(), Error> {
        self.show_all();
        if let Some(hint) = self.repair_hint() {
            self.messages.hint(&hint);
        }
        self.commit(None, None::<&()>)
    }

    /// Ends a list as `--strict` demands: the problem that ended it is reported, and the rows until then stay a
    /// complete document.
    pub(crate) fn end_at_strict(
        &mut self,
        done: Result<ExitCode, Error>,
    ) -> Result<ExitCode, Error> {
        match done {
            Err(error) if error.side() == ErrorSide::Strict => {
                // It is among the problems that wait.
                self.groups.clear();
                self.shown_problems = self.problems;
                self.messages.error(&error);
                Ok(ExitCode::Input)
            }
            other => other,
        }
    }

    /// Reports an input in a folder that cannot be read: a problem, as the others are read.
    pub(crate) fn report_problem_in_folder(&mut self, error: &Error) -> Result<(), Error> {
        if !self.are_problems_reported {
            self.messages.warning(&self.messages.text_of(error));
        }
        self.count_reported(error)
    }

    /// Counts a problem that is on standard error already.
    pub(crate) fn count_reported(&mut self, error: &Error) -> Result<(), Error> {
        self.problems += 1;
        self.shown_problems += 1;
        match &mut self.report {
            Some(report) => report.problem(error).map_err(Error::in_output),
            None => Ok(()),
        }
    }

    /// Whether a problem is that games lack what is in a missing file, and the file is reported as missing.
    fn is_missing_again(&mut self, error: &Error) -> bool {
        let Some(file) = error.location().file.as_deref() else {
            return false;
        };
        let reason = error.kind().to_string();
        // What games lack without the file.
        if reason.starts_with("the file is missing: ") {
            self.missing_files.insert(file.to_path_buf());
            return false;
        }
        let is_of_games = reason.starts_with("the file ") && reason.contains(" is missing");
        is_of_games && self.missing_files.contains(file)
    }

    /// Adds a problem to those of its kind.
    fn group(&mut self, error: &Error) {
        let at = error.location();
        let file = at.file.as_deref().unwrap_or(Path::new(""));
        // Of reasons that are shown alike one is shown.
        let reason = self.messages.plain(&error.kind().to_string());
        let kind = format!("{}\n{}", file.path_text(), kind_of(&reason));
        let game = at.game.map(number);
        let line = self.messages.text_of(error);
        self.group_line(kind, line, game);
    }

    /// Adds a problem that has the text `line`: those whose texts differ in numbers and quoted texts alone are of one
    /// kind. [`Reporter::show_groups`] writes them.
    pub(crate) fn group_text(&mut self, line: String, error: &Error) -> Result<(), Error> {
        self.problems += 1;
        self.group_line(kind_of(&line), line, None);
        match &mut self.report {
            Some(report) => report.problem(error).map_err(Error::in_output),
            None => Ok(()),
        }
    }

    fn group_line(&mut self, kind: String, line: String, game: Option<u64>) {
        let has_space = self.groups.len() < MAX_KINDS;
        match self.groups.iter_mut().find(|group| group.kind == kind) {
            Some(group) => {
                group.count += 1;
                group.last = game.or(group.last);
                if group.lines.len() < MAX_ALIKE {
                    group.lines.push(line);
                }
            }
            None if has_space => self.groups.push(ProblemGroup {
                kind,
                lines: vec![line],
                count: 1,
                last: game,
            }),
            None => {}
        }
    }

    /// Writes the problems that wait: each one, or one line for many of a kind.
    pub(crate) fn show_groups(&mut self) {
        let mut is_first = true;
        for group in std::mem::take(&mut self.groups) {
            let is_counted = group.count > group.lines.len() as u64;
            for line in group.lines {
                // Of an archive, also with what is in it.
                if self.shown_lines.contains(&line) && !is_counted {
                    self.shown_problems += 1;
                    continue;
                }
                // The problems of one input do not hide those of the next.
                let most = if is_first {
                    MAX_SHOWN_OF_INPUTS
                } else {
                    MAX_SHOWN
                };
                if self.shown_lines.len() >= most {
                    return;
                }
                is_first = false;
                self.shown_lines.push(line.clone());
                if is_counted {
                    let more = grouped(group.count - 1);
                    let last = group.last.map(|game| format!(", the last in game {game}"));
                    let last = last.unwrap_or_default();
                    let line = without_os_error_number(&line);
                    let text = format!("{line}; and {more} more like this{last}");
                    self.messages.warning(&text);
                    self.shown_problems += group.count;
                    break;
                }
                self.messages.warning(&line);
                self.shown_problems += 1;
            }
        }
    }

    /// As [`Reporter::commit`], with what a file that was written does not hold.
    pub(crate) fn commit_file<C: Serialize>(
        &mut self,
        file: &Path,
        losses: &Losses,
        counts: &C,
    ) -> Result<(), Error> {
        let file = file.path_text().into_owned();
        let mut summary = Summary::default();
        summary.losses.add_whole(&file, losses);
        if let Some(report) = &mut self.report {
            report
                .losses(&file, None, losses)
                .map_err(Error::in_output)?;
        }
        self.commit(Some(&summary), Some(counts))
    }

    /// Lists a book among the inputs of the report.
    pub(crate) fn add_book(&mut self, item: &InputItem) {
        if self.report.is_some() {
            self.inputs.push(InputRow {
                file: item.name(),
                format: Displayed(item.format().id()),
                games: 0,
                texts: 0,
                deleted_left_out: 0,
            });
        }
    }

    /// Ends the list of problems on standard error and completes the report.
    pub(crate) fn finish(self, summary: Option<&Summary>) -> Result<(), Error> {
        self.finish_with(summary, None::<&()>)
    }

    /// Completes the report and the rejected bytes, and gives them their names together with the result that
    /// joined the [transaction](Reporter::transaction). The summary of the report begins with `counts`.
    pub(crate) fn commit<C: Serialize>(
        &mut self,
        summary: Option<&Summary>,
        counts: Option<&C>,
    ) -> Result<(), Error> {
        if let Some(rejects) = self.rejects.take() {
            rejects.commit().map_err(Error::in_output)?;
        }
        if let Some(report) = self.report.take() {
            report.finish(&ReportSummary {
                counts,
                problems: self.problems,
                losses: summary.map_or_else(Vec::new, |summary| loss_rows(&summary.losses)),
                comments_left_out: summary.map_or_else(BTreeMap::new, |summary| {
                    let counts = summary.comments_left_out.iter();
                    counts
                        .map(|(language, count)| (language.to_string(), *count))
                        .collect()
                }),
                inputs: &self.inputs,
            })?;
        }
        match self.transaction.take() {
            Some(transaction) => transaction.commit().map_err(Error::in_output),
            None => Ok(()),
        }
    }

    /// As [`Reporter::finish`]; the summary of the report begins with `counts`. After
    /// [`Reporter::commit`] only messages are left.
    pub(crate) fn finish_with<C: Serialize>(
        mut self,
        summary: Option<&Summary>,
        counts: Option<&C>,
    ) -> Result<(), Error> {
        if let Some(summary) = summary {
            self.add_charsets(summary);
        }
        self.show_all();
        self.commit(summary, counts)
    }

    /// Notes in which character sets texts were read that do not state it.
    pub(crate) fn add_charsets(&mut self, summary: &Summary) {
        self.assumed_charsets
            .extend(summary.assumed_charsets.iter().cloned());
    }

    /// Shows in which character sets texts were read.
    fn show_charsets(&self) {
        let mut by_set: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (input, set) in &self.assumed_charsets {
            let name = one_line(input).into_owned();
            by_set.entry(set).or_default().push(name);
        }
        for (set, inputs) in by_set {
            let text = format!(
                "texts that are not UTF-8 are read as {set}, `--encoding` names another set"
            );
            self.messages.note_list(&text, &inputs);
        }
    }

    /// Shows the problems that wait, and the number of those that are not shown.
    fn show_all(&mut self) {
        self.show_groups();
        let hidden = self.problems.saturating_sub(self.shown_problems);
        if hidden > 0 {
            let hidden = counted_as(hidden, "more problem", "more problems");
            let text = format!("{hidden}; `--verbose` or `--report FILE` lists all");
            self.messages.warning(&text);
        }
        self.show_charsets();
        if self.exceeds_unpacked {
            self.messages.hint_at_unpacked();
        }
        self.show_hints();
    }

    /// Lists records that a repair could not save without losses.
    fn list_record(&mut self, row: RecordRow) -> Result<()> {
        if let Some(report) = &mut self.report {
            report.records.push(&row)?;
        }
        if self.records.len() < MAX_LISTED {
            self.records.push(row);
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
    fn index_unused(&mut self, item: &InputItem, why: &str) -> Result<()> {
        let name = item.name();
        self.messages.note(&format!(
            "{name}: {why}; it is not used, `tabia index` makes it again"
        ));
        Ok(())
    }

    fn problem(&mut self, item: &InputItem, problem: &Problem) -> Result<()> {
        if item.is_archive() {
            if self.of_archives.len() < MAX_OF_ARCHIVES {
                self.of_archives.insert(problem.error.to_string());
            }
        } else if !self.of_archives.is_empty()
            && self.of_archives.contains(&problem.error.to_string())
        {
            // Known since the archive was read.
            self.repeated += 1;
            return Ok(());
        }
        self.problems += 1;
        let is_of_set = item.source().is_some() && !item.format().companions().is_empty();
        if is_of_set && problem.error.location().game.is_none() && self.damaged_set.is_none() {
            self.damaged_set = Some(item.label().to_path_buf());
        }
        let is_missing = |error: &Error| match error.kind() {
            ErrorKind::Invalid(text) => text.contains("the file is missing"),
            _ => false,
        };
        self.lacks_files |= is_of_set && is_missing(&problem.error);
        if self.are_problems_reported {
            self.shown_problems += 1;
            return Ok(());
        }
        self.exceeds_unpacked |= exceeds_unpacked(&problem.error);
        if self.messages.verbose {
            self.shown_problems += 1;
            self.messages.warning(&problem.error.to_string());
        } else if self.is_missing_again(&problem.error) {
            self.shown_problems += 1;
        } else {
            self.group(&problem.error);
        }
        if self.input_problems.len() < MAX_LISTED {
            self.input_problems.push(ProblemRow::new(&problem.error));
        }
        self.reject(problem)?;
        match &mut self.report {
            Some(report) => report.problem(&problem.error),
            None => Ok(()),
        }
    }

    fn out_of_date(&mut self, _item: &InputItem, number: &Error) -> Result<()> {
        self.messages.note(&format!(
            "{}; programs compute it anew",
            self.messages.text_of(number)
        ));
        Ok(())
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> Result<()> {
        match &mut self.report {
            Some(report) => report.losses(&item.name(), Some(game), losses),
            None => Ok(()),
        }
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> Result<()> {
        self.show_groups();
        self.games_read += counts.games;
        self.texts_read += counts.texts;
        if let Some(row) = self.record_runs.take() {
            self.list_record(row)?;
        }
        if self.report.is_some() {
            self.inputs.push(InputRow {
                file: item.name(),
                format: Displayed(item.format().id()),
                games: counts.games,
                texts: counts.texts,
                deleted_left_out: counts.deleted,
            });
        }
        Ok(())
    }
}

/// What waits is written also if an error ends the command.
impl Drop for Reporter {
    fn drop(&mut self) {
        // The error that ends the command is the problem.
        if !self.is_strict {
            self.show_groups();
        }
        self.show_hints();
    }
}

/// A reason without what differs between problems of one kind: numbers, and texts in quotes or
/// backquotes.
fn kind_of(reason: &str) -> String {
    let mut kind = String::new();
    let mut quote = None;
    let mut in_word = false;
    for c in reason.chars() {
        match quote {
            Some(end) => {
                if c == end {
                    quote = None;
                }
                continue;
            }
            None if c == '`' || c == '"' => quote = Some(c),
            None if c.is_ascii_digit() && !in_word => {}
            // `0x1f` is a number, `Nf3` is none.
            None if c == 'x' || c.is_ascii_hexdigit() => {
                if !kind.ends_with('#') {
                    in_word = true;
                    kind.push(c);
                }
                continue;
            }
            None => {
                in_word = c.is_alphanumeric();
                kind.push(c);
                continue;
            }
        }
        if !kind.ends_with('#') {
            kind.push('#');
        }
    }
    kind
}

impl RepairObserver for Reporter {
    fn record_outcome(&mut self, item: &InputItem, record: &RecordOutcome<'_>) -> Result<()> {
        match self.record_runs.push(&item.name(), record) {
            Some(row) => self.list_record(row),
            None => Ok(()),
        }
    }
}

impl ProblemRow {
    /// What is wrong.
    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }

    pub(crate) fn new(error: &Error) -> Self {
        Self {
            at: LocationKeys::new(error.location()),
            reason: without_os_error_number(&error.kind().to_string()),
        }
    }
}

impl LocationKeys {
    fn new(at: &Location) -> Self {
        Self {
            file: at
                .file
                .as_ref()
                .map(|file| name_text(file.as_os_str()).into_owned()),
            game: at.game.map(number),
            ply: at.ply,
            line: at.line,
            column: at.column,
            offset: at.offset,
        }
    }
}

/// The report. Problems are written as they come; losses and records wait in temporary files and are
/// appended, so that memory use does not depend on their number.
#[derive(Debug)]
struct ReportFile {
    set: OutputSet,
    problem_count: u64,
    losses: SpooledRows,
    loss_runs: LossRuns,
    /// Records that a repair could not save without losses.
    records: SpooledRows,
}

/// Rows that wait in a temporary file.
#[derive(Debug)]
struct SpooledRows {
    file: BufWriter<TemporaryFile>,
    count: u64,
}

impl SpooledRows {
    fn create() -> Result<Self> {
        Ok(Self {
            file: BufWriter::new(TemporaryFile::new()?),
            count: 0,
        })
    }

    fn push<R: Serialize>(&mut self, row: &R) -> Result<()> {
        let comma: &[u8] = if self.count == 0 { b"\n" } else { b",\n" };
        self.count += 1;
        self.file.write_all(comma)?;
        self.file.write_all(&json::compact(row))?;
        Ok(())
    }

    /// Writes all rows to a file.
    fn append_to(&mut self, set: &mut OutputSet) -> Result<()> {
        self.file.flush()?;
        let mut gathered = self.file.get_ref();
        gathered.rewind()?;
        if let Some(file) = set.file(0) {
            io::copy(&mut gathered, file)?;
        }
        Ok(())
    }
}

impl ReportFile {
    /// A report in the first file of a set.
    fn create(set: OutputSet, command: &str) -> Result<Self, Error> {
        let mut report = Self {
            set,
            problem_count: 0,
            losses: SpooledRows::create().map_err(Error::in_output)?,
            loss_runs: LossRuns::default(),
            records: SpooledRows::create().map_err(Error::in_output)?,
        };
        let mut head = b"{\"command\":".to_vec();
        json::append(command, &mut head);
        head.extend_from_slice(b",\n\"problems\":[");
        report.write(&head).map_err(Error::in_output)?;
        Ok(report)
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        match self.set.file(0) {
            Some(file) => file
                .write_all(text)
                .map_err(|error| Error::from(error).in_path(file.target())),
            None => Ok(()),
        }
    }

    fn problem(&mut self, error: &Error) -> Result<()> {
        let comma: &[u8] = if self.problem_count == 0 {
            b"\n"
        } else {
            b",\n"
        };
        self.problem_count += 1;
        let mut row = comma.to_vec();
        json::append(&ProblemRow::new(error), &mut row);
        self.write(&row)
    }

    fn losses(&mut self, file: &str, game: Option<GameIndex>, losses: &Losses) -> Result<()> {
        for (feature, loss) in losses.iter() {
            if let Some(row) = self.loss_runs.push(file, game, feature, loss.count) {
                self.losses.push(&row)?;
            }
        }
        Ok(())
    }

    fn finish<C: Serialize>(mut self, summary: &ReportSummary<'_, C>) -> Result<(), Error> {
        let done = (|| {
            for row in self.loss_runs.take() {
                self.losses.push(&row)?;
            }
            self.write(b"],\n\"losses\":[")?;
            self.losses.append_to(&mut self.set)?;
            if self.records.count > 0 {
                self.write(b"],\n\"records\":[")?;
                self.records.append_to(&mut self.set)?;
            }
            let mut end = b"],\n\"summary\":".to_vec();
            json::append(summary, &mut end);
            end.extend_from_slice(b"}\n");
            self.write(&end)?;
            self.set.commit()?;
            Ok(())
        })();
        done.map_err(Error::in_output)
    }
}

/// The losses, one row per kind.
pub(crate) fn loss_rows(losses: &LossTable) -> Vec<LossRow<'_>> {
    let rows = losses.iter().map(|(feature, row)| LossRow {
        kind: feature.key(),
        label: feature.label(),
        count: row.count,
        games: row.games,
        first_file: &row.input,
        first_game: row.first.map(number),
        names: &row.names,
    });
    rows.collect()
}

/// Reports the losses of games on standard error. `several`: the inputs are named.
pub(crate) fn report_losses(messages: &Messages, losses: &LossTable, several: bool) {
    let rows = losses.iter().map(|(feature, row)| {
        let first = match row.first {
            Some(game) if several => format!("first in {}: game {game}", row.input),
            Some(game) => format!("first in game {game}"),
            None if several => format!("of {}", row.input),
            None => String::new(),
        };
        let names = row.names.iter().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| is_shown(messages, name)).collect();
        (feature.label(), row.count, first, names)
    });
    report_loss_rows(messages, &rows.collect::<Vec<_>>());
}

/// Whether the name of a tag is one of games: those of header details, as `CbWhiteTeamNumber`, are for reports and
/// `--verbose`.
fn is_shown(messages: &Messages, name: &str) -> bool {
    let own = name.strip_prefix("Cb").and_then(|rest| rest.chars().next());
    messages.verbose || !own.is_some_and(char::is_uppercase)
}

/// Reports what a file that was written does not hold.
pub(crate) fn report_file_losses(messages: &Messages, losses: &Losses) {
    let rows = losses.iter().map(|(feature, loss)| {
        let label = match feature {
            Feature::BookMoves => "book moves that do not fit",
            other => other.label(),
        };
        let names = losses.names(feature);
        let names = names.filter(|name| is_shown(messages, name)).collect();
        (label, loss.count, String::new(), names)
    });
    report_loss_rows(messages, &rows.collect::<Vec<_>>());
}

/// The least width of a remark about a loss.
const LEAST_REMARK: usize = 20;

/// A remark, `first in a/b.cbh: game 7`, with a path that fits.
fn cut_remark(remark: &str, space: usize) -> String {
    let start = ["first in ", "of "]
        .iter()
        .find(|start| remark.starts_with(**start));
    let Some((start, rest)) = start.and_then(|start| Some((start, remark.strip_prefix(start)?)))
    else {
        return remark.to_owned();
    };
    format!(
        "{start}{}",
        cut_front(rest, space.saturating_sub(start.len()))
    )
}

/// Problems of archives that are remembered.
const MAX_OF_ARCHIVES: usize = 10_000;

/// Names that are shown of a kind of loss.
const MAX_NAMES: usize = 5;

/// ` (Board, Opening, …)` with as many names as are shown and fit.
fn listed_names(names: &[&str], space: usize) -> String {
    let (mut list, mut shown) = (String::new(), 0);
    for (i, name) in names.iter().take(MAX_NAMES).enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        let is_last = i + 1 == names.len();
        let name = one_line(name);
        // Brackets, and after the last one that fits an ellipsis.
        let rest = if is_last { 3 } else { 6 };
        if list.width() + comma.len() + name.width() + rest > space {
            break;
        }
        list.push_str(comma);
        list.push_str(&name);
        shown += 1;
    }
    match (shown, names.len()) {
        (0, _) => String::new(),
        (shown, all) if shown < all => format!(" ({list}, …)"),
        _ => format!(" ({list})"),
    }
}

/// Writes a table of label, count, remark and names; nothing if there are no rows.
fn report_loss_rows(messages: &Messages, rows: &[(&str, u64, String, Vec<&str>)]) {
    if rows.is_empty() {
        return;
    }
    messages.note("not kept in the target format:");
    let label = rows.iter().map(|row| row.0.len()).max();
    let count = rows.iter().map(|row| grouped(row.1).len()).max();
    let (label, count) = (label.unwrap_or_default(), count.unwrap_or_default());
    // Paths are cut at their front, so that the game is seen.
    let space = terminal::stderr_is_terminal().then(|| {
        terminal::width()
            .saturating_sub(label + count + 6)
            .max(LEAST_REMARK)
    });
    for (kind, number, remark, names) in rows {
        let number = grouped(*number);
        let remark = match space {
            Some(space) => cut_remark(remark, space),
            None => remark.clone(),
        };
        let rest = space.unwrap_or(usize::MAX).saturating_sub(remark.width());
        let names = listed_names(names, rest);
        let names = if remark.is_empty() {
            names.trim_start()
        } else {
            &names
        };
        let line = format!("  {kind:<label$}  {number:>count$}  {remark}{names}");
        messages.note(line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_cut_before_the_game() {
        let remark = "first in chess/a.cbh: game 7";
        assert_eq!(cut_remark(remark, 28), remark);
        assert_eq!(cut_remark(remark, 24), "first in …/a.cbh: game 7");
        assert_eq!(cut_remark("of chess/mega.cbh", 12), "of …mega.cbh");
        assert_eq!(cut_remark("first in game 700", 20), "first in game 700");
    }

    #[test]
    fn lost_tags_are_named_as_far_as_they_fit() {
        let names = ["Board", "CbTitle", "Opening", "a", "b", "c"];
        assert_eq!(listed_names(&names[..2], 99), " (Board, CbTitle)");
        assert_eq!(
            listed_names(&names, 99),
            " (Board, CbTitle, Opening, a, b, …)"
        );
        assert_eq!(listed_names(&names[..2], 17), " (Board, CbTitle)");
        assert_eq!(listed_names(&names[..2], 16), " (Board, …)");
        assert_eq!(listed_names(&names, 8), "");
        assert_eq!(listed_names(&[], 99), "");
    }

    #[test]
    fn problems_of_one_kind_differ_in_numbers_and_quoted_texts() {
        for (one, other) in [
            ("`Bh6` is an illegal move", "`Ke3` is an illegal move"),
            ("offset 0x1f is beyond 12", "offset 0xbb8 is beyond 300"),
            ("needs 1871 bytes, 0 are left", "needs 2 bytes, 17 are left"),
        ] {
            assert_eq!(kind_of(one), kind_of(other));
        }
        assert_ne!(kind_of("no such player"), kind_of("no such event"));
        assert_eq!(kind_of("a cbh file"), "a cbh file");
    }
}
