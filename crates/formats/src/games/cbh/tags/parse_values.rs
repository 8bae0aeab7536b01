//! Values of tags as numbers and bytes: the reverse of [`ValueTags`](super::ValueTags).

use tabia_core::game::Date;
use tabia_core::loss::Feature;

use crate::games::cbh::field_codecs::encode_date;
use crate::games::cbh::nations;
use crate::games::common::date_spelling::is_spelled_as_written;

/// A value does not fit its field, or there is no field for it.
#[derive(Debug)]
pub(crate) struct DoesNotFit;

/// The feature that is lost with a tag.
pub(crate) fn feature(name: &str) -> Feature {
    let formats = ["Cb", "Scid", "Bpgn"];
    if formats.iter().any(|format| name.starts_with(format)) {
        Feature::HeaderFacts
    } else {
        Feature::Tags
    }
}

/// What is lost of a tag whose value was read for its field; `None` if it is kept. `fits`: the field
/// has the value; `is_copied`: as bytes that were stored before.
pub(crate) fn lost_feature(
    name: &str,
    value: &str,
    fits: bool,
    is_copied: bool,
) -> Option<Feature> {
    if !fits {
        return Some(feature(name));
    }
    // A hyphen is not distinguished from an unknown value.
    let is_hyphen = value == "-" && name != "Result" && !is_copied;
    let is_changed = is_hyphen || is_rounded(name, value) || is_respelled(name, value);
    is_changed.then(|| changed_feature(name, value))
}

/// What is lost of a code of an opening that is stored as this one: only the spelling if the letter is a
/// small one. Of a longer code only the beginning is stored.
pub(crate) fn changed_eco_feature(text: &str, stored: &str) -> Option<Feature> {
    if text == stored {
        None
    } else if text.eq_ignore_ascii_case(stored) {
        Some(Feature::TagSpellings)
    } else {
        Some(Feature::Tags)
    }
}

/// The feature that is lost with the value of a tag that is read as another text: only the spelling if
/// it means the same.
fn changed_feature(name: &str, value: &str) -> Feature {
    let keeps_meaning = match value {
        "" | "?" => true,
        // There is none, as opposed to unknown.
        "-" => false,
        value => !is_number(name) || is_same_number(value),
    };
    match feature(name) {
        Feature::Tags if keeps_meaning => Feature::TagSpellings,
        other => other,
    }
}

/// The feature that is lost with a player's name of which these parts are stored: only the spelling if
/// it differs in blanks, as that after the comma.
pub(crate) fn changed_name_feature(name: &str, last: &str, first: &str) -> Feature {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| !c.is_whitespace())
            .collect::<String>()
    };
    let comma = if first.is_empty() { "" } else { "," };
    if letters(name).trim_end_matches(',') == letters(&format!("{last}{comma}{first}")) {
        Feature::TagSpellings
    } else {
        Feature::Tags
    }
}

/// Whether a tag has a number: that of a round may have a part.
fn is_number(name: &str) -> bool {
    matches!(
        name,
        "WhiteElo"
            | "BlackElo"
            | "EventRounds"
            | "EventCategory"
            | "SourceVersion"
            | "SourceQuality"
            | "Board"
            | "WhiteFideId"
            | "BlackFideId"
            | "Round"
    )
}

