//! For fuzz targets and tests: addresses and bodies of requests, read as the server reads them.

use axum::http::{HeaderMap, Method, Uri};

use crate::filter_and_sort::ViewQuery;
use crate::guard::{Guard, GuardOptions, Key};
use crate::lichess;
use crate::params::Params;
use crate::{decided_duplicates, job_requests, renamed_spellings, write_requests};

/// Reads the input as the address of a request, with all parameters that requests have.
///
/// # Panics
/// If a request without `Host` is answered, or if parameters are read that contradict each other.
pub fn url(data: &[u8]) {
    let Ok(uri) = Uri::try_from(data) else {
        return;
    };
    let guard = Guard::new(GuardOptions {
        key: Key::from_bytes([7; 16]),
        writes: true,
        port: 6464,
        is_private: data.len().is_multiple_of(2),
        origins: vec!["https://example.org".to_owned()],
        hosts: Vec::new(),
    });
    let refused = guard.refuse(&Method::GET, &uri, &HeaderMap::new(), None);
    assert!(refused.is_some(), "{uri} is answered");
    let Ok(params) = Params::of(&uri) else {
        return;
    };
    if let Ok((start, plies, position)) = params.position() {
        let mut again = start;
        for ply in plies {
            again.play_ply(ply);
        }
        assert_eq!(again.fen(), position.fen(), "{uri}");
    }
    for name in ["offset", "limit", "moves", "topGames", "recentGames"] {
        if let Ok(number) = params.number::<u32>(name, 7) {
            let text = params.text(name);
            assert!(text.is_empty() || text.parse() == Ok(number), "{uri}");
        }
    }
    assert!(params.ids("ids").iter().all(|id| !id.is_empty()), "{uri}");
    let is_deleted = params.is_on("deleted");
    // An error names what is wrong.
    let _ = ViewQuery::parse(params.text("filter"), params.text("sort"), is_deleted);
    lichess::read_requests(&params);
}

/// Reads the input as the JSON of every request that has some.
///
/// # Panics
/// If what was read contradicts itself.
pub fn json(data: &[u8]) {
    job_requests::read_bodies(data);
    write_requests::read_bodies(data);
    decided_duplicates::read_bodies(data);
    renamed_spellings::read_bodies(data);
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tabia_testkit::{Random, corrupt};

    use super::{json, url};

    const PIECES: [&str; 48] = [
        "/api/v1/games?",
        "/lichess?",
        "/masters?",
        "/player?",
        "/lichess/history?",
        "//",
        "http://evil.example/?",
        "&",
        "&",
        "&",
        "=",
        "fen=",
        "play=",
        "filter=",
        "sort=",
        "deleted=1",
        "ids=",
        "offset=",
        "limit=",
        "moves=",
        "topGames=",
        "variant=",
        "speeds=",
        "ratings=",
        "modes=",
        "since=",
        "until=",
        "player=",
        "color=white",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201",
        "r3k2r/8/8/8/8/8/8/R3K2R%20w%20KQkq%20e3%200%201",
        "e2e4,e7e5,g1f3",
        "e1h1,0000",
        "white,-date",
        "player:carlsen%20elo:%3E=2700",
        "chess960",
        "blitz,classical",
        "0,1600,2500",
        "casual,rated",
        "2013-02",
        "9999999999999999999999",
        "-1",
        "%00",
        "%ff%fe",
        "%22%5C",
        "%",
        "+",
        "%C3%BC",
    ];

    const BODIES: [&str; 5] = [
        r#"{"kind": "index", "db": "games.pgn"}"#,
        r#"{"db": "a,b", "where": "elo:>=2700", "games": "1-3,7", "deleted": true, "to": "si5", "name": "new.si5"}"#,
        r#"{"db": "a", "to": "pgn", "name": "x", "decisions": [{"kept": {"db": "a", "game": 1}, "dropped": {"db": "a", "game": 2}, "choice": "merge"}]}"#,
        r#"{"db": "a", "to": "pgn", "name": "x", "renames": [{"kind": "player", "name": "Tal,M", "proposal": "Tal"}]}"#,
        r#"{"name": "new.ctg", "to": "ctg", "changes": [{"fen": "", "play": "e2e4", "move": "e7e5", "weight": 7, "annotation": "! $14", "advice": "play", "comment": "x"}]}"#,
    ];

    /// Inputs of a fixed sequence: a number of them, or as many as are read in the seconds that
    /// `TABIA_FUZZ_SECONDS` states.
    #[allow(clippy::disallowed_methods, reason = "a test with an option")]
    fn run(least: u32, mut next: impl FnMut(&mut Random)) {
        let seconds = std::env::var("TABIA_FUZZ_SECONDS").map(|text| text.parse::<f64>());
        let seconds = seconds.map_or(0.0, |seconds| seconds.expect("a number of seconds"));
        let start = Instant::now();
        let mut random = Random::new(0x0751);
        let mut count = 0;
        while count < least || start.elapsed().as_secs_f64() < seconds {
            next(&mut random);
            count += 1;
        }
        println!("{count} inputs");
    }

    #[test]
    fn random_addresses_are_read() {
        run(5_000, |random| {
            let mut text = random.pick(&PIECES[..7]).as_bytes().to_vec();
            for _ in 0..random.below(16) {
                text.extend_from_slice(random.pick(&PIECES).as_bytes());
            }
            if random.one_in(3) {
                text = corrupt::damage(&text, random).bytes;
            }
            url(&text);
        });
    }

    /// Whole bodies, with values that are exchanged, and damaged ones.
    #[test]
    fn random_bodies_are_read() {
        run(5_000, |random| {
            let mut text = random.pick(&BODIES).to_string();
            for _ in 0..random.below(4) {
                let quoted: Vec<&str> = text.split('"').collect();
                let (old, new) = (random.pick(&quoted), random.pick(&PIECES));
                if !old.is_empty() && !old.contains(['{', '[', ':', ',']) {
                    text = text.replacen(&format!("\"{old}\""), &format!("\"{new}\""), 1);
                }
            }
            let mut bytes = text.into_bytes();
            if random.one_in(2) {
                bytes = corrupt::damage(&bytes, random).bytes;
            }
            json(&bytes);
        });
    }
}
