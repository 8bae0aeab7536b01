//! Random games whose tags and comments are as unusual as those of real files: the games of
//! [`arbitrary_game`] with tags of every kind and empty comments.

use tabia_core::GameIndex;
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Event, Flow, Game, GameHead, GameResult, RecordKind,
    Visitor as _,
};

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
    ("SetUp", &["0", "1"]),
    ("FEN", &["4k3/8/8/8/8/8/8/4K3 w - - 0 1"]),
    ("Variant", &["Chess960", "Standard", ""]),
    ("PlyCount", &["0", "23", "many"]),
    ("WhiteTitle", &["GM", "XX", ""]),
    ("BlackCountry", &["GER", "???", "Germany"]),
    ("Annotator", &["Dr. \"Q\"", "", "Ö"]),
    ("Source", &["ChessBase", "?"]),
    ("WhiteFideId", &["1503014", "0", "4294967296", "x1"]),
    ("BlackTeam", &["Club", "Club II"]),
];

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

/// A random game with unusual tags. The same seed produces the same game.
pub fn unusual_game(seed: u64) -> Game {
    let arbitrary = arbitrary_game(seed);
    let n = &mut Random::new(seed ^ 0x5eed);
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
                // In some formats this text would begin a command.
                let text = comment.text.replace("[%", "(%");
                let comment = Comment {
                    text: &text,
                    ..comment
                };
                out.visit_annotation(Annotation::Comment(comment))
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

/// The result in the tag `Result`.
fn tagged_result(head: &GameHead) -> GameResult {
    let tag = head.tags.text("Result");
    GameResult::parse(tag.as_bytes()).unwrap_or_default()
}

fn head(n: &mut Random, original: &GameHead) -> GameHead {
    let mut head = original.clone();
    head.tags.clear();
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
        if name == "Variant" && original.start.chess960 {
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
