//! Names that are spelt in several ways, and names as other character sets would show them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tabia::core::games::NameKind;
use tabia::names::{NameCluster, NamedThing, NamesOptions, find_clusters};
use tabia::{Charset, Database, Error, GameIndex, NoObserver, OpenInput, Progress};

use crate::jobs::Job;
use crate::known_texts::{SPELLINGS, known_text};
use crate::opened_input::OpenedInput;
use crate::shelf_input::ShelfInput;

/// Clusters that are shown.
const MAX_CLUSTERS: usize = 200;
/// Names that are shown in every character set.
const MAX_NAMES: usize = 20;
/// Character sets that names are tried with.
const CHARSETS: [&str; 8] = [
    "utf-8",
    "windows-1252",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1257",
    "iso-8859-5",
];

/// Finds the names of inputs that are spelt in several ways; those of players only, if wanted.
///
/// # Errors
/// When an input cannot be read.
pub(crate) fn spellings(
    inputs: &[Arc<ShelfInput>],
    only_players: bool,
    threads: usize,
    job: &Job<Value>,
) -> Result<(), Error> {
    let mut items = Vec::new();
    let mut options = NamesOptions::default();
    for input in inputs {
        items.push(input.resolve()?);
        options.list.open.clone_from(input.options());
    }
    options.list.threads = threads;
    if only_players {
        options.kinds = vec![NamedThing::Player];
    }
    let bytes = items.iter().filter_map(tabia::InputItem::bytes).sum();
    job.progress.set_total(bytes);
    let (_, clusters) = find_clusters(&items, &options, &job.progress, &mut NoObserver)?;
    let most = if only_players {
        clusters.len()
    } else {
        MAX_CLUSTERS
    };
    let shown: Vec<Value> = clusters.iter().take(most).map(cluster).collect();
    let count = clusters.len();
    job.update(|found| *found = json!({"count": count, "clusters": shown}));
    Ok(())
}

fn cluster(cluster: &NameCluster) -> Value {
    let spellings = cluster.spellings.iter().map(|spelling| {
        json!({
            "name": spelling.name,
            "games": spelling.games,
            "years": spelling.years.map(|(first, last)| [first, last]),
            "elo": spelling.elo.map(|(lowest, highest)| [lowest, highest]),
            "reason": spelling.reason,
            "known": known_text(SPELLINGS, &spelling.reason).map(|text| text.json()),
        })
    });
    json!({
        "kind": cluster.kind.name(),
        "proposal": cluster.proposal,
        "spellings": spellings.collect::<Vec<Value>>(),
    })
}

/// The player of a record.
#[derive(Debug, Clone, Copy)]
struct Side {
    game: GameIndex,
    is_white: bool,
}

impl Side {
    fn name(self, database: &dyn Database) -> Option<String> {
        let entry = database.entry(self.game).ok()?;
        let id = if self.is_white {
            entry.white
        } else {
            entry.black
        };
        let name = database.name(NameKind::Player, id?).ok()?;
        Some(name.into_owned())
    }
}

/// The first names that are not ASCII, as every character set shows them.
///
/// # Errors
/// When the input cannot be opened again, or the work is cancelled.
pub(crate) fn charsets(
    input: &ShelfInput,
    opened: &OpenedInput,
    progress: &Progress,
) -> Result<Value, Error> {
    let Some(database) = opened.database() else {
        return Ok(json!({"names": [], "charsets": []}));
    };
    let mut known = BTreeSet::new();
    let mut sides = Vec::new();
    'games: for game in 0..database.len() {
        if game % 4096 == 0 {
            progress.check()?;
        }
        for is_white in [true, false] {
            let side = Side {
                game: GameIndex(game),
                is_white,
            };
            let Some(name) = side.name(database) else {
                continue;
            };
            if !name.is_ascii() && known.insert(name.clone()) {
                sides.push((side, name));
                if sides.len() == MAX_NAMES {
                    break 'games;
                }
            }
        }
    }
    let mut shown = Vec::new();
    for charset in CHARSETS.iter().filter_map(|name| Charset::parse(name)) {
        progress.check()?;
        if sides.is_empty() {
            break;
        }
        let mut options = input.options().clone();
        options.charset = charset;
        let again = input.resolve()?.open_indexed(&options)?;
        let OpenInput::Database(other) = again.input else {
            continue;
        };
        let names = sides.iter().map(|(side, _)| side.name(&*other));
        let names: Vec<Option<String>> = names.collect();
        shown.push(json!({"name": charset.name(), "names": names}));
    }
    let now: Vec<&String> = sides.iter().map(|(_, name)| name).collect();
    Ok(json!({"encoding": database.info().encoding, "names": now, "charsets": shown}))
}
