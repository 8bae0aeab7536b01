//! The table of `book find` in several books: a row for each move, a column for each book.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use tabia::Error;
use tabia::book::find::{FoundMove, FoundPosition};
use tabia::core::books::Wdl;
use unicode_width::UnicodeWidthStr;

use crate::readable_numbers::{grouped, percent};
use crate::result_bar::{BAR, bar};
use crate::stdout::StdoutWriter;
use crate::table::Table;
use crate::terminal::{self, TextStyle};

/// Spaces between columns.
const GAP: usize = 2;
/// Width of `100.0%`.
const SHARE_WIDTH: usize = 6;

/// What the table shows of a move in a book; the first that fits the terminal is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// `43.0%  14,060  ████▒▒░░`.
    Bars,
    /// `43.0%  14,060`.
    Counts,
    /// `43.0%`.
    Shares,
}

/// How the columns of the books are laid out.
#[derive(Debug)]
pub(super) struct BookColumns {
    detail: Detail,
    /// Of each book the width of the number of games or of the weight.
    count_widths: Vec<usize>,
    /// Names, or the numbers of the books if names would have to be cut.
    headers: Vec<String>,
    /// The names with those numbers.
    legend: Vec<String>,
}

impl BookColumns {
    /// The columns for a terminal of that width; `None` if not even the shares fit.
    pub(super) fn fit(found: &[(String, Option<FoundPosition>)], width: usize) -> Option<Self> {
        let count_widths: Vec<usize> = found
            .iter()
            .map(|(_, position)| {
                let moves = position.iter().flat_map(|position| &position.moves);
                let longest = moves.map(|m| count(m).len()).max();
                longest
                    .max(Some(total_count(position.as_ref()).len()))
                    .unwrap_or_default()
            })
            .collect();
        let has_results = all_moves(found).any(|m| m.results.is_some());
        let sans = all_moves(found).map(|m| m.san.width());
        let move_width = sans.max().unwrap_or_default().max("Move".len());
        let levels = [Detail::Bars, Detail::Counts, Detail::Shares];
        let books: Vec<&str> = found.iter().map(|(book, _)| &**book).collect();
        let units = found.iter().map(|(_, position)| unit(position.as_ref()));
        let names: Vec<String> = short_names(&books)
            .into_iter()
            .zip(units)
            .map(|(name, unit)| name + unit)
            .collect();
        let total = |detail: Detail, headers: &[String]| {
            let columns = count_widths.iter().zip(headers);
            let columns = columns.map(|(count, header)| {
                let content = match detail {
                    Detail::Shares => SHARE_WIDTH,
                    Detail::Counts => SHARE_WIDTH + GAP + count,
                    Detail::Bars => SHARE_WIDTH + GAP + count + GAP + BAR as usize,
                };
                GAP + content.max(header.width())
            });
            move_width + columns.sum::<usize>()
        };
        let numbers: Vec<String> = (1..=found.len()).map(|number| number.to_string()).collect();
        let mut levels = levels
            .into_iter()
            .filter(|detail| has_results || *detail != Detail::Bars);
        let detail = levels.find(|detail| total(*detail, &numbers) <= width)?;
        let (headers, legend) = if total(detail, &names) <= width {
            (names, Vec::new())
        } else {
            let names = numbers.iter().zip(&names);
            let legend = names
                .map(|(number, name)| format!("{number}  {name}"))
                .collect();
            (numbers, legend)
        };
        Some(Self {
            detail,
            count_widths,
            headers,
            legend,
        })
    }

    /// Writes the rows of these moves.
    pub(super) fn write(
        self,
        found: &[(String, Option<FoundPosition>)],
        moves: &[&FoundMove],
        out: &mut StdoutWriter,
    ) -> Result<(), Error> {
        for line in &self.legend {
            out.styled(TextStyle::Dim, line)?;
            out.text("\n")?;
        }
        let mut headers = vec!["Move".to_owned()];
        headers.extend(self.headers.iter().cloned());
        let mut table = Table::with_headers(headers);
        table.push(&self.total(found), out)?;
        for m in moves {
            let mut cells = vec![m.san.clone()];
            for ((_, position), width) in found.iter().zip(&self.count_widths) {
                let mut moves = position.iter().flat_map(|position| &position.moves);
                let same = moves.find(|other| other.m == m.m);
                let total = position.as_ref().and_then(total_games);
                cells.push(same.map_or_else(|| "-".to_owned(), |m| self.cell(m, total, *width)));
            }
            table.push(&cells, out)?;
        }
        table.finish(out)
    }

