//! One game of a database changed, or a few added to it: [`change_game`] and [`append_games`].

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use tabia_core::formats::{CreateOptions, OpenOptions, Profile};
use tabia_core::game::{Game, Want};
use tabia_core::io::{Charset, Progress, SetLock, Source, name_text};
use tabia_core::loss::{Feature, Losses};
use tabia_core::{Error, ErrorKind, GameFormat, GameIndex, Problem, Result};

use crate::convert::{ConvertOptions, Target, convert, copy_with_changes};
use crate::create::SharedFile;
use crate::edit::{Change, EditOptions, edit};
use crate::end_of_text::{LINE_SAMPLE, charset_of_text, line_end_of};
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::merge_annotations::Merges;
use crate::observer::{NoObserver, Observer};
use crate::one_game::{pgn, pgn_and_losses};
use crate::read_one::load_to_copy;
use crate::read_options::ReadOptions;
use crate::resolve::Resolver;
use crate::select::Selection;

/// Adds games to a database or a text file of games that exists; [`create`](crate::create()) makes a new one. What was
/// there is there until the copy with all games is complete. The summary counts what the format could not hold of
/// the games.
///
/// Each call writes the whole file or set again, so hand it many games at once.
///
/// # Errors
/// When there is no such database, or it cannot be written without losing something of what it has; when a move of a
/// game cannot be played, or the character set of the database lacks characters of it. Nothing is changed then.
///
/// ```
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = std::env::temp_dir().join(format!("tabia-doc-append-{}.pgn", std::process::id()));
/// # std::fs::write(&path, "[White \"A\"]\n\n1. e4 e5 *\n").unwrap();
/// let mut game = tabia::game_of_pgn("1. d4 d5 2. c4 *")?;
/// game.head.tags.set("White", "Marshall, Frank");
/// tabia::append_games(&path, &[game])?;
/// assert_eq!(tabia::open(&path)?.games().count(), 2);
/// # let _ = std::fs::remove_file(path);
/// # Ok(())
/// # }
/// ```
pub fn append_games(path: impl AsRef<Path>, games: &[Game]) -> Result<Summary> {
    append_games_with(path, games, &Arc::new(Progress::default()))
}

/// As [`append_games`], with a progress, by which another thread can end it: nothing is changed then.
///
/// # Errors
/// As [`append_games`], and when it is cancelled.
///
/// ```
/// use std::sync::Arc;
/// use tabia::{ErrorSide, Progress};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = std::env::temp_dir().join(format!("tabia-doc-append-with-{}.pgn", std::process::id()));
/// # std::fs::write(&path, "1. e4 e5 *\n").unwrap();
/// let progress = Arc::new(Progress::new());
/// progress.cancel();
/// let games = [tabia::game_of_pgn("1. d4 *")?];
/// let error = tabia::append_games_with(&path, &games, &progress).unwrap_err();
/// assert_eq!(error.side(), ErrorSide::Cancelled);
/// assert_eq!(tabia::open(&path)?.games().count(), 1);
/// # let _ = std::fs::remove_file(path);
/// # Ok(())
/// # }
/// ```
pub fn append_games_with(
    path: impl AsRef<Path>,
    games: &[Game],
    progress: &Arc<Progress>,
) -> Result<Summary> {
    let path = path.as_ref();
    // The games pass through a text that keeps everything.
    let mut options = CreateOptions::default();
    options.profile = Profile::Full;
    let (mut text, mut lost) = (Vec::new(), Losses::new());
    for (number, game) in (0..).zip(games) {
        let index = GameIndex(number);
        let written =
            pgn_and_losses(game, index, &options).map_err(|error| error.in_game(index))?;
        text.extend_from_slice(&written.0);
        lost.merge(&written.1);
    }
    let read = ReadOptions {
        from: Some(pgn()?),
        ..ReadOptions::default()
    };
    let resolver = read.resolver();
    let item = resolver.stream(Path::new("-"), Box::new(Cursor::new(text)))?;
    let target = Target::file(&resolver, path, None)?;
    // With the message of the system.
    if let Err(error) = path.metadata() {
        return Err(Error::from(error).in_path(path).in_output());
    }
    let mut options = ConvertOptions {
        append: true,
        ..ConvertOptions::default()
    };
    options.plan.selection = Selection::all();
    // A problem would be an error in the text, and part of a game would be gone.
    options.plan.strict = true;
    let (mut summary, _) = convert(&[item], target, &options, progress, &mut NoObserver)?;
    summary.losses.add_whole("-", &lost);
    Ok(summary)
}

