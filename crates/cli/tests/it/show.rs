use crate::common::{tabia, with_games, with_sample};

#[test]
fn games_are_shown_as_pgn() {
    let folder = with_games("show");
    let run = tabia(&folder, &["show", "games.pgn", "--game", "3"]).expect(0);
    assert!(run.out.starts_with("[Event \"Short\"]"));
    assert!(run.out.trim_end().ends_with("1. d4 *"), "{}", run.out);
    let whole = tabia(&folder, &["convert", "games.pgn", "--games", "2"]).expect(0);
    let shown = tabia(&folder, &["show", "games.pgn", "--game", "2"]).expect(0);
    assert_eq!(whole.out.trim_end(), shown.out.trim_end());
}

#[test]
fn games_are_shown_as_json() {
    let folder = with_games("tree");
    let tree = tabia(&folder, &["show", "games.pgn", "--game", "2", "--json"])
        .expect(0)
        .json();
    assert_eq!(tree["game"], 2);
    assert_eq!(tree["kind"], "game");
    assert_eq!(tree["result"], "1/2-1/2");
    let reply = &tree["moves"][1];
    assert_eq!(
        (reply["san"].as_str(), reply["uci"].as_str()),
        (Some("c5"), Some("c7c5"))
    );
    assert_eq!(reply["annotations"][0]["type"], "nag");
    assert_eq!(reply["annotations"][1]["text"], "The Sicilian");
    assert_eq!(reply["variations"][0]["moves"][1]["san"], "d4");
}

#[test]
fn database_games_are_shown() {
    let folder = with_sample("show-cbh");
    let run = tabia(&folder, &["show", "mega", "--game", "2"]).expect(0);
    assert!(run.out.contains("[White "), "{}", run.out);
    tabia(&folder, &["show", "mega", "--game", "9999"]).expect(4);
}

#[test]
fn guiding_texts_are_shown_as_text() {
    let folder = with_sample("show-text");
    let run = tabia(&folder, &["show", "mega", "--game", "1"]).expect(0);
    assert!(run.out.starts_with("# "), "{}", run.out);
    assert!(!run.out.contains('<'), "{}", run.out);
}
