//! Comparison with Scid, if it is installed: Scid opens our databases and exports their games, and
//! the databases that it makes of the same games equal ours. For si3 and si4 that is Scid 4, `tkscid`;
//! for si5 libscid, Scid 5's own code, if `python3` or the program that `TABIA_SCID5` names can import
//! it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tabia_core::GameFormat;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Annotation, Event, Game, Nag};
use tabia_core::io::Source;
use tabia_formats::games::pgn;
use tabia_formats::games::scid::{SI3, SI4, SI5};
use tabia_testkit::open_and_read::read_games;
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

/// Makes the database that the first argument names with the games of the file of the second.
const IMPORT: &str = "
set base [sc_base create SCID4 [lindex $argv 0]]
sc_base import $base [lindex $argv 1]
sc_base close $base
exit 0
";

/// What Scid does with a database and a PGN file.
#[derive(Clone, Copy)]
enum Task {
    Export,
    Import,
}

/// Runs the Scid of a format; `None` if it is not installed, which is reported.
fn scid(test: &str, format: &GameFormat, task: Task, base: &Path, pgn: &Path) -> Option<()> {
    let ran = if format.file.id == SI5.file.id {
        let python = std::env::var_os("TABIA_SCID5").unwrap_or_else(|| "python3".into());
        let script = tabia_testkit::repository().join("crates/formats/tests/scid5.py");
        let verb = match task {
            Task::Export => "export",
            Task::Import => "import",
        };
        run(Command::new(python).arg(script).arg(verb), base, pgn)
    } else {
        let script = base.with_extension("tcl");
        let text = match task {
            Task::Export => EXPORT,
            Task::Import => IMPORT,
        };
        std::fs::write(&script, text).unwrap();
        let programs = ["tkscid", "/usr/games/tkscid"].into_iter();
        let mut ran = programs.map(|program| run(Command::new(program).arg(&script), base, pgn));
        ran.find(Option::is_some).flatten()
    };
    if ran.is_none() {
        tabia_testkit::skip_without_peer(test, &format!("Scid for {}", format.file.id));
    }
    ran
}

/// `None` if there is no such program, or if it lacks its library (code 3).
fn run(command: &mut Command, base: &Path, pgn: &Path) -> Option<()> {
    match command.arg(base).arg(pgn).output() {
        Ok(output) if output.status.code() == Some(3) => None,
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command:?}: {errors}");
            Some(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{command:?}: {error}"),
    }
}

fn read(format: &GameFormat, path: &Path) -> Vec<Game> {
    let source = Source::from_path(path).unwrap();
    let database = (format.open)(&source, &OpenOptions::default()).unwrap();
    read_games(&*database).0
}

fn write(format: &GameFormat, path: &Path, games: &[Game]) {
    let mut writer = format.create.unwrap()(path, &CreateOptions::default()).unwrap();
    for game in games {
        let _ = writer.write(game).unwrap();
    }
    assert_eq!(writer.finish().unwrap().records as usize, games.len());
}

/// PGN files of the shared folder; `corpora` adds one of Chess960 for Scid 5.
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

fn corpora(test: &str, format: &GameFormat) -> Vec<(&'static str, PathBuf)> {
    let chess960 = (format.file.id == SI5.file.id).then_some("scid/pgn/frc.pgn");
    let names = CORPORA.into_iter().chain(chess960);
    names
        .filter_map(|name| {
            let path = shared_data(test, name)?;
            let stem = name.rsplit('/').next().unwrap();
            Some((stem.strip_suffix(".pgn").unwrap(), path))
        })
        .collect()
}

