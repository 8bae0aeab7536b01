//! Performance ratings.

/// The rating difference for a score between 0 and 1 by the logistic curve of the Elo system, from
/// -800 to 800.
pub(crate) fn rating_difference(score: f64) -> f64 {
    if score <= 0.0 {
        -800.0
    } else if score >= 1.0 {
        800.0
    } else {
        (-400.0 * (1.0 / score - 1.0).log10()).clamp(-800.0, 800.0)
    }
}
