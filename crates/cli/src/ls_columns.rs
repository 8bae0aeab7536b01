//! The columns that `--columns` chooses: those of `ls` in any order, values made of them, and any tag.

use tabia::Error;
use tabia::list::ListRow;
use tabia::query::{nearest, speed};
use tabia::stats::StatsKey;

use crate::listing::{RowStyle, csv_cell, tsv_cell};
use crate::ls_row::{COLUMNS, Cell, MOMENT_COLUMNS, cell};

/// Columns that are made of others.
const MADE: &[&str] = &["year", "month", "decade", "speed"];
/// The tags that `speed` is made of.
const SPEED_TAGS: [&str; 2] = ["EventType", "TimeControl"];
/// Tags that a name may have been meant to be.
const USUAL_TAGS: &[&str] = &[
    "Annotator",
    "BlackFideId",
    "BlackTeam",
    "BlackTitle",
    "BroadcastName",
    "EventDate",
    "EventType",
    "GameId",
    "Opening",
    "PlyCount",
    "Source",
    "SourceTitle",
    "Termination",
    "TimeControl",
    "UTCDate",
    "UTCTime",
    "Variant",
    "Variation",
    "WhiteFideId",
    "WhiteTeam",
    "WhiteTitle",
];

/// Other words for columns.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("#", "`game`"),
    ("id", "`game`"),
    ("index", "`game`"),
    ("no", "`game`"),
    ("elo", "`whiteElo` and `blackElo`"),
    ("rating", "`whiteElo` and `blackElo`"),
    ("ratings", "`whiteElo` and `blackElo`"),
    ("name", "`white` and `black`"),
    ("names", "`white` and `black`"),
    ("player", "`white` and `black`"),
    ("players", "`white` and `black`"),
    ("length", "`plies`"),
    ("tournament", "`event`"),
    ("town", "`site`"),
    ("file", "`path`"),
];

/// What to do about a name that is neither a column nor a tag of any game.
pub(crate) fn hint_at_column(name: &str) -> String {
    let other = OTHER_WORDS
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(name));
    if let Some((_, meant)) = other {
        return format!("did you mean {meant}?");
    }
    if ["moves", "san"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(name))
    {
        return "`tabia convert IN -o games.csv` writes the moves".to_owned();
    }
    let columns = COLUMNS.iter().chain(MADE).chain(USUAL_TAGS).copied();
    let columns: Vec<&str> = columns.collect();
    // As tables spell it: `white_team`.
    let bare = name.replace('_', "");
    if let Some(tag) = USUAL_TAGS
        .iter()
        .find(|tag| bare != name && tag.eq_ignore_ascii_case(&bare))
    {
        return format!("did you mean `{tag}`?");
    }
    if let Some(meant) = nearest(name, &columns).filter(|meant| !meant.eq_ignore_ascii_case(name)) {
        return format!("did you mean `{meant}`?");
    }
    if StatsKey::names().any(|key| key.eq_ignore_ascii_case(name)) {
        return format!("`tabia stats --by {name}` knows it");
    }
    "`tabia help ls` lists the columns".to_owned()
}

/// Whether a name is that of a column, in any case, as tables spell it (`white_elo`), or as `--sort` calls it.
fn is_column(column: &str, name: &str) -> bool {
    let words = name.split('_');
    let is_same = column
        .bytes()
        .map(|byte| byte.to_ascii_lowercase())
        .eq(words
            .flat_map(str::bytes)
            .map(|byte| byte.to_ascii_lowercase()));
    let spellings = match column {
        "game" => "number",
        "plies" => "ply_count",
        _ => return is_same,
    };
    is_same || name.eq_ignore_ascii_case(spellings)
}

/// The usual tag with this name, whatever the case of its letters.
pub(crate) fn spelt_tag(name: &str) -> Option<&'static str> {
    let mut tags = USUAL_TAGS.iter().copied();
    tags.find(|tag| tag.eq_ignore_ascii_case(name.trim()))
}

/// The tag that the name of an absent one was probably meant to be.
pub(crate) fn usual_tag(name: &str) -> Option<&'static str> {
    nearest(name, USUAL_TAGS).filter(|meant| *meant != name)
}

