//! Conversion of every format to every other: the games are equal except for the reported losses, and
//! the losses are the predicted ones.
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
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::dump::assert_same;
use tabia_testkit::{Scratch, tiny};

use support::{format, read};

/// Formats that are read and written, by extension.
const BOTH_WAYS: [&str; 7] = ["pgn", "cbh", "2cbh", "si3", "si4", "si5", "sci"];

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

/// Converts the file, archive or member that `input` names; returns the losses.
fn run(input: &Path, target: &Path, options: &ConvertOptions) -> BTreeMap<u32, Losses> {
    let resolver = Resolver::new(formats());
    let items = resolver.resolve(input.as_os_str()).unwrap();
    let items = items
        .into_iter()
        .flat_map(|item| resolver.expand(item).unwrap());
    let items: Vec<InputItem> = items.map(Result::unwrap).collect();
    let target = Target::file(&resolver, target, None).unwrap();
    let mut noted = Noted::default();
    let progress = Arc::new(Progress::new());
    convert(&items, target, options, &progress, &mut noted).unwrap();
    noted.0
}

/// A file of each format with the same games, as far as it can hold them.
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

/// Features that formats hold within limits, so that single games can lose them.
fn has_narrower_limits(feature: Feature) -> bool {
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
            | Feature::TagSpellings
            | Feature::TagText
            | Feature::ShapeColors
    )
}

/// The events of a game, with the annotations of a move before the variations that replace it and sorted
/// by kind, since formats have different orders.
fn with_sorted_annotations(game: &Game) -> String {
    let mut lines: Vec<Vec<Event<'_>>> = vec![Vec::new()];
    // Index of the first variation of the last move of each open line.
    let mut first_variations: Vec<Option<usize>> = vec![None];
    for event in game.events() {
        let line = lines.last_mut().unwrap();
        let first_variation = first_variations.last_mut().unwrap();
        match event {
            Event::Move(_) => {
                *first_variation = None;
                line.push(event);
            }
            // Empty comments are ignored.
            Event::Annotation(Annotation::Comment(comment)) if comment.text.trim().is_empty() => {}
            Event::Annotation(_) => {
                line.insert(first_variation.unwrap_or(line.len()), event);
                *first_variation = first_variation.map(|at| at + 1);
            }
            Event::BeginVariation => {
                first_variation.get_or_insert(line.len());
                lines.push(vec![event]);
                first_variations.push(None);
            }
            Event::EndVariation => {
                let (mut variation, _) = (lines.pop().unwrap(), first_variations.pop());
                variation.push(event);
                lines.last_mut().unwrap().extend(variation);
            }
        }
    }
    let mut events = lines.remove(0);
    let is_annotation = |event: &Event<'_>| matches!(event, Event::Annotation(_));
    for annotations in events.chunk_by_mut(|a, b| is_annotation(a) && is_annotation(b)) {
        annotations.sort_by_key(|event| match event {
            Event::Annotation(annotation) => Some(annotation.feature()),
            _ => None,
        });
    }
    format!("{events:#?}")
}

