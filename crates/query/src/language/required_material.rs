//! The material that some position of a game must have to fit a query, for an index of material.

use tabia_core::chess::{Color, HomePawns, Material, PawnsGone, Role};

use super::moment_terms::{Check, MomentTerm};
use super::piece_set::{EMPTY, PieceSet};
use super::values::Bounds;
use super::{AnyOf, Flip, Item, List, Query, Test, What};

/// More pieces of a kind than fit on the board.
const MANY: i64 = 64;

/// What the material of some position of each game that fits is: that of one of the alternatives.
#[derive(Debug, Clone)]
pub struct RequiredMaterial {
    /// Of each alternative the terms that hold together.
    any_of: Vec<Vec<MomentTerm>>,
}

impl RequiredMaterial {
    /// Whether a position with this material may be required.
    pub fn fits(&self, material: Material) -> bool {
        let mut any_of = self.any_of.iter();
        any_of.any(|terms| {
            terms.iter().all(|term| {
                let mut checks = term.values.iter();
                checks.any(|(_, check)| may_fit(check, material))
            })
        })
    }
}

impl Query {
    /// The material that is required of one position of the mainline of each game that fits; `None` if
    /// games with any material may fit.
    ///
    /// ```
    /// use tabia_core::chess::{Material, Position};
    /// use tabia_query::Query;
    ///
    /// let query = Query::parse("mat:KRPKR player:carlsen OR count:Q=0 count:q=0")?;
    /// let required = query.required_material();
    /// let start = Material::of(&Position::standard());
    /// assert!(required.is_some_and(|material| !material.fits(start)));
    /// assert!(Query::parse("mat:KRPKR OR is:check")?.required_material().is_none());
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn required_material(&self) -> Option<RequiredMaterial> {
        let mut is_mainline = true;
        self.for_each_term(&mut |term| is_mainline &= !matches!(term.test, Test::In(_)));
        if !is_mainline {
            return None;
        }
        required(self.any_of()).map(|any_of| RequiredMaterial { any_of })
    }
}

/// Terms of which those of one alternative are required.
fn required(any_of: &AnyOf) -> Option<Vec<Vec<MomentTerm>>> {
    if any_of.0.is_empty() {
        return None;
    }
    let mut all = Vec::new();
    for list in &any_of.0 {
        all.extend(of_list(list)?);
    }
    Some(all)
}

/// The terms of the moment of the list that asks most, or of one of its groups.
fn of_list(list: &List) -> Option<Vec<Vec<MomentTerm>>> {
    let parts = list.0.split(|item| matches!(item.what, What::Step { .. }));
    let own = parts.filter_map(of_part);
    let best = own.max_by_key(|images| images.first().map_or(0, |terms| weight(terms)));
    best.or_else(|| {
        let mut groups = list.0.iter().filter(|item| !item.negated);
        groups.find_map(|item| match &item.what {
            What::Group(group) => required(group),
            _ => None,
        })
    })
}

/// The terms about material of one moment, for the position itself and the mirror
/// images that are asked for.
fn of_part(items: &[Item]) -> Option<Vec<Vec<MomentTerm>>> {
    let mut terms: Vec<MomentTerm> = Vec::new();
    let mut flips = (false, false);
    for item in items {
        let What::Term(term) = &item.what else {
            continue;
        };
        match &term.test {
            Test::Moment(term) if !item.negated && term.values.iter().all(asks_for_material) => {
                terms.push(term.clone());
            }
            Test::Flip(kinds) => {
                flips.0 |= kinds.contains(&Flip::Color);
                flips.1 |= kinds.contains(&Flip::Files);
            }
            _ => {}
        }
    }
    if terms.is_empty() {
        return None;
    }
    let images = [(false, false), (true, false), (false, true), (true, true)];
    let images = images
        .into_iter()
        .filter(|(color, files)| (flips.0 || !color) && (flips.1 || !files));
    let image = |(color, files)| terms.iter().map(|term| term.mirror(color, files)).collect();
    Some(images.map(image).collect())
}

fn asks_for_material((_, check): &(String, Check)) -> bool {
    match check {
        Check::Count(set, _) => set.0 & EMPTY == 0,
        Check::Fen(..)
        | Check::Material(_)
        | Check::Imbalance(_)
        | Check::Balance(_)
        | Check::Bishops { .. } => true,
        _ => false,
    }
}

/// A rough measure of how few positions fit.
fn weight(terms: &[MomentTerm]) -> u32 {
    let of = |term: &MomentTerm| {
        let checks = term.values.iter().map(|(_, check)| match check {
            Check::Fen(..) | Check::Material(_) => 100,
            Check::Imbalance(_) => 3,
            _ => 1,
        });
        checks.min().unwrap_or_default()
    };
    terms.iter().map(of).sum()
}

