//! What a game loses on the way into a format is what was told, thing by thing: games of all kinds are
//! written, read again and compared, and every difference must stand in the losses, every loss
//! must be seen.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, say what they found and read the environment"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use tabia::core::chess::{FenStyle, Ply, Setup};
use tabia::core::formats::{CreateOptions, Profile};
use tabia::core::game::{
    Annotation, CommentPlacement, Date, Event, Game, GameResult, RecordKind, ShapeColor, TextKind,
    Want,
};
use tabia::core::loss::{Feature, Losses};
use tabia::core::{GameFormat, GameIndex};
use tabia_testkit::Scratch;
use tabia_testkit::tiny;
use tabia_testkit::unusual_games::unusual_game;

use support::{format, read};

fn options(profile: Profile) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.profile = profile;
    options
}

/// Writes games; what each lost.
fn write(format: &GameFormat, path: &Path, profile: Profile, games: &[Game]) -> Vec<Losses> {
    let options = options(profile);
    if let Some(create) = format.create_text {
        let mut writer = create(&options).unwrap();
        let mut text = Vec::new();
        let losses = games.iter().map(|game| {
            let _ = game.replay(GameIndex(0), Want::ALL, &mut *writer);
            text.append(writer.text());
            writer.take_losses()
        });
        let losses = losses.collect();
        std::fs::write(path, text).unwrap();
        return losses;
    }
    let mut writer = format.create.unwrap()(path, &options).unwrap();
    let losses = games.iter().map(|game| writer.write(game).unwrap());
    let losses = losses.collect();
    writer.finish().unwrap();
    losses
}

/// One thing that a game says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Deleted,
    Text,
    Result(GameResult),
    Start(String),
    Chess960,
    Tag(String, String),
    /// A place in the game: its moves from the start.
    Node(String),
    /// Something said at a place.
    Said(String, Feature, String),
}

/// Facts with how often they are there.
type Facts = BTreeMap<Fact, u32>;

