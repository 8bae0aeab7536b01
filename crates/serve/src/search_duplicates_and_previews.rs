//! Searches of positions, duplicates and previews of conversions.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tabia::base::{Base, SearchOptions};
use tabia::book::find::symbols;
use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::games::GameReader;
use tabia::core::hexadecimal;
use tabia::dedupe::{DedupeOptions, Duplicate, find_duplicates};
use tabia::formats::Format;
use tabia::list::ListRow;
use tabia::select::RecordRanges;
use tabia::{
    Book, BookPosition, Database, Error, Feature, GameIndex, InputItem, LossTable, NoObserver,
    Observer, Position, Problem, Profile, Query, Resolver, Result,
};

use crate::jobs::Job;
use crate::known_texts::known_problem;
use crate::private_folder::{PREVIEWS, PrivateFolder, remove_abandoned};
use crate::shelf_input::ShelfInput;

/// Hits of a search at most.
pub(crate) const MAX_HITS: u64 = 500;
/// Records that a preview converts.
pub(crate) const PREVIEWED: u32 = 20_000;
/// Records of a sample, from which size and time are estimated at once, and those of a first part of it, which show what
/// does not grow with the number of games.
pub(crate) const SAMPLED: u32 = 200;
const SAMPLED_FIRST: u32 = 20;
/// Problems of a preview that are shown.
const MAX_PROBLEMS: usize = 20;

/// A row as an object.
pub(crate) fn row_object(row: &ListRow<'_>) -> Value {
    json!({
        "game": u64::from(row.game.0) + 1,
        "white": row.white,
        "whiteElo": row.white_elo,
        "black": row.black,
        "blackElo": row.black_elo,
        "result": row.result.to_string(),
        "event": row.event,
        "site": row.site,
        "round": row.round,
        "date": (!row.date.is_unknown()).then(|| row.date.to_string()),
        "eco": row.eco.map(|eco| eco.to_string()),
        "plies": row.plies,
        "annotator": row.annotator,
        "flags": row.flags.to_string(),
    })
}

/// Which hits of a search are wanted: `limit` of them, without the first `after`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) after: u64,
    pub(crate) limit: u64,
}

/// A search that has found nothing yet.
pub(crate) fn no_hits() -> Value {
    json!({"hits": [], "isLimited": false, "next": null})
}

/// Finds games and the moments at which they fit; the job, which begins with [`no_hits`], shows those found so far.
pub(crate) fn search(
    base: &Base,
    ids: &[String],
    query: &Query,
    page: Page,
    job: &Job<Value>,
) -> Result<()> {
    let end = page.after.saturating_add(page.limit);
    let mut options = SearchOptions::default();
    options.limit = Some(end.saturating_add(1));
    options.progress = Arc::clone(&job.progress);
    let mut count = 0;
    for hit in base.search(query, &options) {
        let hit = hit?;
        count += 1;
        if count <= page.after {
            continue;
        }
        if count > end {
            job.update(|found| found["isLimited"] = json!(true));
            break;
        }
        let mut row = row_object(&hit.header);
        row["db"] = json!(ids.get(hit.database));
        let moment = hit.moments.first();
        row["ply"] = json!(moment.map(|moment| moment.ply));
        row["fen"] = json!(moment.map(|moment| moment.position.fen()));
        row["san"] = json!(moment.and_then(|moment| {
            let played = moment.played?;
            Some(moment.position.san(played).to_string())
        }));
        job.update(|found| {
            if let Some(Value::Array(hits)) = found.get_mut("hits") {
                hits.push(row);
            }
            // Until everything is read there may be more.
            found["next"] = json!(count);
        });
    }
    job.progress.check()?;
    if count <= end {
        job.update(|found| found["next"] = Value::Null);
    }
    Ok(())
}

/// Finds the duplicates of inputs.
pub(crate) fn duplicates(
    inputs: &[Arc<ShelfInput>],
    threads: usize,
    job: &Job<Arc<Vec<Duplicate>>>,
) -> Result<()> {
    let mut items = Vec::new();
    let mut options = DedupeOptions::default();
    for input in inputs {
        items.push(input.resolve()?);
        options.open.clone_from(input.options());
    }
    options.threads = threads;
    let bytes = items.iter().filter_map(InputItem::bytes).sum();
    job.progress.set_total(bytes);
    let (_, found) = find_duplicates(&items, &options, &job.progress, &mut NoObserver)?;
    job.update(|all| *all = Arc::new(found));
    Ok(())
}

