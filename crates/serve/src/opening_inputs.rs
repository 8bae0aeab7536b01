//! Requests for an input that another request opens: they wait for it and share it.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, Response};
use axum::middleware::Next;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a request waits for inputs that others open.
const PATIENCE: Duration = Duration::from_secs(30);

/// An input that is being opened.
#[derive(Debug, Clone)]
pub(crate) struct Opening(watch::Receiver<()>);

/// Ends the [`Opening`] when it is dropped, whether the input could be opened or not.
#[derive(Debug)]
pub(crate) struct OpeningGuard(
    #[expect(dead_code, reason = "dropped at the end")] watch::Sender<()>,
);

impl Opening {
    pub(crate) fn begin() -> (OpeningGuard, Self) {
        let (sender, receiver) = watch::channel(());
        (OpeningGuard(sender), Self(receiver))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.has_changed().is_err()
    }

    /// Waits for its end, at most until `deadline`; `false` if it did not end.
    pub(crate) async fn wait(mut self, deadline: Instant) -> bool {
        // Nothing is sent: a change is the end.
        tokio::time::timeout_at(deadline, self.0.changed())
            .await
            .is_ok()
    }
}

/// Until when a request that begins now waits.
pub(crate) fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

/// Answers a request that only reads again when the inputs that others opened are open. No thread waits for that.
pub(crate) async fn wait_for_inputs(request: Request, next: Next) -> Response<Body> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let deadline = deadline();
    let (parts, _) = request.into_parts();
    loop {
        let again = Request::from_parts(parts.clone(), Body::empty());
        let response = next.clone().run(again).await;
        let Some(opening) = response.extensions().get::<Opening>() else {
            return response;
        };
        if !opening.clone().wait(deadline).await {
            return response;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_who_wait_go_on_when_the_input_is_open() {
        let (guard, opening) = Opening::begin();
        assert!(!opening.is_over());
        let soon = Instant::now() + Duration::from_millis(1);
        assert!(!opening.clone().wait(soon).await);
        let late = deadline();
        let waiting: Vec<_> = (0..4)
            .map(|_| tokio::spawn(opening.clone().wait(late)))
            .collect();
        drop(guard);
        for waiting in waiting {
            assert!(waiting.await.unwrap());
        }
        assert!(opening.is_over());
        assert!(opening.wait(late).await);
    }
}
