//! What the program shows on terminals of several widths, taken through a pseudo-terminal and compared
//! with files of `tests/screens`. `TABIA_UPDATE=1` writes them.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tabia_testkit::Scratch;

use crate::common::{GAMES, command, samples, tabia, with_sample};

/// Runs the program on a terminal of `columns` without a pager and returns what it showed and its exit
/// code. Escape characters are written as `␛`.
fn on_terminal(folder: &Scratch, args: &[&str], columns: u16) -> (String, i32) {
    with_pager(folder, args, columns, "")
}

/// As [`on_terminal`], with a pager.
fn with_pager(folder: &Scratch, args: &[&str], columns: u16, pager: &str) -> (String, i32) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options()
        .read(true)
        .write(true)
        .open(Path::new(name.to_str().unwrap()))
        .unwrap();
    let size = Winsize {
        ws_row: 40,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).unwrap();
    let mut child = command(folder.path())
        .args(args)
        .env("TERM", "xterm-256color")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .env("TABIA_PAGER", pager)
        .stdout(Stdio::from(terminal.try_clone().unwrap()))
        .stderr(Stdio::from(terminal.try_clone().unwrap()))
        .spawn()
        .unwrap();
    drop(terminal);
    let mut bytes = Vec::new();
    let mut master = File::from(master);
    let mut buffer = [0; 4096];
    // Linux reports the end of a terminal as an error.
    while let Ok(count) = master.read(&mut buffer) {
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
    let code = child.wait().unwrap().code().unwrap_or(-1);
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    (without_progress(&text.replace('\u{1b}', "␛")), code)
}

