//! Any input to any format that can be written.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::{
    CreateDatabase, CreateOptions, CreateText, OpenBlocks, OpenOptions, Profile,
};
use tabia_core::game::{Annotation, Flow, Game, GameHead, GameResult, Visitor, Want};
use tabia_core::games::{Block, BlockReader, GameWriter, TextWriter, Written};
use tabia_core::io::{
    Charset, FolderLock, Progress, SetLock, Transaction, existing_path, name_text,
    require_replaceable, temporary_folder,
};
use tabia_core::loss::{Feature, Losses};
use tabia_core::{Error, ErrorKind, ErrorSide, GameFormat, GameIndex, Problem};
use tabia_formats::Format;
use tabia_formats::archives::compressed::{Compression, compress};
use tabia_query::Query;
use zerocopy::byteorder::big_endian::U32;

use crate::base::{Index, IndexOptions, restrict_by_index};
use crate::compare_with_repair::shared_record;
use crate::create::SharedFile;
use crate::dedupe::Merges;
use crate::dedupe::known_duplicates;
use crate::edit::require_own_moves;
use crate::end_of_text::{LineEndWriter, TextEnd};
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::media_copies::MediaCopies;
use crate::media_references::References;
use crate::observer::{NoObserver, Observer};
use crate::resolve::Resolver;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::select::Selection;
use crate::sort::{GameSorter, SortOrder, SortTask};
use crate::target::cannot_write;
use crate::text_record_and_encode_tasks::{
    EncodeSink, EncodeTask, OriginWriter, RecordTask, Recorded,
};

pub use crate::target::{Target, writable};

/// How to convert.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// How the target is created.
    pub create: CreateOptions,
    /// Which records, what of them, on how many threads.
    pub plan: ScanOptions,
    /// The order of the games of all inputs together; that of the inputs if empty.
    pub sort: SortOrder,
    /// Records of each input, ascending, that are left out.
    pub dropped: Vec<Arc<Vec<u32>>>,
    /// Of each input the games that get the annotations of their duplicates.
    pub merges: Vec<Arc<Merges>>,
    /// Whether saved indexes are used to find the games that fit the query.
    pub index: Index,
    /// Where saved indexes are.
    pub index_options: IndexOptions,
    /// The games are added to the database that is the target, or to a text file such as PGN, compressed or
    /// not. What was there is there until the copy with all games is complete. A database of a format without
    /// [`edit`](GameFormat::edit) is written again; it is refused if that would lose anything.
    pub append: bool,
    /// Media files are neither copied nor counted as lost: for a target that is only tried.
    pub without_media: bool,
    /// A file of no records is not written, and none is replaced by it: for a query, which may be mistyped, and where a
    /// file is replaced. [`convert`] then returns no files.
    pub needs_records: bool,
}

impl ConvertOptions {
    /// Sets the query and the order: that which is asked for, or that of the query. Games that do not fit are counted.
    ///
    /// # Errors
    /// A usage error if games are to be sorted by the moments that fit a query that asks for none.
    ///
    /// ```
    /// use tabia::convert::ConvertOptions;
    ///
    /// # fn main() -> Result<(), tabia::Error> {
    /// let mut options = ConvertOptions::default();
    /// options.choose(tabia::Query::parse("player:morphy sort:date-desc")?, None)?;
    /// assert!(options.plan.filter.is_some() && !options.sort.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn choose(&mut self, query: Query, sort: Option<SortOrder>) -> Result<(), Error> {
        self.sort = sort.unwrap_or_else(|| query.sort().clone());
        if self.sort.has_moments() && !query.asks_for_moments() {
            let text = "`--sort ply` sorts by the moment that a query asks for, and `--where` asks for none";
            let hint = "`--sort plies` sorts by the length of the games";
            return Err(Error::usage(text).with_hint(hint));
        }
        self.plan.filter = Some(query).filter(|query| !query.is_empty());
        self.plan.count_filtered = self.plan.filter.is_some();
        Ok(())
    }
}

