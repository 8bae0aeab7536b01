//! The problems that people meet most are texts that the page has in its languages.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::Running;
use serde_json::Value;
use tabia_testkit::Scratch;

#[test]
fn every_usual_problem_of_pgn_is_known() {
    let folder = Scratch::new("serve-known-problems");
    let games = [
        "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 ) e5 2. Nf3 } Nc6 *\n\n",
        "[White \"A\"]\n\n1. e4 $300 e5 [text] 2. Ke3 *\n\n",
        "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5\n\n",
        "[White \"A]\nno tag\n[Black \"B\"]\n\n1. e4 e9 *\n\n",
        "[White \"A\"]\n[FEN \"nonsense\"]\n\n1. e4 *\n\n",
        "[White \"A\"]\n\n(1. e4) 1. d4 * 2. c4 *\n\n",
        "[White \"A\"]\n\n1. e4 (1. d4 *\n\n",
        "[White \"A\"]\n\n1. e4 {open",
    ];
    std::fs::write(folder.join("g.pgn"), games.concat()).unwrap();
    let server = Running::start(&[folder.path()], |_| {});
    let (status, answer) = server.get("db/g.pgn/health?wait=20000");
    assert_eq!(status, 200, "{answer}");
    let kinds = answer["kinds"].as_array().unwrap();
    assert!(kinds.len() > 9, "{answer}");
    let examples = kinds
        .iter()
        .flat_map(|kind| kind["examples"].as_array().unwrap());
    let unknown: Vec<&Value> = examples
        .filter(|example| example["known"].is_null())
        .map(|example| &example["text"])
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    server.stop();
}
