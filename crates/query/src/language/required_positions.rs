//! What an index of positions is asked for a query: exact positions that a game must reach, and the terms
//! about moments without those about games.

use std::sync::Arc;

use tabia_core::chess::{Color, FenStyle, Piece, Position, Role, Setup, Square};

use super::moment_terms::Check;
use super::{AnyOf, Item, List, Parsed, Query, Test, What};

/// Positions at most, so that asking an index stays cheaper than reading games.
const MAX_POSITIONS: usize = 512;

impl Query {
    /// Positions of which each game that fits reached one in its mainline; `None` if the query requires no
    /// exact position. They are equal to those of a game if they are so but for the clocks.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let query = Query::parse("pos:\"1.e4 c5\" elo:>=2500 OR pos:\"1.d4\"")?;
    /// assert_eq!(query.required_positions().map(|found| found.len()), Some(2));
    /// assert_eq!(Query::parse("pos:\"1.e4\" OR elo:>=2500")?.required_positions(), None);
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn required_positions(&self) -> Option<Vec<Position>> {
        let mut is_known = true;
        self.for_each_term(&mut |term| {
            let is_plain = matches!(term.test, Test::Moment(_) | Test::For(_) | Test::Within(_));
            is_known &= is_plain || !term.test.is_about_moment();
        });
        if !is_known {
            return None;
        }
        let mut positions = required(self.any_of())?;
        let name = |position: &Position| position.to_setup().fen(FenStyle::Shredder);
        positions.sort_by_cached_key(name);
        positions.dedup_by_key(|position| name(position));
        (positions.len() <= MAX_POSITIONS).then_some(positions)
    }

