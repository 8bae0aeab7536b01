//! Statistics of games in groups: by year, player, opening, or anything else that rows of games have.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabia_core::Error;
use tabia_core::external::VariableSorter;
use tabia_core::game::{Date, Eco, GameResult};
use tabia_core::io::{Cursor, Progress, Sink, temporary_folder};
use tabia_query::{begins_word, fold};
use zerocopy::byteorder::big_endian::{U32, U64};

use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::list::{ListOptions, ListRow, list};
use crate::observer::Observer;
use crate::rating_difference::rating_difference;

/// Bytes of groups in memory; further ones go to a temporary file.
const MEMORY: usize = 64 << 20;
/// Bytes that a group takes in memory without its key.
const GROUP: usize = 192;
/// Bytes of a key by which groups are sorted on the disk: its beginning, and a hash of all of it.
const SORTED: usize = 128;
/// Ratings of one band.
const ELO_BAND: u32 = 100;
/// Plies of one band.
const PLY_BAND: u32 = 20;
/// Keys at most.
const MAX_KEYS: usize = 8;

/// What games are grouped by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsKey(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Known(Known),
    /// The value of a tag.
    Tag(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Year,
    Decade,
    Month,
    Date,
    Player,
    Opponent,
    Color,
    White,
    Black,
    WhiteElo,
    BlackElo,
    EloBand,
    Result,
    Event,
    Site,
    Round,
    Annotator,
    Eco,
    Opening,
    OpeningFamily,
    Plies,
    PlyBand,
    Speed,
}

/// The names of keys as rows have them, and other names for them.
const KNOWN: &[(&str, &str, Known)] = &[
    ("year", "", Known::Year),
    ("decade", "", Known::Decade),
    ("month", "", Known::Month),
    ("date", "", Known::Date),
    ("player", "", Known::Player),
    ("opponent", "", Known::Opponent),
    ("color", "", Known::Color),
    ("whitePlayer", "white", Known::White),
    ("blackPlayer", "black", Known::Black),
    ("whiteElo", "", Known::WhiteElo),
    ("blackElo", "", Known::BlackElo),
    ("eloBand", "elo", Known::EloBand),
    ("result", "", Known::Result),
    ("event", "", Known::Event),
    ("site", "", Known::Site),
    ("round", "", Known::Round),
    ("annotator", "", Known::Annotator),
    ("eco", "", Known::Eco),
    ("opening", "", Known::Opening),
    ("openingFamily", "family", Known::OpeningFamily),
    ("plyCount", "plies", Known::Plies),
    ("plyBand", "", Known::PlyBand),
    ("speed", "", Known::Speed),
];