/// A game as moves and brackets, the annotations of its moves, and the words of its comments. Scid
/// stores the annotations of a move before the variations that replace it, each once, and only the last
/// of the NAGs 1 to 6, which assess the move.
fn parts_of(game: &Game) -> [Vec<String>; 3] {
    let mut moves = Vec::new();
    let mut annotations = BTreeMap::new();
    let mut words: Vec<String> = Vec::new();
    let mut open = Vec::new();
    let mut number = 0;
    for event in game.events() {
        match event {
            Event::Annotation(Annotation::Comment(comment)) => {
                words.extend(comment.text.split_whitespace().map(str::to_owned));
            }
            // Scid has no NAGs before the first move, and no other data.
            Event::Annotation(Annotation::Nag(_)) if number == 0 => {}
            Event::Annotation(Annotation::Foreign(_)) => {}
            Event::Annotation(annotation) => {
                let text = format!("{annotation:?}");
                let kind = match annotation {
                    Annotation::Nag(Nag(1..=6)) => String::new(),
                    _ => text.clone(),
                };
                annotations.insert((number, kind), format!("move {number}: {text}"));
            }
            // Scid leaves out a variation of which no move was read.
            Event::EndVariation if moves.last().is_some_and(|last| last == "BeginVariation") => {
                moves.pop();
                number = open.pop().unwrap();
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
    [moves, annotations.into_values().collect(), words]
}

/// The tags with a known value. Scid writes no escapes, so that a value with quotes is cut, and writes
/// unknown results and rounds as `*` and `?`.
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
    for format in [&SI3, &SI4, &SI5] {
        exports(format);
    }
}

fn exports(format: &GameFormat) {
    let test = "scid_exports_what_we_write";
    let mut count = 0;
    let mut differences = Vec::new();
    for (name, path) in corpora(test, format) {
        let folder = Scratch::new("scid-exports");
        let base = folder.join(name);
        let source = read(&pgn::FORMAT, &path);
        write(
            format,
            &base.with_extension(format.file.id.as_str()),
            &source,
        );
        if format.file.id == SI3.file.id {
            // Scid itself renames the files of an older version before it opens them.
            for kind in ["si", "sg", "sn"] {
                let old = base.with_extension(format!("{kind}3"));
                std::fs::rename(old, base.with_extension(format!("{kind}4"))).unwrap();
            }
        }
        let exported = folder.join("exported.pgn");
        if scid(test, format, Task::Export, &base, &exported).is_none() {
            return;
        }
        let found = read(&pgn::FORMAT, &exported);
        assert_eq!(found.len(), source.len(), "{name}");
        for (number, (game, found)) in (1..).zip(source.iter().zip(&found)) {
            let mut differs = |what: &str, a: &str, b: &str| {
                differences.push(format!("{name} {number} {what}: {a} | {b}"));
            };
            // The text of moves that were not read is a comment, which Scid changes.
            let is_unread = |event: Event<'_>| matches!(event, Event::Annotation(Annotation::Foreign(foreign)) if foreign.is_unread_moves());
            let compared = if game.events().any(is_unread) { 2 } else { 3 };
            let kinds = ["moves", "annotations", "words"].into_iter().take(compared);
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
                // A long one is cut, which the writer has reported.
                let is_long = value.len() + tag.len() > 240;
                let is_cut = is_long && !other.is_empty() && value.starts_with(other);
                if other != value && !is_cut {
                    differs(tag, value, other);
                }
            }
            count += 1;
        }
    }
    let number = differences.len();
    assert_eq!(differences, [""; 0], "{number} of {count} games");
    print(&format!("{}: {count} games exported equal", format.file.id));
}

/// Prints a line that the test harness does not capture.
fn print(text: &str) {
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// Sizes of the header of an index and of a row.
fn sizes(format: &GameFormat) -> (usize, usize) {
    if format.file.id == SI5.file.id {
        (0, 56)
    } else {
        (182, 47)
    }
}

/// The row of a game without offset and length of its blob, and the blob.
fn parts<'a>(
    format: &GameFormat,
    index: &[u8],
    games: &'a [u8],
    number: usize,
) -> (Vec<u8>, &'a [u8]) {
    let (header, size) = sizes(format);
    let mut row = index[header + size * number..][..size].to_vec();
    let high_first = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |all, &byte| all << 8 | usize::from(byte))
    };
    let (at, length) = if format.file.id == SI5.file.id {
        // Two words, each with its lowest byte first.
        row[32..40].reverse();
        let words = high_first(&row[32..40]);
        row[32..40].fill(0);
        let (high, low) = (words & 0xffff_ffff, words >> 32);
        ((high & 0x7fff) << 32 | low, high >> 15)
    } else {
        let length = high_first(&row[4..6]) | usize::from(row[6] >> 7) << 16;
        let at = high_first(&row[..4]);
        row[..6].fill(0);
        row[6] &= 0x7f;
        (at, length)
    };
    (row, &games[at..][..length])
}

