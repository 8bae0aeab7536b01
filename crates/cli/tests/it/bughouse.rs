use crate::common::{tabia, tabia_with_input, with_games};

const MATCHES: &str = "[Event \"made up\"]\n[Date \"2021.05.01\"]\n[WhiteA \"Abel\"][BlackA \"Brandt\"]\n\
    [WhiteB \"Caro\"][BlackB \"Dorn\"]\n[Result \"1-0\"]\n\n\
    1A. e4 {180} 1B. d4 {179} 1a. d5 {178} 2A. exd5 {177} 1b. P@e4 {176} {Brandt resigns} 1-0\n";

#[test]
fn matches_are_listed_and_shown_and_not_played() {
    let folder = with_games("bughouse");
    // The name does not matter.
    for name in ["m.bpgn", "m.pgn"] {
        std::fs::write(folder.join(name), MATCHES).unwrap();
        let info = tabia(&folder, &["info", name, "--json"]).expect(0).json();
        assert_eq!(info[0]["format"], "bpgn");
        assert_eq!(info[0]["games"], 1);
        let run = tabia(&folder, &["ls", name, "--ndjson"]).expect(0);
        for word in ["Abel + Dorn", "Brandt + Caro", "1-0", "2021.05.01"] {
            assert!(run.out.contains(word), "{word}: {}", run.out);
        }
        let run = tabia(&folder, &["show", name]).expect(0);
        assert!(run.out.contains("1b. P@e4"), "{}", run.out);
        tabia(&folder, &["check", name]).expect(0);
        let run = tabia(&folder, &["convert", name]).expect(0);
        assert!(run.out.contains("[WhiteA \"Abel\"]"), "{}", run.out);
        assert!(run.out.contains("[Variant \"Bughouse\"]"), "{}", run.out);
        assert!(run.out.contains("1b. P@e4"), "{}", run.out);
        assert!(!run.out.contains("1. e4"), "{}", run.out);
    }
    let piped = tabia_with_input(&folder, &["ls", "-", "--ndjson"], MATCHES.as_bytes()).expect(0);
    assert!(piped.out.contains("Abel + Dorn"), "{}", piped.out);
}

#[test]
fn faults_of_a_match_are_told() {
    let folder = with_games("bughouse-faults");
    std::fs::write(
        folder.join("m.bpgn"),
        MATCHES.replace("2A. exd5", "7A. foo"),
    )
    .unwrap();
    let run = tabia(&folder, &["check", "m.bpgn"]).expect(3);
    let all = run.out + &run.err;
    assert!(
        all.contains("move_number") && all.contains("`move`"),
        "{all}"
    );
}

#[test]
fn the_sample_is_read_packed_too() {
    let test = "the_sample_is_read_packed_too";
    let Some(data) = tabia_testkit::shared_data(test, "bpgn") else {
        return;
    };
    let folder = with_games("bughouse-sample");
    for name in ["sample.bpgn", "sample.bpgn.gz"] {
        let path = data.join(name);
        let path = path.to_str().unwrap();
        let run = tabia(&folder, &["ls", path, "--ndjson"]).expect(0);
        assert_eq!(run.out.lines().count(), 1, "{name}");
        assert!(run.out.contains("alpha + delta"), "{name}: {}", run.out);
        tabia(&folder, &["check", path]).expect(0);
    }
}