impl StatsKey {
    /// The names of all keys but tags, which are keys as well.
    ///
    /// ```
    /// let mut names = tabia::stats::StatsKey::names();
    /// assert!(names.any(|name| name == "eloBand"));
    /// ```
    pub fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().map(|(name, ..)| *name)
    }

    /// Parses `year,eco`: names of keys in upper or lower case. A name of any tag, as `WhiteTitle`, begins
    /// with an upper-case letter.
    ///
    /// # Errors
    /// What is wrong, in words for people: an unknown, empty or repeated name, more than 8 keys.
    ///
    /// ```
    /// use tabia::stats::StatsKey;
    ///
    /// let names = |keys: Vec<StatsKey>| keys.iter().map(|key| key.name().to_owned()).collect::<Vec<_>>();
    /// assert_eq!(StatsKey::parse_list("Year,eco,WhiteTitle").map(names).unwrap(), ["year", "eco", "WhiteTitle"]);
    /// assert!(StatsKey::parse_list("yaer").unwrap_err().contains("`year`"));
    /// ```
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        let mut keys: Vec<Self> = Vec::new();
        for name in text.split(',').map(str::trim) {
            let key = Self::parse(name)?;
            if keys.iter().any(|other| other.name() == key.name()) {
                return Err(format!("`{name}` is there twice"));
            }
            keys.push(key);
        }
        if keys.len() > MAX_KEYS {
            return Err(format!("{} keys; {MAX_KEYS} are possible", keys.len()));
        }
        Ok(keys)
    }

    fn parse(name: &str) -> Result<Self, String> {
        let mut known = KNOWN.iter();
        let is_it = |other: &str| other.eq_ignore_ascii_case(name);
        if name.is_empty() {
            return Err("a name is missing".to_owned());
        }
        if let Some((_, _, known)) = known.find(|(known, also, _)| is_it(known) || is_it(also)) {
            return Ok(Self(Kind::Known(*known)));
        }
        let is_tag = name.starts_with(|c: char| c.is_ascii_uppercase());
        if is_tag && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Ok(Self(Kind::Tag(name.to_owned())));
        }
        let names: Vec<&str> = KNOWN.iter().map(|(name, _, _)| *name).collect();
        Err(match tabia_query::nearest(name, &names) {
            Some(meant) => format!("`{name}` is no key; did you mean `{meant}`?"),
            None => format!("`{name}` is no key; known are {}", names.join(", ")),
        })
    }

    /// Its name in rows.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Tag(name) => name,
            Kind::Known(known) => {
                let mut names = KNOWN.iter();
                let found = names.find(|(_, _, other)| other == known);
                found.map_or("", |(name, _, _)| *name)
            }
        }
    }

    /// Whether games count for each of their players, from that player's side.
    pub fn is_of_players(&self) -> bool {
        matches!(
            self.0,
            Kind::Known(Known::Player | Known::Opponent | Known::Color)
        )
    }

    /// Whether the values are names, which are of interest by the number of their games rather than by
    /// their order.
    pub fn has_names(&self) -> bool {
        match self.0 {
            Kind::Tag(_) => true,
            Kind::Known(known) => matches!(
                known,
                Known::Player
                    | Known::Opponent
                    | Known::White
                    | Known::Black
                    | Known::Event
                    | Known::Site
                    | Known::Annotator
                    | Known::Opening
                    | Known::OpeningFamily
            ),
        }
    }

    /// A number as rows show it; most are numbers there too.
    fn number(&self, number: u32) -> StatsValue {
        let band = |width: u32| {
            let last = number.saturating_add(width - 1);
            StatsValue::Text(format!("{number}-{last}"))
        };
        match self.0 {
            Kind::Known(Known::EloBand) => band(ELO_BAND),
            Kind::Known(Known::PlyBand) => band(PLY_BAND),
            _ => StatsValue::Number(number),
        }
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatsValue {
    /// The games do not have it.
    Unknown,
    /// A year, the first year of a decade, a rating or number of plies.
    Number(u32),
    /// Anything else.
    Text(String),
}

/// The order of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StatsOrder {
    /// By keys: numbers and texts ascending, unknown ones first.
    #[default]
    Key,
    /// By number of games, the greatest first; then by keys.
    Games,
}

impl StatsOrder {
    /// The order of rows if none is asked for: by number of games if the only key has names, else by keys.
    ///
    /// ```
    /// use tabia::stats::{StatsKey, StatsOrder};
    ///
    /// let order = |names: &str| StatsKey::parse_list(names).map(|keys| StatsOrder::usual(&keys));
    /// assert_eq!(order("player").unwrap(), StatsOrder::Games);
    /// assert_eq!(order("player,year").unwrap(), StatsOrder::Key);
    /// ```
    pub fn usual(keys: &[StatsKey]) -> Self {
        match keys {
            [key] if key.has_names() => Self::Games,
            _ => Self::Key,
        }
    }
}

/// Which games, how they are read and grouped.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct StatsOptions {
    /// Which games and how they are read: how they are opened, threads, selection, query, indexes. Other
    /// fields have no effect.
    pub list: ListOptions,
    /// What they are grouped by; without keys all games are one group.
    pub keys: Vec<StatsKey>,
    /// Games count only for players in whose names each word of this text begins a word, from their side.
    pub player: Option<String>,
    /// The order of rows.
    pub order: StatsOrder,
}

impl StatsOptions {
    /// Whether games count for each of their players, from that player's side.
    pub fn is_of_players(&self) -> bool {
        self.player.is_some() || self.keys.iter().any(StatsKey::is_of_players)
    }

