//! Values from text with [`str::parse`].

use std::fmt;
use std::str::FromStr;

use super::annotation::Nag;
use super::date::Date;
use super::eco::Eco;
use super::result::GameResult;
use crate::chess::Square;
use crate::error::Error;

/// A text is not the value that was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseValueError(&'static str);

impl fmt::Display for ParseValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not {}", self.0)
    }
}

impl std::error::Error for ParseValueError {}

impl From<ParseValueError> for Error {
    fn from(error: ParseValueError) -> Self {
        Self::invalid(error.to_string())
    }
}

/// Accepts what [`Date::parse`] accepts.
impl FromStr for Date {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, ParseValueError> {
        Self::parse(text).ok_or(ParseValueError("a date"))
    }
}

/// Accepts the three characters of a code, as in `B90`. [`Eco::parse`] allows more after them.
impl FromStr for Eco {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, ParseValueError> {
        Self::parse(text)
            .filter(|_| text.len() == 3)
            .ok_or(ParseValueError("an ECO code"))
    }
}

/// Accepts what [`GameResult::parse`] accepts.
impl FromStr for GameResult {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, ParseValueError> {
        Self::parse(text.as_bytes()).ok_or(ParseValueError("a result"))
    }
}

/// Accepts `$0` to `$255` and the suffixes `!`, `?`, `!!`, `??`, `!?` and `?!`.
impl FromStr for Nag {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, ParseValueError> {
        let number = match text {
            "!" => Some(1),
            "?" => Some(2),
            "!!" => Some(3),
            "??" => Some(4),
            "!?" => Some(5),
            "?!" => Some(6),
            _ => text
                .strip_prefix('$')
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok()),
        };
        number.map(Self).ok_or(ParseValueError("a NAG"))
    }
}

/// Accepts the name of a square in small letters, as in `e4`.
impl FromStr for Square {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, ParseValueError> {
        let square = match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Self::from_coords(file - b'a', rank - b'1'),
            _ => None,
        };
        square.ok_or(ParseValueError("a square"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_values_are_parsed() {
        for number in 0..=255 {
            let nag = Nag(number);
            assert_eq!(nag.to_string().parse(), Ok(nag));
        }
        for code in [0, 190, 499] {
            let eco = Eco::new(code, 0).unwrap();
            assert_eq!(eco.to_string().parse(), Ok(eco));
        }
        let date = Date::new(1950, 7, 0);
        assert_eq!(date.to_string().parse(), Ok(date));
        let result = GameResult::BothLose;
        assert_eq!(result.to_string().parse(), Ok(result));
        assert_eq!("!?".parse(), Ok(Nag(5)));
        for square in Square::ALL {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let error = "$256".parse::<Nag>().unwrap_err();
        assert_eq!(error.to_string(), "not a NAG");
        assert!("$".parse::<Nag>().is_err() && "$+1".parse::<Nag>().is_err());
        assert!("B90a".parse::<Eco>().is_err() && "2-0".parse::<GameResult>().is_err());
        for text in ["e9", "i1", "E4", "e", "e44", "é4"] {
            assert!(text.parse::<Square>().is_err(), "{text}");
        }
        let error = "soon".parse::<Date>().unwrap_err();
        assert_eq!(error.to_string(), "not a date");
    }
}
