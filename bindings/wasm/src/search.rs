//! Games that fit a query.

use tabia::list::{ListRow, row};
use tabia::query::{FoundMoment, Matcher, Query};
use tabia::{Error, GameIndex};

use crate::json::{Object, push_array, push_string};
use crate::opened::{Opened, header};

/// Records that one call of a search looks at.
const SEARCHED: u64 = 50_000;

/// Which records are searched next to games that are not marked as deleted.
#[derive(Clone, Copy)]
pub(crate) struct Searched {
    /// Games marked as deleted.
    pub(crate) deleted: bool,
    /// Guiding texts.
    pub(crate) texts: bool,
}

/// The games from the number `first` on that fit a query, at most `count`: their headers with the moments, the
/// problems of games that could not be read to decide, and the number from which the search goes on. It is that
/// after the last record if there is none left.
pub(crate) fn search(
    opened: &Opened,
    query: &str,
    first: u64,
    count: u64,
    searched: Searched,
) -> Result<(u64, String), Error> {
    let query = Query::parse(query)?;
    if !query.sort().is_empty() {
        let text = "`sort:` sorts nothing here: games are found in their order";
        return Err(Error::usage(text));
    }
    let (mut number, end) = (first.max(1), first.saturating_add(SEARCHED));
    let mut found = FoundGames::default();
    let mut begin = 1;
    for (database, name) in opened.databases().iter().zip(&opened.names) {
        let (low, high) = (begin, begin + u64::from(database.len()));
        begin = high;
        if number >= high || number >= end || found.count >= count {
            continue;
        }
        let mut matcher = Matcher::new(&query).for_database(name).with_moments();
        let mut reader = database.reader();
        let in_database = |number: u64| u32::try_from(number - low).unwrap_or(u32::MAX);
        let (last, mut index) = (in_database(end.min(high)), in_database(number));
        while index < last && found.count < count {
            index = matcher.next_candidate(&**database, index, last);
            if index == last {
                break;
            }
            let game = GameIndex(index);
            index += 1;
            let entry = database.entry(game).map_err(|error| error.in_game(game));
            if let Ok(entry) = &entry
                && (entry.deleted && !searched.deleted || entry.is_text && !searched.texts)
            {
                continue;
            }
            let fits = matcher.matches_record(&**database, &mut *reader, game);
            let fits = entry.and(fits.map_err(|error| error.in_game(game)));
            let problems = matcher.take_problems().into_iter();
            let problems = problems.map(|problem| problem.error.in_game(game));
            found
                .problems
                .extend(problems.map(|error| error.to_string()));
            let header = match fits {
                Ok(false) => continue,
                Ok(true) => row(&**database, &mut *reader, game),
                Err(error) => Err(error),
            };
            match header {
                Ok(header) => {
                    found.push(low + u64::from(game.0), &header, matcher.moments());
                }
                Err(error) => found.problems.push(error.to_string()),
            }
        }
        number = low + u64::from(index);
    }
    Ok((number, found.into_text()))
}

/// What a search has found.
#[derive(Default)]
struct FoundGames {
    /// Objects, with a comma after each.
    headers: String,
    count: u64,
    problems: Vec<String>,
}

impl FoundGames {
    /// Appends a header with the first moments of a game, with the names of `tabia search --json`.
    fn push(&mut self, number: u64, row: &ListRow<'_>, moments: &[FoundMoment]) {
        let mut object = header(&mut self.headers, number, row);
        push_array(object.name("moments"), moments, |text, moment| {
            let played = moment
                .played
                .map(|ply| moment.position.san(ply).to_string());
            let mut object = Object::new(text);
            object.value("ply", Some(moment.ply));
            object.text("fen", Some(&moment.position.fen()));
            object.text("move", played.as_deref());
            object.end();
        });
        object.end();
        self.headers.push(',');
        self.count += 1;
    }

    fn into_text(self) -> String {
        let mut text = String::new();
        let mut object = Object::new(&mut text);
        let games = object.name("games");
        games.push('[');
        games.push_str(self.headers.strip_suffix(',').unwrap_or_default());
        games.push(']');
        push_array(object.name("problems"), &self.problems, |text, problem| {
            push_string(text, problem);
        });
        object.end();
        text
    }
}
