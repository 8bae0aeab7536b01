//! Times tabia against its peers, in one run: A B C, A B C, ….
//!
//! CPU seconds (user and system) and the largest resident memory are those the operating system
//! reports for the finished process; wall time is shown too, but a busy machine makes it vary.
//! Ratios are taken within a round and their median is given.

mod books;
mod own_jobs;
mod scid;
mod search;
mod serve;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

use crate::{Outcome, run_program};

/// Name, what runs, what is measured.
type Job = (&'static str, fn(&Bench) -> Outcome, &'static str);

const JOBS: &[Job] = &[
    (
        "chess",
        chess,
        "SAN, moves and keys against other chess libraries",
    ),
    (
        "pgn",
        pgn,
        "PGN reading and PGN to PGN against pgn-reader and its chess core",
    ),
    (
        "pgn-extract",
        pgn_extract,
        "PGN to PGN against pgn-extract, and on two threads",
    ),
    ("cbh", cbh, "ChessBase to PGN against cbvault and cbh2pgn"),
    (
        "scid",
        scid::scid,
        "PGN to Scid, Scid to PGN and a list of games against Scid",
    ),
    (
        "search",
        search::search,
        "queries, the saved index, openings and duplicates on a million games, against Scid and pgn-extract",
    ),
    (
        "serve",
        serve::serve,
        "the page in a browser over 11,964,285 games, each line with its limit; needs npm and chromium",
    ),
    ("header", header, "a scan of the headers against cbvault"),
    (
        "list",
        own_jobs::list,
        "rows of all games of each kind of database",
    ),
    (
        "tag-search",
        own_jobs::tag_search,
        "searching PGN by tags, compared with pgn-extract",
    ),
    (
        "encode",
        own_jobs::encode,
        "PGN to ChessBase and Scidb, compared with PGN to si5",
    ),
    (
        "archive-create",
        own_jobs::archive_create,
        "packing a CBV archive",
    ),
    (
        "archive",
        archive,
        "unpacking a CBV archive against cbvault",
    ),
    (
        "book",
        books::hundred_thousand,
        "a Polyglot book of 100,000 games against polyglot",
    ),
    (
        "book-million",
        books::million,
        "a Polyglot book of 1,000,000 games against polyglot, which takes minutes",
    ),
    (
        "book-kinds",
        own_jobs::book_kinds,
        "books of 30 plies in every format, compared with Polyglot's",
    ),
    (
        "book-info",
        own_jobs::book_info,
        "`book info`, compared with converting the same book",
    ),
    (
        "book-merge",
        books::merge,
        "two books of 40 MB into one against polyglot",
    ),
    (
        "book-ctg",
        books::ctg,
        "a ChessBase book to Polyglot against jja, where that is installed",
    ),
    (
        "book-probe",
        books::probe,
        "opening books of every format and looking positions up",
    ),
];

pub(crate) fn bench(arguments: &[String]) -> Outcome {
    let (options, names): (Vec<&String>, Vec<&String>) = arguments
        .iter()
        .partition(|argument| argument.starts_with("--"));
    let mut rounds = 5;
    for option in options {
        match option.strip_prefix("--rounds=").map(str::parse) {
            Some(Ok(number)) => rounds = number,
            _ => return Err(format!("unknown option {option}; there is --rounds=N")),
        }
    }
    let chosen: Vec<&Job> = if names.is_empty() {
        JOBS.iter().collect()
    } else {
        let find = |name: &&String| {
            JOBS.iter()
                .find(|job| job.0 == name.as_str())
                .ok_or_else(|| format!("no job {name}; there are {}", job_list()))
        };
        names.iter().map(find).collect::<Result<_, _>>()?
    };
    let bench = Bench::new(rounds)?;
    println!("processor: {}", processor());
    for (name, job, help) in chosen {
        println!("\n## {name}: {help}\n");
        job(&bench)?;
    }
    Ok(())
}

fn job_list() -> String {
    JOBS.iter().map(|job| job.0).collect::<Vec<_>>().join(", ")
}

/// The name of the processor, if the system states it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

/// Where things are.
struct Bench {
    rounds: usize,
    /// The folder of real data.
    data: PathBuf,
    /// Where peers are installed and results are written.
    cache: PathBuf,
    tabia: PathBuf,
}

impl Bench {
    fn new(rounds: usize) -> Result<Self, String> {
        let shared = std::env::var_os("TABIA_SHARED")
            .map_or_else(|| run_program::root().join("../shared"), PathBuf::from);
        let data = shared.join("data");
        if !data.is_dir() {
            return Err(format!("no shared data in {}", shared.display()));
        }
        let cache = run_program::root().join("target/peers");
        std::fs::create_dir_all(cache.join("out")).map_err(|error| error.to_string())?;
        run_program::cargo(&["build", "--release", "--quiet", "--package", "tabia-cli"]).run()?;
        let tabia = run_program::root().join("target/release/tabia");
        Ok(Self {
            rounds,
            data,
            cache,
            tabia,
        })
    }

