//! Codes in the index entries of Scid and Scidb.

use tabia_core::game::GameResult;

/// A result from its code. Other codes are unknown.
pub(crate) const fn result(code: u8) -> GameResult {
    match code {
        1 => GameResult::WhiteWins,
        2 => GameResult::BlackWins,
        3 => GameResult::Draw,
        _ => GameResult::Unknown,
    }
}

/// The code of a result. Forfeits have the codes of the results over the board; a game that both
/// lose is unknown.
pub(crate) const fn result_code(result: GameResult) -> u8 {
    match result.to_pgn() {
        GameResult::WhiteWins => 1,
        GameResult::BlackWins => 2,
        GameResult::Draw => 3,
        _ => 0,
    }
}

/// The code, 0 to 15, of a number of NAGs, comments or variations.
pub(crate) const fn count_code(count: u32) -> u8 {
    match count {
        0..=10 => count as u8,
        11 | 12 => 10,
        13..=17 => 11,
        18..=24 => 12,
        25..=34 => 13,
        35..=44 => 14,
        _ => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_share_codes() {
        let codes: Vec<u8> = [0, 10, 11, 12, 13, 17, 18, 24, 25, 34, 35, 44, 45, 1 << 20]
            .map(count_code)
            .to_vec();
        assert_eq!(
            codes,
            [0, 10, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15]
        );
    }

    #[test]
    fn results_round_trip() {
        for code in 0..4 {
            assert_eq!(result_code(result(code)), code);
        }
    }
}
