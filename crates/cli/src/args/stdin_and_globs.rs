//! Inputs that the user left to us: standard input where a path is missing, and globs that the shell did
//! not expand.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tabia::book::position_arg::play_moves;
use tabia::core::shell_argument::{argument, file_argument};
use tabia::globs::expand_glob;
use tabia::{Error, Position};

use super::{ArchiveVerb, Cli, CommonArgs, Verb};
use crate::args::book::{BookEditArgs, BookVerb};
use crate::path_text::PathText as _;
use crate::terminal;
use crate::typed_position::begins_with_move_number;

/// Puts `-` where an input is missing and standard input is a pipe or a file, and replaces globs by the
/// files they name.
///
/// # Errors
/// A usage error if an input is missing.
pub(crate) fn complete(cli: &mut Cli) -> Result<(), Error> {
    match &mut cli.verb {
        Verb::Info(args) => piped(&mut args.paths)?,
        Verb::Ls(args) => piped(&mut args.paths)?,
        Verb::Tree(args) => piped(&mut args.paths)?,
        Verb::Convert(args) => piped(&mut args.paths)?,
        Verb::Eco(args) => piped(&mut args.paths)?,
        Verb::Check(args) => piped(&mut args.paths)?,
        Verb::Stats(args) => piped(&mut args.paths)?,
        Verb::Names(args) => piped(&mut args.paths)?,
        Verb::Novelty(args) => piped(&mut args.paths)?,
        Verb::Dedupe(args) => piped(&mut args.paths)?,
        Verb::Append(args) => piped(&mut args.paths)?,
        Verb::Shard(args) => piped(&mut args.paths)?,
        Verb::Book(BookVerb::Build(args)) => piped(&mut args.paths)?,
        Verb::Book(BookVerb::Novelty(args)) => piped(&mut args.paths)?,
        Verb::Search(args) if args.inputs.len() == 1 => {
            if !terminal::stdin_is_piped() {
                let text = "name a database and a query, in this order";
                return Err(Error::usage(text).with_hint(search_hint(&args.inputs)));
            }
            args.inputs.insert(0, "-".into());
        }
        Verb::Show(args) if args.path.is_empty() => {
            let mut paths = Vec::new();
            piped(&mut paths)?;
            args.path = paths.pop().unwrap_or_default();
        }
        _ => {}
    }
    let absent = absent_hint(&cli.verb);
    if let Some((paths, common)) = globbed(&mut cli.verb) {
        common.absent_hint = absent;
        let given = std::mem::take(paths);
        for path in given {
            match globbed_files(&path) {
                Some(files) => {
                    common.from_glob.extend(files.iter().cloned());
                    paths.extend(files);
                }
                None => paths.push(path),
            }
        }
    }
    if let Verb::Book(BookVerb::Edit(args)) = &mut cli.verb {
        args.common.absent_hint = import_hint(args);
    }
    if let Verb::Novelty(args) = &mut cli.verb {
        let bases = std::mem::take(&mut args.base).into_iter();
        let bases = bases.flat_map(|path| globbed_files(&path).unwrap_or_else(|| vec![path]));
        args.base = bases.collect();
    }
    if let Verb::Search(args) = &mut cli.verb
        && let Some(query) = args.inputs.pop()
    {
        let paths = std::mem::take(&mut args.inputs).into_iter();
        let paths = paths.flat_map(|path| globbed_files(&path).unwrap_or_else(|| vec![path]));
        args.inputs = paths.chain([query]).collect();
    }
    refuse_second_standard_input(&mut cli.verb)
}

/// Refuses `-` for several inputs: the first of them would read all that there is.
fn refuse_second_standard_input(verb: &mut Verb) -> Result<(), Error> {
    let others: Vec<OsString> = match verb {
        Verb::Novelty(args) => args.base.clone(),
        Verb::Book(BookVerb::Novelty(args)) => vec![args.book.clone()],
        Verb::Book(BookVerb::Edit(args)) => {
            let rows = args.import.iter().map(|path| path.clone().into_os_string());
            rows.chain([args.book.clone()]).collect()
        }
        Verb::Search(args) => args
            .inputs
            .split_last()
            .map_or_else(Vec::new, |(_, paths)| paths.to_vec()),
        _ => Vec::new(),
    };
    let paths = globbed(verb).map_or(&[][..], |(paths, _)| paths);
    let is_standard_input =
        |path: &&OsString| *path == "-" || path.to_str().is_some_and(|path| path.starts_with("-:"));
    if paths
        .iter()
        .chain(&others)
        .filter(is_standard_input)
        .count()
        < 2
    {
        return Ok(());
    }
    let text = "standard input can be read only once, and several inputs are `-`";
    Err(Error::usage(text).with_hint("name it once; the other inputs are files"))
}