/// Changes one game of a database or of a text file of games, all others stay as they are. A [`GameIndex`] counts from
/// 0: people's game 3 is `GameIndex(2)`. Deleted games and guiding texts count too. What was there is there until the
/// changed copy is complete.
///
/// In a text file, only the game itself is written again, in the character set of the file. If the
/// [standard profile](Profile::Standard) of PGN would lose something of it, it is written in the
/// [full](Profile::Full) one. A database of ChessBase is edited, and one of another format is written again as a whole.
///
/// A changed [`result`](Game::result) or [start position](crate::GameHead::start) is written into the tags that repeat it.
///
/// Returns what of the changed game a text file or a database of ChessBase could not hold. Of another format that cannot
/// hold all of it, it is an error, and what is returned is empty.
///
/// # Errors
/// When there is no such game, it is damaged, or a move of it cannot be played after the change; when the
/// database is in an archive or compressed, or is written again as a whole and the copy would lose something of any game;
/// when the game of a text file has no result at its end or lines that begin with `%`, or the file is UTF-16, has the
/// piece letters of another language, or a character set that lacks characters of the game. Nothing is changed then.
///
/// ```
/// use tabia::GameIndex;
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = std::env::temp_dir().join(format!("tabia-doc-change-{}.pgn", std::process::id()));
/// # std::fs::write(&path, "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 d5 *\n").unwrap();
/// tabia::change_game(&path, GameIndex(1), |game| {
///     game.head.tags.set("White", "Marshall, Frank");
///     game.set_comment(1, "His favourite.")
/// })?;
/// # let text = std::fs::read_to_string(&path).unwrap();
/// # assert!(text.starts_with("[White \"A\"]\n\n1. e4 e5 *\n\n"), "{text}");
/// # assert!(text.contains("1. d4 {His favourite.} 1... d5"), "{text}");
/// # let _ = std::fs::remove_file(path);
/// # Ok(())
/// # }
/// ```
pub fn change_game(
    path: impl AsRef<Path>,
    game: GameIndex,
    change: impl FnOnce(&mut Game) -> Result<()>,
) -> Result<Losses> {
    let path = path.as_ref();
    let items = Resolver::default().resolve(path.as_os_str())?;
    let [item] = items.as_slice() else {
        let text = format!("{}: is not one database", name_text(path.as_os_str()));
        return Err(Error::usage(text));
    };
    let name = item.name();
    let Some(format) = item.format().games() else {
        let text = format!("{name} holds no games");
        return Err(Error::usage(text));
    };
    let Some(source) = item.source() else {
        let text = format!("{name} is in an archive or compressed: it cannot be changed there");
        return Err(Error::usage(text));
    };
    let Some(main) = source.main().path().map(Path::to_path_buf) else {
        return Err(Error::usage(format!("{name} is not on disk")));
    };
    // From before the game is read until the new files have their names. An editor takes it itself.
    let lock = match format.edit {
        Some(_) => None,
        None => Some(Arc::new(SetLock::acquire(&main).map_err(Error::in_output)?)),
    };
    let mut changed = load_undamaged(item, game)?;
    let number = game;
    change(&mut changed)?;
    let changed = changed.with_current_tags().into_owned();
    let in_game = |error: Error| error.in_game(number).in_path(&main);
    changed.check_moves().map_err(in_game)?;
    let Some(lock) = lock else {
        let mut options = EditOptions::default();
        options.create.force = true;
        let changes = [Change::Replace(game, Box::new(changed))];
        return edit(item, &main, &changes, &options).map(|edited| edited.losses);
    };
    if format.create_text.is_some() && format.open_blocks.is_some() {
        return change_text((source, &main), lock, format, game, &changed).map_err(in_game);
    }
    let mut merges = Merges::default();
    merges.replace(game, changed);
    copy_with_changes(&main, lock, merges)?;
    Ok(Losses::new())
}

