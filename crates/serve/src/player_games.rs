//! What one player played: openings, and results by colour, year and rating of the opponent.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use tabia::book::find::opening_of;
use tabia::core::game::GameHead;
use tabia::core::games::{IndexEntry, NameId, NameKind};
use tabia::{Database, Date, Error, Flow, GameIndex, Ply, Position, Progress, Visitor, Want};

use crate::player_score::{CHUNK, Score};
use crate::player_tree::LineTree;
use crate::speeds::speed_of;

/// Plies that are read to find the opening.
const OPENING_PLIES: usize = 40;

/// Ratings of opponents are grouped by this many points.
const RATING_GROUP: u16 = 100;

/// Openings of one colour at most.
const MAX_OPENINGS: usize = 60;

/// One opening of the player.
#[derive(Debug, Clone, Default)]
struct OpeningScore {
    /// The lowest and the highest code of its games.
    first_eco: &'static str,
    last_eco: &'static str,
    score: Score,
    /// Sum and number of the ratings of the opponents.
    opponents: (u64, u64),
    expected: Expected,
    last: Date,
}

#[derive(Debug, Clone, Default)]
struct Side {
    score: Score,
    openings: BTreeMap<String, OpeningScore>,
    years: BTreeMap<u16, Score>,
    /// By the lowest rating of a group of opponents: results, sum and number of the expected scores.
    opponents: BTreeMap<u16, (Score, Expected)>,
    /// By how fast the games were, of those whose time control is stored.
    speeds: BTreeMap<&'static str, Score>,
}

/// Sum and number of the expected scores, of games in which both have a rating.
#[derive(Debug, Clone, Copy, Default)]
struct Expected {
    sum: f64,
    games: u64,
}

impl Expected {
    fn add(&mut self, own: u16, opponent: u16) {
        let difference = f64::from(opponent) - f64::from(own);
        self.sum += 1.0 / (1.0 + 10_f64.powf(difference / 400.0));
        self.games += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.games > 0).then(|| self.sum / self.games as f64)
    }
}

/// What a player played in some databases.
#[derive(Debug, Default)]
pub(crate) struct PlayerGames {
    sides: [Side; 2],
    /// Sum and number of the player's ratings by year.
    ratings: BTreeMap<u16, (u64, u64)>,
    /// The first plies with White, and with Black.
    trees: [LineTree; 2],
}

/// Collects the first plies of a mainline.
#[derive(Default)]
struct FirstPlies {
    start: Option<Position>,
    plies: Vec<Ply>,
    speed: Option<&'static str>,
}

impl Visitor for FirstPlies {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        let time_control = head.tags.text("TimeControl");
        self.speed = (!matches!(time_control, "" | "?")).then(|| speed_of(time_control));
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.start.is_none() {
            self.start = Some(before.clone());
        }
        self.plies.push(ply);
        if self.plies.len() < OPENING_PLIES {
            Flow::Go
        } else {
            Flow::Skip
        }
    }
}

impl PlayerGames {
    /// Adds the games of a database.
    ///
    /// # Errors
    /// When it is cancelled.
    pub(crate) fn add(
        &mut self,
        database: &dyn Database,
        names: &[String],
        progress: &Progress,
    ) -> Result<(), Error> {
        let mut known: HashMap<NameId, bool> = HashMap::new();
        let mut is_player = |id: Option<NameId>| {
            id.is_some_and(|id| {
                *known.entry(id).or_insert_with(|| {
                    let found = database.name(NameKind::Player, id);
                    found.is_ok_and(|found| names.iter().any(|name| name == found.trim()))
                })
            })
        };
        let standard = Position::standard().key();
        let mut reader = database.reader();
        for game in 0..database.len() {
            if game % CHUNK == 0 {
                progress.check()?;
                progress.advance(
                    u64::from(CHUNK),
                    u64::from(CHUNK.min(database.len() - game)),
                );
            }
            let index = GameIndex(game);
            let Ok(entry) = database.entry(index) else {
                continue;
            };
            if entry.is_text || entry.deleted {
                continue;
            }
            let is_white = is_player(entry.white);
            if !is_white && !is_player(entry.black) {
                continue;
            }
            let mut first = FirstPlies::default();
            // The opening is found as far as the game can be read.
            let _ = reader.read(index, Want::MAINLINE.and(Want::TAGS), &mut first);
            let start = first.start.filter(|_| !entry.has_setup);
            let opening = start
                .as_ref()
                .and_then(|start| opening_of(start, &first.plies));
            let [with_white, with_black] = &mut self.trees;
            let tree = if is_white { with_white } else { with_black };
            if start.is_some_and(|start| start.key() == standard) {
                tree.add(&first.plies, entry.result, is_white);
            }
            if let Some(speed) = first.speed {
                let side = usize::from(!is_white);
                let side = self.sides.get_mut(side);
                if let Some(side) = side {
                    side.speeds
                        .entry(speed)
                        .or_default()
                        .add(entry.result, is_white);
                }
            }
            self.add_game(
                &entry,
                is_white,
                opening.map(|found| (found.eco, found.name)),
            );
        }
        Ok(())
    }

