//! Conversion and detection with formats that are defined only here: a database whose file states its
//! number of games, text with one line per game, and a database with one line per game.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::chess::{Ply, Position};
use tabia::core::formats::{Confidence, CreateOptions, FileFormat, OpenOptions, Probe};
use tabia::core::game::{Annotation, Flow, Game, GameHead, GameResult, Visitor};
use tabia::core::games::{Database, GameWriter, TextWriter, Written};
use tabia::core::io::{OutputSet, Progress, Source};
use tabia::core::loss::{Feature, Features, Losses};
use tabia::core::{Error, ErrorKind, FormatId, GameFormat, GameIndex, Problem, Result};
use tabia::formats::Format;
use tabia::select::RecordRanges;
use tabia::{ErrorSide, InputItem, NoObserver, Observer, Resolver};
use tabia_testkit::Scratch;
use tabia_testkit::tiny::{TinyDatabase, games};

const fn format(
    id: &'static str,
    extensions: &'static [&'static str],
    score: fn(&Probe<'_>) -> Confidence,
) -> GameFormat {
    GameFormat {
        file: FileFormat {
            id: FormatId::new(id),
            name: id,
            extensions,
            companions: &[],
            by_products: &[],
            score,
            evidence: "",
        },
        can: Features::ALL,
        in_part: Features::NONE,
        can_with: None,
        copies_texts: false,
        media_folders: &[],
        open: |_, _| Err(Error::unsupported("only written")),
        open_stream: None,
        open_blocks: None,
        create_text: None,
        create: None,
        edit: None,
    }
}

/// A file that contains `games N`.
static COUNT: GameFormat = GameFormat {
    open: open_count,
    ..format("count", &["count"], |probe| begins_with(probe, b"games "))
};
/// Has the same score for the same files.
static RIVAL: GameFormat = format("rival", &["rival"], |probe| begins_with(probe, b"games "));
/// One line per game.
static LINES: GameFormat = GameFormat {
    create_text: Some(|_| Ok(Box::new(LinesWritten::default()))),
    ..format("lines", &["lines"], |_| Confidence::No)
};
/// The same through a writer of whole games.
static KEPT: GameFormat = GameFormat {
    create: Some(create_kept),
    ..format("kept", &["kept"], |_| Confidence::No)
};

fn begins_with(probe: &Probe<'_>, prefix: &[u8]) -> Confidence {
    if probe.head.starts_with(prefix) {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn open_count(source: &Source, _options: &OpenOptions) -> Result<Box<dyn Database>> {
    let bytes = source.main().open()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let count: usize = text.trim_start_matches("games ").trim().parse().unwrap();
    let all = games().into_iter().cycle().take(count).collect();
    Ok(Box::new(TinyDatabase::new(all)))
}

#[derive(Default)]
struct LinesWritten {
    text: Vec<u8>,
    losses: Losses,
    plies: u32,
    white: String,
}

impl Visitor for LinesWritten {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        self.plies = 0;
        head.tags.text("White").clone_into(&mut self.white);
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.plies += 1;
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.losses.add(annotation.feature(), 1, None);
        Flow::Go
    }

    fn end_game(&mut self, result: GameResult) {
        writeln!(self.text, "{} {} {result}", self.white, self.plies).unwrap();
    }
}

impl TextWriter for LinesWritten {
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }
}

struct Kept {
    set: OutputSet,
    count: u32,
}

fn create_kept(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    let mut set = OutputSet::new(options.force);
    set.create(path)?;
    Ok(Box::new(Kept { set, count: 0 }))
}

impl GameWriter for Kept {
    fn write(&mut self, game: &Game) -> Result<Losses> {
        let white = game.head.tags.text("White");
        let plies = game.ply_count();
        writeln!(self.set.file(0).unwrap(), "{white} {plies} {}", game.result)?;
        self.count += 1;
        let mut losses = Losses::new();
        if plies == 10 {
            losses.add(Feature::Tags, 2, None);
        }
        Ok(losses)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let (files, bytes) = self.set.commit()?;
        Ok(Written::new(self.count, files, bytes))
    }
}

fn resolver() -> Resolver {
    Resolver::new([&COUNT, &LINES, &KEPT].map(Format::Games))
}

fn input(folder: &Scratch, count: usize) -> Vec<InputItem> {
    let path = folder.join("in.count");
    std::fs::write(&path, format!("games {count}")).unwrap();
    resolver().resolve(path.as_os_str()).unwrap()
}

fn options(threads: usize) -> ConvertOptions {
    let mut options = ConvertOptions::default();
    options.plan.threads = threads;
    options
}

fn to(path: &Path) -> Target<'static> {
    Target::file(&resolver(), path, None).unwrap()
}

#[derive(Default)]
struct Noted(Arc<Mutex<Vec<(u32, Feature, u64)>>>);

impl Observer for Noted {
    fn losses(&mut self, _item: &InputItem, game: GameIndex, losses: &Losses) -> Result<()> {
        for (feature, loss) in losses.iter() {
            self.0.lock().unwrap().push((game.0, feature, loss.count));
        }
        Ok(())
    }

    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<()> {
        panic!("{}", problem.error)
    }
}