    /// The names of the counts of a group, in the order of [`StatsRow::counts`]; these are also the names of columns
    /// of `tabia stats` and of fields of its JSON.
    ///
    /// ```
    /// use tabia::stats::StatsOptions;
    ///
    /// assert_eq!(StatsOptions::default().count_names()[..3], ["games", "white", "draws"]);
    /// ```
    pub fn count_names(&self) -> &'static [&'static str] {
        if self.is_of_players() {
            &[
                "games",
                "wins",
                "draws",
                "losses",
                "score",
                "averageRating",
                "performance",
                "plies",
            ]
        } else {
            &[
                "games",
                "white",
                "draws",
                "black",
                "score",
                "averageRating",
                "plies",
            ]
        }
    }
}

/// A count or a mean of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum StatsCount {
    /// No game of the group has what is counted.
    Unknown,
    /// A number of games, or a rating.
    Whole(u64),
    /// Percent, or a mean, rounded to tenths.
    Tenths(f64),
}

/// A group of games.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StatsRow {
    /// The values of the keys.
    pub values: Vec<StatsValue>,
    /// Games; those with an unknown result are in none of the next three.
    pub games: u64,
    /// Games that White won; of groups by player, those that the player won.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Games that Black, or the player, lost.
    pub losses: u64,
    /// Points of White, or of the player, as a part of those possible, 0 to 1; `None` without results.
    pub score: Option<f64>,
    /// The mean of the known ratings of both players, or of the player.
    pub average_rating: Option<u16>,
    /// Of groups by player: the mean rating of opponents and the rating difference for the score against
    /// them.
    pub performance: Option<u16>,
    /// The mean number of plies of the games whose number of plies is known.
    pub plies: Option<f64>,
}

impl StatsRow {
    /// The counts and means as rows show them, with the names of [`StatsOptions::count_names`]: the score in percent,
    /// means rounded. `options` are those with which the games were grouped.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tabia::stats::{StatsCount, StatsOptions, stats};
    /// use tabia::{NoObserver, Progress, Resolver};
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
    /// let items = Resolver::default().resolve_games(path.as_ref())?;
    /// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let options = StatsOptions::default();
    /// stats(&items, &options, &Arc::new(Progress::new()), &mut NoObserver, &mut |row| {
    ///     assert_eq!(row.counts(&options).next(), Some(("games", StatsCount::Whole(7))));
    ///     Ok(true)
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn counts(
        &self,
        options: &StatsOptions,
    ) -> impl Iterator<Item = (&'static str, StatsCount)> + use<> {
        let rating = |rating: Option<u16>| {
            rating.map_or(StatsCount::Unknown, |rating| {
                StatsCount::Whole(rating.into())
            })
        };
        let mean = |mean: Option<f64>| {
            mean.map_or(StatsCount::Unknown, |mean| {
                StatsCount::Tenths((mean * 10.0).round() / 10.0)
            })
        };
        let [games, wins, draws, losses] =
            [self.games, self.wins, self.draws, self.losses].map(StatsCount::Whole);
        let score = mean(self.score.map(|score| score * 100.0));
        let (average_rating, performance) = (rating(self.average_rating), rating(self.performance));
        let plies = mean(self.plies);
        options.count_names().iter().map(move |name| {
            let count = match *name {
                "white" | "wins" => wins,
                "draws" => draws,
                "black" | "losses" => losses,
                "score" => score,
                "averageRating" => average_rating,
                "performance" => performance,
                "plies" => plies,
                _ => games,
            };
            (*name, count)
        })
    }
}

/// Games in groups, whose inputs are added one by one.
///
/// [`stats`] ends at the first input that cannot be read; here the caller decides whether the others still count.
///
/// ```
/// use std::sync::Arc;
/// use tabia::stats::{GroupedGames, StatsOptions};
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let options = StatsOptions::default();
/// let mut grouped = GroupedGames::new(&options);
/// for item in Resolver::default().resolve_games(path.as_ref())? {
///     if let Err(error) = grouped.add(&item?, &Arc::new(Progress::new()), &mut NoObserver) {
///         eprintln!("{error}");
///     }
/// }
/// grouped.rows(&mut |row| {
///     assert_eq!(row.games, 7);
///     Ok(true)
/// })?;
/// # Ok(())
/// # }
/// ```
pub struct GroupedGames<'o> {
    options: &'o StatsOptions,
    groups: Groups,
}

