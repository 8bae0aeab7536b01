//! Makes the table of opening names from the five tables described in `src/openings/SOURCE.md`:
//! `cargo run -p tabia-query --example make_openings -- FOLDER > src/openings/names.tsv`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tabia_core::chess::{Position, san};

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let made =
        make(Path::new(&folder)).and_then(|text| Ok(std::io::stdout().write_all(text.as_bytes())?));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        #[expect(
            clippy::print_stderr,
            reason = "an example has no other way to report an error"
        )]
        Err(error) => {
            eprintln!("make_openings: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make(folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    // If two lines of the tables reach one position, the first one gives the name.
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    for letter in 'a'..='e' {
        let text = std::fs::read_to_string(folder.join(format!("{letter}.tsv")))?;
        for line in text.lines().skip(1) {
            let mut columns = line.split('\t');
            let (Some(eco), Some(name), Some(moves)) =
                (columns.next(), columns.next(), columns.next())
            else {
                return Err(format!("{letter}.tsv: {line:?} has not three columns").into());
            };
            let mut position = Position::standard();
            for m in moves.split(' ').filter(|m| !m.ends_with('.')) {
                san::read_and_play(&mut position, m.as_bytes())
                    .map_err(|error| format!("{letter}.tsv: {m} in {line:?}: {error}"))?;
            }
            names
                .entry(position.key())
                .or_insert_with(|| format!("{eco}\t{name}"));
        }
    }
    let lines = names
        .iter()
        .map(|(key, name)| format!("{key:016x}\t{name}\n"));
    Ok(lines.collect())
}
