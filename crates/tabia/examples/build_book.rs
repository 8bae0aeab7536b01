//! Builds an opening book of the first 30 plies of the games of any input:
//! `… build_book -- games.pgn book.bin`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "examples print their results"
)]

use std::collections::{BTreeMap, HashMap};

use tabia::{BookEntry, BookPosition, CreateOptions, Move, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: build_book FROM TO".into());
    };
    let mut counts: BTreeMap<u64, (Position, HashMap<Move, u32>)> = BTreeMap::new();
    let mut games = tabia::open(from)?.games();
    for game in games.by_ref() {
        let game = match game {
            Ok(game) => game,
            // A record that cannot be read ends nothing: the games after it follow.
            Err(lost) => {
                eprintln!("{lost}");
                continue;
            }
        };
        for (position, ply) in game.mainline().with_positions().take(30) {
            let Some(m) = ply.to_move() else { break };
            let known = counts
                .entry(position.key())
                .or_insert_with(|| (position, HashMap::new()));
            *known.1.entry(m).or_default() += 1;
        }
    }
    // A game that could be read only in part is there too; what it lacks is a problem.
    for problem in games.problems() {
        eprintln!("{}", problem.error);
    }
    let mut book = tabia::create_book(to, &CreateOptions::default())?;
    for (position, moves) in counts.values() {
        let mut page = BookPosition::default();
        // Polyglot's weights are 16 bits wide: those of a position are made smaller together.
        let most = moves.values().copied().max().unwrap_or_default();
        let divisor = most.div_ceil(0xffff).max(1);
        page.entries.extend(
            moves
                .iter()
                .map(|(&m, &count)| BookEntry::new(m).with_weight(count.div_ceil(divisor))),
        );
        book.put(position, &page)?;
    }
    println!("{} positions", book.finish()?.size.positions);
    Ok(())
}
