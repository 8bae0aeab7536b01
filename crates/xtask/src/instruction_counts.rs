//! Instruction counts of the main jobs, which no busy machine can change: `docs/instructions.tsv`.
//!
//! Each job is a whole process of the release build without `serve` and `zstd` on one thread, counted by `valgrind
//! --tool=cachegrind` (Debian: valgrind). Its input is made here, from random numbers that are the same
//! everywhere, so that the counts can be taken without real data.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tabia_core::chess::Position;

use crate::{Outcome, run_program};

/// The list: job and instructions.
const LIST: &str = "docs/instructions.tsv";
/// Counts that differ by less are equal: hash seeds and the length of paths differ between runs.
const TOLERANCE: f64 = 0.02;
/// Games of the input.
const GAMES: u64 = 2000;
/// Plies of a game.
const PLIES: u64 = 80;

/// Name and arguments; `@` is the folder of the inputs.
const JOBS: [(&str, &[&str]); 9] = [
    ("tags-pgn", &["ls", "@/games.pgn", "--where", "date:1950"]),
    (
        "pgn-to-pgn",
        &["convert", "@/games.pgn", "-o", "@/out.pgn", "--force"],
    ),
    (
        "pgn-to-si5",
        &["convert", "@/games.pgn", "-o", "@/out.si5", "--force"],
    ),
    (
        "pgn-to-cbh",
        &["convert", "@/games.pgn", "-o", "@/out.cbh", "--force"],
    ),
    (
        "cbh-to-pgn",
        &["convert", "@/games.cbh", "-o", "@/out.pgn", "--force"],
    ),
    (
        "si4-to-pgn",
        &["convert", "@/games.si4", "-o", "@/out.pgn", "--force"],
    ),
    ("list-cbh", &["ls", "@/games.cbh", "--tsv"]),
    (
        "build-bin",
        &[
            "book",
            "build",
            "@/games.pgn",
            "-o",
            "@/out.bin",
            "--force",
            "--no-record",
        ],
    ),
    (
        "search-si4",
        &["search", "@/games.si4", "on:Kd4", "--count"],
    ),
];

pub(crate) fn instructions(arguments: &[String]) -> Outcome {
    let root = run_program::root();
    // None of the jobs needs the page and its packages, which are half of a release build.
    let build = ["build", "--quiet", "--release", "--package", "tabia-cli"];
    run_program::cargo(&build)
        .args(&["--no-default-features"])
        .run()?;
    let tabia = root.join("target/release/tabia");
    let folder = root.join("target/instructions");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, games()).map_err(|error| format!("{}: {error}", pgn.display()))?;
    for name in ["games.cbh", "games.si4"] {
        run_program::program(&tabia)
            .args(&["convert", "--quiet", "--force", "-j1"])
            .arg(&pgn)
            .arg("-o")
            .arg(folder.join(name))
            .run()?;
    }
    let mut counts = Vec::new();
    for (name, job) in JOBS {
        remove_outputs(&folder)?;
        let count = count(&tabia, &folder, job)?;
        println!("{name:<12} {count}");
        counts.push((name, count));
    }
    let list = root.join(LIST);
    if arguments.iter().any(|argument| argument == "--check") {
        return compare(&list, &counts);
    }
    let mut text = "job\tinstructions\n".to_owned();
    for (name, count) in counts {
        let _ = writeln!(text, "{name}\t{count}");
    }
    std::fs::write(&list, text).map_err(|error| format!("{}: {error}", list.display()))
}

/// Removes what an earlier job wrote, since replacing a file takes more than creating one.
fn remove_outputs(folder: &Path) -> Outcome {
    for path in run_program::files(folder, &[""])? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("out.") {
            std::fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// The instructions of one run.
fn count(tabia: &Path, folder: &Path, job: &[&str]) -> Result<u64, String> {
    let folder = folder.to_string_lossy();
    let job: Vec<String> = job.iter().map(|word| word.replace('@', &folder)).collect();
    let log = PathBuf::from(format!("{folder}/valgrind.log"));
    run_program::program("valgrind")
        .args(&[
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(format!("--log-file={}", log.display()))
        .arg(tabia)
        .args(&job)
        .args(&["-j1", "--quiet"])
        .output()?;
    let log =
        std::fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let digits = log
        .lines()
        .find_map(|line| {
            line.split_once("I   refs:")
                .or_else(|| line.split_once("I refs:"))
        })
        .map(|(_, count)| count.trim().replace(',', ""))
        .ok_or_else(|| format!("valgrind counted nothing:\n{log}"))?;
    digits.parse().map_err(|error| format!("{digits}: {error}"))
}

/// Fails for each job that takes more instructions than the list states.
fn compare(list: &Path, counts: &[(&str, u64)]) -> Outcome {
    let text =
        std::fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut grown = Vec::new();
    for (name, count) in counts {
        let listed = text
            .lines()
            .find_map(|line| line.strip_prefix(*name)?.trim().parse::<u64>().ok());
        let Some(listed) = listed else {
            return Err(format!(
                "{LIST} has no line {name}: run cargo xtask instructions"
            ));
        };
        let growth = *count as f64 / listed as f64 - 1.0;
        if growth > TOLERANCE {
            grown.push(format!(
                "{name} takes {:.1} % more instructions than {LIST} states",
                growth * 100.0
            ));
        } else if growth < -TOLERANCE {
            println!(
                "{name} takes {:.1} % fewer: `cargo xtask instructions` writes that down",
                -growth * 100.0
            );
        }
    }
    if grown.is_empty() {
        return Ok(());
    }
    Err(grown.join("\n"))
}

/// Random legal games as PGN.
fn games() -> String {
    let mut text = String::new();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |bound: u64| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % bound
    };
    for number in 0..GAMES {
        let result = ["1-0", "0-1", "1/2-1/2"][below(3) as usize];
        let _ = writeln!(
            text,
            "[Event \"Open {}\"]\n[Site \"Town {}\"]\n[Date \"{}.{:02}.{:02}\"]\n[Round \"{}\"]\n\
             [White \"Name{}, Anna\"]\n[Black \"Name{}, Boris\"]\n[Result \"{result}\"]\n\
             [WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"B{:02}\"]\n",
            number / 50,
            below(40),
            1950 + below(70),
            1 + below(12),
            1 + below(28),
            1 + below(9),
            below(500),
            below(500),
            1800 + below(1000),
            1800 + below(1000),
            below(100),
        );
        let mut position = Position::standard();
        for ply in 0..PLIES {
            let moves = position.legal_moves();
            // The first moves repeat between games, as in real ones.
            let bound = if ply < 12 {
                moves.len().min(3)
            } else {
                moves.len()
            };
            if bound == 0 {
                break;
            }
            let Some(mv) = moves.get(below(bound as u64) as usize).copied() else {
                break;
            };
            if ply % 2 == 0 {
                let _ = write!(text, "{}. ", ply / 2 + 1);
            }
            let _ = write!(text, "{}", position.san(mv));
            text.push(if ply % 10 == 9 { '\n' } else { ' ' });
            position.play_ply(mv.into());
        }
        let _ = write!(text, "{result}\n\n");
    }
    text
}
