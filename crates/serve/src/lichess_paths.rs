//! The paths that programs made for Lichess' explorer ask.

/// Whether a path is one of those that other programs ask.
pub(crate) fn is_explorer(path: &str) -> bool {
    let is_endpoint = matches!(
        path,
        "/masters" | "/master" | "/lichess" | "/lichess/history" | "/player" | "/personal"
    );
    let exports = ["/masters/pgn/", "/master/pgn/", "/game/export/"];
    is_endpoint || exports.iter().any(|start| path.starts_with(start))
}
