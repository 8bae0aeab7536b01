//! Tables as wide as the terminal, one line per row.

use comfy_table::{CellAlignment, ColumnConstraint, Row, Width, presets};
use tabia::Error;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::control_char_filter::one_line;
use crate::messages::wrapped;
use crate::stdout::StdoutWriter;
use crate::terminal::{self, TextStyle};

/// Rows that are laid out together.
const BATCH: usize = 500;
/// Text columns without a row in [`SPECS`] are not cut below this width, that of a date.
const MIN_WIDTH: usize = 10;
/// Text columns are cut to this width before ratings are left out.
const NARROW_WIDTH: usize = 8;
/// No text column is cut below this width.
const LEAST_WIDTH: usize = 4;
/// Spaces between columns.
const GAP: usize = 2;

/// How a column is shown, and what becomes of it if the terminal is too narrow.
#[derive(Debug, Clone, Copy)]
struct ColumnSpec {
    name: &'static str,
    header: &'static str,
    /// The width to which a text is cut before another column is left out: one of those of
    /// [`MINOR_RANK`], any other one. `None` if it is never cut.
    cut_to: Option<(usize, usize)>,
    /// Columns with the highest rank are left out first, those of rank 0 never.
    drop_rank: u8,
}

/// Shorthand for the rows of [`SPECS`].
const fn spec(
    name: &'static str,
    header: &'static str,
    cut_to: Option<(usize, usize)>,
    drop_rank: u8,
) -> ColumnSpec {
    ColumnSpec {
        name,
        header,
        cut_to,
        drop_rank,
    }
}

/// The columns that need more than their name: what identifies a game is never cut, players get the
/// space, and what is left out first is what a list of games is rarely read for.
const SPECS: &[ColumnSpec] = &[
    spec("game", "#", None, 0),
    spec("format", "Format", None, 0),
    spec("name", "Name", Some((25, 14)), 0),
    spec("extensions", "Extensions", None, 35),
    spec("read", "Read", None, 0),
    spec("write", "Write", None, 0),
    spec("kind", "Kind", None, 60),
    spec("evidence", "Evidence", Some((24, 24)), 95),
    spec("cannotHold", "Cannot hold", Some((40, 40)), 99),
    spec("white", "White", Some((18, 14)), 0),
    spec("whiteElo", "Elo", None, 30),
    spec("black", "Black", Some((18, 14)), 0),
    spec("blackElo", "Elo", None, 30),
    spec("result", "Res", None, 0),
    spec("date", "Date", None, 0),
    spec("event", "Event", Some((12, 12)), 75),
    spec("site", "Site", Some((10, 10)), 85),
    spec("round", "Rd", None, 78),
    spec("eco", "ECO", None, 25),
    spec("plies", "Ply", None, 40),
    // The moment at which a game fits the query, next to the number of plies.
    spec("ply", "At", None, 90),
    spec("annotator", "Annotator", Some((10, 10)), 82),
    spec("flags", "", None, 50),
    spec("source", "Source", Some((16, 12)), 70),
    spec("path", "Path", Some((16, 16)), 0),
    spec("output", "Output", Some((16, 16)), 0),
    spec("kept", "Kept", Some((16, 11)), 0),
    spec("dropped", "Dropped", Some((16, 11)), 0),
    spec("outcome", "Outcome", None, 0),
    spec("lost", "Lost", None, 0),
    spec("problems", "Problems", None, 0),
    spec("archive", "Archive", Some((16, 16)), 0),
    spec("book", "Book", Some((12, 12)), 0),
    spec("points", "Pts", None, 45),
    spec("move", "Move", None, 0),
    spec("san", "Move", None, 0),
    spec("games", "Games", None, 0),
    spec("weight", "Weight", None, 0),
    spec("results", "Results", None, 0),
    spec("score", "Score%", None, 0),
    spec("advice", "", None, 0),
    spec("averageRating", "Ø Elo", None, 60),
    spec("performance", "Perf", None, 65),
    spec("lastPlayed", "Last", None, 66),
    spec("childGames", "Child", None, 68),
    spec("probability", "Plays%", None, 0),
    spec("annotation", "", None, 0),
    spec("opening", "Opening", Some((20, 12)), 58),
    spec("comment", "Comment", Some((12, 12)), 85),
    spec("basegames", "Before", None, 0),
    spec("fen", "Position", Some((48, 48)), 90),
];
/// The rank of a column that is not in [`SPECS`]; of several the last one is left out first.
const DEFAULT_RANK: u8 = 90;
/// From this rank on, columns are left out before names are cut much.
const MINOR_RANK: u8 = 65;
/// Below this rank, columns are left out only if names that are cut to their beginnings do not make space enough.
const LAST_RANK: u8 = 40;

