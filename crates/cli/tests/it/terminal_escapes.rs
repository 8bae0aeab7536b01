use crate::common::tabia;
use tabia_testkit::Scratch;

#[test]
fn messages_contain_no_escapes_of_the_data() {
    let folder = Scratch::new("escapes");
    let name = "evil\u{1b}[31m.pgn";
    std::fs::write(folder.join(name), "[White \"A\"]\n\n1. Ke3 *\n").unwrap();
    let run = tabia(&folder, &["check", name]).expect(3);
    assert!(!run.err.contains('\u{1b}'), "{:?}", run.err);
    let run = tabia(&folder, &["check", name, "--table", "-q"]).expect(3);
    assert!(!run.out.contains('\u{1b}'), "{:?}", run.out);
}

#[cfg(unix)]
#[test]
fn two_files_never_have_one_name_in_messages() {
    let folder = Scratch::new("escapes-distinct");
    let names = [
        "a b.pgn",
        "a\tb.pgn",
        "a\nb.pgn",
        r"a\nb.pgn",
        "a\u{1b}b.pgn",
        "a\u{7}b.pgn",
    ];
    let errors = names.map(|name| {
        std::fs::write(folder.join(name), "[White \"A\"]\n\n1. e4 *\n").unwrap();
        tabia(&folder, &["book", "find", name]).err
    });
    assert!(errors[2].contains(r"a\nb.pgn"), "{errors:?}");
    assert!(errors[4].contains(r"a\u001bb.pgn"), "{errors:?}");
    let distinct: std::collections::HashSet<_> = errors.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{errors:?}");
}