fn facts(game: &Game) -> Facts {
    let mut facts = Facts::new();
    let mut add = |fact| *facts.entry(fact).or_insert(0) += 1;
    let head = &game.head;
    if head.deleted {
        add(Fact::Deleted);
    }
    if head.kind == RecordKind::Text {
        add(Fact::Text);
    }
    let is_game = head.kind == RecordKind::Game;
    if is_game {
        add(Fact::Result(game.result));
    }
    let setup = head.start.setup.as_deref().filter(|_| is_game);
    if let Some(setup) = setup.filter(|&setup| *setup != Setup::standard()) {
        add(Fact::Start(setup.fen(FenStyle::XFen)));
    }
    // A tag says it too.
    let is_960 = |(name, value): (&str, &str)| name == "Variant" && value.contains("960");
    if is_game && head.start.chess960 || head.tags.iter().any(is_960) {
        add(Fact::Chess960);
    }
    let mut seen = BTreeSet::new();
    for (name, value) in head.tags.iter() {
        let is_first = seen.insert(name);
        let mut value = value.to_owned();
        // Tags that say nothing are none.
        if value.chars().all(|c| "?.-".contains(c)) || is_960((name, &value)) {
            continue;
        }
        if is_first {
            match name {
                "Date" | "EventDate" => {
                    if let Some(date) = Date::parse(&value) {
                        value = date.to_string();
                    }
                    if value == "????.??.??" {
                        continue;
                    }
                }
                "ECO" => value.make_ascii_uppercase(),
                "Result" if !game.result.contradicts(&value) => continue,
                "FEN" if !head.start.contradicts(&value) => continue,
                "SetUp" => continue,
                "PlyCount" if value == game.ply_count().to_string() => continue,
                _ => {}
            }
        }
        add(Fact::Tag(name.to_owned(), value));
    }
    let mut lines: Vec<(String, String)> = vec![(String::new(), String::new())];
    // What is said before the first move of a variation belongs to that move.
    let mut waiting: Vec<(Feature, String)> = Vec::new();
    let mut is_fresh = false;
    for event in game.events() {
        let (before, now) = lines.last_mut().unwrap();
        match event {
            Event::Move(ply) => {
                before.clone_from(now);
                match ply {
                    Ply::Move(m) => write!(now, " {m}").unwrap(),
                    Ply::Null => now.push_str(" --"),
                }
                add(Fact::Node(now.clone()));
                for (feature, said) in waiting.drain(..) {
                    add(Fact::Said(now.clone(), feature, said));
                }
                is_fresh = false;
            }
            Event::Annotation(annotation) => {
                let feature = annotation.feature();
                let said = match annotation {
                    Annotation::Comment(comment) => {
                        let place = if is_fresh {
                            CommentPlacement::Before
                        } else {
                            comment.placement
                        };
                        format!("{place:?} {:?} {:?}", comment.language, comment.text)
                    }
                    Annotation::Shape(mut shape) => {
                        // The same colours under other names.
                        shape.color = match shape.color {
                            ShapeColor::ChessBase(2) => ShapeColor::Green,
                            ShapeColor::ChessBase(3) => ShapeColor::Yellow,
                            ShapeColor::ChessBase(4) => ShapeColor::Red,
                            color => color,
                        };
                        format!("{shape:?}")
                    }
                    Annotation::Text(mut part) => {
                        // A format has one kind of text for both.
                        if part.kind == TextKind::Html {
                            part.kind = TextKind::Plain;
                        }
                        // Diagrams and line breaks of texts have a form of their own.
                        let text = part.text.replace("\r\n", "\n").replace('\u{4}', "[#]");
                        // Names of files have no blanks at their ends.
                        let is_file = part.kind == TextKind::File;
                        part.text = if is_file { "" } else { &text };
                        format!("{part:?}")
                    }
                    annotation => format!("{annotation:?}"),
                };
                if is_fresh {
                    waiting.push((feature, said));
                } else {
                    add(Fact::Said(now.clone(), feature, said));
                }
            }
            Event::BeginVariation => {
                let before = before.clone();
                lines.push((before.clone(), before));
                is_fresh = true;
            }
            Event::EndVariation => {
                let (_, now) = lines.pop().unwrap();
                if is_fresh {
                    let place = format!("{now} ()");
                    add(Fact::Node(place.clone()));
                    for (feature, said) in waiting.drain(..) {
                        add(Fact::Said(place.clone(), feature, said));
                    }
                }
                is_fresh = false;
            }
        }
    }
    facts
}

/// What `a` has beyond `b`.
fn beyond(a: &Facts, b: &Facts) -> Vec<Fact> {
    let more = a.iter().flat_map(|(fact, &count)| {
        let other = b.get(fact).copied().unwrap_or(0);
        std::iter::repeat_n(fact.clone(), count.saturating_sub(other) as usize)
    });
    more.collect()
}

/// What ends a game or a line early.
const CUTS: [Feature; 7] = [
    Feature::SetupPositions,
    Feature::IllegalPositions,
    Feature::Chess960,
    Feature::NullMoves,
    Feature::Variations,
    Feature::UnreadMoves,
    Feature::LongText,
];

/// The losses that may be told for a fact.
fn reasons(fact: &Fact) -> Vec<Feature> {
    let starts = [
        Feature::SetupPositions,
        Feature::IllegalPositions,
        Feature::Chess960,
    ];
    match fact {
        Fact::Deleted => vec![Feature::DeletionMarks],
        Fact::Text => vec![Feature::GuidingTexts],
        Fact::Result(_) => vec![Feature::SpecialResults],
        Fact::Start(_) => [&starts[..], &[Feature::HeaderFacts]].concat(),
        Fact::Chess960 => [&starts[..], &[Feature::Tags]].concat(),
        Fact::Tag(name, _) => {
            let mut reasons = vec![
                Feature::Tags,
                Feature::HeaderFacts,
                Feature::LongText,
                Feature::Characters,
            ];
            if ["FEN", "SetUp", "Variant"].contains(&name.as_str()) {
                reasons.extend(starts);
            }
            reasons
        }
        Fact::Node(_) => CUTS.to_vec(),
        Fact::Said(_, feature, _) => {
            let mut reasons = vec![*feature, Feature::LongText];
            reasons.extend(match feature {
                Feature::Comments => &[
                    Feature::Languages,
                    Feature::CommentPlacement,
                    Feature::CommentText,
                    Feature::SeveralComments,
                    Feature::Characters,
                ][..],
                Feature::Evals | Feature::EvalProfiles => &[Feature::EvalDepths],
                Feature::Shapes => &[Feature::ShapeColors],
                Feature::GuidingTexts => &[Feature::Languages],
                Feature::Media => &[Feature::Languages, Feature::Characters],
                _ => &[Feature::Characters],
            });
            reasons
        }
    }
}

