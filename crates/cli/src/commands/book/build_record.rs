//! The record of a book's sources and options, `OUT.json`.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tabia::book::build::{BuildTarget, Built, CompleteBuild, GameCounts};
use tabia::core::FormatId;
use tabia::core::io::OutputSet;
use tabia::{Error, InputItem};
use twox_hash::XxHash64;

use crate::args::book::BookBuildArgs;
use crate::context::Context;
use crate::json::{self, Displayed};
use crate::path_text::PathText as _;

/// The path of the record of a book.
pub(super) fn record_path(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_os_string();
    name.push(".json");
    output.with_file_name(name)
}

/// Adds the record to the files of a book, so that they appear together.
pub(super) fn add_record(
    path: &Path,
    args: &BookBuildArgs,
    items: &[InputItem],
    target: &BuildTarget,
    max_ply: u32,
    build: &mut CompleteBuild,
    before: Option<StoredRecord>,
) -> Result<(), Error> {
    let rows = source_rows(items, &build.built)?;
    let mut games = GameCountsRow::new(build.built.games);
    let mut sources = Vec::new();
    if let Some(before) = before {
        games.add(before.games);
        sources.extend(before.sources.into_iter().map(AnySource::Before));
    }
    sources.extend(rows.into_iter().map(AnySource::New));
    let files = file_rows(&mut build.files).map_err(Error::in_output)?;
    let built = &build.built;
    let losses = built.losses.iter().map(|(feature, loss)| LossRow {
        kind: feature.key(),
        count: loss.count,
    });
    let record = BuildRecord {
        program: concat!("tabia ", env!("CARGO_PKG_VERSION")),
        format: Displayed(target.format.file.id),
        files,
        positions: built.positions,
        moves: built.moves,
        games,
        options: OptionsRow::new(args, max_ply),
        sources,
        losses: losses.collect(),
    };
    let mut text = json::pretty(&record);
    text.push(b'\n');
    let number = build.files.create(path).map_err(Error::in_output)?;
    let Some(file) = build.files.file(number) else {
        return Ok(());
    };
    let written = file.write_all(&text);
    written.map_err(|error| Error::from(error).in_path(path).in_output())
}

fn source_rows(items: &[InputItem], built: &Built) -> Result<Vec<SourceRow>, Error> {
    let row = |(item, counts): (&InputItem, &GameCounts)| {
        let file = item.label();
        // Streams and members of archives are not files that can be read again.
        let checksum = || {
            Ok::<_, Error>(FileChecksum {
                bytes: item.bytes(),
                xxh64: Checksum::of_file(file)?,
            })
        };
        Ok(SourceRow {
            path: item.name(),
            format: Displayed(item.format().id()),
            checksum: file.is_file().then(checksum).transpose()?,
            games: GameCountsRow::new(*counts),
        })
    };
    items.iter().zip(&built.inputs).map(row).collect()
}

/// The files of a book, which do not have their names yet.
fn file_rows(files: &mut OutputSet) -> Result<Vec<FileRow>, Error> {
    let mut rows = Vec::new();
    while let Some(file) = files.file(rows.len()) {
        let bytes = file.read_back()?;
        rows.push(FileRow {
            path: file.target().path_text().into_owned(),
            xxh64: Checksum::of_bytes(&bytes),
        });
    }
    Ok(rows)
}

/// A record as it is read back.
#[derive(Debug, Deserialize)]
pub(super) struct StoredRecord {
    program: String,
    #[serde(default)]
    files: Vec<StoredFile>,
    #[serde(default)]
    games: GameCountsRow,
    options: RecordedOptions,
    #[serde(default)]
    sources: Vec<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct StoredFile {
    path: PathBuf,
    xxh64: String,
}

impl StoredRecord {
    /// The record of a book; `None` if there is none that can be read.
    pub(super) fn of(book: &Path) -> Option<Self> {
        let text = std::fs::read(record_path(book)).ok()?;
        let record: Self = serde_json::from_slice(&text).ok()?;
        Some(record).filter(|record| record.program.starts_with("tabia "))
    }

