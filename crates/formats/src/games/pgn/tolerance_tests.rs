//! Irregularities of real files that other programs accept, each of which leaves the game complete.

use tabia_core::formats::{Confidence, Probe, Profile};
use tabia_core::game::{Game, GameResult, Want};

use super::property_tests::{read, read_wanted, write};

/// The games of a text in profile `standard` without the line breaks of wrapping, and the number of
/// problems.
fn written(text: &[u8]) -> (Vec<String>, usize) {
    let (games, problems) = read(text, 1 << 20);
    let games = games
        .iter()
        .map(|game| write(std::slice::from_ref(game), Profile::Standard).0)
        .collect();
    (games, problems.len())
}

/// The movetext of the only game of a text, and the number of problems.
fn movetext(text: &[u8]) -> (String, usize) {
    let (games, problems) = written(text);
    let shown = text.escape_ascii();
    assert_eq!(games.len(), 1, "{shown}: {games:#?}");
    let (_, moves) = games[0].split_once("\n\n").unwrap();
    (moves.trim_end().replace('\n', " "), problems)
}

fn check(text: &str, expect: &str, problems: usize) {
    let found = movetext(text.as_bytes());
    assert_eq!(found, (expect.to_owned(), problems), "{text}");
}

#[test]
fn tag_sections_are_never_cut() {
    let rest = "[Black \"B\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n";
    for (text, name, value, problems) in [
        ("[Black-Type \"x\"]\n", "Black-Type", "x", 0),
        ("[BlackType: \"x\"]\n", "BlackType:", "x", 0),
        ("[Round:\"1\"]\n", "Round:", "1", 0),
        ("[Gr\u{f6}\u{df}e \"x\"]\n", "Gr\u{f6}\u{df}e", "x", 0),
        ("[\u{43d}\u{430} \"x\"]\n", "\u{43d}\u{430}", "x", 0),
        ("[White.Elo \"2500\"]\n", "White.Elo", "2500", 0),
        ("[White\u{a0}\"x\"]\n", "White", "x", 0),
        ("[White \"x\"]]\n", "White", "x", 0),
        ("[White \"x\"] [note]\n", "note", "", 0),
        ("[White \"x\"] [bad tag]\n", "bad", "tag", 0),
        ("[White \"x\"\n]\n", "White", "x", 0),
        ("[\nWhite\n\"x\"\n]\n", "White", "x", 0),
        ("[ \"x\"]\n", "", "x", 0),
        ("[White x]\n", "White", "x", 0),
        ("[White \"x\"].\n", "White", "x", 1),
        ("[White \"x\"] 1.\n", "White", "x", 1),
        ("[White \"x\"]12\r\n", "White", "x", 1),
        ("[White \"x\"] *\n", "White", "x", 1),
        ("[White \"x\"] e4\n", "White", "x", 1),
        ("[White \"x\"]<br>\n", "White", "x", 1),
        ("[White Elo \"2500\"]\n", "WhiteElo", "2500", 1),
        ("White: Anna\n[Site \"x\"]\n", "Site", "x", 1),
        ("White: Anna\r\nno tag\r\n[Site \"x\"]\r\n", "Site", "x", 1),
        ("; comment\n[Site \"x\"]\n", "Site", "x", 0),
        ("{comment\n\n}\n\n[Site \"x\"]\n", "Site", "x", 0),
        ("% escape\n[Site \"x\"]\n", "Site", "x", 0),
    ] {
        let text = format!("[Event \"A\"]\n{text}{rest}");
        let (games, found) = read(text.as_bytes(), 1 << 20);
        assert_eq!(games.len(), 1, "{text}");
        assert_eq!(found.len(), problems, "{text}: {found:?}");
        let game = &games[0];
        assert_eq!(game.head.tags.text(name), value, "{text}");
        assert_eq!(game.head.tags.text("Black"), "B", "{text}");
        assert_eq!(game.ply_count(), 2, "{text}");
        assert_eq!(game.result, GameResult::BlackWins, "{text}");
    }
}