/// A chosen column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Column {
    /// One of [`COLUMNS`] or [`MOMENT_COLUMNS`].
    Known(&'static str),
    /// One of [`MADE`].
    Made(&'static str),
    /// The input's name.
    Path,
    /// A tag, by its number among those of the choice.
    Tag(usize),
}

/// The chosen columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnChoice {
    columns: Vec<Column>,
    /// As the user wrote them, except for the spelling of known columns.
    pub(crate) names: Vec<String>,
    /// The names of the tags, after those that are shown the ones of [`SPEED_TAGS`], if needed.
    pub(crate) tags: Vec<String>,
    /// How many of the tags are shown.
    pub(crate) shown_tags: usize,
}

impl ColumnChoice {
    /// Parses `white,black,WhiteTeam`. Names of columns may be in upper or lower case; any other name is
    /// that of a tag.
    ///
    /// # Errors
    /// Usage errors: empty and repeated names, and columns of moments without a search.
    pub(crate) fn parse(text: &str, has_moments: bool) -> Result<Self, Error> {
        let mut choice = Self::default();
        for name in text.split(',').map(str::trim) {
            if name.is_empty() {
                return Err(Error::usage(format!(
                    "`--columns {text}`: a name is missing"
                )));
            }
            let of = |columns: &[&'static str]| {
                let mut columns = columns.iter().copied();
                columns.find(|column| is_column(column, name))
            };
            let column = if let Some(known) = of(COLUMNS) {
                Column::Known(known)
            } else if let Some(known) = of(MOMENT_COLUMNS) {
                if !has_moments {
                    let text = format!("`--columns {text}`: only `tabia search` knows `{known}`");
                    return Err(Error::usage(text));
                }
                Column::Known(known)
            } else if let Some(made) = of(MADE) {
                Column::Made(made)
            } else if name.eq_ignore_ascii_case("path") {
                Column::Path
            } else if has_moments && name == "moments" {
                let text = format!("`--columns {text}`: `moments` is a list, not a value");
                let hint = "`--ndjson` without `--columns` has it; `ply,fen,move` are those of the first moment";
                return Err(Error::usage(text).with_hint(hint));
            } else {
                choice.tags.push(name.to_owned());
                Column::Tag(choice.tags.len() - 1)
            };
            let shown = match column {
                Column::Known(known) | Column::Made(known) => known,
                Column::Path => "path",
                Column::Tag(_) => name,
            };
            if choice.names.iter().any(|other| other == shown) {
                let text = format!("`--columns {text}`: `{shown}` is there twice");
                return Err(Error::usage(text));
            }
            choice.names.push(shown.to_owned());
            choice.columns.push(column);
        }
        choice.shown_tags = choice.tags.len();
        if choice.columns.contains(&Column::Made("speed")) {
            choice.tags.extend(SPEED_TAGS.map(str::to_owned));
        }
        Ok(choice)
    }

