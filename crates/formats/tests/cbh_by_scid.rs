//! ChessBase databases by way of Scid and Scidb: what is lost was counted before, exactly.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells what it counted"
)]

#[path = "support/sets.rs"]
mod sets;
mod support;

use std::collections::BTreeMap;

use sets::{assert_equal, charset, clear, games, name, open_set, sets, settled, write};
use support::{open, read_database};
use tabia_core::GameFormat;
use tabia_core::chess::Ply;
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Annotation, CommentPlacement, Event, Game, RecordKind, Want, project};
use tabia_core::io::Charset;
use tabia_core::loss::{Feature, Losses};
use tabia_formats::games::{cbh, scid, scidb};
use tabia_testkit::Scratch;

/// How often everything occurs that a format may or may not hold.
fn features(game: &Game) -> BTreeMap<Feature, u64> {
    let mut counts = BTreeMap::new();
    let mut add = |feature, is_so: bool| *counts.entry(feature).or_insert(0) += u64::from(is_so);
    for event in game.events() {
        match event {
            Event::Move(ply) => add(Feature::NullMoves, ply == Ply::Null),
            Event::BeginVariation => add(Feature::Variations, true),
            Event::EndVariation => {}
            Event::Annotation(annotation) => {
                add(annotation.feature(), true);
                if let Annotation::Comment(comment) = annotation {
                    add(Feature::Languages, comment.language.is_some());
                    add(
                        Feature::CommentPlacement,
                        comment.placement == CommentPlacement::Before,
                    );
                }
                if let Annotation::Eval(eval) = annotation {
                    let is_plain = eval.depth.is_none() && eval.engine == 0;
                    add(Feature::EvalDepths, !is_plain);
                }
            }
        }
    }
    counts
}

/// What is there no more is exactly what was told.
fn assert_lost(what: &str, old: &Game, new: &Game, told: &Losses) {
    let is_there = features(new);
    for (feature, count) in features(old) {
        let left = is_there.get(&feature).copied().unwrap_or_default();
        let mut lost = told.count(feature);
        if feature == Feature::Comments {
            // Those that share a move become one.
            lost += told.count(Feature::SeveralComments);
        }
        assert_eq!(
            count - left.min(count),
            lost,
            "{what}: {feature:?} of {count}"
        );
    }
}

#[test]
fn what_scid_loses_was_predicted() {
    loses_what_was_predicted("what_scid_loses_was_predicted", &scid::SI5);
}

#[test]
fn what_scidb_loses_was_predicted() {
    loses_what_was_predicted("what_scidb_loses_was_predicted", &scidb::FORMAT);
}

/// Writes every set into the format: what is not there when it is read again was told, and what was
/// foreseen was told.
fn loses_what_was_predicted(test: &str, format: &GameFormat) {
    let scratch = Scratch::new("to-scid");
    for path in sets(test) {
        // Without moves, annotations have no places to keep.
        if !path.with_extension("cbg").exists() {
            continue;
        }
        let what = name(&path);
        let before = games(&open_set(&path));
        let target = scratch.join(&format!("there.{}", format.file.extensions[0]));
        let told = write(format, &target, &before, Charset::Auto);
        let database = open(format, &target, &OpenOptions::default()).unwrap();
        let after = read_database(&*database, Want::ALL);
        let mut all = Losses::new();
        // Games in which the format's finer rules lose more than its features say.
        let mut finer = 0;
        let mut after = after.iter();
        for (number, old) in before.iter().enumerate() {
            let what = format!("{what}, number {}", number + 1);
            let (kept, predicted) = project(format.can, old);
            let told = &told[number];
            if old.head.kind == RecordKind::Text {
                // A text is lost as a whole.
                assert_eq!(told.to_string(), "1 guiding texts", "{what}");
                all.merge(told);
                continue;
            }
            let new = after.next().unwrap();
            assert_eq!(new.problems, [""; 0], "{what}");
            for (feature, loss) in predicted.iter() {
                assert!(
                    told.count(feature) >= loss.count,
                    "{what}: {told}, not {predicted}"
                );
            }
            assert!(kept.mainline().eq(new.game.mainline()), "{what}");
            assert_lost(&what, old, &new.game, told);
            all.merge(told);
            finer += usize::from(*told != predicted);
        }
        println!("{what}: {finer} of {} by finer rules; {all}", before.len());
        clear(&scratch);
    }
}

