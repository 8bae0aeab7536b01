//! The moments of a game: at which positions the terms of each list hold together, and what that makes
//! of steps and groups.

use tabia_core::chess::{Ply, Position};
use tabia_core::game::GameHead;

use super::answer::Answer;
use crate::language::{AnyOf, Item, List, Moment, Query, Term, Test, What};

/// A position of a game that fits a query, and the move played from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMoment {
    /// Plies before it.
    pub ply: u32,
    /// The position.
    pub position: Position,
    /// The move played from it; `None` at the end of the game.
    pub played: Option<Ply>,
}

/// The terms that hold together at one position.
#[derive(Debug, Clone)]
struct Segment {
    /// The number of its first term.
    first: usize,
    tests: Vec<(bool, Term)>,
    /// With fewer men, or without these pawns on their first squares, no later position fits.
    least_men: u32,
    home_pawns: [u64; 2],
    /// The plies at which the terms hold.
    hits: Vec<u32>,
}

/// The moments of the game being visited.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    segments: Vec<Segment>,
    /// One position that fits decides.
    is_simple: bool,
    /// Whether positions that fit are kept.
    keep: bool,
    kept: Vec<FoundMoment>,
    ply: u32,
    last: Option<(Position, Option<Ply>)>,
}

/// What the positions so far decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// The only position asked for.
    Moment,
    /// No later position can fit.
    Never,
}

