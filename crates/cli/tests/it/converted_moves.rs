//! Converted games have the same moves.

use crate::common::{tabia, with_sample};

#[test]
fn every_writable_format_stores_the_same_moves() {
    let folder = with_sample("other");
    tabia(&folder, &["convert", "mega.cbh", "-o", "out.si5", "-q"]).expect(0);
    let moves = |path: &str| {
        tabia(
            &folder,
            &["convert", path, "--profile", "seven", "--no-wrap", "-q"],
        )
        .out
        .lines()
        .filter(|line| line.starts_with("1."))
        .map(str::to_owned)
        .collect::<Vec<_>>()
    };
    assert_eq!(moves("out.si5"), moves("mega.cbh"));
}