/// A record as it is, for a copy.
///
/// # Errors
/// If it is not there, or something of it cannot be read: a change would lose that.
fn load_undamaged(item: &InputItem, game: GameIndex) -> Result<Game> {
    let mut first = FirstError(None);
    let progress = Arc::new(Progress::default());
    let found = load_to_copy(item, game, &OpenOptions::default(), &progress, &mut first)?;
    if let Some(error) = first.0 {
        let at = error.location().clone();
        let mut damage = Error::new(ErrorKind::Damaged(error.into_kind().to_string()));
        if let Some(offset) = at.offset {
            damage = damage.at_offset(offset);
        }
        if let (Some(line), Some(column)) = (at.line, at.column) {
            damage = damage.at_line(line, column);
        }
        let file = at.file.as_ref().unwrap_or(item.label());
        return Err(damage.in_file(file).in_game(at.game.unwrap_or(game)));
    }
    found.ok_or_else(|| {
        let text = format!("{} has no game {game}", item.name());
        Error::usage(text)
    })
}

/// Remembers the first problem.
struct FirstError(Option<Error>);

impl Observer for FirstError {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<()> {
        self.0.get_or_insert_with(|| problem.error.clone());
        Ok(())
    }
}

/// Writes a text file again with another text for one game.
fn change_text(
    (source, path): (&Source, &Path),
    lock: Arc<SetLock>,
    format: &'static GameFormat,
    game: GameIndex,
    changed: &Game,
) -> Result<Losses> {
    let open = OpenOptions::default();
    let database = (format.open)(source, &open)?;
    let (start, length) = database.replaceable_span(game)?;
    let charset = match format.open_blocks {
        Some(open_blocks) => charset_of_text(path, open_blocks, &open)?,
        None => None,
    };
    let (text, losses) = text_of(format, game, changed, charset.unwrap_or_default())?;
    let mut old = File::open(path)?;
    let text = with_line_ends(text, line_end(&mut old, start, length)?);
    let length_of_file = old.metadata()?.len();
    let end = start.saturating_add(length);
    let mut options = CreateOptions::default();
    options.force = true;
    let mut new = SharedFile::create(path, options.outputs())?;
    new.hold(lock);
    let failed = |error: io::Error| Error::from(error).in_output();
    old.rewind()?;
    io::copy(&mut (&mut old).take(start), &mut new).map_err(failed)?;
    new.write_all(&text).map_err(failed)?;
    old.seek(SeekFrom::Start(end))?;
    let rest = io::copy(&mut old, &mut new).map_err(failed)?;
    if end.saturating_add(rest) != length_of_file {
        return Err(Error::new(ErrorKind::Replaced).in_output());
    }
    drop(database);
    new.commit()?;
    Ok(losses)
}

/// How lines end in the text of a game, or if it has one line, at the start of the file.
fn line_end(file: &mut File, start: u64, length: u64) -> Result<&'static str> {
    let sample_size = LINE_SAMPLE as u64;
    for (from, length) in [(start, length), (0, sample_size)] {
        let mut sample = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(length.min(sample_size))
            .read_to_end(&mut sample)?;
        if let Some(end) = line_end_of(&sample) {
            return Ok(end);
        }
    }
    Ok("\n")
}

/// A text with other ends of lines than `\n`.
fn with_line_ends(text: Vec<u8>, end: &str) -> Vec<u8> {
    if end == "\n" {
        return text;
    }
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    lines.join(end.as_bytes())
}

/// The text of a game without the line breaks at its end, in the first profile that loses nothing of it, and what
/// is lost.
///
/// # Errors
/// When the format cannot be written, or the character set lacks characters of the game.
fn text_of(
    format: &'static GameFormat,
    index: GameIndex,
    game: &Game,
    charset: Charset,
) -> Result<(Vec<u8>, Losses)> {
    let Some(create) = format.create_text else {
        return Err(Error::unsupported("games of this format cannot be written"));
    };
    let mut made = (Vec::new(), Losses::new());
    for profile in [Profile::Standard, Profile::Full] {
        let mut options = CreateOptions::default();
        options.profile = profile;
        options.charset = charset;
        let mut writer = create(&options)?;
        let _ = game.replay(index, Want::ALL, &mut *writer);
        let text = std::mem::take(writer.text());
        made = (text.trim_ascii_end().to_vec(), writer.take_losses());
        if made.1.is_empty() {
            break;
        }
    }
    if made.1.count(Feature::Characters) > 0 {
        let charset = charset.name();
        let text = format!(
            "the file is in {charset}, which lacks characters of the game; `tabia convert` makes a file in UTF-8, which \
             has all"
        );
        return Err(Error::unsupported(text).in_output());
    }
    Ok(made)
}
