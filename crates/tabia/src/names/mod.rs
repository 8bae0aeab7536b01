//! Names that are spelt in several ways: proposals with their evidence, and applying those that the user
//! wants.
//!
//! | module | holds |
//! |---|---|
//! | `player_name` | surnames and given names |
//! | `clusters` | which spellings are probably one name |
//! | `references` | Scid's spelling files, FIDE's lists of players |
//! | `renames` | the names that games get |
//! | `renamed_games` | which games would get others |
//! | `similar_players` | players that a name without games may mean |

mod clusters;
pub(crate) mod player_name;
mod references;
mod renamed_games;
pub(crate) mod renames;
mod similar_players;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tabia_core::Error;
use tabia_core::io::{Progress, ProgressPhase};

pub use clusters::{NameCluster, Spelling};
pub use references::{FideList, SpellingFile};
pub use renamed_games::{NameChange, RenamedGame, RenamedGames, find_renamed_games};
pub use renames::Renames;
pub use similar_players::{SimilarPlayer, similar_players};

use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::list::{ListOptions, ListRow, list};
use crate::observer::Observer;

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NamedThing {
    /// A player.
    Player,
    /// An event.
    Event,
    /// A site.
    Site,
    /// An annotator.
    Annotator,
}

impl NamedThing {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Player, Self::Event, Self::Site, Self::Annotator];

    /// The name, as rows have it: `player`, `event`, `site`, `annotator`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Event => "event",
            Self::Site => "site",
            Self::Annotator => "annotator",
        }
    }

    /// The kind with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether such names are those of persons.
    pub fn is_person(self) -> bool {
        matches!(self, Self::Player | Self::Annotator)
    }
}

/// First letters that the names of opponents have in common who could be taken for one person.
const LETTERS_ALIKE: usize = 3;

/// What is known of a spelling in some games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) games: u64,
    /// The first and the last year; 0 if all are unknown.
    pub(crate) years: (u16, u16),
    /// The lowest and the highest rating, of players; 0 if all are unknown.
    pub(crate) elo: (u16, u16),
    /// FIDE ids, of players.
    pub(crate) ids: BTreeSet<u32>,
    /// Opponents whose names begin alike, of players.
    pub(crate) opponents: BTreeSet<String>,
}

impl Use {
    fn merge(&mut self, other: Self) {
        let range = |own: (u16, u16), other: (u16, u16)| match (own.0, other.0) {
            (0, _) => other,
            (_, 0) => own,
            _ => (own.0.min(other.0), own.1.max(other.1)),
        };
        self.games += other.games;
        self.years = range(self.years, other.years);
        self.elo = range(self.elo, other.elo);
        self.ids.extend(other.ids);
        self.opponents.extend(other.opponents);
    }
}

/// Which games, which names, and what they are compared with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NamesOptions {
    /// Which games and how they are read: how they are opened, threads, selection, query, indexes.
    pub list: ListOptions,
    /// Which names; all if empty.
    pub kinds: Vec<NamedThing>,
    /// Scid's spelling file.
    pub spelling: Option<SpellingFile>,
    /// FIDE's list of players.
    pub fide: Option<FideList>,
}

/// The names of the games of all items that are spelt in several ways, or otherwise than in a spelling file
/// or a list, sorted by kind and proposal. Nothing is changed. Memory: the distinct names.
///
/// # Errors
/// When an item or the list cannot be read.
///
/// ```
/// use std::sync::Arc;
/// use tabia::names::{NamesOptions, find_clusters};
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let items = Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let options = NamesOptions::default();
/// let (_, clusters) = find_clusters(&items, &options, &Arc::new(Progress::new()), &mut NoObserver)?;
/// assert!(clusters.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn find_clusters(
    items: &[InputItem],
    options: &NamesOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Vec<NameCluster>), Error> {
    let mut summary = Summary::default();
    let mut uses: BTreeMap<(NamedThing, String), Use> = BTreeMap::new();
    let is_wanted = |kind| options.kinds.is_empty() || options.kinds.contains(&kind);
    let tags = if is_wanted(NamedThing::Player) {
        vec!["WhiteFideId".to_owned(), "BlackFideId".to_owned()]
    } else {
        Vec::new()
    };
    let list_options = ListOptions {
        tags,
        ..name_rows(&options.list)
    };
    let render = |row: &ListRow<'_>, out: &mut Vec<(NamedThing, String, Use)>| {
        uses_of(row, &mut |kind, name, found| {
            if is_wanted(kind) && !matches!(name.trim(), "" | "?" | "-") {
                out.push((kind, name.to_owned(), found));
            }
        });
    };
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    for item in items {
        let (found, _) = list(
            item,
            &list_options,
            &render,
            progress,
            &mut *observer,
            &mut |found| {
                for (kind, name, found) in found.drain(..) {
                    uses.entry((kind, name)).or_default().merge(found);
                }
                Ok(())
            },
        )?;
        summary.problems += found.problems;
    }
    progress.begin_phase(ProgressPhase::Comparing, 0);
    let clusters = clusters::find(
        &uses,
        options.spelling.as_ref(),
        options.fide.as_ref(),
        progress,
    )?;
    Ok((summary, clusters))
}

/// Rows of all games, without what takes time and has no names.
fn name_rows(options: &ListOptions) -> ListOptions {
    ListOptions {
        offset: 0,
        limit: None,
        moments: false,
        count_only: false,
        numbers_only: false,
        tags: Vec::new(),
        openings: false,
        without_marks: true,
        ..options.clone()
    }
}

/// The names of a game. Of a guiding text it is that of its author: its title is no name of a player.
fn uses_of(row: &ListRow<'_>, take: &mut dyn FnMut(NamedThing, &str, Use)) {
    let year = row.date.year;
    let of_game = || Use {
        games: 1,
        years: (year, year),
        ..Use::default()
    };
    if row.flags.text {
        take(NamedThing::Annotator, &row.annotator, of_game());
        return;
    }
    let ids = row.tags.iter().map(|tag| {
        let id = tag.as_deref().and_then(|id| id.trim().parse::<u32>().ok());
        id.filter(|id| *id > 0)
    });
    let mut ids = ids.chain([None, None]);
    let start = |name: &str| {
        let letters = name.chars().take(LETTERS_ALIKE);
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let are_alike = row.white != row.black && start(&row.white) == start(&row.black);
    let sides = [
        (&row.white, row.white_elo, &row.black),
        (&row.black, row.black_elo, &row.white),
    ];
    for (name, elo, opponent) in sides {
        let elo = elo.unwrap_or_default();
        let opponent = are_alike.then(|| opponent.to_string());
        let found = Use {
            elo: (elo, elo),
            opponents: opponent.into_iter().collect(),
            ids: ids.next().flatten().into_iter().collect(),
            ..of_game()
        };
        take(NamedThing::Player, name, found);
    }
    take(NamedThing::Event, &row.event, of_game());
    take(NamedThing::Site, &row.site, of_game());
    take(NamedThing::Annotator, &row.annotator, of_game());
}
