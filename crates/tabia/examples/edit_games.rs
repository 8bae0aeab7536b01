//! Gives a game of a database another event and a comment after its first move:
//! `cargo run --example edit_games -- games.pgn 2 "Paris, opera"`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use tabia::GameIndex;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(number), Some(event)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: edit_games PATH NUMBER EVENT".into());
    };
    let number: u32 = number.parse()?;
    let index = GameIndex(number.checked_sub(1).ok_or("games are counted from 1")?);
    tabia::change_game(&path, index, |game| {
        game.head.tags.set("Event", &event);
        game.set_comment(1, "Edited.")
    })?;
    // The games are found again by their indices.
    for found in tabia::open(&path)?.games().numbered() {
        let found = found?;
        if found.index == index {
            print!("{}", tabia::pgn_of_game(&found.game)?);
        }
    }
    Ok(())
}
