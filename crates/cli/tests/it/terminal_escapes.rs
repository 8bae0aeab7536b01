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
