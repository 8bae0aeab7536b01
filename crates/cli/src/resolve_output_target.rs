//! `-o`, `--to` and `--force`: what a command writes.

use std::ffi::OsString;
use std::path::Path;
use tabia::core::shell_argument::argument;

use tabia::convert::Target;
use tabia::core::{ErrorKind, GameFormat};
use tabia::formats::Format;
use tabia::{Error, Resolver};

use crate::format_arg::find_format;

/// Refuses an existing target before the work instead of after it, unless `force` is set.
pub(crate) fn refuse_existing(path: &Path, force: bool) -> Result<(), Error> {
    if !force && std::fs::symlink_metadata(path).is_ok() {
        return Err(Error::new(ErrorKind::Exists).in_path(path).in_output());
    }
    Ok(())
}

/// The format that `--to` names; `None` if the option is absent.
pub(crate) fn format_of_to(resolver: &Resolver, to: Option<&str>) -> Result<Option<Format>, Error> {
    to.map(|name| find_format(resolver, name)).transpose()
}

/// The file that `-o` names, in the format of `--to` or else of its extension. An error proposes what to
/// do with `inputs` instead.
pub(crate) fn target_file<'a>(
    resolver: &Resolver,
    path: &Path,
    to: Option<Format>,
    inputs: &[OsString],
) -> Result<Target<'a>, Error> {
    let error = match Target::file(resolver, path, to) {
        Ok(target) => return Ok(target),
        Err(error) => error,
    };
    let name = path.display().to_string();
    let name = argument(&name);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let format = to.or_else(|| resolver.format(&extension.to_ascii_lowercase()));
    let inputs: Vec<String> = inputs
        .iter()
        .map(|input| input.display().to_string())
        .collect();
    let inputs = match inputs.as_slice() {
        [_] | [_, _] => {
            let inputs: Vec<_> = inputs.iter().map(|input| argument(input)).collect();
            inputs.join(" ")
        }
        _ => "GAMES".to_owned(),
    };
    Err(match (error.kind(), format) {
        (ErrorKind::Usage { hint: None, .. }, Some(Format::Book(_))) => error.with_hint(format!(
            "`tabia book build {inputs} -o {name}` makes a book of games, `tabia book convert BOOK -o {name}` of another book"
        )),
        (ErrorKind::Usage { hint: None, .. }, Some(Format::Archive(_))) => {
            error.with_hint(format!("`tabia archive create {name} FILES` makes an archive"))
        }
        (ErrorKind::Usage { hint: None, .. }, _) => {
            error.with_hint("`--to FORMAT` names a format; `tabia formats` lists them")
        }
        _ => error,
    })
}

/// Refuses standard output for a format that is not text.
pub(crate) fn refuse_stream(format: &GameFormat) -> Result<(), Error> {
    if format.create_text.is_some() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{} cannot go to standard output; give a file with `-o`",
        format.file.name
    )))
}