impl std::fmt::Debug for GroupedGames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("GroupedGames");
        shown
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<'o> GroupedGames<'o> {
    /// No games yet.
    pub fn new(options: &'o StatsOptions) -> Self {
        Self {
            options,
            groups: Groups::new(MEMORY),
        }
    }

    /// Adds the games of an input, without guiding texts.
    ///
    /// # Errors
    /// When the input cannot be read, the games before the error count all the same; when the temporary file cannot be
    /// written.
    pub fn add(
        &mut self,
        item: &InputItem,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<Summary, Error> {
        add_games(item, self.options, &mut self.groups, progress, observer)
    }

    /// Hands out a row for each group until `emit` returns `false`.
    ///
    /// # Errors
    /// When the temporary file cannot be read or written, and errors of `emit`.
    pub fn rows(self, emit: &mut dyn FnMut(&StatsRow) -> Result<bool, Error>) -> Result<(), Error> {
        self.groups.rows(self.options, emit)
    }
}

/// Groups the games of all items, without guiding texts, and hands out a row for each group until `emit` returns `false`. The rows
/// do not depend on the number of threads. Memory: 64 MiB; groups beyond are in a temporary file.
///
/// # Errors
/// When an item cannot be read, or the temporary file cannot be written, and errors of `emit`.
///
/// ```
/// use std::sync::Arc;
/// use tabia::stats::{StatsKey, StatsOptions, stats};
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let items = Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let mut options = StatsOptions::default();
/// options.keys = StatsKey::parse_list("result").unwrap();
/// let mut games = 0;
/// stats(&items, &options, &Arc::new(Progress::new()), &mut NoObserver, &mut |row| {
///     games += row.games;
///     Ok(true)
/// })?;
/// assert_eq!(games, 7);
/// # Ok(())
/// # }
/// ```
pub fn stats(
    items: &[InputItem],
    options: &StatsOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    emit: &mut dyn FnMut(&StatsRow) -> Result<bool, Error>,
) -> Result<Summary, Error> {
    stats_of(&mut items.iter(), options, progress, observer, emit)
}

/// As [`stats`], of items wherever they are.
pub(crate) fn stats_of<'i>(
    items: &mut dyn Iterator<Item = &'i InputItem>,
    options: &StatsOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    emit: &mut dyn FnMut(&StatsRow) -> Result<bool, Error>,
) -> Result<Summary, Error> {
    let mut grouped = GroupedGames::new(options);
    let mut summary = Summary::default();
    for item in items {
        summary.problems += grouped.add(item, progress, observer)?.problems;
    }
    grouped.rows(emit)?;
    Ok(summary)
}

fn add_games(
    item: &InputItem,
    options: &StatsOptions,
    groups: &mut Groups,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Summary, Error> {
    let grouping = Grouping::new(options);
    let mut list_options = ListOptions {
        offset: 0,
        limit: None,
        moments: false,
        count_only: false,
        numbers_only: false,
        tags: grouping.tags.clone(),
        openings: grouping.asks_for_openings(),
        annotators: grouping.asks_for_annotators(),
        without_marks: true,
        ..options.list.clone()
    };
    // Guiding texts are no games.
    list_options.selection.texts = false;
    let render = |row: &ListRow<'_>, out: &mut Vec<(Vec<u8>, Totals)>| grouping.add(row, out);
    let (summary, _) = list(
        item,
        &list_options,
        &render,
        progress,
        observer,
        &mut |found| {
            let mut found = found.drain(..);
            found.try_for_each(|(key, totals)| groups.add(key, &totals))
        },
    )?;
    Ok(summary)
}

/// How the group of a game is found.
struct Grouping<'o> {
    options: &'o StatsOptions,
    is_of_players: bool,
    /// Folded words of the player's name.
    player: Vec<String>,
    /// The tags that keys need.
    tags: Vec<String>,
}

impl<'o> Grouping<'o> {
    fn new(options: &'o StatsOptions) -> Self {
        let mut tags = Vec::new();
        for key in &options.keys {
            match &key.0 {
                Kind::Tag(name) => tags.push(name.clone()),
                Kind::Known(Known::Speed) => {
                    tags.extend(["EventType", "TimeControl"].map(str::to_owned));
                }
                Kind::Known(_) => {}
            }
        }
        let player = options.player.as_deref().unwrap_or_default();
        let words = fold(player);
        let words = words.split(|c: char| !c.is_alphanumeric());
        Self {
            options,
            is_of_players: options.is_of_players(),
            player: words
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
            tags,
        }
    }