#[test]
fn moves_with_invisible_characters_are_moves() {
    for (text, expect) in [
        (
            "1. e4 e5 2. N\u{ad}f3 B\u{200b}c5 *",
            "1. e4 e5 2. Nf3 Bc5 *",
        ),
        ("1. e\u{2060}4 \u{265e}\u{fe0e}f6 *", "1. e4 Nf6 *"),
        (
            "1. N\u{feff}f3 g6 2. g3 Bg7 3. Bg2 Nf6 4. O\u{ad}O *",
            "1. Nf3 g6 2. g3 Bg7 3. Bg2 Nf6 4. O-O *",
        ),
        // After a move `N` is the symbol of a novelty.
        (
            "1. e4 e5 2. f3 N\u{200b} Nc6 *",
            "1. e4 e5 2. f3 $146 Nc6 *",
        ),
    ] {
        check(text, expect, 0);
    }
}

#[test]
fn a_stray_semicolon_is_no_comment() {
    check(
        "[Result \"1-0\"];\n\n1. e4 ; \n e5 1-0\n",
        "1. e4 e5 1-0",
        0,
    );
}

#[test]
fn text_between_games_begins_no_game() {
    for text in [
        "[White \"A\"] 1. e4 *\n[White \"B\"] 1. d4 *\n",
        "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n",
        "[White \"A\"]\n\n{comment only}\n\n[White \"B\"]\n\n1. d4 *\n",
        "[White \"A\"]\nnot recorded\n\n[White \"B\"]\n\n1. d4 *\n",
    ] {
        let games = read(text.as_bytes(), 1 << 20).0;
        assert_eq!(games.len(), 2, "{text}");
        assert_eq!(games[1].head.tags.text("White"), "B", "{text}");
    }
}

#[test]
fn unquoted_tags_begin_a_game() {
    let text = "[FEN 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1]\n\n1. e4 *\n\n[Event foo]\n\n1. d4 *\n";
    let (games, problems) = read(text.as_bytes(), 1 << 20);
    assert_eq!(problems, [""; 0]);
    assert!(games.iter().all(|game| game.ply_count() == 1), "{games:?}");
    assert_eq!(games.len(), 2);
    assert_eq!(games[1].head.tags.text("Event"), "foo");
}

#[test]
fn comments_around_games_are_kept() {
    let text = "; preamble\n{of the file}\n\n[Event \"A\"]\n; between\n[Site \"x\"]\n\n1. e4 1-0 {same line}\n\
                ; { Game 1: A beats B }\n\n{more}\n\n[Event \"B\"]\n\n1. d4 *\n; end\n";
    for block_size in [16, 40, 1 << 20] {
        let (games, problems) = read(text.as_bytes(), block_size);
        assert_eq!(problems, [""; 0], "{block_size}");
        let texts: Vec<String> = games
            .iter()
            .map(|game| write(std::slice::from_ref(game), Profile::Lichess).0)
            .map(|text| text.split_once("\n\n").unwrap().1.trim_end().to_owned())
            .collect();
        assert_eq!(
            texts,
            [
                "{ preamble } { of the file } { between } 1. e4 { same line } \
                 { ( Game 1: A beats B ) } { more } 1-0",
                "1. d4 { end } *"
            ],
            "{block_size}"
        );
    }
    let (games, problems) = read(b"; only\n{comments}\n", 1 << 20);
    assert_eq!((games.len(), problems.len()), (0, 1));
}

#[test]
fn blanks_of_web_pages_separate_tokens() {
    for blank in [
        "\u{a0}", "\u{2002}", "\u{2009}", "\u{202f}", "\u{3000}", "\u{200b}", "\u{200e}", "\u{ad}",
        "\u{feff}",
    ] {
        let text = format!("1.{blank}e4{blank}e5 2.{blank}Nf3{blank}Nc6{blank}1-0{blank}\n");
        check(&text, "1. e4 e5 2. Nf3 Nc6 1-0", 0);
    }
    let latin1 = movetext(b"1.\xa0e4\xa0e5 2.\xa0Nf3 Nc6\xa01-0");
    assert_eq!(latin1, ("1. e4 e5 2. Nf3 Nc6 1-0".to_owned(), 0));
    let two = written("1. e4 1-0\u{a0}\n\n\u{a0}1. d4 0-1".as_bytes());
    assert_eq!((two.0.len(), two.1), (2, 0));
}

