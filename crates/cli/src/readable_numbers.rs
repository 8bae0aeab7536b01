//! Numbers and sizes as people read them.

/// `11,964,285`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number rounded to tenths.
pub(crate) fn to_tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// A share of 0 to 1 in percent, rounded to tenths.
pub(crate) fn percent(share: f64) -> f64 {
    to_tenths(share * 100.0)
}

/// `1 game`, `6,117 games`: for nouns that only take an `s`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number))
}

/// `1 entry`, `2 entries`: for nouns with a plural of their own.
pub(crate) fn counted_as(number: u64, one: &str, several: &str) -> String {
    let noun = if number == 1 { one } else { several };
    format!("{} {noun}", grouped(number))
}

/// `812 bytes`, `4.1 MB`.
pub(crate) fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return counted(bytes, "byte");
    }
    let mut value = bytes as f64;
    for unit in ["kB", "MB", "GB"] {
        value /= 1000.0;
        if value < 1000.0 {
            return format!("{value:.1} {unit}");
        }
    }
    format!("{:.1} TB", value / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(11_964_285), "11,964,285");
    }

    #[test]
    fn shares_are_percent_in_tenths() {
        assert_eq!(percent(1.0 / 3.0).to_string(), "33.3");
        assert_eq!(percent(1.0).to_string(), "100");
        assert_eq!(to_tenths(2.25).to_string(), "2.3");
    }

    #[test]
    fn nouns_agree_with_their_number() {
        assert_eq!(counted(1, "game"), "1 game");
        assert_eq!(counted(0, "game"), "0 games");
        assert_eq!(counted_as(1, "entry", "entries"), "1 entry");
        assert_eq!(counted_as(1200, "entry", "entries"), "1,200 entries");
    }

    #[test]
    fn sizes_are_rounded_to_tenths() {
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(4_130_000), "4.1 MB");
        assert_eq!(size(2_000_000_000_000), "2.0 TB");
    }
}
