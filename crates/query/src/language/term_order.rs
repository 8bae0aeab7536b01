//! The order in which the terms of a query are asked, for users who want to see what each leaves.

use std::sync::Arc;

use tabia_core::game::Want;

use super::{AnyOf, Item, List, Parsed, Query, Test, What};

/// A term of a query and the query of all terms up to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlanStep {
    /// Which of the alternatives it is in, from 1; `None` for all of them together.
    pub alternative: Option<u32>,
    /// The term as it is written; several that belong together with blanks between them.
    pub text: String,
    /// What of a game is read to decide it.
    pub want: Want,
    /// The terms of the alternative up to this one.
    pub query: Query,
}

impl Query {
    /// The terms in the order in which they are asked: those that the header of a game decides, then those
    /// that need its moves, then its annotations. A step follows the terms before it.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let plan = Query::parse("move:Bxh7+ elo:>=2500")?.plan();
    /// let texts: Vec<&str> = plan.iter().map(|step| step.text.as_str()).collect();
    /// assert_eq!(texts, ["elo:>=2500", "move:Bxh7+"]);
    /// assert_eq!(plan[1].query.to_string(), "elo:>=2500 move:Bxh7+");
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn plan(&self) -> Vec<PlanStep> {
        let lists = &self.any_of().0;
        let mut steps = Vec::new();
        for (list, number) in lists.iter().zip(1..) {
            let mut asked: Vec<Item> = Vec::new();
            for unit in units(list) {
                let text = self.with(unit.clone()).to_string();
                let want = want(&unit);
                asked.extend(unit);
                steps.push(PlanStep {
                    alternative: Some(number),
                    text,
                    want,
                    query: self.with(asked.clone()),
                });
            }
        }
        if lists.len() > 1 {
            steps.push(PlanStep {
                alternative: None,
                text: self.unsorted().to_string(),
                want: Want::TAGS,
                query: self.unsorted(),
            });
        }
        steps
    }

    fn with(&self, items: Vec<Item>) -> Self {
        self.with_alternatives(AnyOf(vec![List(items)]))
    }

    fn unsorted(&self) -> Self {
        self.with_alternatives(self.any_of().clone())
    }

    /// A query of some of the terms of this one.
    fn with_alternatives(&self, any_of: AnyOf) -> Self {
        let parsed = Arc::new(Parsed {
            any_of,
            terms: self.term_count(),
            ..Parsed::default()
        });
        Self {
            parsed,
            duplicates: self.duplicates.clone(),
        }
    }
}

/// The items of a list that are asked one after another.
fn units(list: &List) -> Vec<Vec<Item>> {
    let is_header = |item: &Item| match &item.what {
        What::Term(term) => !term.test.is_about_moment(),
        What::Group(group) => !group.has_moment(),
        What::Step { .. } => false,
    };
    let (mut header, rest): (Vec<Item>, Vec<Item>) = list.0.iter().cloned().partition(is_header);
    header.sort_by_key(|item| rank(want(std::slice::from_ref(item))));
    let mut units: Vec<Vec<Item>> = header.into_iter().map(|item| vec![item]).collect();
    let mut step = Vec::new();
    let mut part = rest.as_slice();
    loop {
        let end = part
            .iter()
            .position(|item| matches!(item.what, What::Step { .. }));
        let (items, after) = part.split_at(end.unwrap_or(part.len()));
        push_part(items, std::mem::take(&mut step), &mut units);
        match after.split_first() {
            Some((next, after)) => {
                step.push(next.clone());
                part = after;
            }
            None => return units,
        }
    }
}

/// The units of the items between two steps, the first of which begins with the step.
fn push_part(items: &[Item], step: Vec<Item>, units: &mut Vec<Vec<Item>>) {
    let test = |item: &Item| match &item.what {
        What::Term(term) => Some(term.test.clone()),
        _ => None,
    };
    let is_option = |item: &&Item| {
        matches!(
            test(item),
            Some(Test::Flip(_) | Test::In(_) | Test::Within(_))
        )
    };
    let mut first = step;
    first.extend(items.iter().filter(is_option).cloned());
    let mut others: Vec<&Item> = items.iter().filter(|item| !is_option(item)).collect();
    // `for` is about all of them.
    others.sort_by_key(|item| {
        let is_last = matches!(test(item), Some(Test::For(_)));
        (is_last, rank(want(std::slice::from_ref(item))))
    });
    for item in others {
        let mut unit = std::mem::take(&mut first);
        unit.push(item.clone());
        units.push(unit);
    }
    if !first.is_empty() {
        units.push(first);
    }
}

/// What of a game has to be read for some items.
fn want(items: &[Item]) -> Want {
    let mut want = Want::TAGS;
    let mut add = |test: &Test| want = want.and(test.want());
    for item in items {
        match &item.what {
            What::Term(term) => add(&term.test),
            What::Group(group) => group.for_each_term(&mut |term| add(&term.test)),
            What::Step { .. } => {}
        }
    }
    want
}

fn rank(want: Want) -> u8 {
    u8::from(want.has(Want::MAINLINE)) + u8::from(want.has(Want::ANNOTATIONS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_terms_come_first_and_steps_last() {
        let texts = |query: &str| -> Vec<String> {
            let plan = Query::parse(query).unwrap().plan();
            plan.into_iter().map(|step| step.text).collect()
        };
        assert_eq!(
            texts("move:Bxh7+ flip:color tal => within:3 nag:!! moved:K text:x elo:>2000"),
            [
                "tal",
                "elo:>=2001",
                "flip:color move:Bxh7+",
                "=> within:3 moved:K",
                "nag:$3",
                "text:x",
            ]
        );
        assert_eq!(
            texts("mat:KRPKR for:10 (tal OR morphy) OR ends:mate white:x sort:date"),
            [
                "(tal OR morphy)",
                "mat:KRPKR",
                "for:10",
                "white:x",
                "ends:mate",
                "mat:KRPKR for:10 (tal OR morphy) OR ends:mate white:x",
            ]
        );
        let plan = Query::parse("mat:KRPKR for:10 tal").unwrap().plan();
        let whole = plan.last().unwrap().query.to_string();
        assert_eq!(whole, "tal mat:KRPKR for:10");
    }
}