/// Converts the games of all items, in order, into one target. The target appears complete or not
/// at all; a stream has what was written before a failure.
///
/// A database gets copies of the media files next to the inputs that the written records may need: into folders
/// next to it, where no file is replaced. Those that it does not get are a loss, [`Feature::MediaFiles`]: of
/// other formats, files of the same name with other bytes, links, and names that are refused.
///
/// A file is not replaced by one without records, unless [`CreateOptions::transaction`] leaves that to the caller.
///
/// # Errors
/// The first input that cannot be read, or why the target cannot be written, as when no record would replace the file
/// that is there. With [`strict`](ScanOptions::strict), if a media file would be lost.
///
/// [`CreateOptions::transaction`]: tabia_core::formats::CreateOptions::transaction
pub fn convert(
    items: &[InputItem],
    target: Target<'_>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written), Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let mut media = if options.without_media {
        MediaCopies::default()
    } else {
        plan_media(items, &target, options, progress)?
    };
    if options.plan.strict {
        media.refuse()?;
    }
    let mut own = options.clone();
    own.plan.moments |= own.sort.has_moments();
    let whole_file = match &target {
        Target::File { path, .. } if !own.append => Some(path.clone()),
        _ => None,
    };
    // Of the parts of a database some may be empty.
    let is_part = own.plan.shard.is_some();
    let holds_something = |path: &PathBuf| {
        let old = std::fs::metadata(path);
        old.is_ok_and(|old| old.is_file() && old.len() > 0)
    };
    let replaced = whole_file
        .clone()
        .filter(|path| !is_part && holds_something(path));
    let needs_names = media.has_copies() || whole_file.is_some();
    let own_transaction = (needs_names && own.create.transaction.is_none()).then(|| {
        let transaction = Transaction::new();
        own.create.transaction = Some(transaction.clone());
        transaction
    });
    let (mut summary, mut written) = convert_games(items, target, &own, progress, observer)?;
    let has_records = summary.counts.games + summary.counts.texts > 0;
    let is_empty = written.records == 0;
    if whole_file.is_some()
        && is_empty
        && let Some(transaction) = &own.create.transaction
    {
        let is_unfit = has_records && !is_part && own_transaction.is_some();
        if options.needs_records || is_unfit {
            // Nor is there a file if the format can hold none of the records.
            transaction.discard();
            written = Written::default();
        } else if let Some(path) = replaced.filter(|_| own_transaction.is_some()) {
            transaction.discard();
            let text = "it is not replaced: there would be no game in it";
            return Err(Error::usage(text).in_path(&path));
        }
    }
    if has_records
        && !is_empty
        && let Some(transaction) = &own.create.transaction
        && let Some(item) = items.first()
    {
        let mut problems = 0;
        let (files, bytes) = media.write(transaction, &mut |error| {
            problems += 1;
            observer
                .problem(item, &error.into())
                .map_err(Error::in_output)
        })?;
        summary.problems += problems;
        written.files.extend(files);
        written.bytes += bytes;
    }
    if let Some(transaction) = own_transaction {
        transaction.commit().map_err(Error::in_output)?;
    }
    media.add_to(&mut summary);
    Ok((summary, written))
}

/// Which media files the target gets: all of them, or of a part of an input those that its records refer to.
fn plan_media(
    items: &[InputItem],
    target: &Target<'_>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
) -> Result<MediaCopies, Error> {
    let target = match target {
        Target::File { format, path, .. } => Some((&**format, path.as_path())),
        Target::Stream { .. } => None,
    };
    MediaCopies::plan(items, target, &mut |number, item| {
        let mut plan = plan_for(options, number, item, progress, &mut NoObserver)?;
        let is_whole = plan.filter.is_none()
            && plan.shard.is_none()
            && plan.selection.numbers.is_none()
            && plan.selection.dropped.is_none()
            && plan.selection.texts
            && plan.want.has(Want::ANNOTATIONS)
            && !plan.positions.replaces_games();
        if is_whole {
            return Ok(None);
        }
        plan.strict = false;
        let mut references = References::default();
        let progress = Arc::new(Progress::new());
        let mut reporter = ScanReporter {
            item,
            summary: &mut Summary::default(),
            observer: &mut NoObserver,
            progress: &progress,
        };
        let threads = 0..plan.threads.max(1);
        let tasks = threads.map(|_| ReferencesTask::default()).collect();
        reporter.read_item(&options.open, &progress, false, |reporter, input| {
            scan(reporter, input, &plan, tasks, &mut |_, found| {
                references.append(std::mem::take(found));
                Ok(true)
            })
        })?;
        Ok(Some(references))
    })
}

/// Collects what records refer to.
#[derive(Default)]
struct ReferencesTask(References);

impl Visitor for ReferencesTask {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.0.add(&annotation);
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Go
    }

    fn end_game(&mut self, _result: GameResult) {}
}