/// A table that is printed while its rows come. Columns without content in the first rows are left
/// out, cells of text that are too long are cut.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<String>,
    headers: Vec<String>,
    numeric: Vec<bool>,
    /// The user asked for each of the columns: none is left out.
    is_chosen: bool,
    /// Each row is followed by a line with the cells that are left out or cut.
    has_details: bool,
    /// A column that is never left out.
    kept: Option<&'static str>,
    /// The first line has the headers.
    has_header: bool,
    /// The visible columns, once the first rows are known.
    layout: Option<Vec<Column>>,
    waiting: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    index: usize,
    /// Display width in terminal columns.
    width: usize,
}

impl Table {
    pub(crate) fn new<N: AsRef<str>>(names: &[N], numeric: &[&str]) -> Self {
        let names = names.iter().map(AsRef::as_ref);
        Self {
            headers: names.clone().map(header).collect(),
            numeric: names.clone().map(|name| numeric.contains(&name)).collect(),
            names: names.map(str::to_owned).collect(),
            is_chosen: false,
            has_details: false,
            kept: None,
            has_header: true,
            layout: None,
            waiting: Vec::new(),
        }
    }

    /// A table of texts under headers of their own, the first column a name that is never left out.
    pub(crate) fn with_headers(headers: Vec<String>) -> Self {
        Self {
            names: vec![String::new(); headers.len()],
            numeric: vec![false; headers.len()],
            is_chosen: false,
            has_details: false,
            kept: None,
            has_header: true,
            headers,
            layout: None,
            waiting: Vec::new(),
        }
    }

    /// Sets the header of a column that is not what its name means elsewhere.
    pub(crate) fn set_header(&mut self, name: &str, header: &str) {
        let at = self.names.iter().position(|known| known == name);
        if let Some(cell) = at.and_then(|at| self.headers.get_mut(at)) {
            header.clone_into(cell);
        }
    }

    /// Shows every column, also those without content, and whatever their width.
    pub(crate) fn with_all_columns(mut self) -> Self {
        self.is_chosen = true;
        self
    }

    /// Never leaves out the column of that name.
    pub(crate) fn keep(&mut self, name: &'static str) {
        self.kept = Some(name);
    }

    /// What a terminal is too narrow for is in a second line of each row.
    pub(crate) fn with_details(&mut self) {
        self.has_details = terminal::is_width_limit();
    }

    /// Leaves the headers out.
    pub(crate) fn without_header(mut self) -> Self {
        self.has_header = false;
        self
    }

    /// Whether a column is shown; `None` if the rows that decide have not come yet.
    pub(crate) fn shows(&self, name: &str) -> Option<bool> {
        let layout = self.layout.as_ref()?;
        let mut names = layout
            .iter()
            .filter_map(|column| self.names.get(column.index));
        Some(names.any(|shown| shown == name))
    }

