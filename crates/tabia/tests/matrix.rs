//! Every format into every other: what comes out, and that the losses told are those that were to be
//! expected.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::formats::{OpenOptions, Profile};
use tabia::core::game::{Annotation, Event, Game, RecordKind, Want, project};
use tabia::core::io::{Progress, Source};
use tabia::core::loss::{Feature, Losses};
use tabia::core::{GameFormat, GameIndex, Result};
use tabia::{InputItem, Observer, Resolver};
use tabia_formats::ARCHIVES;
use tabia_formats::archives::{CreateOptions as Packing, NewMember, create};
use tabia_formats::formats;
use tabia_testkit::arbitrary::arbitrary_game;
use tabia_testkit::dump::assert_same;
use tabia_testkit::{Scratch, tiny};

use support::{format, read};

/// Formats that are read and written, by extension.
const BOTH_WAYS: [&str; 6] = ["pgn", "cbh", "si3", "si4", "si5", "sci"];

/// Losses by game.
#[derive(Default)]
struct Noted(BTreeMap<u32, Losses>);

impl Observer for Noted {
    fn losses(&mut self, _item: &InputItem, game: GameIndex, losses: &Losses) -> Result<()> {
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
    let resolver = Resolver::new(formats());
    let items = resolver.resolve(input.as_os_str()).unwrap();
    let items = items.into_iter().map(|item| resolver.expand(item).unwrap());
    let items: Vec<InputItem> = items.flatten().collect();
    let target = Target::file(&resolver, target, None).unwrap();
    let mut noted = Noted::default();
    let progress = Arc::new(Progress::new());
    convert(&items, target, options, &progress, &mut noted).unwrap();
    noted.0
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
        let path = scratch.join(format!("from.{extension}"));
        run(&first, &path, &options(Profile::Full));
        path
    });
    made.to_vec()
}

/// Losses of single games by rules that are finer than the features of a format.
fn is_finer(feature: Feature) -> bool {
    matches!(
        feature,
        Feature::Chess960
            | Feature::LongText
            | Feature::SeveralComments
            | Feature::CommentPlacement
            | Feature::CommentText
            | Feature::IllegalPositions
            | Feature::HeaderFacts
            | Feature::Tags
            | Feature::ShapeColors
    )
}

/// The events of a game: what is said of a move before the variations that replace it, and things
/// said at one place by their kinds, since formats have orders of their own.
fn by_kind(game: &Game) -> String {
    let mut lines: Vec<Vec<Event<'_>>> = vec![Vec::new()];
    // Where the last move of each open line is followed by its variations.
    let mut places: Vec<Option<usize>> = vec![None];
    for event in game.events() {
        let (line, place) = (lines.last_mut().unwrap(), places.last_mut().unwrap());
        match event {
            Event::Move(_) => {
                *place = None;
                line.push(event);
            }
            // A comment that says nothing is none beside something else.
            Event::Annotation(Annotation::Comment(comment)) if comment.text.trim().is_empty() => {}
            Event::Annotation(_) => {
                line.insert(place.unwrap_or(line.len()), event);
                *place = place.map(|at| at + 1);
            }
            Event::BeginVariation => {
                place.get_or_insert(line.len());
                lines.push(vec![event]);
                places.push(None);
            }
            Event::EndVariation => {
                let (mut variation, _) = (lines.pop().unwrap(), places.pop());
                variation.push(event);
                lines.last_mut().unwrap().extend(variation);
            }
        }
    }
    let mut events = lines.remove(0);
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
    target: &GameFormat,
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
        for (feature, _) in told.iter() {
            // What the format holds in general may be too long or too odd in one game.
            let is_foreseen = predicted.count(feature) > 0 || can.has(feature);
            assert!(is_foreseen || is_finer(feature), "{what}: {feature:?}");
        }
        assert!(
            is_cut || found.mainline().eq(kept.mainline()),
            "{what}: moves"
        );
        if *told != predicted || game.head.kind == RecordKind::Text {
            continue;
        }
        equal += 1;
        assert_eq!(found.result, kept.result, "{what}");
        assert_eq!(found.head.deleted, kept.head.deleted, "{what}");
        let start = |game: &Game| (game.head.start.position(), game.head.start.chess960);
        assert_eq!(start(found), start(&kept), "{what}");
        let (expected, events) = (by_kind(&kept), by_kind(found));
        // Words of a comment that look like a command are one where comments hold commands; what
        // is said before a variation belongs to its first move in some formats.
        let has_signs = ["[%", "[#]"].iter().any(|sign| expected.contains(sign));
        let all: Vec<Event<'_>> = kept.events().collect();
        let opens = all
            .windows(2)
            .any(|pair| matches!(pair, [Event::BeginVariation, Event::Annotation(_)]));
        if !has_signs && !opens {
            assert_same(&what, &expected, &events);
        }
        for (name, value) in kept.head.tags.iter() {
            let is_unknown = value.chars().all(|c| "?.-*".contains(c));
            let is_start = ["SetUp", "FEN", "Variant", "Result"].contains(&name);
            if name == "Date" {
                assert_eq!(found.head.tags.date(), kept.head.tags.date(), "{what}");
            } else if !is_unknown && !is_start {
                let is_there = found.head.tags.iter().any(|tag| tag == (name, value));
                let other = found.head.tags.get(name);
                assert!(is_there, "{what}: {name} {value:?} is {other:?}");
            }
        }
    }
    assert_eq!(found.next(), None, "{what}: more than went in");
    equal
}

