//! A filtered scan of the headers of a ChessBase database, compared with the library of cbvault, on one
//! thread with the files in the page cache: games whose players both have at least 2500.

use std::path::Path;

use cbvault_format::cbh::Headers;
use cbvault_format::cbh::record::{GameHeader, RECORD_SIZE};
use tabia_core::GameIndex;
use tabia_core::formats::OpenOptions;
use tabia_core::io::Source;
use tabia_formats::games::cbh::FORMAT;
use tabia_query::{Matcher, Query};

use crate::rounds::{Contestant, run as time};

/// The number of records that cbvault reads at a time, as in its own scan.
const CHUNK: u32 = 8192;
const ELO: u16 = 2500;

/// Prints nanoseconds per record.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(name) = arguments.first() else {
        return Err("header FILE.cbh [ROUNDS]".into());
    };
    let rounds = match arguments.get(1) {
        Some(text) => text.parse().map_err(|_| format!("{text}: not a number"))?,
        None => 9,
    };
    let path = Path::new(name);
    let records = Headers::open(path).map_err(|error| error.to_string())?;
    let records = records.records();
    println!("{name}: {records} records, {rounds} rounds, opening included");
    let mut contestants = [
        Contestant::new("tabia, elo:>=2500", || ours(path).unwrap_or_default()),
        Contestant::new("cbvault-format, its records compared", || {
            theirs(path).unwrap_or_default()
        }),
    ];
    time(&mut contestants, rounds);
    for contestant in &contestants {
        println!(
            "  {:40} {:7.1} ns/record best, {:7.1} median   {} games",
            contestant.name,
            contestant.best().as_secs_f64() * 1e9 / f64::from(records),
            contestant.median().as_secs_f64() * 1e9 / f64::from(records),
            contestant.sum
        );
    }
    Ok(())
}

fn ours(path: &Path) -> Result<u64, String> {
    let text = |error: tabia_core::Error| error.to_string();
    let open = FORMAT.open;
    let source = Source::from_path(path).map_err(text)?;
    let database = open(&source, &OpenOptions::default()).map_err(text)?;
    let query = Query::parse(&format!("elo:>={ELO}")).map_err(|error| format!("{error:?}"))?;
    let mut matcher = Matcher::new(&query);
    let mut reader = database.reader();
    let mut found = 0;
    let end = database.len();
    let mut next = 0;
    loop {
        let game = matcher.next_candidate(&*database, next, end);
        if game >= end {
            break;
        }
        next = game + 1;
        if matcher
            .matches_record(&*database, &mut *reader, GameIndex(game))
            .map_err(text)?
        {
            found += 1;
        }
    }
    Ok(found)
}

/// The same scan with the library of cbvault, as in its own scan of tags.
fn theirs(path: &Path) -> Result<u64, String> {
    let text = |error: cbvault_format::Error| error.to_string();
    let headers = Headers::open(path).map_err(text)?;
    let mut buffer = vec![0_u8; CHUNK as usize * RECORD_SIZE];
    let mut found = 0;
    let mut first = 1;
    loop {
        let read = headers
            .read_records(first, CHUNK, &mut buffer)
            .map_err(text)?;
        if read == 0 {
            return Ok(found);
        }
        let (records, _) = buffer.as_chunks::<RECORD_SIZE>();
        for (id, record) in (first..first + read).zip(records) {
            let header = GameHeader::from_bytes(id, record);
            if header.white_elo() >= ELO && header.black_elo() >= ELO {
                found += 1;
            }
        }
        first += read;
    }
}