/// A pair of duplicates with both rows.
pub(crate) fn pair(
    duplicate: &Duplicate,
    databases: &[(String, &dyn Database)],
    readers: &mut [Box<dyn GameReader + '_>],
) -> Value {
    let mut side = |(input, game): (u32, GameIndex)| {
        let (id, database) = databases.get(input as usize)?;
        let reader = readers.get_mut(input as usize)?;
        let row = tabia::list::row(*database, &mut **reader, game).ok()?;
        let mut row = row_object(&row);
        row["db"] = json!(id);
        Some(row)
    };
    json!({
        "group": duplicate.group,
        "kind": duplicate.kind.name(),
        "score": duplicate.score(),
        "common": duplicate.common,
        "plies": [duplicate.plies.0, duplicate.plies.1],
        "kept": side(duplicate.kept),
        "dropped": side(duplicate.dropped),
    })
}

/// The formats that games can be written in.
pub(crate) fn targets() -> Vec<Value> {
    tabia::formats()
        .filter_map(|format| {
            let writer = format.game_writer()?;
            Some(json!({
                "id": format.id().to_string(),
                "name": format.name(),
                "extension": format.extensions().first(),
                "isText": writer.create_text.is_some(),
            }))
        })
        .collect()
}

/// The formats that books can be written in.
pub(crate) fn book_targets() -> Vec<Value> {
    tabia::formats()
        .filter(|format| matches!(format, Format::Book(_)))
        .map(|format| {
            json!({
                "id": format.id().to_string(),
                "name": format.name(),
                "extension": format.extensions().first(),
            })
        })
        .collect()
}

/// The problems of a conversion: how many, and the first ones.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) count: u64,
    pub(crate) first: Vec<Value>,
}

impl Observer for Problems {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<()> {
        self.count += 1;
        if self.first.len() < MAX_PROBLEMS {
            let game = problem.error.location().game;
            let text = problem.error.kind().to_string();
            self.first.push(json!({
                "text": text,
                "known": known_problem(&text),
                "game": game.map(|game| u64::from(game.0) + 1),
            }));
        }
        Ok(())
    }
}

/// A kind of things that a format cannot hold.
pub(crate) fn loss(feature: Feature, count: u64) -> Value {
    json!({"kind": feature.key(), "label": feature.noun(count), "count": count})
}

/// What games have lost.
pub(crate) fn losses(table: &LossTable) -> Vec<Value> {
    let losses = table.iter().map(|(feature, entry)| {
        let mut loss = loss(feature, entry.count);
        loss["games"] = json!(entry.games);
        loss["first"] = json!(entry.first.map(|game| u64::from(game.0) + 1));
        loss
    });
    losses.collect()
}

/// The games whose conversion is tried.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) inputs: Vec<Arc<ShelfInput>>,
    /// The number of records of each input.
    pub(crate) records: Vec<u32>,
    /// Only the games that fit.
    pub(crate) query: Query,
    /// Records marked as deleted too.
    pub(crate) deleted: bool,
    /// Records of each input that are converted at most.
    pub(crate) most: u32,
}

/// What was written of the first records of inputs.
struct Part {
    /// Records that were read.
    converted: u64,
    /// Records that were written.
    written: u64,
    bytes: u64,
    seconds: f64,
    losses: Vec<Value>,
    problems: Problems,
}

/// Estimates size and time of a conversion from some of its games.
pub(crate) fn sample(
    tried: &Tried,
    to: Format,
    profile: Profile,
    threads: usize,
    job: &Job<Value>,
) -> Result<()> {
    let records: u64 = tried.records.iter().copied().map(u64::from).sum();
    let first = convert_first(tried, SAMPLED_FIRST, to, profile, threads, job)?;
    let all = convert_first(tried, tried.most, to, profile, threads, job)?;
    // What both took and does not grow is left out.
    let more = (records - all.converted) as f64;
    let between = all.converted.saturating_sub(first.converted).max(1) as f64;
    let grown = |small: f64, large: f64| large + (large - small).max(0.0) / between * more;
    job.update(|found| {
        *found = json!({
            "records": records,
            "converted": all.converted,
            "written": all.written,
            "bytes": grown(first.bytes as f64, all.bytes as f64) as u64,
            "seconds": grown(first.seconds, all.seconds),
        });
    });
    Ok(())
}

