//! Plays moves on a game as on a board: each line is added as a variation, and the last one becomes the mainline.
//! `cargo run --example variations -- "1. e4 e5 2. Nf3" "e4 c5" "e4 c5 c3"` prints the game as PGN.

#![expect(clippy::print_stdout, reason = "examples print their results")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let moves = arguments.next().ok_or("usage: variations MOVES LINE…")?;
    let mut game = tabia::game_of_pgn(&moves)?;
    let mut cursor = game.cursor()?;
    for line in arguments {
        cursor.to_start();
        for san in line.split_whitespace() {
            cursor.play_san(san)?;
        }
    }
    cursor.promote_to_mainline();
    print!("{}", tabia::pgn_of_game(&game)?);
    Ok(())
}
