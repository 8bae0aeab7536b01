use crate::common::{GAMES, tabia, with_games};

#[test]
fn games_by_number() {
    let folder = with_games("numbers");
    std::fs::write(folder.join("many.pgn"), GAMES.repeat(1500)).unwrap();
    let args = ["convert", "many.pgn", "--games", "2,4400-4402", "-j4"];
    let run = tabia(&folder, &args).expect(0);
    let whites: Vec<&str> = run
        .out
        .lines()
        .filter(|line| line.starts_with("[White "))
        .collect();
    assert_eq!(
        whites,
        [
            "[White \"Müller, Jörg\"]",
            "[White \"Müller, Jörg\"]",
            "[White \"A\"]",
            "[White \"Carlsen, Magnus\"]"
        ]
    );
}

#[test]
fn what_is_left_out_is_not_a_loss() {
    let folder = with_games("leave-out");
    let run = tabia(&folder, &["convert", "games.pgn", "--no-comments"]).expect(0);
    assert!(
        !run.out.contains("Sicilian") && run.out.contains("(1... e6"),
        "{}",
        run.out
    );
    let run = tabia(&folder, &["convert", "games.pgn", "--no-variations"]).expect(0);
    assert!(
        run.out.contains("Sicilian") && !run.out.contains("e6"),
        "{}",
        run.out
    );
    let run = tabia(&folder, &["convert", "games.pgn", "--no-nags"]).expect(0);
    assert!(
        !run.out.contains("$1") && run.out.contains("Sicilian"),
        "{}",
        run.out
    );
    assert_eq!(run.err, "");
}
