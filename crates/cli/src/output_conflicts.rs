//! Outputs that are also inputs, and changed copies with the name of another format.

use std::fmt::Display;
use std::path::Path;

use tabia::core::shell_argument::file_argument;
use tabia::formats::formats;
use tabia::repair::is_part_of;
use tabia::{Error, InputItem};

use crate::messages::is_named_like;
use crate::path_text::PathText as _;

/// The error of an input that is the output as well.
pub(crate) fn input_and_output(name: impl Display) -> Error {
    Error::usage(format!("{name} is input and output at once"))
        .with_hint("give the output another name; inputs are never replaced")
}

/// Refuses outputs that are also inputs, and two outputs with one name.
pub(crate) fn refuse_inputs(items: &[InputItem], outputs: &[Option<&Path>]) -> Result<(), Error> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    for (number, output) in outputs.iter().enumerate() {
        let name = output.path_text();
        if items.iter().any(|item| is_part_of(output, item)) {
            return Err(input_and_output(name));
        }
        let earlier = outputs.get(..number).unwrap_or_default();
        if earlier.contains(output) || earlier.iter().any(|set| is_file_of_set(output, set)) {
            let error = Error::usage(format!("{name} is two outputs at once"));
            return Err(error.with_hint("`-o`, `--report` and the like need a file each"));
        }
    }
    Ok(())
}

/// Whether a file has the name of one of those that are written along with a database or book.
fn is_file_of_set(path: &Path, main: &Path) -> bool {
    let is_next = path.parent() == main.parent() && path.file_stem() == main.file_stem();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    is_next
        && is_named_like(main, |format| {
            let mut companions = format.companions().iter();
            companions.any(|companion| companion.extension.eq_ignore_ascii_case(&extension))
        })
}

/// Refuses to replace an output when it was all that a folder or glob had: nothing would be left of it.
pub(crate) fn refuse_only_itself(items: &[InputItem], output: Option<&Path>) -> Result<(), Error> {
    match output {
        Some(output) if items.is_empty() => Err(input_and_output(output.path_text())),
        _ => Ok(()),
    }
}

/// Whether standard input reads this file.
#[cfg(unix)]
pub(crate) fn is_standard_input(path: &Path) -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;

    let input = std::io::stdin().as_fd().try_clone_to_owned();
    let input = input.and_then(|input| std::fs::File::from(input).metadata());
    match (input, path.metadata()) {
        (Ok(input), Ok(file)) => {
            file.is_file() && (input.dev(), input.ino()) == (file.dev(), file.ino())
        }
        _ => false,
    }
}

/// Whether standard input reads this file; not known here.
#[cfg(not(unix))]
pub(crate) fn is_standard_input(_path: &Path) -> bool {
    false
}

/// Refuses an output whose name is that of another format: a changed copy has the format of its database or book.
/// `convert`: the command that changes it.
pub(crate) fn refuse_other_format(
    item: &InputItem,
    output: &Path,
    convert: &str,
) -> Result<(), Error> {
    let format = item.format();
    let extension = output.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    if format.extensions().contains(&extension.as_str()) {
        return Ok(());
    }
    let Some(own) = format.extensions().first() else {
        return Ok(());
    };
    let kind = match format.book() {
        Some(_) => "book",
        None => "database",
    };
    let name = output.path_text().into_owned();
    let text = format!(
        "{name}: a changed copy has the format of its {kind}, {}",
        format.name()
    );
    let copy = output.with_extension(own).path_text().into_owned();
    let copy = file_argument(&copy);
    let is_other = formats().any(|format| format.extensions().contains(&extension.as_str()));
    Err(Error::usage(text).with_hint(if is_other {
        let name = file_argument(&name);
        format!("`-o {copy}`, then `{convert} {copy} -o {name}`")
    } else {
        format!("`-o {copy}`")
    }))
}
