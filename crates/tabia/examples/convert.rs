//! Converts any input to any format: `cargo run --example convert -- mega.cbh games.pgn`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: convert FROM TO".into());
    };
    let summary = tabia::convert(from, to)?;
    println!(
        "{} games, {} problems",
        summary.counts.games, summary.problems
    );
    for (feature, loss) in summary.losses.iter() {
        println!("lost: {} {}", loss.count, feature.noun(loss.count));
    }
    Ok(())
}
