//! Scid beside us, where it is installed: it opens what we write, and exports the games that were
//! written; and what it makes of the same games is what we make of them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tabia_core::format::{CreateOptions, OpenOptions};
use tabia_core::game::{Annotation, Event, Flow, Game, Nag, Want};
use tabia_core::io::Source;
use tabia_core::{Format, GameIndex};
use tabia_formats::pgn;
use tabia_formats::scid::SI4;
use tabia_testkit::{Scratch, shared_data};

/// Writes every game of the database that the first argument names into the file of the second.
const EXPORT: &str = "
set base [sc_base open [lindex $argv 0]]
sc_base switch $base
set out [open [lindex $argv 1] w]
fconfigure $out -encoding utf-8 -translation lf
for {set game 1} {$game <= [sc_base numGames $base]} {incr game} {
    sc_game load $game
    puts $out [sc_game pgn -width 100000 -comments 1 -variations 1 -markCodes 0]
    puts $out {}
}
close $out
exit 0
";

/// Makes a database of the name of the first argument with the games of the second.
const IMPORT: &str = "
set base [sc_base create SCID4 [lindex $argv 0]]
sc_base import $base [lindex $argv 1]
sc_base close $base
exit 0
";

/// Runs a script; `None` when Scid is not installed, which is said.
fn scid(test: &str, script: &str, folder: &Scratch, arguments: &[&Path]) -> Option<()> {
    let path = folder.join("script.tcl");
    std::fs::write(&path, script).unwrap();
    for program in ["tkscid", "/usr/games/tkscid"] {
        let run = Command::new(program).arg(&path).args(arguments).output();
        match run {
            Ok(output) => {
                let told = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{arguments:?}: {told}");
                return Some(());
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => panic!("{program}: {error}"),
        }
    }
    let line = format!("{test}: skipped: no tkscid\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    None
}

fn read(format: &Format, path: &Path) -> Vec<Game> {
    let source = Source::from_path(path).unwrap();
    let database = format.open_database.unwrap()(&source, &OpenOptions::default()).unwrap();
    let mut reader = database.reader();
    (0..database.len())
        .map(|index| {
            let mut game = Game::new();
            let mut recorder = game.recorder();
            let flow = reader.read(GameIndex(index), Want::ALL, &mut recorder);
            assert_eq!(flow.unwrap(), Flow::Go);
            drop(recorder);
            game
        })
        .collect()
}

fn write(path: &Path, games: &[Game]) {
    let mut writer = SI4.create_database.unwrap()(path, &CreateOptions::default()).unwrap();
    for game in games {
        let _ = writer.write(game).unwrap();
    }
    assert_eq!(writer.finish().unwrap().records as usize, games.len());
}

/// PGN files of the shared folder; those of Chess960 are for Scid 5.
const CORPORA: [&str; 14] = [
    "scid/pgn/features.pgn",
    "scid/pgn/lichess_db_1000k.pgn",
    "scid/pgn/twic1599_1000k.pgn",
    "pgn/annotated/europe_echecs.pgn",
    "pgn/annotated/middleg.pgn",
    "pgn/annotated/newyork1924.pgn",
    "pgn/annotated/perle.pgn",
    "pgn/annotated/scarborough_2001.pgn",
    "pgn/engine/Obsidian.pgn",
    "pgn/lichess/kdave-lichess.pgn",
    "pgn/lichess/lichess_broadcast.pgn",
    "pgn/lichess/lichess_magnus.pgn",
    "pgn/misc/dortmund.pgn",
    "pgn/misc/world_matches.pgn",
];

fn corpora(test: &str) -> Vec<(&'static str, PathBuf)> {
    CORPORA
        .into_iter()
        .filter_map(|name| {
            let path = shared_data(test, name)?;
            let stem = name.rsplit('/').next().unwrap();
            Some((stem.strip_suffix(".pgn").unwrap(), path))
        })
        .collect()
}

/// A game as moves and brackets, what is said of its moves, and the words of its comments. Scid has
/// what is said of a move before the variations that replace it, each thing once; and of the NAGs 1 to
/// 6, which judge the move, the last.
fn parts_of(game: &Game) -> [Vec<String>; 3] {
    let mut moves = Vec::new();
    let mut said = BTreeMap::new();
    let mut words: Vec<String> = Vec::new();
    let mut open = Vec::new();
    let mut number = 0;
    for event in game.events() {
        match event {
            Event::Annotation(Annotation::Comment(comment)) => {
                words.extend(comment.text.split_whitespace().map(str::to_owned));
            }
            // It has no NAGs before the first move, and nothing of moves that were not read.
            Event::Annotation(Annotation::Nag(_)) if number == 0 => {}
            Event::Annotation(Annotation::Foreign(_)) => {}
            Event::Annotation(annotation) => {
                let text = format!("{annotation:?}");
                let kind = match annotation {
                    Annotation::Nag(Nag(1..=6)) => String::new(),
                    _ => text.clone(),
                };
                said.insert((number, kind), format!("move {number}: {text}"));
            }
            event => {
                moves.push(format!("{event:?}"));
                match event {
                    Event::BeginVariation => open.push(number),
                    Event::EndVariation => number = open.pop().unwrap(),
                    _ => number = moves.len(),
                }
            }
        }
    }
    words.sort();
    [moves, said.into_values().collect(), words]
}

/// The tags that say something. Scid writes no escapes, so that quotes come back without what
/// stands between them; and it says no result and no round as `*` and `?`.
fn tags(game: &Game) -> BTreeMap<&str, String> {
    let tags = game.head.tags.iter();
    let known = tags.filter(|(name, value)| {
        let is_unknown = value.chars().all(|letter| "?.*- ".contains(letter));
        !is_unknown && !value.contains(['"', '\\']) && !["Result", "SetUp"].contains(name)
    });
    known
        .map(|(name, value)| {
            let words: Vec<&str> = value.split_whitespace().collect();
            (name, words.join(" "))
        })
        .collect()
}

#[test]
fn scid_exports_what_we_write() {
    let test = "scid_exports_what_we_write";
    let mut count = 0;
    let mut odd = Vec::new();
    for (name, path) in corpora(test) {
        let folder = Scratch::new("scid-exports");
        let base = folder.join(name);
        let source = read(&pgn::FORMAT, &path);
        write(&base.with_extension("si4"), &source);
        let exported = folder.join("exported.pgn");
        if scid(test, EXPORT, &folder, &[&base, &exported]).is_none() {
            return;
        }
        let found = read(&pgn::FORMAT, &exported);
        assert_eq!(found.len(), source.len(), "{name}");
        for (number, (game, found)) in (1..).zip(source.iter().zip(&found)) {
            let mut differs = |what: &str, a: &str, b: &str| {
                odd.push(format!("{name} {number} {what}: {a} | {b}"));
            };
            let kinds = ["moves", "annotations", "words"].into_iter();
            for (what, (a, b)) in kinds.zip(parts_of(game).iter().zip(&parts_of(found))) {
                if a != b {
                    let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                    let shown = |all: &[String]| {
                        let rest = all.iter().skip(at).take(6);
                        rest.cloned().collect::<Vec<_>>().join(" ")
                    };
                    differs(what, &shown(a), &shown(b));
                }
            }
            if game.result != found.result {
                differs("result", game.result.pgn(), found.result.pgn());
            }
            let (ours, theirs) = (tags(game), tags(found));
            for (tag, value) in &ours {
                let other = theirs.get(tag).map_or("", String::as_str);
                // A long one is cut, which the writer has told.
                let is_long = value.len() + tag.len() > 240;
                let is_cut = is_long && !other.is_empty() && value.starts_with(other);
                if other != value && !is_cut {
                    differs(tag, value, other);
                }
            }
            count += 1;
        }
    }
    assert_eq!(odd, Vec::<String>::new(), "{} of {count} games", odd.len());
}

/// Bytes of the header of an index and of a row.
const HEADER: usize = 182;
const ROW: usize = 47;

/// The row of a game without the place of its blob, and the blob.
fn parts<'a>(index: &'a [u8], games: &'a [u8], number: usize) -> (&'a [u8], &'a [u8]) {
    let row = &index[HEADER + ROW * number..][..ROW];
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |all, &byte| all << 8 | usize::from(byte))
    };
    let length = number(&row[4..6]) | usize::from(row[6] >> 7) << 16;
    (&row[6..], &games[number(&row[..4])..][..length])
}

