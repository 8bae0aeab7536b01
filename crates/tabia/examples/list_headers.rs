//! Lists the games of any input without decoding their moves: `… list_headers -- mega.cbh`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: list_headers PATH")?;
    for header in tabia::open(path)?.headers() {
        let header = header?;
        let (white, black) = (&header.white, &header.black);
        println!(
            "{}\t{white}\t{black}\t{}\t{}",
            header.game, header.result, header.date
        );
    }
    Ok(())
}
