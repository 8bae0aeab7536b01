//! The command line.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use crate::exit_code::Failure;
use crate::output::Style;

/// Bytes of all statements at most.
const MAX_STATEMENTS: u64 = 1 << 20;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
SQL over chess databases of any format

Usage: tabia-sql [OPTIONS] [-c SQL | -f FILE]

Statements come from `-c`, from a file, or from standard input.

  -c, --command SQL   statements, `;` between them
  -f, --file FILE     statements in a file
      --table         output as a table; the usual on a terminal
      --tsv           output as TSV; the usual elsewhere
      --csv           output as CSV
      --ndjson        output as a line of JSON for each row
  -j, --threads N     threads that read; the output never depends on it
      --memory SIZE   memory for sorting, grouping and joining, above which files are used: 512MB, 4GB [1GB]
      --include-deleted  games that are marked as deleted too
  -h, --help          this text
  -V, --version       the version

Tables: any path of `tabia` in quotes, `from 'mega.cbh'`, and `tabia('mega.cbh', 'positions')`.
Functions: fen_at(moves, ply), key_at(moves, ply), material_at(moves, ply), opening_at(moves, ply),
reaches(moves, position); each takes the column `fen` as a last argument for games that begin elsewhere.

  tabia-sql -c \"select white, count(*) n from 'mega.cbh' where white_elo >= 2700 group by white order by n desc\"

Exit codes: 0 done, 2 usage, 3 some records were damaged, 4 an input cannot be read, 5 the output cannot be
written, 130 interrupted
";

/// What is asked for.
#[derive(Debug)]
pub(crate) enum Request {
    Print(String),
    Run(Arguments),
}

/// Options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    command: Option<String>,
    file: Option<PathBuf>,
    pub(crate) style: Style,
    pub(crate) threads: usize,
    pub(crate) memory: usize,
    pub(crate) include_deleted: bool,
}

impl Arguments {
    /// The text of all statements.
    pub(crate) fn statements(&self) -> Result<String, Failure> {
        if let Some(text) = &self.command {
            return Ok(text.clone());
        }
        let (name, source): (String, Box<dyn Read>) = match &self.file {
            Some(path) => {
                let file = std::fs::File::open(path);
                let file = file.map_err(|error| unreadable(&path.display().to_string(), &error))?;
                (path.display().to_string(), Box::new(file))
            }
            None => ("standard input".to_owned(), Box::new(std::io::stdin())),
        };
        let mut bytes = Vec::new();
        source
            .take(MAX_STATEMENTS + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&name, &error))?;
        if bytes.len() as u64 > MAX_STATEMENTS {
            let text = format!("{name}: the statements are longer than {MAX_STATEMENTS} bytes");
            return Err(Failure::usage(&text));
        }
        String::from_utf8(bytes).map_err(|_| Failure::usage(&format!("{name}: not UTF-8")))
    }
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    let mut failure = Failure::usage(&format!("{name}: {error}"));
    failure.code = crate::exit_code::INPUT;
    failure
}

/// Reads the command line.
///
/// # Errors
/// An unknown option or a wrong value.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Request, Failure> {
    let mut done = Arguments {
        command: None,
        file: None,
        style: Style::Tsv,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        memory: 1 << 30,
        include_deleted: false,
    };
    let mut style = None;
    let mut arguments = arguments.peekable();
    let no_arguments = arguments.peek().is_none();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => {
                (name.to_owned(), Some(OsString::from(value)))
            }
            _ => (text, None),
        };
        let mut value = || {
            let next = value.clone().or_else(|| arguments.next());
            next.ok_or_else(|| Failure::usage(&format!("`{name}` needs a value")))
        };
        match name.as_str() {
            "-h" | "--help" => return Ok(Request::Print(HELP.to_owned())),
            "-V" | "--version" => {
                let version = concat!("tabia-sql ", env!("CARGO_PKG_VERSION"), "\n");
                return Ok(Request::Print(version.to_owned()));
            }
            "-c" | "--command" => {
                let text = value()?.into_string();
                let text = text.map_err(|_| Failure::usage("the statement is not UTF-8"))?;
                done.command = Some(text);
            }
            "-f" | "--file" => done.file = Some(value()?.into()),
            "--table" => style = Some(Style::Table),
            "--tsv" => style = Some(Style::Tsv),
            "--csv" => style = Some(Style::Csv),
            "--ndjson" => style = Some(Style::Ndjson),
            "--include-deleted" => done.include_deleted = true,
            "-j" | "--threads" => {
                let text = value()?.to_string_lossy().into_owned();
                let threads = text.parse().ok().filter(|count| (1..=1024).contains(count));
                let wrong = || Failure::usage(&format!("`{text}` is no number of threads"));
                done.threads = threads.ok_or_else(wrong)?;
            }
            "--memory" => {
                let text = value()?.to_string_lossy().into_owned();
                let wrong = || Failure::usage(&format!("`{text}` is no size such as 512MB"));
                done.memory = size(&text).ok_or_else(wrong)?;
            }
            _ => {
                let text = format!("unknown argument `{name}`");
                return Err(Failure::usage(&text).with_hint("`tabia-sql --help`"));
            }
        }
    }
    if done.command.is_some() && done.file.is_some() {
        return Err(Failure::usage(
            "statements come from `-c` or from `-f`, not from both",
        ));
    }
    let is_typed = done.command.is_none() && done.file.is_none() && std::io::stdin().is_terminal();
    if no_arguments && is_typed {
        return Ok(Request::Print(HELP.to_owned()));
    }
    let usual = if std::io::stdout().is_terminal() {
        Style::Table
    } else {
        Style::Tsv
    };
    done.style = style.unwrap_or(usual);
    Ok(Request::Run(done))
}

/// Bytes of a size such as `512MB`.
fn size(text: &str) -> Option<usize> {
    let text = text.trim().to_ascii_uppercase();
    let (number, unit) = [
        ("GB", 30),
        ("MB", 20),
        ("KB", 10),
        ("G", 30),
        ("M", 20),
        ("K", 10),
    ]
    .into_iter()
    .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
    .unwrap_or((&text, 0));
    let number: usize = number.trim().parse().ok()?;
    let bytes = number.checked_mul(1 << unit)?;
    (bytes >= 1 << 20).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("512MB"), Some(512 << 20));
        assert_eq!(size("4g"), Some(4 << 30));
        assert_eq!(size("1048576"), Some(1 << 20));
        for wrong in ["", "1KB", "-1MB", "x", "99999999999999999999GB", "1.5GB"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }
}
