//! Answers that are sent in parts.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use tokio::sync::mpsc;

/// Parts that wait for the client.
const WAITING: usize = 8;

/// Sends the parts of a body.
#[derive(Debug)]
pub(crate) struct Sender(mpsc::Sender<Bytes>);

impl Sender {
    /// Waits until the client takes it; `false` once the client is gone.
    pub(crate) async fn send(&self, bytes: Bytes) -> bool {
        self.0.send(bytes).await.is_ok()
    }

    /// Waits until the client is gone.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}

struct Parts(mpsc::Receiver<Bytes>);

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = self.0.poll_recv(context);
        part.map(|part| part.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A body and what fills it; it ends when the sender is dropped.
pub(crate) fn body() -> (Sender, Body) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Sender(sender), Body::new(Parts(receiver)))
}
