//! A search that passes over positions without looking at them finds the same games as one that looks at
//! every position.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use tabia::core::chess::{Ply, Position, Square};
use tabia::core::game::{Flow, Visitor, Want};
use tabia::{GameIndex, Query};
use tabia_query::Matcher;
use tabia_testkit::Random;
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::generated_query::generated_query;

/// The positions of a mainline, the last one included, and the plies played.
#[derive(Default)]
struct Line {
    positions: Vec<Position>,
    plies: Vec<Ply>,
}

impl Visitor for Line {
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.positions.push(before.clone());
        self.plies.push(ply);
        Flow::Go
    }
}

/// A query for something of a game, or for what is nearly so.
fn query_about(line: &Line, random: &mut Random) -> String {
    let number = random.below(line.positions.len());
    let position = &line.positions[number];
    let mut squares: Vec<Square> = (0..64).filter_map(Square::new).collect();
    squares.retain(|square| position.piece_at(*square).is_some());
    let mut on = || {
        let square = random.pick(&squares);
        let piece = position.piece_at(square).unwrap();
        format!("on:{}{square}", char::from(piece.fen_char()))
    };
    let on = [on(), on(), on()];
    let fen = position.fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let fields = fields[..=random.below(4)].join("_");
    let flip = random.pick(&["", " flip:color", " flip:files", " flip:color,files"]);
    let mut names = vec![
        "capture",
        "castling",
        "enpassant",
        "promotion",
        "underpromotion",
        "check",
        "--",
        "=N",
        "O-O",
        "O-O-O",
    ];
    let played = line.plies.get(number).and_then(|ply| ply.to_move());
    let coordinates = played.map(|m| {
        let file = if m.to().file() < m.from().file() {
            2
        } else {
            6
        };
        let king = Square::from_coords(file, m.from().rank()).unwrap();
        let to = if m.is_castling() { king } else { m.to() };
        format!("{}{to}", m.from())
    });
    let to = played.map(|m| format!("[KQRBN]{}", m.to()));
    let letters = ["K", "Q", "R", "B", "N", "", "P"];
    let to = to.map(|to| to.replace("[KQRBN]", random.pick(&letters)));
    names.extend(coordinates.as_deref());
    names.extend(to.as_deref());
    let named = format!("move:{}", random.pick(&names));
    let side = random.pick(&["by:white ", "by:black ", "stm:white ", "-is:check ", ""]);
    let taken = random.pick(&["takes:Q", "takes:P", "takes:QRB", "moved:K"]);
    match random.below(9) {
        0 | 1 => format!("fen:{fields}{flip}"),
        2 => format!("{}{flip}", on[0]),
        3 => format!("{} {}{flip}", on[0], on[1]),
        4 => format!("{} {} {}", on[0], on[1], on[2]),
        5 => format!("{side}{named}{flip}"),
        6 => format!("{side}{taken} {}", on[0]),
        7 => format!("fen:{fields} {named}"),
        _ => format!("{side}{named} {} {taken}", on[0]),
    }
}

#[test]
fn passing_over_positions_changes_no_answer() {
    let (mut asked, mut found) = (0, 0);
    for seed in 0..1500 {
        let game = arbitrary_game(seed);
        let random = &mut Random::new(seed ^ 0x5eed);
        let mut line = Line::default();
        let _ = game.replay(GameIndex(0), Want::MAINLINE, &mut line);
        if let (Some(last), Some(ply)) = (line.positions.last(), line.plies.last()) {
            let mut end = last.clone();
            end.play_ply(*ply);
            line.positions.push(end);
        }
        for round in 0..12 {
            let text = if round < 2 || line.positions.is_empty() {
                generated_query(random)
            } else {
                query_about(&line, random)
            };
            let query = Query::parse(&text).unwrap();
            let looks_at_all = Matcher::new(&query)
                .with_moments()
                .matches(GameIndex(0), &game);
            let passes_over = Matcher::new(&query).matches(GameIndex(0), &game);
            assert_eq!(passes_over, looks_at_all, "game {seed}: {text}");
            (asked, found) = (asked + 1, found + u32::from(passes_over));
        }
    }
    assert!(asked == 18_000 && found > 4_000, "{found} of {asked}");
}
