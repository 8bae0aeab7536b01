//! Builds a book from games, from another book, or from positions.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::books::GameLink;
use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::GameResult;
use tabia_core::io::{Blob, OutputSet, Sink};
use tabia_core::loss::{Feature, Losses};

use super::block_writer::BookNames;
use super::book::KvetkaBook;
use super::contribution::{Contribution, NO_MOVE};
use super::header::Header;
use super::key::Key;
use super::move_code::encode_move;
use super::read_element::{Element, KNOWN_FLAGS, MAX_COMMENT_UNITS, read_links};
use super::record_sorter::RecordSorter;
use super::sources::SourceKind;
use super::sources_writer;
use super::sources_writer::{NewSource, SourceGame, game_key};
use super::writer_settings::Settings;

/// Number of sources that links can name.
const MAX_SOURCES: u32 = 1 << 16;

/// The outcome of adding a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedGame {
    /// The game is in the book; with its number in its source, if it is linked.
    Yes(Option<u32>),
    /// Left out: its ratings do not satisfy the header.
    Elo,
    /// Left out: it does not start from the standard position.
    Start,
}

type OpeningNames = Box<dyn Fn(&Position) -> Option<String> + Send>;

/// Builds a Kvetka book. Memory is bounded: contributions to positions are sorted in temporary files.
/// The same games in the same order give the same bytes, also if some of them are appended later.
pub struct KvetkaBuilder {
    pub(super) set: OutputSet,
    /// The path of all files, without `_0.kob` and the like.
    pub(super) names: BookNames,
    pub(super) force: bool,
    pub(super) header: Header,
    pub(super) settings: Settings,
    pub(super) contributions: RecordSorter,
    /// The games of the sources.
    games: RecordSorter,
    sources: Vec<NewSource>,
    /// The number of the `.ksf` file in the set of files.
    pub(super) ksf: Option<usize>,
    /// Games and positions put so far; orders the contributions to a position.
    pub(super) number: u64,
    opening_names: Option<OpeningNames>,
    /// Positions that already have a comment with their name.
    named: HashSet<Key>,
    /// Whether links of positions name sources of this book.
    pub(super) keeps_links: bool,
    pub(super) losses: Losses,
    buffer: Sink,
}