#[test]
fn typographic_dashes_are_dashes() {
    for dash in [
        "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}",
    ] {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d4 d5 6. Bg5 Bg4 7. c3 Qe7 8. a3 0-0-0 1-0";
        let (_, moves) = text.split_once("e4").unwrap();
        let text = format!("1. e4{}", moves.replace('-', dash));
        let expect = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d4 d5 6. Bg5 Bg4 7. c3 Qe7 8. a3 O-O-O 1-0";
        check(&text, expect, 0);
    }
    check("1. e4 1/2\u{2013}1/2", "1. e4 1/2-1/2", 0);
    check("1. e4 \u{bd}\u{2013}\u{bd}", "1. e4 1/2-1/2", 0);
    let windows = movetext(b"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O\x96O 0\x961");
    assert_eq!(windows.0, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 0-1");
}

#[test]
fn results_in_other_spellings_are_understood() {
    for (tag, moves, expect) in [
        ("+--", "+--", GameResult::WhiteWinsByForfeit),
        ("--+", "--+", GameResult::BlackWinsByForfeit),
        ("*", "+--", GameResult::WhiteWinsByForfeit),
        ("+--", "1. e4 e5 +--", GameResult::WhiteWinsByForfeit),
        ("-:+", "1. e4 --+", GameResult::BlackWinsByForfeit),
        ("+-", "1. e4 e5 +-", GameResult::WhiteWinsByForfeit),
        ("+/-", "1. e4 e5 +/-", GameResult::WhiteWinsByForfeit),
        ("-+", "1. e4 e5 -+", GameResult::BlackWinsByForfeit),
        ("-/+", "1. e4 e5 -/+", GameResult::BlackWinsByForfeit),
        ("1:0", "1. e4 e5 1-0", GameResult::WhiteWins),
        ("0:1", "1. e4 e5 0:1", GameResult::BlackWins),
        ("\u{bd}:\u{bd}", "1. e4 e5 \u{bd}", GameResult::Draw),
        ("0.5-0.5", "1. e4 e5 \u{bd}-\u{bd}", GameResult::Draw),
        ("?", "1. e4 e5 0.5-0.5", GameResult::Draw),
        ("?", "1. e4 e5 1/2:1/2", GameResult::Draw),
        ("1-0F", "1. e4 1-0", GameResult::WhiteWinsByForfeit),
        ("1-0F", "1. e4 e5 1-0F", GameResult::WhiteWinsByForfeit),
        ("?", "1. e4 0-1f", GameResult::BlackWinsByForfeit),
        ("*", "1. e4 e5 1/2-1/2F", GameResult::DrawByForfeit),
        ("0-0", "1. e4 *", GameResult::BothLose),
    ] {
        let text = format!("[Event \"A\"]\n[Result \"{tag}\"]\n\n{moves}\n\n[Event \"B\"]\n\n*\n");
        let (games, problems) = read(text.as_bytes(), 1 << 20);
        assert_eq!(problems, [""; 0], "{text}");
        assert_eq!(games.len(), 2, "{text}");
        assert_eq!(games[0].result, expect, "{text}");
        let has_annotation = games[0]
            .events()
            .any(|event| matches!(event, tabia_core::game::Event::Annotation(_)));
        assert!(!has_annotation, "{text}");
    }
    // A symbol after a move is not a result.
    check("1. e4 e5 2. Nf3 +-- *", "1. e4 e5 2. Nf3 $20 *", 0);
    check("1. e4 e5 2. Nf3 +--", "1. e4 e5 2. Nf3 $20 *", 0);
    check("1. e4 e5 2. Nf3 +-", "1. e4 e5 2. Nf3 $18 *", 0);
    let tag = "[Result \"+-\"]\n\n";
    for moves in ["1. e4 +- e5 +-", "1. e4 +- e5 1-0"] {
        let (games, _) = read(format!("{tag}{moves}").as_bytes(), 1 << 20);
        let nags = |event| matches!(event, tabia_core::game::Event::Annotation(_));
        assert_eq!(
            games[0].events().filter(|event| nags(*event)).count(),
            1,
            "{moves}"
        );
        assert_eq!(games[0].result, GameResult::WhiteWinsByForfeit, "{moves}");
    }
}

#[test]
fn a_game_whose_end_is_missing_is_reported() {
    let roster = "[Event \"A\"]\n[Result \"1-0\"]\n";
    for (text, problems) in [
        (format!("{roster}\n1. e4 e5 2. Nf"), 2),
        (format!("{roster}\n1. e4 e5\n\n{roster}\n1. d4 1-0\n"), 1),
        (format!("{roster}\n"), 1),
        (format!("{roster}\n1. e4 e5 2. Qh51-0\n"), 0),
        (format!("{roster}\n1. e4 {{e5 1-0\n"), 1),
        ("[Event \"A\"]\n[White \"B\"]\n".to_owned(), 1),
        ("[Event \"A\"]\n[White \"B\"]\n\n1. e4 e5\n".to_owned(), 0),
        ("[Event \"A\"]\n[Result \"*\"]\n\n1. e4 e5\n".to_owned(), 0),
        ("[Event \"A\"]\n[Result \"1-0\"]\n[Black \"Z".to_owned(), 2),
        ("[Event \"A]\n[Result \"1-0\"]\n\n1. e4 1-0\n".to_owned(), 1),
    ] {
        let (_, found) = read(text.as_bytes(), 1 << 20);
        assert_eq!(found.len(), problems, "{text}: {found:?}");
    }
    // The result is that of the tag.
    let (games, _) = read(format!("{roster}\n1. e4").as_bytes(), 1 << 20);
    assert_eq!(games[0].result, GameResult::WhiteWins);
}

#[test]
fn zero_bytes_in_a_row_are_reported() {
    let hole = "\0".repeat(512);
    for text in [
        format!("[Event \"A\"]\n\n1. e4 {{a {hole} b}} e5 *\n"),
        format!("[Event \"A\"]\n[Si{hole}te \"B\"]\n\n1. e4 *\n"),
        format!("[Event \"A{hole}\"]\n\n1. e4 *\n"),
    ] {
        let (_, found) = read(text.as_bytes(), 1 << 20);
        let found = found
            .iter()
            .filter(|problem| problem.contains("512 zero bytes"));
        assert_eq!(found.count(), 1, "{text}");
    }
}

#[test]
fn contradicting_results_are_reported() {
    let text = |tag: &str, marker: &str| format!("[Result \"{tag}\"]\n\n1. e4 e5 {marker}\n");
    for (tag, marker, problems) in [
        ("0-1", "1-0", 1),
        ("1/2-1/2", "0-1", 1),
        ("1-0", "1-0", 0),
        ("+:-", "1-0", 0),
        ("*", "1-0", 0),
        ("1-0", "*", 0),
    ] {
        let found = movetext(text(tag, marker).as_bytes());
        assert_eq!(found.1, problems, "{tag} {marker}");
    }
    assert_eq!(movetext(text("0-1", "1-0").as_bytes()).0, "1. e4 e5 1-0");
}

#[test]
fn parentheses_without_moves_are_no_variations() {
    check("1. e4 e5 (=) 2. Nf3 *", "1. e4 e5 {(=)} 2. Nf3 *", 0);
    check("1. e4 e5 () 2. Nf3 ( 2...) *", "1. e4 e5 2. Nf3 *", 0);
    check("1. e4 e5 (+=) 2. Nf3 (!) *", "1. e4 e5 $14 2. Nf3 $1 *", 0);
    check("1. e4 e5 ({text}) 2. Nf3 *", "1. e4 e5 {text} 2. Nf3 *", 0);
    check("((( 1. c4 c5 *", "1. c4 c5 *", 3);
    check("(1. d4) 1. c4 *", "{[%tabia unread (1. d4)]} 1. c4 *", 1);
}

#[test]
fn moves_in_other_spellings_are_read() {
    check(
        "1. a4 b5 2. axb5 a6 3. bxa6 \u{265d}b7 4. axb7 \u{265e}c6 5. bxa8=\u{2655} \u{265b}xa8 *",
        "1. a4 b5 2. axb5 a6 3. bxa6 Bb7 4. axb7 Nc6 5. bxa8=Q Qxa8 *",
        0,
    );
    check(
        "1. e4 d5 2. e5 f5 3. exf6e.p. gxf6 *",
        "1. e4 d5 2. e5 f5 3. exf6 gxf6 *",
        0,
    );
    check("1. e4!+ e5 # 2. Qh5 ++ *", "1. e4 $1 e5 2. Qh5 *", 0);
    check("1. e4, e5, 2. Nf3 , Nc6 *", "1. e4 e5 2. Nf3 Nc6 *", 0);
    check("1. e4 [#] e5 2. Nf3 *", "1. e4 e5 2. Nf3 *", 1);
    for promotion in [
        "e8=\u{265b}",
        "e8\u{2655}",
        "e8=(Q)",
        "e8(\u{2655})",
        "e8=Q",
    ] {
        let text = format!("[FEN \"8/4P3/8/8/8/8/8/k1K5 w - - 0 1\"]\n\n1. {promotion} *\n");
        check(&text, "1. e8=Q *", 0);
    }
}

#[test]
fn braces_inside_comments_and_alone() {
    check(
        "1. e4 {outer {inner} rest} e5 2. Nf3 *",
        "1. e4 {outer (inner) rest} 1... e5 2. Nf3 *",
        0,
    );
    check("1. e4 {a} } e5 *", "1. e4 {a} 1... e5 *", 1);
}

#[test]
fn counters_of_setup_positions_are_optional() {
    for (counters, problems) in [
        ("-1 1", 1),
        ("x y", 1),
        ("0.5 1", 1),
        ("0 70000", 1),
        ("70000 7", 1),
        ("0 7", 0),
    ] {
        let text = format!("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - {counters}\"]\n\n1. e4 Kd7 *\n");
        let (games, found) = read(text.as_bytes(), 1 << 20);
        assert_eq!(games[0].ply_count(), 2, "{text}");
        assert_eq!(found.len(), problems, "{text}");
        let (again, losses) = write(&games, Profile::Full);
        assert!(losses.is_empty());
        assert!(read(again.as_bytes(), 1 << 20).0 == games, "{again}");
    }
}

#[test]
fn moves_of_other_variants_stay_text() {
    let moves = "1. e4 d5 2. exd5 Qxd5 {taken; } 3. P@e6 (3. Nc3 Qd8) 3... N@f4\n; a comment that ends with its line\n4. B@d3";
    for head in [
        "[Variant \"Crazyhouse\"]\n",
        "[SetUp \"1\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n",
    ] {
        let text = format!("[Event \"a\"]\n{head}\n{{before}} {moves} 1-0\n\n[Event \"b\"]\n\n*\n");
        let (games, problems) = read(text.as_bytes(), 1 << 20);
        assert_eq!((games.len(), problems.len()), (2, 1), "{text}");
        for profile in [Profile::Standard, Profile::Lichess, Profile::ChessBase] {
            let (written, _) = write(&games, profile);
            assert!(written.contains(moves), "{written}");
            let (back, _) = read(written.as_bytes(), 1 << 20);
            assert!(back[0].events().eq(games[0].events()), "{written}");
            assert_eq!(back[0].result, games[0].result);
        }
    }
    // An annotation after the moves would be a part of them.
    for after in [
        "{a comment}",
        "{[%cal Ga1a2]}",
        "$1",
        "{[%clk 0:01:00] [Event \"}",
    ] {
        let moves = "{[%tabia unread P@e6 N@f3]}";
        let text = format!("[Variant \"Crazyhouse\"]\n\n{{before}} {moves} {after} *\n");
        // Commands precede texts.
        let sorted = |game: &Game| {
            let mut events: Vec<_> = game.events().map(|event| format!("{event:?}")).collect();
            events.sort();
            events
        };
        let (games, _) = read(text.as_bytes(), 1 << 20);
        for profile in [Profile::Standard, Profile::Lichess, Profile::ChessBase] {
            let (written, _) = write(&games, profile);
            assert!(written.contains("[%tabia unread"), "{written}");
            let (back, _) = read(written.as_bytes(), 1 << 20);
            assert_eq!(sorted(&back[0]), sorted(&games[0]), "{written}");
        }
    }
    // What a reader leaves out before the moves is kept as a command.
    for unread in ["%C2%A0P@e6", "%5D", "%28", "%E2%99%9E"] {
        let text = format!("[Variant \"Crazyhouse\"]\n\n{{[%tabia unread {unread}]}} *\n");
        let (games, _) = read(text.as_bytes(), 1 << 20);
        let written = write(&games, Profile::Standard).0;
        let back = read(written.as_bytes(), 1 << 20).0;
        assert!(back[0].events().eq(games[0].events()), "{written}");
    }
    // A comment that is not closed would hide the result.
    let text = "[Variant \"Crazyhouse\"]\n\n1. e4 {open";
    let written = write(&read(text.as_bytes(), 1 << 20).0, Profile::Standard).0;
    assert!(written.contains("[%tabia unread"), "{written}");
}

#[test]
fn text_with_a_nul_is_recognized_by_its_first_tag() {
    let score = |head: &[u8]| {
        (super::FORMAT.file.score)(&Probe {
            name: None,
            head,
            len: None,
        })
    };
    let text = b"[Event \"a\0b\"]\n\n1. e4 {\0} *\n";
    assert_eq!(score(text), Confidence::Certain);
    assert_eq!(score(b"\0[Event \"a\"]\n\n1. e4 *\n"), Confidence::No);
    assert_eq!(read(text, 1 << 20).0[0].head.tags.text("Event"), "a\0b");
}

#[test]
fn standard_is_not_chess960() {
    let fen = "r5kr/8/8/8/8/8/8/R3K2R w KQq - 0 1";
    let text = format!("[Variant \"Standard\"]\n[FEN \"{fen}\"]\n\n1. O-O *\n");
    let (games, problems) = read(text.as_bytes(), 1 << 20);
    assert_eq!(problems.len(), 1);
    assert!(!games[0].head.start.chess960);
    assert_eq!(games[0].ply_count(), 1);
    let (written, _) = write(&games, Profile::Standard);
    assert!(written.contains("[Variant \"Standard\"]"), "{written}");
    assert!(written.contains(" w KQ - 0 1\"]"), "{written}");
}

#[test]
fn texts_stay_readable_in_profile_full() {
    for (text, expect) in [
        ("[%ts 17][%foo bar] good", "{[%ts 17][%foo bar] good}"),
        (
            "\nVariant\n of old.\n",
            "{[%tabia lines 0,8,17 of 18] Variant  of old.}",
        ),
        ("a {b}", "{[%tabia chars 2:7b,4:7d of 5] a (b)}"),
        (
            "[%clk 0:00:01] x",
            "{[%tabia chars 0:5b of 16] (%clk 0:00:01] x}",
        ),
    ] {
        let mut game = Game::new();
        let _ = tabia_core::game::Visitor::visit_annotation(
            &mut game.recorder(),
            tabia_core::game::Annotation::Comment(tabia_core::game::Comment {
                placement: tabia_core::game::CommentPlacement::After,
                language: None,
                text,
            }),
        );
        let (written, _) = write(std::slice::from_ref(&game), Profile::Full);
        assert!(written.contains(expect), "{written}");
        let (back, _) = read(written.as_bytes(), 1 << 20);
        assert!(back[0].events().eq(game.events()), "{written}");
    }
}

#[test]
fn games_whose_end_is_lost_do_not_swallow_the_next_one() {
    let first = "[Event \"Ev1\"]\n[Site \"Here\"]\n[White \"Alpha\"]\n[Black \"Beta\"]\n[Result \"1-0\"]\n\n\
                 1. d4 d5 2. c4 {the Queen's Gambit} e6 (2... c6 {Slav}) 3. Nc3 1-0\n";
    let second = "[Event \"Ev2\"]\n[Site \"There\"]\n[White \"Gamma\"]\n[Black \"Delta\"]\n[Result \"0-1\"]\n\n\
                  1. e4 e5 2. Nf3 {a good move} Nc6 0-1\n";
    let (alone, _) = read(second.as_bytes(), 1 << 20);
    let (whole, problems) = read(format!("{first}\n{second}").as_bytes(), 1 << 20);
    assert_eq!((whole.len(), problems.len()), (2, 0));
    let first_tag = "[Event \"Ev1\"]\n".len();
    for cut in first_tag..first.len() {
        for gap in ["", "\n", "\n\n"] {
            if cut == first_tag && gap.is_empty() {
                // A tag that is there twice.
                continue;
            }
            let text = format!("{}{gap}{second}", &first[..cut]);
            let (games, problems) = read(text.as_bytes(), 1 << 20);
            assert_eq!(games.len(), 2, "{text}");
            assert_eq!(games[1], alone[0], "{text}");
            let is_complete = first[..cut].trim_end().ends_with("3. Nc3 1-0");
            assert_eq!(problems.is_empty(), is_complete, "{text}: {problems:?}");
            let (heads, _) = read_wanted(text.as_bytes(), 1 << 20, Want::TAGS);
            let whites: Vec<&str> = heads
                .iter()
                .map(|game| game.head.tags.text("White"))
                .collect();
            assert_eq!((whites.len(), whites.last()), (2, Some(&"Gamma")), "{text}");
        }
    }
}

#[test]
fn a_closed_comment_quotes_tags() {
    let text = "[Event \"A\"]\n\n1. e4 e5 {The score sheet reads:\n[Event \"Club\"]\n[Site \"Riga\"]\n} 2. Nf3 Nc6 1-0\n";
    let (games, problems) = read(text.as_bytes(), 1 << 20);
    assert_eq!(problems, [""; 0]);
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].ply_count(), 4);
    assert!(write(&games, Profile::Full).0.contains("[Site \"Riga\"]"));
    // The game inside of a cut comment has braces of its own.
    let cut = "[Event \"A\"]\n\n1. e4 {the Quee[Event \"B\"]\n[Site \"C\"]\n\n1. d4 {a} d5 1-0\n";
    let games = read(cut.as_bytes(), 1 << 20).0;
    assert_eq!(games.len(), 2);
    assert_eq!(games[1].ply_count(), 2);
}