    /// The row of all moves, the first.
    fn total(&self, found: &[(String, Option<FoundPosition>)]) -> Vec<String> {
        let totals = found.iter().zip(&self.count_widths);
        let cells = totals.map(|((_, position), width)| {
            let moves = position.iter().flat_map(|position| &position.moves);
            if moves.clone().next().is_none() {
                return "-".to_owned();
            }
            let results = position.as_ref().and_then(|position| position.results);
            self.cell_of(1.0, &total_count(position.as_ref()), results, *width)
        });
        std::iter::once("all".to_owned()).chain(cells).collect()
    }

    /// The share is one of what is counted next to it: of games, also if a book chooses by weights of its own.
    fn cell(&self, m: &FoundMove, total: Option<u64>, count_width: usize) -> String {
        let of_games = m.games.zip(total.filter(|&total| total > 0));
        let share = of_games.map_or(m.probability, |(games, total)| games as f64 / total as f64);
        self.cell_of(share, &count(m), m.results, count_width)
    }

    fn cell_of(&self, share: f64, count: &str, results: Option<Wdl>, count_width: usize) -> String {
        let mut text = format!("{:>5.1}%", percent(share));
        if self.detail == Detail::Shares {
            return text;
        }
        let _ = write!(text, "  {count:>count_width$}");
        if let Some(results) = results.filter(|_| self.detail == Detail::Bars) {
            text.push_str("  ");
            text.push_str(&bar(results));
        }
        text
    }
}

/// What a book counts in a position, as its name is followed by it.
fn unit(position: Option<&FoundPosition>) -> &'static str {
    let moves = || position.iter().flat_map(|position| &position.moves);
    if moves().any(|m| m.games.is_some()) {
        " (games)"
    } else if moves().any(|m| m.weight.is_some()) {
        " (weights)"
    } else {
        ""
    }
}

/// The games of a position, or else the sum of the weights of its moves.
fn total_count(position: Option<&FoundPosition>) -> String {
    let moves = || position.iter().flat_map(|position| &position.moves);
    let weights = || {
        moves()
            .map(|m| m.weight.map(u64::from))
            .sum::<Option<u64>>()
    };
    let total = position.and_then(total_games).or_else(weights);
    total.map(grouped).unwrap_or_default()
}

/// The games of a position.
fn total_games(position: &FoundPosition) -> Option<u64> {
    let games = position.games.or(position.results.map(Wdl::games));
    games.or_else(|| position.moves.iter().map(|m| m.games).sum())
}

/// The moves of all books.
fn all_moves(found: &[(String, Option<FoundPosition>)]) -> impl Iterator<Item = &FoundMove> {
    let positions = found.iter().flat_map(|(_, position)| position);
    positions.flat_map(|position| &position.moves)
}

/// The games, or else the weight.
fn count(m: &FoundMove) -> String {
    let count = m.games.or(m.weight.map(u64::from));
    count.map(grouped).unwrap_or_default()
}

/// The names of books without folder and extension; those of which several are the same with their extension, and with
/// their folder if they still are.
fn short_names(books: &[&str]) -> Vec<String> {
    let text = |name: Option<&OsStr>| name.map(|name| name.to_string_lossy().into_owned());
    let forms = |book: &str| {
        let path = Path::new(book);
        let stem = text(path.file_stem()).unwrap_or_else(|| book.to_owned());
        let name = text(path.file_name()).unwrap_or_else(|| book.to_owned());
        [stem, name, book.to_owned()]
    };
    let forms: Vec<[String; 3]> = books.iter().map(|book| forms(book)).collect();
    let is_unique = |form: usize, name: &String| {
        let same = forms.iter().filter(|other| other.get(form) == Some(name));
        same.count() == 1
    };
    let name = |forms: &[String; 3]| {
        let [stem, name, path] = forms;
        match (is_unique(0, stem), is_unique(1, name)) {
            (true, _) => stem.clone(),
            (_, true) => name.clone(),
            _ => path.clone(),
        }
    };
    forms.iter().map(name).collect()
}

/// The width of the terminal, or that of a table for something else.
pub(super) fn columns_for(found: &[(String, Option<FoundPosition>)]) -> Option<BookColumns> {
    BookColumns::fit(found, terminal::width())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_their_extension_or_folder() {
        assert_eq!(short_names(&["a/one.bin", "two.ctg"]), ["one", "two"]);
        assert_eq!(
            short_names(&["a/one.bin", "a/one.ctg", "b/one.ctg", "two.abk"]),
            ["one.bin", "a/one.ctg", "b/one.ctg", "two"]
        );
    }
}