/// A blob without what a comment may have more or less of: blanks, which PGN does not tell apart,
/// and the marks and ends of empty comments, which Scid leaves out.
fn essence(blob: &[u8]) -> Vec<u8> {
    let is_kept = |byte: &&u8| !byte.is_ascii_whitespace() && !matches!(byte, 0 | 0x0c);
    blob.iter().filter(is_kept).copied().collect()
}

/// Games whose rows or blobs differ, with the reason.
const EXPLAINED: [(&str, &[usize], &str); 6] = [
    (
        "features",
        &[13, 25],
        "an event date of another time, a long tag: Scid drops them",
    ),
    ("middleg", &[31], "an event date of another time"),
    ("world_matches", &[1], "an event date of another time"),
    (
        "perle",
        &[39],
        "a move that Scid does not read ends the game there",
    ),
    (
        "scarborough_2001",
        &[15, 46, 140, 172, 194, 256, 332, 373],
        "a move and a result without a blank between them: Scid reads neither",
    ),
    (
        "dortmund",
        &[9, 17],
        "an opening code with more behind it, kept as a tag",
    ),
];

#[test]
fn scid_writes_the_same_bytes() {
    let test = "scid_writes_the_same_bytes";
    let (mut count, mut same) = (0, 0);
    for (name, path) in corpora(test) {
        // Scid leaves out games of these: two that begin with faults, other variants.
        if ["europe_echecs", "kdave-lichess", "lichess_magnus"].contains(&name) {
            continue;
        }
        let folder = Scratch::new("scid-bytes");
        let (ours, theirs) = (folder.join("ours"), folder.join("theirs"));
        if scid(test, IMPORT, &folder, &[&theirs, &path]).is_none() {
            return;
        }
        write(&ours.with_extension("si4"), &read(&pgn::FORMAT, &path));
        let bytes =
            |base: &Path, extension: &str| std::fs::read(base.with_extension(extension)).unwrap();
        assert!(
            bytes(&ours, "sn4") == bytes(&theirs, "sn4"),
            "{name}: names"
        );
        let (a, b) = (bytes(&ours, "si4"), bytes(&theirs, "si4"));
        assert_eq!(a.len(), b.len(), "{name}: number of games");
        assert_eq!(a[..HEADER], b[..HEADER], "{name}: header");
        let (a_games, b_games) = (bytes(&ours, "sg4"), bytes(&theirs, "sg4"));
        let mut odd = Vec::new();
        for number in 0..(a.len() - HEADER) / ROW {
            let (row, blob) = parts(&a, &a_games, number);
            let (their_row, their_blob) = parts(&b, &b_games, number);
            same += usize::from(row == their_row && blob == their_blob);
            // The highest bit of the first byte belongs to the length.
            let is_row = row[0] & 0x7f == their_row[0] & 0x7f && row[1..] == their_row[1..];
            if !is_row || essence(blob) != essence(their_blob) {
                odd.push(number + 1);
            }
            count += 1;
        }
        let explained = EXPLAINED.iter().find(|(file, _, _)| *file == name);
        assert_eq!(
            odd,
            explained.map_or(&[][..], |(_, games, _)| games),
            "{name}"
        );
    }
    if count > 0 {
        assert!(same * 100 > count * 95, "{same} of {count} are the same");
    }
}