#[test]
fn moves_on_the_line_of_a_result_are_reported() {
    for (text, count) in [
        ("[White \"W\"]\n\n1-0 1. d4 d5\n", 2),
        ("[White \"W\"]\n\n1. c4 1-0 1. c4 c5 0-1\n", 2),
    ] {
        let (games, problems) = read(text.as_bytes(), 1 << 20);
        assert_eq!(games.len(), count, "{text}");
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}")
        };
        assert!(problem.contains("moves follow the result"), "{problem}");
    }
    for text in [
        "[White \"W\"]\n\n1. c4 1-0\n1. c4 c5 0-1\n",
        "[White \"W\"]\n\n1. c4 1-0 {a comment}\n\n[White \"V\"]\n\n1. d4 *\n",
        "1. c4 1-0 1. c4 c5 0-1\n",
    ] {
        assert_eq!(read(text.as_bytes(), 1 << 20).1, [""; 0], "{text}");
    }
}

#[test]
fn both_losing_against_another_result_is_reported() {
    for (tag, count) in [("1-0", 1), ("1/2-1/2", 1), ("0-0", 0), ("*", 0)] {
        let text = format!("[Result \"{tag}\"]\n\n1. e4 e5 0-0\n");
        let problems = read(text.as_bytes(), 1 << 20).1;
        assert_eq!(problems.len(), count, "{tag}: {problems:?}");
    }
}