    /// Whether the query asks for exact positions and nothing else, so that all games that reached one of
    /// the [required positions](Self::required_positions) fit it.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let is_position = |text: &str| Query::parse(text).map(|query| query.is_position());
    /// assert_eq!(is_position("pos:\"1.e4\" OR pos:\"1.d4\""), Ok(true));
    /// assert_eq!(is_position("pos:\"1.e4\" move:e5"), Ok(false));
    /// ```
    pub fn is_position(&self) -> bool {
        let is_position = |list: &List| match list.0.as_slice() {
            [item] if !item.negated => match &item.what {
                What::Term(term) => match &term.test {
                    Test::Moment(term) => {
                        let mut checks = term.values.iter();
                        checks.all(|(_, check)| matches!(check, Check::Fen(..)))
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        };
        !self.is_empty() && self.any_of().0.iter().all(is_position)
    }

    /// The terms about games, without those about moments: games that fit the query fit it, too.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let query = Query::parse("pawns:iqp elo:>=2500 (mat:KRPKR eco:D OR eco:E)")?;
    /// assert_eq!(query.game_terms().to_string(), "elo:>=2500 (eco:D OR eco:E)");
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    #[must_use]
    pub fn game_terms(&self) -> Self {
        let parsed = Arc::new(Parsed {
            any_of: without_moments(self.any_of()),
            terms: self.term_count(),
            ..Parsed::default()
        });
        Self {
            parsed,
            duplicates: self.duplicates.clone(),
        }
    }
}

impl Query {
    /// The terms about positions and moves of the mainline, and the steps between them: games that fit the
    /// query fit it, too. With it whether nothing was left out, so that all games that fit it fit the query.
    /// `None` if nothing remains of an alternative, or if the query asks for variations.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let query = Query::parse("pawns:iqp elo:>=2500 (mat:KRPKR -> move:Rh1)")?;
    /// let (moments, is_all) = query.moment_terms().unwrap_or_default();
    /// assert_eq!(moments.to_string(), "pawns:iqp (mat:KRPKR -> move:Rh1)");
    /// assert!(!is_all && query.moment_terms().is_some());
    /// assert!(Query::parse("elo:>=2500")?.moment_terms().is_none());
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn moment_terms(&self) -> Option<(Self, bool)> {
        let mut is_mainline = true;
        self.for_each_term(&mut |term| is_mainline &= !matches!(term.test, Test::In(_)));
        if !is_mainline {
            return None;
        }
        let mut is_all = true;
        let any_of = only_moments(self.any_of(), &mut is_all)?;
        let parsed = Arc::new(Parsed {
            any_of,
            terms: self.term_count(),
            ..Parsed::default()
        });
        let query = Self {
            parsed,
            duplicates: None,
        };
        Some((query, is_all))
    }
}

/// The alternatives with terms about moments only; `None` if nothing remains of one.
fn only_moments(any_of: &AnyOf, is_all: &mut bool) -> Option<AnyOf> {
    let mut lists = Vec::new();
    for list in &any_of.0 {
        let mut items = Vec::new();
        for part in list.0.split_inclusive(is_step) {
            let before = items.len();
            for item in part {
                match only_moment(item, is_all) {
                    Some(item) => items.push(item),
                    None => *is_all = false,
                }
            }
            let kept = items.get(before..).unwrap_or_default();
            if !kept.iter().any(asks_for_moment) {
                return None;
            }
        }
        lists.push(List(items));
    }
    (!lists.is_empty()).then_some(AnyOf(lists))
}

fn is_step(item: &Item) -> bool {
    matches!(item.what, What::Step { .. })
}

/// Whether an item has a moment of its own.
fn asks_for_moment(item: &Item) -> bool {
    match &item.what {
        What::Term(term) => matches!(term.test, Test::Moment(_)),
        What::Group(_) => !item.negated,
        What::Step { .. } => false,
    }
}

/// An item as far as it is about moments; `None` if it is not.
fn only_moment(item: &Item, is_all: &mut bool) -> Option<Item> {
    let what = match &item.what {
        What::Term(term) => match &term.test {
            Test::Moment(moment) if moment.asks_for_notes() => return None,
            Test::Moment(_) | Test::For(_) | Test::Within(_) | Test::Flip(_) => {
                What::Term(term.clone())
            }
            _ => return None,
        },
        What::Group(group) => {
            // What is left out of a negated group would leave out more games.
            let mut is_whole = true;
            let kept = only_moments(group, &mut is_whole)?;
            if item.negated && !is_whole {
                return None;
            }
            *is_all &= is_whole;
            What::Group(kept)
        }
        What::Step { next } => What::Step { next: *next },
    };
    Some(Item {
        negated: item.negated,
        what,
    })
}

fn without_moments(any_of: &AnyOf) -> AnyOf {
    let mut lists = Vec::new();
    for list in &any_of.0 {
        let has_moment = any_of.has_moment();
        let items = list.0.iter();
        let items: Vec<Item> = items
            .filter_map(|item| without_moment(item, has_moment))
            .collect();
        if items.is_empty() {
            // One alternative asks nothing of the game.
            return AnyOf::default();
        }
        lists.push(List(items));
    }
    AnyOf(lists)
}

fn without_moment(item: &Item, has_moment: bool) -> Option<Item> {
    let what = match &item.what {
        What::Term(term) if term.test.is_about_moment() => return None,
        // Next to terms about moments it is about one of them.
        What::Term(term) if term.test.is_note() && item.negated && has_moment => return None,
        What::Term(term) => What::Term(term.clone()),
        What::Group(group) if !group.has_moment() => What::Group(group.clone()),
        What::Group(_) if item.negated => return None,
        What::Group(group) => {
            let group = without_moments(group);
            if group.0.is_empty() {
                return None;
            }
            What::Group(group)
        }
        What::Step { .. } => return None,
    };
    Some(Item {
        negated: item.negated,
        what,
    })
}

/// Positions of which one is required: of each alternative those of one item.
fn required(any_of: &AnyOf) -> Option<Vec<Position>> {
    if any_of.0.is_empty() {
        return None;
    }
    let mut positions = Vec::new();
    for list in &any_of.0 {
        let items = list.0.iter().filter(|item| !item.negated);
        let found = items.filter_map(|item| match &item.what {
            What::Term(term) => match &term.test {
                Test::Moment(term) => {
                    let mut all = Vec::new();
                    for (_, check) in &term.values {
                        all.extend(positions_of(check)?);
                    }
                    Some(all)
                }
                _ => None,
            },
            What::Group(group) => required(group),
            What::Step { .. } => None,
        });
        positions.extend(found.min_by_key(Vec::len)?);
    }
    Some(positions)
}

/// The positions that fit a check, if they are few.
fn positions_of(check: &Check) -> Option<Vec<Position>> {
    let Check::Fen(position, fields) = check else {
        return None;
    };
    if *fields >= 4 {
        return Some(vec![position.as_ref().clone()]);
    }
    let setup = position.to_setup();
    let mut setups = vec![setup.clone()];
    if *fields < 2 {
        let turned = setup.turn.other();
        setups.extend(with(&setups, |setup| setup.turn = turned));
    }
    if *fields < 3 {
        for color in [Color::White, Color::Black] {
            for side in 0..2 {
                let mut more = Vec::new();
                for rook in rooks(&setup, color, side) {
                    more.extend(with(&setups, |setup| {
                        if let Some(right) = setup
                            .castling
                            .get_mut(color as usize)
                            .and_then(|sides| sides.get_mut(side))
                        {
                            *right = Some(rook);
                        }
                    }));
                }
                setups.extend(more);
                if setups.len() > MAX_POSITIONS {
                    return None;
                }
            }
        }
    }
    let mut positions = Vec::new();
    for setup in setups {
        // Squares that no pawn passed are dropped.
        let rank = if setup.turn.is_white() { 5 } else { 2 };
        let squares = (0..8).filter_map(|file| Square::from_coords(file, rank));
        for square in squares.map(Some).chain([None]) {
            let mut setup = setup.clone();
            setup.en_passant = square;
            if let Ok(position) = Position::from_setup(&setup)
                && position.en_passant() == square
            {
                positions.push(position);
            }
        }
    }
    Some(positions)
}

fn with(setups: &[Setup], change: impl Fn(&mut Setup)) -> Vec<Setup> {
    let mut changed = setups.to_vec();
    changed.iter_mut().for_each(change);
    changed
}

/// The rooks with which a side may castle.
fn rooks(setup: &Setup, color: Color, side: usize) -> Vec<Square> {
    let Some(king) = setup.king(color) else {
        return Vec::new();
    };
    let rook = Piece {
        color,
        role: Role::Rook,
    };
    let back = if color.is_white() { 0 } else { 7 };
    let of_side = |square: &Square| {
        square.rank() == back && king.rank() == back && (square.file() > king.file()) == (side == 0)
    };
    setup.squares(rook).into_iter().filter(of_side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> Option<usize> {
        let query = Query::parse(text).unwrap();
        query.required_positions().map(|positions| positions.len())
    }

    #[test]
    fn positions_are_required_by_every_alternative() {
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert_eq!(count(&format!("fen:{board}_w_KQkq_-")), Some(1));
        assert_eq!(count(&format!("fen:{board}_w")), Some(16));
        assert_eq!(count(&format!("fen:{board}")), Some(32));
        for (text, expected) in [
            ("pos:\"1.e4\" -> pos:\"1.e4 e5\",\"1.e4 c5\"", Some(1)),
            (
                "(pos:\"1.e4 e5\",\"1.e4 c5\" player:tal) elo:>2000",
                Some(2),
            ),
            ("-pos:\"1.e4\" player:tal", None),
            ("-(pos:\"1.e4\")", None),
            ("mat:KRPKR", None),
            ("", None),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn missing_fields_have_all_values() {
        let fen = "fen:4k3/8/8/3pPp2/8/8/8/4K2R";
        let query = Query::parse(&format!("{fen}_w")).unwrap();
        let fens: Vec<String> = query
            .required_positions()
            .unwrap()
            .iter()
            .map(|position| {
                position
                    .fen()
                    .split(' ')
                    .skip(2)
                    .take(2)
                    .collect::<String>()
            })
            .collect();
        for expected in ["--", "-d6", "-f6", "K-", "Kd6", "Kf6"] {
            assert!(
                fens.contains(&expected.to_owned()),
                "{expected} in {fens:?}"
            );
        }
        assert_eq!(fens.len(), 6);
    }

    #[test]
    fn terms_about_moments_remain() {
        for (text, expected) in [
            ("mat:KRPKR for:10", Some(("mat:KRPKR for:10", true))),
            ("mat:KRPKR result:1-0", Some(("mat:KRPKR", false))),
            (
                "pawns:iqp (player:tal OR mat:KK)",
                Some(("pawns:iqp", false)),
            ),
            (
                "pawns:iqp (mat:KRPKR elo:>2500)",
                Some(("pawns:iqp (mat:KRPKR)", false)),
            ),
            (
                "is:check -> within:3 is:mate -(repeats:3)",
                Some(("is:check -> within:3 is:mate -(repeats:3)", true)),
            ),
            ("-(is:check player:tal) mat:KK", Some(("mat:KK", false))),
            ("-(is:check)", None),
            ("player:tal -> is:mate", None),
            ("is:check nag:!!", Some(("is:check", false))),
            ("is:check -nag:!! OR player:tal", None),
            ("is:check in:all", None),
            ("player:tal", None),
            ("", None),
        ] {
            let query = Query::parse(text);
            let Ok(query) = query else {
                assert_eq!(expected, None, "{text}");
                continue;
            };
            let found = query.moment_terms();
            let found = found.map(|(query, is_all)| (query.to_string(), is_all));
            let expected = expected.map(|(text, is_all)| (text.to_owned(), is_all));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn terms_about_games_remain() {
        for (text, expected) in [
            ("mat:KRPKR for:10", ""),
            ("player:tal is:check -> mat:KK", "player:tal"),
            ("-(mat:KK player:tal) -eco:B", "-eco:B"),
            ("mat:KK OR player:tal", ""),
            ("mat:KK -nag:!? eco:B", "eco:B"),
            ("-nag:!?", "-nag:$5"),
            ("-(player:tal OR eco:B) ply:3", "-(player:tal OR eco:B)"),
        ] {
            let query = Query::parse(text).unwrap();
            assert_eq!(query.game_terms().to_string(), expected, "{text}");
        }
    }
}
