//! Every format into every other: what comes out, and that the losses told are those that were to be
//! expected.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::format::{OpenOptions, Profile};
use tabia::core::game::{Event, Flow, Game, RecordKind, Recorder, Want};
use tabia::core::io::{Progress, Source};
use tabia::core::loss::{Feature, Losses, project};
use tabia::core::{Format, GameIndex, Result};
use tabia::{Item, Resolver, Watch};
use tabia_formats::FORMATS;
use tabia_formats::archive::{ARCHIVES, CreateOptions as Packing, NewMember, create};
use tabia_testkit::arbitrary::arbitrary_game;
use tabia_testkit::{Scratch, tiny};

/// Formats that are read and written, by extension.
const BOTH_WAYS: [&str; 6] = ["pgn", "cbh", "si3", "si4", "si5", "sci"];

fn format(extension: &str) -> &'static Format {
    let mut formats = FORMATS.iter();
    formats
        .find(|format| format.extensions.contains(&extension))
        .unwrap()
}

/// Losses by game.
#[derive(Default)]
struct Noted(BTreeMap<u32, Losses>);

impl Watch for Noted {
    fn losses(&mut self, _item: &Item, game: GameIndex, losses: &Losses) -> Result<()> {
        self.0.entry(game.0).or_default().merge(losses);
        Ok(())
    }
}

fn options(profile: Profile) -> ConvertOptions {
    let mut options = ConvertOptions::default();
    options.create.profile = profile;
    options.plan.threads = 2;
    options.plan.selection = tabia::select::Selection::all();
    options
}

/// Converts what a name stands for; the losses.
fn run(input: &Path, target: &Path, options: &ConvertOptions) -> BTreeMap<u32, Losses> {
    let resolver = Resolver::new(FORMATS);
    let items = resolver.resolve(input.as_os_str()).unwrap();
    let items = items.into_iter().map(|item| resolver.expand(item).unwrap());
    let items: Vec<Item> = items.flatten().collect();
    let target = Target::file(&resolver, target, None).unwrap();
    let mut noted = Noted::default();
    let progress = Arc::new(Progress::new());
    convert(&items, target, options, &progress, &mut noted).unwrap();
    noted.0
}

/// All games of a file; `None` for what is a text.
fn read(path: &Path) -> Vec<Game> {
    let extension = path.extension().unwrap().to_str().unwrap();
    let source = Source::from_path(path).unwrap();
    let open = format(extension).open_database.unwrap();
    let database = open(&source, &OpenOptions::default()).unwrap();
    let mut reader = database.reader();
    let games = (0..database.len()).map(|number| {
        let mut recorder = Recorder::new();
        let flow = reader.read(GameIndex(number), Want::ALL, &mut recorder);
        assert_eq!(flow.unwrap(), Flow::Go);
        recorder.replace(Game::new())
    });
    games.collect()
}

/// A file of each format with the same games, as far as it holds them.
fn sources(scratch: &Scratch) -> Vec<PathBuf> {
    let first = scratch.join("first.pgn");
    let mut text = Vec::new();
    let full = options(Profile::Full).create;
    let mut writer = format("pgn").create_text.unwrap()(&full).unwrap();
    let games = tiny::games().into_iter().chain([tiny::annotated()]);
    for game in games.chain((1..120).map(arbitrary_game)) {
        let _ = game.replay(GameIndex(0), Want::ALL, &mut *writer);
        text.append(writer.text());
    }
    std::fs::write(&first, text).unwrap();
    let made = BOTH_WAYS.map(|extension| {
        let path = scratch.join(&format!("from.{extension}"));
        run(&first, &path, &options(Profile::Full));
        path
    });
    made.to_vec()
}

/// Losses by rules that are finer than the features of a format.
fn is_finer(feature: Feature) -> bool {
    matches!(
        feature,
        Feature::Tags
            | Feature::HeaderFacts
            | Feature::LongText
            | Feature::Characters
            | Feature::SetupPositions
            | Feature::IllegalPositions
            | Feature::Chess960
            | Feature::SeveralComments
            | Feature::CommentPlaces
            | Feature::CommentText
            | Feature::Languages
            | Feature::Nags
            | Feature::Shapes
            | Feature::ShapeColors
            | Feature::Clocks
            | Feature::Evals
            | Feature::EvalDepths
            | Feature::SpecialResults
            | Feature::Variations
            | Feature::Foreign
    )
}

/// Things said at one place by their kinds: formats have orders of their own.
fn by_kind(game: &Game) -> String {
    let mut events: Vec<Event<'_>> = game.events().collect();
    let is_said = |event: &Event<'_>| matches!(event, Event::Annotation(_));
    for place in events.chunk_by_mut(|a, b| is_said(a) && is_said(b)) {
        place.sort_by_key(|event| match event {
            Event::Annotation(annotation) => Some(annotation.feature()),
            _ => None,
        });
    }
    format!("{events:#?}")
}