/// A blob without blanks, whose kinds PGN does not distinguish, and without the marks and ends of
/// comments, because Scid leaves out empty ones.
fn without_blanks_and_marks(blob: &[u8]) -> Vec<u8> {
    let is_kept = |byte: &&u8| !byte.is_ascii_whitespace() && !matches!(byte, 0 | 0x0c);
    blob.iter().filter(is_kept).copied().collect()
}

/// Scid 5 keeps any date.
const ONLY_SI4: &str = "an event date of another time";

/// Games whose rows or blobs differ, with the reason.
const EXPLAINED: [(&str, &[usize], &str); 7] = [
    (
        "newyork1924",
        &[15, 17, 44, 47, 52, 65, 70, 71, 79, 85, 87, 88, 96, 97, 102],
        "comments without text: Scid leaves them out",
    ),
    (
        "features",
        &[13, 25],
        "an event date of another time, a long tag: Scid drops them",
    ),
    ("middleg", &[31], "an event date of another time"),
    ("world_matches", &[1], "an event date of another time"),
    (
        "perle",
        &[39, 99],
        "a move that Scid does not read ends the game there; `()` is an empty variation for Scid",
    ),
    (
        "scarborough_2001",
        &[15, 46, 140, 172, 194, 256, 332, 373],
        "a move and a result without a blank between them: Scid reads neither",
    ),
    (
        "dortmund",
        &[9, 17],
        "an opening code with a suffix, kept as a tag",
    ),
];

#[test]
fn scid_writes_the_same_bytes() {
    for format in [&SI4, &SI5] {
        writes_the_same(format);
    }
}

fn writes_the_same(format: &GameFormat) {
    let test = "scid_writes_the_same_bytes";
    let (header, row_size) = sizes(format);
    let (mut count, mut same) = (0, 0);
    for (name, path) in corpora(test, format) {
        // Scid leaves out games of these: two that begin with errors, other variants.
        let leaves_out = ["europe_echecs", "kdave-lichess", "lichess_magnus"].contains(&name);
        // Scid 5 also refuses those with a long tag or with moves it cannot read.
        let refuses = ["features", "perle", "scarborough_2001"].contains(&name);
        if leaves_out || refuses && format.file.id == SI5.file.id {
            continue;
        }
        let folder = Scratch::new("scid-bytes");
        let (ours, theirs) = (folder.join("ours"), folder.join("theirs"));
        if scid(test, format, Task::Import, &theirs, &path).is_none() {
            return;
        }
        let games = read(&pgn::FORMAT, &path);
        write(
            format,
            &ours.with_extension(format.file.id.as_str()),
            &games,
        );
        let version = &format.file.id.as_str()[2..];
        let bytes = |base: &Path, kind: &str| {
            std::fs::read(base.with_extension(format!("{kind}{version}"))).unwrap()
        };
        assert!(bytes(&ours, "sn") == bytes(&theirs, "sn"), "{name}: names");
        let (a, b) = (bytes(&ours, "si"), bytes(&theirs, "si"));
        assert_eq!(a.len(), b.len(), "{name}: number of games");
        assert_eq!(a[..header], b[..header], "{name}: header");
        let (a_games, b_games) = (bytes(&ours, "sg"), bytes(&theirs, "sg"));
        let mut different = Vec::new();
        for number in 0..(a.len() - header) / row_size {
            let (row, blob) = parts(format, &a, &a_games, number);
            let (their_row, their_blob) = parts(format, &b, &b_games, number);
            same += usize::from(row == their_row && blob == their_blob);
            if row != their_row
                || without_blanks_and_marks(blob) != without_blanks_and_marks(their_blob)
            {
                different.push(number + 1);
            }
            count += 1;
        }
        let mut explained = EXPLAINED.iter();
        let explained = explained.find(|(file, _, reason)| {
            *file == name && (format.file.id != SI5.file.id || !reason.contains(ONLY_SI4))
        });
        assert_eq!(
            different,
            explained.map_or(&[][..], |(_, games, _)| games),
            "{name}"
        );
    }
    if count > 0 {
        // Scid 5 keeps line breaks of comments, Scid 4 replaces them by blanks.
        let least = if format.file.id == SI5.file.id {
            80
        } else {
            95
        };
        assert!(same * 100 > count * least, "{same} of {count} are the same");
        print(&format!(
            "{}: {same} of {count} rows and blobs identical",
            format.file.id
        ));
    }
}
