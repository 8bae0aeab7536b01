//! Shows what a format could not hold of the games of an input, and writes nothing:
//! `… report_losses -- mega.cbh pgn`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use tabia::Losses;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("usage: report_losses PATH FORMAT".into());
    };
    let format = tabia::format(&name).and_then(tabia::Format::games);
    let can = format.ok_or("no such format of games")?.can;
    let mut losses = Losses::new();
    for game in tabia::open(path)?.games() {
        let (_kept, lost) = tabia::project(can, &game?);
        losses.merge(&lost);
    }
    println!("{losses}");
    Ok(())
}
