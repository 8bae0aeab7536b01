//! Items of the game as a whole that are tags in PGN: the clocks at the end of the game (kinds 16 and 17)
//! and the time control (kind 24).

use tabia_core::game::TimeControl;
use tabia_core::io::Cursor;

use super::decode::time_control;
use super::items::kind;

/// A tag of a game that is stored as an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GameTag {
    /// `WhiteClock`.
    WhiteClock,
    /// `BlackClock`.
    BlackClock,
    /// `TimeControl`.
    TimeControl,
}

impl GameTag {
    /// The tag of an item's kind; `None` for other kinds.
    pub(crate) const fn of_kind(kind: u8) -> Option<Self> {
        match kind {
            kind::WHITE_CLOCK => Some(Self::WhiteClock),
            kind::BLACK_CLOCK => Some(Self::BlackClock),
            kind::TIME_CONTROL => Some(Self::TimeControl),
            _ => None,
        }
    }

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::WhiteClock => "WhiteClock",
            Self::BlackClock => "BlackClock",
            Self::TimeControl => "TimeControl",
        }
    }

    /// The value of the tag for the data of an item of `.cba`; `None` if no tag can state it.
    pub(crate) fn value(self, data: &[u8]) -> Option<String> {
        let mut cursor = Cursor::new(data);
        let text = match self {
            Self::WhiteClock | Self::BlackClock => clock_text(cursor.i32_be("clock").ok()?)?,
            Self::TimeControl => time_control(&mut cursor).ok()?.pgn()?,
        };
        cursor.is_empty().then_some(text)
    }
}

/// Selects the items that become tags: the first of each kind.
#[derive(Debug, Default)]
pub(crate) struct GameTags([bool; 3]);

impl GameTags {
    /// Whether a tag is the first of its kind.
    pub(crate) fn add(&mut self, tag: GameTag) -> bool {
        let seen = self.0.get_mut(tag as usize);
        seen.is_some_and(|seen| !std::mem::replace(seen, true))
    }
}

/// A clock as `h:mm:ss`, or `h:mm:ss.hh` if there is a fraction; `None` for a negative one.
pub(crate) fn clock_text(hundredths: i32) -> Option<String> {
    let hundredths = u32::try_from(hundredths).ok()?;
    let (seconds, fraction) = (hundredths / 100, hundredths % 100);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let mut text = format!("{hours}:{minutes:02}:{:02}", seconds % 60);
    if fraction != 0 {
        text.push_str(format!(".{fraction:02}").trim_end_matches('0'));
    }
    Some(text)
}

/// Hundredths of a second of `h:mm:ss`, `m:ss` or `s`, with up to two decimals; `None` for other texts.
pub(crate) fn parse_clock(text: &str) -> Option<i32> {
    let (time, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut seconds = 0_u64;
    for (number, part) in time.split(':').enumerate() {
        if number > 2 || part.len() > 6 || !is_number(part) {
            return None;
        }
        seconds = seconds * 60 + part.parse::<u64>().ok()?;
    }
    let fraction = match fraction.len() {
        1 if is_number(fraction) => fraction.parse::<u64>().ok()? * 10,
        2 if is_number(fraction) => fraction.parse().ok()?,
        _ => return None,
    };
    i32::try_from(seconds.checked_mul(100)?.checked_add(fraction)?).ok()
}

/// The time control of a tag, with unused stages as `.cba` has them.
pub(crate) fn parse_time_control(text: &str) -> Option<TimeControl> {
    let mut control = TimeControl::parse(text)?;
    for stage in &mut control.stages {
        if stage.kind == 5 {
            stage.moves = tabia_core::game::TimeStage::REST;
        }
    }
    Some(control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_round_trip() {
        for (hundredths, text) in [
            (1500, "0:00:15"),
            (0, "0:00:00"),
            (360_000, "1:00:00"),
            (36_000_037, "100:00:00.37"),
            (50, "0:00:00.5"),
        ] {
            assert_eq!(clock_text(hundredths).as_deref(), Some(text));
            assert_eq!(parse_clock(text), Some(hundredths));
        }
        assert_eq!(clock_text(-1), None);
        assert_eq!(parse_clock("15:00"), Some(90_000));
        for text in [
            "", "?", "1:2:3:4", "1:x", "1.", "1.234", "-1", "+1", "9999999",
        ] {
            assert_eq!(parse_clock(text), None, "{text}");
        }
    }

    #[test]
    fn items_have_the_value_of_a_tag() {
        let value = |kind, data: &[u8]| GameTag::of_kind(kind)?.value(data);
        // Made by ChessBase of the tag `WhiteClock "0:00:15"`.
        assert_eq!(value(0x16, &[0, 0, 5, 0xdc]).as_deref(), Some("0:00:15"));
        // Game 970 of a set of world championships.
        let control = [
            0, 0x0a, 0xfc, 0x80, 0, 0, 0x0b, 0xb8, 0, 0x28, 1, 0, 5, 0x7e, 0x40, 0, 0, 0x0b, 0xb8,
            0, 0x14, 1, 0, 1, 0x5f, 0x90, 0, 0, 0x0b, 0xb8, 3, 0xe8, 3,
        ];
        let text = "40/7200+30:20/3600+30:900+30";
        assert_eq!(value(0x24, &control).as_deref(), Some(text));
        assert_eq!(value(0x24, &control[1..]), None);
        assert_eq!(value(0x17, &[0xff; 4]), None);
        assert_eq!(value(0x02, &[0; 4]), None);
    }
}