impl Task for ReferencesTask {
    type Out = References;

    fn swap(&mut self, out: &mut References) {
        *out = std::mem::take(&mut self.0);
    }
}

fn convert_games(
    items: &[InputItem],
    target: Target<'_>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written), Error> {
    let mut own = options.clone();
    if let Target::File { format, .. } = &target {
        own.plan.want = format.want(own.plan.want, &own.create);
    }
    let options = &own;
    match target {
        Target::Stream { format, out } => {
            let Some(create) = format.create_text else {
                return Err(Error::usage(format!(
                    "{} cannot be written to a stream",
                    format.file.name
                )));
            };
            let summary = to_text(items, create, out, true, options, progress, observer)?;
            out.flush().map_err(stream_error)?;
            Ok((summary, Written::default()))
        }
        Target::File {
            format,
            path,
            compression,
        } if options.append => {
            if format.edit.is_none()
                && let Some(open) = format.open_blocks
                && let Some(create) = format.create_text
            {
                let append = AppendText {
                    create,
                    open,
                    path: &path,
                    compression,
                };
                return append
                    .run(items, options, progress, observer)
                    .map_err(|error| in_target(error, &path));
            }
            if compression != Compression::None {
                let text = format!("{}: is no database", name_text(path.as_os_str()));
                return Err(Error::usage(text));
            }
            let (create, begun) = match (format.edit, format.create) {
                (Some(functions), _) => {
                    match Resolver::default().resolve(path.as_os_str()) {
                        Ok(items) => {
                            if let [item] = &*items {
                                require_own_moves(item, &options.open.of_base())?;
                            }
                        }
                        Err(error) if error.is_system() && !error.is_not_found() => {
                            return Err(error);
                        }
                        // What else is wrong is stated when it is opened to be changed.
                        Err(_) => {}
                    }
                    (functions.append, None)
                }
                (None, Some(create)) => {
                    let begun = copy_whole(&path, options, None, progress)?;
                    (create, Some(begun))
                }
                (None, None) => {
                    let format = &format.file;
                    let text = format!("{} ({}) cannot be appended to", format.name, format.id);
                    return Err(Error::usage(text));
                }
            };
            to_database(items, create, &path, begun, options, progress, observer)
        }
        Target::File {
            format,
            path,
            compression,
        } => match (format.create_text, format.create) {
            (Some(create), _) => {
                let shared = SharedFile::create(&path, options.create.outputs())?;
                let mut out =
                    compress(Box::new(shared.clone()), compression).map_err(Error::in_output)?;
                let summary = to_text(items, create, &mut out, false, options, progress, observer)
                    .map_err(|error| in_target(error, &path))?;
                out.finish()
                    .map_err(|error| error.in_path(&path).in_output())?;
                let (files, bytes) = shared.commit()?;
                let records = records_written(&summary, options);
                let written = Written::new(records, files, bytes);
                Ok((summary, written))
            }
            (None, Some(create)) => {
                to_database(items, create, &path, None, options, progress, observer)
            }
            (None, None) => Err(Error::usage(cannot_write(Format::Games(format)))),
        },
    }
}

/// The records of a target that got these.
fn records_written(summary: &Summary, options: &ConvertOptions) -> u32 {
    let games = if options.plan.positions.replaces_games() {
        summary.counts.positions
    } else {
        summary.counts.games
    };
    let lost = |feature| summary.losses.count(feature);
    let games = games.saturating_sub(lost(Feature::ChessGames));
    let texts = summary.counts.texts;
    let texts = texts.saturating_sub(lost(Feature::GuidingTexts));
    (games + texts) as u32
}

fn stream_error(error: io::Error) -> Error {
    Error::from(error).in_output()
}

/// A target that cannot be as it was asked for is the caller's matter.
pub(crate) fn uncreated(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unsupported(_) if !error.is_of_input() => Error::usage(error.to_string()),
        _ => error.in_output(),
    }
}

/// Names the target in errors of the output that name no file.
pub(crate) fn in_target(error: Error, path: &Path) -> Error {
    match error.side() {
        ErrorSide::Output => error.in_path(path),
        _ => error,
    }
}

