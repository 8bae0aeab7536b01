//! Shows what an opening book has for a position: `… probe_book -- book.ctg "FEN"`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use tabia::{BookPosition, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: probe_book BOOK [FEN]")?;
    let position = match arguments.next() {
        Some(fen) => Position::parse_fen(fen.as_bytes())?,
        None => Position::standard(),
    };
    let mut found = BookPosition::default();
    if !tabia::open(path)?.book()?.probe(&position, &mut found)? {
        println!("not in the book");
    }
    for entry in &found.entries {
        let Some(m) = entry.m else { continue };
        println!("{}\t{:?}\t{:?}", position.san(m), entry.weight, entry.games);
    }
    Ok(())
}
