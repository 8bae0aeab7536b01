//! Tests the tests: changes the code in small steps and reports the changes that no test notices.
//!
//! All mutants are compiled at once, into a copy of the repository in `target/mutants`; an environment
//! variable switches one of them on. The repository itself contains none.

mod areas;
mod find;
mod repository_copy;
mod runner;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use areas::{AREAS, Area};
use find::Mutant;
use repository_copy::Tree;
use runner::{Measured, Outcome};

use crate::{Outcome as TaskOutcome, run_program};

/// The list of mutants that no test can notice.
const EQUIVALENT: &str = "docs/equivalent-mutants.txt";

const HELP: &str = "\
--area A      only this area; may be repeated
--sample N    mutants of each area, default 10
--seed S      which of them, default 1
--only TEXT   only mutants whose line contains TEXT, for example a function
--seconds S   begin no mutant after this time
--require P   fail if fewer than P percent of an area's mutants are caught
--list        print the chosen mutants and run nothing";

/// What is requested.
#[derive(Debug, PartialEq)]
struct Options {
    areas: Vec<String>,
    sample: usize,
    seed: u64,
    only: String,
    seconds: Option<u64>,
    require: u64,
    list: bool,
}

pub(crate) fn mutants(arguments: &[String]) -> TaskOutcome {
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{HELP}");
        return Ok(());
    }
    let options = parse(arguments)?;
    let equivalent = equivalent_mutants()?;
    let mut chosen = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for area in AREAS {
        if !options.areas.is_empty() && !options.areas.iter().any(|name| name == area.name) {
            continue;
        }
        let found = choose(area, &options, &equivalent, &chosen)?;
        rows.push(Row::new(area, chosen.len()..chosen.len() + found.len()));
        chosen.extend(found);
    }
    if options.list {
        for (number, mutant) in chosen.iter().enumerate() {
            println!(
                "{number:>4} {}:{} {}",
                mutant.file,
                mutant.line,
                mutant.key()
            );
        }
        return Ok(());
    }
    measure(&mut rows, &chosen, &options)
}

/// The mutants of one area, and how many of them the tests notice.
struct Row {
    area: &'static Area,
    /// Numbers of mutants, reserves included.
    numbers: std::ops::Range<usize>,
    caught: u64,
    timed_out: u64,
    unreached: u64,
    survived: u64,
}

impl Row {
    fn new(area: &'static Area, numbers: std::ops::Range<usize>) -> Self {
        Self {
            area,
            numbers,
            caught: 0,
            timed_out: 0,
            unreached: 0,
            survived: 0,
        }
    }

    fn run(&self) -> u64 {
        self.caught + self.timed_out + self.unreached + self.survived
    }

    fn percent(&self) -> u64 {
        (self.caught + self.timed_out) * 100 / self.run().max(1)
    }
}