    fn out(&self, name: &str) -> PathBuf {
        self.cache.join("out").join(name)
    }

    /// A peer from crates.io, installed into the cache.
    fn crate_peer(&self, package: &str, program: &str) -> Result<PathBuf, String> {
        let path = self.cache.join("bin").join(program);
        if !path.exists() {
            run_program::cargo(&["install", "--quiet", package, "--root"])
                .arg(&self.cache)
                .run()?;
        }
        Ok(path)
    }

    /// A peer from the Python index, installed into a virtual environment of the cache.
    fn python_peer(&self, package: &str) -> Result<PathBuf, String> {
        let environment = self.cache.join("python");
        let path = environment.join("bin").join(package);
        if !path.exists() {
            run_program::program("python3")
                .args(&["-m", "venv"])
                .arg(&environment)
                .run()?;
            run_program::program(environment.join("bin/pip"))
                .args(&["install", "--quiet", package])
                .run()?;
        }
        Ok(path)
    }

    /// A peer from Debian; installed only when this may be done without a password.
    fn debian_peer(package: &str) -> Result<PathBuf, String> {
        let found = || {
            ["/usr/bin", "/usr/games"]
                .map(|folder| Path::new(folder).join(package))
                .into_iter()
                .find(|path| path.exists())
        };
        if found().is_none() {
            run_program::program("apt-get")
                .args(&["install", "-y", "-qq", package])
                .run()?;
        }
        found().ok_or_else(|| format!("{package} was installed and is not there"))
    }

    /// A peer that has to be installed by hand: in the cache or on the path.
    fn installed(&self, program: &str) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = vec![self.cache.join("bin")];
        folders.extend(std::env::split_paths(&path));
        let mut files = folders.into_iter().map(|folder| folder.join(program));
        files.find(|file| file.exists())
    }

    /// A corpus of PGN, unpacked into the cache.
    fn corpus(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.cache.join(format!("{name}.pgn"));
        if !path.exists() {
            let packed = self.data.join("pgn").join(format!("{name}.pgn.zst"));
            run_program::program("zstd")
                .args(&["--decompress", "--quiet"])
                .arg(packed)
                .arg("-o")
                .arg(&path)
                .run()?;
        }
        Ok(path)
    }

    /// Runs the contestants in turn and prints what they took; the first one is the measure.
    fn compare(&self, contestants: &[Contestant]) -> Outcome {
        self.compare_costs(contestants).map(drop)
    }

    /// As [`compare`](Self::compare); returns the median of the CPU seconds of each.
    fn compare_costs(&self, contestants: &[Contestant]) -> Result<Vec<f64>, String> {
        let mut runs: Vec<Vec<Cost>> = contestants.iter().map(|_| Vec::new()).collect();
        // One round more than is counted: the first one warms the page cache.
        for round in 0..=self.rounds {
            for (contestant, costs) in contestants.iter().zip(&mut runs) {
                let cost = contestant.run()?;
                if round > 0 {
                    costs.push(cost);
                }
            }
        }
        println!("| | CPU s | wall s | peak MB | CPU ratio: min / median / max | wall ratio |");
        println!("|---|--:|--:|--:|--:|--:|");
        let first = &runs[0];
        for (contestant, costs) in contestants.iter().zip(&runs) {
            let of = |part: fn(&Cost) -> f64| median(costs.iter().map(part).collect());
            let ratios = |part: fn(&Cost) -> f64| -> Vec<f64> {
                let pairs = costs.iter().zip(first);
                pairs.map(|(a, b)| part(a) / part(b)).collect()
            };
            let cpu = ratios(|cost| cost.cpu);
            let least = cpu.iter().copied().fold(f64::INFINITY, f64::min);
            let most = cpu.iter().copied().fold(0.0, f64::max);
            println!(
                "| {} | {:.3} | {:.3} | {:.1} | {least:.2} / {:.2} / {most:.2} | {:.2} |",
                contestant.name,
                of(|cost| cost.cpu),
                of(|cost| cost.wall),
                of(|cost| cost.megabytes),
                median(cpu),
                median(ratios(|cost| cost.wall)),
            );
        }
        let cpu = |costs: &Vec<Cost>| median(costs.iter().map(|cost| cost.cpu).collect());
        Ok(runs.iter().map(cpu).collect())
    }
}

/// A program with its arguments, run once or several times at once.
struct Contestant {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    /// Files removed before each run.
    removed: Vec<PathBuf>,
    /// How many copies run side by side; `{}` in an argument is the number of the copy.
    copies: usize,
    /// Whether exit code 1 of tabia, nothing matched, is a success.
    may_find_nothing: bool,
}

