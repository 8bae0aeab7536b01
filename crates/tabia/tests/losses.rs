//! The reported losses are the real ones: games of all kinds are written to each format, read again and
//! compared. Every difference must be among the losses, and every loss must be a difference.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, print differences and read the environment"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::rc::Rc;

use tabia::core::chess::{FenStyle, Ply, Setup, Square};
use tabia::core::formats::{CreateOptions, Profile};
use tabia::core::game::{
    Annotation, Comment, CommentPlacement, Date, Event, Game, GameResult, Quotation, RecordKind,
    Shape, ShapeColor, ShapeKind, TextKind, Want, project,
};
use tabia::core::io::{Charset, decode};
use tabia::core::loss::{Feature, Features, Losses};
use tabia::core::{GameFormat, GameIndex};
use tabia_formats::GAMES;
use tabia_testkit::Scratch;
use tabia_testkit::games_with_unusual_tags::{TAG_NAMES, unusual_game};
use tabia_testkit::tiny;

use support::{format, read};

fn options(profile: Profile) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.profile = profile;
    options
}

/// Writes games; returns the losses of each.
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

/// One fact that a game contains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Deleted,
    Text,
    Result(GameResult),
    Start(String),
    Chess960,
    Tag(String, String),
    Node(Node),
    /// An annotation of a node.
    Annotation(Node, Feature, String),
}

/// A position in the game: the moves that lead to it, and first their hash, by which most nodes differ.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node(u64, Rc<str>);

impl Node {
    fn new(moves: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        moves.hash(&mut hasher);
        Self(hasher.finish(), Rc::from(moves))
    }
}

impl std::ops::Deref for Node {
    type Target = str;

    fn deref(&self) -> &str {
        &self.1
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.1.fmt(f)
    }
}

/// Whether the value of a tag states nothing.
fn is_unknown(value: &str) -> bool {
    value.chars().all(|c| "?.-".contains(c))
}

/// Whether a date states nothing, as `0000.00.00`.
fn is_unknown_date(value: &str) -> bool {
    Date::parse(value) == Some(Date::UNKNOWN)
}

/// Facts with their numbers.
type Facts = BTreeMap<Fact, u32>;

