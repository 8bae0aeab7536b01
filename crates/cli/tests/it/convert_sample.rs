use crate::common::{tabia, with_sample};

#[test]
fn annotations_are_written_to_pgn() {
    let folder = with_sample("sample");
    let run = tabia(&folder, &["convert", "mega.cbh"]).expect(0);
    assert!(run.out.starts_with("[Event "));
    assert!(
        run.out.contains('{') && run.out.contains('('),
        "comments and variations"
    );
    let full = tabia(&folder, &["convert", "mega.cbh", "--profile", "full"]).expect(0);
    let seven = tabia(&folder, &["convert", "mega.cbh", "--profile", "seven"]).expect(0);
    assert!(full.out.len() > run.out.len() && run.out.len() > seven.out.len());
    assert!(!seven.out.contains('{'));
}

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
