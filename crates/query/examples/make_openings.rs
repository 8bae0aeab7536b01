//! Makes the table of opening names from the five tables described in `src/openings/SOURCE.md`:
//! `cargo run -p tabia-query --example make_openings -- FOLDER > src/openings/names.tsv`. With a second argument
//! `least` it makes `least.tsv`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tabia_core::chess::{HomePawns, Position, san};

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let is_least = std::env::args_os()
        .nth(2)
        .is_some_and(|argument| argument == "least");
    let made = make(Path::new(&folder), is_least)
        .and_then(|text| Ok(std::io::stdout().write_all(text.as_bytes())?));
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

fn make(folder: &Path, is_least: bool) -> Result<String, Box<dyn std::error::Error>> {
    // If two lines of the tables reach one position, the first one gives the name.
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    let mut structures: BTreeSet<(HomePawns, u32)> = BTreeSet::new();
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
            structures.insert((HomePawns::of(&position), position.occupied().count()));
            names
                .entry(position.key())
                .or_insert_with(|| format!("{eco}\t{name}"));
        }
    }
    if is_least {
        let leads_to = |(a, more): &(HomePawns, u32), (b, fewer): &(HomePawns, u32)| {
            a.can_become(*b) && fewer <= more && (a, more) != (b, fewer)
        };
        let last = structures
            .iter()
            .filter(|&from| !structures.iter().any(|to| leads_to(from, to)));
        let lines = last.map(|(pawns, men)| format!("{:04x}\t{men}\n", pawns.to_bits()));
        return Ok(lines.collect());
    }
    let lines = names
        .iter()
        .map(|(key, name)| format!("{key:016x}\t{name}\n"));
    Ok(lines.collect())
}
