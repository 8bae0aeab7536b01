//! Writes the decisive games of any input into a new database: `… write_database -- a.pgn won.cbh`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use tabia::GameResult;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: write_database FROM TO".into());
    };
    let mut writer = tabia::create(to)?;
    for game in tabia::open(from)?.games() {
        let game = game?;
        if matches!(game.result, GameResult::WhiteWins | GameResult::BlackWins) {
            writer.write(&game)?;
        }
    }
    println!("{} games", writer.finish()?.records);
    Ok(())
}
