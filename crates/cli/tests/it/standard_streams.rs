use crate::common::{GAMES, tabia, tabia_with_input, with_games};

#[test]
fn standard_output_carries_data_only() {
    let folder = with_games("data");
    let text = GAMES.replace("2. Nf3 1/2", "2. Ke3 1/2");
    std::fs::write(folder.join("bad.pgn"), text).unwrap();
    let run = tabia(&folder, &["convert", "bad.pgn", "--progress", "json"]).expect(3);
    assert!(run.out.starts_with("[Event "));
    assert!(!run.out.contains("warning"));
    assert!(run.err.contains("warning: "));
    let done = run
        .err
        .lines()
        .find(|line| line.contains("\"done\""))
        .unwrap();
    let done: serde_json::Value = serde_json::from_str(done).unwrap();
    assert_eq!(done["games"], 3);
}

#[test]
fn quiet_writes_no_messages() {
    let folder = with_games("quiet");
    let text = GAMES.replace("2. Nf3 1/2", "2. Ke3 1/2");
    let run = tabia_with_input(&folder, &["convert", "-q", "-"], text.as_bytes()).expect(3);
    assert_eq!(run.err, "");
}

#[test]
fn written_pgn_reads_back_equal() {
    let folder = with_games("back");
    let first = tabia(&folder, &["convert", "games.pgn", "--profile", "full"]).expect(0);
    let args = ["convert", "-", "--profile", "full"];
    let second = tabia_with_input(&folder, &args, first.out.as_bytes()).expect(0);
    assert_eq!(first.out, second.out);
}

#[test]
fn several_inputs_follow_each_other() {
    let folder = with_games("several");
    let once = tabia(&folder, &["convert", "games.pgn"]).expect(0);
    let twice = tabia(&folder, &["convert", "games.pgn", "games.pgn"]).expect(0);
    assert_eq!(twice.out, format!("{}{}", once.out, once.out));
}

/// As a search that finds nothing writes it to the next command.
#[test]
fn an_empty_stream_has_no_games() {
    let folder = with_games("empty-stream");
    for (args, code, out) in [
        (&["ls", "-", "--csv", "--no-header"][..], 0, ""),
        (&["convert", "-"], 0, ""),
        (
            &["convert", "-", "games.pgn", "--profile", "seven"],
            0,
            "[Event ",
        ),
        (&["search", "-", "carlsen", "--count"], 1, "0\n"),
        (&["ls", "-", "--json"], 0, "[]\n"),
        (&["stats", "-", "--json"], 0, ""),
        (&["check", "-", "--csv", "--no-header"], 0, "-,pgn,"),
    ] {
        let run = tabia_with_input(&folder, args, b"").expect(code);
        assert!(run.out.starts_with(out), "{args:?}: {}", run.out);
    }
    // A file whose name is that of another format is damaged.
    std::fs::write(folder.join("empty.cbv"), b"").unwrap();
    tabia(&folder, &["ls", "empty.cbv"]).expect(4);
    let args = ["ls", "-", "--from", "si4"];
    tabia_with_input(&folder, &args, b"").expect(4);
}

/// The first of several inputs would read all of it.
#[test]
fn standard_input_is_one_input() {
    let folder = with_games("stdin-twice");
    for args in [
        &["convert", "-", "-", "-o", "out.pgn"][..],
        &["ls", "-", "games.pgn", "-"],
        &["check", "-", "-"],
        &["search", "-", "-", "player:carlsen"],
        &["novelty", "-", "--base", "-"],
        &["book", "merge", "-", "-", "-o", "out.bin"],
        &["book", "novelty", "-", "--book", "-"],
        &["book", "edit", "-", "--import", "-", "-o", "out.bin"],
    ] {
        let run = tabia_with_input(&folder, args, GAMES.as_bytes()).expect(2);
        let text = "standard input can be read only once";
        assert!(run.err.contains(text), "{args:?}: {}", run.err);
    }
    tabia_with_input(&folder, &["ls", "-", "games.pgn"], GAMES.as_bytes()).expect(0);
}

#[test]
fn games_that_a_filter_leaves_out_are_games_read() {
    let folder = with_games("progress-filtered");
    for (verb, output) in [
        (["convert", "games.pgn", "--where", "player:xyzzy"], "a.pgn"),
        (
            ["search", "games.pgn", "player:xyzzy", "--index=never"],
            "b.pgn",
        ),
    ] {
        let args = [&verb[..], &["-o", output, "--progress", "json"]].concat();
        let run = tabia(&folder, &args);
        let done = run
            .err
            .lines()
            .find(|line| line.contains("\"done\""))
            .unwrap();
        let done: serde_json::Value = serde_json::from_str(done).unwrap();
        assert_eq!(done["games"], 3, "{}", run.err);
    }
}
