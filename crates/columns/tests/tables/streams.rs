//! Streams that a consumer reads.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tabia::Resolver;
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
