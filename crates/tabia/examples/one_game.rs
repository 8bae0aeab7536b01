//! Prints the moves of a game as SAN and UCI, the last position as FEN, and the game as PGN:
//! `… one_game -- "1. e4 e5 2. Nf3"`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moves = std::env::args().nth(1).ok_or("usage: one_game MOVES")?;
    let game = tabia::game_of_pgn(&moves)?;
    let mut last = game.start_position();
    for (mut position, ply) in game.mainline().with_positions() {
        println!("{}\t{}", position.san(ply), position.uci(ply));
        position.play_ply(ply);
        last = Some(position);
    }
    if let Some(position) = last {
        println!("{}", position.fen());
    }
    print!("{}", tabia::pgn_of_game(&game)?);
    Ok(())
}