    fn asks_for_annotators(&self) -> bool {
        let mut keys = self.options.keys.iter();
        keys.any(|key| matches!(key.0, Kind::Known(Known::Annotator)))
    }

    fn asks_for_openings(&self) -> bool {
        let mut keys = self.options.keys.iter();
        keys.any(|key| matches!(key.0, Kind::Known(Known::Opening | Known::OpeningFamily)))
    }

    fn add(&self, row: &ListRow<'_>, out: &mut Vec<(Vec<u8>, Totals)>) {
        if !self.is_of_players {
            out.push((self.key(row, true), Totals::of_game(row)));
            return;
        }
        for is_white in [true, false] {
            let name = if is_white { &row.white } else { &row.black };
            let is_wanted = self.options.player.is_none() || {
                let name = fold(name);
                self.player.iter().all(|word| begins_word(&name, word))
            };
            if is_wanted {
                out.push((self.key(row, is_white), Totals::of_player(row, is_white)));
            }
        }
    }

    /// The values of the keys, in bytes that sort as they do.
    fn key(&self, row: &ListRow<'_>, is_white: bool) -> Vec<u8> {
        let mut out = Sink::new();
        let mut tags = row.tags.iter().map(Option::as_deref);
        for key in &self.options.keys {
            let known = match &key.0 {
                Kind::Known(known) => *known,
                Kind::Tag(_) => {
                    push_text(&mut out, tags.next().flatten().unwrap_or_default());
                    continue;
                }
            };
            let (own, other) = if is_white {
                (&row.white, &row.black)
            } else {
                (&row.black, &row.white)
            };
            let year = u32::from(row.date.year);
            match known {
                Known::Year => push_number(&mut out, (year > 0).then_some(year)),
                Known::Decade => push_number(&mut out, (year > 0).then_some(year / 10 * 10)),
                Known::Month => {
                    let date = row.date.to_string();
                    let is_known = year > 0 && row.date.month > 0;
                    push_text(
                        &mut out,
                        date.get(..7).filter(|_| is_known).unwrap_or_default(),
                    );
                }
                Known::Date if row.date == Date::UNKNOWN => push_text(&mut out, ""),
                Known::Date => push_text(&mut out, &row.date.to_string()),
                Known::Player => push_text(&mut out, own),
                Known::Opponent => push_text(&mut out, other),
                Known::Color => push_text(&mut out, if is_white { "white" } else { "black" }),
                Known::White => push_text(&mut out, &row.white),
                Known::Black => push_text(&mut out, &row.black),
                Known::WhiteElo => push_number(&mut out, row.white_elo.map(u32::from)),
                Known::BlackElo => push_number(&mut out, row.black_elo.map(u32::from)),
                Known::EloBand => {
                    let ratings = row.white_elo.zip(row.black_elo);
                    let mean = ratings
                        .map(|(white, black)| u32::midpoint(u32::from(white), u32::from(black)));
                    push_number(&mut out, mean.map(|mean| mean / ELO_BAND * ELO_BAND));
                }
                Known::Result => push_text(&mut out, &row.result.to_string()),
                Known::Event => push_text(&mut out, &row.event),
                Known::Site => push_text(&mut out, &row.site),
                Known::Round => push_text(&mut out, &row.round),
                Known::Annotator => push_text(&mut out, &row.annotator),
                Known::Eco => {
                    let eco = row.eco.and_then(|eco| Eco::new(eco.code(), 0));
                    push_text(
                        &mut out,
                        &eco.map(|eco| eco.to_string()).unwrap_or_default(),
                    );
                }
                Known::Opening => {
                    push_text(&mut out, row.opening.map_or("", |opening| opening.name));
                }
                Known::OpeningFamily => {
                    let name = row.opening.map_or("", |opening| opening.name);
                    let family = name.split_once(':').map_or(name, |(family, _)| family);
                    push_text(&mut out, family);
                }
                Known::Plies => push_number(&mut out, row.plies),
                Known::PlyBand => {
                    push_number(&mut out, row.plies.map(|plies| plies / PLY_BAND * PLY_BAND));
                }
                Known::Speed => {
                    let (event_type, control) = (tags.next().flatten(), tags.next().flatten());
                    let speed = tabia_query::speed(event_type, control.unwrap_or_default());
                    push_text(&mut out, speed.unwrap_or_default());
                }
            }
        }
        out.into_vec()
    }
}

