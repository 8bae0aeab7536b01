//! Random games whose tags and comments are as unusual as those of real files: the games of
//! [`arbitrary_game`] with tags of every kind, empty comments, hostile texts and deep variations.

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Event, Flow, Foreign, Game, GameHead, GameResult,
    RecordKind, Recorder, Visitor as _,
};
use tabia_core::{FormatId, GameIndex};

use crate::arbitrary_game::arbitrary_game;
use crate::random::Random;

/// Values for tags by name. Formats can hold some of them, some in part, and some not at all.
const VALUES: [(&str, &[&str]); 38] = [
    (
        "Event",
        &[
            "?",
            "",
            "Tiny Open",
            "Šachová olympiáda",
            "Tête-à-tête\u{a0}",
            " blanks ",
        ],
    ),
    ("Site", &["?", "Berlin", "Reykjavík ISL", "two\nlines"]),
    (
        "Date",
        &[
            "????.??.??",
            "1950.??.??",
            "2021.05.01",
            "2021.02.30",
            "soon",
            "",
            "0000.00.00",
        ],
    ),
    (
        "Round",
        &["?", "-", "1", "5.2", "1.2.3", "0", "257", "final", "01"],
    ),
    (
        "White",
        &[
            "?",
            "Abel, Ada",
            "Müller, \"Max\" \\",
            "Петросян",
            "N.N.",
            "a\u{7f}b",
            ",",
        ],
    ),
    (
        "Black",
        &[
            "?",
            "Brandt, Bo",
            "Čapek, Ida",
            "x\0y",
            "one, two, three",
            " , ",
        ],
    ),
    (
        "Result",
        &[
            "*", "1-0", "0-1", "1/2-1/2", "1/2", "+:-", "0-0", "white", "",
        ],
    ),
    (
        "WhiteElo",
        &[
            "2500", "0", "4000", "4001", "4096", "65535", "70000", "-", "+2500", "02500", "2500 ",
            "?",
        ],
    ),
    ("BlackElo", &["2100", "1", "2100a", "", "-1"]),
    ("WhiteUSCF", &["2000", "3999", "5000", "?"]),
    ("BlackICCF", &["2300", "x"]),
    ("WhiteRapid", &["2222"]),
    ("BlackDWZ", &["1800"]),
    ("WhiteIPS", &["1900"]),
    (
        "ECO",
        &["B90", "B90k3", "D38/26", "E9", "?", "", "b90", "A00"],
    ),
    (
        "EventDate",
        &[
            "1950.01.??",
            "1947.05.07",
            "1953.??.??",
            "1954.01.01",
            "2021.05.??",
            "2050.13.45",
            "?",
        ],
    ),
    ("EventType", &["tourn", "swiss", "match (rapid)", "?"]),
    ("EventRounds", &["9", "0", "300"]),
    ("EventCountry", &["GER", "ZZZ"]),
    ("EventCategory", &["12", "999"]),
    ("ScidFlags", &["W", "WBX", "16", "", "Q!6"]),
    ("ScidbFlags", &["", "tactic"]),
    ("CbTitle", &["A title", "ß"]),
    ("CbUnknown", &["1"]),
    (
        "Termination",
        &["normal", "time forfeit", "abandoned", "by magic"],
    ),
    ("TimeControl", &["40/7200", "300+3", "?", "-"]),
    ("TimeMode", &["rapid", "slow"]),
    ("Mode", &["OTB", "ICS", "PM"]),
    ("SetUp", &["0", "1", "rook odds"]),
    ("FEN", &["4k3/8/8/8/8/8/8/4K3 w - - 0 1"]),
    ("Variant", &["Chess960", "Standard", "", "From Position"]),
    ("PlyCount", &["0", "23", "many"]),
    ("WhiteTitle", &["GM", "XX", ""]),
    ("BlackCountry", &["GER", "???", "Germany"]),
    ("Annotator", &["Dr. \"Q\"", "", "Ö"]),
    ("Source", &["ChessBase", "?"]),
    ("WhiteFideId", &["1503014", "0", "4294967296", "x1"]),
    ("BlackTeam", &["Club", "Club II"]),
];

