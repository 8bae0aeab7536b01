use tabia_testkit::Scratch;

use crate::common::{GAMES, many_games, tabia, tabia_with_input, with_games, with_sample};

#[test]
fn any_file_or_the_base_name_opens_a_set() {
    let folder = with_sample("member");
    let main = tabia(&folder, &["ls", "mega.cbh"]).expect(0);
    assert!(main.out.lines().count() > 5);
    for name in ["mega.cbg", "mega.cba", "mega.cbp", "mega", "./mega", "MEGA"] {
        let run = tabia(&folder, &["ls", name]).expect(0);
        assert_eq!(run.out, main.out, "{name}");
    }
    let info = tabia(&folder, &["info", "mega.cbp", "--json"])
        .expect(0)
        .json();
    assert_eq!(info[0]["path"], "mega.cbh");
}

#[test]
fn globs_over_a_set_open_it_once() {
    let folder = with_sample("glob");
    let mut args = vec!["info".to_owned(), "--json".to_owned()];
    args.extend(folder.names());
    let info = tabia(&folder, &args).expect(0).json();
    assert_eq!(info.as_array().unwrap().len(), 1);
}

#[test]
fn lone_companions_name_the_missing_file() {
    let folder = with_sample("lone");
    std::fs::remove_file(folder.join("mega.cbh")).unwrap();
    let run = tabia(&folder, &["ls", "mega.cbp"]).expect(4);
    assert!(
        run.err.contains("the file mega.cbh is missing"),
        "{}",
        run.err
    );
}

#[test]
fn ambiguous_base_names_are_refused() {
    let folder = with_sample("two");
    std::fs::write(folder.join("mega.pgn"), GAMES).unwrap();
    let run = tabia(&folder, &["ls", "mega"]).expect(4);
    assert!(run.err.contains("mega.cbh or mega.pgn"), "{}", run.err);
}

#[test]
fn folders_contain_all_their_inputs() {
    let folder = with_sample("folder");
    std::fs::create_dir(folder.join("more")).unwrap();
    std::fs::write(folder.join("more/games.pgn"), GAMES).unwrap();
    std::fs::write(folder.join("notes.txt"), "not chess").unwrap();
    let info = tabia(&folder, &["info", ".", "--json"]).expect(0).json();
    let paths: Vec<&str> = info
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["./mega.cbh", "./more/games.pgn"]);
    let empty = Scratch::new("empty");
    let run = tabia(&empty, &["info", "."]).expect(4);
    assert!(
        run.err.contains("no database, book or archive"),
        "{}",
        run.err
    );
}