/// The screen after the lines of progress, which a slow machine shows, were erased.
fn without_progress(screen: &str) -> String {
    let lines = screen.split('\n').map(|line| {
        let shown = line.rsplit_once("␛[2K").map_or(line, |(_, shown)| shown);
        shown.trim_start_matches('\r')
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The display width of a line without its escape sequences.
fn width(line: &str) -> usize {
    let mut width = 0;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c == '␛' {
            for c in rest.by_ref() {
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            width += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        }
    }
    width
}

/// Compares a screen with its file.
fn expect_screen(name: &str, screen: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    let path = folder.join(name);
    if std::env::var_os("TABIA_UPDATE").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&path, screen).unwrap();
    }
    let wanted = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; TABIA_UPDATE=1 writes it", path.display()));
    assert_eq!(wanted.replace("\r\n", "\n"), screen, "{name}");
}

/// Games with long, wide and combining names, and numbers of six digits.
fn with_wide_games(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let game = |white: &str, black: &str, event: &str, result: &str| {
        format!(
            "[Event \"{event}\"]\n[Site \"Saint Petersburg\"]\n[Date \"2019.10.04\"]\n\
             [Round \"10.7\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             [WhiteElo \"2732\"]\n[BlackElo \"2621\"]\n[ECO \"D30\"]\n[Annotator \"Douglas\"]\n\n\
             1. d4 d5 {{Solid}} 2. c4 $1 e6 {result}\n\n"
        )
    };
    let games = [
        game(
            "Vitiugov, Nikita",
            "Rakhmanov, Aleksandr",
            "FIDE Chess.com Grand Swiss",
            "1/2-1/2",
        ),
        game("王皓 王皓 王皓 王皓", "丁立人", "候选人赛", "1-0"),
        game("Jose\u{301} Rau\u{301}l Capablanca", "A", "E", "0-1"),
    ];
    std::fs::write(folder.join("wide.pgn"), games.concat()).unwrap();
    folder
}

#[test]
fn lists_of_games_fit_the_terminal() {
    let sample = with_sample("screens-ls");
    let wide = with_wide_games("screens-wide");
    for columns in [60, 80, 100, 120, 200] {
        for (name, folder, path) in [("sample", &sample, "mega.cbh"), ("wide", &wide, "wide.pgn")] {
            let (screen, code) = on_terminal(folder, &["ls", path], columns);
            assert_eq!(code, 0, "{screen}");
            for line in screen.lines() {
                assert!(width(line) <= usize::from(columns), "{columns}: {line}");
            }
            expect_screen(&format!("ls-{name}-{columns}.txt"), &screen);
        }
    }
}

/// With `-v`, what a terminal is too narrow for follows in a second line.
#[test]
fn lists_of_games_have_a_second_line() {
    let sample = with_sample("screens-ls-verbose");
    let wide = with_wide_games("screens-wide-verbose");
    for columns in [60, 80, 120] {
        for (name, folder, path) in [("sample", &sample, "mega.cbh"), ("wide", &wide, "wide.pgn")] {
            let (screen, code) = on_terminal(folder, &["ls", path, "-v"], columns);
            assert_eq!(code, 0, "{screen}");
            for line in screen.lines() {
                assert!(width(line) <= usize::from(columns), "{columns}: {line}");
            }
            expect_screen(&format!("ls-verbose-{name}-{columns}.txt"), &screen);
        }
    }
}

/// The numbers of the tree are never cut, names of openings end with what distinguishes them.
#[test]
fn trees_fit_the_terminal() {
    let folder = Scratch::new("screens-tree");
    let najdorf = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6";
    let game = |moves: &str, result: &str| {
        format!(
            "[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n[Date \"2024.03.14\"]\n\
             [WhiteElo \"2612\"]\n[BlackElo \"2588\"]\n\n{najdorf} {moves} {result}\n\n"
        )
    };
    let mut games = game("6. Be3 e5", "1-0").repeat(1_104);
    games += &game("6. Be2 e6", "1/2-1/2").repeat(71);
    games += &game("6. Bg5 e6", "0-1").repeat(9);
    games += &game("6. Qd3", "*");
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    for columns in [60, 80, 100, 120] {
        let args = [
            "tree",
            "games.pgn",
            "--line",
            najdorf,
            "--progress",
            "never",
        ];
        let (screen, code) = on_terminal(&folder, &args, columns);
        assert_eq!(code, 0, "{screen}");
        for line in screen.lines() {
            assert!(width(line) <= usize::from(columns), "{columns}: {line}");
        }
        let is_wide = columns >= 80;
        let name = if is_wide { "English Attack" } else { "English" };
        for whole in ["1,185", "1,104", name] {
            assert!(screen.contains(whole), "{columns}: {screen}");
        }
        expect_screen(&format!("tree-{columns}.txt"), &screen);
    }
}

#[test]
fn numbers_of_games_are_never_cut() {
    let folder = Scratch::new("screens-numbers");
    std::fs::write(
        folder.join("many.pgn"),
        "[White \"A\"]\n\n1. e4 *\n\n".repeat(10_001),
    )
    .unwrap();
    let (screen, _) = on_terminal(&folder, &["ls", "many.pgn"], 80);
    for number in ["1", "9999", "10000", "10001"] {
        let row = screen
            .lines()
            .find(|line| line.split_whitespace().next() == Some(number));
        assert!(row.is_some(), "{number}");
    }
}

#[test]
fn games_are_shown_in_colour_with_a_board() {
    let folder = with_sample("screens-show");
    let (screen, code) = on_terminal(&folder, &["show", "mega.cbh", "-g", "2", "--board"], 80);
    assert_eq!(code, 0, "{screen}");
    expect_screen("show-board-80.txt", &screen);
    let (plain, _) = on_terminal(
        &folder,
        &["show", "mega.cbh", "-g", "2", "--board", "--color", "never"],
        80,
    );
    assert!(!plain.contains('␛'), "{plain}");
    expect_screen("show-board-plain-80.txt", &plain);
}

#[test]
fn games_are_wrapped_on_narrow_terminals() {
    let folder = with_sample("screens-show-narrow");
    for columns in [40, 60] {
        let args = ["show", "mega.cbh", "-g", "2", "--color", "never"];
        let (screen, code) = on_terminal(&folder, &args, columns);
        assert_eq!(code, 0, "{screen}");
        let (_, moves) = screen.split_once("\n\n").unwrap();
        for line in moves.lines() {
            assert!(width(line) <= usize::from(columns), "{columns}: {line}");
        }
        expect_screen(&format!("show-{columns}.txt"), &screen);
    }
}

#[test]
fn a_dumb_terminal_gets_no_escapes() {
    let folder = with_sample("screens-dumb");
    let run = tabia(&folder, &["ls", "mega.cbh", "--table"]).expect(0);
    assert!(!run.out.contains('\u{1b}'), "{}", run.out);
}

#[test]
fn books_show_whole_bars_at_every_width() {
    let folder = Scratch::new("screens-books");
    let mut games = String::new();
    for (reply, result, count) in [
        ("e5", "1-0", 7),
        ("e5", "1/2-1/2", 5),
        ("c5", "0-1", 4),
        ("h6", "1-0", 1),
    ] {
        for _ in 0..count {
            let _ = write!(
                games,
                "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2400\"]\n\
                 [Result \"{result}\"]\n\n1. e4 {reply} 2. Nf3 {result}\n\n"
            );
        }
    }
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    for book in ["first.ctg", "second.bin"] {
        tabia(
            &folder,
            &["book", "build", "games.pgn", "-o", book, "--min-games", "1"],
        )
        .expect(0);
    }
    for columns in [60, 80, 120] {
        for (name, books) in [
            ("ctg", &["first.ctg"][..]),
            ("two", &["first.ctg", "second.bin"]),
        ] {
            let mut args = vec!["book", "find"];
            args.extend(books);
            args.extend(["--moves", "1.e4"]);
            let (screen, code) = on_terminal(&folder, &args, columns);
            assert_eq!(code, 0, "{screen}");
            for line in screen.lines() {
                assert!(width(line) <= usize::from(columns), "{columns}: {line}");
            }
            // The share of Black ends the bar; it is there at every width.
            if name == "ctg" {
                assert!(screen.contains("████"), "{screen}");
                assert!(!screen.contains("▒…") && !screen.contains("█…"), "{screen}");
            }
            expect_screen(&format!("find-{name}-{columns}.txt"), &screen);
        }
    }
}

/// Of many books at once, and of the games with a move, nothing that matters is cut.
#[test]
fn several_books_and_their_games_fit_the_terminal() {
    let folder = Scratch::new("screens-many-books");
    let game = |reply: &str, result: &str| {
        format!(
            "[White \"Kasparov, Garry Kimovich\"]\n[Black \"Vachier-Lagrave, Maxime\"]\n\
             [WhiteElo \"2812\"]\n[BlackElo \"2789\"]\n[Date \"2020.01.02\"]\n[Result \"{result}\"]\n\n\
             1. e4 {reply} 2. Nf3 {result}\n\n"
        )
    };
    let games = [
        game("e5", "1-0").repeat(1_200),
        game("c5", "0-1").repeat(400),
        game("h6", "1/2-1/2"),
    ];
    std::fs::write(folder.join("games.pgn"), games.concat()).unwrap();
    let books = [
        "grandmasters-of-white-2024.ctg",
        "second.bin",
        "grandmasters-of-white-2025.abk",
        "linked.kob",
    ];
    for book in books {
        let mut build = vec!["book", "build", "games.pgn", "-o", book, "--min-games", "1"];
        if book == "linked.kob" {
            build.extend(["--max-ply", "30", "--game-links", "--names"]);
        }
        tabia(&folder, &build).expect(0);
    }
    let find = [
        &["book", "find"][..],
        &books[..3],
        &["linked_0.kob", "--moves", "1.e4"],
    ]
    .concat();
    for columns in [40, 60, 80, 120] {
        let (screen, code) = on_terminal(&folder, &find, columns);
        assert_eq!(code, 0, "{screen}");
        for line in screen.lines() {
            assert!(width(line) <= usize::from(columns), "{columns}: {line}");
        }
        assert!(!screen.contains('…'), "{columns}: {screen}");
        // On a narrow terminal only the shares fit.
        assert_eq!(screen.contains("1,200"), columns > 60, "{screen}");
        expect_screen(&format!("find-four-{columns}.txt"), &screen);
    }
    let moves = ["--moves", "1.e4", "--limit", "3"];
    for (name, inputs) in [
        ("points", &["second.bin", "games.pgn"][..]),
        ("linked", &["linked_0.kob"]),
    ] {
        for columns in [60, 80] {
            let args = [&["book", "explain"][..], inputs, &moves].concat();
            let (screen, code) = on_terminal(&folder, &args, columns);
            assert_eq!(code, 0, "{screen}");
            for line in screen.lines() {
                assert!(width(line) <= usize::from(columns), "{columns}: {line}");
            }
            assert!(
                screen.contains("2020.01.02") && screen.contains("2812"),
                "{screen}"
            );
            assert_eq!(
                screen.contains("Pts"),
                name == "points" && columns > 60,
                "{screen}"
            );
            expect_screen(&format!("explain-{name}-{columns}.txt"), &screen);
        }
    }
    // Of several sources it is shown which one a game is in.
    std::fs::copy(folder.join("games.pgn"), folder.join("other.pgn")).unwrap();
    for columns in [60, 80] {
        let inputs = ["book", "explain", "second.bin", "games.pgn", "other.pgn"];
        let args = [&inputs[..], &moves].concat();
        let (screen, code) = on_terminal(&folder, &args, columns);
        assert_eq!(code, 0, "{screen}");
        assert!(screen.contains("s.pgn"), "{screen}");
        for line in screen.lines() {
            assert!(width(line) <= usize::from(columns), "{columns}: {line}");
        }
        expect_screen(&format!("explain-sources-{columns}.txt"), &screen);
    }
}

/// A folder with the sample database, its archive, games and a book.
fn with_everything(name: &str) -> Scratch {
    let folder = with_sample(name);
    std::fs::copy(samples().join("tabia.cbv"), folder.join("mega.cbv")).unwrap();
    std::fs::write(folder.join("my games.pgn"), GAMES).unwrap();
    let build = [
        "book",
        "build",
        "my games.pgn",
        "-o",
        "b.bin",
        "--min-games",
        "1",
    ];
    tabia(&folder, &build).expect(0);
    folder
}

#[test]
fn inputs_are_described_on_a_terminal() {
    let folder = with_everything("screens-inputs");
    for (name, args) in [
        (
            "info-80.txt",
            &["info", "mega.cbh", "my games.pgn", "b.bin"][..],
        ),
        ("check-80.txt", &["check", "."]),
        ("archive-test-80.txt", &["archive", "test", "mega.cbv"]),
        (
            "archive-test-all-80.txt",
            &["archive", "test", "mega.cbv", "-v"],
        ),
        ("overview-80.txt", &[]),
    ] {
        let (screen, code) = on_terminal(&folder, args, 80);
        assert_eq!(code, 0, "{screen}");
        for line in screen.lines() {
            assert!(width(line) <= 80, "{line}");
        }
        expect_screen(name, &screen);
    }
}

#[test]
fn damage_is_described_on_a_terminal() {
    let folder = with_everything("screens-damage");
    let archive = std::fs::read(folder.join("mega.cbv")).unwrap();
    std::fs::write(folder.join("cut.cbv"), &archive[..3000]).unwrap();
    let bad = "[White \"A\"]\n\n1. Ke3 *\n\n".repeat(25);
    std::fs::write(folder.join("bad.pgn"), bad).unwrap();
    for (name, args) in [
        ("check-bad-80.txt", &["check", "bad.pgn"][..]),
        ("archive-test-cut-80.txt", &["archive", "test", "cut.cbv"]),
    ] {
        let (screen, code) = on_terminal(&folder, args, 80);
        assert_eq!(code, 3, "{screen}");
        expect_screen(name, &screen);
    }
}

#[test]
fn every_screen_obeys_the_choice_of_colours() {
    let folder = with_everything("screens-colours");
    for args in [
        &["info", "mega.cbh"][..],
        &["ls", "mega.cbh"],
        &["check", "mega.cbh"],
        &["tree", "mega.cbh"],
        &["stats", "mega.cbh", "--by", "year"],
        &["show", "mega.cbh", "-g", "2"],
        &["formats"],
        &["archive", "list", "mega.cbv"],
        &["book", "info", "b.bin"],
        &["book", "find", "b.bin"],
    ] {
        let (coloured, _) = on_terminal(&folder, args, 100);
        assert!(coloured.contains('␛'), "{args:?}: {coloured}");
        for plain in [
            [&["--color", "never"], args].concat(),
            [args, &["--color=never"]].concat(),
        ] {
            let (screen, _) = on_terminal(&folder, &plain, 100);
            assert!(!screen.contains('␛'), "{plain:?}: {screen}");
        }
    }
}

#[test]
fn databases_below_a_folder_are_shown() {
    let folder = Scratch::new("screens-below");
    let below = folder.join("chess/2024");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(below.join("games.pgn"), GAMES).unwrap();
    let (screen, code) = on_terminal(&folder, &[], 80);
    assert_eq!(code, 0, "{screen}");
    expect_screen("overview-below-80.txt", &screen);
    // With a file of its own, the folders below are only named.
    std::fs::write(folder.join("own.pgn"), GAMES).unwrap();
    for name in ["empty", "a", "b", "c"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    let (screen, _) = on_terminal(&folder, &[], 80);
    assert!(
        screen.contains("own.pgn") && !screen.contains("2024"),
        "{screen}"
    );
    let line = "\nFolders here with more chess files: chess\n";
    assert!(screen.contains(line), "{screen}");
    for name in ["a", "b", "c"] {
        std::fs::write(folder.join(name).join("games.pgn"), GAMES).unwrap();
    }
    let (screen, _) = on_terminal(&folder, &[], 80);
    let line = "\nFolders here with more chess files: a, b, c and 1 other\n";
    assert!(screen.contains(line), "{screen}");
}

#[test]
fn losses_of_several_inputs_fit_the_terminal() {
    let folder = Scratch::new("screens-losses");
    let long = "a folder with a long name/and one more";
    std::fs::create_dir_all(folder.join(long)).unwrap();
    for name in ["one.cbv", "two.cbv"] {
        let path = folder.join(long).join(name);
        std::fs::copy(samples().join("tabia.cbv"), path).unwrap();
    }
    for columns in [80, 100] {
        let args = ["convert", ".", "-o", "all.pgn", "--force"];
        let (screen, code) = on_terminal(&folder, &args, columns);
        assert_eq!(code, 0, "{screen}");
        assert!(screen.contains("game 5"), "{screen}");
        let table = screen.lines().filter(|line| line.starts_with("  "));
        assert!(table.clone().count() > 5, "{screen}");
        for line in table {
            assert!(width(line) <= usize::from(columns), "{columns}: {line}");
        }
    }
}

#[test]
fn differences_of_books_fit_the_terminal() {
    let folder = Scratch::new("screens-diff");
    let line = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 O-O";
    let game = |moves: &str| format!("[White \"A\"]\n\n{moves} 1-0\n\n");
    std::fs::write(folder.join("one.pgn"), game("1. d4 d5")).unwrap();
    std::fs::write(folder.join("two.pgn"), game(line)).unwrap();
    let far = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n";
    std::fs::write(
        folder.join("three.pgn"),
        format!("{far}{}", game("1. e4 Ke7")),
    )
    .unwrap();
    for (name, inputs) in [
        ("a.bin", &["one.pgn"][..]),
        ("b.bin", &["two.pgn", "three.pgn"]),
    ] {
        let args = [&["book", "build", "-o", name, "--min-games", "1"], inputs].concat();
        tabia(&folder, &args).expect(0);
    }
    let (screen, code) = on_terminal(&folder, &["book", "diff", "a.bin", "b.bin"], 80);
    assert_eq!(code, 0, "{screen}");
    // Positions that no line of the books reaches are named, too.
    assert!(screen.contains("position "), "{screen}");
    for line in screen.lines() {
        assert!(width(line) <= 80, "{line}");
    }
    expect_screen("diff-80.txt", &screen);
}

#[test]
fn a_folder_without_chess_files_gets_examples() {
    let folder = Scratch::new("screens-empty");
    let (screen, code) = on_terminal(&folder, &[], 80);
    assert_eq!(code, 2, "{screen}");
    assert!(screen.starts_with("There are no chess files"), "{screen}");
    assert!(screen.contains("\n  tabia ls games.pgn "), "{screen}");
    assert!(
        screen.contains("\n`tabia --help` lists all verbs."),
        "{screen}"
    );
    // What cannot be opened is in no proposed command.
    std::fs::write(folder.join("bad.cbh"), "x").unwrap();
    let (screen, code) = on_terminal(&folder, &[], 80);
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("\n  1 input cannot be read; `tabia check .`"),
        "{screen}"
    );
    assert!(!screen.contains("bad.cbh"), "{screen}");
}

#[test]
fn long_output_goes_to_the_pager() {
    let folder = Scratch::new("screens-pager");
    std::fs::write(
        folder.join("many.pgn"),
        "[White \"A\"]\n\n1. e4 *\n\n".repeat(200),
    )
    .unwrap();
    let pager = "sed 's/^/> /'";
    let (screen, code) = with_pager(&folder, &["ls", "many.pgn"], 80, pager);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(
        screen.lines().filter(|line| line.starts_with("> ")).count(),
        201
    );
    // What fits the terminal does not, nor what the user wants without one.
    for args in [
        &["ls", "many.pgn", "--limit", "20"][..],
        &["ls", "many.pgn", "--no-pager"],
        &["--no-pager", "ls", "many.pgn"],
    ] {
        let (screen, code) = with_pager(&folder, args, 80, pager);
        assert_eq!(code, 0, "{screen}");
        assert!(!screen.contains("> "), "{screen}");
        assert!(screen.contains('A'), "{screen}");
    }
    // A pager that is left at once, and one that does not exist, are no errors.
    let (screen, code) = with_pager(&folder, &["ls", "many.pgn"], 80, "head -n 3");
    assert_eq!((screen.lines().count(), code), (3, 0), "{screen}");
    let (screen, code) = with_pager(&folder, &["show", "many.pgn", "-g", "1-90"], 80, "false");
    assert_eq!(code, 0, "{screen}");
    assert!(!screen.contains("error"), "{screen}");
}

/// Every list of rows that is longer than the terminal, as `ls`.
#[test]
fn long_lists_go_to_the_pager() {
    let folder = Scratch::new("screens-paged-lists");
    let games = crate::common::many_games(300);
    std::fs::write(folder.join("games.pgn"), games).unwrap();
    let build = ["book", "build", "games.pgn", "-o", "book.bin"];
    tabia(&folder, &build).expect(0);
    for args in [
        &["stats", "games.pgn", "--by", "player"][..],
        &["eco", "games.pgn"],
        &["novelty", "games.pgn", "--base", "games.pgn"],
        &["dedupe", "games.pgn", "--dry-run"],
        &["book", "explain", "book.bin", "games.pgn"],
    ] {
        let (screen, code) = with_pager(&folder, args, 80, "sed 's/^/> /'");
        assert!(code == 0 || code == 3, "{args:?}: {code} {screen}");
        let paged = screen.lines().filter(|line| line.starts_with("> "));
        assert!(paged.count() > 40, "{args:?}: {screen}");
        let (screen, _) = with_pager(&folder, &[args, &["--no-pager"]].concat(), 80, "cat -n");
        assert!(!screen.contains("> "), "{args:?}: {screen}");
    }
}

/// Rows that come later have longer numbers, and take the space from texts.
#[test]
fn openings_of_many_games_fit_the_terminal() {
    let folder = Scratch::new("screens-eco");
    // A name that is longer than the line.
    let line = "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. d4 Nd6 6. Bxc6 dxc6 7. dxe5 Nf5 8. Qxd8+ Kxd8";
    let game = format!("[White \"A\"]\n[Black \"B\"]\n\n{line} *\n\n");
    std::fs::write(folder.join("games.pgn"), game.repeat(1200)).unwrap();
    let (screen, code) = on_terminal(&folder, &["eco", "games.pgn"], 60);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("\n1200 "), "{screen}");
    for line in screen.lines() {
        assert!(width(line) <= 60, "{line}");
    }
}