fn facts(game: &Game) -> Facts {
    // A time control that a tag can state is one.
    let mut game = game.clone();
    let control = {
        let mut at_start = game
            .events()
            .take_while(|event| matches!(event, Event::Annotation(_)));
        at_start.find_map(|event| match event {
            Event::Annotation(Annotation::TimeControl(control)) => control.pgn(),
            _ => None,
        })
    };
    let mut is_tag = false;
    let stated = game.head.tags.get("TimeControl").unwrap_or_default();
    if let Some(control) = control.filter(|_| is_unknown(stated.trim())) {
        game.head.tags.push("TimeControl", &control);
        is_tag = true;
    }
    let game = &game;
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
    // A tag states it too.
    let is_960 = |(name, value): (&str, &str)| name == "Variant" && value.contains("960");
    if is_game && head.start.chess960 || head.tags.iter().any(is_960) {
        add(Fact::Chess960);
    }
    let mut seen = BTreeSet::new();
    for (name, value) in head.tags.iter() {
        let is_first = seen.insert(name);
        let mut value = value.to_owned();
        // Tags with an unknown value are ignored.
        let is_no_result = !is_game && name == "Result" && value.trim() == "*";
        if is_unknown(&value) || is_960((name, &value)) || is_no_result {
            continue;
        }
        if is_first {
            match name {
                "Date" | "EventDate" if is_unknown_date(&value) => continue,
                "ECO" => value.make_ascii_uppercase(),
                // The result of a game is a fact of its own; a guiding text has no other than its tag.
                "Result" if is_game && !game.result.contradicts(&value) => continue,
                "FEN" if !head.start.contradicts(&value) => continue,
                "SetUp" if !head.start.contradicts_setup_tag(&value) => continue,
                "PlyCount" if value == game.ply_count().to_string() => continue,
                _ => {}
            }
        }
        add(Fact::Tag(name.to_owned(), value));
    }
    let mut lines = vec![(Node::new(""), Node::new(""))];
    // For each line whether its last move has a variation with moves.
    let mut has_variation = vec![false];
    let mut is_variation_empty = true;
    // Annotations before the first move of a variation belong to that move.
    let mut pending: Vec<(Feature, String)> = Vec::new();
    let mut at_variation_start = false;
    let mut moves = String::new();
    for event in game.events() {
        let (before, now) = lines.last_mut().unwrap();
        match event {
            Event::Move(ply) => {
                before.clone_from(now);
                moves.clear();
                moves.push_str(before);
                match ply {
                    Ply::Move(m) => write!(moves, " {m}").unwrap(),
                    Ply::Null => moves.push_str(" --"),
                }
                *now = Node::new(&moves);
                add(Fact::Node(now.clone()));
                *has_variation.last_mut().unwrap() = false;
                is_variation_empty = false;
                for (feature, text) in pending.drain(..) {
                    add(Fact::Annotation(now.clone(), feature, text));
                }
                at_variation_start = false;
            }
            Event::Annotation(Annotation::TimeControl(control))
                if is_tag && now.is_empty() && control.pgn().is_some() =>
            {
                is_tag = false;
            }
            // A text in a language without a text.
            Event::Annotation(Annotation::Text(part))
                if part.text.is_empty() && part.kind != TextKind::File => {}
            Event::Annotation(annotation) => {
                let feature = annotation.feature();
                let text = match annotation {
                    Annotation::Comment(comment) => {
                        let placement = if at_variation_start {
                            CommentPlacement::Before
                        } else {
                            comment.placement
                        };
                        let is_late = has_variation.last() == Some(&true)
                            && placement == CommentPlacement::After
                            && !comment.text.is_empty();
                        let mark = if is_late { " variations" } else { "" };
                        let Comment { language, text, .. } = comment;
                        format!("{placement:?}{mark} {language:?} {text:?}")
                    }
                    Annotation::Shape(mut shape) => {
                        // The same colours under other names.
                        shape.color = shape.color.by_name();
                        format!("{shape:?}")
                    }
                    Annotation::Text(mut part) => {
                        // Some formats have one kind of text for both, with or without marks.
                        let mut text = part.text.to_owned();
                        for (mark, character) in
                            [("<br>", "\n"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
                        {
                            text = text.replace(mark, character);
                        }
                        if part.kind == TextKind::Html {
                            part.kind = TextKind::Plain;
                        }
                        // Formats encode diagrams and line breaks of texts differently.
                        let text = text.replace("\r\n", "\n").replace('\u{4}', "[#]");
                        // Formats change names of files.
                        let is_file = part.kind == TextKind::File;
                        part.text = if is_file { "" } else { &text };
                        format!("{part:?}")
                    }
                    // Their text is the same in another character set.
                    Annotation::Foreign(moves) if moves.is_unread_moves() => {
                        format!("{:?}: {}", moves.format, decode(moves.bytes, Charset::Auto))
                    }
                    annotation => format!("{annotation:?}"),
                };
                if at_variation_start {
                    pending.push((feature, text));
                } else {
                    add(Fact::Annotation(now.clone(), feature, text));
                }
            }
            Event::BeginVariation => {
                let before = before.clone();
                lines.push((before.clone(), before));
                at_variation_start = true;
                has_variation.push(false);
                is_variation_empty = true;
            }
            Event::EndVariation => {
                let (_, now) = lines.pop().unwrap();
                has_variation.pop();
                *has_variation.last_mut().unwrap() |= !is_variation_empty;
                is_variation_empty = false;
                if at_variation_start {
                    let node = Node::new(&format!("{} ()", &*now));
                    add(Fact::Node(node.clone()));
                    for (feature, text) in pending.drain(..) {
                        add(Fact::Annotation(node.clone(), feature, text));
                    }
                }
                at_variation_start = false;
            }
        }
    }
    facts
}

/// The facts of `a` that `b` lacks.
fn difference(a: &Facts, b: &Facts) -> Vec<Fact> {
    let more = a.iter().map(|(fact, &count)| {
        let other = b.get(fact).copied().unwrap_or(0);
        (fact, count.saturating_sub(other))
    });
    let more = more.filter(|(_, count)| *count > 0);
    more.flat_map(|(fact, count)| std::iter::repeat_n(fact.clone(), count as usize))
        .collect()
}

/// Losses that end a game or a line early.
const CUTS: [Feature; 8] = [
    Feature::SetupPositions,
    Feature::IllegalPositions,
    Feature::Chess960,
    Feature::NullMoves,
    Feature::Moves,
    Feature::Variations,
    Feature::UnreadMoves,
    Feature::LongText,
];

/// The losses that explain a missing fact.
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
                Feature::TagSpellings,
                Feature::TagText,
                Feature::HeaderFacts,
                Feature::LongText,
                Feature::Characters,
            ];
            if ["FEN", "SetUp", "Variant"].contains(&name.as_str()) {
                reasons.extend(starts);
            }
            if name == "TimeControl" {
                reasons.push(Feature::TimeControls);
            }
            reasons
        }
        Fact::Node(_) => CUTS.to_vec(),
        Fact::Annotation(_, feature, _) => {
            let mut reasons = vec![*feature, Feature::LongText];
            reasons.extend(match feature {
                Feature::Comments => &[
                    Feature::Languages,
                    Feature::CommentPlacement,
                    Feature::CommentText,
                    Feature::SeveralComments,
                    Feature::Characters,
                    // Nothing follows a variation that is lost.
                    Feature::Variations,
                ][..],
                Feature::Evals | Feature::EvalProfiles => &[Feature::EvalDepths],
                Feature::Shapes => &[Feature::ShapeColors],
                Feature::GuidingTexts => &[Feature::Languages, Feature::Media],
                Feature::Training | Feature::Media => &[Feature::Languages, Feature::Characters],
                // Their texts can become one comment.
                Feature::UnreadMoves => &[Feature::Characters, Feature::SeveralComments],
                _ => &[Feature::Characters],
            });
            reasons
        }
    }
}