#[test]
fn names_may_have_spaces_and_any_letters() {
    let folder = Scratch::new("names");
    let name = "Мои партии – Žižka & co.pgn";
    std::fs::write(folder.join(name), GAMES).unwrap();
    let run = tabia(&folder, &["ls", name, "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 3);
    tabia(&folder, &["convert", name, "-o", "ö ü.pgn"]).expect(0);
    assert!(folder.join("ö ü.pgn").exists());
}

#[test]
fn dash_is_standard_input() {
    let folder = with_games("stdin");
    let file = tabia(&folder, &["ls", "games.pgn"]).expect(0);
    let stdin = tabia_with_input(&folder, &["ls", "-"], GAMES.as_bytes()).expect(0);
    assert_eq!(stdin.out, file.out);
    let info = tabia_with_input(&folder, &["info", "-", "--json"], GAMES.as_bytes()).expect(0);
    assert_eq!(info.json()[0]["kind"], "stream");
    assert_eq!(info.json()[0]["games"], 3);
}

#[test]
fn content_decides_the_format_before_the_name() {
    let folder = Scratch::new("content");
    std::fs::write(folder.join("games.dat"), GAMES).unwrap();
    std::fs::write(folder.join("games.cbh.txt"), GAMES).unwrap();
    for name in ["games.dat", "games.cbh.txt"] {
        let info = tabia(&folder, &["info", name, "--json"]).expect(0).json();
        assert_eq!(info[0]["format"], "pgn", "{name}");
    }
}

#[test]
fn a_missing_path_is_standard_input_if_that_is_a_pipe() {
    let folder = with_games("piped");
    for args in [
        &["ls", "--no-header"][..],
        &["search", "carlsen OR tal OR white:A", "--no-header"],
        &["info", "--no-header"],
        &["check", "--no-header"],
        &["eco", "--no-header"],
        &["show", "--game", "2"],
        &["convert"],
    ] {
        let run = tabia_with_input(&folder, args, GAMES.as_bytes()).expect(0);
        assert!(!run.out.is_empty(), "{args:?}");
        // Nothing is read from a terminal, or from nothing.
        let run = tabia(&folder, args).expect(2);
        assert!(run.err.contains("name a"), "{args:?}: {}", run.err);
    }
}

#[test]
fn globs_are_expanded() {
    let folder = with_games("globs");
    for name in ["b.pgn", "c.txt", "[x].pgn"] {
        std::fs::copy(folder.join("games.pgn"), folder.join(name)).unwrap();
    }
    std::fs::create_dir(folder.join("sub")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("sub/d.pgn")).unwrap();
    let files = |pattern: &str| -> Vec<String> {
        let run = tabia(&folder, &["info", pattern, "--no-header"]).expect(0);
        let name = |line: &str| {
            line.split('\t')
                .next()
                .unwrap_or_default()
                .replace('\\', "/")
        };
        run.out.lines().map(name).collect()
    };
    assert_eq!(files("*.pgn"), ["[x].pgn", "b.pgn", "games.pgn"]);
    assert_eq!(files("s*/?.pgn"), ["sub/d.pgn"]);
    assert_eq!(files("[a-c].pgn"), ["b.pgn"]);
    // The file of that name, not what it would fit as a glob.
    assert_eq!(files("[x].pgn"), ["[x].pgn"]);
    tabia(&folder, &["info", "*.cbv"]).expect(4);
    // An output that a glob names too is left out of the inputs.
    tabia(&folder, &["convert", "*.pgn", "-o", "all.pgn"]).expect(0);
    let run = tabia(&folder, &["convert", "*.pgn", "-o", "all.pgn", "--force"]).expect(0);
    assert!(
        run.err.contains("all.pgn is the output and left out"),
        "{}",
        run.err
    );
}

/// An output that is all that a folder or glob has is not replaced by nothing.
#[test]
fn an_output_that_is_the_only_input_stays() {
    let folder = with_games("only-itself");
    std::fs::create_dir(folder.join("q")).unwrap();
    let one = folder.join("q/all.pgn");
    std::fs::copy(folder.join("games.pgn"), &one).unwrap();
    let old = std::fs::read(&one).unwrap();
    for args in [
        &["convert", "q", "-o", "q/all.pgn", "--force"][..],
        &["convert", "q/*.pgn", "-o", "q/all.pgn", "--force"],
        &["dedupe", "q", "-o", "q/all.pgn", "--force"],
        &["dedupe", "q/all.pgn", "-o", "q/all.pgn"],
        &["eco", "q", "-o", "q/all.pgn", "--force"],
        &[
            "shard",
            "q",
            "--of",
            "1",
            "--index",
            "1",
            "-o",
            "q/all.pgn",
            "--force",
        ],
    ] {
        let run = tabia(&folder, args).expect(2);
        assert!(
            run.err.contains("is input and output at once"),
            "{args:?}: {}",
            run.err
        );
        assert!(std::fs::read(&one).unwrap() == old, "{args:?}");
    }
    std::fs::create_dir(folder.join("z")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("z/a.pgn")).unwrap();
    tabia(&folder, &["archive", "create", "z/a.zip", "z/a.pgn"]).expect(0);
    std::fs::remove_file(folder.join("z/a.pgn")).unwrap();
    let archive = std::fs::read(folder.join("z/a.zip")).unwrap();
    tabia(&folder, &["archive", "create", "z/a.zip", "z", "--force"]).expect(2);
    assert!(std::fs::read(folder.join("z/a.zip")).unwrap() == archive);
}

/// Lists of duplicates are outputs too, and standard input is an input.
#[test]
#[cfg(unix)]
fn other_outputs_are_no_inputs_either() {
    let folder = with_games("explain-input");
    std::fs::copy(folder.join("games.pgn"), folder.join("base.pgn")).unwrap();
    let old = std::fs::read(folder.join("games.pgn")).unwrap();
    for args in [
        &[
            "append",
            "games.pgn",
            "-o",
            "base.pgn",
            "--explain",
            "games.pgn",
            "-f",
        ][..],
        &[
            "dedupe",
            "games.pgn",
            "-o",
            "new.pgn",
            "--explain",
            "games.pgn",
            "-f",
        ],
    ] {
        let run = tabia(&folder, args).expect(2);
        assert!(
            run.err.contains("is input and output at once"),
            "{args:?}: {}",
            run.err
        );
        assert!(
            std::fs::read(folder.join("games.pgn")).unwrap() == old,
            "{args:?}"
        );
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tabia"));
    command.current_dir(folder.path());
    command.args(["convert", "-", "-o", "games.pgn", "--force"]);
    command.stdin(std::fs::File::open(folder.join("games.pgn")).unwrap());
    let run = command.output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(std::fs::read(folder.join("games.pgn")).unwrap() == old);
    let run = tabia(&folder, &["check", "games.pgn", "--report", "-"]).expect(2);
    assert!(run.err.contains("--report problems.json"), "{}", run.err);
    assert!(!folder.join("-").exists());
    // A file of the set that is written.
    let args = [
        "convert",
        "games.pgn",
        "-o",
        "out.si5",
        "--report",
        "out.sg5",
    ];
    let run = tabia(&folder, &args).expect(2);
    assert!(run.err.contains("two outputs at once"), "{}", run.err);
    assert!(!folder.join("out.si5").exists());
    tabia(&folder, &["check", "games.pgn", "--report", "r.json"]).expect(0);
    let run = tabia(&folder, &["check", "games.pgn", "--report", "r.json"]).expect(5);
    assert!(run.err.contains("--force"), "{}", run.err);
    tabia(
        &folder,
        &["check", "games.pgn", "--report", "r.json", "--force"],
    )
    .expect(0);
    let run = tabia(&folder, &["info", "games.pgn", "--report", "r.json"]).expect(5);
    assert!(run.err.contains("--force"), "{}", run.err);
}

/// Runs the program in a folder as somebody who may not read `closed`: the administrator reads every file.
#[cfg(target_os = "linux")]
fn without_privileges(
    folder: &Scratch,
    closed: &std::path::Path,
) -> impl Fn(&[&str]) -> std::io::Result<std::process::Output> + use<> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    let is_root = std::fs::File::open(closed).is_ok();
    let program = folder.join("tabia");
    // By another process: one that this process starts meanwhile would keep the copy open, which cannot be run then.
    let mut copy = Command::new("cp");
    let copied = copy.arg(env!("CARGO_BIN_EXE_tabia")).arg(&program).status();
    assert!(copied.unwrap().success());
    for path in [folder.path(), &program] {
        std::fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
    }
    let folder = folder.path().to_path_buf();
    move |args| {
        let mut command = if is_root {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            command.arg(&program);
            command
        } else {
            Command::new(&program)
        };
        command.current_dir(&folder).args(args).output()
    }
}

/// A folder that cannot be listed, or of whose files nothing can be learned, is no empty one.
#[test]
#[cfg(target_os = "linux")]
fn unreadable_folders_are_errors_and_not_the_end_of_the_others() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let folder = with_games("unreadable-folders");
    // Not even the administrator reads it.
    std::os::unix::fs::symlink("loop", folder.join("loop")).unwrap();
    for args in [
        &["info", "loop/*.pgn", "games.pgn", "--no-header"][..],
        &["stats", "loop/*.pgn", "games.pgn", "--no-header"],
        &["ls", "loop/sub/*.pgn", "games.pgn", "--no-header"],
    ] {
        let run = tabia(&folder, args).expect(4);
        assert!(run.err.contains("error: loop"), "{args:?}: {}", run.err);
        assert!(!run.out.is_empty(), "{args:?}");
    }
    let run = tabia(&folder, &["convert", "loop/*.pgn", "-o", "x.pgn"]).expect(4);
    assert!(run.err.contains("error: loop"), "{}", run.err);
    let run = tabia(
        &folder,
        &["search", "loop/*.pgn", "games.pgn", "result:1-0"],
    )
    .expect(4);
    assert!(run.err.contains("error: loop"), "{}", run.err);
    std::fs::create_dir(folder.join("d")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("d/a.pgn")).unwrap();
    set_permissions(folder.join("d/a.pgn"), Permissions::from_mode(0o000)).unwrap();
    let run = without_privileges(&folder, &folder.join("d/a.pgn"));
    for (mode, path, expected) in [
        (0o000, "d/*.pgn", "d: Permission denied"),
        (0o000, "d/sub/?.pgn", "d/sub: Permission denied"),
        (0o444, "d/*.pgn", "d/a.pgn: Permission denied"),
        (0o444, "d", "d/a.pgn: Permission denied"),
    ] {
        set_permissions(folder.join("d"), Permissions::from_mode(mode)).unwrap();
        let Ok(done) = run(&["info", path, "games.pgn", "--no-header"]) else {
            tabia_testkit::skip_without_peer("an unreadable folder", "setpriv, used by root,");
            break;
        };
        let err = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(4), "{path}: {err}");
        assert!(err.contains(expected), "{path}: {err}");
        let out = String::from_utf8_lossy(&done.stdout);
        let has_games = out.lines().any(|line| line.starts_with("games.pgn\t"));
        assert!(has_games, "{path}: {out}");
    }
    set_permissions(folder.join("d"), Permissions::from_mode(0o755)).unwrap();
}