/// Compares the converted games with the originals; returns the number of games whose losses are
/// exactly the predicted ones.
fn check(
    what: &str,
    target: &GameFormat,
    profile: Profile,
    games: &[Game],
    found: &[Game],
    losses: &BTreeMap<u32, Losses>,
) -> usize {
    let create = options(profile).create;
    let can = target.can_with.map_or(target.can, |can| can(&create));
    let none = Losses::new();
    let mut found = found.iter();
    let mut equal = 0;
    for (number, game) in (0..).zip(games) {
        let what = format!("{what}, game {}", number + 1);
        let (kept, predicted) = project(can, game);
        let reported = losses.get(&number).unwrap_or(&none);
        if game.head.kind == RecordKind::Text && reported.count(Feature::GuidingTexts) > 0 {
            assert!(!can.has(Feature::GuidingTexts), "{what}");
            continue;
        }
        let found = found.next().expect(&what);
        // The contents of lines that cannot be written are not counted in addition.
        let cuts = [
            Feature::IllegalPositions,
            Feature::SetupPositions,
            Feature::Chess960,
        ];
        let is_cut = cuts.iter().any(|&cut| reported.count(cut) > 0);
        for (feature, count) in predicted.iter() {
            let lost = reported.count(feature);
            let enough = lost == count.count || lost > count.count && has_narrower_limits(feature);
            assert!(
                enough || is_cut,
                "{what}: {feature:?} {} {lost}",
                count.count
            );
        }
        for (feature, _) in reported.iter() {
            // A feature that the format holds can exceed its limits in one game.
            let is_expected = predicted.count(feature) > 0 || can.has(feature);
            assert!(
                is_expected || has_narrower_limits(feature),
                "{what}: {feature:?}"
            );
        }
        assert!(
            is_cut || found.mainline().eq(kept.mainline()),
            "{what}: moves"
        );
        if *reported != predicted || game.head.kind == RecordKind::Text {
            continue;
        }
        equal += 1;
        assert_eq!(found.result, kept.result, "{what}");
        assert_eq!(found.head.deleted, kept.head.deleted, "{what}");
        let start = |game: &Game| (game.head.start.position(), game.head.start.chess960);
        assert_eq!(start(found), start(&kept), "{what}");
        let expected = with_sorted_annotations(&kept);
        let events = with_sorted_annotations(found);
        // Text of a comment that looks like a command is read as one where comments hold commands; an
        // annotation before a variation belongs to its first move in some formats.
        let has_signs = ["[%", "[#]"].iter().any(|sign| expected.contains(sign));
        let all: Vec<Event<'_>> = kept.events().collect();
        let opens = all
            .windows(2)
            .any(|pair| matches!(pair, [Event::BeginVariation, Event::Annotation(_)]));
        // Moves that were not read can become a comment.
        let has_unread = predicted.count(Feature::UnreadMoves) > 0;
        if !has_signs && !opens && !has_unread {
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
    assert_eq!(found.next(), None, "{what}: more games than before");
    equal
}

#[test]
fn every_conversion_loses_what_was_predicted() {
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
            let losses = run(&source, &path, &options(profile));
            let found = read(&path);
            let format = format(target);
            let equal = check(&what, format, profile, &games, &found, &losses);
            report.push(format!("{what}, {profile:?}: {equal} of {}", games.len()));
            all += equal;
            if from == target && profile == Profile::Full {
                // A copy in the same format loses nothing; only comments on one move are joined.
                let joined = |losses: &Losses| {
                    losses
                        .iter()
                        .all(|(feature, _)| feature == Feature::SeveralComments)
                };
                assert!(losses.values().all(joined), "{what}: {losses:?}");
                assert!(equal * 10 > games.len() * 8, "{report:#?}");
            }
        }
    }
    // Most games contain an annotation that exceeds a limit of some format.
    assert!(all > 1_000, "{report:#?}");
}

/// An archive and a member of it are converted to the same bytes as the plain file.
#[test]
fn archives_and_members_convert_like_files() {
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
            for target in BOTH_WAYS {
                let result = |input: &Path, name: &str| {
                    let path = scratch.join(format!("{from}-{container}-{name}.{target}"));
                    let losses = run(input, &path, &options(Profile::Full));
                    let set = format(target).file.companions.iter().map(|it| it.extension);
                    let files: Vec<Option<Vec<u8>>> = [target]
                        .into_iter()
                        .chain(set)
                        .map(|extension| std::fs::read(path.with_extension(extension)).ok())
                        .collect();
                    (files, format!("{losses:?}"))
                };
                let plain = result(source, "plain");
                let what = format!("{from} in {container} to {target}");
                assert!(result(&packed, "archive") == plain, "{what}");
                assert!(result(Path::new(&member), "member") == plain, "{what}");
            }
        }
    }
}

/// Title and facts of a database are kept or reported as losses in every format.
#[test]
fn database_facts_are_kept_or_reported() {
    let scratch = Scratch::new("matrix-facts-lost");
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
        ("second.2cbh", [3, 0]),
        // The settings are those of another set.
        ("to.2cbh", [4, 0]),
        ("to.pgn", [4, 0]),
    ] {
        assert_eq!(lost(&[item()], name), expected, "{name}");
    }
    assert_eq!(lost(&[item(), item()], "both.si5"), [8, 0]);
}

/// A database converted from one other has its title, type and names of flags; one made of two has none
/// of them.
#[test]
fn title_and_facts_of_one_input_are_copied() {
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
    for extension in ["cbh", "2cbh", "sci"] {
        let path = scratch.join(format!("to-{extension}.{extension}"));
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
