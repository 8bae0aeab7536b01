//! Guiding texts are records, which copies have, and no games: jobs that count or compare games leave them
//! out.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::dedupe::{DedupeOptions, find_duplicates};
use tabia::names::{NamedThing, NamesOptions, find_clusters};
use tabia::select::Selection;
use tabia::stats::{StatsOptions, stats};
use tabia::{InputItem, NoObserver, Progress, Resolver};
use tabia_testkit::Scratch;

/// Two games of one pair, and two texts whose titles are almost the names of the players.
const TEXT: &str = r#"[Event "Open"]
[White "Kasparov, Garry"]
[Black "Karpov, Anatoly"]
[Result "1-0"]

1. e4 e5 1-0

[Event "Open"]
[White "Kasparov, Garry"]
[Black "Karpov, Anatoly"]
[Result "1-0"]

1. e4 e5 1-0

[Event "Opem"]
[White "Kasparov, Gary"]
[Annotator "Author, Anna"]
[Result "*"]
[TabiaRecord "text"]

*

[Event "Opem"]
[White "Kasparov, Gary"]
[Annotator "Author, Ana"]
[Result "*"]
[TabiaRecord "text"]

*
"#;

#[test]
fn jobs_on_games_leave_out_guiding_texts() {
    let scratch = Scratch::new("guiding-texts");
    let path = scratch.join("games.pgn");
    std::fs::write(&path, TEXT).unwrap();
    let resolver = Resolver::default();
    let items: Vec<InputItem> = resolver.resolve(path.as_os_str()).unwrap();
    let progress = Arc::new(Progress::new());

    let options = NamesOptions::default();
    let found = find_clusters(&items, &options, &progress, &mut NoObserver);
    let kinds: Vec<NamedThing> = found
        .unwrap()
        .1
        .iter()
        .map(|cluster| cluster.kind)
        .collect();
    assert!(!kinds.contains(&NamedThing::Player), "{kinds:?}");
    assert!(!kinds.contains(&NamedThing::Event), "{kinds:?}");

    let mut games = Vec::new();
    let options = StatsOptions::default();
    let counted = stats(&items, &options, &progress, &mut NoObserver, &mut |row| {
        games.push(row.games);
        Ok(true)
    });
    counted.unwrap();
    assert_eq!(games, [2]);

    let options = DedupeOptions::default();
    let (_, duplicates) = find_duplicates(&items, &options, &progress, &mut NoObserver).unwrap();
    assert_eq!(duplicates.len(), 1);

    // A copy has them, unless games are asked for.
    for (selection, texts) in [(Selection::default(), 2), (Selection::games(), 0)] {
        let mut options = ConvertOptions::default();
        options.create.force = true;
        options.plan.selection = selection;
        let target = Target::file(&resolver, &scratch.join("copy.cbh"), None).unwrap();
        let done = convert(&items, target, &options, &progress, &mut NoObserver);
        let (summary, written) = done.unwrap();
        assert_eq!((summary.counts.games, summary.counts.texts), (2, texts));
        assert_eq!(u64::from(written.records), 2 + texts);
    }
}