/// Novelties are moves with their numbers; a book's moves are below their position.
#[test]
fn novelties_and_moves_of_books_are_shown_to_people() {
    let folder = with_everything("screens-novelty");
    std::fs::write(folder.join("games.pgn"), GAMES).unwrap();
    std::fs::write(
        folder.join("new.pgn"),
        "[Date \"2020.01.01\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n\n[Date \"2020.01.01\"]\n\n1. e4 c5 2. c3 d5 *\n\n\
         [Date \"2020.01.01\"]\n\n1. e4 c5 *\n\n[Date \"1900.01.01\"]\n\n1. e4 *\n",
    )
    .unwrap();
    let novelty = ["novelty", "new.pgn", "--base", "games.pgn"];
    let build = [
        "book",
        "build",
        "games.pgn",
        "--min-games",
        "1",
        "-o",
        "moves.bin",
    ];
    tabia(&folder, &build).expect(0);
    for columns in [60, 80, 120] {
        for (name, args) in [
            ("novelty", &novelty[..]),
            ("book-edit", &["book", "edit", "moves.bin"]),
        ] {
            let (screen, code) = on_terminal(&folder, args, columns);
            assert_eq!(code, 0, "{screen}");
            expect_screen(&format!("{name}-{columns}.txt"), &screen);
        }
    }
    // For scripts the columns that were there first come first.
    let rows = tabia(&folder, &novelty).expect(0).out;
    assert!(
        rows.starts_with("game\tply\tsan\tfen\tbasegames\twhite\tblack\n1\t5\tBc4\t"),
        "{rows}"
    );
    let rows = tabia(&folder, &["book", "edit", "moves.bin"]).expect(0).out;
    assert!(rows.starts_with("key\tfen\tmove\tweight\t"), "{rows}");
}