/// Holds what came out against what went in; how many games lost nothing beyond the prediction.
fn check(
    what: &str,
    target: &Format,
    profile: Profile,
    games: &[Game],
    found: &[Game],
    told: &BTreeMap<u32, Losses>,
) -> usize {
    let create = options(profile).create;
    let can = target.can_with.map_or(target.can, |can| can(&create));
    let none = Losses::new();
    let mut found = found.iter();
    let mut equal = 0;
    for (number, game) in (0..).zip(games) {
        let what = format!("{what}, game {}", number + 1);
        let (kept, predicted) = project(can, game);
        let told = told.get(&number).unwrap_or(&none);
        if game.head.kind == RecordKind::Text && told.count(Feature::GuidingTexts) > 0 {
            assert!(!can.has(Feature::GuidingTexts), "{what}");
            continue;
        }
        let found = found.next().expect(&what);
        // Of lines that cannot be written, what is in them is not counted again.
        let cuts = [
            Feature::IllegalPositions,
            Feature::SetupPositions,
            Feature::Chess960,
        ];
        let is_cut = cuts.iter().any(|&cut| told.count(cut) > 0);
        for (feature, count) in predicted.iter() {
            let told = told.count(feature);
            let enough = told == count.count || told > count.count && is_finer(feature);
            assert!(
                enough || is_cut,
                "{what}: {feature:?} {} {told}",
                count.count
            );
        }
        for (feature, count) in told.iter() {
            let is_foreseen = predicted.count(feature) > 0 || is_finer(feature);
            assert!(is_foreseen, "{what}: {feature:?} {}", count.count);
        }
        if !is_cut {
            assert!(found.mainline().eq(kept.mainline()), "{what}");
        }
        if *told != predicted {
            continue;
        }
        equal += 1;
        assert_eq!(found.result, kept.result, "{what}");
        let (expected, found_events) = (by_kind(&kept), by_kind(found));
        tabia_testkit::dump::assert_same(&what, &expected, &found_events);
        assert_eq!(found.head.start, kept.head.start, "{what}");
        assert_eq!(found.head.deleted, kept.head.deleted, "{what}");
        for (name, value) in kept.head.tags.iter() {
            let is_unknown = value.chars().all(|c| "?.-*".contains(c));
            let is_start = ["SetUp", "FEN", "Variant"].contains(&name);
            if name == "Date" {
                assert_eq!(found.head.tags.date(), kept.head.tags.date(), "{what}");
            } else if !is_unknown && !is_start {
                assert_eq!(found.head.tags.get(name), Some(value), "{what}: {name}");
            }
        }
    }
    assert_eq!(found.next(), None, "{what}: more than went in");
    equal
}

#[test]
fn every_pair_loses_what_was_predicted() {
    let scratch = Scratch::new("matrix");
    let mut report = String::new();
    for source in sources(&scratch) {
        let games = read(&source);
        let from = source.extension().unwrap().to_str().unwrap();
        let targets = BOTH_WAYS.into_iter().map(|target| (target, Profile::Full));
        for (target, profile) in targets.chain([("pgn", Profile::Standard)]) {
            let what = format!("{from} to {target}");
            let path = scratch.join(&format!("{from}-{profile:?}.{target}"));
            let told = run(&source, &path, &options(profile));
            let found = read(&path);
            if profile == Profile::Full {
                let equal = check(&what, format(target), profile, &games, &found, &told);
                report += &format!("{what}: {equal} of {} games\n", games.len());
                // Not every game of all kinds of things may be one of finer losses.
                assert!(equal * 10 > games.len(), "{report}");
            }
            assert!(
                from != target || profile != Profile::Full || told.is_empty(),
                "{what}"
            );
        }
    }
}

/// An archive, a member of it and a compressed file give what the plain file gives, byte for byte.
#[test]
fn archives_and_members_are_inputs_like_files() {
    let scratch = Scratch::new("matrix-archives");
    let sources = sources(&scratch);
    for container in ["scv", "zip"] {
        let archive = ARCHIVES
            .iter()
            .find(|it| it.format.extensions == [container]);
        for source in &sources {
            let from = source.extension().unwrap().to_str().unwrap();
            let set = format(from).companions.iter().map(|it| it.extension);
            let files = [from].into_iter().chain(set);
            let files = files.map(|extension| source.with_extension(extension));
            let members: Vec<NewMember> = files
                .filter(|path| path.exists())
                .map(|path| NewMember::from_path(&path).unwrap())
                .collect();
            let packed = scratch.join(&format!("{from}.{container}"));
            create(archive.unwrap(), &packed, &members, &Packing::default()).unwrap();
            let member = format!("{}:from.{from}", packed.display());
            for target in ["pgn", "cbh", "si3", "si4", "si5", "sci"] {
                let result = |input: &Path, name: &str| {
                    let path = scratch.join(&format!("{from}-{container}-{name}.{target}"));
                    let told = run(input, &path, &options(Profile::Full));
                    let set = format(target).companions.iter().map(|it| it.extension);
                    let files: Vec<Option<Vec<u8>>> = [target]
                        .into_iter()
                        .chain(set)
                        .map(|extension| std::fs::read(path.with_extension(extension)).ok())
                        .collect();
                    (files, format!("{told:?}"))
                };
                let plain = result(source, "plain");
                let what = format!("{from} in {container} to {target}");
                assert!(result(&packed, "archive") == plain, "{what}");
                assert!(result(Path::new(&member), "member") == plain, "{what}");
            }
        }
    }
}