#[test]
fn text_and_losses_are_the_same_on_any_number_of_threads() {
    let folder = Scratch::new("pipeline");
    let items = input(&folder, 2_000);
    let mut outcomes = Vec::new();
    for threads in [1, 2, 5] {
        let mut out = Vec::new();
        let target = Target::Stream {
            format: &LINES,
            out: &mut out,
        };
        let mut noted = Noted::default();
        let progress = Arc::new(Progress::new());
        let (summary, _) =
            convert(&items, target, &options(threads), &progress, &mut noted).unwrap();
        assert_eq!(summary.counts.games, 2_000);
        assert_eq!(progress.games(), 2_000);
        let losses = noted.0.lock().unwrap().clone();
        assert!(losses.is_sorted_by_key(|loss| loss.0));
        let row = summary.losses.iter().next().unwrap();
        assert_eq!(
            (row.0, row.1.first),
            (Feature::Comments, Some(GameIndex(0)))
        );
        assert_eq!(row.1.count, 2 * 667);
        outcomes.push((out, losses));
    }
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]));
    let text = String::from_utf8(outcomes.remove(0).0).unwrap();
    assert_eq!(text.lines().count(), 2_000);
    assert!(
        text.starts_with("Abel, Ada 5 1-0\nBrandt, Bo 10 1/2-1/2\n? 4 *\n"),
        "{}",
        &text[..60]
    );
}

#[test]
fn a_writer_of_whole_games_gets_them_in_order() {
    let folder = Scratch::new("writer");
    let items = input(&folder, 1_001);
    let mut texts = Vec::new();
    for threads in [1, 3] {
        let path = folder.join(format!("{threads}.kept"));
        let progress = Arc::new(Progress::new());
        let (summary, written) = convert(
            &items,
            to(&path),
            &options(threads),
            &progress,
            &mut NoObserver,
        )
        .unwrap();
        assert_eq!(written.records, 1_001);
        assert_eq!(written.files, std::slice::from_ref(&path));
        let (feature, row) = summary.losses.iter().next().unwrap();
        assert_eq!((feature, row.first), (Feature::Tags, Some(GameIndex(1))));
        texts.push(std::fs::read_to_string(path).unwrap());
    }
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].ends_with("Brandt, Bo 10 1/2-1/2\n"));
}

#[test]
fn only_the_selected_records_are_read() {
    let folder = Scratch::new("selected");
    let items = input(&folder, 900);
    let mut options = options(2);
    options.plan.selection.numbers = Some(RecordRanges::parse("2,301,899-2000").unwrap());
    let mut out = Vec::new();
    let target = Target::Stream {
        format: &LINES,
        out: &mut out,
    };
    let progress = Arc::new(Progress::new());
    convert(&items, target, &options, &progress, &mut NoObserver).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(
        text,
        "Brandt, Bo 10 1/2-1/2\nAbel, Ada 5 1-0\nBrandt, Bo 10 1/2-1/2\n? 4 *\n"
    );
}

#[test]
fn a_cancelled_conversion_leaves_no_target() {
    let folder = Scratch::new("cancelled");
    let items = input(&folder, 5_000);
    for name in ["x.lines", "x.kept", "x.lines.gz"] {
        let path = folder.join(name);
        let progress = Arc::new(Progress::new());
        progress.cancel();
        let outcome = convert(&items, to(&path), &options(2), &progress, &mut NoObserver);
        assert!(
            matches!(outcome, Err(error) if error.side() == ErrorSide::Cancelled),
            "{name}"
        );
        assert_eq!(folder.names(), ["in.count"], "{name}");
    }
}

#[test]
fn an_existing_target_is_a_failure_of_the_output() {
    let folder = Scratch::new("existing");
    let items = input(&folder, 1);
    for name in ["x.lines", "x.kept"] {
        let path = folder.join(name);
        std::fs::write(&path, "theirs").unwrap();
        let progress = Arc::new(Progress::new());
        match convert(&items, to(&path), &options(1), &progress, &mut NoObserver) {
            Err(error) if error.side() == ErrorSide::Output => {
                assert!(matches!(error.kind(), ErrorKind::Exists));
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    }
}

#[test]
fn a_tie_names_both_formats_and_a_name_breaks_it() {
    let folder = Scratch::new("tie");
    let two = Resolver::new([&COUNT, &RIVAL].map(Format::Games));
    let path = folder.join("in.dat");
    std::fs::write(&path, "games 1").unwrap();
    let error = two.resolve(path.as_os_str()).unwrap_err();
    assert!(
        error.to_string().contains("could be count or rival"),
        "{error}"
    );
    let named = folder.join("in.rival");
    std::fs::rename(&path, &named).unwrap();
    let items = two.resolve(named.as_os_str()).unwrap();
    assert_eq!(items[0].format().id(), RIVAL.file.id);
    let mut insisting = two.clone();
    insisting.from = Some(Format::Games(&COUNT));
    let items = insisting.resolve(named.as_os_str()).unwrap();
    assert_eq!(items[0].format().id(), COUNT.file.id);
}

#[test]
fn formats_that_cannot_be_written_are_refused_at_once() {
    for (name, part) in [
        ("x.count", "cannot be written"),
        ("x.none", "no format has the extension `.none`"),
        ("x.kept.gz", "only text can be compressed"),
    ] {
        match Target::file(&resolver(), &PathBuf::from(name), None) {
            Err(error) if error.side() == ErrorSide::Usage => {
                assert!(error.to_string().contains(part), "{name}: {error}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}