/// `is_live`: what is made of a stream is handed on at once.
fn to_text(
    items: &[InputItem],
    create: CreateText,
    out: &mut dyn Write,
    is_live: bool,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Summary, Error> {
    let mut summary = Summary::default();
    let header = create(&options.create).map_err(uncreated)?.header();
    out.write_all(header.as_bytes()).map_err(stream_error)?;
    let mut sorter = new_sorter(options);
    for (number, item) in items.iter().enumerate() {
        let plan = &plan_for(options, number, item, progress, observer)?;
        let new_writer = || create(&options.create).map_err(uncreated);
        let tasks = (0..options.plan.threads.max(1))
            .map(|_| {
                let mut writer = new_writer()?;
                writer.defer_origins();
                Ok(writer)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let origins = OriginWriter::new(new_writer()?, item);
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        each_item(&mut reporter, options, progress, |reporter, input| {
            let lost = whole(options, &input).lost_facts(|_| None);
            reporter.summary.losses.add_whole(&item.name(), &lost);
            let Some(sorter) = &mut sorter else {
                let is_live = is_live && item.is_stream();
                return scan(reporter, input, plan, tasks, &mut |base, piece| {
                    let text = origins.put(&piece.text, 0, &piece.offsets, |game| base.game(game));
                    out.write_all(&text).map_err(stream_error)?;
                    if is_live {
                        out.flush().map_err(stream_error)?;
                    }
                    Ok(true)
                });
            };
            let tasks = sorting(tasks, options);
            scan(reporter, input, plan, tasks, &mut |base, made| {
                for (key, _, piece) in made.drain(..) {
                    let text = origins.put(&piece.text, 0, &piece.offsets, |game| base.game(game));
                    sorter.push(key, &text)?;
                }
                Ok(true)
            })
        })?;
    }
    if let Some(sorter) = sorter {
        sorter.write(progress, &mut |text| {
            out.write_all(text).map_err(stream_error)
        })?;
    }
    Ok(summary)
}

/// Adds games to a text file.
struct AppendText<'p> {
    create: CreateText,
    open: OpenBlocks,
    path: &'p Path,
    compression: Compression,
}

impl AppendText<'_> {
    /// Copies the file and writes the games after it.
    fn run(
        &self,
        items: &[InputItem],
        options: &ConvertOptions,
        progress: &Arc<Progress>,
        observer: &mut dyn Observer,
    ) -> Result<(Summary, Written), Error> {
        let path = self.path;
        let header = (self.create)(&options.create).map_err(uncreated)?.header();
        if !header.is_empty() {
            let name = name_text(path.as_os_str());
            let text = format!("{name}: files of this format have a header and cannot grow");
            return Err(Error::usage(text));
        }
        let lock = match &options.create.lock {
            Some(lock) => Arc::clone(lock),
            None => Arc::new(SetLock::acquire(path).map_err(Error::in_output)?),
        };
        let end = TextEnd::read(path, self.open, &options.open.of_base())?;
        let mut own = options.clone();
        let is_given = own.create.charset != Charset::Auto;
        if let (Some(charset), false) = (end.charset, is_given) {
            own.create.charset = charset;
        }
        let options = &own;
        let mut old = File::open(path).map_err(|error| self.failed(error))?;
        let mut outputs = options.create.clone();
        outputs.force = true;
        let mut shared = SharedFile::create(path, outputs.outputs())?;
        shared.hold(lock);
        let copied = io::copy(&mut old, &mut shared);
        copied.map_err(|error| self.failed(error))?;
        let target = Box::new(shared.clone());
        // A second stream of another kind could not be unpacked, whatever the name of the file.
        let compression = end.compression.unwrap_or(self.compression);
        let out = compress(target, compression).map_err(Error::in_output)?;
        let mut out = LineEndWriter::new(out, end.line_end);
        out.write_all(end.gap.as_bytes()).map_err(stream_error)?;
        let summary = to_text(
            items,
            self.create,
            &mut out,
            false,
            options,
            progress,
            observer,
        )?;
        if !is_given && summary.losses.count(Feature::Characters) > 0 {
            let charset = options.create.charset.name();
            let text = format!(
                "is in {charset}, which lacks characters of the games; `tabia convert` makes a file in UTF-8, which has all"
            );
            return Err(Error::unsupported(text).in_output());
        }
        out.into_inner()
            .finish()
            .map_err(|error| error.in_path(path).in_output())?;
        let (files, bytes) = shared.commit()?;
        let records = records_written(&summary, options);
        Ok((summary, Written::new(records, files, bytes)))
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::from(error).in_path(self.path).in_output()
    }
}

/// How the games of an input are read.
fn plan_for(
    options: &ConvertOptions,
    input: usize,
    item: &InputItem,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<ScanOptions, Error> {
    let mut plan = options.plan.clone();
    plan.shard = plan.shard.map(|shard| shard.for_input(input));
    if let Some(dropped) = options.dropped.get(input) {
        plan.selection.leave_out_all(dropped);
    }
    let merges = options.merges.get(input).filter(|games| !games.is_empty());
    plan.merges = merges.cloned();
    if let Some(query) = &mut plan.filter {
        *query = known_duplicates(item, query, &options.open, plan.threads, progress)?;
    }
    let index = options.index;
    let index_options = &options.index_options;
    restrict_by_index(&mut plan, item, index, index_options, progress, observer)?;
    Ok(plan)
}

/// The sorter of the games, unless they keep their order.
fn new_sorter(options: &ConvertOptions) -> Option<GameSorter> {
    let folder = temporary_folder();
    (!options.sort.is_empty()).then(|| GameSorter::new(&options.sort, &folder))
}

/// Tasks that add the keys of the games.
fn sorting<T: Task>(tasks: Vec<T>, options: &ConvertOptions) -> Vec<SortTask<T>> {
    let tasks = tasks.into_iter();
    tasks
        .map(|task| SortTask::new(task, &options.sort))
        .collect()
}

/// Games that wait in order for a writer that needs complete games, as text that loses nothing.
struct Carrier {
    create: CreateText,
    reader: Box<dyn BlockReader>,
    game: Game,
}

impl Carrier {
    fn new() -> Result<Self, Error> {
        let lossless = |format: &&GameFormat| format.can.has(Feature::Foreign);
        let mut formats = tabia_formats::GAMES.iter().copied().filter(lossless);
        let functions = |format: &GameFormat| Some((format.create_text?, format.open_blocks?));
        let Some((create, open)) = formats.find_map(functions) else {
            return Err(Error::unsupported("no text format keeps whole games"));
        };
        let blocks = open(Box::new(io::empty()), &OpenOptions::default())?;
        Ok(Self {
            create,
            reader: blocks.reader(),
            game: Game::new(),
        })
    }

    fn task(&self) -> Result<Box<dyn TextWriter>, Error> {
        let mut options = CreateOptions::default();
        options.profile = Profile::Full;
        (self.create)(&options)
    }

    /// The game of a text.
    fn read(&mut self, text: &[u8]) -> Result<&Game, Error> {
        let block = Block {
            bytes: text.to_vec(),
            offset: 0,
        };
        let mut recorder = self.game.recorder();
        let _ = self.reader.read(&block, Want::ALL, &mut recorder)?;
        Ok(&self.game)
    }
}

fn to_database(
    items: &[InputItem],
    create: CreateDatabase,
    path: &Path,
    begun: Option<Begun>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written), Error> {
    let mut summary = Summary::default();
    require_replaceable(path)?;
    if !options.append && !options.create.force && path.exists() {
        return Err(Error::new(ErrorKind::Exists).in_path(path).in_output());
    }
    let (mut writer, lock) = match begun {
        Some(begun) => (Some(begun.writer), Some(begun.lock)),
        None => (None, None),
    };
    let mut sorter = new_sorter(options);
    let mut carrier = match &sorter {
        Some(_) => Some(Carrier::new()?),
        None => None,
    };
    let mut is_encoded = true;
    for (number, item) in items.iter().enumerate() {
        let plan = &plan_for(options, number, item, progress, observer)?;
        let mut lost = Vec::new();
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        each_item(&mut reporter, options, progress, |reporter, input| {
            // A database made of one other is like it; of several, it is like none of them.
            let is_copy = items.len() == 1 && !options.append;
            let mut own = whole(options, &input);
            if !is_copy && options.create.title.is_some() {
                // It has the title that was asked for.
                own.title = None;
            }
            let mut lost_facts = own.lost_facts(|_| None);
            let writer = if let Some(writer) = &mut writer {
                writer
            } else {
                let own = if is_copy { &own } else { &options.create };
                let made = create(path, own).map_err(uncreated)?;
                if is_copy {
                    lost_facts = made.lost_facts();
                }
                writer.insert(made)
            };
            reporter.summary.losses.add_whole(&item.name(), &lost_facts);
            if let (Some(sorter), Some(carrier)) = (&mut sorter, &carrier) {
                let mut sorted = Sorted {
                    sorter,
                    carrier,
                    input: number as u32,
                };
                is_encoded = sort_input(reporter, input, (options, plan), &**writer, &mut sorted)?;
                return Ok(());
            }
            write_input(reporter, input, plan, &mut **writer, &mut lost)
                .map_err(|error| in_target(error, path))
        })?;
        for (game, losses) in lost {
            summary.losses.add(&item.name(), game, &losses);
            observer
                .losses(item, game, &losses)
                .map_err(Error::in_output)?;
        }
    }
    let mut writer = match writer {
        Some(writer) => writer,
        None => create(path, &options.create).map_err(uncreated)?,
    };
    if let (Some(sorter), Some(carrier)) = (sorter, &mut carrier) {
        let mut lost = Vec::new();
        sorter
            .write(progress, &mut |bytes| {
                if is_encoded {
                    return writer.append(bytes).map_err(Error::in_output);
                }
                let (origin, text) = bytes.split_at_checked(8).unwrap_or_default();
                let losses = writer
                    .write(carrier.read(text)?)
                    .map_err(Error::in_output)?;
                if !losses.is_empty() {
                    lost.push((origin.to_vec(), losses));
                }
                Ok(())
            })
            .map_err(|error| in_target(error, path))?;
        for (origin, losses) in lost {
            let (number, game) = origin_of(&origin);
            if let Some(item) = items.get(number as usize) {
                summary.losses.add(&item.name(), game, &losses);
                let reported = observer.losses(item, game, &losses);
                reported.map_err(Error::in_output)?;
            }
        }
    }
    if lock.as_ref().is_some_and(|lock| !lock.is_current()) {
        let error = Error::new(ErrorKind::Replaced);
        return Err(error.in_path(path).in_output());
    }
    if options.plan.strict {
        refuse_lost_characters(&summary, path)?;
    }
    let written = writer.finish().map_err(Error::in_output);
    match (lock, &options.create.transaction) {
        // Until the new files have their names.
        (Some(lock), Some(transaction)) => transaction.hold(lock),
        (lock, _) => drop(lock),
    }
    let written = written.map_err(|error| in_target(error, path))?;
    let name = name_text(path.as_os_str()).into_owned();
    summary.losses.add_whole(&name, &written.losses);
    Ok((summary, written))
}

/// Refuses a database whose character set lacks characters of the games.
fn refuse_lost_characters(summary: &Summary, path: &Path) -> Result<(), Error> {
    let Some((feature, loss)) = summary
        .losses
        .iter()
        .find(|(feature, _)| *feature == Feature::Characters)
    else {
        return Ok(());
    };
    let count = loss.count;
    let game = match loss.first {
        Some(game) => format!(", first in game {} of {}", game.0 + 1, loss.input),
        None => String::new(),
    };
    // Of wrong use, so that the caller can name what to do instead.
    let text = format!("{count} {}{game}", feature.noun(count));
    Err(Error::usage(text).in_path(path).under_strict())
}

/// A new database that has all records of the one that it replaces.
struct Begun {
    writer: Box<dyn GameWriter>,
    /// Held until the new files have their names.
    lock: Arc<SetLock>,
}

/// Writes a database again with other games instead of some.
///
/// # Errors
/// When it cannot be read, or the copy would lose anything; nothing is changed then.
pub(crate) fn copy_with_changes(
    path: &Path,
    lock: Arc<SetLock>,
    changes: Merges,
) -> Result<Written, Error> {
    let progress = Arc::new(Progress::default());
    let mut options = ConvertOptions::default();
    options.create.lock = Some(lock);
    let begun = copy_whole(path, &options, Some(Arc::new(changes)), &progress)?;
    if !begun.lock.is_current() {
        let error = Error::new(ErrorKind::Replaced);
        return Err(error.in_path(path).in_output());
    }
    let written = begun.writer.finish().map_err(Error::in_output);
    // Held until the new files have their names.
    drop(begun.lock);
    written.map_err(|error| in_target(error, path))
}

/// Begins a database with the records of the one at `path`, in their order, deleted ones too, so that
/// games can be added to it, or with `changes` of some.
///
/// # Errors
/// When it cannot be read, or a copy would not be like it.
fn copy_whole(
    path: &Path,
    options: &ConvertOptions,
    changes: Option<Arc<Merges>>,
    progress: &Arc<Progress>,
) -> Result<Begun, Error> {
    let cannot = match changes {
        Some(_) => "cannot be changed",
        None => "cannot grow",
    };
    let main = existing_path(path).map_err(Error::in_output)?;
    // The link stays, the set that it leads to is replaced.
    let target = if path.is_symlink() { &main } else { path };
    let lock = match &options.create.lock {
        Some(lock) => Arc::clone(lock),
        None => Arc::new(SetLock::acquire(&main)?),
    };
    let items = {
        // The process that had the lock before may still be removing the old files.
        let _folder = FolderLock::acquire(&main)?;
        let found = Resolver::default().resolve(main.as_os_str())?;
        found
            .into_iter()
            .map(InputItem::as_base)
            .collect::<Vec<_>>()
    };
    let [item] = items.as_slice() else {
        let text = format!("{}: is no database", name_text(path.as_os_str()));
        return Err(Error::usage(text));
    };
    let Some(create) = item.format().games().and_then(|format| format.create) else {
        let text = format!("{}: cannot be appended to", name_text(path.as_os_str()));
        return Err(Error::usage(text));
    };
    let plan = ScanOptions {
        threads: options.plan.threads,
        selection: Selection::all(),
        merges: changes,
        ..ScanOptions::default()
    };
    let (mut summary, mut first) = (Summary::default(), FirstProblem::default());
    let (mut writer, mut lost, mut records) = (None, Vec::new(), 0);
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer: &mut first,
        progress,
    };
    progress.set_total(progress.total() + item.bytes().unwrap_or_default());
    reporter.read_item(&options.open, progress, false, |reporter, input| {
        if let crate::OpenInput::Database(database) = &input {
            reporter.report_database_problems(&**database, false)?;
            if let Some(text) = shared_record(&**database) {
                reporter.problem(Error::invalid(text).in_file(item.label()).into(), false)?;
            }
            if let Some(error) = database.foreign_names() {
                reporter.problem(error.into(), false)?;
            }
            records = database.len();
        }
        let mut own = CreateOptions::default();
        own.now = options.create.now;
        own.charset = options.create.charset;
        own.transaction.clone_from(&options.create.transaction);
        let mut own = with_facts(own, &input);
        own.force = true;
        let made = writer.insert(create(target, &own).map_err(uncreated)?);
        let facts = made.lost_facts();
        reporter.summary.losses.add_whole(&item.name(), &facts);
        write_input(reporter, input, &plan, &mut **made, &mut lost)
            .map_err(|error| in_target(error, path))
    })?;
    for (game, losses) in lost {
        summary.losses.add(&item.name(), game, &losses);
    }
    let refused = |why: String| {
        let text = format!(
            "{cannot}: it would be replaced by a copy, and {why}; `tabia convert` makes a new database of \
             it and reports everything"
        );
        Err(Error::invalid(text).in_path(path))
    };
    if let Some(problem) = first.0 {
        let text = format!("is damaged and {cannot}: {problem}");
        return Err(Error::not_in_file(text).in_path(path));
    }
    if let Some((feature, loss)) = summary.losses.iter().next() {
        return refused(format!(
            "the copy would lose {} {}",
            loss.count,
            feature.noun(loss.count)
        ));
    }
    let copied = summary.counts.games + summary.counts.texts;
    match writer {
        Some(writer) if copied == u64::from(records) => Ok(Begun { writer, lock }),
        _ => refused(format!(
            "only {copied} of its {records} records can be copied"
        )),
    }
}

/// Remembers the first problem.
#[derive(Default)]
struct FirstProblem(Option<String>);

impl Observer for FirstProblem {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.0.get_or_insert_with(|| problem.error.to_string());
        Ok(())
    }
}