/// The names of tags that formats have fields for.
pub const TAG_NAMES: [&str; VALUES.len()] = {
    let mut names = [""; VALUES.len()];
    let mut at = 0;
    while at < VALUES.len() {
        names[at] = VALUES[at].0;
        at += 1;
    }
    names
};

/// Names that formats have no field for.
const UNUSUAL_NAMES: [&str; 10] = [
    "X",
    "two words",
    "",
    "quote\"d",
    "Ünïcode",
    "new\nline",
    "TabiaTag",
    "_",
    "a]b",
    "Opening",
];

/// Texts that mean something else in a format, or that a terminal or an editor obeys.
const HOSTILE_TEXTS: [&str; 28] = [
    "[%clk 0:01:02]",
    "a [%csl Gd4,Rd5] b",
    "[%eval 0.25] [%clk 0:00:01]",
    "[%lang de] kurz",
    "[%tabia text a%0Ab%7B]",
    "[%tabia chars 0:5b] x",
    "[%tabia before] [%tabia after]",
    "[%clk",
    "[%unknown x]",
    "\u{1b}[31m",
    "\u{202e}txet",
    "nul\0l",
    "\r\n",
    "a\rb",
    "}{",
    "{ { } ; % }",
    "$1 -- N",
    "1-0",
    "*",
    "\u{feff}bom",
    "\u{85}next\u{2028}line",
    "e\u{301}\u{1f451}",
    "%%",
    "<b>&lt;&amp;</b><br>",
    "(1. e4 e5)",
    "[Event \"x\"]",
    "\n\n[Event \"y\"]\n\n1. d4",
    "\u{e000}\u{10ffff}",
];

/// A random game with unusual tags and texts. The same seed produces the same game.
pub fn unusual_game(seed: u64) -> Game {
    let n = &mut Random::new(seed ^ 0x5eed);
    let arbitrary = match seed % 50 {
        24 => deep_game(n),
        49 => game_of_another_variant(n),
        _ => arbitrary_game(seed),
    };
    let head = head(n, &arbitrary.head);
    let mut game = Game::new();
    let mut out = game.recorder();
    let _ = out.begin_game(GameIndex(0), &head);
    let mut at_start = true;
    let is_game = head.kind == RecordKind::Game;
    for event in arbitrary.events() {
        let _ = match event {
            Event::Move(ply) => {
                out.push_move(ply);
                at_start = false;
                Flow::Go
            }
            Event::Annotation(Annotation::Comment(comment)) => {
                let text = match n.below_u64(16) {
                    0 => n.pick(&HOSTILE_TEXTS),
                    _ => comment.text,
                };
                out.visit_annotation(Annotation::Comment(Comment { text, ..comment }))
            }
            Event::Annotation(annotation) => out.visit_annotation(annotation),
            Event::BeginVariation => {
                at_start = true;
                out.begin_variation()
            }
            Event::EndVariation => {
                out.end_variation();
                at_start = false;
                Flow::Go
            }
        };
        if is_game && !at_start && n.one_in(12) {
            let placement = if n.one_in(4) {
                CommentPlacement::Before
            } else {
                CommentPlacement::After
            };
            let text = ["", "", " ", "\n", " edge "][n.below_u64(5) as usize];
            let _ = out.visit_annotation(Annotation::Comment(Comment {
                placement,
                language: None,
                text,
            }));
        }
    }
    let tagged = tagged_result(&head);
    let result = if tagged.is_special() || n.one_in(2) {
        tagged
    } else {
        arbitrary.result
    };
    out.end_game(result);
    drop(out);
    game
}

