//! The games of any input, distributed over several files.
//!
//! The text of each game is put into a temporary file while the input is read; then one target after
//! another is written, so that there is never more than one open, in a hidden folder. When all are
//! complete they get their names.

mod file_names;
mod game_keys;
mod split_by;
mod staging;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::chess::PieceLetters;
use tabia_core::external::{FixedRecord, FixedSorter};
use tabia_core::formats::{CreateOptions, CreateText, OpenOptions, OpenStream, Profile};
use tabia_core::game::{Game, Recorder, Want};
use tabia_core::games::{GameWriter, TextWriter, Written};
use tabia_core::io::{Blob, Charset, OutputSet, Progress, TemporaryFile, name_text};
use tabia_core::{Error, GameFormat, GameIndex};
use tabia_formats::archives::compressed::{Compression, Compressor, compress};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::convert::{ConvertOptions, each_item, in_target, uncreated, whole};
use crate::create::SharedFile;
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::media_copies::MediaCopies;
use crate::observer::Observer;
use crate::scan::{ScanReporter, scan};
use crate::target::Target;
use crate::text_record_and_encode_tasks::OriginWriter;

use file_names::FileNames;
use game_keys::SplitTask;
pub use split_by::SplitBy;
use staging::Staging;

/// Bytes of sorted records in memory.
const SORT_MEMORY: usize = 32 << 20;
/// Bytes of games that are read at a time for a database.
const CHUNK: usize = 1 << 20;

/// The text of a game in the temporary file, and the target that gets it.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Piece {
    offset: u64,
    /// Number of the target, in the order in which they are needed first.
    target: u32,
    length: u32,
    /// Numbers of the input and of the game in it.
    item: u32,
    game: u32,
}

impl FixedRecord for Piece {
    type Order = (u32, u64);

    fn order(&self) -> (u32, u64) {
        (self.target, self.offset)
    }

    fn lead(&self) -> u64 {
        u64::from(self.target) << 32
    }
}

/// Converts the games of all items, in order, into files next to the one that `target` names:
/// `games-B90.pgn` for `games.pgn`. All files appear, or none; without
/// [`force`](CreateOptions::force) no file is replaced. Returns the names of all files, and the number of
/// targets.
///
/// # Errors
/// The first input that cannot be read, or why the files cannot be written; a
/// [usage error](Error::usage) if the target is a stream or has no name, or if the games are to be sorted.
pub fn split(
    items: &[InputItem],
    target: &Target<'_>,
    by: SplitBy,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written, u32), Error> {
    let Target::File {
        format,
        path,
        compression,
    } = target
    else {
        let text = "games cannot be split on standard output; name a file with `-o games.pgn`";
        return Err(Error::usage(text));
    };
    if !options.sort.is_empty() {
        let text =
            "games that go to several files keep their order; sort them in a conversion before";
        return Err(Error::usage(text));
    }
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let media = MediaCopies::plan(items, None, &mut |_, _| Ok(None))?;
    if options.plan.strict {
        media.refuse()?;
    }
    let mut plan = options.plan.clone();
    plan.want = format.want(plan.want, &options.create);
    let mut names = FileNames::new(path, by)?;
    let staging = Staging::new(path, format, &options.create)?;
    let mut spool = Spool::new(path)?;
    let mut summary = Summary::default();
    for (number, item) in (0..).zip(items) {
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        let threads = 0..options.plan.threads.max(1);
        let tasks = threads
            .map(|_| Ok(SplitTask::new(game_text(format, &options.create)?, by)))
            .collect::<Result<Vec<_>, Error>>()?;
        let origins = OriginWriter::new(game_text(format, &options.create)?, item);
        let plan = plan.for_item(item, &options.open, progress)?;
        each_item(&mut reporter, options, progress, |reporter, input| {
            let lost = whole(options, &input).lost_facts(|_| None);
            reporter.summary.losses.add_whole(&item.name(), &lost);
            scan(reporter, input, &plan, tasks, &mut |base, batch| {
                let mut from = 0;
                let mut offsets = batch.offsets.as_slice();
                for record in &batch.records {
                    let text = batch.text.get(from..record.end).unwrap_or_default();
                    let own = offsets.partition_point(|offset| offset.at < record.end);
                    let (own, rest) = offsets.split_at(own);
                    offsets = rest;
                    let text = origins.put(text, from, own, |game| base.game(game));
                    from = record.end;
                    let game = base.game(record.game);
                    spool.push(&text, &record.keys, (number, game), &mut names)?;
                }
                Ok(true)
            })
        })?;
    }
    // In the hidden folder they get their names at once.
    let mut create = options.create.clone();
    create.transaction = None;
    let mut joiner = Joiner {
        items,
        format,
        compression: *compression,
        options: &create,
        summary: &mut summary,
        observer,
        open: None,
        written: Vec::new(),
        records: 0,
        bytes: 0,
    };
    spool.finish(|text, piece| {
        let name = names.name(piece.target);
        joiner.write(&staging, name, text, piece)
    })?;
    joiner
        .close()
        .map_err(|error| in_target(error.in_output(), path))?;
    let (records, bytes) = (joiner.records, joiner.bytes);
    let files = staging.commit(&joiner.written, items)?;
    media.add_to(&mut summary);
    Ok((summary, Written::new(records, files, bytes), names.len()))
}

