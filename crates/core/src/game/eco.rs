//! ECO codes.

use std::fmt;

use crate::decimal_digits;

/// An opening code of the Encyclopaedia of Chess Openings, `A00` to `E99`, with the sub-code that
/// databases add, 0 if absent. `Display` writes the three characters of the code.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Eco;
///
/// let eco: Eco = "B90".parse()?;
/// assert_eq!((eco.code(), eco.sub()), (190, 0));
/// assert_eq!(eco.to_string(), "B90");
/// # Ok::<(), tabia_core::game::ParseValueError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Eco {
    code: u16,
    sub: u8,
}

impl Eco {
    /// The code with a number from 0 (`A00`) to 499 (`E99`), and a sub-code as the database stores it.
    /// `None` for numbers above 499.
    pub const fn new(code: u16, sub: u8) -> Option<Self> {
        if code < 500 {
            Some(Self { code, sub })
        } else {
            None
        }
    }

    /// The number of the code, 0 (`A00`) to 499 (`E99`).
    pub const fn code(self) -> u16 {
        self.code
    }

    /// The database's sub-code, 0 if absent.
    pub const fn sub(self) -> u8 {
        self.sub
    }

    /// Appends the three characters, as `Display` writes them.
    pub fn push_to(self, out: &mut String) {
        out.push(char::from(b'A' + (self.code / 100) as u8));
        decimal_digits::push_two(u64::from(self.code % 100), out);
    }

    /// Parses a code at the start of a text; characters after it (`B90k3`, `B90/01`) are ignored. `None`
    /// if the text does not begin with a code.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (&letter, rest) = bytes.split_first()?;
        let letter = letter.to_ascii_uppercase();
        let (&tens, &ones) = (rest.first()?, rest.get(1)?);
        if !(b'A'..=b'E').contains(&letter) || !tens.is_ascii_digit() || !ones.is_ascii_digit() {
            return None;
        }
        let code =
            u16::from(letter - b'A') * 100 + u16::from(tens - b'0') * 10 + u16::from(ones - b'0');
        Self::new(code, 0)
    }
}

impl fmt::Display for Eco {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = char::from(b'A' + (self.code / 100) as u8);
        write!(f, "{letter}{:02}", self.code % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for code in 0..500 {
            let eco = Eco::new(code, 0).unwrap();
            assert_eq!(Eco::parse(&eco.to_string()), Some(eco));
            let mut text = String::new();
            eco.push_to(&mut text);
            assert_eq!(text, eco.to_string());
        }
        assert_eq!(Eco::new(500, 0), None);
        assert_eq!(Eco::parse("F00"), None);
        assert_eq!(Eco::parse("B9"), None);
    }
}
