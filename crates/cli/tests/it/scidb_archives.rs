use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};

use tabia_testkit::skip_without_peer;

use crate::common::{GAMES, tabia, with_games};

#[test]
fn archived_databases_are_read_and_extracted() {
    let folder = with_games("scidb-travel");
    tabia(&folder, &["convert", "games.pgn", "-o", "base.sci", "-q"]).expect(0);
    std::fs::write(folder.join("two.pgn"), GAMES.replace("Carlsen", "Karlsen")).unwrap();
    let plain = tabia(&folder, &["convert", "base.sci", "-q"]).expect(0);
    for compression in ["raw", "zlib", "lzo"] {
        let archive = format!("{compression}.scv");
        let mut args = vec!["archive", "create", &archive, "--compression", compression];
        args.extend(["base.sci", "base.scg", "base.scn", "two.pgn"]);
        let run = tabia(&folder, &args).expect(0);
        assert_eq!(
            run.err.contains("Scidb"),
            compression == "lzo",
            "{}",
            run.err
        );
        tabia(&folder, &["archive", "test", &archive]).expect(0);
        let list = tabia(&folder, &["archive", "list", &archive, "--json"])
            .expect(0)
            .json();
        assert_eq!(list.as_array().unwrap().len(), 4);
        // Only text may be raw: Scidb reads raw members as text.
        let packed = if compression == "raw" {
            "zlib"
        } else {
            compression
        };
        assert_eq!(list[0]["compression"], packed);
        for inside in ["base.sci", "base.scg", "base"] {
            let input = format!("{archive}:{inside}");
            let run = tabia(&folder, &["convert", &input, "-q"]).expect(0);
            assert_eq!(run.out, plain.out, "{input}");
        }
        let member = format!("{archive}:two.pgn");
        let run = tabia(&folder, &["ls", &member, "--limit", "1"]).expect(0);
        assert!(run.out.contains("Karlsen, Magnus"), "{}", run.out);
        let all = tabia(&folder, &["ls", &archive, "--ndjson"]).expect(0);
        assert_eq!(all.out.lines().count(), 6, "{archive}");
        tabia(&folder, &["check", &archive]).expect(0);
        let out = format!("out-{compression}");
        tabia(&folder, &["archive", "extract", &archive, "-d", &out]).expect(0);
        for name in ["base.sci", "base.scg", "base.scn", "two.pgn"] {
            let unpacked = std::fs::read(folder.join(format!("{out}/{name}"))).unwrap();
            assert!(
                unpacked == std::fs::read(folder.join(name)).unwrap(),
                "{name}"
            );
        }
    }
    let run = tabia(
        &folder,
        &[
            "archive",
            "create",
            "a.zip",
            "two.pgn",
            "--compression",
            "lzo",
        ],
    )
    .expect(2);
    assert!(run.err.contains("scv"), "{}", run.err);
}

#[test]
fn another_reader_unpacks_ours() {
    let test = "another_reader_unpacks_ours";
    let folder = with_games("scidb-unpack");
    for base in ["base.sci", "other.si4"] {
        tabia(&folder, &["convert", "games.pgn", "-o", base, "-q"]).expect(0);
    }
    std::fs::create_dir(folder.join("more")).unwrap();
    std::fs::write(folder.join("more/note.txt"), "Žižkov\n<-- H E A D -->\n").unwrap();
    std::fs::write(folder.join("empty"), "").unwrap();
    let files = [
        "base.sci",
        "base.scg",
        "base.scn",
        "other.si4",
        "other.sg4",
        "other.sn4",
        "games.pgn",
        "empty",
    ];
    let script = tabia_testkit::repository().join("crates/cli/tests/unpack_scv.py");
    for compression in ["raw", "zlib", "lzo"] {
        let archive = format!("{compression}.scv");
        let mut args = vec!["archive", "create", &archive, "--compression", compression];
        args.extend(files);
        args.push("more");
        tabia(&folder, &args).expect(0);
        let out = folder.join(format!("out-{compression}"));
        let run = std::process::Command::new("python3")
            .arg(&script)
            .arg(folder.join(&archive))
            .arg(&out)
            .output();
        let Ok(run) = run else {
            skip_without_peer(test, "python3");
            return;
        };
        if run.status.code() == Some(3) {
            skip_without_peer(test, "liblzo2");
            continue;
        }
        let messages = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{messages}");
        assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "9");
        for file in files.iter().chain(&["more/note.txt"]) {
            let unpacked = std::fs::read(out.join(file)).unwrap();
            assert!(
                unpacked == std::fs::read(folder.join(file)).unwrap(),
                "{file}"
            );
        }
    }
}

