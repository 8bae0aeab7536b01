//! Streams that a consumer reads.

use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tabia::{InputItem, Observer, Problem, Resolver};
use tabia_columns::stream::TableStream;
use tabia_columns::write::TableOptions;
use tabia_testkit::Scratch;

#[test]
fn a_stream_that_is_cancelled_ends_with_an_error() {
    let scratch = Scratch::new("stream");
    let path = scratch.join("many.pgn");
    std::fs::write(&path, "1. e4 e5 *\n\n".repeat(300_000)).unwrap();
    let items = Resolver::default().resolve(path.as_os_str()).unwrap();
    let mut stream = TableStream::new(Arc::new(items), TableOptions::default());
    // It has just begun.
    assert!(stream.poll_batch(Duration::ZERO).is_pending());
    stream.progress().cancel();
    let batches = std::iter::from_fn(|| stream.next_batch());
    let ends: Vec<bool> = batches.map(|batch| batch.is_ok()).collect();
    assert!(ends.len() < 5, "all batches came");
    assert_eq!(ends.last(), Some(&false));
    assert!(matches!(
        stream.poll_batch(Duration::ZERO),
        Poll::Ready(None)
    ));
}

/// Keeps problems as texts.
struct Texts(Arc<Mutex<Vec<String>>>);

impl Observer for Texts {
    fn problem(&mut self, _: &InputItem, problem: &Problem) -> tabia::Result<()> {
        self.0.lock().unwrap().push(problem.error.to_string());
        Ok(())
    }
}

#[test]
fn the_observer_of_a_stream_gets_the_problems() {
    let scratch = Scratch::new("stream");
    let path = scratch.join("bad.pgn");
    std::fs::write(&path, "1. e4 e5 *\n\n1. e4 e5 2. Ke3 *\n\n1. d5 *\n").unwrap();
    let items = Resolver::default().resolve(path.as_os_str()).unwrap();
    let problems = Arc::default();
    let observer = Box::new(Texts(Arc::clone(&problems)));
    let options = TableOptions::default();
    let stream = TableStream::with_observer(Arc::new(items), options, observer);
    let rows: usize = stream.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 3);
    let problems = problems.lock().unwrap();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("game 2") && problems[1].contains("game 3"));
}
