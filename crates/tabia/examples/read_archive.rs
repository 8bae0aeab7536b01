//! Lists the members of an archive and counts the games in it: `… read_archive -- mega.cbv`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: read_archive PATH")?;
    let input = tabia::open(path)?;
    for member in input.archive()?.members() {
        println!("{}\t{} bytes packed", member.name, member.packed_size);
    }
    println!("{} games", input.games().flatten().count());
    Ok(())
}