/// What LZO's own library packs, in chunks and as one stream, is read.
#[test]
fn members_packed_by_lzo_itself_are_read() {
    let test = "members_packed_by_lzo_itself_are_read";
    let folder = with_games("scidb-lzo");
    tabia(&folder, &["convert", "games.pgn", "-o", "base.sci", "-q"]).expect(0);
    // Long enough for several chunks, and some of it without pattern.
    let noise = (0..200_000_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> (i >> 13 & 15)) as u8);
    std::fs::write(folder.join("noise.bin"), noise.collect::<Vec<u8>>()).unwrap();
    std::fs::write(folder.join("long.pgn"), GAMES.repeat(500)).unwrap();
    let files = [
        "games.pgn",
        "long.pgn",
        "noise.bin",
        "base.sci",
        "base.scg",
        "base.scn",
    ];
    let script = tabia_testkit::repository().join("crates/cli/tests/lzo2.py");
    let run = std::process::Command::new("python3")
        .arg(&script)
        .arg(folder.join("packed.scv"))
        .args(files.map(|file| folder.join(file)))
        .output();
    let packed = run.ok().filter(|run| run.status.code() != Some(3));
    let Some(packed) = packed else {
        skip_without_peer(test, "python3 with liblzo2");
        return;
    };
    let messages = String::from_utf8_lossy(&packed.stderr);
    assert!(packed.status.success(), "{messages}");
    tabia(&folder, &["archive", "test", "packed.scv"]).expect(0);
    tabia(&folder, &["archive", "extract", "packed.scv", "-d", "out"]).expect(0);
    for kind in ["lzo1x_1_compress", "lzo1x_999_compress"] {
        for framing in ["chunks", "bare"] {
            for file in files {
                let path = format!("out/{kind}-{framing}/{file}");
                let unpacked = std::fs::read(folder.join(&path)).unwrap();
                assert!(
                    unpacked == std::fs::read(folder.join(file)).unwrap(),
                    "{path}"
                );
            }
        }
    }
}

/// A member as text: keys, then data or none.
fn member(keys: &str, data: Option<&str>) -> String {
    match data {
        Some(data) => format!(
            "<-- H E A D -->\n{keys}<Size> {}\n<-- D A T A -->\n{data}",
            data.len()
        ),
        None => format!("<-- H E A D -->\n{keys}<-- N O D A T A -->"),
    }
}

#[test]
fn bad_members_do_not_affect_others() {
    let folder = with_games("scidb-bad");
    let members = [
        member("<FileName> good.pgn\n", Some(GAMES)),
        member("<FileName> sum.pgn\n<Checksum> -7\n", Some(GAMES)),
        member("<FileName> ../evil.pgn\n", Some(GAMES)),
        member(
            "<FileName> far.pgn\n<URI> http://example.org/far.pgn\n",
            None,
        ),
        member("<FileName> unknown.pgn\n<Compression> rar\n", Some("xyz")),
        member("<FileName> torn.pgn\n<Compression> zlib\n", Some("x\u{1}y")),
        member(
            "<FileName> near.pgn\n<URI> file:///elsewhere/near.pgn\n",
            Some(GAMES),
        ),
        "<-- H E A D -->\n<FileName> gone.pgn\n<URI> /elsewhere/gone.pgn\n<-- D A T A -->\n"
            .to_owned(),
        // What is stored has this sum, and cannot be unpacked.
        member(
            "<FileName> stored.pgn\n<Compression> zlib\n<Checksum> 891568578\n",
            Some("abc"),
        ),
        member(
            "<FileName> last.pgn\n<Modified> 2011-03-13 07:06:40  \n",
            Some(GAMES),
        ),
    ];
    let text = format!(
        "iveArch\n<TotalSize>    1  \n<Format> pgn\n<Type> multi\n{}",
        members.join("\n")
    );
    std::fs::write(folder.join("a.scv"), text).unwrap();
    let list = tabia(&folder, &["archive", "list", "a.scv", "--json"])
        .expect(3)
        .json();
    let sums: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["checksum"].as_str().unwrap())
        .collect();
    assert_eq!(sums.len(), 10);
    assert_eq!((sums[0], sums[1]), ("absent", "bad"));
    assert_eq!(list[3]["uri"], "http://example.org/far.pgn");
    assert_eq!(list[9]["modified"], "2011-03-13 07:06:40");
    assert_eq!(list[6]["uri"], "file:///elsewhere/near.pgn");
    assert_eq!(sums[8], "bad");
    let test = tabia(&folder, &["archive", "test", "a.scv"]).expect(3);
    assert!(test.err.contains("stored.pgn"), "{}", test.err);
    for name in ["good.pgn", "near.pgn", "last.pgn"] {
        let input = format!("a.scv:{name}");
        let run = tabia(&folder, &["ls", &input, "--ndjson"]).expect(0);
        assert_eq!(run.out.lines().count(), 3, "{name}");
    }
    for (name, word) in [
        ("far.pgn", "http://example.org/far.pgn"),
        ("unknown.pgn", "rar"),
        ("torn.pgn", "the data ends too early"),
        ("gone.pgn", "/elsewhere/gone.pgn"),
    ] {
        let run = tabia(&folder, &["ls", &format!("a.scv:{name}")]);
        assert!(matches!(run.code, 3 | 4), "{name}: {}", run.code);
        assert!(run.err.contains(word), "{name}: {}", run.err);
    }
    let run = tabia(&folder, &["archive", "extract", "a.scv", "-d", "in/out"]).expect(3);
    for word in ["evil.pgn", "far.pgn", "rar", "the data ends too early"] {
        assert!(run.err.contains(word), "{word}: {}", run.err);
    }
    for name in ["good.pgn", "last.pgn"] {
        let unpacked = std::fs::read_to_string(folder.join(format!("in/out/{name}")));
        assert_eq!(unpacked.unwrap(), GAMES);
    }
    assert!(!folder.join("in/evil.pgn").exists());
    assert!(!folder.join("evil.pgn").exists());
}

