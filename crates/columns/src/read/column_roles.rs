//! Which column holds what, by the names of the columns.

use arrow_schema::{DataType, Field, FieldRef, Schema};
use tabia::Error;

use crate::schema::{TABLE_KEY, Table, VERSION, VERSION_KEY};

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// A tag pair of this name.
    Tag(String),
    DateText,
    Year,
    Month,
    Day,
    UtcSeconds,
    Variant,
    Fen,
    Deleted,
    IsText,
    Tags,
    /// The moves in UCI or SAN, as a list or with blanks between.
    Moves,
    /// The moves as numbers of our tables.
    MoveCodes,
    /// Movetext of PGN.
    Movetext,
    /// Complete games of PGN.
    Pgn,
    ClocksMs,
    ElapsedMs,
    /// Seconds left on the clock of White (0) or Black (1).
    ClockSeconds(usize),
    Centipawns,
    Mates,
    Depths,
    /// Hundredths of a pawn; a mate in n is 32,767 - n.
    Evals,
    Nags,
    Comments,
    /// Follows from others.
    Derived,
}

impl Role {
    /// Whether it belongs to the moves and not to the header.
    pub(super) const fn is_of_moves(&self) -> bool {
        matches!(
            self,
            Self::Moves
                | Self::MoveCodes
                | Self::Movetext
                | Self::Pgn
                | Self::ClocksMs
                | Self::ElapsedMs
                | Self::ClockSeconds(_)
                | Self::Centipawns
                | Self::Mates
                | Self::Depths
                | Self::Evals
                | Self::Nags
                | Self::Comments
        )
    }
}

/// Names of columns without `_` and in lower case, and the tags that they hold.
const TAGS: [(&str, &str); 24] = [
    ("white", "White"),
    ("black", "Black"),
    ("event", "Event"),
    ("site", "Site"),
    ("round", "Round"),
    ("result", "Result"),
    ("whiteelo", "WhiteElo"),
    ("blackelo", "BlackElo"),
    ("whiterating", "WhiteElo"),
    ("blackrating", "BlackElo"),
    ("whitetitle", "WhiteTitle"),
    ("blacktitle", "BlackTitle"),
    ("whiteteam", "WhiteTeam"),
    ("blackteam", "BlackTeam"),
    ("whitefideid", "WhiteFideId"),
    ("blackfideid", "BlackFideId"),
    ("eco", "ECO"),
    ("opening", "Opening"),
    ("timecontrol", "TimeControl"),
    ("termination", "Termination"),
    ("annotator", "Annotator"),
    ("utcdate", "UTCDate"),
    ("utctime", "UTCTime"),
    ("date", "Date"),
];

/// Columns of our tables that follow from others.
const DERIVED: [&str; 11] = [
    "game",
    "source",
    "date",
    "initial_s",
    "increment_s",
    "speed",
    "ply_count",
    "has_variations",
    "has_comments",
    "has_nags",
    "problems",
];

/// The columns of a table and what they hold.
#[derive(Debug)]
pub(super) struct Layout {
    /// For each column of the file its role; `None` if it is not read.
    pub(super) roles: Vec<Option<Role>>,
    /// Columns that are not read, for a message.
    pub(super) unread: Vec<String>,
}

impl Layout {
    /// # Errors
    /// When the table is of a later version, is no table of games, or has moves only in a form that is
    /// private to another program.
    pub(super) fn of(schema: &Schema) -> Result<Self, Error> {
        let metadata = schema.metadata();
        let version = metadata.get(VERSION_KEY).map(String::as_str);
        if let Some(newer) = version.filter(|version| *version != VERSION) {
            let text = format!(
                "a table of version {}, made by a later tabia; this one reads version {VERSION}",
                newer.escape_default()
            );
            return Err(Error::unsupported(text));
        }
        let table = metadata.get(TABLE_KEY).map(String::as_str);
        if table == Some(Table::BookRows.name()) {
            let text = "a table of book rows, which has no games; `tabia book from-parquet` makes a book of it";
            return Err(Error::unsupported(text));
        }
        if table == Some(Table::Positions.name()) {
            let text = "a table of positions, which has no games; convert the table `games`";
            return Err(Error::unsupported(text));
        }
        let mut layout = Self {
            roles: Vec::new(),
            unread: Vec::new(),
        };
        let names = Names::of(schema, version.is_some());
        for field in schema.fields() {
            let role = role_of(field, names);
            if role.is_none() {
                let name = field.name().escape_default().to_string();
                layout.unread.push(name);
            }
            layout.roles.push(role);
        }
        layout.check()?;
        Ok(layout)
    }

