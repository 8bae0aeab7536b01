//! Options that state how inputs are read are not about the database to which their games are added.

use tabia_testkit::Scratch;

use crate::common::tabia;

const BASE: &str = "[Event \"Zürich\"]\n[White \"Müller, Jörg\"]\n[Black \"B\"]\n[Date \"2001.??.??\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 {schön} Nc6 1-0\n\n";

#[test]
fn the_character_set_of_inputs_is_not_that_of_the_base() {
    let folder = Scratch::new("encoding-of-inputs");
    std::fs::write(folder.join("base.pgn"), BASE).unwrap();
    // Петров in windows-1251.
    let mut new = b"[Event \"x\"]\n[White \"".to_vec();
    new.extend([0xcf, 0xe5, 0xf2, 0xf0, 0xee, 0xe2]);
    new.extend(b"\"]\n[Black \"C\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n");
    std::fs::write(folder.join("new.pgn"), new).unwrap();
    for extension in ["pgn", "si3", "si4", "si5", "sci", "cbh", "2cbh"] {
        for verb in [&["append"][..], &["convert", "--append"]] {
            let base = format!("{}.{extension}", verb.len());
            tabia(
                &folder,
                &["convert", "base.pgn", "-o", &base, "--to-encoding", "utf-8"],
            )
            .expect(0);
            let add = ["new.pgn", "-o", &base, "--encoding", "cp1251"];
            tabia(&folder, &[verb, &add].concat()).expect(0);
            let text = tabia(&folder, &["convert", &base, "-o", "-", "--to", "pgn"])
                .expect(0)
                .out;
            for name in ["Müller, Jörg", "Zürich", "schön", "Петров"] {
                assert!(text.contains(name), "{verb:?} {base}: {text}");
            }
            // They are known.
            let again = tabia(
                &folder,
                &["append", "new.pgn", "-o", &base, "--encoding", "cp1251"],
            );
            assert!(
                again.err.contains("1 duplicate left out"),
                "{base}: {}",
                again.err
            );
        }
    }
}

#[test]
fn the_piece_letters_and_the_format_of_inputs_are_not_those_of_the_base() {
    let folder = Scratch::new("letters-of-inputs");
    std::fs::write(folder.join("base.pgn"), BASE).unwrap();
    let german = BASE.replace("Nf3", "Sf3").replace("Nc6", "Sc6");
    std::fs::write(folder.join("german.txt"), &german).unwrap();
    let options = ["--pieces", "de", "--from", "pgn"];
    for base in ["base.pgn", "base.si4", "base.cbh"] {
        if base != "base.pgn" {
            tabia(&folder, &["convert", "base.pgn", "-o", base]).expect(0);
        }
        let append = ["append", "german.txt", "-o", base];
        let run = tabia(&folder, &[&append[..], &options].concat()).expect(0);
        assert!(
            run.err.contains("1 duplicate left out"),
            "{base}: {}",
            run.err
        );
        let novelty = ["novelty", "german.txt", "--base", base, "--csv"];
        let run = tabia(&folder, &[&novelty[..], &options].concat()).expect(0);
        // A game of the same day is not earlier: its first position is new.
        assert!(run.out.contains("\n1,0,"), "{base}: {}", run.out);
        let later = german.replace("2001", "2002").replace("Sc6", "d6");
        std::fs::write(folder.join("later.txt"), later).unwrap();
        let novelty = ["novelty", "later.txt", "--base", base, "--csv"];
        let run = tabia(&folder, &[&novelty[..], &options].concat()).expect(0);
        assert!(run.out.contains("\n1,4,d6,"), "{base}: {}", run.out);
    }
}

#[test]
fn a_text_in_another_language_does_not_grow() {
    let folder = Scratch::new("base-in-german");
    let game = |moves: &str| {
        format!("[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n{moves} *\n\n")
    };
    let german = game("1. Sf3 Sf6 2. Sc3 d5 3. d4 Lf5 4. Dd3 Lxd3")
        + &game("1. Sc3 Sc6 2. Tb1 d5 3. d4 Lf5");
    std::fs::write(folder.join("german.pgn"), &german).unwrap();
    std::fs::write(folder.join("new.pgn"), game("1. Nf3 d5 2. Nc3 Nf6")).unwrap();
    for verb in [&["append"][..], &["convert", "--append"]] {
        let run = tabia(&folder, &[verb, &["new.pgn", "-o", "german.pgn"]].concat());
        assert_ne!(run.code, 0, "{}", run.err);
        assert!(
            run.err.contains("piece letters of another language"),
            "{}",
            run.err
        );
        let now = std::fs::read_to_string(folder.join("german.pgn")).unwrap();
        assert_eq!(now, german);
    }
}

#[test]
fn a_text_that_is_not_utf_8_grows_in_its_character_set() {
    let folder = Scratch::new("base-in-latin-1");
    let mut base = b"[Event \"Z".to_vec();
    base.push(0xfc);
    base.extend(b"rich\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 *\n\n");
    std::fs::write(folder.join("new.pgn"), BASE).unwrap();
    let other = BASE
        .replace("schön", "żle")
        .replace("2001", "2007")
        .replace("Jörg", "Kai");
    std::fs::write(folder.join("other.pgn"), other).unwrap();
    for verb in [&["append"][..], &["convert", "--append"]] {
        std::fs::write(folder.join("base.pgn"), &base).unwrap();
        tabia(&folder, &[verb, &["new.pgn", "-o", "base.pgn"]].concat()).expect(0);
        let bytes = std::fs::read(folder.join("base.pgn")).unwrap();
        assert!(bytes.windows(4).any(|part| part == b"M\xfcll"), "{verb:?}");
        let text = tabia(&folder, &["convert", "base.pgn", "-o", "-"])
            .expect(0)
            .out;
        assert!(
            text.contains("Müller, Jörg") && text.contains("schön"),
            "{text}"
        );
        // What it cannot hold does not become question marks.
        let run = tabia(&folder, &[verb, &["other.pgn", "-o", "base.pgn"]].concat());
        assert_ne!(run.code, 0, "{}", run.err);
        assert!(
            run.err.contains("windows-1252, which lacks characters"),
            "{}",
            run.err
        );
        assert_eq!(std::fs::read(folder.join("base.pgn")).unwrap(), bytes);
    }
}