/// A member of an archive of more than 10 GB is read without the others. The file is
/// sparse, so it needs no disk space.
#[test]
fn members_of_huge_archives_are_read_alone() {
    let folder = with_games("scidb-huge");
    let path = folder.join("huge.scv");
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .unwrap();
    let length = 11_u64 << 30;
    write!(
        file,
        "iveArch\n<TotalSize> 1\n<Format> pgn\n<Type> multi\n<-- H E A D -->\n\
         <FileName> hole.pgn\n<Size> {length}\n<-- D A T A -->\n"
    )
    .unwrap();
    if file
        .seek(SeekFrom::Current(length.try_into().unwrap()))
        .is_err()
    {
        return;
    }
    let written = write!(file, "\n{}", member("<FileName> small.pgn\n", Some(GAMES)));
    if written.is_err() {
        // No holes in files here.
        return;
    }
    drop(file);
    let start = std::time::Instant::now();
    let run = tabia(&folder, &["ls", "huge.scv:small.pgn", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 3);
    let run = tabia(&folder, &["convert", "huge.scv:small.pgn", "-q"]).expect(0);
    assert!(run.out.contains("Carlsen, Magnus"));
    tabia(
        &folder,
        &["archive", "extract", "huge.scv", "small.pgn", "-d", "out"],
    )
    .expect(0);
    // Reading 11 GB three times takes longer.
    assert!(start.elapsed().as_secs() < 90, "{:?}", start.elapsed());
}

/// What Scidb packed is read in place, with as many games as the folder has.
#[test]
fn archives_by_scidb_are_inputs() {
    let test = "archives_by_scidb_are_inputs";
    let Some(data) = tabia_testkit::shared_data(test, "scv") else {
        return;
    };
    let folder = with_games("scidb-real");
    for (name, games) in [
        ("scidb/features_sci_zlib.scv", 87),
        ("scidb/stream_sci_negcrc.scv", 1339),
        ("scidb/features_si3_zlib.scv", 87),
        ("scidb/features_cbf_zlib.scv", 86),
        ("scidb/features_pgn_zlib.scv", 87),
        ("scidb/one_game_pgn_raw.scv", 1),
        ("handmade/no_archinfo_no_userinfo.scv", 1),
        ("handmade/uri_with_fallback_data.scv", 1),
    ] {
        let path = data.join(name);
        let run = tabia(&folder, &["ls", path.to_str().unwrap(), "--ndjson"]);
        assert!(matches!(run.code, 0 | 3), "{name}: {}", run.err);
        assert_eq!(run.out.lines().count(), games, "{name}: {}", run.err);
    }
}

/// Members at an address are no damage: nothing of them can be saved.
#[test]
fn archives_of_addresses_have_no_hint_at_a_repair() {
    let test = "archives_of_addresses_have_no_hint_at_a_repair";
    let Some(data) = tabia_testkit::shared_data(test, "scv") else {
        return;
    };
    let folder = with_games("archive-of-addresses");
    let file = data.join("handmade/doc_example2_uri_revA.scv");
    std::fs::copy(file, folder.join("addresses.scv")).unwrap();
    for verb in [&["archive", "test"] as &[_], &["check"]] {
        let run = tabia(&folder, &[verb, &["addresses.scv"]].concat()).expect(3);
        assert!(
            run.err.contains("http://scidb.sf.net/bases/tiny-1.pgn"),
            "{}",
            run.err
        );
        for text in ["tabia repair", "what is left"] {
            assert!(!run.err.contains(text), "{verb:?}: {}", run.err);
        }
    }
}