/// Compares a game, which has the facts `before`, with the game that was written and read; returns the
/// unreported differences and the losses without a difference.
fn compare(game: &Game, before: &Facts, found: &Game, reported: &Losses) -> Vec<String> {
    let is_same =
        game.head == found.head && game.result == found.result && game.events().eq(found.events());
    if is_same && reported.is_empty() {
        return Vec::new();
    }
    let after = facts(found);
    let missing = difference(before, &after);
    let added = difference(&after, before);
    let mut wrong = Vec::new();
    // The annotations of missing nodes are missing too.
    let (nodes, missing): (Vec<Fact>, Vec<Fact>) = missing
        .into_iter()
        .partition(|fact| matches!(fact, Fact::Node(_)));
    let gone: BTreeSet<&str> = nodes
        .iter()
        .filter_map(|node| match node {
            Fact::Node(node) => Some(&**node),
            _ => None,
        })
        .collect();
    if !nodes.is_empty() && !CUTS.iter().any(|&cut| reported.count(cut) > 0) {
        wrong.push(format!("moves: {:?}", nodes.first()));
    }
    let found_plies = found.ply_count().to_string();
    // A time control becomes the tag that could not be stored.
    let control = found.head.tags.get("TimeControl");
    let is_control = |event: Event<'_>| match event {
        Event::Annotation(Annotation::TimeControl(stated)) => stated.pgn().as_deref() == control,
        _ => false,
    };
    let is_tag = control != game.head.tags.get("TimeControl") && game.events().any(is_control);
    let counts = |fact: &Fact| match fact {
        Fact::Annotation(node, Feature::TimeControls, _) if node.is_empty() && is_tag => false,
        Fact::Annotation(node, ..) => !gone.contains(&**node),
        // What was wrong may be right for a game that was cut.
        Fact::Tag(name, value) => name != "PlyCount" || *value != found_plies,
        _ => true,
    };
    let missing: Vec<Fact> = missing.into_iter().filter(counts).collect();
    // The annotations of a variation without moves, which is lost, may follow those of the move.
    let is_moved = |node: &str, feature: Feature| {
        let before_move = node.rsplit_once(' ').map_or("", |(before, _)| before);
        let node = format!("{before_move} ()");
        // A quoted game can be a comment.
        let is_source = |of: Feature| {
            of == feature || feature == Feature::Comments && of == Feature::Quotations
        };
        let is_original = |fact: &Fact| matches!(fact, Fact::Annotation(other, of, _) if **other == *node && is_source(*of));
        gone.contains(&*node) && before.keys().any(is_original)
    };
    // A cut can leave a variation without moves.
    let plies = game.ply_count().to_string();
    let added = added.into_iter().filter(|fact| match fact {
        // The moves before a cut imply it.
        Fact::Tag(name, value) => name != "PlyCount" || *value != plies,
        Fact::Annotation(node, feature, _) if is_moved(node, *feature) => false,
        Fact::Node(node) | Fact::Annotation(node, ..) => gone.is_empty() || !node.ends_with("()"),
        _ => true,
    });
    let added: Vec<Fact> = added.collect();
    // There must be at least as many losses as missing facts.
    let mut by_reasons: BTreeMap<Vec<Feature>, Vec<&Fact>> = BTreeMap::new();
    for fact in &missing {
        by_reasons.entry(reasons(fact)).or_default().push(fact);
    }
    for (reasons, facts) in by_reasons {
        let explained: u64 = reasons
            .iter()
            .map(|&reason| match reason {
                // Two comments become one.
                Feature::SeveralComments => 2 * reported.count(reason),
                _ => reported.count(reason),
            })
            .sum();
        if (facts.len() as u64) > explained {
            let new: Vec<&Fact> = added
                .iter()
                .filter(|fact| std::mem::discriminant(*fact) == std::mem::discriminant(facts[0]))
                .collect();
            wrong.push(format!(
                "{} missing, {explained} reported: {facts:?}; new: {new:?}",
                facts.len()
            ));
        }
    }
    // Readers take the text of such a comment for commands.
    let has_command = |fact: &Fact| matches!(fact, Fact::Annotation(_, Feature::Comments, text) if text.contains("[%"));
    let is_reported = [Feature::Comments, Feature::CommentText]
        .iter()
        .any(|&feature| reported.count(feature) > 0);
    let is_command = is_reported && before.keys().any(has_command);
    // So can the rest of a line with a null move, which begins with that move, its number and comments on it.
    let is_null_line = |fact: &Fact| match fact {
        Fact::Annotation(_, Feature::Comments, text) => {
            let text = text.split_once('"').map_or("", |(_, text)| text);
            let is_start = |c: char| c.is_ascii_digit() || c == '(';
            let is_null = text.starts_with(is_start) && text.contains(" --");
            is_null && reported.count(Feature::NullMoves) > 0 && !gone.is_empty()
        }
        _ => false,
    };
    for fact in &added {
        let is_changed = missing.iter().any(|other| match (fact, other) {
            // A quoted game can be a comment.
            (Fact::Tag(..), Fact::Tag(..))
            // Moves that were not read can be one, too.
            | (
                Fact::Annotation(_, Feature::Comments, _),
                Fact::Annotation(_, Feature::Quotations | Feature::UnreadMoves, _),
            ) => true,
            // Without the setup position, its `SetUp` contradicts the start.
            (Fact::Tag(name, _), Fact::Start(_)) => name == "SetUp",
            (Fact::Annotation(_, feature, _), Fact::Annotation(_, other, _)) => feature == other,
            _ => std::mem::discriminant(fact) == std::mem::discriminant(other),
        }) || matches!(fact, Fact::Start(_))
            && reported.count(Feature::Chess960) > 0
            || matches!(fact, Fact::Annotation(..)) && is_command
            || is_null_line(fact);
        if !is_changed {
            let node = |fact: &Fact| match fact {
                Fact::Annotation(node, ..) => Some(node.clone()),
                _ => None,
            };
            let old = before.keys().filter(|old| node(old) == node(fact));
            wrong.push(format!(
                "invented: {fact:?}; before: {:?}; reported: {:?}",
                old.collect::<Vec<_>>(),
                reported.iter().collect::<Vec<_>>()
            ));
        }
    }
    // Every loss must be a difference.
    for (feature, count) in reported.iter() {
        // Tags with an unknown value are not compared.
        let is_tag = matches!(
            feature,
            Feature::Tags | Feature::TagSpellings | Feature::TagText | Feature::HeaderFacts
        );
        let is_blank = |(_, value): (&str, &str)| is_unknown(value) || is_unknown_date(value);
        // Nor are those that the game implies.
        let is_implied = |(name, value): (&str, &str)| match name {
            "PlyCount" => value == plies,
            "SetUp" => !game.head.start.contradicts_setup_tag(value),
            _ => false,
        };
        let is_skipped = |tag| is_blank(tag) || is_implied(tag);
        if is_tag && game.head.tags.iter().any(is_skipped) {
            continue;
        }
        let is_seen = missing.iter().any(|fact| reasons(fact).contains(&feature))
            || (CUTS.contains(&feature) && !nodes.is_empty())
            || !gone.is_empty()
            // Castling rights are not compared where the game starts as usual.
            || feature == Feature::Chess960;
        if !is_seen {
            let count = count.count;
            let facts: Vec<&Fact> = before.keys().collect();
            wrong.push(format!(
                "{count} of {feature:?} reported, none found: {facts:?}"
            ));
        }
    }
    wrong
}