/// The least and the greatest number of pieces of a kind.
fn range(material: Material, color: Color, role: Role) -> (i64, i64) {
    let count = i64::from(material.count(color, role));
    let most = match role {
        Role::King => return (0, MANY),
        Role::Pawn => 15,
        _ => 3,
    };
    (count, if count >= most { MANY } else { count })
}

/// Whether a number of a range is in the bounds.
fn overlaps(bounds: &Bounds, (least, most): (i64, i64)) -> bool {
    bounds.low.is_none_or(|low| low <= most) && bounds.high.is_none_or(|high| least <= high)
}

/// White's number of pieces of a kind minus Black's.
fn difference(material: Material, role: Role) -> (i64, i64) {
    let white = range(material, Color::White, role);
    let black = range(material, Color::Black, role);
    (white.0 - black.1, white.1 - black.0)
}

fn sum(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    (a.0 + b.0, a.1 + b.1)
}

/// Whether a position with this material may fit.
fn may_fit(check: &Check, material: Material) -> bool {
    let kinds = [
        Role::Queen,
        Role::Rook,
        Role::Bishop,
        Role::Knight,
        Role::Pawn,
    ];
    let colors = [Color::White, Color::Black];
    match check {
        Check::Fen(position, _) => Material::of(position) == material,
        Check::Material(sides) => colors.into_iter().zip(sides).all(|(color, counts)| {
            let mut counts = kinds.into_iter().zip(counts);
            counts.all(|(role, &(least, most))| {
                let range = range(material, color, role);
                i64::from(least) <= range.1 && range.0 <= i64::from(most)
            })
        }),
        Check::Count(set, bounds) => overlaps(bounds, count(*set, material)),
        Check::Imbalance(wanted) => {
            let (bishops, knights) = (
                difference(material, Role::Bishop),
                difference(material, Role::Knight),
            );
            let found = [
                difference(material, Role::Queen),
                difference(material, Role::Rook),
                bishops,
                knights,
                sum(bishops, knights),
                difference(material, Role::Pawn),
            ];
            let mut pairs = wanted.iter().zip(found);
            pairs.all(|(wanted, (least, most))| {
                wanted.is_none_or(|wanted| least <= wanted && wanted <= most)
            })
        }
        Check::Balance(bounds) => {
            let values = [9, 5, 3, 3, 1];
            let mut all = (0, 0);
            for (role, value) in kinds.into_iter().zip(values) {
                let (least, most) = difference(material, role);
                all = sum(all, (least * value, most * value));
            }
            overlaps(bounds, all)
        }
        Check::Bishops { .. } => colors.into_iter().all(|color| {
            let (least, most) = range(material, color, Role::Bishop);
            least <= 1 && 1 <= most
        }),
        Check::Never => false,
        _ => true,
    }
}

/// The least and the greatest number of pieces of a set.
fn count(set: PieceSet, material: Material) -> (i64, i64) {
    let mut all = (0, 0);
    for color in [Color::White, Color::Black] {
        for role in Role::ALL {
            if set.0 >> (6 * color as u16 + role as u16) & 1 != 0 {
                all = sum(all, range(material, color, role));
            }
        }
    }
    all
}

/// What the signature of a game that fits must be able to come from.
#[derive(Debug, Clone)]
pub(crate) struct SignatureFilter {
    /// Of each alternative, of each term that holds there, of each of its values: the most material, and
    /// the pawns on their start squares.
    any_of: Vec<Vec<Vec<Most>>>,
}

/// The most material of a position, and its pawns on their start squares if they are given.
type Most = (Material, Option<HomePawns>);

impl SignatureFilter {
    /// What a query requires; `None` if games with any signature may fit.
    pub(crate) fn of(query: &Query) -> Option<Self> {
        let mut any_of = Vec::new();
        for terms in query.required_material()?.any_of {
            let terms = terms.iter().filter_map(|term| {
                let values = term.values.iter().map(|(_, check)| check);
                let values = values.filter(|check| !matches!(check, Check::Never));
                values.map(most).collect()
            });
            let terms: Vec<Vec<_>> = terms.collect();
            if terms.is_empty() {
                return None;
            }
            any_of.push(terms);
        }
        Some(Self { any_of })
    }