/// Writes the first games of inputs in another format, and counts what they lose.
pub(crate) fn preview(
    tried: &Tried,
    to: Format,
    profile: Profile,
    threads: usize,
    job: &Job<Value>,
) -> Result<()> {
    let records: u64 = tried.records.iter().copied().map(u64::from).sum();
    let part = convert_first(tried, tried.most, to, profile, threads, job)?;
    let is_whole = part.converted == records;
    let share = if is_whole {
        1.0
    } else {
        records as f64 / part.converted as f64
    };
    job.update(|found| {
        *found = json!({
            "records": records,
            "converted": part.converted,
            "isWhole": is_whole,
            "written": part.written,
            "bytes": (part.bytes as f64 * share) as u64,
            "seconds": part.seconds * share,
            "losses": part.losses,
            "problems": part.problems.count,
            "examples": part.problems.first,
        });
    });
    Ok(())
}

/// Writes the first games of each input, `most` of them, into a folder that is removed at once.
fn convert_first(
    tried: &Tried,
    most: u32,
    to: Format,
    profile: Profile,
    threads: usize,
    job: &Job<Value>,
) -> Result<Part> {
    let mut items = Vec::new();
    let mut options = ConvertOptions::default();
    for input in &tried.inputs {
        items.push(input.resolve()?);
        options.open.clone_from(input.options());
    }
    let parent = std::env::temp_dir();
    remove_abandoned(&parent, PREVIEWS);
    let folder = PrivateFolder::new(&parent, PREVIEWS)
        .map_err(|error| Error::from(error).in_path(&parent).in_output())?;
    let extension = to.extensions().first().copied().unwrap_or_default();
    let path = folder.path().join(format!("preview.{extension}"));
    let target = Target::file(&Resolver::default(), &path, Some(to))?;
    options.create.profile = profile;
    options.without_media = true;
    options.plan.threads = threads;
    options.plan.selection.deleted = tried.deleted;
    options.plan.filter = Some(tried.query.clone()).filter(|query| !query.is_empty());
    let numbers = tried.records.iter().copied();
    let converted: u64 = numbers.map(|records| u64::from(records.min(most))).sum();
    if tried.records.iter().any(|records| *records > most) {
        let ranges = RecordRanges::parse(&format!("1-{most}"));
        options.plan.selection.numbers = Some(ranges.map_err(Error::invalid)?);
    }
    let mut problems = Problems::default();
    let start = Instant::now();
    let (summary, written) = convert(&items, target, &options, &job.progress, &mut problems)?;
    Ok(Part {
        converted,
        written: written.records.into(),
        bytes: written.bytes,
        seconds: start.elapsed().as_secs_f64(),
        losses: losses(&summary.losses),
        problems,
    })
}

/// Every entry of a position of a book, in the order in which they are stored.
pub(crate) fn book_page(book: &dyn Book, position: &Position) -> Result<Value> {
    let mut page = BookPosition::default();
    let is_known = book.probe(position, &mut page)?;
    let all: u64 = page
        .entries
        .iter()
        .filter_map(|entry| entry.weight)
        .map(u64::from)
        .sum();
    let entries: Vec<Value> = page
        .entries
        .iter()
        .map(|entry| {
            let weight = entry.weight.map(u64::from);
            let share = weight
                .filter(|_| all > 0)
                .map(|weight| weight as f64 / all as f64);
            json!({
                "uci": entry.m.map(|m| position.uci(m).to_string()),
                "san": entry.m.map(|m| position.san(m).to_string()),
                "fen": entry.m.map(|m| {
                    let mut after = position.clone();
                    after.play(m);
                    after.fen()
                }),
                "weight": weight,
                "share": share,
                "games": entry.games.or(entry.results.map(tabia::Wdl::games)),
                "white": entry.results.map(|results| results.white),
                "draws": entry.results.map(|results| results.draws),
                "black": entry.results.map(|results| results.black),
                "averageRating": entry.average_rating,
                "performance": entry.performance,
                "recommended": entry.recommended,
                "annotation": symbols(&entry.nags),
                "comment": entry.comment,
                "learn": entry.learn.map(|learn| learn.to_string()),
                "raw": hexadecimal::digits(&entry.raw),
            })
        })
        .collect();
    Ok(json!({
        "isKnown": is_known,
        "games": page.games,
        "averageRating": page.average_rating,
        "performance": page.performance,
        "annotation": symbols(&page.nags),
        "comment": page.comment,
        "entries": entries,
    }))
}
