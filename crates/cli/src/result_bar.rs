//! Results of games as a bar.

use tabia::Wdl;

/// Characters of the bar of results.
pub(crate) const BAR: u64 = 12;

/// White's wins, draws and Black's wins as a bar of `BAR` characters; empty without games.
pub(crate) fn bar(results: Wdl) -> String {
    let games = results.games();
    if games == 0 {
        return String::new();
    }
    let white = (results.white * BAR + games / 2) / games;
    let black = ((results.black * BAR + games / 2) / games).min(BAR - white);
    let part = |sign: &str, count: u64| sign.repeat(count as usize);
    part("█", white) + &part("▒", BAR - white - black) + &part("░", black)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_bars_have_a_fixed_length() {
        for (white, draws, black) in [(1, 0, 0), (1, 1, 1), (0, 0, 9), (7, 5, 1), (1, 0, 1)] {
            let results = Wdl {
                white,
                draws,
                black,
            };
            assert_eq!(bar(results).chars().count() as u64, BAR, "{results:?}");
        }
        assert_eq!(bar(Wdl::default()), "");
    }
}