impl fmt::Debug for KvetkaBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KvetkaBuilder")
            .field("base", &self.names.base)
            .field("header", &self.header)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl KvetkaBuilder {
    /// Creates a book; the paths `NAME.kob` and `NAME_0.kob` both mean `NAME_0.kob`, further parts,
    /// `NAME.kin` and, with sources, `NAME.ksf`.
    ///
    /// `title` is the caption; facts named as in [`info`](tabia_core::books::Book::info) fill the
    /// header. `kvetka.strings` (`le`, `be`), `kvetka.list` (`compact`,
    /// `u16`, `u32`, `bare`), `kvetka.fill` (percent of a block), `kvetka.part` (bytes),
    /// `kvetka.memory` (bytes) and `kvetka.any_start` (`yes`) are further facts.
    ///
    /// # Errors
    /// If a target exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let settings = Settings::new(options);
        let header = Header::new(options, settings.text_order);
        Self::with(path, options, header, settings)
    }

    /// Creates a book with the header, sources and elements of another, to add games to. `path` may be
    /// that of the other book if `force` is set in the options.
    ///
    /// # Errors
    /// If the book is of a later version, or as with [`KvetkaBuilder::create`].
    pub fn append(book: &KvetkaBook, path: &Path, options: &CreateOptions) -> Result<Self> {
        let header = Header {
            blocks: 0,
            ..book.header().clone()
        };
        if header.element_type & !1 != 0 {
            let text = "a book with an element_type of a later version is not written";
            return Err(Error::unsupported(text));
        }
        let settings = Settings {
            text_order: book.text_order(),
            list_form: book.list_form(),
            ..Settings::new(options)
        };
        let mut builder = Self::with(path, options, header, settings)?;
        if let Some(lock) = &options.lock {
            builder.set.hold(Arc::clone(lock));
        }
        builder.copy_sources(book)?;
        builder.copy_elements(book)?;
        Ok(builder)
    }

    fn with(
        path: &Path,
        options: &CreateOptions,
        header: Header,
        settings: Settings,
    ) -> Result<Self> {
        let force = options.force;
        let names = BookNames::of(path);
        let mut set = options.outputs();
        set.create(&names.part(0))?;
        set.create(&names.file("kin"))?;
        for stale in [names.part(1), names.file("ksf")] {
            // It would be read as a part of the new book.
            if !force && std::fs::symlink_metadata(&stale).is_ok() {
                return Err(Error::new(ErrorKind::Exists).in_path(&stale));
            }
        }
        Ok(Self {
            contributions: RecordSorter::new(&names.base, settings.memory),
            games: RecordSorter::new(&names.base, settings.memory / 8),
            set,
            names,
            force,
            header,
            settings,
            sources: Vec::new(),
            ksf: None,
            number: 0,
            opening_names: None,
            named: HashSet::new(),
            keeps_links: false,
            losses: Losses::new(),
            buffer: Sink::new(),
        })
    }

    /// The header of the new book.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Sets a function that names openings: positions of games added later get their names as
    /// comments, such as `A41|Queen's Pawn`. See [`eco_comment`].
    pub fn name_openings(&mut self, names: impl Fn(&Position) -> Option<String> + Send + 'static) {
        self.opening_names = Some(Box::new(names));
    }

    /// Adds a source of games and returns its number. From then on the book stores links to games.
    ///
    /// # Errors
    /// If the list of sources cannot be created.
    pub fn add_source(&mut self, kind: SourceKind, address: &str) -> Result<u32> {
        self.push_source(NewSource::New {
            kind,
            address: address.to_owned(),
            games: 0,
        })
    }

    fn push_source(&mut self, source: NewSource) -> Result<u32> {
        if self.ksf.is_none() {
            self.ksf = Some(self.set.create(&self.names.file("ksf"))?);
        }
        self.header.element_type |= 1;
        self.sources.push(source);
        Ok(self.sources.len() as u32 - 1)
    }

    /// Copies the sources of another book, so that links of its positions remain valid. The new book
    /// must not have sources yet.
    ///
    /// # Errors
    /// If there are sources, or the list of sources cannot be created.
    pub fn copy_sources(&mut self, book: &KvetkaBook) -> Result<()> {
        if !self.sources.is_empty() {
            return Err(Error::unsupported("sources of two books in one"));
        }
        self.keeps_links = true;
        self.header.element_type |= book.header().element_type & 1;
        let Some(sources) = book.sources() else {
            return Ok(());
        };
        // A list without sources is a file, too, or the new book would miss it.
        if sources.is_empty() && self.ksf.is_none() {
            self.ksf = Some(self.set.create(&self.names.file("ksf"))?);
        }
        for number in 0..sources.len() as u32 {
            let source = sources.source_bytes(number).unwrap_or_else(|| {
                self.losses.add(Feature::GameLinks, 1, None);
                // An empty source preserves the numbers of the others.
                Blob::from(vec![0; 10])
            });
            self.push_source(NewSource::Copied(source))?;
        }
        Ok(())
    }

    fn copy_elements(&mut self, book: &KvetkaBook) -> Result<()> {
        let has_links = book.header().has_game_links();
        let mut list = Vec::new();
        for block in 0..book.parts().len() {
            let mut elements = book.parts().elements(block);
            for body in elements.by_ref() {
                let Some(element) = Element::read(body, has_links) else {
                    self.losses.add(Feature::Foreign, 1, None);
                    continue;
                };
                list.clear();
                let is_read = read_links(&element, has_links, book.list_form(), &mut list);
                let is_later = element.flags & !KNOWN_FLAGS != 0;
                let is_lost = !is_read || is_later || element.bad_comment;
                self.losses.add(Feature::Foreign, u64::from(is_lost), None);
                self.push(
                    &element.key,
                    &Contribution::Page {
                        counts: Some(element.counts),
                        move_counts: None,
                        codes: element.moves,
                        source: element.source,
                        comment: element.comment.unwrap_or_default(),
                        list: &list,
                    },
                )?;
            }
            let lost = u64::from(elements.lost > 0);
            self.losses.add(Feature::Foreign, lost, None);
        }
        Ok(())
    }

    /// Adds a contribution to a position.
    pub(super) fn push(&mut self, key: &Key, contribution: &Contribution<'_>) -> Result<()> {
        self.buffer.clear();
        contribution.write(&mut self.buffer);
        let bytes = self.buffer.as_slice();
        self.contributions.push(key, self.number, bytes)
    }

    /// Adds the first plies of a game, at most [`Header::max_move`], if its ratings satisfy the header.
    /// `source` is the result of [`KvetkaBuilder::add_source`].
    ///
    /// A game counts once in each of its positions; without a result it does not count, but its moves
    /// are added. A move without a code is left out; the moves after it are not.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn add_game(
        &mut self,
        source: Option<u32>,
        game: &SourceGame<'_>,
        start: &Position,
        plies: impl IntoIterator<Item = Ply>,
    ) -> Result<AddedGame> {
        if !self.header.admits(game.white_elo, game.black_elo) {
            return Ok(AddedGame::Elo);
        }
        if !self.settings.any_start && *start != Position::standard() {
            return Ok(AddedGame::Start);
        }
        self.number += 1;
        let is_undecided = result_index(game.result, Color::White).is_none();
        self.losses
            .add(Feature::BookCounts, u64::from(is_undecided), None);
        let link = match source {
            Some(source) => self.add_source_game(source, game)?,
            None => None,
        };
        let max_plies = match self.header.max_move {
            u8::MAX => usize::MAX,
            max => usize::from(max),
        };
        let mut position = start.clone();
        let mut counted = HashSet::new();
        let mut pending = None;
        let mut plies = plies.into_iter().take(max_plies);
        loop {
            let key = Key::of(&position);
            let m = match plies.next() {
                Some(Ply::Move(m)) => Some(m),
                Some(Ply::Null) => {
                    self.losses.add(Feature::NullMoves, 1, None);
                    None
                }
                None => None,
            };
            if let Some((key, orientation)) = key {
                self.add_opening_name(&position, key)?;
                let code = m.and_then(|m| encode_move(&position, orientation, m));
                let is_lost = m.is_some() && code.is_none();
                self.losses
                    .add(Feature::BookMoves, u64::from(is_lost), None);
                let result = result_index(game.result, position.turn());
                // The last position is marked as such, so each one waits for the next.
                let next = (key, result.filter(|_| counted.insert(key)), code);
                if let Some(before) = pending.replace(next) {
                    self.push_game(before, link, false)?;
                }
            } else {
                self.losses.add(Feature::BookMoves, 1, None);
            }
            match m {
                Some(m) => position.play(m),
                None => break,
            }
        }
        if let Some(last) = pending {
            self.push_game(last, link, true)?;
        }
        Ok(AddedGame::Yes(link.map(|link| link.game)))
    }

    /// Adds a game to one of its positions.
    fn push_game(
        &mut self,
        (key, result, code): (Key, Option<u8>, Option<u8>),
        link: Option<GameLink>,
        ends: bool,
    ) -> Result<()> {
        let code = code.unwrap_or(NO_MOVE);
        self.push(
            &key,
            &Contribution::Game {
                result,
                code,
                ends,
                link,
            },
        )
    }

    /// Adds a game to a source; returns its link, `None` if it cannot be linked.
    fn add_source_game(&mut self, number: u32, game: &SourceGame<'_>) -> Result<Option<GameLink>> {
        let written = game.write(self.settings.charset);
        let Some(NewSource::New { games, .. }) = self.sources.get_mut(number as usize) else {
            return Err(Error::invalid(format!(
                "no source {number} to add games to"
            )));
        };
        let (Some((bytes, is_exact)), true) = (written, number < MAX_SOURCES) else {
            self.losses.add(Feature::GameLinks, 1, None);
            return Ok(None);
        };
        self.losses
            .add(Feature::Characters, u64::from(!is_exact), None);
        let link = GameLink {
            source: number,
            game: *games,
        };
        *games += 1;
        self.games.push(&game_key(number, link.game), 0, &bytes)?;
        Ok(Some(link))
    }

    /// Adds the name of an opening as a comment, once for each position.
    fn add_opening_name(&mut self, position: &Position, key: Key) -> Result<()> {
        let Some(name) = self
            .opening_names
            .as_ref()
            .and_then(|names| names(position))
        else {
            return Ok(());
        };
        if self.named.insert(key) {
            let comment = self.comment(&name);
            self.push(&key, &Contribution::Comment(&comment))?;
        }
        Ok(())
    }

    /// The bytes of a comment, cut to [`MAX_COMMENT_UNITS`].
    pub(super) fn comment(&mut self, text: &str) -> Vec<u8> {
        let mut comment = self.settings.text_order.encode(text);
        if comment.len() > 2 * MAX_COMMENT_UNITS {
            self.losses.add(Feature::LongText, 1, None);
            comment.truncate(2 * MAX_COMMENT_UNITS);
        }
        comment
    }

    pub(super) fn write_sources(&mut self) -> Result<()> {
        let games = std::mem::replace(&mut self.games, RecordSorter::new(&self.names.base, 1));
        let Some(out) = self.ksf.and_then(|number| self.set.file(number)) else {
            return Ok(());
        };
        sources_writer::write(&self.sources, games, self.settings.text_order, out)
    }

    /// Has the files of a replaced book that would be read as parts of the new one removed together
    /// with its other files.
    pub(super) fn remove_stale_files(&mut self, parts: u32) {
        let later = (parts..).map(|number| self.names.part(number));
        for part in later.take_while(|part| part.exists()) {
            self.set.obsolete(part);
        }
        if self.ksf.is_none() {
            self.set.obsolete(self.names.file("ksf"));
        }
    }
}

/// The path of the first file that [`KvetkaBuilder::create`] creates for a path.
pub fn first_part(path: &Path) -> PathBuf {
    BookNames::of(path).part(0)
}

/// The index of a result among won, drawn and lost, from the side to move; `None` if there is no
/// result.
fn result_index(result: GameResult, turn: Color) -> Option<u8> {
    match (result.to_pgn(), turn) {
        (GameResult::WhiteWins, Color::White) | (GameResult::BlackWins, Color::Black) => Some(0),
        (GameResult::Draw, _) => Some(1),
        (GameResult::WhiteWins, Color::Black) | (GameResult::BlackWins, Color::White) => Some(2),
        _ => None,
    }
}

/// A comment that names an opening as Kvetka does: code, main name and variations, separated by bars.
pub fn eco_comment(eco: &str, name: &str) -> String {
    let name: Vec<&str> = name.split([':', '|']).map(str::trim).collect();
    format!("{eco}|{}", name.join("|"))
}
