use crate::common::{GAMES, tabia, tabia_with_input, with_games};

#[test]
fn compression_follows_extension_and_content() {
    let folder = with_games("compressed");
    let plain = tabia(&folder, &["convert", "games.pgn"]).expect(0);
    for extension in ["gz", "bz2", "xz", "zst", "lz4"] {
        if extension == "zst" && cfg!(not(feature = "zstd")) {
            continue;
        }
        let packed = format!("out.pgn.{extension}");
        tabia(&folder, &["convert", "games.pgn", "-o", &packed]).expect(0);
        let bytes = std::fs::read(folder.join(&packed)).unwrap();
        assert!(!bytes.starts_with(b"["), "{extension}");
        let back = tabia(&folder, &["convert", &packed]).expect(0);
        assert_eq!(back.out, plain.out, "{extension}");
        // The content decides, not the name.
        std::fs::rename(folder.join(&packed), folder.join("any.pgn")).unwrap();
        assert_eq!(
            tabia(&folder, &["convert", "any.pgn"]).expect(0).out,
            plain.out
        );
        let bytes = std::fs::read(folder.join("any.pgn")).unwrap();
        let piped = tabia_with_input(&folder, &["convert", "-"], &bytes).expect(0);
        assert_eq!(piped.out, plain.out, "{extension}");
        let info = tabia(&folder, &["info", "any.pgn", "--json"])
            .expect(0)
            .json();
        assert_eq!(info[0]["format"], "pgn");
        assert_eq!(info[0]["games"], 3);
    }
}

/// Whatever the size: the first bytes show the format, also where the damage is among them.
#[test]
fn small_damaged_files_yield_their_games() {
    let folder = with_games("small-damaged");
    for extension in ["gz", "bz2", "xz", "zst", "lz4"] {
        if extension == "zst" && cfg!(not(feature = "zstd")) {
            continue;
        }
        let packed = format!("out.pgn.{extension}");
        tabia(&folder, &["convert", "games.pgn", "-o", &packed]).expect(0);
        let mut bytes = std::fs::read(folder.join(&packed)).unwrap();
        bytes.push(b'x');
        std::fs::write(folder.join(&packed), &bytes).unwrap();
        let run = tabia(&folder, &["convert", &packed]).expect(3);
        assert_eq!(run.out.matches("[Event ").count(), 3, "{extension}");
        let piped = tabia_with_input(&folder, &["convert", "-"], &bytes).expect(3);
        assert_eq!(piped.out, run.out, "{extension}");
        tabia(&folder, &["repair", &packed, "-o", "saved.pgn", "-f"]).expect(3);
        let zip = ["archive", "create", "a.zip", &packed, "-f"];
        tabia(&folder, &zip).expect(0);
        let member = tabia(&folder, &["convert", "a.zip"]).expect(3);
        assert_eq!(member.out, run.out, "{extension}");
    }
    // The checksum of gzip, after all bytes.
    tabia(&folder, &["convert", "games.pgn", "-o", "sum.pgn.gz"]).expect(0);
    let mut bytes = std::fs::read(folder.join("sum.pgn.gz")).unwrap();
    let at = bytes.len() - 6;
    bytes[at] ^= 1;
    std::fs::write(folder.join("sum.pgn.gz"), &bytes).unwrap();
    let run = tabia(&folder, &["convert", "sum.pgn.gz"]).expect(3);
    assert_eq!(run.out.matches("[Event ").count(), 3);
}

#[cfg(not(feature = "zstd"))]
#[test]
fn without_the_feature_zstd_such_files_are_refused() {
    let folder = with_games("no-zstd");
    let write = tabia(&folder, &["convert", "games.pgn", "-o", "out.pgn.zst"]).expect(5);
    assert!(write.err.contains("feature `zstd`"), "{}", write.err);
    assert!(!folder.join("out.pgn.zst").exists());
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0];
    std::fs::write(folder.join("in.pgn.zst"), frame).unwrap();
    let read = tabia(&folder, &["convert", "in.pgn.zst"]).expect(4);
    assert!(read.err.contains("feature `zstd`"), "{}", read.err);
}

#[test]
fn truncated_files_yield_their_complete_games() {
    let folder = with_games("cut");
    std::fs::write(folder.join("many.pgn"), GAMES.repeat(2000)).unwrap();
    tabia(&folder, &["convert", "many.pgn", "-o", "many.pgn.gz", "-q"]).expect(0);
    let bytes = std::fs::read(folder.join("many.pgn.gz")).unwrap();
    std::fs::write(folder.join("cut.pgn.gz"), &bytes[..bytes.len() * 3 / 4]).unwrap();
    let run = tabia(&folder, &["ls", "cut.pgn.gz", "--ndjson"]);
    assert!(matches!(run.code, 3 | 4), "{}: {}", run.code, run.err);
    assert!(run.out.lines().count() > 100, "{}", run.out.lines().count());
    assert!(run.err.contains("cut.pgn.gz"), "{}", run.err);
}