/// What cannot be read in a folder is not absent: its games are not replaced by none.
#[test]
#[cfg(target_os = "linux")]
fn an_unreadable_file_in_a_folder_keeps_the_output() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let folder = with_games("unreadable-member");
    std::fs::create_dir(folder.join("d")).unwrap();
    for name in ["a.pgn", "b.pgn"] {
        std::fs::copy(folder.join("games.pgn"), folder.join("d").join(name)).unwrap();
    }
    tabia(&folder, &["convert", "d", "-o", "out.pgn"]).expect(0);
    let old = std::fs::read(folder.join("out.pgn")).unwrap();
    let closed = Permissions::from_mode(0o000);
    std::fs::set_permissions(folder.join("d/a.pgn"), closed).unwrap();
    let run = without_privileges(&folder, &folder.join("d/a.pgn"));
    std::fs::set_permissions(folder.join("out.pgn"), Permissions::from_mode(0o666)).unwrap();
    let Ok(refused) = run(&["convert", "d", "-o", "out.pgn", "--force"]) else {
        tabia_testkit::skip_without_peer("an unreadable file", "setpriv, used by root,");
        return;
    };
    let err = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(4), "{err}");
    assert!(err.contains("out.pgn is left as it was"), "{err}");
    assert!(std::fs::read(folder.join("out.pgn")).unwrap() == old);
    // A new file has what can be read.
    let made = run(&["convert", "d", "-o", "new.pgn"]).unwrap();
    assert_eq!(made.status.code(), Some(3));
}

