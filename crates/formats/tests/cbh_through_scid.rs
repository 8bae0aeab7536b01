//! ChessBase databases written as Scid and Scidb databases, and back: exactly what was reported is lost.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it counted"
)]

#[path = "support/real_cbh_sets.rs"]
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

/// The number of occurrences of each feature in a game.
fn features(game: &Game) -> BTreeMap<Feature, u64> {
    let mut counts = BTreeMap::new();
    let mut add = |feature, occurs: bool| *counts.entry(feature).or_insert(0) += u64::from(occurs);
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

/// Asserts that exactly the reported losses occurred.
fn assert_lost(what: &str, old: &Game, new: &Game, reported: &Losses) {
    let left = features(new);
    for (feature, count) in features(old) {
        let left = left.get(&feature).copied().unwrap_or_default();
        let mut lost = reported.count(feature);
        if feature == Feature::Comments {
            // Several comments of one move become one.
            lost += reported.count(Feature::SeveralComments);
        }
        assert_eq!(
            count - left.min(count),
            lost,
            "{what}: {feature:?} of {count}"
        );
    }
}

#[test]
fn losses_of_scid_are_predicted() {
    assert_losses_are_predicted("losses_of_scid_are_predicted", &scid::SI5);
}

#[test]
fn losses_of_scidb_are_predicted() {
    assert_losses_are_predicted("losses_of_scidb_are_predicted", &scidb::FORMAT);
}

/// Writes every set in the format and reads it again: everything missing was reported, and
/// everything predicted was reported.
fn assert_losses_are_predicted(test: &str, format: &GameFormat) {
    let scratch = Scratch::new("to-scid");
    for path in sets(test) {
        // Without moves, the positions of annotations are lost.
        if !path.with_extension("cbg").exists() {
            continue;
        }
        let what = name(&path);
        let before = games(&open_set(&path));
        let target = scratch.join(format!("converted.{}", format.file.extensions[0]));
        let reported = write(format, &target, &before, Charset::Auto);
        let database = open(format, &target, &OpenOptions::default());
        let after = read_database(&*database, Want::ALL);
        let mut all = Losses::new();
        // Games that lose more by detailed rules of the format than its features predict.
        let mut finer = 0;
        let mut after = after.iter();
        for (number, old) in before.iter().enumerate() {
            let what = format!("{what}, number {}", number + 1);
            let (kept, predicted) = project(format.can, old);
            let reported = &reported[number];
            if old.head.kind == RecordKind::Text {
                // The complete text is lost.
                assert_eq!(reported.to_string(), "1 guiding text", "{what}");
                all.merge(reported);
                continue;
            }
            let new = after.next().unwrap();
            assert_eq!(new.problems, [""; 0], "{what}");
            for (feature, loss) in predicted.iter() {
                assert!(
                    reported.count(feature) >= loss.count,
                    "{what}: {reported}, not {predicted}"
                );
            }
            assert!(kept.mainline().eq(new.game.mainline()), "{what}");
            assert_lost(&what, old, &new.game, reported);
            all.merge(reported);
            finer += usize::from(*reported != predicted);
        }
        println!(
            "{what}: {finer} of {} by detailed rules; {all}",
            before.len()
        );
        clear(&scratch);
    }
}

#[test]
fn sets_round_trip_through_scid() {
    assert_sets_round_trip("sets_round_trip_through_scid", &scid::SI5);
}

#[test]
fn sets_round_trip_through_scidb() {
    assert_sets_round_trip("sets_round_trip_through_scidb", &scidb::FORMAT);
}

/// Writes every set in the format and that as a set again: the result is the original less the losses
/// that both writers reported, feature by feature.
fn assert_sets_round_trip(test: &str, format: &GameFormat) {
    let scratch = Scratch::new("round-trip");
    let mut sum = [0; 2];
    for path in sets(test) {
        // Without moves, the positions of annotations are lost.
        if !path.with_extension("cbg").exists() {
            continue;
        }
        let what = name(&path);
        let before = games(&open_set(&path));
        let before: Vec<&Game> = before
            .iter()
            .filter(|game| game.head.kind == RecordKind::Game)
            .collect();
        let between = scratch.join(format!("between.{}", format.file.extensions[0]));
        let first_losses = write(format, &between, before.iter().copied(), Charset::Auto);
        let database = open(format, &between, &OpenOptions::default());
        let read = read_database(&*database, Want::ALL);
        let between: Vec<Game> = read.into_iter().map(|read| read.game).collect();
        let target = scratch.join("back.cbh");
        let second_losses = write(&cbh::FORMAT, &target, &between, charset(&path));
        let after = read_database(&open_set(&target), Want::ALL);
        assert_eq!(after.len(), before.len(), "{what}");
        let (mut equal, mut lost) = (0, Losses::new());
        for (number, (old, new)) in before.iter().zip(&after).enumerate() {
            let what = format!("{what}, number {}", number + 1);
            assert_eq!(new.problems, [""; 0], "{what}");
            let mut reported = first_losses[number].clone();
            reported.merge(&second_losses[number]);
            let new = &new.game;
            let kept = project(format.can, old).0;
            assert!(kept.mainline().eq(new.mainline()), "{what}");
            assert_eq!(old.result, new.result, "{what}");
            assert_eq!(old.head.start, new.head.start, "{what}");
            assert_lost(&what, old, new, &reported);
            assert_tags_lost(&what, old, new, &reported);
            let (old, new) = (settled(old), settled(new));
            let is_same = old.head == new.head && in_order(&old) == in_order(&new);
            if reported.is_empty() && !is_same {
                assert_equal(&what, &old, &new);
            }
            equal += usize::from(is_same);
            lost.merge(&reported);
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

/// The moves, with the annotations of one position sorted, because Scidb has a fixed order.
fn in_order(game: &Game) -> Vec<String> {
    let mut lines = Vec::new();
    let mut annotations = Vec::new();
    for event in game.events() {
        if matches!(event, Event::Annotation(_)) {
            annotations.push(format!("{event:?}"));
            continue;
        }
        annotations.sort();
        lines.append(&mut annotations);
        lines.push(format!("{event:?}"));
    }
    annotations.sort();
    lines.append(&mut annotations);
    lines
}

/// Asserts that as many tags are missing or changed as were reported.
fn assert_tags_lost(what: &str, old: &Game, new: &Game, reported: &Losses) {
    let missing: Vec<_> = old
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
    let count: u64 = features
        .iter()
        .map(|feature| reported.count(*feature))
        .sum();
    assert_eq!(
        missing.len() as u64,
        count,
        "{what}: {missing:?} {added:?} {reported}"
    );
}
