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
    /// The query asks for nothing else.
    is_all: bool,
}

impl RequiredMaterial {
    /// Whether a position with this material may be required.
    pub fn fits(&self, material: Material) -> bool {
        self.holds(material, Positions::Some)
    }

    /// Whether every position with this material is one that is required: all that the query asks for.
    ///
    /// ```
    /// use tabia_core::chess::{Material, Position};
    /// use tabia_query::Query;
    ///
    /// let ending = Position::parse_fen(b"8/8/8/8/4k3/8/R7/K6r w - - 0 1")?;
    /// let decides = |text: &str| {
    ///     let query = Query::parse(text).ok()?;
    ///     Some(query.required_material()?.decides(Material::of(&ending)))
    /// };
    /// assert_eq!(decides("mat:KRKR"), Some(true));
    /// assert_eq!(decides("mat:KRKR is:check"), Some(false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decides(&self, material: Material) -> bool {
        self.is_all && self.holds(material, Positions::All)
    }

    fn holds(&self, material: Material, positions: Positions) -> bool {
        let mut any_of = self.any_of.iter();
        any_of.any(|terms| {
            terms.iter().all(|term| {
                let mut checks = term.values.iter();
                checks.any(|(_, check)| fits(check, material, positions))
            })
        })
    }

    /// All material that fits, ascending, if that is known without asking.
    pub fn listed(&self) -> Option<Vec<Material>> {
        let of_term = |term: &MomentTerm| -> Option<Vec<Material>> {
            term.values.iter().map(|(_, check)| only(check)).collect()
        };
        let mut all = Vec::new();
        for terms in &self.any_of {
            all.extend(terms.iter().find_map(of_term)?);
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }
}

/// The only material with which a test holds.
fn only(check: &Check) -> Option<Material> {
    match check {
        Check::Fen(position, _) => Some(Material::of(position)),
        Check::Material(sides) => {
            let is_one = |&(least, most): &(u32, u32)| least == most;
            let is_one = sides.iter().flatten().all(is_one);
            most(check).filter(|_| is_one).map(|most| most.material)
        }
        _ => None,
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
        let any_of = required(self.any_of(), asks_for_material)?;
        let is_all = self.any_of().0.iter().all(|list| {
            list.0.iter().all(|item| match &item.what {
                What::Term(term) => match &term.test {
                    Test::Moment(term) => {
                        let mut values = term.values.iter();
                        !item.negated && values.all(|(_, check)| asks_for_material(check))
                    }
                    Test::Flip(_) => true,
                    _ => false,
                },
                What::Group(_) | What::Step { .. } => false,
            })
        });
        Some(RequiredMaterial { any_of, is_all })
    }
}

/// Whether a value of a term asks for something.
type Asks = fn(&Check) -> bool;

/// Terms of which those of one alternative are required.
fn required(any_of: &AnyOf, asks: Asks) -> Option<Vec<Vec<MomentTerm>>> {
    if any_of.0.is_empty() {
        return None;
    }
    let mut all = Vec::new();
    for list in &any_of.0 {
        all.extend(of_list(list, asks)?);
    }
    Some(all)
}

/// The terms of the moment of the list that asks most, or of one of its groups.
fn of_list(list: &List, asks: Asks) -> Option<Vec<Vec<MomentTerm>>> {
    let parts = list.0.split(|item| matches!(item.what, What::Step { .. }));
    let own = parts.filter_map(|part| of_part(part, asks));
    let best = own.max_by_key(|images| images.first().map_or(0, |terms| weight(terms)));
    best.or_else(|| {
        let mut groups = list.0.iter().filter(|item| !item.negated);
        groups.find_map(|item| match &item.what {
            What::Group(group) => required(group, asks),
            _ => None,
        })
    })
}