/// What a run took.
struct Cost {
    cpu: f64,
    wall: f64,
    megabytes: f64,
}

impl Contestant {
    fn new(name: &str, program: &Path, arguments: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            program: program.to_path_buf(),
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            removed: Vec::new(),
            copies: 1,
            may_find_nothing: false,
        }
    }

    fn removing(mut self, path: &Path) -> Self {
        self.removed.push(path.to_path_buf());
        self
    }

    fn copies(mut self, copies: usize) -> Self {
        self.copies = copies;
        self
    }

    fn run(&self) -> Result<Cost, String> {
        for path in &self.removed {
            let _ = std::fs::remove_file(path);
        }
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name);
        let begin = Instant::now();
        let mut children = Vec::new();
        for copy in 0..self.copies {
            let number = copy.to_string();
            let arguments = self
                .arguments
                .iter()
                .map(|argument| argument.replace("{}", &number));
            // Written to a file, so that a message of a failing peer can be shown.
            let log =
                std::env::temp_dir().join(format!("tabia-bench-{}-{copy}", std::process::id()));
            let errors = File::create(&log).map_err(|error| named(&error))?;
            let child = Command::new(&self.program)
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(errors)
                .spawn()
                .map_err(|error| named(&error))?;
            children.push((child, log));
        }
        let mut cost = Cost {
            cpu: 0.0,
            wall: 0.0,
            megabytes: 0.0,
        };
        for (mut child, log) in children {
            let used = child.wait4().map_err(|error| named(&error))?;
            let printed = std::fs::read_to_string(&log).unwrap_or_default();
            let _ = std::fs::remove_file(&log);
            let is_done = match used.status.code() {
                // Done; done, with problems in the input.
                Some(0 | 3) => true,
                Some(1) => self.may_find_nothing,
                _ => false,
            };
            if !is_done {
                return Err(named(&format!("{}\n{printed}", used.status)));
            }
            cost.cpu += (used.rusage.utime + used.rusage.stime).as_secs_f64();
            cost.megabytes = f64::max(cost.megabytes, used.rusage.maxrss as f64 / 1e6);
        }
        cost.wall = begin.elapsed().as_secs_f64();
        Ok(cost)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

fn own(arguments: &[&str]) -> Outcome {
    run_program::cargo(&[
        "run",
        "--release",
        "--quiet",
        "--package",
        "tabia-bench",
        "--",
    ])
    .args(arguments)
    .run()
}

fn chess(bench: &Bench) -> Outcome {
    own(&["chess", text(&bench.corpus("m10k")?)])
}

fn pgn(bench: &Bench) -> Outcome {
    own(&["pgn", text(&bench.corpus("m100k")?)])
}

fn pgn_extract(bench: &Bench) -> Outcome {
    let peer = Bench::debian_peer("pgn-extract")?;
    let input = bench.corpus("m100k")?;
    let ours = bench.out("ours.pgn");
    let theirs = bench.out("theirs.pgn");
    let copy = bench.out("copy-{}.pgn");
    let tabia = |threads: &str, out: &Path| {
        let arguments = [
            "convert",
            text(&input),
            "-o",
            text(out),
            "--force",
            "-q",
            "-j",
            threads,
        ];
        Contestant::new(&format!("tabia -j{threads}"), &bench.tabia, &arguments).removing(out)
    };
    let mut twice = tabia("1", &copy).copies(2);
    "two tabia -j1 side by side (control)".clone_into(&mut twice.name);
    bench.compare(&[
        tabia("1", &ours),
        tabia("2", &ours),
        twice,
        Contestant::new(
            "pgn-extract",
            &peer,
            &["-s", "--output", text(&theirs), text(&input)],
        )
        .removing(&theirs),
    ])
}

/// How often the sample is put together: 122,340 games.
const COPIES: usize = 20;

/// The largest ChessBase database at hand has 6,117 games, which is read faster than a process
/// starts; so several copies of it are written as one.
fn large_database(bench: &Bench) -> Result<PathBuf, String> {
    let large = bench.cache.join("large.cbh");
    if !large.exists() {
        let sample = bench.data.join("cbh/uncbv-twic1134/twic1134.cbh");
        // One file named twice is one input, so each copy is a set of its own.
        let copies = copies_of(bench, &sample)?;
        run_program::program(&bench.tabia)
            .arg("convert")
            .args(&copies)
            .arg("-o")
            .arg(&large)
            .args(&["--force", "-q"])
            .run()?;
    }
    Ok(large)
}

