//! Making a book: from games, from another book, from positions.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use tabia_core::books::GameLink;
use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::GameResult;
use tabia_core::io::{Blob, OutputSet, Sink};
use tabia_core::loss::{Feature, Losses};

use super::block_writer::{part_path, with_suffix};
use super::book::KvetkaBook;
use super::element::{Element, KNOWN_FLAGS, MAX_COMMENT_UNITS, read_links};
use super::header::Header;
use super::key::Key;
use super::merged_element::{NO_MOVE, Record};
use super::moves::encode_move;
use super::record_sorter::RecordSorter;
use super::settings::Settings;
use super::sources::SourceKind;
use super::sources_writer;
use super::sources_writer::{GameRow, NewSource, row_key};

/// Most sources that a link can name.
const MOST_SOURCES: u32 = 1 << 16;

/// What became of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is in the book, with its number in its source when that can be linked.
    Yes(Option<u32>),
    /// The ratings that the header asks for are not met.
    Elo,
    /// It does not start from the usual position.
    Start,
}

type Names = Box<dyn Fn(&Position) -> Option<String> + Send>;

/// Makes a Kvetka book. Memory is bounded: records of positions are sorted in files without a
/// name. The same games in the same order give the same bytes, whether they come at once or are
/// added to a book of some of them.
pub struct Builder {
    pub(super) set: OutputSet,
    /// The path that the names of all files begin with.
    pub(super) base: PathBuf,
    pub(super) force: bool,
    pub(super) header: Header,
    pub(super) settings: Settings,
    pub(super) elements: RecordSorter,
    rows: RecordSorter,
    sources: Vec<NewSource>,
    /// The number of the `.ksf` file in its set.
    ksf: Option<usize>,
    pub(super) number: u64,
    names: Option<Names>,
    named: HashSet<Key>,
    /// Whether links of pages are those of this book's sources.
    pub(super) keeps_links: bool,
    pub(super) losses: Losses,
    record: Sink,
    pub(super) moves: u64,
    /// Numbers of parts and elements, when they are written.
    pub(super) done: Option<(u32, u32)>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("base", &self.base)
            .field("header", &self.header)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// A new book; `NAME.kob` and `NAME_0.kob` both make `NAME_0.kob`, further parts, `NAME.kin`
    /// and, with sources, `NAME.ksf`.
    ///
    /// `title` is the caption; the names that [`info`](tabia_core::books::Book::info) gives the
    /// facts of the header fill it. `kvetka.strings` (`le`, `be`), `kvetka.list` (`compact`,
    /// `u16`, `u32`, `bare`), `kvetka.fill` (percent of a block), `kvetka.part` (bytes),
    /// `kvetka.memory` (bytes) and `kvetka.any_start` (`yes`) are further facts.
    ///
    /// # Errors
    /// When a target exists and may not be replaced, or cannot be created.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let settings = Settings::new(options);
        let header = Header::new(options, settings.order);
        Self::with(path, options.force, header, settings)
    }

    /// A new book that begins as a copy of another, with its header, sources and choices. `path`
    /// may be the book's own when `force` is set in the options.
    ///
    /// # Errors
    /// When the book is of a later version, or as with [`Builder::create`].
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
            order: book.text_order(),
            list: book.list_form(),
            ..Settings::new(options)
        };
        let mut builder = Self::with(path, options.force, header, settings)?;
        builder.copy_sources(book)?;
        builder.copy_elements(book)?;
        Ok(builder)
    }

    fn with(path: &Path, force: bool, header: Header, settings: Settings) -> Result<Self> {
        let base = base_of(path);
        let mut set = OutputSet::new(force);
        set.create(&part_path(&base, 0))?;
        set.create(&with_suffix(&base, ".kin"))?;
        for left in [part_path(&base, 1), with_suffix(&base, ".ksf")] {
            // It would be taken for a part of the new book.
            if !force && std::fs::symlink_metadata(&left).is_ok() {
                return Err(Error::new(ErrorKind::Exists).in_path(&left));
            }
        }
        Ok(Self {
            elements: RecordSorter::new(&base, settings.memory),
            rows: RecordSorter::new(&base, settings.memory / 8),
            set,
            base,
            force,
            header,
            settings,
            sources: Vec::new(),
            ksf: None,
            number: 0,
            names: None,
            named: HashSet::new(),
            keeps_links: false,
            losses: Losses::new(),
            record: Sink::new(),
            moves: 0,
            done: None,
        })
    }

    /// Moves in the book, once it has been settled.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The header of the new book.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Gives positions of games that are added a comment: `A41|Queen's Pawn`. See [`eco_comment`].
    pub fn name_openings(&mut self, names: impl Fn(&Position) -> Option<String> + Send + 'static) {
        self.names = Some(Box::new(names));
    }

    /// Adds a source of games and returns its number. From then on the book stores links to games.
    ///
    /// # Errors
    /// When the list of sources cannot be created.
    pub fn add_source(&mut self, kind: SourceKind, address: &str) -> Result<u32> {
        self.push_source(NewSource::New {
            kind,
            address: address.to_owned(),
            games: 0,
        })
    }

    fn push_source(&mut self, source: NewSource) -> Result<u32> {
        if self.ksf.is_none() {
            self.ksf = Some(self.set.create(&with_suffix(&self.base, ".ksf"))?);
        }
        self.header.element_type |= 1;
        self.sources.push(source);
        Ok(self.sources.len() as u32 - 1)
    }

    /// Takes over the sources of another book, so that links of its pages stay what they are. Only
    /// for a book that has no sources yet.
    ///
    /// # Errors
    /// When there are sources, or the list of them cannot be created.
    pub fn copy_sources(&mut self, book: &KvetkaBook) -> Result<()> {
        if !self.sources.is_empty() {
            return Err(Error::unsupported("sources of two books in one"));
        }
        self.keeps_links = true;
        self.header.element_type |= book.header().element_type & 1;
        let Some(sources) = book.sources() else {
            return Ok(());
        };
        for number in 0..sources.len() as u32 {
            let source = sources.whole(number).unwrap_or_else(|| {
                self.losses.add(Feature::GameLinks, 1, None);
                // An empty source keeps the numbers of the others.
                Blob::from(vec![0; 10])
            });
            self.push_source(NewSource::Copied(source))?;
        }
        Ok(())
    }

    fn copy_elements(&mut self, book: &KvetkaBook) -> Result<()> {
        let linked = book.header().has_game_links();
        let mut list = Vec::new();
        for block in 0..book.parts().len() {
            let mut elements = book.parts().elements(block);
            for body in elements.by_ref() {
                let Some(element) = Element::read(body, linked) else {
                    self.losses.add(Feature::Foreign, 1, None);
                    continue;
                };
                list.clear();
                let read = read_links(&element, linked, book.list_form(), &mut list);
                let later = element.flags & !KNOWN_FLAGS != 0;
                let lost = !read || later || element.bad_comment;
                self.losses.add(Feature::Foreign, u64::from(lost), None);
                self.push(
                    &element.key,
                    &Record::Page {
                        counts: Some(element.counts),
                        of_moves: None,
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

    pub(super) fn push(&mut self, key: &Key, record: &Record<'_>) -> Result<()> {
        self.record.clear();
        record.write(&mut self.record);
        self.elements.push(key, self.number, self.record.as_slice())
    }

    /// Adds the first half-moves of a game, as many as the header says, when its ratings are those
    /// that the header asks for. `source` is what [`Builder::add_source`] gave.
    ///
    /// Every position counts once a game; a game without a result counts nowhere, but its moves
    /// are there. A move without a code is left out, and what follows it is not.
    ///
    /// # Errors
    /// Those of scratch files.
    pub fn add_game(
        &mut self,
        source: Option<u32>,
        row: &GameRow<'_>,
        start: &Position,
        plies: impl IntoIterator<Item = Ply>,
    ) -> Result<Added> {
        if !self.header.admits(row.white_elo, row.black_elo) {
            return Ok(Added::Elo);
        }
        if !self.settings.any_start && *start != Position::standard() {
            return Ok(Added::Start);
        }
        self.number += 1;
        let link = match source {
            Some(source) => self.add_row(source, row)?,
            None => None,
        };
        let most = match self.header.max_move {
            u8::MAX => usize::MAX,
            most => usize::from(most),
        };
        let mut position = start.clone();
        let mut seen = HashSet::new();
        let mut waiting = None;
        let mut plies = plies.into_iter().take(most);
        loop {
            let here = Key::of(&position);
            let m = match plies.next() {
                Some(Ply::Move(m)) => Some(m),
                Some(Ply::Null) => {
                    self.losses.add(Feature::NullMoves, 1, None);
                    None
                }
                None => None,
            };
            if let Some((key, orientation)) = here {
                self.name(&position, key)?;
                let code = m.and_then(|m| encode_move(&position, orientation, m));
                let lost = m.is_some() && code.is_none();
                self.losses.add(Feature::BookMoves, u64::from(lost), None);
                let result = result_of(row.result, position.turn());
                // One position is kept back, because the last one stored ends the game.
                let next = (key, result.filter(|_| seen.insert(key)), code);
                if let Some(before) = waiting.replace(next) {
                    self.visit(before, link, false)?;
                }
            } else {
                self.losses.add(Feature::BookMoves, 1, None);
            }
            match m {
                Some(m) => position.play(m),
                None => break,
            }
        }
        if let Some(last) = waiting {
            self.visit(last, link, true)?;
        }
        Ok(Added::Yes(link.map(|link| link.game)))
    }

    fn visit(
        &mut self,
        (key, result, code): (Key, Option<u8>, Option<u8>),
        link: Option<GameLink>,
        ends: bool,
    ) -> Result<()> {
        let code = code.unwrap_or(NO_MOVE);
        self.push(
            &key,
            &Record::Visit {
                result,
                code,
                ends,
                link,
            },
        )
    }

    fn add_row(&mut self, number: u32, row: &GameRow<'_>) -> Result<Option<GameLink>> {
        let written = row.write(self.settings.charset);
        let Some(NewSource::New { games, .. }) = self.sources.get_mut(number as usize) else {
            return Err(Error::invalid(format!(
                "no source {number} to add games to"
            )));
        };
        let (Some((bytes, whole)), true) = (written, number < MOST_SOURCES) else {
            self.losses.add(Feature::GameLinks, 1, None);
            return Ok(None);
        };
        self.losses
            .add(Feature::Characters, u64::from(!whole), None);
        let link = GameLink {
            source: number,
            game: *games,
        };
        *games += 1;
        self.rows.push(&row_key(number, link.game), 0, &bytes)?;
        Ok(Some(link))
    }

    /// Comments a position the first time it is met.
    fn name(&mut self, position: &Position, key: Key) -> Result<()> {
        let Some(name) = self.names.as_ref().and_then(|names| names(position)) else {
            return Ok(());
        };
        if self.named.insert(key) {
            let comment = self.comment(&name);
            self.push(&key, &Record::Comment(&comment))?;
        }
        Ok(())
    }

    /// The bytes of a comment, cut to what one may have.
    pub(super) fn comment(&mut self, text: &str) -> Vec<u8> {
        let mut comment = self.settings.order.encode(text);
        if comment.len() > 2 * MAX_COMMENT_UNITS {
            self.losses.add(Feature::LongText, 1, None);
            comment.truncate(2 * MAX_COMMENT_UNITS);
        }
        comment
    }

    pub(super) fn write_sources(&mut self) -> Result<()> {
        let rows = std::mem::replace(&mut self.rows, RecordSorter::new(&self.base, 1));
        let Some(out) = self.ksf.and_then(|number| self.set.file(number)) else {
            return Ok(());
        };
        sources_writer::write(&self.sources, rows, self.settings.order, out)
    }

    /// Files of an older book of that name that would be taken for parts of the new one.
    pub(super) fn remove_leftovers(&self, parts: u32) {
        let mut next = parts;
        while std::fs::remove_file(part_path(&self.base, next)).is_ok() {
            next += 1;
        }
        if self.ksf.is_none() {
            // There may be none.
            let _ = std::fs::remove_file(with_suffix(&self.base, ".ksf"));
        }
    }
}

/// The path that the names of all files of a book begin with.
fn base_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.eq_ignore_ascii_case("kob") => stem,
        _ => &*name,
    };
    path.with_file_name(stem.strip_suffix("_0").unwrap_or(stem))
}

/// The first file of the book that [`Builder::create`] makes of a path.
pub fn first_part(path: &Path) -> PathBuf {
    part_path(&base_of(path), 0)
}

/// Which of won, drawn and lost a result is for the side to move.
fn result_of(result: GameResult, turn: Color) -> Option<u8> {
    match (result.to_pgn(), turn) {
        (GameResult::WhiteWins, Color::White) | (GameResult::BlackWins, Color::Black) => Some(0),
        (GameResult::Draw, _) => Some(1),
        (GameResult::WhiteWins, Color::Black) | (GameResult::BlackWins, Color::White) => Some(2),
        _ => None,
    }
}

/// A comment that names an opening as Kvetka does: code, main name and variations between bars.
pub fn eco_comment(eco: &str, name: &str) -> String {
    let name: Vec<&str> = name.split([':', '|']).map(str::trim).collect();
    format!("{eco}|{}", name.join("|"))
}
