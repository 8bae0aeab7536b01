//! Searching a database by its ratings finds the same games as testing every index entry.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::borrow::Cow;

use tabia_core::GameIndex;
use tabia_core::error::{Error, Result};
use tabia_core::game::{Flow, Visitor, Want};
use tabia_core::games::{Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind};
use tabia_query::{Answer, Matcher, Query};

struct NoReader;

impl GameReader for NoReader {
    fn read(&mut self, _: GameIndex, _: Want, _: &mut dyn Visitor) -> Result<Flow> {
        unreachable!("only index entries are read")
    }
}

/// A database of ratings. `quick`: whether it gives the ratings of many games at once.
struct RatingDatabase {
    rows: Vec<[u16; 2]>,
    quick: bool,
    info: DatabaseInfo,
}

impl Database for RatingDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let [white, black] = self.rows[game.0 as usize];
        Ok(IndexEntry {
            white_elo: (white > 0).then_some(white),
            black_elo: (black > 0).then_some(black),
            ..IndexEntry::default()
        })
    }

    fn ratings(&self, first: GameIndex, out: &mut [[u16; 2]]) -> bool {
        if self.quick {
            out.copy_from_slice(&self.rows[first.0 as usize..][..out.len()]);
        }
        self.quick
    }

    fn name(&self, _: NameKind, _: NameId) -> Result<Cow<'_, str>> {
        Err(Error::invalid("no names"))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        unreachable!("only index entries are read")
    }
}

#[test]
fn no_match_is_skipped() {
    let mut random = tabia_testkit::Random::new(1);
    let mut elo = || {
        let elo = random.below(1500);
        if elo < 300 { 0 } else { 1300 + elo as u16 }
    };
    let rows: Vec<[u16; 2]> = (0..10_000).map(|_| [elo(), elo()]).collect();
    for quick in [false, true] {
        let database = RatingDatabase {
            rows: rows.clone(),
            quick,
            info: DatabaseInfo::default(),
        };
        for text in [
            "elo:>=2500",
            "-elo:>=1700",
            "whiteelo:2000..2010",
            "anyelo:>=2790 -blackelo:>=2000",
            "result:*",
            "elo:>=2900",
        ] {
            let query = Query::parse(text).unwrap();
            let mut matcher = Matcher::new(&query);
            let mut found = Vec::new();
            let (mut next, end) = (0, database.len());
            while next < end {
                next = matcher.next_candidate(&database, next, end);
                if next == end {
                    break;
                }
                let game = GameIndex(next);
                if matcher
                    .matches_record(&database, &mut NoReader, game)
                    .unwrap()
                {
                    found.push(next);
                }
                next += 1;
            }
            let mut matcher_by_entry = Matcher::new(&query);
            let mut matches = |game| {
                let entry = database.entry(GameIndex(game)).unwrap();
                let game = GameIndex(game);
                matcher_by_entry.entry(&database, game, &entry).unwrap() == Answer::Yes
            };
            let expected: Vec<u32> = (0..end).filter(|&game| matches(game)).collect();
            assert_eq!(found, expected, "{text}");
            // Single records in any order.
            for step in 0..2 * end {
                let game = (step * 7919 + step / 300) % end;
                let record = GameIndex(game);
                let fits = matcher
                    .matches_record(&database, &mut NoReader, record)
                    .unwrap();
                assert_eq!(
                    fits,
                    expected.binary_search(&game).is_ok(),
                    "{text}: {game}"
                );
            }
            assert_eq!(expected.is_empty(), text == "elo:>=2900", "{text}");
        }
    }
}