fn measure(rows: &mut [Row], chosen: &[Mutant], options: &Options) -> TaskOutcome {
    let folder = run_program::root().join("target/mutants");
    let start = Instant::now();
    let tree = Tree::copy(&folder)?;
    let dropped = tree.insert(chosen)?;
    for mutant in dropped.iter().filter_map(|number| chosen.get(*number)) {
        println!("does not compile: line {}, {}", mutant.line, mutant.key());
    }
    let all_tests = rows.iter().flat_map(|row| row.area.tests);
    let programs = tree.build(&all_tests.map(repository_copy::target).collect())?;
    let built = start.elapsed().as_secs();
    println!(
        "{} mutants built in {built} s",
        chosen.len() - dropped.len()
    );
    let mut report = String::new();
    let mut measured: BTreeMap<String, Measured> = BTreeMap::new();
    let limit = options.seconds.map(Duration::from_secs);
    let start = Instant::now();
    for row in rows.iter_mut() {
        let mut tests = Vec::new();
        for test in row.area.tests {
            let name = format!("{test:?}");
            if !measured.contains_key(&name) {
                let program = &programs[&repository_copy::target(test)];
                measured.insert(name.clone(), runner::measure(*test, program, &folder)?);
            }
            tests.push(name);
        }
        let numbers = row
            .numbers
            .clone()
            .filter(|number| !dropped.contains(number));
        for number in numbers.take(sample(row.area, options)) {
            if limit.is_some_and(|limit| start.elapsed() > limit) && !row.area.is_strict {
                break;
            }
            let tests = tests.iter().filter_map(|name| measured.get(name));
            let outcome = runner::run(number, tests, &folder)?;
            let count = match outcome {
                Outcome::Caught => &mut row.caught,
                Outcome::TimedOut => &mut row.timed_out,
                Outcome::Unreached => &mut row.unreached,
                Outcome::Survived => &mut row.survived,
            };
            *count += 1;
            let mutant = &chosen[number];
            let what = match outcome {
                Outcome::Caught | Outcome::TimedOut => continue,
                Outcome::Unreached => "not reached",
                Outcome::Survived => "survived",
            };
            let line = format!("{what}: line {}, {}", mutant.line, mutant.key());
            println!("{line}");
            let _ = writeln!(report, "{line}");
        }
    }
    let mut table = format!(
        "{:<16} {:>6} {:>7} {:>9} {:>9} {:>9} {:>8}\n",
        "area", "run", "caught", "timed out", "survived", "unreached", "percent"
    );
    for row in rows.iter() {
        let _ = writeln!(
            table,
            "{:<16} {:>6} {:>7} {:>9} {:>9} {:>9} {:>7}%",
            row.area.name,
            row.run(),
            row.caught,
            row.timed_out,
            row.survived,
            row.unreached,
            row.percent(),
        );
    }
    print!("{table}");
    let path = folder.join("report.txt");
    std::fs::write(&path, table + &report)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let weak = rows.iter().filter(|row| row.run() > 0);
    let weak = weak.filter(|row| row.percent() < required(row.area, options));
    let weak: Vec<&str> = weak.map(|row| row.area.name).collect();
    if weak.is_empty() {
        return Ok(());
    }
    Err(format!("too few are caught in {}", weak.join(", ")))
}

/// Number of mutants of an area that are run.
fn sample(area: &Area, options: &Options) -> usize {
    if area.is_strict {
        usize::MAX
    } else {
        options.sample
    }
}

/// Percentage of mutants that have to be caught.
fn required(area: &Area, options: &Options) -> u64 {
    if area.is_strict { 100 } else { options.require }
}

/// Mutants of an area in random order, none of which is among `earlier` ones; more than the sample, because
/// some do not compile.
fn choose(
    area: &Area,
    options: &Options,
    equivalent: &BTreeSet<String>,
    earlier: &[Mutant],
) -> Result<Vec<Mutant>, String> {
    let mut all = Vec::new();
    for path in area.files {
        let path = run_program::root().join(path);
        let files = if path.is_dir() {
            run_program::files(&path, &[".rs"])?
        } else {
            vec![path]
        };
        for file in files {
            let name = file.strip_prefix(run_program::root()).unwrap_or(&file);
            let name = name.to_string_lossy().replace('\\', "/");
            let is_test = name.contains("/tests/") || name.ends_with("tests.rs");
            if !is_test {
                let text = std::fs::read_to_string(&file)
                    .map_err(|error| format!("{}: {error}", file.display()))?;
                all.extend(find::mutants(&name, &text)?);
            }
        }
    }
    all.retain(|mutant| {
        let key = mutant.key();
        let is_wanted = area.functions.is_empty() || area.functions.contains(&&*mutant.function);
        is_wanted && key.contains(&options.only) && !equivalent.contains(&key)
    });
    shuffle(&mut all, options.seed);
    let enough = sample(area, options).saturating_mul(3).div_ceil(2);
    let known: BTreeSet<String> = earlier.iter().map(Mutant::key).collect();
    all.retain(|mutant| !known.contains(&mutant.key()));
    all.truncate(enough);
    Ok(all)
}