/// The name of a player that no game has leads to those that have similar ones.
#[test]
fn players_with_similar_names_are_proposed() {
    let folder = Scratch::new("screens-similar-players");
    let game =
        "[White \"Karpov, Anatoly\"]\n[Black \"Kasparov, Garry\"]\n[Result \"*\"]\n\n1. e4 *\n\n";
    std::fs::write(folder.join("two.pgn"), game.repeat(2)).unwrap();
    for verb in [&["search", "two.pgn"][..], &["ls", "two.pgn", "--where"]] {
        for (query, hint) in [
            (
                "player:Karpof",
                Some("did you mean `player:\"Karpov, Anatoly\"` (2 games)?"),
            ),
            (
                "year:2001 black:\"Kasparow, G\"",
                Some("`black:\"Kasparov, Garry\"` (2 games)"),
            ),
            ("player:Fischer", None),
            ("-player:Karpow year:2001", None),
        ] {
            let (screen, code) = on_terminal(&folder, &[verb, &[query]].concat(), 120);
            assert_eq!(code, 1, "{screen}");
            assert!(screen.contains("no game fits the query"), "{screen}");
            match hint {
                Some(hint) => assert!(screen.contains(hint), "{screen}"),
                None => assert!(!screen.contains("did you mean"), "{screen}"),
            }
        }
    }
}