/// The options with the title of an input, unless another is asked for, and what else is known of
/// it.
pub(crate) fn whole(options: &ConvertOptions, input: &crate::OpenInput) -> CreateOptions {
    with_facts(options.create.clone(), input)
}

fn with_facts(mut own: CreateOptions, input: &crate::OpenInput) -> CreateOptions {
    if let crate::OpenInput::Database(database) = input {
        let info = database.info();
        own.title = own.title.or_else(|| info.title.clone());
        own.facts.extend(info.facts.iter().cloned());
    }
    own
}

/// Writes the games of an input, encoded where they are read if the writer has encoders. Losses that
/// are not posted on the way go to `lost`.
fn write_input(
    reporter: &mut ScanReporter<'_>,
    input: crate::OpenInput,
    plan: &ScanOptions,
    writer: &mut dyn GameWriter,
    lost: &mut Vec<(GameIndex, Losses)>,
) -> Result<(), Error> {
    let threads = 0..plan.threads.max(1);
    let encoders: Option<Vec<EncodeTask>> = threads
        .clone()
        .map(|_| writer.encoder().map(EncodeSink::new).map(EncodeTask::new))
        .collect();
    if let Some(tasks) = encoders {
        return scan(reporter, input, plan, tasks, &mut |_, encoded| {
            writer.append(&encoded.bytes).map_err(Error::in_output)?;
            let failure = encoded.failure.take().map(Error::in_output);
            failure.map_or(Ok(true), Err)
        });
    }
    let tasks = threads.map(|_| RecordTask::default()).collect();
    scan(reporter, input, plan, tasks, &mut |base, recorded| {
        write_all(writer, recorded, |game, losses| {
            lost.push((base.game(game), losses));
        })
    })
}