    pub(crate) fn push(&mut self, cells: &[String], out: &mut StdoutWriter) -> Result<(), Error> {
        let cells = cells.iter().map(|cell| one_line(cell).into());
        self.waiting.push(cells.collect());
        if self.waiting.len() >= BATCH {
            self.print(out)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, out: &mut StdoutWriter) -> Result<(), Error> {
        self.print(out)
    }

    /// Prints the rows that wait, the header first if they are the first.
    fn print(&mut self, out: &mut StdoutWriter) -> Result<(), Error> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.waiting);
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        // Cells hold no line breaks, so they are cut anywhere instead of between words.
        table.set_delimiter('\n').set_truncation_indicator("…");
        let has_header = self.layout.is_none() && self.has_header;
        let mut layout = self
            .layout
            .take()
            .unwrap_or_else(|| self.fit(&rows, terminal::width(), terminal::is_width_limit()));
        if has_header {
            table.add_row(self.row(&layout, &self.headers));
        }
        let drops = terminal::is_width_limit();
        self.widen(&mut layout, &rows, terminal::width(), drops);
        for cells in &rows {
            table.add_row(self.row(&layout, cells));
        }
        for (column, shown) in layout.iter().zip(table.column_iter_mut()) {
            shown.set_padding((0, GAP as u16));
            shown.set_constraint(ColumnConstraint::Absolute(Width::Fixed(
                u16::try_from(column.width + GAP).unwrap_or(u16::MAX),
            )));
            if self.is_numeric(column.index) {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        for (number, line) in table.lines().enumerate() {
            let line = line.trim_end();
            if has_header && number == 0 {
                out.styled(TextStyle::Dim, line)?;
            } else {
                out.text(line)?;
            }
            out.text("\n")?;
            let row = number.checked_sub(usize::from(has_header));
            let row = row
                .filter(|_| self.has_details)
                .and_then(|row| rows.get(row));
            let details = row.map(|cells| self.details(&layout, cells, terminal::width()));
            if let Some(details) = details.filter(|details| !details.is_empty()) {
                out.styled(TextStyle::Dim, &details)?;
                out.text("\n")?;
            }
        }
        self.layout = Some(layout);
        Ok(())
    }

    /// The cells of a row that are left out or cut, under its first column, in lines of at most `limit` columns.
    fn details(&self, layout: &[Column], cells: &[String], limit: usize) -> String {
        let indent = layout.first().map_or(0, |first| first.width + GAP);
        let mut text = String::new();
        let mut is_first = true;
        for (index, cell) in cells.iter().enumerate() {
            let shown = layout.iter().find(|column| column.index == index);
            if cell.is_empty() || shown.is_some_and(|shown| cell.width() <= shown.width) {
                continue;
            }
            if !is_first {
                text.push_str(" · ");
            }
            is_first = false;
            // Numbers are not understood without their names, and the annotator is no player.
            let label = match self.names.get(index).map(String::as_str) {
                Some(name @ ("round" | "annotator")) => name,
                _ if self.is_numeric(index) => self.headers.get(index).map_or("", String::as_str),
                _ => "",
            };
            text.push_str(label);
            if !label.is_empty() {
                text.push(' ');
            }
            text.push_str(cell);
        }
        if is_first {
            return String::new();
        }
        let text = wrapped(&text, indent, indent, limit);
        let lines = text.lines().enumerate().map(|(number, line)| {
            let indent = if number == 0 { indent } else { 0 };
            cut_end(&format!("{:indent$}{line}", ""), limit)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The visible cells of a row.
    fn row(&self, layout: &[Column], cells: &[String]) -> Row {
        let cells = layout.iter().map(|column| {
            let cell = cells.get(column.index).map_or("", String::as_str);
            if self.is_path(column.index) {
                cut_front(cell, column.width)
            } else {
                cell.to_owned()
            }
        });
        let mut row = Row::from(cells.collect::<Vec<_>>());
        row.max_height(1);
        row
    }

    /// Which columns are shown, and how wide. `drops`: texts are cut and columns left out until the
    /// rest fits into `limit`; otherwise lines may be longer.
    fn fit(&self, rows: &[Vec<String>], limit: usize, drops: bool) -> Vec<Column> {
        let mut columns = Vec::new();
        for (index, header) in self.headers.iter().enumerate() {
            let content = content_width(rows, index);
            if content > 0 || self.is_chosen {
                let header = if self.has_header { header.width() } else { 0 };
                let width = content.max(header).max(1);
                columns.push(Column { index, width });
            }
        }
        loop {
            let ranks = columns.iter().enumerate();
            let ranks = ranks.map(|(at, column)| (self.spec(column.index).drop_rank, at));
            let next = ranks.max().filter(|(rank, _)| drops && *rank > 0);
            let is_minor = next.is_some_and(|(rank, _)| rank >= MINOR_RANK);
            let mut layout = columns.clone();
            self.cut_texts(&mut layout, limit, |(comfortable, least)| {
                if is_minor { comfortable } else { least }
            });
            if total(&layout) <= limit || !drops {
                return layout;
            }
            // On the narrowest screens names are cut to their beginnings before such a column goes.
            if let Some((_, at)) = next.filter(|(rank, _)| *rank < LAST_RANK) {
                let is_rating = columns
                    .get(at)
                    .is_some_and(|column| self.is_rating(column.index));
                let least = if is_rating { NARROW_WIDTH } else { LEAST_WIDTH };
                let mut narrow = layout.clone();
                self.cut_texts(&mut narrow, limit, |_| least);
                if total(&narrow) <= limit {
                    return narrow;
                }
            }
            match next {
                Some((_, at)) if columns.len() > 1 => {
                    let dropped = columns.remove(at).index;
                    if self.is_result_count(dropped) {
                        columns.retain(|column| !self.is_result_count(column.index));
                    } else if self.is_rating(dropped) {
                        columns.retain(|column| !self.is_rating(column.index));
                    }
                }
                _ => {
                    self.cut_texts(&mut layout, limit, |_| LEAST_WIDTH);
                    return layout;
                }
            }
        }
    }

    /// Narrows texts until the line is at most `limit` wide or every text has its least width: first
    /// those that would be left out first, of several the widest.
    fn cut_texts(
        &self,
        layout: &mut [Column],
        limit: usize,
        least: impl Fn((usize, usize)) -> usize,
    ) {
        while total(layout) > limit {
            let texts = layout.iter_mut().filter(|column| {
                let spec = self.spec(column.index);
                let least = spec.cut_to.map(&least);
                least.is_some_and(|least| column.width > least.max(spec.header.width()))
            });
            match texts.max_by_key(|column| (self.spec(column.index).drop_rank, column.width)) {
                Some(text) => text.width -= 1,
                None => return,
            }
        }
    }

    /// Widens columns for later rows with longer cells: those that are never cut, and texts as far as there is
    /// space within `limit`. `cuts`: texts give way to those that are never cut.
    fn widen(&self, layout: &mut [Column], rows: &[Vec<String>], limit: usize, cuts: bool) {
        for column in layout.iter_mut() {
            if self.spec(column.index).cut_to.is_none() {
                column.width = column.width.max(content_width(rows, column.index));
            }
        }
        if cuts {
            self.cut_texts(layout, limit, |(_, least)| least);
            self.cut_texts(layout, limit, |_| LEAST_WIDTH);
        }
        let mut left = limit.saturating_sub(total(layout));
        for column in layout {
            let missing = content_width(rows, column.index).saturating_sub(column.width);
            column.width += missing.min(left);
            left -= missing.min(left);
        }
    }

    fn spec(&self, index: usize) -> ColumnSpec {
        let name = self.names.get(index).map_or("", String::as_str);
        let known = SPECS.iter().find(|spec| spec.name == name);
        // The names of players have the same names as counts of results.
        let known = known.filter(|_| !self.is_result_count(index));
        let mut spec = known.copied().unwrap_or(ColumnSpec {
            name: "",
            header: "",
            cut_to: (!self.is_numeric(index)).then_some((MIN_WIDTH, MIN_WIDTH)),
            drop_rank: if index == 0 { 0 } else { DEFAULT_RANK },
        });
        if self.is_chosen || self.kept == Some(name) {
            spec.drop_rank = 0;
        }
        spec
    }

    /// Whether a column is one of the counts of results, which add up: all are shown, or none.
    fn is_result_count(&self, index: usize) -> bool {
        let name = self.names.get(index).map(String::as_str);
        self.is_numeric(index) && matches!(name, Some("white" | "draws" | "black"))
    }

    /// Whether a column is one of the two ratings of a game: both are shown, or none.
    fn is_rating(&self, index: usize) -> bool {
        let name = self.names.get(index).map(String::as_str);
        matches!(name, Some("whiteElo" | "blackElo"))
    }

    /// Paths are cut at their front, since they differ at their end.
    fn is_path(&self, index: usize) -> bool {
        let name = self.names.get(index);
        name.is_some_and(|name| {
            matches!(
                name.as_str(),
                "path" | "archive" | "book" | "source" | "kept" | "dropped"
            )
        })
    }

    fn is_numeric(&self, index: usize) -> bool {
        self.numeric.get(index).copied().unwrap_or_default()
    }
}

/// The header of a column: that of [`SPECS`], or its key as words, `problemList` as `Problem list`.
fn header(name: &str) -> String {
    if let Some(spec) = SPECS.iter().find(|spec| spec.name == name) {
        return spec.header.to_owned();
    }
    let mut words = String::new();
    for (index, c) in name.chars().enumerate() {
        if index == 0 {
            words.extend(c.to_uppercase());
        } else if c.is_uppercase() {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(c);
        }
    }
    words
}

/// The display width of the widest cell of a column.
fn content_width(rows: &[Vec<String>], index: usize) -> usize {
    let cells = rows.iter().filter_map(|cells| cells.get(index));
    cells.map(|cell| cell.width()).max().unwrap_or_default()
}

/// The width of a line.
fn total(layout: &[Column]) -> usize {
    let widths = layout.iter().map(|column| column.width + GAP);
    widths.sum::<usize>().saturating_sub(GAP)
}

/// Cuts text at its end to a display width.
fn cut_end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let kept = text.chars().take_while(|c| {
        let rest = left.checked_sub(c.width().unwrap_or_default());
        left = rest.unwrap_or(0);
        rest.is_some()
    });
    let mut kept: String = kept.collect();
    kept.push('…');
    kept
}

/// Cuts text at its front to a display width.
pub(crate) fn cut_front(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let mut start = text.len();
    for (index, c) in text.char_indices().rev() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or_default()) else {
            break;
        };
        left = rest;
        // A combining character is not cut off its base.
        if c.width() != Some(0) {
            start = index;
        }
    }
    format!("…{}", text.get(start..).unwrap_or_default())
}

/// Writes names and values below a title, the values aligned.
pub(crate) fn describe(
    title: &str,
    lines: &[(String, String)],
    indent: &str,
    out: &mut StdoutWriter,
) -> Result<(), Error> {
    out.text(&format!("{indent}{}\n", one_line(title)))?;
    let is_terminal = terminal::stdout_is_terminal();
    let width = if is_terminal {
        terminal::width()
    } else {
        usize::MAX
    };
    for ((name, value), gap) in lines.iter().zip(gaps(lines)) {
        out.text(&format!("{indent}  "))?;
        out.styled(TextStyle::Dim, name)?;
        let used = indent.width() + 2 + name.width() + gap;
        let value = wrapped(&one_line(value), used, used, width);
        out.text(&format!("{}{value}\n", " ".repeat(gap)))?;
    }
    Ok(())
}

/// The numbers of spaces between names and their values.
fn gaps(lines: &[(String, String)]) -> impl Iterator<Item = usize> {
    let widest = lines.iter().map(|(name, _)| name.width()).max();
    let widest = widest.unwrap_or_default();
    lines
        .iter()
        .map(move |(name, _)| widest - name.width() + GAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&'static str], numeric: &[&str]) -> Table {
        Table::new(names, numeric)
    }

    fn cells(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    fn widths(layout: &[Column]) -> Vec<(usize, usize)> {
        let pairs = layout.iter().map(|column| (column.index, column.width));
        pairs.collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_content_is_displayed() {
        let table = table(&["name", "empty", "city"], &[]);
        let rows = [
            cells(&["王", "", "e\u{301}"]),
            cells(&["Ding Liren", "", ""]),
        ];
        assert_eq!(widths(&table.fit(&rows, 80, true)), [(0, 10), (2, 4)]);
    }

    #[test]
    fn a_game_list_keeps_what_identifies_a_game() {
        let names = crate::ls_row::COLUMNS;
        let table = table(
            crate::ls_row::COLUMNS,
            &["game", "whiteElo", "blackElo", "plies"],
        );
        let rows = [cells(&[
            "9998",
            "Vitiugov, Nikita",
            "2732",
            "Rakhmanov, Aleksandr",
            "2621",
            "½-½",
            "2019.10.04",
            "FIDE Chess.com Grand Swiss",
            "Douglas",
            "10.7",
            "D30",
            "83",
            "Somebody",
            "VCS",
        ])];
        let shown = |limit| {
            let layout = table.fit(&rows, limit, true);
            assert!(total(&layout) <= limit, "{limit}: {layout:?}");
            let shown = layout.iter().map(|column| names[column.index]);
            (shown.collect::<Vec<_>>(), layout)
        };
        let (columns, layout) = shown(80);
        assert!(!columns.contains(&"event"));
        for name in ["game", "whiteElo", "result", "date", "eco"] {
            assert!(columns.contains(&name), "{name}");
        }
        assert!(layout[1].width >= 14 && layout[3].width >= 14);
        assert_eq!(shown(200).0.len(), names.len());
        // Narrower than the parts that are never cut: only the names give way.
        let (columns, layout) = shown(58);
        assert_eq!(columns.len(), 8);
        assert!(layout[1].width >= 8 && layout[3].width >= 8);
        assert_eq!(layout[0].width, 4);
        assert_eq!(layout[6].width, 10);
        assert_eq!(layout[7].width, 3);
        // A telephone: without ratings the lines do not wrap, and names are more than their beginnings.
        for limit in [40, 52] {
            let (columns, _) = shown(limit);
            assert_eq!(columns, ["game", "white", "black", "result", "date", "eco"]);
        }
    }

    #[test]
    fn later_rows_widen_columns_that_are_never_cut() {
        let table = table(&["game", "white"], &["game"]);
        let mut layout = table.fit(&[cells(&["9", "Tal"])], 80, true);
        table.widen(&mut layout, &[cells(&["100000", "Botvinnik"])], 0, false);
        assert_eq!(widths(&layout), [(0, 6), (1, 5)]);
        // Texts get what is left.
        table.widen(&mut layout, &[cells(&["1", "Botvinnik"])], 16, false);
        assert_eq!(widths(&layout), [(0, 6), (1, 8)]);
        table.widen(&mut layout, &[cells(&["1", "Botvinnik"])], 80, false);
        assert_eq!(widths(&layout), [(0, 6), (1, 9)]);
    }

    #[test]
    fn later_rows_stay_within_the_terminal() {
        let table = table(&["game", "eco", "name"], &["game"]);
        let name = "Queen's Indian Defense: Kasparov-Petrosian Variation, Petrosian Attack";
        let mut layout = table.fit(&[cells(&["9", "E12", name])], 80, true);
        assert_eq!(total(&layout), 78);
        table.widen(&mut layout, &[cells(&["100000", "E12", name])], 80, true);
        assert_eq!(total(&layout), 80);
        assert_eq!(layout[0].width, 6);
    }

    #[test]
    fn headers_are_words() {
        assert_eq!(header("whiteElo"), "Elo");
        assert_eq!(header("problemList"), "Problem list");
    }

    #[test]
    fn details_are_what_a_row_does_not_show() {
        let table = table(&["game", "white", "event", "site", "round"], &["game"]);
        let row = cells(&["7", "Anderssen, Adolf", "Offhand game", "London", "3.1"]);
        let layout = table.fit(std::slice::from_ref(&row), 22, true);
        let text = table.details(&layout, &row, 60);
        assert_eq!(text, "   Offhand game · London · round 3.1");
        let text = table.details(&layout, &row, 20);
        assert_eq!(text, "   Offhand game · L…");
        let text = table.details(&layout, &row, 30);
        assert_eq!(text, "   Offhand game · London ·\n   round 3.1");
        let narrow = table.fit(std::slice::from_ref(&row), 16, true);
        assert!(
            table
                .details(&narrow, &row, 60)
                .starts_with("   Anderssen, Adolf · ")
        );
        let all = table.fit(std::slice::from_ref(&row), 200, true);
        assert_eq!(table.details(&all, &row, 60), "");
    }

    #[test]
    fn paths_are_cut_at_their_front() {
        assert_eq!(cut_front("/chess/mega.cbh", 9), "…mega.cbh");
        assert_eq!(cut_front("/棋/名人.cbh", 9), "…名人.cbh");
        assert_eq!(cut_front("/棋/名人.cbh", 8), "…人.cbh");
        assert_eq!(cut_front("/e\u{301}e\u{301}", 2), "…e\u{301}");
        assert_eq!(cut_front("short", 9), "short");
    }

    #[test]
    fn what_a_repair_lost_is_never_left_out() {
        let names = [
            "path",
            "format",
            "outcome",
            "output",
            "records",
            "whole",
            "damaged",
            "lost",
            "positions",
            "problems",
        ];
        let numeric = [
            "records",
            "whole",
            "damaged",
            "lost",
            "positions",
            "problems",
        ];
        let table = Table::new(&names, &numeric);
        let path = "a/rather/long/path/of/a/database.cbh";
        let row = cells(&[
            path,
            "cbh",
            "damaged",
            path,
            "11,964,285",
            "11,964,000",
            "285",
            "12",
            "",
            "4,711",
        ]);
        let layout = table.fit(&[row], 80, true);
        let shown: Vec<usize> = layout.iter().map(|column| column.index).collect();
        assert!(shown.contains(&7) && shown.contains(&9), "{shown:?}");
        assert!(total(&layout) <= 80);
    }

    #[test]
    fn values_are_aligned_by_display_width() {
        let lines = [("a", "1"), ("王王", "2")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(gaps(&lines).collect::<Vec<_>>(), [5, 2]);
    }
}