    fn check(&self) -> Result<(), Error> {
        let has = |wanted: fn(&Role) -> bool| self.roles.iter().flatten().any(wanted);
        let has_moves = has(|role| {
            matches!(
                role,
                Role::Moves | Role::MoveCodes | Role::Movetext | Role::Pgn
            )
        });
        if !has_moves && self.unread.iter().any(|name| name == "movedata") {
            let text = "its moves are in the column `movedata`, which only aix can read; export \
                        them as a column `moves`, `uci`, `san` or `pgn`";
            return Err(Error::unsupported(text));
        }
        let has_players =
            has(|role| matches!(role, Role::Tag(name) if name == "White" || name == "Black"));
        if !has_moves && !has_players {
            let text = "no table of games: it has none of the columns `white`, `black`, `moves`, \
                        `movetext`, `uci`, `san`, `pgn`";
            return Err(Error::unsupported(text));
        }
        Ok(())
    }
}

/// Columns that only our tables have. Programs such as `DuckDB`, Polars and pandas write tables without the metadata of
/// those that they read.
const OWN: [&str; 8] = [
    "date_text",
    "utc_time_s",
    "initial_s",
    "increment_s",
    "ply_count",
    "is_text",
    "has_variations",
    "move_codes",
];

/// What the names of all columns show.
#[derive(Debug, Clone, Copy)]
struct Names {
    /// The table is one of ours, or made from one.
    is_ours: bool,
    /// It has a column with the date as text or as one value.
    has_date: bool,
    /// It has a column from which the date is read in our tables.
    has_parts_of_date: bool,
}

impl Names {
    fn of(schema: &Schema, has_metadata: bool) -> Self {
        let has = |names: &[&str]| {
            let mut fields = schema.fields().iter();
            fields.any(|field| names.contains(&field.name().as_str()))
        };
        let mut fields = schema.fields().iter();
        Self {
            is_ours: has_metadata || has(&OWN),
            has_date: fields.any(|field| {
                let plain = field.name().replace('_', "").to_ascii_lowercase();
                matches!(plain.as_str(), "date" | "utcdate" | "datetext")
            }),
            has_parts_of_date: has(&["date_text", "year"]),
        }
    }
}

fn role_of(field: &FieldRef, names: Names) -> Option<Role> {
    let Names { is_ours, .. } = names;
    let name = field.name().as_str();
    let is_chosen_date = name == "date" && !names.has_parts_of_date;
    if is_ours && DERIVED.contains(&name) && !is_chosen_date {
        return Some(Role::Derived);
    }
    // Parts of a date are one in any table, unless there is another.
    let has_parts = is_ours || !names.has_date && field.data_type().is_numeric();
    let plain = name.replace('_', "").to_ascii_lowercase();
    let role = match field.data_type() {
        DataType::List(_) | DataType::LargeList(_) => match plain.as_str() {
            "moves" | "uci" | "san" => Role::Moves,
            "movecodes" if is_ours => Role::MoveCodes,
            "clocksms" => Role::ClocksMs,
            "elapsedms" => Role::ElapsedMs,
            "clockswhite" => Role::ClockSeconds(0),
            "clocksblack" => Role::ClockSeconds(1),
            "evalscp" => Role::Centipawns,
            "evalsmate" => Role::Mates,
            "evalsdepth" => Role::Depths,
            "evals" => Role::Evals,
            "nags" => Role::Nags,
            "comments" => Role::Comments,
            _ => return None,
        },
        DataType::Map(_, _) if plain == "tags" => Role::Tags,
        data if data.is_nested() => return None,
        _ => match plain.as_str() {
            "moves" | "uci" => Role::Moves,
            "movetext" | "san" => Role::Movetext,
            "pgn" => Role::Pgn,
            "datetext" if is_ours => Role::DateText,
            "year" if has_parts => Role::Year,
            "month" if has_parts => Role::Month,
            "day" if has_parts => Role::Day,
            "utctimes" if is_ours => Role::UtcSeconds,
            "deleted" if is_ours => Role::Deleted,
            "istext" if is_ours => Role::IsText,
            "variant" => Role::Variant,
            "fen" => Role::Fen,
            "movedata" => return None,
            _ => return tag_of(field, &plain),
        },
    };
    Some(role)
}

fn tag_of(field: &Field, plain: &str) -> Option<Role> {
    if let Some((_, tag)) = TAGS.iter().find(|(name, _)| *name == plain) {
        return Some(Role::Tag((*tag).to_owned()));
    }
    if matches!(
        field.data_type(),
        DataType::Binary | DataType::BinaryView | DataType::LargeBinary
    ) {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = field.name();
    let is_tag = !name.is_empty() && name.len() <= 255 && name.chars().all(is_name);
    is_tag.then(|| Role::Tag(name.clone()))
}