fn write_all(
    writer: &mut dyn GameWriter,
    recorded: &Recorded,
    mut lost: impl FnMut(GameIndex, Losses),
) -> Result<bool, Error> {
    for (number, game) in recorded.iter() {
        let losses = writer.write(game).map_err(Error::in_output)?;
        if !losses.is_empty() {
            lost(number, losses);
        }
    }
    Ok(true)
}

/// Where games go before they are written in order.
struct Sorted<'a> {
    sorter: &'a mut GameSorter,
    carrier: &'a Carrier,
    input: u32,
}

/// Hands the games of an input to the sorter: encoded if the writer has encoders, or else number of the
/// input, number of the game, and text. Whether they are encoded.
fn sort_input(
    reporter: &mut ScanReporter<'_>,
    input: crate::OpenInput,
    (options, plan): (&ConvertOptions, &ScanOptions),
    writer: &dyn GameWriter,
    to: &mut Sorted<'_>,
) -> Result<bool, Error> {
    let threads = 0..plan.threads.max(1);
    let encoders: Option<Vec<EncodeTask>> = threads
        .clone()
        .map(|_| writer.encoder().map(EncodeSink::new).map(EncodeTask::new))
        .collect();
    if let Some(tasks) = encoders {
        let tasks = sorting(tasks, options);
        scan(reporter, input, plan, tasks, &mut |_, made| {
            for (key, _, mut encoded) in made.drain(..) {
                if let Some(failure) = encoded.failure.take() {
                    return Err(failure.in_output());
                }
                to.sorter.push(key, &encoded.bytes)?;
            }
            Ok(true)
        })?;
        return Ok(true);
    }
    let tasks = threads.map(|_| to.carrier.task());
    let tasks = sorting(tasks.collect::<Result<_, _>>()?, options);
    let mut bytes = Vec::new();
    scan(reporter, input, plan, tasks, &mut |base, made| {
        for (key, game, piece) in made.drain(..) {
            bytes.clear();
            bytes.extend(U32::new(to.input).to_bytes());
            bytes.extend(U32::new(base.game(game).0).to_bytes());
            bytes.extend_from_slice(&piece.text);
            to.sorter.push(key, &bytes)?;
        }
        Ok(true)
    })?;
    Ok(false)
}

/// The numbers of the input and of the game.
fn origin_of(bytes: &[u8]) -> (u32, GameIndex) {
    let number = |from: usize| {
        let bytes = bytes.get(from..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| U32::from_bytes(*bytes).get())
    };
    (number(0), GameIndex(number(4)))
}

/// Reads an item and reports its counts.
pub(crate) fn each_item(
    reporter: &mut ScanReporter<'_>,
    options: &ConvertOptions,
    progress: &Arc<Progress>,
    read: impl FnOnce(&mut ScanReporter<'_>, crate::OpenInput) -> Result<(), Error>,
) -> Result<(), Error> {
    let (before, plan) = (reporter.summary.counts, &options.plan);
    reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
        // All records are looked at for it, which a few games are not worth. A shard may be one of few, and its games
        // have the names of the others.
        let is_whole = plan.selection.numbers.is_none();
        if let crate::OpenInput::Database(database) = &input
            && is_whole
            && let Some(error) = database.foreign_names()
        {
            reporter.problem(error.into(), plan.strict)?;
        }
        read(reporter, input)
    })?;
    reporter.finish_item(before).map(drop)
}