/// Marks of values in keys.
const UNKNOWN: u8 = 0;
const NUMBER: u8 = 1;
const TEXT: u8 = 2;

fn push_number(out: &mut Sink, number: Option<u32>) {
    match number {
        None => out.u8(UNKNOWN),
        Some(number) => {
            out.u8(NUMBER);
            out.u32_be(number);
        }
    }
}

/// Appends a text, ended by two zeros; a zero in it is followed by 255.
fn push_text(out: &mut Sink, text: &str) {
    if matches!(text.trim(), "" | "?") {
        return out.u8(UNKNOWN);
    }
    out.u8(TEXT);
    for (number, part) in text.as_bytes().split(|byte| *byte == 0).enumerate() {
        if number > 0 {
            out.bytes(&[0, 255]);
        }
        out.bytes(part);
    }
    out.bytes(&[0, 0]);
}

/// The values of a key.
fn values(keys: &[StatsKey], bytes: &[u8]) -> Vec<StatsValue> {
    let mut rest = bytes;
    let mut values = Vec::new();
    for key in keys {
        let value = match rest {
            [NUMBER, a, b, c, d, tail @ ..] => {
                rest = tail;
                key.number(U32::from_bytes([*a, *b, *c, *d]).get())
            }
            [TEXT, tail @ ..] => {
                let mut text = Vec::new();
                rest = tail;
                loop {
                    match rest {
                        [0, 255, tail @ ..] => {
                            text.push(0);
                            rest = tail;
                        }
                        [0, 0, tail @ ..] => {
                            rest = tail;
                            break;
                        }
                        [byte, tail @ ..] => {
                            text.push(*byte);
                            rest = tail;
                        }
                        [] => break,
                    }
                }
                StatsValue::Text(String::from_utf8_lossy(&text).into_owned())
            }
            _ => {
                rest = rest.get(1..).unwrap_or_default();
                StatsValue::Unknown
            }
        };
        values.push(value);
    }
    values
}

/// Sums over the games of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Totals {
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Sum and number.
    ratings: [u64; 2],
    /// Of opponents in games with a result.
    opponents: [u64; 2],
    /// Twice the points against opponents with a rating.
    points: u64,
    plies: [u64; 2],
}

impl Totals {
    fn of_game(row: &ListRow<'_>) -> Self {
        let mut totals = Self::of_player(row, true);
        if let Some(elo) = row.black_elo {
            totals.ratings[0] += u64::from(elo);
            totals.ratings[1] += 1;
        }
        totals
    }

    fn of_player(row: &ListRow<'_>, is_white: bool) -> Self {
        let (own, opponent) = if is_white {
            (row.white_elo, row.black_elo)
        } else {
            (row.black_elo, row.white_elo)
        };
        let result = row.result.to_pgn();
        let is = |wanted| u64::from(result == wanted);
        let (white, black) = (is(GameResult::WhiteWins), is(GameResult::BlackWins));
        let (wins, losses) = if is_white {
            (white, black)
        } else {
            (black, white)
        };
        let draws = is(GameResult::Draw);
        let sum = |number: Option<u64>| [number.unwrap_or_default(), u64::from(number.is_some())];
        let has_result = result != GameResult::Unknown;
        let opponents = sum(opponent.filter(|_| has_result).map(u64::from));
        Self {
            games: 1,
            wins,
            draws,
            losses,
            ratings: sum(own.map(u64::from)),
            opponents,
            points: (2 * wins + draws) * opponents[1],
            plies: sum(row.plies.map(u64::from)),
        }
    }

    fn numbers(&self) -> [u64; 11] {
        [
            self.games,
            self.wins,
            self.draws,
            self.losses,
            self.ratings[0],
            self.ratings[1],
            self.opponents[0],
            self.opponents[1],
            self.points,
            self.plies[0],
            self.plies[1],
        ]
    }