    /// Whether it is of the book that is there now: by the checksums of its files, next to the record.
    pub(super) fn fits(&self, book: &Path) -> bool {
        let is_same = |file: &StoredFile| {
            let name = file.path.file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            let is_named = |path: &&Path| path.file_name().unwrap_or_default().path_text() == name;
            // The name of the book itself may have bytes that the record has as text.
            let path = Some(book).filter(is_named);
            let path = path.map_or_else(|| book.with_file_name(&*name), Path::to_path_buf);
            Checksum::of_file(&path).is_ok_and(|found| found.0 == file.xxh64)
        };
        !self.files.is_empty() && self.files.iter().all(is_same)
    }

    /// Whether a source had the same bytes.
    pub(super) fn has_source(&self, file: &Path) -> Result<bool, Error> {
        if !file.is_file() {
            return Ok(false);
        }
        let sum = Checksum::of_file(file)?;
        let mut sums = self.sources.iter().filter_map(|source| source.get("xxh64"));
        Ok(sums.any(|known| known.as_str() == Some(&sum.0)))
    }
}

/// Removes the record of a book that was replaced, if it does not fit the new one; returns its path then.
pub(super) fn remove_old_record(book: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(record) = StoredRecord::of(book) else {
        return Ok(None);
    };
    if record.fits(book) {
        return Ok(None);
    }
    let path = record_path(book);
    std::fs::remove_file(&path).map_err(|error| Error::from(error).in_path(&path).in_output())?;
    Ok(Some(path))
}

/// The XXH64 of a file with seed 0, as 16 hexadecimal digits like those of `xxhsum`: shows later whether
/// the file is still the same.
#[derive(Serialize)]
struct Checksum(String);

impl Checksum {
    fn of_bytes(bytes: &[u8]) -> Self {
        Self(format!("{:016x}", XxHash64::oneshot(0, bytes)))
    }

    fn of_file(path: &Path) -> Result<Self, Error> {
        let named = |error: std::io::Error| Error::from(error).in_path(path);
        let mut file = File::open(path).map_err(named)?;
        let mut hasher = XxHash64::with_seed(0);
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer).map_err(named)? {
                0 => return Ok(Self(format!("{:016x}", hasher.finish()))),
                count => hasher.write(buffer.get(..count).unwrap_or_default()),
            }
        }
    }
}

/// What `book.bin.json` contains.
#[derive(Serialize)]
struct BuildRecord<'a> {
    program: &'static str,
    format: Displayed<FormatId>,
    files: Vec<FileRow>,
    positions: u64,
    moves: u64,
    games: GameCountsRow,
    options: OptionsRow<'a>,
    sources: Vec<AnySource>,
    losses: Vec<LossRow>,
}

#[derive(Serialize)]
struct FileRow {
    path: String,
    xxh64: Checksum,
}

/// An input, or one of a book to which games were added.
#[derive(Serialize)]
#[serde(untagged)]
enum AnySource {
    New(SourceRow),
    Before(serde_json::Value),
}

/// An input.
#[derive(Serialize)]
struct SourceRow {
    path: String,
    format: Displayed<FormatId>,
    /// Only of files.
    #[serde(flatten)]
    checksum: Option<FileChecksum>,
    #[serde(flatten)]
    games: GameCountsRow,
}

#[derive(Serialize)]
struct FileChecksum {
    bytes: Option<u64>,
    xxh64: Checksum,
}

#[derive(Serialize)]
struct LossRow {
    kind: String,
    count: u64,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct GameCountsRow {
    used: u64,
    filtered: u64,
    bad: u64,
    plies: u64,
}

impl GameCountsRow {
    pub(super) fn new(counts: GameCounts) -> Self {
        Self {
            used: counts.used,
            filtered: counts.filtered,
            bad: counts.bad,
            plies: counts.moves,
        }
    }

