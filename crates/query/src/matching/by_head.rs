//! What the tags of a game decide.

use tabia_core::GameIndex;
use tabia_core::game::{Eco, GameHead, RecordKind, Tags};

use super::answer::Answer;
use crate::fold_case::{fold, fold_into};
use crate::language::{
    Bounds, DateField, EloField, GameMark, NameField, NameTest, Part, Speed, SpeedTest, Test,
    begins_word,
};

/// Whether ratings fit: unknown ones do not.
pub(super) fn ratings_fit(
    field: EloField,
    bounds: &[Bounds],
    [white, black]: [Option<u16>; 2],
) -> bool {
    let fits = |elo: Option<u16>| {
        elo.is_some_and(|elo| bounds.iter().any(|range| range.has(i64::from(elo))))
    };
    match field {
        EloField::Both => fits(white) && fits(black),
        EloField::Either => fits(white) || fits(black),
        EloField::White => fits(white),
        EloField::Black => fits(black),
        EloField::Mean => {
            let (Some(white), Some(black)) = (white, black) else {
                return false;
            };
            // Rounded down, as Lichess does, so that each mean fits a number.
            let mean = i64::midpoint(i64::from(white), i64::from(black));
            bounds.iter().any(|range| range.has(mean))
        }
    }
}

/// Whether White's rating minus Black's fits.
pub(super) fn rating_difference(bounds: &[Bounds], ratings: [Option<u16>; 2]) -> bool {
    let [Some(white), Some(black)] = ratings else {
        return false;
    };
    let difference = i64::from(white) - i64::from(black);
    bounds.iter().any(|range| range.has(difference))
}

/// What the head of a game decides about a term; `number` is the number of the game, from 1.
pub(super) fn answer(test: &Test, game: GameIndex, head: &GameHead, folded: &mut String) -> Answer {
    let tags = &head.tags;
    let is_text = head.kind == RecordKind::Text;
    match test {
        Test::Word(texts) => {
            let names: &[&str] = if is_text {
                &["Title", "White", "Event", "Site", "Annotator"]
            } else {
                &["White", "Black", "Event", "Site", "Annotator"]
            };
            let fits = any_fits(tags, names, folded, |name| {
                texts.iter().any(|text| begins_word(name, text))
            });
            unless_title_follows(fits, is_text)
        }
        Test::Name(field, tests) => {
            let names = tag_names(*field, is_text);
            let compare = |name: &str| tests.iter().any(|test: &NameTest| test.fits(name));
            let fits = any_fits(tags, names, folded, compare);
            match field {
                // Who won is known at the end.
                NameField::Winner | NameField::Loser if fits => Answer::Maybe,
                NameField::Event => unless_title_follows(fits, is_text),
                _ => fits.into(),
            }
        }
        Test::Elo(field, bounds) => {
            ratings_fit(*field, bounds, [tags.white_elo(), tags.black_elo()]).into()
        }
        Test::EloDifference(bounds) => {
            rating_difference(bounds, [tags.white_elo(), tags.black_elo()]).into()
        }
        Test::Date(field, tests) => {
            let name = match field {
                DateField::Game => "Date",
                DateField::Event => "EventDate",
            };
            let date = tabia_core::game::Date::of_text(tags.text(name));
            tests.iter().any(|test| test.fits(date)).into()
        }
        Test::Eco(ranges) => has_code(ranges, tags.eco()).into(),
        Test::Speed(tests) => speed_fits(tests, tags).into(),
        Test::Rated(values) => is_rated(tags)
            .is_some_and(|rated| values.contains(&rated))
            .into(),
        Test::Variant(texts) => {
            let variant = variant(head);
            let asks_for = |text: &String| {
                let name = letters(text);
                variant.starts_with(if is_chess960(&name) { CHESS960 } else { &name })
            };
            texts.iter().any(asks_for).into()
        }
        Test::FideId(bounds) => {
            let fits = |name: &str| {
                let id = tags.text(name).trim().parse::<i64>();
                id.is_ok_and(|id| bounds.iter().any(|range| range.has(id)))
            };
            (fits("WhiteFideId") || fits("BlackFideId")).into()
        }
        Test::Tag(wanted) => {
            let mut fits = false;
            for (name, value) in tags.iter() {
                for (wanted, text) in wanted {
                    fits |= name.eq_ignore_ascii_case(wanted)
                        && text.as_ref().is_none_or(|text| {
                            fold_into(value, folded);
                            begins_word(folded, text)
                        });
                }
            }
            fits.into()
        }
        Test::Has(parts) => {
            let known = |part: &Part| match part {
                Part::Setup => head.start.setup.is_some().into(),
                Part::Elo => (tags.white_elo().is_some() && tags.black_elo().is_some()).into(),
                Part::AnyElo => (tags.white_elo().is_some() || tags.black_elo().is_some()).into(),
                _ => Answer::Maybe,
            };
            parts.iter().map(known).max().unwrap_or_default()
        }
        Test::Is(marks) => marks
            .iter()
            .any(|mark| match mark {
                GameMark::Deleted => head.deleted,
                GameMark::Text => is_text,
                GameMark::Chess960 => head.start.chess960,
                // The query knows them.
                GameMark::Duplicate => false,
            })
            .into(),
        Test::Game(bounds) => {
            let number = i64::from(game.0) + 1;
            bounds.iter().any(|range| range.has(number)).into()
        }
        _ => Answer::Maybe,
    }
}