/// The extensions of all formats that games with moves are written to, with the profiles that differ.
fn targets() -> Vec<(&'static str, &'static [Profile])> {
    let is_target = |format: &&&GameFormat| {
        let can = format.can;
        format.is_writable() && can.has(Feature::Moves) && can.has(Feature::ChessGames)
    };
    let formats = GAMES.iter().filter(is_target);
    let targets = formats.map(|format| {
        let profiles: &[Profile] = match (format.create_text, format.can_with) {
            (Some(_), _) => &[
                Profile::Full,
                Profile::Standard,
                Profile::Lichess,
                Profile::ChessBase,
                Profile::Seven,
            ],
            (None, Some(_)) => &[Profile::Standard, Profile::Full],
            (None, None) => &[Profile::Standard],
        };
        (format.file.extensions[0], profiles)
    });
    targets.collect()
}

#[test]
fn every_kind_of_database_is_a_target() {
    let found: Vec<&str> = targets().iter().map(|target| target.0).collect();
    for extension in ["pgn", "si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        assert!(
            found.contains(&extension),
            "{extension} is not in {found:?}"
        );
    }
}

/// Converts games to each format and, `again`, those read from each format to every other.
fn unreported_differences(seeds: impl Iterator<Item = u64>, again: bool) -> Vec<String> {
    let scratch = Scratch::new("losses");
    let mut wrong = Vec::new();
    let games = tiny::games().into_iter().chain([tiny::annotated()]);
    let made: Vec<Game> = games.chain(seeds.map(unusual_game)).collect();
    let mut sources = vec![("made".to_owned(), made)];
    let mut legs = 0;
    while legs < sources.len() {
        let (from, games) = sources[legs].clone();
        legs += 1;
        let before: Vec<Facts> = games.iter().map(facts).collect();
        for (extension, profiles) in targets() {
            for &profile in profiles {
                let what = format!("{from} to {extension} {profile:?}");
                let path = scratch.join(format!("{legs}-{profile:?}.{extension}"));
                let format = format(extension);
                let losses = write(format, &path, profile, &games);
                let found = read(&path);
                let mut at = found.iter();
                for (number, (game, reported)) in games.iter().zip(&losses).enumerate() {
                    let is_left_out = reported.count(Feature::GuidingTexts) > 0;
                    if is_left_out {
                        continue;
                    }
                    let Some(found) = at.next() else {
                        wrong.push(format!("{what}: too few games"));
                        break;
                    };
                    for difference in compare(game, &before[number], found, reported) {
                        let tags = &game.head.tags;
                        let number = number + 1;
                        wrong.push(format!("{what}, game {number}: {difference}; {tags:?}"));
                    }
                }
                if at.next().is_some() {
                    wrong.push(format!("{what}: too many games"));
                }
                let is_last = profile == profiles[profiles.len() - 1];
                if again && legs == 1 && is_last && extension != "pgn" {
                    sources.push((extension.to_owned(), found));
                }
            }
        }
    }
    wrong
}