    fn add(&mut self, other: Self) {
        self.used += other.used;
        self.filtered += other.filtered;
        self.bad += other.bad;
        self.plies += other.plies;
    }
}

/// The options of the command line that decide what is in the book.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OptionsRow<'a> {
    max_ply: u32,
    min_games: u64,
    min_score: f64,
    #[serde(skip_serializing_if = "is_zero")]
    min_percent: f64,
    only_white: bool,
    only_black: bool,
    scoreless: bool,
    variations: bool,
    uniform: bool,
    recency: Option<f64>,
    stretch: bool,
    compat: Option<&'static str>,
    games: Option<&'a str>,
    include_deleted: bool,
    #[serde(rename = "where")]
    filter: &'a str,
    least_elo: &'a [u16],
    all_moves: bool,
    names: bool,
    game_links: bool,
    append: bool,
}

/// The options by which a book was built, as its record has them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RecordedOptions {
    pub(super) max_ply: u32,
    #[serde(rename = "where")]
    pub(super) filter: String,
    pub(super) games: Option<String>,
    pub(super) include_deleted: bool,
    variations: bool,
    uniform: bool,
    recency: Option<f64>,
    stretch: bool,
    compat: Option<String>,
    append: bool,
}

impl RecordedOptions {
    /// Those of the record next to a book; `None` if there is none that can be read. A record of another book than
    /// the one that is there now is reported and not used.
    pub(super) fn of_book(item: &InputItem, context: &Context) -> Option<Self> {
        let book: &Path = item.label();
        let record = StoredRecord::of(book)?;
        if !record.fits(book) {
            context.messages.warning(&format!(
                "{} is the record of another book than {} as it is now, and is not used",
                record_path(book).path_text(),
                item.name()
            ));
            return None;
        }
        Some(record.options).filter(|options| options.max_ply > 0)
    }

    /// Why the points of the games are not the weights of the book; `None` if they are, but for scaling.
    pub(super) fn remark(&self) -> Option<String> {
        let mut options = Vec::new();
        if let Some(years) = self.recency {
            options.push(format!("--recency {years}"));
        }
        let flags = [
            (self.uniform, "--uniform"),
            (self.stretch, "--stretch"),
            (self.variations, "--variations"),
            (self.compat.is_some(), "--compat polyglot"),
            (self.append, "--append"),
        ];
        let used = flags.iter().filter(|(is_used, _)| *is_used);
        options.extend(used.map(|(_, name)| (*name).to_owned()));
        if options.is_empty() {
            return None;
        }
        Some(format!(
            "the book was built with `{}`: the points of the games above are not its weights",
            options.join(" ")
        ))
    }
}

/// Options that earlier versions did not have are absent by default.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde requires"
)]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl<'a> OptionsRow<'a> {
    fn new(args: &'a BookBuildArgs, max_ply: u32) -> Self {
        Self {
            max_ply,
            min_games: args.least_games(),
            min_score: args.min_score,
            min_percent: args.min_percent,
            only_white: args.only_white,
            only_black: args.only_black,
            scoreless: args.scoreless,
            variations: args.variations,
            uniform: args.uniform,
            recency: args.recency,
            stretch: args.stretch,
            compat: args.compat.map(|_| "polyglot"),
            games: args.games.as_deref(),
            include_deleted: args.include_deleted,
            filter: &args.filter,
            least_elo: &args.kvetka.least_elo,
            all_moves: args.kvetka.all_moves,
            names: args.kvetka.names,
            game_links: args.kvetka.game_links,
            append: args.kvetka.append,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn checksums_are_those_of_xxhsum() {
        let long = b"The quick brown fox jumps over the lazy dog";
        for (bytes, expected) in [
            (&b""[..], "ef46db3751d8e999"),
            (b"a", "d24ec4f1a98c6e5b"),
            (b"abc", "44bc2cf5ad770999"),
            (long, "0b242d361fda71bc"),
        ] {
            assert_eq!(Checksum::of_bytes(bytes).0, expected);
        }
        let scratch = Scratch::new("checksum");
        let path = scratch.join("long");
        let bytes = long.repeat(20_000);
        std::fs::write(&path, &bytes).unwrap();
        let of_file = Checksum::of_file(&path).unwrap();
        assert_eq!(of_file.0, Checksum::of_bytes(&bytes).0);
        assert!(Checksum::of_file(&scratch.join("missing")).is_err());
    }
}
