//! Names of openings in rows.

use tabia::query::openings::Opening;

/// `B20 Sicilian Defense`.
pub(crate) fn full_name(opening: Opening) -> String {
    format!("{} {}", opening.eco, opening.name)
}

/// The name without the parts that are those of the opening above the table: `B90 … English Attack` below
/// `B90 Sicilian Defense: Najdorf Variation`. Its last part always stays.
pub(crate) fn name_below(opening: Opening, above: Opening) -> String {
    let (mut rest, mut above) = (opening.name, above.name);
    let mut separator = ": ";
    while let Some((part, further)) = rest.split_once(separator) {
        let (same, further_above) = above.split_once(separator).unwrap_or((above, ""));
        if part != same {
            break;
        }
        (rest, above) = (further, further_above);
        separator = ", ";
    }
    if rest.len() == opening.name.len() {
        full_name(opening)
    } else {
        format!("{} … {rest}", opening.eco)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_opening_above_are_left_out() {
        for (name, above, expected) in [
            (
                "Sicilian Defense: Najdorf Variation, English Attack",
                "Sicilian Defense: Najdorf Variation",
                "B90 … English Attack",
            ),
            (
                "Sicilian Defense: Moscow Variation",
                "Sicilian Defense: Modern Variations",
                "B90 … Moscow Variation",
            ),
            (
                "Sicilian Defense: Najdorf Variation",
                "Sicilian Defense: Najdorf Variation",
                "B90 … Najdorf Variation",
            ),
            (
                "Sicilian Defense: Najdorf Variation, English Attack",
                "Sicilian Defense: Modern Variations, English Attack",
                "B90 … Najdorf Variation, English Attack",
            ),
            (
                "Sicilian Defense",
                "Sicilian Defense: Modern Variations",
                "B90 Sicilian Defense",
            ),
            (
                "King's Pawn Game",
                "Sicilian Defense",
                "B90 King's Pawn Game",
            ),
        ] {
            let opening = |name| Opening { eco: "B90", name };
            let shown = name_below(opening(name), opening(above));
            assert_eq!(shown, expected, "{name} below {above}");
        }
    }
}