/// The files that a glob names. A folder that cannot be listed is among them: opening it reports why, and is not the end
/// of the other inputs.
fn globbed_files(path: &OsStr) -> Option<Vec<OsString>> {
    let files = expand_glob(path)?.into_iter();
    let files = files.filter_map(|file| match file {
        Ok(file) => Some(file.into_os_string()),
        Err(error) => error.location().file.as_deref().map(OsString::from),
    });
    Some(files.collect())
}

/// `-` if nothing is named and standard input has something.
fn piped(paths: &mut Vec<OsString>) -> Result<(), Error> {
    if paths.is_empty() {
        if !terminal::stdin_is_piped() {
            let text = "name an input: a file, a folder, an archive, or `-` for standard input";
            let hint = "`tabia info .` lists the databases and books in this folder";
            return Err(Error::usage(text).with_hint(hint));
        }
        paths.push("-".into());
    }
    Ok(())
}

/// An example of a search in what was given, which is a file or a query.
fn search_hint(inputs: &[OsString]) -> String {
    let given = inputs.first().and_then(|input| input.to_str());
    match given.map(argument) {
        Some(file) if given.is_some_and(|given| Path::new(given).exists()) => {
            format!("for example `tabia search {file} player:carlsen`")
        }
        Some(query) => format!("for example `tabia search games.pgn {query}`"),
        None => "for example `tabia search games.pgn player:carlsen`".to_owned(),
    }
}

/// What an input that does not exist was probably meant to be, and what to type for that: the output of
/// `convert` as `cp` takes it, a word to search for, moves to look up in a book.
fn absent_hint(verb: &Verb) -> Option<(PathBuf, String)> {
    let last_absent =
        |paths: &[OsString], is_wanted: fn(&Path) -> bool| -> Option<(PathBuf, String)> {
            let (first, rest) = paths.split_first()?;
            let absent = rest.iter().map(PathBuf::from).find(|path| !path.exists())?;
            let first = file_argument(&first.path_text()).into_owned();
            is_wanted(&absent).then_some((absent, first))
        };
    let is_word = |path: &Path| {
        let is_name = path.extension().is_none() || begins_with_move_number(&path.path_text());
        is_name && path.components().count() == 1
    };
    let has_extension = |path: &Path| path.extension().is_some();
    let words = |paths: &[OsString]| last_absent(paths, is_word);
    let last = |paths: &[OsString]| {
        let path = paths.last()?.path_text().into_owned();
        Some(file_argument(&path).into_owned())
    };
    match verb {
        Verb::Convert(args) if args.output.is_none() => {
            let (output, input) = last_absent(&args.paths, has_extension)?;
            let name = file_argument(&output.path_text()).into_owned();
            let hint = format!("`-o` names the output: `tabia convert {input} -o {name}`");
            Some((output, hint))
        }
        Verb::Names(args) => {
            let input = last(&args.paths)?;
            let list = args.spelling.as_ref().or(args.fide.as_ref());
            let Some(file) = &args.apply else {
                let hint = format!(
                    "`tabia names {input}` compares the names with each other, without a list"
                );
                return Some((list?.clone(), hint));
            };
            let name = new_file(file, "names.tsv");
            let name = file_argument(&name);
            let hint = format!("`tabia names {input} --tsv > {name}` makes it, to be edited");
            Some((file.clone(), hint))
        }
        Verb::Append(args) => {
            let base = PathBuf::from(&args.output);
            let name = base.file_stem()?.to_owned();
            let has_name =
                |entry: std::fs::DirEntry| Path::new(&entry.file_name()).file_stem() == Some(&name);
            let folder = base
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let has_set = || {
                let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
                entries.is_ok_and(|entries| entries.flatten().any(has_name))
            };
            // A database of that name with several formats is not absent.
            let is_there = base.exists() || base.extension().is_none() && has_set();
            if is_there || args.salvage {
                return None;
            }
            let input = last(&args.paths)?;
            let name = file_argument(&base.path_text()).into_owned();
            let hint = format!(
                "there is nothing to add to; `tabia convert {input} -o {name}` makes a database"
            );
            Some((base, hint))
        }
        Verb::Ls(args) => search_for(words(&args.paths)?),
        Verb::Info(args) => search_for(words(&args.paths)?),
        Verb::Stats(args) => search_for(words(&args.paths)?),
        Verb::Tree(args) => {
            let (first, rest) = args.paths.split_first()?;
            let given = rest.iter().map(|word| word.path_text().into_owned());
            let given = given.collect::<Vec<_>>().join(" ");
            if !is_line(&given) {
                return search_for(words(&args.paths)?);
            }
            let database = first.path_text().into_owned();
            let (database, line) = (file_argument(&database), argument(&given));
            let hint = format!("`--line` names a position: `tabia tree {database} --line {line}`");
            Some((PathBuf::from(rest.first()?), hint))
        }
        Verb::Eco(args) => search_for(words(&args.paths)?),
        Verb::Book(BookVerb::Find(args)) => {
            let (moves, book) = words(&args.books)?;
            // Of `--moves e4 e5` the shell made two arguments.
            let given: Vec<String> = args
                .position
                .moves
                .clone()
                .into_iter()
                .chain(
                    args.books
                        .iter()
                        .skip(1)
                        .map(|word| word.path_text().into_owned()),
                )
                .collect();
            let given = argument(&given.join(" ")).into_owned();
            let hint =
                format!("`--moves` names a position: `tabia book find {book} --moves {given}`");
            Some((moves, hint))
        }
        _ => None,
    }
}

