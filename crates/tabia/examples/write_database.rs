//! Writes the decisive games of any input into a new database: `… write_database -- a.pgn won.cbh`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "examples print their results"
)]

use tabia::GameResult;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: write_database FROM TO".into());
    };
    let mut writer = tabia::create(to)?;
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
        if matches!(game.result, GameResult::WhiteWins | GameResult::BlackWins) {
            writer.write(&game)?;
        }
    }
    // A game that could be read only in part is there too; what it lacks is a problem.
    for problem in games.problems() {
        eprintln!("{}", problem.error);
    }
    println!("{} games", writer.finish()?.records);
    Ok(())
}