/// Names of folders need not be UTF-8; those of members are.
#[test]
#[cfg(target_os = "linux")]
fn members_of_archives_in_folders_of_any_name() {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

    let folder = with_games("members-any-name");
    let name = std::ffi::OsStr::from_bytes(b"f\xe9\xff");
    std::fs::create_dir(folder.join(name)).unwrap();
    std::fs::create_dir(folder.join("sub")).unwrap();
    std::fs::copy(folder.join("games.pgn"), folder.join("sub/a.pgn")).unwrap();
    tabia(&folder, &["archive", "create", "a.zip", "games.pgn", "sub"]).expect(0);
    std::fs::rename(folder.join("a.zip"), folder.join(name).join("a.zip")).unwrap();
    for (member, code) in [("games.pgn", 0), ("sub/a.pgn", 0), ("none.pgn", 4)] {
        let path = [b"f\xe9\xff/a.zip:", member.as_bytes()].concat();
        let path = std::ffi::OsString::from_vec(path);
        let run = tabia(&folder, &["ls".into(), path, "--no-header".into()]).expect(code);
        let games = if code == 0 { 3 } else { 0 };
        assert_eq!(run.out.lines().count(), games, "{member}: {}", run.err);
    }
}

/// Two files never have one name in what is reported, and the name is that of the file.
#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_utf8_are_reported_so_that_the_file_is_found() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = Scratch::new("reported-names");
    let names = [&b"x\xe8.pgn"[..], b"x\xe9.pgn", br"x\xe9.pgn"];
    for name in names {
        let path = folder.join(std::ffi::OsStr::from_bytes(name));
        if std::fs::write(path, "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n").is_err() {
            // A file system whose names are UTF-8.
            return;
        }
    }
    let texts = [r"./x\xe8.pgn", r"./x\xe9.pgn", r"./x\x5cxe9.pgn"];
    let json = |text: &str| format!("\"{}\"", text.replace('\\', r"\\"));
    let check = tabia(&folder, &["check", ".", "--report", "r.json", "--json"]).expect(3);
    let report = std::fs::read_to_string(folder.join("r.json")).unwrap();
    let csv = tabia(&folder, &["ls", ".", "--csv"]).expect(3).out;
    for text in texts {
        let path = json(text);
        assert!(
            check.out.contains(&format!("\"path\": {path}")),
            "{}",
            check.out
        );
        assert!(
            check.err.contains(&format!("warning: {text}: game 1")),
            "{}",
            check.err
        );
        assert_eq!(
            report.matches(&format!("\"file\":{path}")).count(),
            2,
            "{report}"
        );
        assert!(
            csv.lines().any(|line| line.ends_with(&format!(",{text}"))),
            "{csv}"
        );
    }
    assert!(!(check.out + &check.err + &report + &csv).contains('\u{fffd}'));
    // A cell of tab-separated values has its backslashes twice, and names the file.
    let rows = tabia(&folder, &["info", "."]).out;
    for name in [names[0], names[1]] {
        let cell = format!("./{}", name.escape_ascii()).replace('\\', r"\\");
        assert!(rows.contains(&format!("\n{cell}\t")), "{cell}: {rows}");
        let run = tabia(&folder, &["ls", &cell]).expect(3);
        assert!(
            run.out.contains("\nA") || run.out.contains("\tA\t"),
            "{}",
            run.out
        );
    }

    // The hint is a command that works in a shell.
    let name = std::ffi::OsStr::from_bytes(names[1]);
    let run = tabia(&folder, &["check".as_ref(), name]).expect(3);
    assert!(
        run.err
            .contains(r"`tabia repair $'x\xe9.pgn' -o $'saved-x\xe9.pgn'`"),
        "{}",
        run.err
    );

    // Members of archives whose name is such a name.
    std::fs::copy(folder.join(name), folder.join("in.pgn")).unwrap();
    tabia(&folder, &["archive", "create", "a.zip", "in.pgn"]).expect(0);
    let archive = std::ffi::OsStr::from_bytes(b"a\xff.zip");
    std::fs::rename(folder.join("a.zip"), folder.join(archive)).unwrap();
    let run = tabia(&folder, &["check".as_ref(), archive]).expect(3);
    assert!(
        run.err.contains(r"warning: a\xff.zip:in.pgn: game 1"),
        "{}",
        run.err
    );
}