/// A run of zeros is damage for readers of Scid, not comments.
#[test]
fn empty_comments_are_kept_or_counted() {
    let scratch = Scratch::new("losses-empty");
    for count in 1..=9 {
        let plies = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"];
        let mut game = tiny::GameBuilder::new();
        for (number, ply) in plies.into_iter().enumerate() {
            game = game.moves(ply);
            if number < count {
                game = game.comment("");
            }
        }
        let games = [game.result(GameResult::Unknown)];
        for (extension, profiles) in targets() {
            let path = scratch.join(format!("{count}.{extension}"));
            let losses = write(format(extension), &path, profiles[0], &games);
            let found = read(&path);
            let wrong = compare(&games[0], &facts(&games[0]), &found[0], &losses[0]);
            assert_eq!(wrong, [""; 0], "{count} to {extension}");
        }
    }
}

/// A game that castles without the right to castle is written to every format, and so is the next one.
#[test]
fn castling_without_the_right_is_kept() {
    let scratch = Scratch::new("losses-castling");
    let text = "[SetUp \"1\"]\n[FEN \"r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1\"]\n\n\
                1... O-O-O 2. O-O *\n\n[Event \"next\"]\n\n1. e4 *\n";
    let path = scratch.join("castling.pgn");
    std::fs::write(&path, text).unwrap();
    let games = read(&path);
    for (extension, profiles) in targets() {
        let path = scratch.join(format!("castling.{extension}"));
        let losses = write(format(extension), &path, profiles[0], &games);
        let found = read(&path);
        for ((game, found), reported) in games.iter().zip(&found).zip(&losses) {
            assert!(game.mainline().eq(found.mainline()), "{extension}");
            let wrong = compare(game, &facts(game), found, reported);
            assert_eq!(wrong, [""; 0], "{extension}");
        }
        assert_eq!(found.len(), 2, "{extension}");
    }
}

