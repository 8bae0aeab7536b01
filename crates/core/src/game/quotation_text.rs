//! Quoted games as ChessBase writes them into comments: `1-0 Last,F (2700)-Last,F (2650) Event 1999 (5)`.

use std::fmt::Write as _;

use crate::game::{GameResult, Quotation};

/// The bits of tournament types for blitz and rapid.
const PACES: [(u16, &str); 2] = [(1 << 5, "blitz"), (1 << 6, "rapid")];

impl Quotation {
    /// The text of the quoted game: result, players, event, site, year and round, as far as they are known.
    pub fn to_text(&self) -> String {
        let quotation = self;
        let mut text = match quotation.result.to_pgn() {
            GameResult::WhiteWins => "1-0 ".to_owned(),
            GameResult::BlackWins => "0-1 ".to_owned(),
            GameResult::Draw => "1/2 ".to_owned(),
            _ => String::new(),
        };
        push_player(&plain(&quotation.white), quotation.white_elo, &mut text);
        text.push('-');
        push_player(&plain(&quotation.black), quotation.black_elo, &mut text);
        let mut push = |part: &str| {
            if !part.is_empty() {
                text.push(' ');
                text.push_str(part);
            }
        };
        let (event, site) = (plain(&quotation.event), plain(&quotation.site));
        push(&event);
        if !event.contains(site.as_str()) {
            push(&site);
        }
        for (bit, name) in PACES {
            let is_named = event.to_lowercase().contains(name);
            if quotation.tournament_type & bit != 0 && !is_named {
                push(name);
            }
        }
        if quotation.date.year != 0 {
            let year = quotation.date.year.to_string();
            if !text.contains(&year) {
                text.push(' ');
                text.push_str(&year);
            }
        }
        let _ = match (quotation.round, quotation.sub_round) {
            (0, 0) => Ok(()),
            (0, part) => write!(text, " [{part}]"),
            (round, 0) => write!(text, " ({round})"),
            (round, part) => write!(text, " ({round}.{part})"),
        };
        text
    }
}

/// A name without the characters of commands in comments.
fn plain(name: &str) -> String {
    name.replace('[', "(").replace(']', ")")
}

/// Appends `Last,F (2700)`.
fn push_player(name: &str, elo: u16, text: &mut String) {
    let (last, first) = name.split_once(',').unwrap_or((name, ""));
    text.push_str(last);
    if let Some(initial) = first.trim_start().chars().next() {
        text.push(',');
        text.push(initial);
    }
    if elo != 0 {
        let _ = write!(text, " ({elo})");
    }
}

#[cfg(test)]
mod tests {
    use crate::game::Date;

    use super::*;

    #[test]
    fn quotations_are_written_as_chessbase_writes_them() {
        let mut quotation = Quotation {
            white: "Carlsen,Magnus".to_owned(),
            black: "Anand".to_owned(),
            white_elo: 2870,
            event: "WCh".to_owned(),
            site: "Chennai".to_owned(),
            date: Date::new(2013, 11, 9),
            round: 5,
            result: GameResult::WhiteWins,
            ..Quotation::default()
        };
        assert_eq!(
            quotation.to_text(),
            "1-0 Carlsen,M (2870)-Anand WCh Chennai 2013 (5)"
        );
        quotation.event = "Chennai 2013 Blitz [%clk 0:00:01]".to_owned();
        quotation.tournament_type = 1 << 5;
        (quotation.round, quotation.sub_round) = (0, 2);
        quotation.result = GameResult::Unknown;
        assert_eq!(
            quotation.to_text(),
            "Carlsen,M (2870)-Anand Chennai 2013 Blitz (%clk 0:00:01) [2]"
        );
    }
}
