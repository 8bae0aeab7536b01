//! The features that PGN holds in each profile.

use tabia_core::formats::{CreateOptions, Profile};
use tabia_core::loss::{Feature, Features};

/// The features that PGN holds in `profile`.
pub(super) const fn features(profile: Profile) -> Features {
    match profile {
        Profile::Full => Features::ALL.without(&[Feature::DatabaseFacts, Feature::MediaFiles]),
        Profile::Standard => STANDARD,
        Profile::Lichess => STANDARD.without(&[Feature::EvalDepths, Feature::NullMoves]),
        Profile::ChessBase => {
            STANDARD.with(&[Feature::Medals, Feature::EvalProfiles, Feature::Training])
        }
        Profile::Seven => SEVEN,
    }
}

/// The features that PGN holds with these options.
pub(super) fn features_with(options: &CreateOptions) -> Features {
    features(options.profile)
}

const SEVEN: Features = Features::of(&[
    Feature::Moves,
    Feature::ChessGames,
    Feature::TagSpellings,
    Feature::LongText,
    Feature::Characters,
    Feature::SetupPositions,
    Feature::IllegalPositions,
    Feature::Chess960,
    Feature::NullMoves,
]);

const STANDARD: Features = SEVEN.with(&[
    Feature::Tags,
    Feature::Variations,
    Feature::Comments,
    Feature::CommentPlacement,
    Feature::SeveralComments,
    Feature::Nags,
    Feature::Shapes,
    Feature::Clocks,
    Feature::Evals,
    Feature::EvalDepths,
    Feature::Quotations,
    Feature::UnreadMoves,
]);