/// Compares what went in with what came out; what was found wrong.
fn compare(game: &Game, found: &Game, told: &Losses) -> Vec<String> {
    let (before, after) = (facts(game), facts(found));
    let missing = beyond(&before, &after);
    let added = beyond(&after, &before);
    let mut wrong = Vec::new();
    // Nodes are there or not; what was said at those that are gone is gone with them.
    let (nodes, missing): (Vec<Fact>, Vec<Fact>) = missing
        .into_iter()
        .partition(|fact| matches!(fact, Fact::Node(_)));
    let gone: BTreeSet<&str> = nodes
        .iter()
        .filter_map(|node| match node {
            Fact::Node(place) => Some(place.as_str()),
            _ => None,
        })
        .collect();
    if !nodes.is_empty() && !CUTS.iter().any(|&cut| told.count(cut) > 0) {
        wrong.push(format!("moves: {:?}", nodes.first()));
    }
    let counts = |fact: &Fact| match fact {
        Fact::Said(place, ..) => !gone.contains(place.as_str()),
        _ => true,
    };
    let missing: Vec<Fact> = missing.into_iter().filter(counts).collect();
    // What was cut may leave a variation without moves.
    let added = added.into_iter().filter(|fact| match fact {
        Fact::Node(place) | Fact::Said(place, ..) => gone.is_empty() || !place.ends_with("()"),
        _ => true,
    });
    let added: Vec<Fact> = added.collect();
    // A loss of the same reasons for every thing that is missing.
    let mut by_reasons: BTreeMap<Vec<Feature>, Vec<&Fact>> = BTreeMap::new();
    for fact in &missing {
        by_reasons.entry(reasons(fact)).or_default().push(fact);
    }
    for (reasons, facts) in by_reasons {
        let told: u64 = reasons
            .iter()
            .map(|&reason| match reason {
                // Two comments become one.
                Feature::SeveralComments => 2 * told.count(reason),
                _ => told.count(reason),
            })
            .sum();
        if (facts.len() as u64) > told {
            let new: Vec<&Fact> = added
                .iter()
                .filter(|fact| std::mem::discriminant(*fact) == std::mem::discriminant(facts[0]))
                .collect();
            wrong.push(format!(
                "{} missing, {told} told: {facts:?}; new: {new:?}",
                facts.len()
            ));
        }
    }
    for fact in &added {
        let is_changed = missing.iter().any(|other| match (fact, other) {
            (Fact::Tag(..), Fact::Tag(..)) => true,
            (Fact::Said(_, feature, _), Fact::Said(_, other, _)) => feature == other,
            _ => std::mem::discriminant(fact) == std::mem::discriminant(other),
        }) || matches!(fact, Fact::Start(_)) && told.count(Feature::Chess960) > 0;
        if !is_changed {
            wrong.push(format!("invented: {fact:?}"));
        }
    }
    // A loss that nothing shows is none.
    for (feature, count) in told.iter() {
        // Tags that say nothing are not compared.
        let is_tag = matches!(feature, Feature::Tags | Feature::HeaderFacts);
        let is_blank = |(_, value): (&str, &str)| value.chars().all(|c| "?.-".contains(c));
        if is_tag && game.head.tags.iter().any(is_blank) {
            continue;
        }
        let is_seen = missing.iter().any(|fact| reasons(fact).contains(&feature))
            || (CUTS.contains(&feature) && !nodes.is_empty())
            || !gone.is_empty()
            // Castling rights are not compared where the game starts as usual.
            || feature == Feature::Chess960;
        if !is_seen {
            let count = count.count;
            wrong.push(format!(
                "{count} told of {feature:?}, none seen: {:?}",
                game.head
            ));
        }
    }
    wrong
}