    /// Whether a game with this signature may fit.
    pub(crate) fn may_fit(&self, (last, gone): (Material, Option<PawnsGone>)) -> bool {
        let reaches = |(material, pawns): &Most| {
            let passes = |pawns| gone.is_none_or(|gone| gone.passes(pawns));
            material.can_become(last) && pawns.is_none_or(passes)
        };
        let mut any_of = self.any_of.iter();
        any_of.any(|terms| terms.iter().all(|values| values.iter().any(reaches)))
    }
}

/// The most material of a position that fits, and its pawns on their start squares if they are given.
fn most(check: &Check) -> Option<Most> {
    match check {
        Check::Fen(position, _) => Some((Material::of(position), Some(HomePawns::of(position)))),
        Check::Material(sides) => {
            let mut bits = 0;
            for counts in sides {
                // Queens, rooks, bishops, knights, pawns.
                for (&(_, most), (width, limit)) in
                    counts.iter().zip([(2, 3), (2, 3), (2, 3), (2, 3), (4, 15)])
                {
                    bits = bits << width | most.min(limit);
                }
            }
            Some((Material::from_bits(bits), None))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::chess::Position;

    use super::*;

    fn fits(text: &str, fen: &str) -> Option<bool> {
        let query = Query::parse(text).unwrap();
        let material = Material::of(&Position::parse_fen(fen.as_bytes()).unwrap());
        query
            .required_material()
            .map(|required| required.fits(material))
    }

    #[test]
    fn material_is_required_by_every_alternative() {
        let ending = "4k2r/8/8/8/8/8/4P3/R3K3 w - - 0 1";
        for (text, expected) in [
            ("mat:KRPKR", Some(true)),
            ("mat:KRKRP", Some(false)),
            ("mat:KRKRP flip:color", Some(true)),
            ("mat:KRKRP flip:files", Some(false)),
            ("mat:KRKRP,KRPKR for:10", Some(true)),
            ("mat:KRKRP OR mat:KK", Some(false)),
            ("count:Rr=2 count:P=1", Some(true)),
            ("count:Rr=2 count:P=2", Some(false)),
            ("balance:1", Some(true)),
            ("balance:>=2", Some(false)),
            ("imb:Pv", Some(true)),
            ("imb:MvR", Some(false)),
            ("bishops:same", Some(false)),
            ("is:check -> mat:KRPKR", Some(true)),
            ("is:check mat:KRPKR player:tal", Some(true)),
            ("(mat:KK) player:tal", Some(false)),
            ("-mat:KK", None),
            ("-(mat:KK)", None),
            ("is:check", None),
            ("mat:KRPKR in:all", None),
            ("pawns:iqp", None),
            ("", None),
        ] {
            assert_eq!(fits(text, ending), expected, "{text}");
        }
    }

    #[test]
    fn signatures_exclude_games() {
        let last = "8/5pk1/8/8/8/8/5PK1/3R4 w - - 0 1";
        let last = Material::of(&Position::parse_fen(last.as_bytes()).unwrap());
        // e2, c7, d2.
        let gone = PawnsGone::new(3, [0xb5, 0xc0, 0, 0, 0, 0, 0, 0]);
        let sicilian = "fen:rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR";
        for (text, expected) in [
            ("mat:KRPKP", Some(true)),
            ("mat:KRPKR", Some(false)),
            ("mat:KRPKRPP", Some(true)),
            ("mat:KRP+KR*", Some(false)),
            ("mat:KRP+KR*P*", Some(true)),
            ("mat:KRPPK,KPK,KRPKP", Some(true)),
            (sicilian, Some(true)),
            ("pos:\"1.c4\"", Some(false)),
            ("pos:\"1.c4\" OR pos:\"1.e4\"", Some(true)),
            ("pos:\"1.d4\" flip:files", Some(false)),
            (
                "fen:rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR flip:files",
                Some(true),
            ),
            ("pos:\"1.d4\" flip:color", Some(false)),
            ("mat:KRPKP pawns:iqp", Some(true)),
            ("count:R=2", None),
            ("-mat:KRPKR", None),
        ] {
            let query = Query::parse(text).unwrap();
            let filter = SignatureFilter::of(&query);
            let found = filter.map(|filter| filter.may_fit((last, Some(gone))));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn three_of_a_kind_may_be_more() {
        let queens = "4k3/8/8/8/8/8/QQQQ4/4K3 w - - 0 1";
        for (text, expected) in [
            ("mat:KQQQQK", true),
            ("mat:KQQK", false),
            ("count:Q=5", true),
            ("count:Q=2", false),
            ("balance:>=36", true),
            ("balance:<20", false),
            ("imb:QQQQv", true),
            ("imb:Qv", false),
        ] {
            assert_eq!(fits(text, queens), Some(expected), "{text}");
        }
    }
}
