//! [`Feature`], a kind of data that a format can or cannot hold, and the set [`Features`].

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $one:literal / $several:literal,)*) => {
        /// A kind of data that a game or book can contain and that a format can or cannot hold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Feature { $($(#[$doc])* $name,)* }

        impl Feature {
            /// Every feature, in display order.
            pub const ALL: &'static [Feature] = &[$(Feature::$name,)*];

            /// The plural noun for tables and reports.
            pub const fn label(self) -> &'static str {
                match self { $(Feature::$name => $several,)* }
            }

            /// The noun for `count` items: singular for 1, otherwise plural.
            pub const fn noun(self, count: u64) -> &'static str {
                match self { $(Feature::$name => if count == 1 { $one } else { $several },)* }
            }

            /// A stable key for JSON, in lower camel case.
            pub fn key(self) -> String {
                if self == Feature::CommentPlacement {
                    // Older name of the feature; keys in JSON do not change.
                    return "commentPlaces".to_owned();
                }
                let name = format!("{self:?}");
                let mut chars = name.chars();
                chars.next().map_or_else(String::new, |c| c.to_ascii_lowercase().to_string() + chars.as_str())
            }
        }
    };
}

features! {
    /// Tag pairs beyond the Seven Tag Roster.
    Tags = "tag" / "tags",
    /// Other spellings of a tag value that mean the same: `Adams,M` for `Adams, M`, `01` for `1`, an empty
    /// value for none.
    TagSpellings = "spelling of a name or value" / "spellings of names and values",
    /// Header facts that only some database formats store (rating types, save times, …).
    HeaderFacts = "header detail of another program" / "header details of other programs",
    /// Facts of the database itself: title, type, names of flags.
    DatabaseFacts = "detail of the database itself" / "details of the database itself",
    /// Values longer than the target's fields.
    LongText = "text cut to fit" / "texts cut to fit",
    /// Line breaks and other control characters in the values of tags.
    TagText = "tag with a control character, now a blank" / "tags with control characters, now blanks",
    /// Characters outside the target's character set; each text that has some is counted once.
    Characters = "text with characters that the target lacks" / "texts with characters that the target lacks",
    /// Setup positions.
    SetupPositions = "setup position" / "setup positions",
    /// Setup positions that are not legal chess.
    IllegalPositions = "setup position that is not legal chess" / "setup positions that are not legal chess",
    /// Chess960 games.
    Chess960 = "Chess960 game" / "Chess960 games",
    /// Null moves.
    NullMoves = "null move" / "null moves",
    /// Variations.
    Variations = "variation" / "variations",
    /// Comments.
    Comments = "comment" / "comments",
    /// Comments before their move, or after its variations.
    CommentPlacement = "moved comment" / "moved comments",
    /// Languages of comments.
    Languages = "comment language" / "comment languages",
    /// Line breaks and braces inside comments.
    CommentText = "line break or brace in comments" / "line breaks or braces in comments",
    /// Several comments on one move.
    SeveralComments = "separate comment on one move" / "separate comments on one move",
    /// Numeric annotation glyphs.
    Nags = "move symbol" / "move symbols",
    /// Coloured squares and arrows.
    Shapes = "coloured square or arrow" / "coloured squares and arrows",
    /// Colours of shapes that have no letter.
    ShapeColors = "colour of a square or arrow" / "colours of squares and arrows",
    /// Clock times.
    Clocks = "clock time" / "clock times",
    /// Evaluations on moves.
    Evals = "evaluation" / "evaluations",
    /// Depths and engines of evaluations.
    EvalDepths = "depth of an evaluation" / "depths of evaluations",
    /// Evaluation profiles of games.
    EvalProfiles = "evaluation graph" / "evaluation graphs",
    /// Medals.
    Medals = "medal" / "medals",
    /// Critical positions.
    CriticalPositions = "critical position" / "critical positions",
    /// Colours of variations.
    VariationColors = "variation colour" / "variation colours",
    /// Pawn-structure marks.
    PawnStructures = "pawn-structure mark" / "pawn-structure marks",
    /// Piece-path marks.
    PiecePaths = "piece-path mark" / "piece-path marks",
    /// Training questions.
    Training = "training question" / "training questions",
    /// Quoted games.
    Quotations = "game quotation" / "game quotations",
    /// Web links.
    WebLinks = "web link" / "web links",
    /// References to sounds, pictures and videos.
    Media = "media reference" / "media references",
    /// Files in the folders of media next to a database. No game has them, so that no format has the feature:
    /// whoever copies games leaves the files where they are.
    MediaFiles = "media file" / "media files",
    /// Times in a video.
    VideoTimes = "video time" / "video times",
    /// Structured time controls.
    TimeControls = "time control" / "time controls",
    /// Guiding texts.
    GuidingTexts = "guiding text" / "guiding texts",
    /// Results that PGN has no marker for (forfeits, both lost).
    SpecialResults = "forfeit result" / "forfeit results",
    /// Deletion marks.
    DeletionMarks = "deletion mark" / "deletion marks",
    /// Data of one format without a common meaning.
    Foreign = "detail of one program only" / "details of one program only",
    /// Weights of book moves.
    BookWeights = "weight of a book move" / "weights of book moves",
    /// Numbers of games in which book moves were played.
    BookCounts = "game count of a book move" / "game counts of book moves",
    /// Results of games with book moves.
    BookResults = "result of a book move" / "results of book moves",
    /// Ratings of the players of book moves.
    BookRatings = "rating of a book move" / "ratings of book moves",
    /// The author's advice to play book moves before all others, or never.
    BookAdvice = "book move with advice" / "book moves with advice",
    /// Polyglot's `learn` values of book moves, see [`Learn`](crate::books::Learn).
    BookLearn = "learn value of a book move" / "learn values of book moves",
    /// Book moves and positions that the format cannot encode or has no space for.
    BookMoves = "book move without a code" / "book moves without a code",
    /// Games that a book points to.
    GameLinks = "link to a game" / "links to games",
    /// Moves that could not be read.
    UnreadMoves = "unreadable move" / "unreadable moves",
    /// Moves of games.
    Moves = "move" / "moves",
    /// Games of chess, as opposed to matches of bughouse.
    ChessGames = "game of ordinary chess" / "games of ordinary chess",
}