const TARGETS: [(&str, &[Profile]); 6] = [
    (
        "pgn",
        &[
            Profile::Full,
            Profile::Standard,
            Profile::Lichess,
            Profile::ChessBase,
            Profile::Seven,
        ],
    ),
    ("si3", &[Profile::Standard, Profile::Full]),
    ("si4", &[Profile::Standard, Profile::Full]),
    ("si5", &[Profile::Standard, Profile::Full]),
    ("sci", &[Profile::Standard]),
    ("cbh", &[Profile::Standard]),
];

/// Converts games to each format, and what came out of each to every other.
fn every_difference_is_told(seeds: impl Iterator<Item = u64>) -> Vec<String> {
    let scratch = Scratch::new("losses");
    let mut wrong = Vec::new();
    let games = tiny::games().into_iter().chain([tiny::annotated()]);
    let made: Vec<Game> = games.chain(seeds.map(unusual_game)).collect();
    let mut sources = vec![("made".to_owned(), made)];
    let mut legs = 0;
    while legs < sources.len() {
        let (from, games) = sources[legs].clone();
        legs += 1;
        for (extension, profiles) in TARGETS {
            for &profile in profiles {
                let what = format!("{from} to {extension} {profile:?}");
                let path = scratch.join(format!("{legs}-{profile:?}.{extension}"));
                let format = format(extension);
                let told = write(format, &path, profile, &games);
                let found = read(&path);
                let mut at = found.iter();
                for (number, (game, told)) in games.iter().zip(&told).enumerate() {
                    let is_left_out = told.count(Feature::GuidingTexts) > 0;
                    if is_left_out {
                        continue;
                    }
                    let Some(found) = at.next() else {
                        wrong.push(format!("{what}: too few games"));
                        break;
                    };
                    for said in compare(game, found, told) {
                        wrong.push(format!("{what}, game {}: {said}", number + 1));
                    }
                }
                if at.next().is_some() {
                    wrong.push(format!("{what}: too many games"));
                }
                if legs == 1 && profile == profiles[profiles.len() - 1] && extension != "pgn" {
                    sources.push((extension.to_owned(), found));
                }
            }
        }
    }
    wrong
}

/// A game that castles without the right is written everywhere, and costs no other game.
#[test]
fn castling_without_the_right_is_no_end() {
    let scratch = Scratch::new("losses-castling");
    let text = "[SetUp \"1\"]\n[FEN \"r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1\"]\n\n\
                1... O-O-O 2. O-O *\n\n[Event \"next\"]\n\n1. e4 *\n";
    let path = scratch.join("castling.pgn");
    std::fs::write(&path, text).unwrap();
    let games = read(&path);
    for (extension, profiles) in TARGETS {
        let path = scratch.join(format!("castling.{extension}"));
        let told = write(format(extension), &path, profiles[0], &games);
        let found = read(&path);
        for ((game, found), told) in games.iter().zip(&found).zip(&told) {
            assert!(game.mainline().eq(found.mainline()), "{extension}");
            assert_eq!(compare(game, found, told), [""; 0], "{extension}");
        }
        assert_eq!(found.len(), 2, "{extension}");
    }
}

#[test]
fn what_is_lost_is_told() {
    let chunks = if std::env::var_os("TABIA_EXHAUSTIVE").is_some() {
        20
    } else {
        1
    };
    let mut count = 0;
    for chunk in 0..chunks {
        let seeds = 1 + chunk * CHUNK..1 + (chunk + 1) * CHUNK;
        let wrong = every_difference_is_told(seeds);
        for line in &wrong {
            eprintln!("from {}: {line}", 1 + chunk * CHUNK);
        }
        count += wrong.len();
    }
    assert_eq!(count, 0);
}

/// So many games are written and compared together.
const CHUNK: u64 = 150;