/// A game of a variant whose moves are text here.
fn game_of_another_variant(n: &mut Random) -> Game {
    let mut game = Game::new();
    let mut out = game.recorder();
    let mut head = GameHead::default();
    let variant = n.pick(&["Crazyhouse", "Atomic", "Antichess", "Three-check"]);
    head.tags.push("Variant", variant);
    let _ = out.begin_game(GameIndex(0), &head);
    let _ = out.visit_annotation(Annotation::Foreign(Foreign {
        format: FormatId::new("pgn"),
        kind: Foreign::UNREAD_MOVES,
        bytes: b"1. e4 d5 2. exd5 Qxd5 3. P@e4 {a drop}",
    }));
    out.end_game(GameResult::Draw);
    drop(out);
    game
}

/// A game whose variations are up to 60 levels deep.
fn deep_game(n: &mut Random) -> Game {
    let mut game = Game::new();
    let mut out = game.recorder();
    let _ = out.begin_game(GameIndex(0), &GameHead::default());
    let depth = 1 + n.below_u64(60);
    nested_line(n, &mut out, Position::standard(), depth);
    out.end_game(GameResult::Unknown);
    drop(out);
    game
}

/// A line of a few moves; its last move has a variation with another such line.
fn nested_line(n: &mut Random, out: &mut Recorder<&mut Game>, mut position: Position, depth: u64) {
    let plies = 1 + n.below_u64(3);
    for number in 1..=plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        let ply = Ply::Move(n.pick(&moves));
        let _ = out.visit_move(&position, ply);
        if number == plies && depth > 0 {
            let _ = out.begin_variation();
            nested_line(n, out, position.clone(), depth - 1);
            out.end_variation();
        }
        position.play_ply(ply);
    }
}

/// The result in the tag `Result`.
fn tagged_result(head: &GameHead) -> GameResult {
    let tag = head.tags.text("Result");
    GameResult::parse(tag.as_bytes()).unwrap_or_default()
}

fn head(n: &mut Random, original: &GameHead) -> GameHead {
    let mut head = original.clone();
    let variant = original.tags.get("Variant").map(str::to_owned);
    head.tags.clear();
    if let Some(variant) = &variant {
        head.tags.push("Variant", variant);
    }
    for (name, values) in &VALUES[..7] {
        if !n.one_in(6) {
            head.tags
                .push(name, values[n.below_u64(values.len() as u64) as usize]);
        }
    }
    for _ in 0..n.below_u64(8) {
        if n.one_in(5) {
            let name = UNUSUAL_NAMES[n.below_u64(UNUSUAL_NAMES.len() as u64) as usize];
            head.tags.push(name, &unusual_value(n));
            continue;
        }
        let from = if n.one_in(6) { 0 } else { 7 };
        let (name, values) = VALUES[from + n.below_u64((VALUES.len() - from) as u64) as usize];
        if name == "Variant" && (original.start.chess960 || variant.is_some()) {
            continue;
        }
        // With an invalid value of one of these tags the moves cannot be read.
        let hides_moves = ["FEN", "Variant", "ScidFlags", "ScidbFlags"].contains(&name);
        if n.one_in(8) && !hides_moves {
            head.tags.push(name, &unusual_value(n));
        } else {
            head.tags
                .push(name, values[n.below_u64(values.len() as u64) as usize]);
        }
    }
    if n.one_in(10) {
        let length = 238 + n.below_u64(20) as usize;
        head.tags.push("LongValue", &"v".repeat(length));
    }
    if n.one_in(20) {
        head.tags
            .push(&"N".repeat(236 + n.below_u64(20) as usize), "short");
    }
    head
}

fn unusual_value(n: &mut Random) -> String {
    match n.below_u64(8) {
        0 => String::new(),
        1 => "é".repeat(n.below_u64(160) as usize),
        2 => "\t".to_owned(),
        3 => "nul\0l".to_owned(),
        4 => "☃ snow".to_owned(),
        5 => "a\r\nb".to_owned(),
        6 => "back\\slash".to_owned(),
        _ => "plain".to_owned(),
    }
}