    fn add_game(
        &mut self,
        entry: &IndexEntry,
        is_white: bool,
        opening: Option<(&'static str, &'static str)>,
    ) {
        let (own, opponent) = if is_white {
            (entry.white_elo, entry.black_elo)
        } else {
            (entry.black_elo, entry.white_elo)
        };
        let [white, black] = &mut self.sides;
        let side = if is_white { white } else { black };
        side.score.add(entry.result, is_white);
        let year = entry.date.year;
        if year > 0 {
            let score = side.years.entry(year).or_default();
            score.add(entry.result, is_white);
            if let Some(own) = own {
                let sum = self.ratings.entry(year).or_default();
                *sum = (sum.0 + u64::from(own), sum.1 + 1);
            }
        }
        if let Some(opponent) = opponent {
            let group = opponent / RATING_GROUP * RATING_GROUP;
            let (score, expected) = side.opponents.entry(group).or_default();
            score.add(entry.result, is_white);
            if let Some(own) = own {
                expected.add(own, opponent);
            }
        }
        let (eco, name) = opening.unwrap_or_default();
        // The family: what is before the colon.
        let family = name.split(':').next().unwrap_or_default();
        let found = side.openings.entry(family.to_owned()).or_default();
        if found.first_eco.is_empty() || eco < found.first_eco {
            found.first_eco = eco;
        }
        found.last_eco = found.last_eco.max(eco);
        found.score.add(entry.result, is_white);
        if let Some(opponent) = opponent {
            found.opponents.0 += u64::from(opponent);
            found.opponents.1 += 1;
            if let Some(own) = own {
                found.expected.add(own, opponent);
            }
        }
        found.last = found.last.max(entry.date);
    }

    /// The first plies with White, and with Black.
    pub(crate) fn trees(&self) -> &[LineTree; 2] {
        &self.trees
    }

    /// As JSON.
    pub(crate) fn document(&self, name: &str) -> Value {
        let side = |side: &Side, tree: &LineTree| {
            let mut openings: Vec<(&String, &OpeningScore)> = side.openings.iter().collect();
            openings.sort_by_key(|(_, opening)| std::cmp::Reverse(opening.score.games));
            let openings = openings.into_iter().take(MAX_OPENINGS);
            let openings: Vec<Value> = openings
                .map(|(name, opening)| {
                    let (sum, count) = opening.opponents;
                    let mut row = opening.score.document();
                    let (first, last) = (opening.first_eco, opening.last_eco);
                    row["eco"] = if first == last {
                        json!(first)
                    } else {
                        json!(format!("{first}–{last}"))
                    };
                    row["name"] = json!(name);
                    row["averageOpponent"] =
                        json!((count > 0).then(|| (sum + count / 2) / count.max(1)));
                    row["expected"] = json!(opening.expected.mean());
                    row["last"] =
                        json!((!opening.last.is_unknown()).then(|| opening.last.to_string()));
                    row
                })
                .collect();
            let years: Vec<Value> = side
                .years
                .iter()
                .map(|(year, score)| {
                    let mut row = score.document();
                    row["year"] = json!(year);
                    row
                })
                .collect();
            let opponents: Vec<Value> = side
                .opponents
                .iter()
                .map(|(from, (score, expected))| {
                    let mut row = score.document();
                    row["from"] = json!(from);
                    row["to"] = json!(u32::from(*from) + u32::from(RATING_GROUP) - 1);
                    row["expected"] = json!(expected.mean());
                    row
                })
                .collect();
            let mut document = side.score.document();
            let speeds: Vec<Value> = side
                .speeds
                .iter()
                .map(|(speed, score)| {
                    let mut row = score.document();
                    row["speed"] = json!(speed);
                    row
                })
                .collect();
            document["opponents"] = json!(opponents);
            document["speeds"] = json!(speeds);
            document["tree"] = tree.document();
            document["openings"] = json!(openings);
            document["years"] = json!(years);
            document
        };
        let [white, black] = &self.sides;
        let [with_white, with_black] = &self.trees;
        let ratings: Vec<Value> = self
            .ratings
            .iter()
            .map(|(year, (sum, count))| json!([year, (sum + count / 2) / (*count).max(1)]))
            .collect();
        json!({
            "name": name,
            "white": side(white, with_white),
            "black": side(black, with_black),
            "ratings": ratings,
        })
    }
}
