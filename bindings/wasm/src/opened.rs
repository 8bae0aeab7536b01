//! An open database or book.

use tabia::book::find::{FoundMove, FoundPosition, find};
use tabia::book::position_arg::position_of;
use tabia::core::formats::CreateOptions;
use tabia::core::game::Date;
use tabia::core::games::Database;
use tabia::core::io::Blob;
use tabia::list::{ListRow, row};
use tabia::{
    Book, Error, GameIndex, InputItem, OpenInput, OpenOptions, Profile, Recorder, Resolver, Want,
};

use crate::game_json::push_game;
use crate::json::{Object, push_array};

/// Bytes of PGN after which no further game is appended.
const PGN_BYTES: usize = 1 << 20;

pub(crate) enum Content {
    /// Several if the file is an archive.
    Databases(Vec<Box<dyn Database>>),
    Book(Box<dyn Book>),
}

/// What was opened, with the format of its file.
pub(crate) struct Opened {
    pub(crate) content: Content,
    format: String,
    problems: Vec<String>,
    /// The names of the databases.
    #[cfg_attr(
        not(feature = "search"),
        expect(dead_code, reason = "only a search asks for them")
    )]
    pub(crate) names: Vec<String>,
}

impl Opened {
    /// Opens the first of the files that is recognised, with the others as its companions.
    pub(crate) fn new(files: &[(String, Blob)]) -> Result<Self, Error> {
        let resolver = Resolver::default();
        let mut first_error = None;
        for (name, _) in files {
            match resolver.files(name, files.to_vec()) {
                Ok(item) => return Self::of_item(&resolver, item),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or_else(|| Error::usage("there is no file")))
    }

    fn of_item(resolver: &Resolver, item: InputItem) -> Result<Self, Error> {
        let options = OpenOptions::default();
        let format = item.format().id().to_string();
        let (mut databases, mut names) = (Vec::new(), Vec::new());
        let mut problems = Vec::new();
        for item in resolver.expand(item)? {
            let item = item?;
            let opened = item.open_indexed(&options)?;
            problems.extend(opened.problems.iter().map(ToString::to_string));
            match opened.input {
                OpenInput::Database(database) => {
                    problems.extend(database.info().problems.iter().cloned());
                    databases.push(database);
                    names.push(item.name());
                }
                OpenInput::Book(book) if databases.is_empty() => {
                    problems.extend(book.info().problems.iter().cloned());
                    let content = Content::Book(book);
                    return Ok(Self {
                        content,
                        format,
                        problems,
                        names,
                    });
                }
                _ => return Err(Error::usage(format!("{} holds no games", item.name()))),
            }
        }
        Ok(Self {
            content: Content::Databases(databases),
            format,
            problems,
            names,
        })
    }

    pub(crate) fn databases(&self) -> &[Box<dyn Database>] {
        match &self.content {
            Content::Databases(databases) => databases,
            Content::Book(_) => &[],
        }
    }

    pub(crate) fn info(&self) -> String {
        let mut text = String::new();
        let mut object = Object::new(&mut text);
        object.text("format", Some(&self.format));
        match &self.content {
            Content::Databases(databases) => {
                let games: u64 = databases.iter().map(|one| u64::from(one.len())).sum();
                object.text("kind", Some("database"));
                object.value("length", Some(games));
            }
            Content::Book(book) => {
                let info = book.info();
                object.text("kind", Some("book"));
                object.value("positions", info.positions);
                object.value("moves", info.moves);
                object.value("games", info.games);
            }
        }
        let problems = object.name("problems");
        push_array(problems, &self.problems, |text, problem| {
            let mut object = Object::new(text);
            object.text("text", Some(problem));
            object.end();
        });
        object.end();
        text
    }

    /// The database with a record by its number from 1, and the index of the record in it.
    fn find(&self, number: u64) -> Result<(&dyn Database, GameIndex), Error> {
        let mut rest = number.checked_sub(1);
        for database in self.databases() {
            let index = rest.and_then(|rest| u32::try_from(rest).ok());
            if let Some(index) = index.filter(|index| *index < database.len()) {
                return Ok((&**database, GameIndex(index)));
            }
            rest = rest.and_then(|rest| rest.checked_sub(u64::from(database.len())));
        }
        Err(Error::usage(format!("there is no game {number}")))
    }

    pub(crate) fn headers(&self, first: u64, count: u64) -> Result<String, Error> {
        let mut rows = Vec::new();
        for number in first..first.saturating_add(count) {
            let Ok((database, game)) = self.find(number) else {
                break;
            };
            let mut reader = database.reader();
            let row = row(database, &mut *reader, game).map_err(|error| error.in_game(game))?;
            rows.push((number, row));
        }
        let mut text = String::new();
        push_array(&mut text, &rows, |text, (number, row)| {
            push_header(text, *number, row);
        });
        Ok(text)
    }

    /// Games as PGN in the profile `full`, from a number on, at most `count`, and none after about 1 MiB.
    /// Returns the number after the last.
    pub(crate) fn pgn(&self, first: u64, count: u64) -> Result<(u64, String), Error> {
        let mut options = CreateOptions::default();
        options.profile = Profile::Full;
        let format = tabia::writable_formats().find_map(|format| format.create_text);
        let create = format.ok_or_else(|| Error::usage("no text of games can be written"))?;
        let mut writer = create(&options)?;
        let (mut number, end) = (first, first.saturating_add(count));
        let _ = self.find(first)?;
        while number < end && writer.text().len() < PGN_BYTES {
            let Ok((database, index)) = self.find(number) else {
                break;
            };
            let mut reader = database.reader();
            let left = u64::from(database.len() - index.0).min(end - number);
            for index in (index.0..).take(usize::try_from(left).unwrap_or(usize::MAX)) {
                let game = GameIndex(index);
                let read = reader.read(game, Want::ALL, &mut *writer);
                let _ = read.map_err(|error| error.in_game(game))?;
                number += 1;
                if writer.text().len() >= PGN_BYTES {
                    break;
                }
            }
        }
        let text = String::from_utf8_lossy(writer.text()).into_owned();
        Ok((number, text))
    }

    /// A game by its number from 1, with all its moves.
    pub(crate) fn game(&self, number: u64) -> Result<String, Error> {
        let (database, index) = self.find(number)?;
        let mut recorder = Recorder::new();
        let read = database.reader().read(index, Want::ALL, &mut recorder);
        let _ = read.map_err(|error| error.in_game(index))?;
        let problems = recorder.take_problems().into_iter();
        let problems: Vec<Error> = problems
            .map(|problem| problem.error.in_game(index))
            .collect();
        let mut text = String::new();
        push_game(&mut text, number, recorder.game(), &problems)?;
        Ok(text)
    }

    /// The moves of a book in a position: a FEN, or moves from the standard position.
    pub(crate) fn moves(&self, position: &str) -> Result<String, Error> {
        let Content::Book(book) = &self.content else {
            return Err(Error::usage("this is a database, no book"));
        };
        let position = position_of(position).map_err(Error::usage)?;
        let found = find(&**book, &position)?;
        let mut text = String::new();
        let Some(found) = found else {
            text.push_str("null");
            return Ok(text);
        };
        push_position(&mut text, &found);
        Ok(text)
    }
}

/// Appends a header, with the names and values of `tabia ls --json`.
fn push_header(text: &mut String, number: u64, row: &ListRow<'_>) {
    header(text, number, row).end();
}

/// A header that is not ended.
pub(crate) fn header<'t>(text: &'t mut String, number: u64, row: &ListRow<'_>) -> Object<'t> {
    let date = Some(row.date).filter(|date| *date != Date::UNKNOWN);
    let result = Some(row.result).filter(|_| !row.flags.text);
    let mut object = Object::new(text);
    object.value("game", Some(number));
    object.known_text("white", &row.white);
    object.value("whiteElo", row.white_elo);
    object.known_text("black", &row.black);
    object.value("blackElo", row.black_elo);
    object.text("result", result.map(|it| it.to_string()).as_deref());
    object.text("date", date.map(|it| it.to_string()).as_deref());
    object.known_text("event", &row.event);
    object.known_text("site", &row.site);
    object.known_text("round", &row.round);
    object.text("eco", row.eco.map(|it| it.to_string()).as_deref());
    object.value("plies", row.plies);
    object.known_text("annotator", &row.annotator);
    object.text("flags", Some(&row.flags.to_string()));
    object
}

fn push_position(text: &mut String, found: &FoundPosition) {
    let mut object = Object::new(text);
    object.value("games", found.games);
    object.text("comment", found.comment.as_deref());
    push_array(object.name("moves"), &found.moves, push_move);
    object.end();
}

fn push_move(text: &mut String, m: &FoundMove) {
    let mut object = Object::new(text);
    object.text("san", Some(&m.san));
    object.text("uci", Some(&m.uci));
    object.value("weight", m.weight);
    object.value("games", m.games);
    object.value("white", m.results.map(|results| results.white));
    object.value("draws", m.results.map(|results| results.draws));
    object.value("black", m.results.map(|results| results.black));
    object.value("score", m.score);
    object.value("averageRating", m.average_rating);
    object.value("performance", m.performance);
    object.value("probability", Some(m.probability));
    object.value("recommended", m.recommended);
    object.text("annotation", m.annotation.as_deref());
    object.text("comment", m.comment.as_deref());
    object.text("opening", m.opening.map(|opening| opening.name));
    object.end();
}