#[test]
fn a_nag_without_a_number_does_not_end_the_line() {
    let (games, problems) = read(b"1. e4 $-1 e5 $ 2. Nf3 $x Nc6 1-0\n", 1 << 20);
    assert_eq!(games[0].ply_count(), 4);
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert_eq!(
        read(write(&games, Profile::Full).0.as_bytes(), 1 << 20).0,
        games
    );
}

#[test]
fn a_fen_with_a_line_break_is_encoded() {
    let mut game = Game::new();
    let fen = "\"]\n\n1. e4 e5 1-0\n\n[Event \"Invented\"]\n\n1. d4 d5 0-1\n\n[\"";
    game.head.tags.push("FEN", fen);
    for profile in [Profile::Full, Profile::Standard, Profile::Lichess] {
        let text = write(std::slice::from_ref(&game), profile).0;
        let games = read(text.as_bytes(), 1 << 20).0;
        assert_eq!(games.len(), 1, "{text}");
        if profile == Profile::Full {
            assert_eq!(games[0].head.tags.get("FEN"), Some(fen));
        }
    }
}

#[test]
fn an_empty_fen_is_none() {
    let (games, problems) = read(b"[FEN \"\"]\n[SetUp \"0\"]\n\n1. e4 e5 *\n", 1 << 20);
    assert_eq!(problems, [""; 0]);
    assert_eq!(games[0].ply_count(), 2);
    for profile in [Profile::Full, Profile::Standard, Profile::Lichess] {
        let again = read(write(&games, profile).0.as_bytes(), 1 << 20).0;
        assert_eq!(again[0].ply_count(), 2, "{profile:?}");
    }
    let full = write(&games, Profile::Full).0;
    assert_eq!(read(full.as_bytes(), 1 << 20).0, games);
}

/// A value with a blank is not cut at it.
#[test]
fn commands_with_words_between_their_values_are_text() {
    let text = "[%cblink url=http://x.org/a?b=1&c=2 caption=My link] f";
    let (games, problems) = read(format!("1. e4 {{{text}}} *\n").as_bytes(), 1 << 20);
    assert_eq!(problems, [""; 0]);
    let written = write(&games, Profile::Standard).0.replace('\n', " ");
    assert!(written.contains(text), "{written}");
}