/// The files next to `target` that are named like parts of such a split and are none of `written`: of an earlier one,
/// perhaps. In the order of their names.
pub fn other_parts(target: &Path, by: SplitBy, written: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(names) = FileNames::new(target, by) else {
        return Vec::new();
    };
    let folder = TemporaryFile::folder_of(target);
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let is_written = |name: &OsStr| written.iter().any(|file| file.file_name() == Some(name));
    let others = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name())
        .filter(|name| name.to_str().is_some_and(|name| names.is_part(name)))
        .filter(|name| !is_written(name));
    let mut others: Vec<PathBuf> = others
        .map(|name| match target.parent() {
            Some(parent) => parent.join(name),
            None => name.into(),
        })
        .collect();
    others.sort_unstable();
    others
}

/// The writer of the text of games: the format itself if it is text, else text that loses nothing.
fn game_text(format: &GameFormat, options: &CreateOptions) -> Result<Box<dyn TextWriter>, Error> {
    let made = match format.create_text {
        Some(create) => create(options),
        None => exact_text().and_then(|(create, _)| create(&exact_options())),
    };
    made.map_err(uncreated)
}

/// Options for text that loses nothing.
fn exact_options() -> CreateOptions {
    let mut options = CreateOptions::default();
    options.profile = Profile::Full;
    options.wrap = false;
    options
}

/// Writes and reads the text that holds most.
fn exact_text() -> Result<(CreateText, OpenStream), Error> {
    let options = exact_options();
    let texts = tabia_formats::GAMES.iter().filter_map(|format| {
        let holds = format.features(&options).iter().count();
        Some((holds, format.create_text?, format.open_stream?))
    });
    let best = texts.max_by_key(|(holds, ..)| *holds);
    best.map(|(_, create, open)| (create, open))
        .ok_or_else(|| Error::unsupported("no text holds games"))
}

/// The texts of the games, and which target gets each.
struct Spool {
    text: BufWriter<TemporaryFile>,
    length: u64,
    pieces: FixedSorter<Piece>,
    targets: HashMap<String, u32>,
    /// Records so far, for files with a number of games.
    records: u32,
}

impl Spool {
    /// In the folder of the target, which has space for all games.
    fn new(target: &Path) -> Result<Self, Error> {
        let folder = TemporaryFile::folder_of(target);
        let file = TemporaryFile::new_in(folder).map_err(Error::in_output)?;
        Ok(Self {
            text: BufWriter::with_capacity(1 << 18, file),
            length: 0,
            pieces: FixedSorter::new(folder, SORT_MEMORY),
            targets: HashMap::new(),
            records: 0,
        })
    }

    /// Adds a game for the targets with these keys, or for the one that its number has.
    fn push(
        &mut self,
        text: &[u8],
        keys: &[String],
        (item, game): (u32, GameIndex),
        names: &mut FileNames,
    ) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let length = u32::try_from(text.len());
        let length = length.map_err(|_| Error::unsupported("a game with more than 4 GB"))?;
        let offset = self.length;
        let written = self.text.write_all(text);
        written.map_err(|error| Error::from(error).in_output())?;
        self.length += u64::from(length);
        let number = names.number_of_record(self.records);
        self.records = self.records.saturating_add(1);
        let mut push = |target| {
            self.pieces.push(Piece {
                offset,
                target,
                length,
                item,
                game: game.0,
            })
        };
        if let Some(target) = number {
            return push(target);
        }
        for key in keys {
            let target = match self.targets.entry(key.clone()) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => *free.insert(names.add(key)?),
            };
            push(target)?;
        }
        Ok(())
    }

    /// Hands out the text of every game, one target after another.
    fn finish(self, mut visit: impl FnMut(&[u8], Piece) -> Result<(), Error>) -> Result<(), Error> {
        let file = self.text.into_inner();
        let file = file.map_err(|error| Error::from(error.into_error()).in_output())?;
        let texts = if self.length == 0 {
            Blob::from(Vec::new())
        } else {
            file.map().map_err(Error::in_output)?
        };
        self.pieces.finish(|piece| {
            let from = piece.offset as usize;
            let text = texts.get(from..from + piece.length as usize);
            visit(text.unwrap_or_default(), piece)
        })
    }
}

