//! Comments in several languages, and piece letters of other languages than English.

use crate::common::{tabia, with_games};

#[test]
fn comments_in_the_first_language_that_is_there_are_kept() {
    let folder = with_games("languages");
    let pgn = "[White \"A\"]\n\n{[%lang en] start} {[%lang de] Anfang} \
               1. e4 {all} {[%lang en] best} $1 {[%lang de] beste} {[%lang fr] bon} \
               (1. d4 {[%lang en] only}) e5 {[%lang fr] seul} *\n";
    std::fs::write(folder.join("languages.pgn"), pgn).unwrap();
    let convert = |choice: &str| {
        let args = [
            "convert",
            "languages.pgn",
            "--profile",
            "full",
            "--language",
        ];
        let report = ["--report", "report.json", "--force"];
        let run = tabia(&folder, &[&args[..], &[choice], &report].concat()).expect(0);
        // What is not chosen is counted.
        let (text, counts) = match choice {
            "fr" => ("5 comments in de, en left out", r#"{"de":2,"en":3}"#),
            _ => ("4 comments in en, fr left out", r#"{"en":2,"fr":2}"#),
        };
        assert!(run.err.contains(text), "{}", run.err);
        let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
        let report: String = report.split_whitespace().collect();
        let expected = format!("\"commentsLeftOut\":{counts}");
        assert!(report.contains(&expected), "{report}");
        let (_, moves) = run.out.split_once("\n\n").unwrap();
        moves.replace('\n', " ").trim().to_owned()
    };
    assert_eq!(
        convert("de,en"),
        "{[%lang de] Anfang} 1. e4 {all} $1 {[%lang de] beste} (1. d4 {[%lang en] only}) 1... e5 *"
    );
    assert_eq!(
        convert("fr"),
        "1. e4 {all} $1 {[%lang fr] bon} (1. d4) 1... e5 {[%lang fr] seul} *"
    );
    // What is in no language of the list, and what is no language.
    let args = ["convert", "languages.pgn", "--language", "pl,de,es"];
    let run = tabia(&folder, &args).expect(0);
    assert!(run.err.contains("no comment is in pl or es"), "{}", run.err);
    for wrong in ["german", "d", "", "zz"] {
        let args = ["convert", "languages.pgn", "--language", wrong];
        let run = tabia(&folder, &args).expect(2);
        assert!(run.err.contains("two letters"), "{}", run.err);
    }
}

#[test]
fn piece_letters_of_other_languages_are_stated_or_found_out() {
    let folder = with_games("pieces");
    let german = "[White \"A\"]\n\n1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. De2 Dg5 *\n";
    std::fs::write(folder.join("german.pgn"), german.repeat(300)).unwrap();
    let found = tabia(&folder, &["convert", "german.pgn"]).expect(3);
    assert!(found.out.contains("4. Qe2 Qg5 *"), "{}", found.out);
    assert!(found.err.contains("`--pieces de`"), "{}", found.err);
    let stated = tabia(&folder, &["convert", "german.pgn", "--pieces", "DE"]).expect(0);
    assert_eq!(
        (stated.out.as_str(), stated.err.as_str()),
        (found.out.as_str(), "")
    );
    let ls = tabia(
        &folder,
        &["ls", "german.pgn", "--columns", "plies", "--no-header"],
    );
    assert_eq!(ls.expect(3).out, "8\n".repeat(300));
    let english = tabia(&folder, &["convert", "german.pgn", "--pieces", "en"]).expect(3);
    assert!(!english.out.contains("Nf3"));
    // If a game does not agree, nothing is guessed.
    let mixed = german.repeat(300) + "[White \"B\"]\n\n1. e4 e5 2. Nf3 *\n";
    std::fs::write(folder.join("mixed.pgn"), mixed).unwrap();
    let mixed = tabia(&folder, &["convert", "mixed.pgn"]).expect(3);
    assert!(mixed.err.contains("`Sf3`"), "{}", mixed.err);
    assert_eq!(mixed.out.matches("Nf3").count(), 1);
    let wrong = tabia(&folder, &["convert", "german.pgn", "--pieces", "xx"]).expect(2);
    assert!(wrong.err.contains("one of en, de"), "{}", wrong.err);
}

#[test]
fn questions_and_guiding_texts_are_reduced_to_one_language() {
    let folder = with_games("languages-of-texts");
    let sample = crate::common::samples().join("tabia.cbv");
    let sample = sample.to_str().unwrap();
    let full = ["convert", sample, "--profile", "full", "--language"];
    let convert = |language| {
        tabia(&folder, &[&full[..], &[language]].concat())
            .expect(0)
            .out
    };
    let joined = |text: String| text.replace('\n', " ");
    let german = joined(convert("de"));
    assert!(
        german.contains("Dieses") || german.contains("dieses%20Beispiel"),
        "{german}"
    );
    assert!(german.contains("1:Weiß"), "{german}");
    for english in ["lang=0", "0:White%20to%20move"] {
        assert!(!german.contains(english), "{english}: {german}");
    }
    // What has none of the languages is kept.
    let polish = joined(convert("pl"));
    for kept in ["lang=0", "lang=1", "0:White%20to%20move"] {
        assert!(polish.contains(kept), "{kept}: {polish}");
    }
    // Who chose one language does not lose its name.
    let args = ["convert", sample, "-o", "de.pgn", "--language", "de"];
    let run = tabia(&folder, &args).expect(0);
    assert!(!run.err.contains("comment languages"), "{}", run.err);
}