/// Reads a PGN text, writes its only game to each database format, and reads it; with the losses.
fn in_databases(name: &str, text: &str) -> Vec<(&'static str, Game, Losses)> {
    let scratch = Scratch::new(name);
    let path = scratch.join("source.pgn");
    std::fs::write(&path, text).unwrap();
    let games = read(&path);
    let databases = ["cbh", "2cbh", "si3", "si4", "si5", "sci"];
    let written = databases.map(|extension| {
        let path = scratch.join(format!("written.{extension}"));
        let losses = write(format(extension), &path, Profile::Standard, &games);
        let found = read(&path).swap_remove(0);
        let wrong = compare(&games[0], &facts(&games[0]), &found, &losses[0]);
        assert_eq!(wrong, [""; 0], "{extension}");
        (extension, found, losses[0].clone())
    });
    written.to_vec()
}

#[test]
fn comments_that_move_before_variations_are_counted() {
    for (text, count) in [
        ("1. e4 e5 (1... c5) {after} 2. Nf3 *", 1),
        (
            "1. e4 e5 {a} (1... c5) {b} (1... e6 2. d4 (2. d3) {c} d5) {d} *",
            3,
        ),
        ("1. e4 e5 {a} (1... c5) 2. Nf3 {b} *", 0),
    ] {
        for (extension, _, losses) in in_databases("late-comments", text) {
            let found = losses.count(Feature::CommentPlacement);
            assert_eq!(found, count, "{extension}: {text}");
        }
    }
}

#[test]
fn times_left_that_become_times_spent_are_counted() {
    let movetext =
        "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} 2. Nf3 {[%clk 0:02:58]} Nc6 {[%clk 0:02:57]} *";
    for control in ["180+2", "3+2", "?"] {
        let text = format!("[TimeControl \"{control}\"]\n\n{movetext}\n");
        for (extension, found, losses) in in_databases("clocks", &text) {
            if !extension.ends_with("cbh") {
                assert_eq!(losses.count(Feature::Clocks), 0, "{extension}");
                continue;
            }
            assert_eq!(losses.count(Feature::Clocks), 4, "{extension} {control}");
            let times: Vec<u64> = found
                .events()
                .filter_map(|event| match event {
                    Event::Annotation(Annotation::Clock(clock)) => Some(clock.time.as_secs()),
                    _ => None,
                })
                .collect();
            // None for the first moves, after which Lichess adds nothing. `3+2` are minutes.
            let expected: &[u64] = if control == "?" { &[] } else { &[4, 5] };
            assert_eq!(times, expected, "{extension} {control}");
        }
    }
}

#[test]
fn text_after_an_unreadable_move_is_a_comment_in_databases() {
    let text = "1. e4 e5 {[%csl Ge5]} 2. Qxh8 Nc6 3. Bb5 {Spanish} a6\r\n \r\n*";
    for (extension, found, losses) in in_databases("unread", text) {
        assert_eq!(losses.count(Feature::UnreadMoves), 1, "{extension}");
        assert_eq!(losses.count(Feature::CommentText), 0, "{extension}");
        let is_kept = found.events().any(|event| {
            matches!(event, Event::Annotation(Annotation::Comment(comment))
                if comment.text.contains("Bb5") && comment.text.contains("Spanish"))
        });
        assert!(is_kept, "{extension}");
    }
}

#[test]
fn castling_that_cannot_be_stored_loses_the_rest_of_its_line() {
    let head = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/2K2R1R w F - 0 1\"]";
    let moves =
        "1. Rh2 {first} Kd8 (1... Ke7 2. O-O) 2. O-O $1 {castles} Kd7 (2... Kc7 3. Kh1) 3. Kh1 1-0";
    for (extension, found, losses) in in_databases("inner-rook", &format!("{head}\n\n{moves}\n")) {
        let plies = found.mainline().count();
        if plies == 5 {
            assert_eq!(losses.count(Feature::Moves), 0, "{extension}");
            continue;
        }
        assert_eq!(plies, 2, "{extension}");
        let counts = [
            (Feature::Chess960, 1),
            (Feature::Moves, 4),
            (Feature::Variations, 1),
            (Feature::Comments, 1),
            (Feature::Nags, 1),
        ];
        for (feature, count) in counts {
            assert_eq!(
                losses.count(feature),
                count,
                "{extension} {}",
                feature.label()
            );
        }
        let is_kept = found.events().any(|event| {
            matches!(event, Event::Annotation(Annotation::Comment(comment)) if comment.text == "first")
        });
        assert!(is_kept && found.has_variations(), "{extension}");
    }
}