/// The title of a guiding text may follow among its annotations.
fn unless_title_follows(fits: bool, is_text: bool) -> Answer {
    if fits {
        Answer::Yes
    } else if is_text {
        Answer::Maybe
    } else {
        Answer::No
    }
}

/// Whether the folded value of one of the tags fits; unknown values fit nothing.
fn any_fits(
    tags: &Tags,
    names: &[&str],
    folded: &mut String,
    compare: impl Fn(&str) -> bool,
) -> bool {
    names.iter().any(|name| {
        let value = tags.text(name);
        if matches!((*name, value), (_, "" | "?") | ("Round", "-")) {
            return false;
        }
        fold_into(value, folded);
        compare(folded)
    })
}

/// The tags that a field covers.
fn tag_names(field: NameField, is_text: bool) -> &'static [&'static str] {
    match field {
        NameField::Player | NameField::Winner | NameField::Loser => &["White", "Black"],
        NameField::White => &["White"],
        NameField::Black => &["Black"],
        NameField::Event if is_text => &["Event", "Title", "White"],
        NameField::Event => &["Event"],
        NameField::Site => &["Site"],
        NameField::Round => &["Round"],
        NameField::Annotator => &["Annotator"],
        NameField::Source => &["SourceTitle", "Source"],
        NameField::Team => &["WhiteTeam", "BlackTeam"],
        NameField::Title => &["WhiteTitle", "BlackTitle"],
    }
}

fn speed_fits(tests: &[SpeedTest], tags: &Tags) -> bool {
    let control = tags.text("TimeControl");
    let speed = Speed::of_tags(tags.get("EventType"), control);
    tests.iter().any(|test| match test {
        SpeedTest::Class(wanted) => speed == Some(*wanted),
        SpeedTest::Exact(wanted) => control.trim() == wanted,
    })
}

/// Whether a game was rated: by the tag `Rated`, or by words of the event as Lichess writes it.
fn is_rated(tags: &Tags) -> Option<bool> {
    match tags.text("Rated").trim().to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" => return Some(true),
        "no" | "false" | "0" => return Some(false),
        _ => {}
    }
    let event = fold(tags.text("Event"));
    if begins_word(&event, "casual") || begins_word(&event, "unrated") {
        return Some(false);
    }
    begins_word(&event, "rated").then_some(true)
}

const CHESS960: &str = "chess960";

/// Whether the folded letters of a name are those of one of the names of Chess960.
fn is_chess960(name: &str) -> bool {
    name.starts_with("fischer") || name.contains("960")
}

/// The letters and digits of the variant's name.
fn variant(head: &GameHead) -> String {
    let name = letters(&fold(head.tags.text("Variant")));
    if head.start.chess960 || is_chess960(&name) {
        return CHESS960.to_owned();
    }
    if name.is_empty() {
        "standard".to_owned()
    } else {
        name
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether one of the ranges contains an opening code.
pub(super) fn has_code(ranges: &[(u16, u16)], eco: Option<Eco>) -> bool {
    eco.is_some_and(|eco| {
        ranges
            .iter()
            .any(|&(low, high)| (low..=high).contains(&eco.code()))
    })
}