/// Writes one target after another.
struct Joiner<'a> {
    items: &'a [InputItem],
    format: &'static GameFormat,
    compression: Compression,
    options: &'a CreateOptions,
    summary: &'a mut Summary,
    observer: &'a mut dyn Observer,
    open: Option<OpenTarget>,
    /// The complete files, in the hidden folder.
    written: Vec<PathBuf>,
    records: u32,
    bytes: u64,
}

struct OpenTarget {
    number: u32,
    writer: TargetWriter,
}

enum TargetWriter {
    Text {
        out: Box<dyn Compressor>,
        file: SharedFile,
    },
    Database {
        writer: Box<dyn GameWriter>,
        /// Texts of games that are not written yet.
        texts: Vec<u8>,
        games: Vec<Piece>,
    },
}

impl Joiner<'_> {
    /// Adds a game to its target; the one before is completed if it has another.
    fn write(
        &mut self,
        staging: &Staging,
        name: &str,
        text: &[u8],
        piece: Piece,
    ) -> Result<(), Error> {
        let is_open = self.open.as_ref().map(|open| open.number) == Some(piece.target);
        if !is_open {
            self.close()?;
            let path = staging.path(name);
            let writer = self.create(&path).map_err(uncreated)?;
            self.open = Some(OpenTarget {
                number: piece.target,
                writer,
            });
        }
        self.records = self.records.saturating_add(1);
        let is_full = match self.open.as_mut().map(|open| &mut open.writer) {
            Some(TargetWriter::Text { out, .. }) => {
                let written = out.write_all(text);
                written.map_err(|error| Error::from(error).in_output())?;
                false
            }
            Some(TargetWriter::Database { texts, games, .. }) => {
                texts.extend_from_slice(text);
                games.push(piece);
                texts.len() >= CHUNK
            }
            None => false,
        };
        if is_full { self.flush() } else { Ok(()) }
    }

    fn create(&self, path: &Path) -> Result<TargetWriter, Error> {
        Ok(match (self.format.create_text, self.format.create) {
            (Some(create), _) => {
                let file = SharedFile::create(path, OutputSet::new(false))?;
                let mut out = compress(Box::new(file.clone()), self.compression)?;
                let header = create(self.options)?.header();
                out.write_all(header.as_bytes())?;
                TargetWriter::Text { out, file }
            }
            (None, Some(create)) => TargetWriter::Database {
                writer: create(path, self.options)?,
                texts: Vec::new(),
                games: Vec::new(),
            },
            (None, None) => return Err(Error::unsupported("games cannot be written")),
        })
    }

    /// Writes the games of a database that wait.
    fn flush(&mut self) -> Result<(), Error> {
        let Some(OpenTarget {
            writer:
                TargetWriter::Database {
                    writer,
                    texts,
                    games,
                },
            ..
        }) = &mut self.open
        else {
            return Ok(());
        };
        let mut options = OpenOptions::default();
        options.charset = Charset::Utf8;
        options.pieces = PieceLetters::of_language("en");
        let (_, open) = exact_text()?;
        let mut stream = open(Box::new(Cursor::new(std::mem::take(texts))), &options)?;
        let mut recorder = Recorder::new();
        for piece in games.drain(..) {
            stream.next(Want::ALL, &mut recorder)?;
            let game: &Game = recorder.game();
            let losses = writer.write(game).map_err(Error::in_output)?;
            let item = self.items.get(piece.item as usize);
            if let Some(item) = item.filter(|_| !losses.is_empty()) {
                let game = GameIndex(piece.game);
                self.summary.losses.add(&item.name(), game, &losses);
                let noted = self.observer.losses(item, game, &losses);
                noted.map_err(Error::in_output)?;
            }
        }
        Ok(())
    }

    /// Completes the open target.
    fn close(&mut self) -> Result<(), Error> {
        self.flush()?;
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let (files, bytes) = match open.writer {
            TargetWriter::Text { out, file } => {
                drop(out.finish().map_err(Error::in_output)?);
                file.commit()?
            }
            TargetWriter::Database { writer, .. } => {
                let written = writer.finish().map_err(Error::in_output)?;
                let name = written
                    .files
                    .first()
                    .map_or_else(String::new, |file| name_text(file.as_os_str()).into_owned());
                self.summary.losses.add_whole(&name, &written.losses);
                (written.files, written.bytes)
            }
        };
        self.written.extend(files);
        self.bytes += bytes;
        Ok(())
    }
}
