//! The symbols of NAGs.

use tabia_core::game::Nag;

/// The symbols of NAGs, such as `!` or `+/-`; `$n` for a NAG without one. `None` if there are no NAGs.
pub fn symbols(nags: &[Nag]) -> Option<String> {
    let words: Vec<String> = nags
        .iter()
        .map(|nag| match nag.0 {
            1 => "!".to_owned(),
            2 => "?".to_owned(),
            3 => "!!".to_owned(),
            4 => "??".to_owned(),
            5 => "!?".to_owned(),
            6 => "?!".to_owned(),
            7 | 8 => "□".to_owned(),
            10 => "=".to_owned(),
            13 => "∞".to_owned(),
            14 => "+/=".to_owned(),
            15 => "=/+".to_owned(),
            16 => "+/-".to_owned(),
            17 => "-/+".to_owned(),
            18 => "+-".to_owned(),
            19 => "-+".to_owned(),
            146 => "N".to_owned(),
            other => format!("${other}"),
        })
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The NAG of a symbol as [`symbols`] writes it.
pub fn nag_of(symbol: &str) -> Option<Nag> {
    if let Some(number) = symbol.strip_prefix('$') {
        return number.parse().ok().map(Nag);
    }
    (1..=146)
        .map(Nag)
        .find(|&nag| symbols(&[nag]).as_deref() == Some(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_round_trip() {
        for nag in [1, 4, 10, 14, 19, 146, 77, 255].map(Nag) {
            assert_eq!(nag_of(&symbols(&[nag]).unwrap()), Some(nag));
        }
        assert_eq!(symbols(&[]), None);
        assert_eq!(nag_of("best"), None);
    }
}