#[test]
fn every_pair_loses_what_was_predicted() {
    let scratch = Scratch::new("matrix");
    let mut report = Vec::new();
    let mut all = 0;
    for source in sources(&scratch) {
        let games = read(&source);
        let from = source.extension().unwrap().to_str().unwrap();
        let targets = BOTH_WAYS.into_iter().map(|target| (target, Profile::Full));
        for (target, profile) in targets.chain([("pgn", Profile::Standard)]) {
            let what = format!("{from} to {target}");
            let path = scratch.join(format!("{from}-{profile:?}.{target}"));
            let told = run(&source, &path, &options(profile));
            let found = read(&path);
            let format = format(target);
            let equal = check(&what, format, profile, &games, &found, &told);
            report.push(format!("{what}, {profile:?}: {equal} of {}", games.len()));
            all += equal;
            if from == target && profile == Profile::Full {
                // What is once in a format stays as it is; only texts at one place are joined.
                let joined = |losses: &Losses| {
                    losses
                        .iter()
                        .all(|(feature, _)| feature == Feature::SeveralComments)
                };
                assert!(told.values().all(joined), "{what}: {told:?}");
                assert!(equal * 10 > games.len() * 8, "{report:#?}");
            }
        }
    }
    // Games of all kinds of things mostly have one for which a format has rules of its own.
    assert!(all > 1_000, "{report:#?}");
}

