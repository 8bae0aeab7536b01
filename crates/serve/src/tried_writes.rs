//! What writing would do, tried in a private folder: one game in another format, and the repair of a database.

use std::path::PathBuf;

use serde_json::{Value, json};
use tabia::convert::{ConvertOptions, Target, convert};
use tabia::formats::Format;
use tabia::repair::{RecordOutcome, RepairObserver, RepairOptions, repair};
use tabia::select::RecordRanges;
use tabia::{
    Error, Game, GameIndex, InputItem, NoObserver, Observer, OpenInput, Profile, Progress,
    Recorder, Resolver, Result, Want,
};

use crate::jobs::Job;
use crate::known_texts::known_problem;
use crate::private_folder::{PREVIEWS, PrivateFolder, remove_abandoned};
use crate::shelf_input::ShelfInput;

/// Records of a repair that are shown.
const MAX_RECORDS: usize = 100;

/// A private folder, and the path of a new file of a format in it.
fn new_file(format: Format) -> Result<(PrivateFolder, PathBuf)> {
    let parent = std::env::temp_dir();
    remove_abandoned(&parent, PREVIEWS);
    let folder = PrivateFolder::new(&parent, PREVIEWS)
        .map_err(|error| Error::from(error).in_path(&parent).in_output())?;
    let extension = format.extensions().first().copied().unwrap_or_default();
    let path = folder.path().join(format!("preview.{extension}"));
    Ok((folder, path))
}

/// A game as it is read from a file of another format; `None` if nothing of it is in the file.
///
/// # Errors
/// When the input cannot be read or the format cannot be written.
pub(crate) fn converted_game(
    input: &ShelfInput,
    game: GameIndex,
    to: Format,
    profile: Profile,
) -> Result<Option<Game>> {
    let (_folder, path) = new_file(to)?;
    let item = input.resolve()?;
    let target = Target::file(&Resolver::default(), &path, Some(to))?;
    let mut options = ConvertOptions::default();
    options.open.clone_from(input.options());
    options.create.profile = profile;
    options.without_media = true;
    options.plan.threads = 1;
    options.plan.selection.deleted = true;
    let number = u64::from(game.0) + 1;
    let ranges = RecordRanges::parse(&number.to_string()).map_err(Error::invalid)?;
    options.plan.selection.numbers = Some(ranges);
    let progress = std::sync::Arc::new(Progress::new());
    convert(&[item], target, &options, &progress, &mut NoObserver)?;
    let mut found = Resolver::default().resolve_each(path.as_os_str())?;
    let Some(Ok(item)) = found.pop() else {
        return Ok(None);
    };
    let opened = item.open_indexed(input.options())?;
    let OpenInput::Database(database) = opened.input else {
        return Ok(None);
    };
    if database.is_empty() {
        return Ok(None);
    }
    let mut recorder = Recorder::new();
    // The recorder never stops a reader.
    let _ = database
        .reader()
        .read(GameIndex(0), Want::ALL, &mut recorder)?;
    Ok(Some(recorder.game().clone()))
}

/// The first records that a repair does not save whole.
#[derive(Debug, Default)]
struct Outcomes(Vec<Value>);

impl Observer for Outcomes {}

impl RepairObserver for Outcomes {
    fn record_outcome(&mut self, _item: &InputItem, record: &RecordOutcome<'_>) -> Result<()> {
        if self.0.len() < MAX_RECORDS {
            let reasons = record.reasons.iter().map(|reason| reason.text.as_str());
            let reasons: Vec<&str> = reasons.take(3).collect();
            self.0.push(json!({
                "game": u64::from(record.game.0) + 1,
                "outcome": record.outcome.name(),
                "savedAs": record.saved_as.map(|game| u64::from(game.0) + 1),
                "reasons": reasons,
                "known": reasons.iter().map(|text| known_problem(text)).collect::<Vec<Value>>(),
            }));
        }
        Ok(())
    }
}

/// Repairs a database into a folder that is removed at once, and counts what is saved.
///
/// # Errors
/// When nothing of it can be read, or the new files cannot be written.
pub(crate) fn repair_preview(
    input: &ShelfInput,
    to: Format,
    threads: usize,
    job: &Job<Value>,
) -> Result<()> {
    let format = to
        .game_writer()
        .ok_or_else(|| Error::unsupported("games cannot be written in this format"))?;
    let (_folder, path) = new_file(to)?;
    let item = input.resolve()?;
    let mut options = RepairOptions::default();
    options.open.clone_from(input.options());
    options.threads = threads;
    options.without_media = true;
    let mut outcomes = Outcomes::default();
    let done = repair(&item, format, &path, &options, &job.progress, &mut outcomes)?;
    let problems = done.problems.iter();
    let problems: Vec<String> = problems
        .map(|problem| input.without_folder(problem))
        .collect();
    job.update(|found| {
        *found = json!({
            "format": to.id().to_string(),
            "extension": to.extensions().first(),
            "whole": done.whole,
            "damaged": done.damaged,
            "lost": done.lost,
            "bytes": done.written.bytes,
            "problems": problems,
            "records": outcomes.0,
        });
    });
    Ok(())
}