    fn of_numbers(numbers: [u64; 11]) -> Self {
        let [
            games,
            wins,
            draws,
            losses,
            rating_sum,
            ratings,
            opponent_sum,
            opponents,
            points,
            ply_sum,
            plies,
        ] = numbers;
        Self {
            games,
            wins,
            draws,
            losses,
            ratings: [rating_sum, ratings],
            opponents: [opponent_sum, opponents],
            points,
            plies: [ply_sum, plies],
        }
    }

    fn merge(&mut self, other: &Self) {
        let mut sums = self.numbers();
        for (sum, more) in sums.iter_mut().zip(other.numbers()) {
            *sum += more;
        }
        *self = Self::of_numbers(sums);
    }

    fn row(&self, options: &StatsOptions, key: &[u8]) -> StatsRow {
        let finished = self.wins + self.draws + self.losses;
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        let [rating_sum, ratings] = self.ratings;
        let [opponent_sum, opponents] = self.opponents;
        let [ply_sum, plies] = self.plies;
        let performance = (opponents > 0 && options.is_of_players()).then(|| {
            let score = self.points as f64 / 2.0 / opponents as f64;
            let rating = opponent_sum as f64 / opponents as f64 + rating_difference(score);
            rating.round().clamp(0.0, f64::from(u16::MAX)) as u16
        });
        StatsRow {
            values: values(&options.keys, key),
            games: self.games,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            score: (finished > 0).then(|| points / finished as f64),
            average_rating: (ratings > 0).then(|| ((rating_sum + ratings / 2) / ratings) as u16),
            performance,
            plies: (plies > 0).then(|| ply_sum as f64 / plies as f64),
        }
    }
}

/// Gets the key and the sums of a group.
type VisitGroup<'v> = &'v mut dyn FnMut(&[u8], &Totals) -> Result<(), Error>;

/// Groups by key, with bounded memory.
struct Groups {
    memory: usize,
    used: usize,
    known: BTreeMap<Vec<u8>, Totals>,
    spilled: Option<VariableSorter<SORTED>>,
}

impl Groups {
    fn new(memory: usize) -> Self {
        Self {
            memory,
            used: 0,
            known: BTreeMap::new(),
            spilled: None,
        }
    }