/// The set `sample` belongs to, under [`COPIES`] names.
fn copies_of(bench: &Bench, sample: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = sample.parent().ok_or("the sample has no folder")?;
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_stem() == sample.file_stem())
        .collect();
    let mut copies = Vec::new();
    for number in 0..COPIES {
        for file in &files {
            let extension = file.extension().unwrap_or_default();
            let copy = bench
                .out(&format!("copy{number}"))
                .with_extension(extension);
            std::fs::copy(file, copy).map_err(|error| error.to_string())?;
        }
        copies.push(bench.out(&format!("copy{number}.cbh")));
    }
    Ok(copies)
}

fn cbh(bench: &Bench) -> Outcome {
    let cbvault = bench.crate_peer("cbvault-cli", "cbvault")?;
    let cbh2pgn = bench.python_peer("cbh2pgn")?;
    let input = large_database(bench)?;
    // cbvault takes the name without its extension.
    let base = input.with_extension("");
    let ours = bench.out("ours.pgn");
    let theirs = bench.out("theirs.pgn");
    let tabia = |threads: &str| {
        let arguments = [
            "convert",
            text(&input),
            "-o",
            text(&ours),
            "--force",
            "-q",
            "-j",
            threads,
        ];
        Contestant::new(&format!("tabia -j{threads}"), &bench.tabia, &arguments).removing(&ours)
    };
    let peer = |threads: &str| {
        let arguments = ["pgn", text(&base), text(&theirs), "--threads", threads];
        Contestant::new(&format!("cbvault, {threads} threads"), &cbvault, &arguments)
            .removing(&theirs)
    };
    bench.compare(&[
        tabia("1"),
        peer("1"),
        tabia("2"),
        peer("2"),
        Contestant::new(
            "cbh2pgn",
            &cbh2pgn,
            &["convert", text(&input), "-o", text(&theirs)],
        )
        .removing(&theirs),
    ])?;
    // Games without annotations, of which both write the same.
    println!();
    let plain = own_jobs::converted(bench, "cbh")?;
    let base = plain.with_extension("");
    let arguments = [
        "convert",
        text(&plain),
        "-o",
        text(&ours),
        "-f",
        "-q",
        "-j1",
    ];
    let peer = ["pgn", text(&base), text(&theirs), "--threads", "1"];
    bench.compare(&[
        Contestant::new("tabia -j1, m100k", &bench.tabia, &arguments).removing(&ours),
        Contestant::new("cbvault, 1 thread, m100k", &cbvault, &peer).removing(&theirs),
    ])
}

fn header(bench: &Bench) -> Outcome {
    let input = large_database(bench)?;
    own(&["header", text(&input)])
}

/// The three largest files of twic1134, 40 times each: 62 MB in one archive.
fn archive(bench: &Bench) -> Outcome {
    const MEMBERS: [&str; 3] = ["big.cbh", "big.cbg", "big.cbj"];
    let cbvault = bench.crate_peer("cbvault-cli", "cbvault")?;
    let packed = bench.out("big.cbv");
    if !packed.exists() {
        let mut create = run_program::program(&bench.tabia)
            .args(&["archive", "create"])
            .arg(&packed);
        for member in MEMBERS {
            let from = bench
                .data
                .join("cbh/uncbv-twic1134")
                .join(member.replace("big", "twic1134"));
            let bytes = std::fs::read(from).map_err(|error| error.to_string())?;
            let path = bench.out(member);
            std::fs::write(&path, bytes.repeat(40)).map_err(|error| error.to_string())?;
            create = create.arg(path);
        }
        create.run()?;
    }
    let removing = |contestant: Contestant, folder: &Path| {
        let remove = |contestant: Contestant, member| contestant.removing(&folder.join(member));
        MEMBERS.into_iter().fold(contestant, remove)
    };
    let (ours, theirs) = (bench.out("ours"), bench.out("theirs"));
    let tabia = ["archive", "extract", text(&packed), "-d", text(&ours), "-q"];
    let peer = [
        "archive",
        "extract",
        text(&packed),
        text(&theirs),
        "--threads",
        "1",
    ];
    bench.compare(&[
        removing(Contestant::new("tabia", &bench.tabia, &tabia), &ours),
        removing(
            Contestant::new("cbvault, 1 thread", &cbvault, &peer),
            &theirs,
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_even_and_uneven_counts() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn a_process_is_accounted_for() {
        let cargo = std::env::var_os("CARGO").unwrap();
        let run = Contestant::new("cargo", Path::new(&cargo), &["--version"]).copies(2);
        let cost = run.run().unwrap();
        assert!(cost.wall > 0.0 && cost.megabytes > 0.5);
        let bad = Contestant::new("cargo", Path::new(&cargo), &["no-such-command"]);
        assert!(
            bad.run()
                .is_err_and(|error| error.contains("no-such-command"))
        );
    }
}