#[test]
fn sets_come_back_through_scid() {
    sets_come_back_through("sets_come_back_through_scid", &scid::SI5);
}

#[test]
fn sets_come_back_through_scidb() {
    sets_come_back_through("sets_come_back_through_scidb", &scidb::FORMAT);
}

/// Writes every set into the format and that into a set again: what comes back is the original less
/// what was told on the two ways, feature by feature.
fn sets_come_back_through(test: &str, format: &GameFormat) {
    let scratch = Scratch::new("third-leg");
    let mut sum = [0; 2];
    for path in sets(test) {
        // Without moves, annotations have no places to keep.
        if !path.with_extension("cbg").exists() {
            continue;
        }
        let what = name(&path);
        let before = games(&open_set(&path));
        let before: Vec<&Game> = before
            .iter()
            .filter(|game| game.head.kind == RecordKind::Game)
            .collect();
        let between = scratch.join(&format!("between.{}", format.file.extensions[0]));
        let there = write(format, &between, before.iter().copied(), Charset::Auto);
        let database = open(format, &between, &OpenOptions::default()).unwrap();
        let read = read_database(&*database, Want::ALL);
        let between: Vec<Game> = read.into_iter().map(|read| read.game).collect();
        let target = scratch.join("back.cbh");
        let back = write(&cbh::FORMAT, &target, &between, charset(&path));
        let after = read_database(&open_set(&target), Want::ALL);
        assert_eq!(after.len(), before.len(), "{what}");
        let (mut equal, mut lost) = (0, Losses::new());
        for (number, (old, new)) in before.iter().zip(&after).enumerate() {
            let what = format!("{what}, number {}", number + 1);
            assert_eq!(new.problems, [""; 0], "{what}");
            let mut told = there[number].clone();
            told.merge(&back[number]);
            let new = &new.game;
            let kept = project(format.can, old).0;
            assert!(kept.mainline().eq(new.mainline()), "{what}");
            assert_eq!(old.result, new.result, "{what}");
            assert_eq!(old.head.start, new.head.start, "{what}");
            assert_lost(&what, old, new, &told);
            assert_tags_lost(&what, old, new, &told);
            let (old, new) = (settled(old), settled(new));
            let is_same = old.head == new.head && in_order(&old) == in_order(&new);
            if told.is_empty() && !is_same {
                assert_equal(&what, &old, &new);
            }
            equal += usize::from(is_same);
            lost.merge(&told);
        }
        println!(
            "{what}: {equal} of {} games equal, the others less {lost}",
            before.len()
        );
        sum[0] += before.len();
        sum[1] += equal;
        clear(&scratch);
    }
    println!("{sum:?} games in all, and equal");
}

/// The moves, with the annotations of one place in an order of their own: Scidb fixes it.
fn in_order(game: &Game) -> Vec<String> {
    let mut lines = Vec::new();
    let mut place = Vec::new();
    for event in game.events() {
        if matches!(event, Event::Annotation(_)) {
            place.push(format!("{event:?}"));
            continue;
        }
        place.sort();
        lines.append(&mut place);
        lines.push(format!("{event:?}"));
    }
    place.sort();
    lines.append(&mut place);
    lines
}

/// The tags that are gone or changed are as many as was told.
fn assert_tags_lost(what: &str, old: &Game, new: &Game, told: &Losses) {
    let gone: Vec<_> = old
        .head
        .tags
        .iter()
        .filter(|(name, value)| new.head.tags.get(name) != Some(value))
        .collect();
    let added: Vec<_> = new
        .head
        .tags
        .iter()
        .filter(|(name, _)| old.head.tags.get(name).is_none())
        .collect();
    let features = [
        Feature::Tags,
        Feature::HeaderFacts,
        Feature::LongText,
        Feature::Characters,
    ];
    let count: u64 = features.iter().map(|feature| told.count(*feature)).sum();
    assert_eq!(
        gone.len() as u64,
        count,
        "{what}: {gone:?} {added:?} {told}"
    );
}
