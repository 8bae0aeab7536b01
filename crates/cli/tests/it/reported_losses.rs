//! What conversions report as lost.

use crate::common::{tabia, with_games, with_sample};

#[test]
fn losses_are_listed_by_kind() {
    let folder = with_sample("table");
    let run = tabia(
        &folder,
        &["convert", "mega.cbh", "-o", "out.pgn", "--profile", "seven"],
    )
    .expect(0);
    assert!(
        run.err.contains("not kept in the target format:"),
        "{}",
        run.err
    );
    assert!(run.err.contains("variations  "), "{}", run.err);
    assert!(run.err.contains("first in game "), "{}", run.err);
}

#[test]
fn conversions_without_loss_are_silent() {
    let folder = with_games("nothing");
    for profile in ["standard", "full"] {
        let args = ["convert", "games.pgn", "--profile", profile];
        assert_eq!(tabia(&folder, &args).expect(0).err, "", "{profile}");
    }
}

#[test]
fn full_profile_loses_nothing() {
    let folder = with_sample("whole");
    let args = [
        "convert",
        "mega.cbh",
        "-o",
        "out.pgn",
        "--profile",
        "full",
        "--include-deleted",
    ];
    let run = tabia(&folder, &args).expect(0);
    assert!(!run.err.contains("not kept"), "{}", run.err);
}
