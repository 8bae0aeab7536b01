//! Prints every comment of every game with the move it belongs to, variations included:
//! `cargo run --example games_and_comments -- games.pgn`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: games_and_comments PATH")?;
    for game in tabia::open(path)?.games() {
        let game = game?;
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
    Ok(())
}
