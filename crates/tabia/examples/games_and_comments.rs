//! Prints every comment of every game with the move it belongs to, variations included:
//! `cargo run --example games_and_comments -- games.pgn`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "examples print their results"
)]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: games_and_comments PATH")?;
    let mut games = tabia::open(path)?.games();
    for game in games.by_ref() {
        let game = match game {
            Ok(game) => game,
            // A record that cannot be read ends nothing: the games after it follow.
            Err(lost) => {
                eprintln!("{lost}");
                continue;
            }
        };
        println!(
            "{} - {}",
            game.tag("White").unwrap_or("?"),
            game.tag("Black").unwrap_or("?")
        );
        let mut lines: Vec<_> = game
            .start_position()
            .map(|start| (game.root(), start))
            .into_iter()
            .collect();
        while let Some((line, start)) = lines.pop() {
            for (before, node) in line.with_positions(start) {
                for comment in node.comments() {
                    println!("  {}: {}", before.san(node.ply()), comment.text);
                }
                lines.extend(
                    node.variations()
                        .map(|variation| (variation, before.clone())),
                );
            }
        }
    }
    // A game that could be read only in part is there too; what it lacks is a problem.
    for problem in games.problems() {
        eprintln!("{}", problem.error);
    }
    Ok(())
}