/// Shuffles by a generator whose sequence depends on nothing but the seed.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for last in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(last, (state % (last as u64 + 1)) as usize);
    }
}

/// The listed mutants: one in a line, followed by two blanks, `#` and the reason.
fn equivalent_mutants() -> Result<BTreeSet<String>, String> {
    let path = run_program::root().join(EQUIVALENT);
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut keys = BTreeSet::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (key, reason) = line.rsplit_once("  # ").unwrap_or((line, ""));
        if reason.is_empty() {
            return Err(format!("{EQUIVALENT}: no reason is given: {line}"));
        }
        keys.insert(key.to_owned());
    }
    Ok(keys)
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        areas: Vec::new(),
        sample: 10,
        seed: 1,
        only: String::new(),
        seconds: None,
        require: 0,
        list: false,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
        let number = |text: &String| -> Result<u64, String> {
            text.parse()
                .map_err(|_| format!("{argument} needs a number"))
        };
        match argument.as_str() {
            "--area" => {
                let name = value()?;
                if !AREAS.iter().any(|area| area.name == name) {
                    let names: Vec<&str> = AREAS.iter().map(|area| area.name).collect();
                    return Err(format!("no area {name}; there are {}", names.join(", ")));
                }
                options.areas.push(name.clone());
            }
            "--sample" => options.sample = number(value()?)? as usize,
            "--seed" => options.seed = number(value()?)?,
            "--only" => options.only.clone_from(value()?),
            "--seconds" => options.seconds = Some(number(value()?)?),
            "--require" => options.require = number(value()?)?,
            "--list" => options.list = true,
            other => return Err(format!("unknown argument {other}\n{HELP}")),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<Options, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn arguments() {
        let found = options("--area chess --sample 3 --seed 7 --list").unwrap();
        assert_eq!((found.sample, found.seed, found.list), (3, 7, true));
        assert!(options("--area nothing").is_err());
        assert!(options("--sample x").is_err());
        assert!(options("--sample").is_err());
        assert!(options("--unknown").is_err());
    }

    #[test]
    fn every_area_has_mutants() {
        for area in AREAS {
            let options = options("--sample 40").unwrap();
            let found = choose(area, &options, &BTreeSet::new(), &[]).unwrap();
            assert!(found.len() >= 20, "{}: {}", area.name, found.len());
            for function in area.functions {
                let text = options_of(function);
                assert!(
                    !choose(area, &text, &BTreeSet::new(), &[])
                        .unwrap()
                        .is_empty(),
                    "{} has no function {function}",
                    area.name
                );
            }
            let again = choose(area, &options, &BTreeSet::new(), &[]).unwrap();
            assert!(
                found
                    .iter()
                    .map(Mutant::key)
                    .eq(again.iter().map(Mutant::key))
            );
        }
    }

    fn options_of(function: &str) -> Options {
        let mut found = options("").unwrap();
        found.only = format!(": {function}: ");
        found
    }

    #[test]
    fn equivalent_mutants_exist() {
        let listed = equivalent_mutants().unwrap();
        let mut keys = BTreeSet::new();
        for area in AREAS {
            for path in area.files {
                let path = run_program::root().join(path);
                let files = if path.is_dir() {
                    run_program::files(&path, &[".rs"]).unwrap()
                } else {
                    vec![path]
                };
                for file in files {
                    let name = file
                        .strip_prefix(run_program::root())
                        .unwrap()
                        .display()
                        .to_string();
                    let text = std::fs::read_to_string(&file).unwrap();
                    keys.extend(find::mutants(&name, &text).unwrap().iter().map(Mutant::key));
                }
            }
        }
        let unknown: Vec<&String> = listed.difference(&keys).collect();
        assert!(unknown.is_empty(), "the code has changed: {unknown:#?}");
    }
}
