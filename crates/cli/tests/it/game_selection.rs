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
fn options_that_leave_out_cause_no_losses() {
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

#[test]
fn filters_select_the_same_games_of_databases_and_text() {
    let folder = with_games("where");
    let sample = format!("{}/../../samples/tabia.cbh", env!("CARGO_MANIFEST_DIR"));
    tabia(&folder, &["convert", &sample, "-o", "all.pgn", "-q"]).expect(0);
    for (filter, games) in [
        ("player:anderssen", 2),
        ("elo:>=2100", 1),
        ("date:1850..1899 result:1-0", 3),
        ("moves:>20", 2),
        ("-has:variations", 1),
        ("player:unknown", 0),
        ("player:anderssen OR elo:>=2100", 3),
        ("-(player:anderssen OR elo:>=2100) date:..1900", 1),
        ("line:\"1.e4 e5\" -ends:mate", 1),
        ("ends:mate", 3),
        ("plies:<=45 opening:king", 1),
        ("text:queen OR nag:!!", 2),
        ("tag:Annotator OR is:chess960", 5),
        ("winner:morphy", 1),
        ("has:arrows,clock,eval", 5),
    ] {
        let base = ["convert", &sample, "--where", filter, "-q"];
        let from_base = tabia(&folder, &base).expect(0).out;
        let text = ["convert", "all.pgn", "--where", filter, "-j2", "-q"];
        let from_text = tabia(&folder, &text).expect(0).out;
        assert_eq!(from_base, from_text, "{filter}");
        assert_eq!(from_base.matches("[Event ").count(), games, "{filter}");
    }
    // Numbers count the guiding text of the database, as `ls` does.
    let numbered = |input: &str, numbers: &str| {
        let args = ["convert", input, "--where", numbers, "-q"];
        tabia(&folder, &args).expect(0).out
    };
    let chosen = numbered(&sample, "game:2..3,5");
    assert_eq!(chosen.matches("[Event ").count(), 3);
    assert_eq!(chosen, numbered("all.pgn", "game:1..2,4"));
    let run = tabia(&folder, &["convert", "all.pgn", "--where", "elo:high"]).expect(2);
    assert!(run.err.contains("column 5"), "{}", run.err);
}

#[test]
fn comments_in_the_first_language_that_is_there_are_kept() {
    let folder = with_games("languages");
    let pgn = "[White \"A\"]\n\n{[%lang en] start} {[%lang de] Anfang} \
               1. e4 {all} {[%lang en] best} $1 {[%lang de] beste} {[%lang fr] bon} \
               (1. d4 {[%lang en] only}) e5 {[%lang fr] seul} *\n";
    std::fs::write(folder.join("languages.pgn"), pgn).unwrap();
    let convert = |choice: &str| {
        let args = [
            "convert",
            "languages.pgn",
            "--profile",
            "full",
            "--language",
        ];
        let run = tabia(&folder, &[&args[..], &[choice]].concat()).expect(0);
        assert_eq!(run.err, "");
        let (_, moves) = run.out.split_once("\n\n").unwrap();
        moves.replace('\n', " ").trim().to_owned()
    };
    assert_eq!(
        convert("de,en"),
        "{[%lang de] Anfang} 1. e4 {all} $1 {[%lang de] beste} (1. d4 {[%lang en] only}) 1... e5 *"
    );
    assert_eq!(
        convert("fr"),
        "1. e4 {all} $1 {[%lang fr] bon} (1. d4) 1... e5 {[%lang fr] seul} *"
    );
    for wrong in ["german", "d", ""] {
        let args = ["convert", "languages.pgn", "--language", wrong];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("two letters"), "{}", run.err);
    }
}

#[test]
fn piece_letters_of_other_languages_are_stated_or_found_out() {
    let folder = with_games("pieces");
    let german = "[White \"A\"]\n\n1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. De2 Dg5 *\n";
    std::fs::write(folder.join("german.pgn"), german.repeat(300)).unwrap();
    let found = tabia(&folder, &["convert", "german.pgn"]).expect(3);
    assert!(found.out.contains("4. Qe2 Qg5 *"), "{}", found.out);
    assert!(found.err.contains("`--pieces de`"), "{}", found.err);
    let stated = tabia(&folder, &["convert", "german.pgn", "--pieces", "DE"]).expect(0);
    assert_eq!(
        (stated.out.as_str(), stated.err.as_str()),
        (found.out.as_str(), "")
    );
    let ls = tabia(
        &folder,
        &["ls", "german.pgn", "--columns", "plies", "--no-header"],
    );
    assert_eq!(ls.expect(3).out, "8\n".repeat(300));
    let english = tabia(&folder, &["convert", "german.pgn", "--pieces", "en"]).expect(3);
    assert!(!english.out.contains("Nf3"));
    // If a game does not agree, nothing is guessed.
    let mixed = german.repeat(300) + "[White \"B\"]\n\n1. e4 e5 2. Nf3 *\n";
    std::fs::write(folder.join("mixed.pgn"), mixed).unwrap();
    let mixed = tabia(&folder, &["convert", "mixed.pgn"]).expect(3);
    assert!(mixed.err.contains("`Sf3`"), "{}", mixed.err);
    assert_eq!(mixed.out.matches("Nf3").count(), 1);
    let wrong = tabia(&folder, &["convert", "german.pgn", "--pieces", "xx"]).expect(2);
    assert!(wrong.err.contains("one of en, de"), "{}", wrong.err);
}