impl Feature {
    /// Whether only opening books can hold it.
    pub const fn is_of_books(self) -> bool {
        matches!(
            self,
            Self::BookWeights
                | Self::BookCounts
                | Self::BookResults
                | Self::BookRatings
                | Self::BookAdvice
                | Self::BookLearn
                | Self::BookMoves
                | Self::GameLinks
        )
    }

    /// Whether a database of games can hold it.
    pub const fn is_of_games(self) -> bool {
        !self.is_of_books()
    }
}

/// A set of [`Feature`]s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// The empty set.
    pub const NONE: Features = Features(0);
    /// The set of all features.
    pub const ALL: Features = Features((1 << Feature::ALL.len()) - 1);

    /// The set of the features listed.
    pub const fn of(features: &[Feature]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < features.len() {
            bits |= 1 << features[i] as u64;
            i += 1;
        }
        Self(bits)
    }

    /// This set without the features listed.
    pub const fn without(self, features: &[Feature]) -> Self {
        Self(self.0 & !Self::of(features).0)
    }

    /// This set with the features listed.
    pub const fn with(self, features: &[Feature]) -> Self {
        Self(self.0 | Self::of(features).0)
    }

    /// Whether `feature` is in the set.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u64) != 0
    }

    /// The features in display order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL
            .iter()
            .copied()
            .filter(move |feature| self.has(*feature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_bits_are_distinct() {
        assert!(Feature::ALL.len() < 64);
        assert_eq!(Features::ALL.iter().count(), Feature::ALL.len());
        assert_eq!(Feature::EvalDepths.key(), "evalDepths");
    }
}