    fn add(&mut self, key: Vec<u8>, totals: &Totals) -> Result<(), Error> {
        if let Some(known) = self.known.get_mut(&key) {
            known.merge(totals);
            return Ok(());
        }
        self.used += key.len() + GROUP;
        self.known.insert(key, *totals);
        if self.used > self.memory {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), Error> {
        let memory = self.memory;
        let sorter = self
            .spilled
            .get_or_insert_with(|| VariableSorter::new(&temporary_folder(), memory));
        for (key, totals) in std::mem::take(&mut self.known) {
            let mut record = Sink::new();
            for number in totals.numbers() {
                record.u64_be(number);
            }
            record.bytes(&key);
            sorter.push(&sorted_key(&key), record.as_slice())?;
        }
        self.used = 0;
        Ok(())
    }

    /// Hands out all groups in the order of their keys.
    fn finish(mut self, visit: VisitGroup<'_>) -> Result<(), Error> {
        if self.spilled.is_some() {
            self.spill()?;
        }
        let Some(sorter) = self.spilled else {
            let mut known = self.known.iter();
            return known.try_for_each(|(key, totals)| visit(key, totals));
        };
        // Groups with equal sorted keys; as a rule parts of one group.
        let mut last = [0; SORTED];
        let mut equal: BTreeMap<Vec<u8>, Totals> = BTreeMap::new();
        sorter.finish(|sorted, record| {
            if *sorted != last {
                let mut groups = equal.iter();
                groups.try_for_each(|(key, totals)| visit(key, totals))?;
                equal.clear();
                last = *sorted;
            }
            let mut cursor = Cursor::new(record);
            let mut numbers = [0; 11];
            for number in &mut numbers {
                *number = cursor.u64_be("a sum")?;
            }
            let totals = Totals::of_numbers(numbers);
            equal
                .entry(cursor.rest().to_vec())
                .or_default()
                .merge(&totals);
            Ok(())
        })?;
        let mut groups = equal.iter();
        groups.try_for_each(|(key, totals)| visit(key, totals))
    }

    fn rows(
        self,
        options: &StatsOptions,
        emit: &mut dyn FnMut(&StatsRow) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut is_over = false;
        let mut show = |key: &[u8], totals: &Totals| -> Result<(), Error> {
            if !is_over {
                is_over = !emit(&totals.row(options, key))?;
            }
            Ok(())
        };
        if options.order == StatsOrder::Key {
            return self.finish(&mut show);
        }
        let mut sorter = VariableSorter::<8>::new(&temporary_folder(), self.memory);
        self.finish(&mut |key, totals| {
            let mut record = Sink::new();
            for number in totals.numbers() {
                record.u64_be(number);
            }
            record.bytes(key);
            let order = U64::new(u64::MAX - totals.games);
            sorter.push(&order.to_bytes(), record.as_slice())
        })?;
        sorter.finish(|_, record| {
            let mut cursor = Cursor::new(record);
            let mut numbers = [0; 11];
            for number in &mut numbers {
                *number = cursor.u64_be("a sum")?;
            }
            show(cursor.rest(), &Totals::of_numbers(numbers))
        })
    }
}

/// The beginning of a key and a hash of all of it, so that the parts of a group follow each other.
fn sorted_key(key: &[u8]) -> [u8; SORTED] {
    let mut sorted = [0; SORTED];
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = key.iter().fold(0xcbf2_9ce4_8422_2325, step);
    let hash = if key.len() > SORTED - 8 { hash } else { 0 };
    for (to, from) in sorted.iter_mut().zip(key.iter().take(SORTED - 8)) {
        *to = *from;
    }
    for (to, from) in sorted
        .iter_mut()
        .skip(SORTED - 8)
        .zip(U64::new(hash).to_bytes())
    {
        *to = from;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(texts: &[&str]) -> Vec<u8> {
        let mut out = Sink::new();
        for text in texts {
            push_text(&mut out, text);
        }
        out.into_vec()
    }

    #[test]
    fn values_are_those_of_the_key() {
        let keys = StatsKey::parse_list("event,year,eloBand").unwrap();
        let mut out = Sink::new();
        push_text(&mut out, "a\0b");
        push_number(&mut out, None);
        push_number(&mut out, Some(2500));
        assert_eq!(
            values(&keys, &out.into_vec()),
            [
                StatsValue::Text("a\0b".to_owned()),
                StatsValue::Unknown,
                StatsValue::Text("2500-2599".to_owned())
            ]
        );
        // Beginnings come first, whatever follows.
        assert!(key_of(&["ab", "z"]) < key_of(&["ab\0", "a"]));
        assert!(key_of(&["", "z"]) < key_of(&["a", ""]));
    }

    #[test]
    fn groups_beyond_memory_are_the_same() {
        let long = "x".repeat(300);
        let name = |i: u32| format!("{}{}", if i.is_multiple_of(3) { &long } else { "" }, i % 50);
        let found = |memory: usize, order: StatsOrder| {
            let mut groups = Groups::new(memory);
            for i in 0..1000_u32 {
                let totals = Totals {
                    games: 1,
                    plies: [u64::from(i), 1],
                    ..Totals::default()
                };
                groups.add(key_of(&[&name(i)]), &totals).unwrap();
            }
            let options = StatsOptions {
                keys: StatsKey::parse_list("event").unwrap(),
                order,
                ..StatsOptions::default()
            };
            let mut rows = Vec::new();
            let mut emit = |row: &StatsRow| {
                rows.push((format!("{:?}", row.values), row.games, row.plies));
                Ok(true)
            };
            groups.rows(&options, &mut emit).unwrap();
            rows
        };
        let all = found(MEMORY, StatsOrder::Key);
        assert_eq!(all.iter().map(|row| row.1).sum::<u64>(), 1000);
        let sorted = |mut rows: Vec<(String, u64, Option<f64>)>| {
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            rows
        };
        assert_eq!(sorted(found(4000, StatsOrder::Key)), sorted(all.clone()));
        let by_games = found(4000, StatsOrder::Games);
        assert!(by_games.is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(sorted(by_games), sorted(all));
    }
}
