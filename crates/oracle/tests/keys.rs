//! Keys computed by the program Polyglot.

use std::fs;

use tabia_core::chess::{Position, Setup};
use tabia_testkit::shared_data_folder::shared_data;

#[test]
fn polyglot_keys() -> Result<(), Box<dyn std::error::Error>> {
    let Some(path) = shared_data("polyglot_keys", "books/vectors/polyglot_keys.tsv") else {
        return Ok(());
    };
    let mut count = 0;
    for line in fs::read_to_string(path)?.lines() {
        let mut fields = line.split('\t');
        let (Some(fen), Some(key)) = (fields.next(), fields.next()) else {
            continue;
        };
        if fen.starts_with('#') {
            continue;
        }
        let position = Position::from_setup(&Setup::parse_fen(fen.as_bytes())?)?;
        assert_eq!(format!("{:016x}", position.key()), key, "{fen}");
        count += 1;
    }
    assert_eq!(count, 204);
    Ok(())
}