/// Whether a text is a number with leading zeros or blanks, which alone are lost of it.
fn is_same_number(text: &str) -> bool {
    let digits = text.trim();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a value means *unknown*.
pub(crate) fn is_unknown(value: &str) -> bool {
    matches!(value, "" | "?" | "-")
}

/// Whether the value of a tag states nothing: it is unknown, or an unknown result or date.
pub(crate) fn states_nothing(name: &str, value: &str) -> bool {
    let is_date = ["Date", "EventDate"].contains(&name);
    is_unknown(value) || value == "*" || is_date && Date::parse(value) == Some(Date::UNKNOWN)
}

/// Whether the value of a tag is read as another text or not at all: an unknown one, which only the tags that
/// every game has keep, or another spelling of a date.
fn is_respelled(name: &str, value: &str) -> bool {
    match name {
        "Result" => false,
        // They are read as `?` if they are empty.
        "Event" | "Site" | "Round" | "White" | "Black" => value.is_empty(),
        // An unknown date is read as one, however it is written.
        "Date" => !is_spelled_as_written(value) && Date::parse(value) != Some(Date::UNKNOWN),
        "EventDate" | "SourceDate" | "SourceVersionDate" => {
            value == "????.??.??" || !is_spelled_as_written(value)
        }
        _ => matches!(value, "" | "?"),
    }
}

/// Whether a name is `Last, First`, or one of both alone, as readers join them.
pub(crate) fn is_joined(name: &str, last: &str, first: &str) -> bool {
    let rest = name.strip_prefix(last);
    if first.is_empty() {
        return rest == Some("");
    }
    rest.and_then(|rest| rest.strip_prefix(", ")) == Some(first)
}

/// Whether a number is stored, but its text is not: `01`, `0`, a round `0.1`, which is read as `?.1`.
fn is_rounded(name: &str, value: &str) -> bool {
    if is_plain_number(value) {
        return false;
    }
    let stored = match name {
        "Round" => round::<u32>(value),
        _ if is_number(name) => number::<u32>(value).map(|number| (number, 0)),
        _ => return false,
    };
    let text = match stored {
        Ok((0, 0)) => String::new(),
        Ok((0, sub_round)) => format!("?.{sub_round}"),
        Ok((number, 0)) => number.to_string(),
        Ok((number, sub_round)) => format!("{number}.{sub_round}"),
        Err(DoesNotFit) => return false,
    };
    !is_unknown(value) && text != value
}

/// Whether a text is a number above 0 of at most nine digits, in the usual spelling.
fn is_plain_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes, [b'1'..=b'9', ..]) && bytes.len() < 10 && bytes.iter().all(u8::is_ascii_digit)
}

/// Whether the value of a tag `Variant` means Chess960.
pub(crate) fn is_chess960(variant: &str) -> bool {
    let variant = variant.to_ascii_lowercase();
    variant.contains("960") || variant.contains("fischer")
}

/// A number; an unknown value is 0.
pub(crate) fn number<T: std::str::FromStr>(value: &str) -> Result<T, DoesNotFit> {
    if is_unknown(value) {
        return "0".parse().map_err(|_| DoesNotFit);
    }
    value.trim().parse().map_err(|_| DoesNotFit)
}

/// The stored number of a date; of an impossible one, which is not `exact`, the parts that are possible.
pub(crate) fn date(value: &str, exact: &mut Result<(), DoesNotFit>) -> u32 {
    if is_unknown(value) {
        return 0;
    }
    encode_date(Date::parse(value).unwrap_or_else(|| {
        *exact = Err(DoesNotFit);
        Date::parse_possible(value)
    }))
}

/// The number of a Chess960 start position.
pub(crate) fn start_number(value: &str) -> Result<u16, DoesNotFit> {
    let number = number::<u16>(value)?;
    if number < 960 {
        Ok(number)
    } else {
        Err(DoesNotFit)
    }
}

/// A round and its part, 0 if absent.
pub(crate) fn round<T: std::str::FromStr + From<u8>>(value: &str) -> Result<(T, T), DoesNotFit> {
    match value.split_once('.') {
        Some((round, sub_round)) => Ok((number(round)?, number(sub_round)?)),
        None => Ok((number(value)?, T::from(0))),
    }
}

/// The number of a nation with these letters.
pub(crate) fn nation(value: &str) -> Result<u8, DoesNotFit> {
    if is_unknown(value) {
        return Ok(0);
    }
    nations::number(value).ok_or(DoesNotFit)
}

/// The type of a rating in `.cbj`.
pub(crate) fn rating(value: &str) -> Result<[u8; 16], DoesNotFit> {
    let mut bytes = [0; 16];
    if value != "none" {
        hex(value, &mut bytes)?;
    }
    Ok(bytes)
}

/// Fills bytes from hexadecimal digits.
pub(crate) fn hex(value: &str, bytes: &mut [u8]) -> Result<(), DoesNotFit> {
    if value.len() != bytes.len() * 2 {
        return Err(DoesNotFit);
    }
    for (byte, digits) in bytes.iter_mut().zip(value.as_bytes().chunks_exact(2)) {
        let digits = std::str::from_utf8(digits).map_err(|_| DoesNotFit)?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| DoesNotFit)?;
    }
    Ok(())
}