#[test]
fn tags_that_databases_spell_in_another_way_are_counted() {
    let tags = [
        ("TimeControl", "?"),
        ("X", ""),
        ("SetUp", "0"),
        ("EventDate", "????.??.??"),
        ("WhiteElo", "-"),
        ("Date", "2024-01-05"),
        ("Date", "2024.1.5"),
        ("Date", "1.1.1"),
        ("White", "Carlsen,Magnus"),
        ("White", ", M"),
    ];
    for (name, value) in tags {
        let text = format!("[{name} \"{value}\"]\n\n1. e4 *\n");
        for (extension, found, losses) in in_databases("spellings", &text) {
            let is_kept = found.head.tags.get(name) == Some(value);
            let lost = losses.count(Feature::Tags) + losses.count(Feature::TagSpellings);
            assert_eq!(lost, u64::from(!is_kept), "{extension}: {name} {value:?}");
        }
    }
}

/// A tag that states nothing is a tag all the same: what is read instead is counted.
#[test]
fn tags_without_a_value_are_kept_or_counted() {
    let scratch = Scratch::new("losses-no-value");
    let mut tags = Vec::new();
    // Every game has a result.
    for name in TAG_NAMES.into_iter().filter(|&name| name != "Result") {
        for value in ["", "?", "-", "*", "????.??.??"] {
            tags.push((name, value));
        }
    }
    let game = |&(name, value)| {
        let game = tiny::GameBuilder::new().tag(name, value).moves("e4");
        game.result(GameResult::Unknown)
    };
    let games: Vec<Game> = tags.iter().map(game).collect();
    let mut wrong = Vec::new();
    for (extension, profiles) in targets() {
        for &profile in profiles {
            let path = scratch.join(format!("{profile:?}.{extension}"));
            let losses = write(format(extension), &path, profile, &games);
            let found = read(&path);
            assert_eq!(found.len(), games.len(), "{extension} {profile:?}");
            for (((name, value), game), losses) in tags.iter().zip(&found).zip(&losses) {
                let now = game.head.tags.get(name);
                let losses: Vec<_> = losses.iter().map(|(feature, _)| feature).collect();
                // An unknown date is one, however it is written.
                let is_date = *name == "Date" && is_unknown_date(value);
                if losses.len() != usize::from(now != Some(value)) && !is_date {
                    wrong.push(format!(
                        "{extension} {profile:?}: {name} {value:?} becomes {now:?}: {losses:?}"
                    ));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_second_result_tag_does_not_change_the_result() {
    let scratch = Scratch::new("results");
    let tags = tiny::GameBuilder::new()
        .tag("Result", "")
        .tag("Result", "0-0");
    let games = [tags.moves("e4 e5").result(GameResult::Unknown)];
    let path = scratch.join("results.pgn");
    let losses = write(format("pgn"), &path, Profile::Full, &games);
    assert!(losses[0].is_empty());
    assert_eq!(read(&path)[0].result, GameResult::Unknown);
}

/// Writes a game to PGN; returns its text and the losses.
fn pgn_of(game: &Game, profile: Profile) -> (String, Losses) {
    let mut writer = format("pgn").create_text.unwrap()(&options(profile)).unwrap();
    let _ = game.replay(GameIndex(0), Want::ALL, &mut *writer);
    let text = String::from_utf8(writer.text().clone()).unwrap();
    (text, writer.take_losses())
}

#[test]
fn colours_by_chessbase_numbers_are_those_with_names() {
    let shape = |color| {
        let kind = ShapeKind::Square(Square::new(3).unwrap());
        Annotation::Shape(Shape { kind, color })
    };
    for (number, letter) in [(2, 'G'), (3, 'Y'), (4, 'R'), (7, 'B')] {
        let game = tiny::GameBuilder::new().moves("e4");
        let game = game.annotation(shape(ShapeColor::ChessBase(number)));
        let game = game.result(GameResult::Unknown);
        for profile in [Profile::Standard, Profile::Lichess, Profile::ChessBase] {
            let (text, losses) = pgn_of(&game, profile);
            assert!(text.contains(&format!("[%csl {letter}d1]")), "{text}");
            assert!(losses.is_empty(), "{number}: {losses:?}");
        }
    }
    let game = tiny::GameBuilder::new().moves("e4");
    let game = game.annotation(shape(ShapeColor::ChessBase(9)));
    let (_, losses) = pgn_of(&game.result(GameResult::Unknown), Profile::Standard);
    assert_eq!(losses.count(Feature::ShapeColors), 1);
}

#[test]
fn quoted_games_that_are_joined_are_no_lost_comments() {
    let quotation = Quotation {
        white: "Abel".to_owned(),
        ..Quotation::default()
    };
    let quotation = || Annotation::Quotation(&quotation);
    let game = tiny::GameBuilder::new().moves("e4");
    let game = game.annotation(quotation()).annotation(quotation());
    let game = game.result(GameResult::Unknown);
    let (text, losses) = pgn_of(&game, Profile::ChessBase);
    assert!(text.contains(';'), "{text}");
    assert_eq!(losses.count(Feature::Quotations), 2);
    assert_eq!(losses.count(Feature::SeveralComments), 0);
    // A comment with them is another comment.
    let game = tiny::GameBuilder::new().moves("e4").comment("see");
    let game = game.annotation(quotation()).annotation(quotation());
    let (_, losses) = pgn_of(&game.result(GameResult::Unknown), Profile::ChessBase);
    assert_eq!(losses.count(Feature::SeveralComments), 1);
}

#[test]
fn reported_losses_are_the_differences() {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().expect("a number of games"))
    };
    let games = number("TABIA_RANDOM_GAMES").unwrap_or(1_200);
    let first = number("TABIA_FIRST_RANDOM_GAME").unwrap_or(0) / CHUNK;
    let mut count = 0;
    for chunk in first..first + games.div_ceil(CHUNK) {
        let seeds = 1 + chunk * CHUNK..1 + (chunk + 1) * CHUNK;
        let wrong = unreported_differences(seeds, chunk % 20 == 0);
        for line in &wrong {
            eprintln!("from {}: {line}", 1 + chunk * CHUNK);
        }
        count += wrong.len();
    }
    assert_eq!(count, 0);
}

/// The random games have annotations, tags and starts of every kind.
#[test]
fn random_games_have_everything_a_game_can_have() {
    let (mut found, mut tags) = (BTreeSet::new(), BTreeSet::new());
    let mut deepest = 0;
    let (mut is_set_up, mut is_960, mut is_text) = (false, false, false);
    for seed in 1..=1_000 {
        let game = unusual_game(seed);
        tags.extend(game.head.tags.iter().map(|(name, _)| name.to_owned()));
        is_set_up |= game.head.start.setup.is_some();
        is_960 |= game.head.start.chess960;
        is_text |= game.head.kind == RecordKind::Text;
        // Without the feature, it is lost.
        for feature in Feature::ALL {
            let can = Features::ALL.without(&[*feature]);
            if project(can, &game).1.count(*feature) > 0 {
                found.insert(*feature);
            }
        }
        let mut depth = 0;
        for event in game.events() {
            match event {
                Event::BeginVariation => depth += 1,
                Event::EndVariation => depth -= 1,
                _ => {}
            }
            deepest = deepest.max(depth);
        }
    }
    let all = [
        Feature::NullMoves,
        Feature::Variations,
        Feature::Comments,
        Feature::CommentPlacement,
        Feature::Languages,
        Feature::Nags,
        Feature::Shapes,
        Feature::Clocks,
        Feature::Evals,
        Feature::EvalDepths,
        Feature::EvalProfiles,
        Feature::Medals,
        Feature::CriticalPositions,
        Feature::VariationColors,
        Feature::PawnStructures,
        Feature::PiecePaths,
        Feature::Training,
        Feature::Quotations,
        Feature::WebLinks,
        Feature::Media,
        Feature::VideoTimes,
        Feature::TimeControls,
        Feature::GuidingTexts,
        Feature::SpecialResults,
        Feature::DeletionMarks,
        Feature::Foreign,
        Feature::UnreadMoves,
    ];
    assert_eq!(found, BTreeSet::from(all));
    assert!(is_set_up && is_960 && is_text);
    assert!(tags.len() > 50, "{tags:?}");
    assert!(deepest > 50, "{deepest}");
}

/// Number of games that are written and compared together.
const CHUNK: u64 = 150;