impl Moments {
    pub(super) fn new(query: &Query) -> Self {
        let mut segments = Vec::new();
        collect(query.any_of(), &mut segments);
        let is_simple = match query.any_of().0.as_slice() {
            [list] => list.0.iter().all(|item| match &item.what {
                What::Term(term) => !matches!(term.test, Test::For(_) | Test::Within(_)),
                What::Group(group) => !group.has_moment(),
                What::Step { .. } => false,
            }),
            _ => false,
        };
        Self {
            segments,
            is_simple,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) fn keep_positions(&mut self) {
        self.keep = true;
    }

    pub(super) fn begin(&mut self, head: &GameHead) {
        for segment in &mut self.segments {
            segment.hits.clear();
        }
        self.kept.clear();
        self.ply = 0;
        self.last = head.start.position().map(|position| (position, None));
    }

    /// Looks at a position of the mainline and the move played from it.
    pub(super) fn visit_move(&mut self, before: &Position, ply: Ply) -> Seen {
        match &mut self.last {
            Some((position, last)) => {
                position.clone_from(before);
                *last = Some(ply);
            }
            last => *last = Some((before.clone(), Some(ply))),
        }
        self.look(before, Some(ply))
    }

    fn look(&mut self, position: &Position, played: Option<Ply>) -> Seen {
        let moment = Moment {
            ply: self.ply,
            position,
            played,
        };
        self.ply += 1;
        let men = position.occupied().count();
        let (mut found, mut possible) = (false, !self.is_simple);
        for segment in &mut self.segments {
            if men < segment.least_men || lacks_home_pawns(position, segment.home_pawns) {
                possible |= !segment.hits.is_empty();
                continue;
            }
            possible = true;
            let holds = segment.tests.iter().all(|(negated, term)| {
                let Test::Moment(term) = &term.test else {
                    return true;
                };
                term.values.iter().any(|(_, check)| check.fits(moment)) != *negated
            });
            if holds {
                segment.hits.push(moment.ply);
                found = true;
            }
        }
        if found && self.keep {
            self.kept.push(FoundMoment {
                ply: moment.ply,
                position: position.clone(),
                played,
            });
        }
        match (found, possible) {
            (true, _) if self.is_simple => Seen::Moment,
            (false, false) => Seen::Never,
            _ => Seen::Nothing,
        }
    }

    /// Looks at the last position of the game.
    pub(super) fn end(&mut self) {
        if let Some((mut position, ply)) = self.last.take() {
            if let Some(ply) = ply {
                position.play_ply(ply);
            }
            let _ = self.look(&position, None);
        }
    }

    /// Whether the game fits, from the answers to the terms about the game, and the plies of the first
    /// moments, one for each step.
    pub(super) fn conclude(
        &self,
        any_of: &AnyOf,
        answer: &dyn Fn(&Term) -> Answer,
    ) -> Option<Vec<u32>> {
        let mut best: Option<Vec<u32>> = None;
        for list in &any_of.0 {
            if let Some(chains) = self.list(list, answer) {
                let first = chains.into_iter().next().unwrap_or_default();
                let is_better = best.as_ref().is_none_or(|best| {
                    !first.is_empty() && (best.is_empty() || first.last() < best.last())
                });
                if is_better {
                    best = Some(first);
                }
            }
        }
        any_of.0.is_empty().then(Vec::new).or(best)
    }

    /// The chains of moments of a list, sorted by the last moment, which differs; a list without moments
    /// has an empty vector. `None` if the list does not hold.
    fn list(&self, list: &List, answer: &dyn Fn(&Term) -> Answer) -> Option<Vec<Vec<u32>>> {
        let mut chains: Option<Vec<Vec<u32>>> = None;
        let mut next = None;
        let mut parts = list.0.split(|item| matches!(item.what, What::Step { .. }));
        let mut steps = list.0.iter().filter_map(|item| match item.what {
            What::Step { next } => Some(next),
            _ => None,
        });
        loop {
            let Some(part) = parts.next() else {
                return Some(chains.unwrap_or_default());
            };
            let found = self.part(part, answer)?;
            let within = part.iter().find_map(|item| match &item.what {
                What::Term(term) => match term.test {
                    Test::Within(count) => Some(count),
                    _ => None,
                },
                _ => None,
            });
            chains = match (chains, next) {
                (Some(before), Some(is_next)) => {
                    let most = if is_next {
                        1
                    } else {
                        within.unwrap_or(u32::MAX)
                    };
                    let joined = join(&before, &found, most);
                    if joined.is_empty() {
                        return None;
                    }
                    Some(joined)
                }
                _ => Some(found),
            };
            next = steps.next();
        }
    }

    /// The chains of moments of the items between two steps.
    fn part(&self, items: &[Item], answer: &dyn Fn(&Term) -> Answer) -> Option<Vec<Vec<u32>>> {
        let mut own = None;
        let mut groups: Vec<Vec<Vec<u32>>> = Vec::new();
        for item in items {
            match &item.what {
                What::Term(term) if matches!(term.test, Test::Moment(_)) => {
                    let found = || {
                        self.segments
                            .iter()
                            .find(|other| other.first == term.number)
                    };
                    own = own.or_else(found);
                }
                What::Term(term) if term.test.is_about_moment() => {}
                What::Term(term) => {
                    if answer(term).negate_if(item.negated) != Answer::Yes {
                        return None;
                    }
                }
                What::Group(group) if item.negated => {
                    if self.conclude(group, answer).is_some() {
                        return None;
                    }
                }
                What::Group(group) => groups.push(self.group(group, answer)?),
                What::Step { .. } => {}
            }
        }
        let Some(segment) = own else {
            groups.retain(|chains| !chains.is_empty());
            // The moment is that of the last of the groups.
            let first = |chains: &Vec<Vec<u32>>| last_of(chains.first());
            let least = groups.iter().map(first).max().unwrap_or_default();
            let mut all: Vec<Vec<u32>> = groups.into_iter().flatten().collect();
            all.retain(|chain| last_of(Some(chain)) >= least);
            all.sort_by_key(|chain| last_of(Some(chain)));
            all.dedup_by_key(|chain| last_of(Some(chain)));
            return Some(all);
        };
        let length = items.iter().find_map(|item| match &item.what {
            What::Term(term) => match term.test {
                Test::For(length) => Some(length),
                _ => None,
            },
            _ => None,
        });
        let length = length.unwrap_or(1) as usize;
        let starts = segment.hits.iter().enumerate().filter(|(index, ply)| {
            let last = segment.hits.get(index + length - 1);
            last.is_some_and(|last| (*last - **ply) as usize == length - 1)
        });
        let found: Vec<Vec<u32>> = starts.map(|(_, ply)| vec![*ply]).collect();
        (!found.is_empty()).then_some(found)
    }

    /// The chains of moments of a group, sorted by the last moment.
    fn group(&self, group: &AnyOf, answer: &dyn Fn(&Term) -> Answer) -> Option<Vec<Vec<u32>>> {
        let mut all: Option<Vec<Vec<u32>>> = None;
        for list in &group.0 {
            if let Some(chains) = self.list(list, answer) {
                all.get_or_insert_default().extend(chains);
            }
        }
        all.map(|mut chains| {
            chains.sort_by_key(|chain| last_of(Some(chain)));
            chains.dedup_by_key(|chain| last_of(Some(chain)));
            chains
        })
    }

    /// The kept positions at some plies.
    pub(super) fn found(&self, plies: &[u32]) -> Vec<FoundMoment> {
        let at = |ply: &u32| self.kept.iter().find(|moment| moment.ply == *ply);
        plies.iter().filter_map(at).cloned().collect()
    }
}

fn last_of(chain: Option<&Vec<u32>>) -> u32 {
    chain
        .and_then(|chain| chain.last())
        .copied()
        .unwrap_or_default()
}

/// The chains continued by later ones: from one ply to `most` plies after. Of several that lead to the
/// same moment the earliest is taken.
fn join(before: &[Vec<u32>], after: &[Vec<u32>], most: u32) -> Vec<Vec<u32>> {
    let mut joined = Vec::new();
    let mut from = 0;
    for chain in after {
        let (Some(&first), last) = (chain.first(), last_of(Some(chain))) else {
            continue;
        };
        // Both are sorted, unless a chain of several steps begins earlier than the one before.
        if joined.is_empty() || chain.len() > 1 {
            from = 0;
        }
        let skipped = before.get(from..).unwrap_or_default();
        from += skipped.partition_point(|chain| last_of(Some(chain)).saturating_add(most) < first);
        if let Some(start) = before.get(from)
            && last_of(Some(start)) < first
        {
            let mut whole = start.clone();
            whole.extend_from_slice(chain);
            debug_assert!(whole.last() == Some(&last));
            joined.push(whole);
        }
    }
    joined
}

fn lacks_home_pawns(position: &Position, [white, black]: [u64; 2]) -> bool {
    use tabia_core::chess::{Color, Role};
    if white | black == 0 {
        return false;
    }
    let pawns = position.by_role(Role::Pawn).0;
    let of = |color| pawns & position.by_color(color).0;
    white & !of(Color::White) | black & !of(Color::Black) != 0
}

/// Collects the segments of a query: for each list, the terms about moments between two steps.
fn collect(any_of: &AnyOf, segments: &mut Vec<Segment>) {
    for list in &any_of.0 {
        for part in list.0.split(|item| matches!(item.what, What::Step { .. })) {
            let mut tests: Vec<(bool, Term)> = Vec::new();
            for item in part {
                match &item.what {
                    What::Term(term) if matches!(term.test, Test::Moment(_)) => {
                        tests.push((item.negated, term.clone()));
                    }
                    What::Group(group) => collect(group, segments),
                    _ => {}
                }
            }
            let Some(first) = tests.first().map(|(_, term)| term.number) else {
                continue;
            };
            // A term with one value limits the positions that fit.
            let only = tests.iter().filter_map(|(negated, term)| match &term.test {
                Test::Moment(term) if !negated => match term.values.as_slice() {
                    [(_, check)] => Some(check),
                    _ => None,
                },
                _ => None,
            });
            let (mut least_men, mut home_pawns) = (0, [0; 2]);
            for check in only {
                least_men = least_men.max(check.least_men());
                let [white, black] = check.home_pawns();
                home_pawns[0] |= white;
                home_pawns[1] |= black;
            }
            tests.sort_by_key(|(_, term)| match &term.test {
                Test::Moment(term) => term.values.iter().map(|(_, check)| check.cost()).max(),
                _ => None,
            });
            segments.push(Segment {
                first,
                tests,
                least_men,
                home_pawns,
                hits: Vec::new(),
            });
        }
    }
}