/// An archive, a member of it and a compressed file give what the plain file gives, byte for byte.
#[test]
fn archives_and_members_are_inputs_like_files() {
    let scratch = Scratch::new("matrix-archives");
    let sources = sources(&scratch);
    for container in ["scv", "zip"] {
        let archive = ARCHIVES.iter().find(|it| it.file.extensions == [container]);
        for source in &sources {
            let from = source.extension().unwrap().to_str().unwrap();
            let set = format(from).file.companions.iter().map(|it| it.extension);
            let files = [from].into_iter().chain(set);
            let files = files.map(|extension| source.with_extension(extension));
            let members: Vec<NewMember> = files
                .filter(|path| path.exists())
                .map(|path| NewMember::from_path(&path).unwrap())
                .collect();
            let packed = scratch.join(format!("{from}.{container}"));
            create(archive.unwrap(), &packed, &members, &Packing::default()).unwrap();
            let member = format!("{}:from.{from}", packed.display());
            for target in ["pgn", "cbh", "si3", "si4", "si5", "sci"] {
                let result = |input: &Path, name: &str| {
                    let path = scratch.join(format!("{from}-{container}-{name}.{target}"));
                    let told = run(input, &path, &options(Profile::Full));
                    let set = format(target).file.companions.iter().map(|it| it.extension);
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

/// What a database says of itself is kept or told, whatever it becomes.
#[test]
fn facts_of_databases_are_kept_or_told() {
    let scratch = Scratch::new("matrix-told");
    let first = scratch.join("first.si5");
    let mut create = options(Profile::Full).create;
    let title = "A title of more than a hundred and seven bytes, ".repeat(3);
    create.title = Some(title.clone());
    create.facts = [
        ("type", "4"),
        ("autoload", "1"),
        ("flag1", "Study"),
        ("flag6", "Much later"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .to_vec();
    let mut writer = format("si5").create.unwrap()(&first, &create).unwrap();
    assert!(writer.lost_facts().is_empty());
    let _ = writer.write(&tiny::games()[0]).unwrap();
    writer.finish().unwrap();
    let resolver = Resolver::new(formats());
    let item = || resolver.resolve(first.as_os_str()).unwrap().remove(0);
    let lost = |items: &[InputItem], name: &str| {
        let target = scratch.join(name);
        let target = Target::file(&resolver, &target, None).unwrap();
        let progress = Arc::new(Progress::new());
        let options = options(Profile::Full);
        let done = convert(items, target, &options, &progress, &mut Noted::default());
        let losses = done.unwrap().0.losses;
        [Feature::DatabaseFacts, Feature::LongText].map(|feature| losses.count(feature))
    };
    // The title and the name of a flag are cut.
    for (name, expected) in [
        ("to.si5", [0, 0]),
        ("to.si4", [0, 2]),
        ("to.si3", [2, 1]),
        ("to.sci", [3, 1]),
        ("to.cbh", [3, 0]),
        ("to.pgn", [4, 0]),
    ] {
        assert_eq!(lost(&[item()], name), expected, "{name}");
    }
    assert_eq!(lost(&[item(), item()], "both.si5"), [8, 0]);
}

/// A database made of one other has its description, its type and its names of flags; one made of
/// two has none of them.
#[test]
fn title_and_facts_go_along() {
    let scratch = Scratch::new("matrix-facts");
    let first = scratch.join("first.si4");
    let mut create = options(Profile::Full).create;
    create.title = Some("My games".to_owned());
    create.facts = [("type", "4"), ("flag1", "Study"), ("flag6", "Later")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec();
    let mut writer = format("si4").create.unwrap()(&first, &create).unwrap();
    let _ = writer.write(&tiny::games()[0]).unwrap();
    writer.finish().unwrap();
    let info = |path: &Path| {
        let source = Source::from_path(path).unwrap();
        let extension = path.extension().unwrap().to_str().unwrap();
        let open = format(extension).open;
        let database = open(&source, &OpenOptions::default()).unwrap();
        database.info().clone()
    };
    let second = scratch.join("second.si5");
    run(&first, &second, &options(Profile::Full));
    let third = scratch.join("third.si4");
    run(&second, &third, &options(Profile::Full));
    assert_eq!(info(&third).title.as_deref(), Some("My games"));
    assert_eq!(info(&third).facts, info(&first).facts);
    assert!(std::fs::read(&third).unwrap() == std::fs::read(&first).unwrap());
    for extension in ["cbh", "sci"] {
        let path = scratch.join(format!("fourth.{extension}"));
        run(&first, &path, &options(Profile::Full));
        assert_eq!(info(&path).title.as_deref(), Some("My games"));
    }
    let resolver = Resolver::new(formats());
    let both = [&first, &second].map(|path| resolver.resolve(path.as_os_str()).unwrap());
    let both: Vec<InputItem> = both.into_iter().flatten().collect();
    let path = scratch.join("both.si5");
    let target = Target::file(&resolver, &path, None).unwrap();
    let progress = Arc::new(Progress::new());
    let options = options(Profile::Full);
    convert(&both, target, &options, &progress, &mut Noted::default()).unwrap();
    assert_eq!((info(&path).title, info(&path).facts.len()), (None, 0));
}