/// The terms about material of one moment, for the position itself and the mirror
/// images that are asked for.
fn of_part(items: &[Item], asks: Asks) -> Option<Vec<Vec<MomentTerm>>> {
    let mut terms: Vec<MomentTerm> = Vec::new();
    let mut flips = (false, false);
    for item in items {
        let What::Term(term) = &item.what else {
            continue;
        };
        match &term.test {
            Test::Moment(term)
                if !item.negated && term.values.iter().all(|(_, check)| asks(check)) =>
            {
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

fn asks_for_material(check: &Check) -> bool {
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

/// Whether the signature of a game may exclude it.
fn asks_for_signature(check: &Check) -> bool {
    most(check).is_some() || matches!(check, Check::Never)
}

/// A rough measure of how few positions fit.
fn weight(terms: &[MomentTerm]) -> u32 {
    let of = |term: &MomentTerm| {
        let checks = term.values.iter().map(|(_, check)| match check {
            Check::Fen(..) | Check::Material(_) => 100,
            Check::Imbalance(_) | Check::Pawns(..) => 3,
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

/// Of how many positions with some material a test has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Positions {
    Some,
    All,
}

impl Positions {
    /// Whether one number of a range is in the bounds, or all are.
    fn fit(self, bounds: &Bounds, (least, most): (i64, i64)) -> bool {
        let (low, high) = match self {
            Self::Some => (most, least),
            Self::All => (least, most),
        };
        bounds.low.is_none_or(|bound| bound <= low) && bounds.high.is_none_or(|bound| high <= bound)
    }
}

fn between(low: i64, high: i64) -> Bounds {
    Bounds {
        low: Some(low),
        high: Some(high),
    }
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

/// Whether positions with this material fit.
fn fits(check: &Check, material: Material, positions: Positions) -> bool {
    let is_certain = positions == Positions::All;
    let kinds = [
        Role::Queen,
        Role::Rook,
        Role::Bishop,
        Role::Knight,
        Role::Pawn,
    ];
    let colors = [Color::White, Color::Black];
    match check {
        Check::Fen(position, _) => !is_certain && Material::of(position) == material,
        Check::Material(sides) => colors.into_iter().zip(sides).all(|(color, counts)| {
            let mut counts = kinds.into_iter().zip(counts);
            counts.all(|(role, &(least, most))| {
                let bounds = between(least.into(), most.into());
                positions.fit(&bounds, range(material, color, role))
            })
        }),
        Check::Count(set, bounds) => positions.fit(bounds, count(*set, material)),
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
            pairs.all(|(wanted, range)| {
                wanted.is_none_or(|wanted| positions.fit(&between(wanted, wanted), range))
            })
        }
        Check::Balance(bounds) => {
            let values = [9, 5, 3, 3, 1];
            let mut all = (0, 0);
            for (role, value) in kinds.into_iter().zip(values) {
                let (least, most) = difference(material, role);
                all = sum(all, (least * value, most * value));
            }
            positions.fit(bounds, all)
        }
        Check::Bishops { .. } if is_certain => false,
        Check::Bishops { .. } => colors.into_iter().all(|color| {
            let (least, most) = range(material, color, Role::Bishop);
            least <= 1 && 1 <= most
        }),
        Check::Never => false,
        _ => !is_certain,
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

/// What is known of every position that fits.
#[derive(Debug, Clone, Copy)]
struct Most {
    /// It has no more.
    material: Material,
    /// Its pawns on their start squares, if they are given.
    home: Option<HomePawns>,
    /// Pawns that have left their start squares.
    left: HomePawns,
}

/// More than any game has.
const ALL_MATERIAL: Material = Material::from_bits(u32::MAX);

impl SignatureFilter {
    /// What a query requires; `None` if games with any signature may fit.
    pub(crate) fn of(query: &Query) -> Option<Self> {
        let mut is_mainline = true;
        query.for_each_term(&mut |term| is_mainline &= !matches!(term.test, Test::In(_)));
        if !is_mainline {
            return None;
        }
        let mut any_of = Vec::new();
        for terms in required(query.any_of(), asks_for_signature)? {
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

    /// The index of the first signature that a game which fits may have.
    pub(crate) fn first(&self, signatures: &[(Material, Option<PawnsGone>)]) -> Option<usize> {
        if let [terms] = self.any_of.as_slice()
            && let [values] = terms.as_slice()
            && let [most] = values.as_slice()
        {
            let most = *most;
            return signatures.iter().position(|&of| most.may_fit(of));
        }
        signatures.iter().position(|&of| self.may_fit(of))
    }

    /// Whether a game with this signature may fit.
    pub(crate) fn may_fit(&self, signature: (Material, Option<PawnsGone>)) -> bool {
        let reaches = |most: &Most| most.may_fit(signature);
        let mut any_of = self.any_of.iter();
        any_of.any(|terms| terms.iter().all(|values| values.iter().any(reaches)))
    }
}

impl Most {
    /// Whether a game with this signature may have such a position. Pawns exclude more games than material
    /// does, and with less work.
    #[inline]
    fn may_fit(&self, (last, gone): (Material, Option<PawnsGone>)) -> bool {
        let passes = |gone: PawnsGone| {
            self.home.is_none_or(|pawns| gone.passes(pawns)) && gone.has_all(self.left)
        };
        gone.is_none_or(passes) && self.material.can_become(last)
    }
}

/// What is known of a position that fits; `None` if nothing is.
fn most(check: &Check) -> Option<Most> {
    let none_left = HomePawns::from_bits(0);
    match check {
        Check::Fen(position, _) => Some(Most {
            material: Material::of(position),
            home: Some(HomePawns::of(position)),
            left: none_left,
        }),
        Check::Pawns(pawns, is_mirrored) => {
            let left = pawns.left_first_squares(*is_mirrored);
            (left != none_left).then_some(Most {
                material: ALL_MATERIAL,
                home: None,
                left,
            })
        }
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
            Some(Most {
                material: Material::from_bits(bits),
                home: None,
                left: none_left,
            })
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
            // Without e2 and d7 gone there was none.
            ("mat:KRPKP pawns:iqp", Some(false)),
            ("pawns:iqp", Some(false)),
            ("pawns:iqp OR mat:KRPKP", Some(true)),
            ("-pawns:iqp", None),
            ("pawns:passed", None),
            ("pawns:stonewall", None),
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
    fn some_questions_are_decided_by_material_alone() {
        let decides = |text: &str, fen: &str| {
            let query = Query::parse(text).unwrap();
            let material = Material::of(&Position::parse_fen(fen.as_bytes()).unwrap());
            let required = query.required_material().unwrap();
            (required.decides(material), required.listed().is_some())
        };
        let ending = "4k2r/8/8/8/8/8/4P3/R3K3 w - - 0 1";
        for (text, expected) in [
            ("mat:KRPKR", (true, true)),
            ("mat:KRPKR OR mat:KK", (true, true)),
            ("mat:KRKRP,KRPKR", (true, true)),
            ("mat:KRKRP flip:color", (true, true)),
            ("mat:KRKRP", (false, true)),
            ("mat:KRP+KR", (true, false)),
            ("count:Rr=2 count:P=1", (true, false)),
            ("imb:Pv", (true, false)),
            ("balance:1", (true, false)),
            ("count:A=3", (false, false)),
            ("mat:KRPKR for:10", (false, true)),
            ("mat:KRPKR is:check", (false, true)),
            ("mat:KRPKR -is:check", (false, true)),
            ("is:check -> mat:KRPKR", (false, true)),
            ("mat:KRPKR (mat:KK)", (false, true)),
            ("mat:KRPKR -(mat:KK)", (false, true)),
            ("mat:KRPKR player:tal", (false, true)),
            ("fen:4k2r/8/8/8/8/8/4P3/R3K3", (false, true)),
        ] {
            assert_eq!(decides(text, ending), expected, "{text}");
        }
        // Three queens may be more.
        let queens = "4k3/8/8/8/8/8/QQQ5/4K3 w - - 0 1";
        assert!(!decides("count:Q=3", queens).0 && decides("count:Q>=3", queens).0);
        assert!(!decides("mat:KQQQK", queens).0 && decides("mat:KQQQ*K", queens).0);
    }

    #[test]
    fn pawns_of_a_structure_have_left_their_first_squares() {
        // c2, d2, e2, d7 for White's isolated pawn; d2, c7, d7, e7 for Black's; mirrored d2 is e2.
        for (text, left) in [
            ("pawns:iqp", 1 << 13 | 1 << 12 | 1 << 11 | 1 << 4),
            ("pawns:iqp/black", 1 << 12 | 1 << 5 | 1 << 4 | 1 << 3),
            ("pawns:iqp flip:color", 1 << 12 | 1 << 5 | 1 << 4 | 1 << 3),
            ("pawns:iqp flip:files", 1 << 10 | 1 << 11 | 1 << 12 | 1 << 3),
            ("pawns:carlsbad", 1 << 13 | 1 << 3),
        ] {
            let query = Query::parse(text).unwrap();
            let filter = SignatureFilter::of(&query).unwrap();
            let found: Vec<u16> = filter
                .any_of
                .iter()
                .flatten()
                .flatten()
                .map(|most| most.left.to_bits())
                .collect();
            assert_eq!(found.last(), Some(&left), "{text}: {found:?}");
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