/// Outputs, indexes and hints name such files as inputs do.
#[test]
#[cfg(target_os = "linux")]
fn outputs_whose_names_are_not_utf8_are_named_so_that_they_are_found() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = Scratch::new("named-outputs");
    let games = OsStr::from_bytes(b"g\xe9.pgn");
    let text = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. e4 e5 *\n";
    if std::fs::write(folder.join(games), text).is_err() {
        return;
    }
    let (pgn, book, tidx) = (
        OsStr::from_bytes(b"o\xe9.pgn"),
        OsStr::from_bytes(b"b\xe9.bin"),
        OsStr::from_bytes(b"g\xe9.pgn.tidx"),
    );
    let os = OsStr::new;
    let built = [
        os("book"),
        os("build"),
        games,
        os("--min-games"),
        os("1"),
        os("-o"),
        book,
    ];
    for (args, code, part) in [
        (
            &[os("convert"), games, os("-o"), pgn][..],
            0,
            r"2 games to o\xe9.pgn: ",
        ),
        (
            &[os("convert"), games, os("-o"), pgn],
            5,
            r"o\xe9.pgn: exists",
        ),
        (
            &[os("index"), games, os("--json")],
            0,
            r#""index": "g\\xe9.pgn.tidx""#,
        ),
        (&[os("ls"), tidx], 4, r"`tabia search $'g\xe9.pgn' QUERY`"),
        (&built, 0, r"b\xe9.bin: "),
        (
            &[os("convert"), games, os("-o"), games, os("--force")],
            2,
            r"g\xe9.pgn",
        ),
        (&[os("convert"), games], 0, ""),
        (
            &[os("convert"), book, os("-o"), os("x.pgn")],
            2,
            r"`tabia book convert $'b\xe9.bin' -o x.pgn`",
        ),
        (&[os("convert"), games, pgn], 0, ""),
        (
            &[os("dedupe"), games],
            2,
            r"`tabia dedupe $'g\xe9.pgn' --dry-run`",
        ),
        (
            &[
                os("edit"),
                games,
                os("-o"),
                os("x.pgn"),
                os("--delete"),
                os("1"),
            ],
            2,
            r"$'g\xe9.pgn'",
        ),
    ] {
        let run = tabia(&folder, args).expect(code);
        let all = run.out + &run.err;
        assert!(all.contains(part), "{args:?}: {all}");
        assert!(!all.contains('\u{fffd}'), "{args:?}: {all}");
    }
    let record = std::fs::read_to_string(folder.join(OsStr::from_bytes(b"b\xe9.bin.json")));
    let record = record.unwrap();
    assert!(record.contains(r#""path": "b\\xe9.bin""#), "{record}");
    // The record is still known as that of the book.
    let explain = [os("book"), os("explain"), book, games];
    let run = tabia(&folder, &explain);
    assert!(!run.err.contains("another book"), "{}", run.err);
}

/// Names of other systems are always Unicode.
#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_utf8_are_taken_as_they_are_printed() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Scratch::new("printed-names");
    let inner = folder.join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("g.pgn"), many_games(3)).unwrap();
    let rows = tabia(&folder, &["ls", ".", "--ndjson"]).expect(0).out;
    let row: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    let path = row["path"].as_str().unwrap();
    assert!(path.contains(r"caf\xe9/g.pgn"), "{path}");
    let run = tabia(&folder, &["ls", path, "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 3);
    // A new file in that folder, and a member of an archive there.
    tabia(
        &folder,
        &["archive", "create", r"caf\xe9/a.zip", path, "-q"],
    )
    .expect(0);
    assert!(inner.join("a.zip").exists());
    let member = r"caf\xe9/a.zip:g.pgn";
    let run = tabia(&folder, &["ls", member, "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 3);
    // A name with such letters is meant as it is.
    std::fs::write(folder.join(r"b\xe9.pgn"), many_games(2)).unwrap();
    let run = tabia(&folder, &["ls", r"b\xe9.pgn", "--ndjson"]).expect(0);
    assert_eq!(run.out.lines().count(), 2);
}