    /// The value of one of [`MADE`].
    fn made(&self, name: &str, row: &ListRow<'_>) -> Cell<'static> {
        let number = |value: u64| match value {
            0 => Cell::Unknown,
            value => Cell::Number(value),
        };
        match name {
            "year" => number(row.date.year.into()),
            "month" => number(row.date.month.into()),
            "decade" => number(u64::from(row.date.year) / 10 * 10),
            _ => {
                let tag = |number: usize| -> Option<&str> {
                    row.tags.get(self.shown_tags + number)?.as_deref()
                };
                let speed = speed(tag(0), tag(1).unwrap_or_default());
                speed.map_or(Cell::Unknown, |speed| Cell::Text(speed.into()))
            }
        }
    }

    /// Appends a row, as [`render`](crate::ls_row::render) does.
    pub(crate) fn render(&self, style: RowStyle, row: &ListRow<'_>, path: &str, out: &mut Vec<u8>) {
        let value = |column: &Column| match column {
            Column::Known(name) => cell(name, row),
            Column::Made(name) => self.made(name, row),
            Column::Path => Cell::Text(path.into()),
            Column::Tag(number) => match row.tags.get(*number) {
                Some(Some(value)) => Cell::Text(value.as_str().into()),
                _ => Cell::Unknown,
            },
        };
        if !style.has_cells() {
            let object = self.names.iter().zip(&self.columns);
            let object = object.map(|(name, column)| (name.as_str(), value(column)));
            let list = style == RowStyle::Json;
            if list {
                out.extend_from_slice(b",\n");
            }
            append_object(object, out);
            if !list {
                out.push(b'\n');
            }
            return;
        }
        for (i, column) in self.columns.iter().enumerate() {
            let separator = if style == RowStyle::Csv { b',' } else { b'\t' };
            if i > 0 {
                out.push(separator);
            }
            let text = match value(column) {
                Cell::Unknown => continue,
                Cell::Number(number) => number.to_string(),
                Cell::Text(text) => text.into_owned(),
            };
            if style == RowStyle::Csv {
                csv_cell(&text, out);
            } else {
                tsv_cell(&text, out);
            }
        }
        out.push(b'\n');
    }
}

/// Appends a JSON object whose keys are in the order given.
fn append_object<'a>(fields: impl Iterator<Item = (&'a str, Cell<'a>)>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (i, (name, value)) in fields.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        crate::json::append(&name, out);
        out.push(b':');
        match value {
            Cell::Unknown => out.extend_from_slice(b"null"),
            Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Cell::Text(text) => crate::json::append(&text, out),
        }
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use tabia::core::game::Date;

    use super::*;

    #[test]
    fn columns_are_chosen_by_name() {
        let choice = ColumnChoice::parse("ECO, WhiteTeam,white,path", false).unwrap();
        assert_eq!(choice.names, ["eco", "WhiteTeam", "white", "path"]);
        assert_eq!(choice.tags, ["WhiteTeam"]);
        let mut row = ListRow::default();
        row.white = "Tal, Misha".into();
        row.tags = vec![Some("Riga\t1".to_owned())];
        let text = |style| {
            let mut out = Vec::new();
            choice.render(style, &row, "a.pgn", &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(RowStyle::Tsv), "\tRiga\\t1\tTal, Misha\ta.pgn\n");
        assert_eq!(text(RowStyle::Csv), ",Riga\t1,\"Tal, Misha\",a.pgn\n");
        assert_eq!(
            text(RowStyle::Ndjson),
            "{\"eco\":null,\"WhiteTeam\":\"Riga\\t1\",\"white\":\"Tal, Misha\",\"path\":\"a.pgn\"}\n"
        );
        // Values that are made of others, and the tags that they need after those that are shown.
        let choice = ColumnChoice::parse("Year,month,decade,speed,Site2", false).unwrap();
        assert_eq!(choice.tags, ["Site2", "EventType", "TimeControl"]);
        assert_eq!(choice.shown_tags, 1);
        row.date = Date::parse("1998.??.07").unwrap();
        row.tags = vec![None, None, Some("180+2".to_owned())];
        let mut out = Vec::new();
        choice.render(RowStyle::Ndjson, &row, "", &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"year\":1998,\"month\":null,\"decade\":1990,\"speed\":\"blitz\",\"Site2\":null}\n"
        );
        // As tables and `--sort` call them.
        let choice = ColumnChoice::parse("number,white_elo,BLACK_ELO,ply_count", false).unwrap();
        assert_eq!(choice.names, ["game", "whiteElo", "blackElo", "plies"]);
        assert!(choice.tags.is_empty());
        for (name, hint) in [
            ("white_team", "did you mean `WhiteTeam`?"),
            ("openning", "did you mean `Opening`?"),
            ("wite", "did you mean `white`?"),
            ("timcontrol", "did you mean `TimeControl`?"),
            ("eloBand", "`tabia stats --by eloBand` knows it"),
            ("Zzzz", "`tabia help ls` lists the columns"),
            ("Termination", "`tabia help ls` lists the columns"),
        ] {
            assert_eq!(hint_at_column(name), hint);
        }
        for wrong in ["", "white,", "white,White", "ply", "x,x"] {
            assert!(ColumnChoice::parse(wrong, false).is_err(), "{wrong}");
        }
        assert!(ColumnChoice::parse("ply,fen,move", true).is_ok());
    }
}