/// How to get rows that can be imported, if those that are given cannot be read.
fn import_hint(args: &BookEditArgs) -> Option<(PathBuf, String)> {
    let file = args.import.clone()?;
    if file.as_os_str() == "-" {
        // Standard input is no file to write.
        return None;
    }
    let book = args.book.path_text().into_owned();
    let rows = new_file(&file, "moves.csv");
    let (book, rows) = (file_argument(&book), file_argument(&rows));
    let hint = format!(
        "`tabia book edit {book} --csv > {rows}` writes rows that can be edited and imported"
    );
    Some((file, hint))
}

/// The file itself, or another one in its folder if it exists: what somebody has edited is not written again.
fn new_file(file: &Path, name: &str) -> String {
    // Next to a device no file is made.
    let is_special = file
        .metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir());
    let file = if is_special { Path::new(name) } else { file };
    let others = [name.to_owned(), format!("new-{name}")];
    let others = others.iter().map(|name| file.with_file_name(name));
    let mut files = std::iter::once(file.to_path_buf()).chain(others);
    let free = files.find(|file| !file.exists());
    free.unwrap_or_else(|| "NEW".into())
        .path_text()
        .into_owned()
}

/// Whether a text is moves, or begins like them.
fn is_line(text: &str) -> bool {
    begins_with_move_number(text)
        || play_moves(&Position::standard(), text).is_ok_and(|(_, plies)| !plies.is_empty())
}

/// How to search for a word that was given like a file.
fn search_for((word, input): (PathBuf, String)) -> Option<(PathBuf, String)> {
    let word_or_query = word.to_str()?;
    if word_or_query.starts_with('-') {
        let hint = "after `--` every word is a file: options come before it";
        return Some((word, hint.to_owned()));
    }
    let what = if word_or_query.contains(':') {
        "lists the games that fit"
    } else {
        "searches for a name"
    };
    let query = argument(word_or_query);
    let hint = format!("`tabia search {input} {query}` {what}");
    Some((word, hint))
}

/// The inputs of a verb that takes several.
fn globbed(verb: &mut Verb) -> Option<(&mut Vec<OsString>, &mut CommonArgs)> {
    Some(match verb {
        Verb::Info(args) => (&mut args.paths, &mut args.common),
        Verb::Ls(args) => (&mut args.paths, &mut args.rows.common),
        Verb::Tree(args) => (&mut args.paths, &mut args.rows.common),
        Verb::Index(args) => (&mut args.paths, &mut args.common),
        Verb::Convert(args) => (&mut args.paths, &mut args.common),
        Verb::Eco(args) => (&mut args.paths, &mut args.common),
        Verb::Dedupe(args) => (&mut args.paths, &mut args.rows.common),
        Verb::Append(args) => (&mut args.paths, &mut args.rows.common),
        Verb::Shard(args) => (&mut args.paths, &mut args.common),
        Verb::Stats(args) => (&mut args.paths, &mut args.rows.common),
        Verb::Novelty(args) => (&mut args.paths, &mut args.rows.common),
        Verb::Names(args) => (&mut args.paths, &mut args.common),
        Verb::Check(args) => (&mut args.paths, &mut args.common),
        Verb::Archive(ArchiveVerb::Test(args)) => (&mut args.archives, &mut args.common),
        Verb::Book(BookVerb::Build(args)) => (&mut args.paths, &mut args.common),
        Verb::Book(BookVerb::Info(args)) => (&mut args.books, &mut args.common),
        Verb::Book(BookVerb::Find(args)) => (&mut args.books, &mut args.common),
        Verb::Book(BookVerb::Merge(args)) => (&mut args.books, &mut args.common),
        Verb::Book(BookVerb::Novelty(args)) => (&mut args.paths, &mut args.common),
        _ => return None,
    })
}
