//! Which column the value of a tag goes to. Neighbouring games mostly have tags with the same names, so that names
//! are rarely compared with those of columns.

use tabia::core::game::{TagNames, Tags};

/// A text of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextField {
    White,
    Black,
    Event,
    Site,
    Round,
    Annotator,
    WhiteTeam,
    BlackTeam,
    WhiteTitle,
    BlackTitle,
    Date,
    Eco,
    Opening,
    TimeControl,
    Termination,
    Variant,
    Fen,
    Pgn,
}

/// Where the value of a tag goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagTarget {
    Name(TextField),
    TimeControl,
    Date,
    Elo(usize),
    FideId(usize),
    UtcTime,
    Result,
    Fen,
    SetUp,
    Variant,
    /// The column `tags`.
    Other,
}

impl TagTarget {
    fn of(name: &str) -> Self {
        match name {
            "White" => Self::Name(TextField::White),
            "Black" => Self::Name(TextField::Black),
            "Event" => Self::Name(TextField::Event),
            "Site" => Self::Name(TextField::Site),
            "Round" => Self::Name(TextField::Round),
            "Annotator" => Self::Name(TextField::Annotator),
            "WhiteTeam" => Self::Name(TextField::WhiteTeam),
            "BlackTeam" => Self::Name(TextField::BlackTeam),
            "WhiteTitle" => Self::Name(TextField::WhiteTitle),
            "BlackTitle" => Self::Name(TextField::BlackTitle),
            "ECO" => Self::Name(TextField::Eco),
            "Opening" => Self::Name(TextField::Opening),
            "Termination" => Self::Name(TextField::Termination),
            "TimeControl" => Self::TimeControl,
            "Date" => Self::Date,
            "WhiteElo" => Self::Elo(0),
            "BlackElo" => Self::Elo(1),
            "WhiteFideId" => Self::FideId(0),
            "BlackFideId" => Self::FideId(1),
            "UTCTime" => Self::UtcTime,
            "Result" => Self::Result,
            "FEN" => Self::Fen,
            "SetUp" => Self::SetUp,
            "Variant" => Self::Variant,
            _ => Self::Other,
        }
    }
}

/// Lists of names that are remembered.
const MAX_LISTS: usize = 16;
/// Bytes of the names and values of tags whose names are remembered, at most.
const MAX_BYTES: usize = 1 << 12;

/// The targets of the most recent lists of tags.
#[derive(Debug, Default)]
pub(crate) struct TagTargets {
    /// The oldest first.
    lists: Vec<(TagNames, Vec<TagTarget>)>,
    /// The list that was used last.
    last: usize,
    /// Targets of tags that are too long to be remembered.
    long: Vec<TagTarget>,
}

impl TagTargets {
    /// The targets of all tags, in their order.
    pub(crate) fn of(&mut self, tags: &Tags) -> &[TagTarget] {
        let is_for = |(names, _): &(TagNames, _)| tags.have_names(names);
        if !self.lists.get(self.last).is_some_and(is_for) {
            let mut known = Vec::new();
            let targets = tags.iter().map(|(name, _)| {
                let target = TagTarget::of(name);
                // As for queries the first tag with a name decides, whether it has a value or not.
                if target != TagTarget::Other && known.contains(&target) {
                    return TagTarget::Other;
                }
                known.push(target);
                target
            });
            if tags.size() > MAX_BYTES {
                self.long.clear();
                self.long.extend(targets);
                return &self.long;
            }
            if let Some(known) = self.lists.iter().position(is_for) {
                self.last = known;
            } else {
                if self.lists.len() == MAX_LISTS {
                    self.lists.remove(0);
                }
                self.last = self.lists.len();
                self.lists.push((tags.names(), targets.collect()));
            }
        }
        self.lists
            .get(self.last)
            .map_or(&[], |(_, targets)| targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_the_names() {
        let mut targets = TagTargets::default();
        for round in 0..3 {
            for number in 0..40 {
                let name = format!("Tag{number}");
                let long = "x".repeat(if number == 7 { MAX_BYTES } else { round });
                let pairs = [
                    ("White", "A"),
                    (name.as_str(), long.as_str()),
                    ("BlackElo", "1"),
                ];
                let tags: Tags = pairs.into_iter().collect();
                let expected = [
                    TagTarget::Name(TextField::White),
                    TagTarget::Other,
                    TagTarget::Elo(1),
                ];
                assert_eq!(targets.of(&tags), expected);
                assert_eq!(targets.of(&tags), expected);
            }
        }
        assert!(targets.of(&Tags::new()).is_empty());
        let tags: Tags = [("White", "?"), ("Date", "?"), ("White", "A")]
            .into_iter()
            .collect();
        let expected = [
            TagTarget::Name(TextField::White),
            TagTarget::Date,
            TagTarget::Other,
        ];
        assert_eq!(targets.of(&tags), expected);
    }
}
