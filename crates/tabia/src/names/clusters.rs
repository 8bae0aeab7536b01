//! Which spellings are probably one name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tabia_core::Error;
use tabia_core::io::Progress;

use super::player_name::{PlayerName, sorted_words, without_titles};
use super::references::{FideList, SpellingFile, spelling_key};
use super::{NamedThing, Use};

/// Years between the games of two spellings of one person at most.
const MAX_GAP: u16 = 30;
/// Points between the ratings of two spellings of one player at most.
const MAX_ELO: u16 = 300;
/// A name is a misspelling only of one with this many times its games.
const MUCH_MORE: u64 = 5;
/// Letters of a surname that may be misspelt, at least.
const MIN_SURNAME: usize = 5;

/// Spellings that are probably one name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameCluster {
    /// What they name.
    pub kind: NamedThing,
    /// The spelling that the others could get: one of them, or that of the spelling file or list.
    pub proposal: String,
    /// The spellings, the most frequent one first.
    pub spellings: Vec<Spelling>,
}

/// A spelling in the games.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spelling {
    /// The name, as it is stored.
    pub name: String,
    /// Games with it; a game between two players of that name counts twice.
    pub games: u64,
    /// The first and the last year of the games; `None` if all are unknown.
    pub years: Option<(u16, u16)>,
    /// The lowest and the highest rating, of players; `None` if all are unknown.
    pub elo: Option<(u16, u16)>,
    /// Why it should be the proposal; empty for the proposal itself.
    pub reason: String,
}

/// The numbers in a name.
fn numbers(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_ascii_digit());
    let numbers = parts.filter(|part| !part.is_empty());
    numbers.map(str::to_owned).collect()
}

/// A spelling while clusters are found.
struct Member<'u> {
    name: &'u str,
    found: &'u Use,
    person: PlayerName,
    key: String,
    reason: String,
}

/// Numbers of members that belong together.
struct Sets(Vec<usize>);

impl Sets {
    fn of(&mut self, number: usize) -> usize {
        let mut root = number;
        while let Some(next) = self.0.get(root).copied().filter(|next| *next != root) {
            root = next;
        }
        if let Some(own) = self.0.get_mut(number) {
            *own = root;
        }
        root
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        if let Some(root) = self.0.get_mut(a.max(b)) {
            *root = a.min(b);
        }
    }
}

/// Finds the clusters among all names.
pub(super) fn find(
    uses: &BTreeMap<(NamedThing, String), Use>,
    spelling: Option<&SpellingFile>,
    fide: Option<&FideList>,
    progress: &Progress,
) -> Result<Vec<NameCluster>, Error> {
    let listed = match fide {
        Some(list) => {
            let ids = uses.values().flat_map(|found| &found.ids);
            list.names(&ids.copied().collect())?
        }
        None => BTreeMap::new(),
    };
    let mut clusters = Vec::new();
    for kind in NamedThing::ALL {
        let members = uses.iter().filter(|((other, _), _)| *other == kind);
        let members = members.map(|((_, name), found)| Member {
            name,
            found,
            person: PlayerName::parse(name),
            key: spelling_key(name),
            reason: String::new(),
        });
        let members = members.map(|member| progress.check().map(|()| member));
        let finder = Finder {
            kind,
            progress,
            members: members.collect::<Result<_, _>>()?,
            sets: Sets(Vec::new()),
            proposals: BTreeMap::new(),
        };
        finder.find(spelling, &listed, &mut clusters)?;
    }
    clusters.sort_by(|a, b| (a.kind, &a.proposal).cmp(&(b.kind, &b.proposal)));
    Ok(clusters)
}

struct Finder<'u> {
    kind: NamedThing,
    progress: &'u Progress,
    members: Vec<Member<'u>>,
    sets: Sets,
    /// Names of references, and the members that they are the correct spelling of.
    proposals: BTreeMap<String, Vec<usize>>,
}

impl Finder<'_> {
    fn find(
        mut self,
        spelling: Option<&SpellingFile>,
        listed: &BTreeMap<u32, String>,
        clusters: &mut Vec<NameCluster>,
    ) -> Result<(), Error> {
        self.sets.0 = (0..self.members.len()).collect();
        if self.kind.is_person() {
            self.join_by("the same names, written otherwise", |member| {
                let is_named = !member.person.surname.is_empty();
                is_named.then(|| member.person.clone())
            });
            self.join_reversed();
            self.join_short_forms()?;
            self.join_misspellings()?;
        } else {
            self.join_by("the same letters and digits", |member| {
                // `1.1` is another round than `11`.
                let key = (member.key.clone(), numbers(member.name));
                Some(key).filter(|(key, _)| !key.is_empty())
            });
        }
        self.join_ids(listed);
        self.join_corrections(spelling);
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..self.members.len() {
            groups.entry(self.sets.of(number)).or_default().push(number);
        }
        for group in groups.into_values() {
            self.progress.check()?;
            clusters.extend(self.cluster(&group));
        }
        Ok(())
    }

    fn join(&mut self, member: usize, other: usize, reason: &str) {
        if let Some(member) = self.members.get_mut(member)
            && member.reason.is_empty()
        {
            reason.clone_into(&mut member.reason);
        }
        self.sets.join(member, other);
    }

    /// Joins the members with equal keys, each with the first of them.
    fn join_by<K: Ord>(&mut self, reason: &str, key: impl Fn(&Member<'_>) -> Option<K>) {
        let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (number, member) in self.members.iter().enumerate() {
            if let Some(key) = key(member) {
                groups.entry(key).or_default().push(number);
            }
        }
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let Some(first) = group.first().copied() else {
                continue;
            };
            for number in group {
                if !self.kind.is_person() || self.could_be_one(number, first) {
                    self.join(number, first, reason);
                }
            }
        }
    }

    /// Joins names without a comma with those of the same words that have one, if these agree which
    /// word is the surname: `Stohl Igor` and `Stohl, Igor`.
    fn join_reversed(&mut self) {
        let mut groups: BTreeMap<Vec<String>, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (number, member) in self.members.iter().enumerate() {
            if let Some(words) = sorted_words(member.name) {
                let (with_comma, without) = groups.entry(words).or_default();
                let numbers = if member.name.contains(',') {
                    with_comma
                } else {
                    without
                };
                numbers.push(number);
            }
        }
        for (with_comma, without) in groups.into_values() {
            let person = |number: &usize| self.members.get(*number).map(|member| &member.person);
            let Some((first, rest)) = with_comma.split_first() else {
                continue;
            };
            if rest.iter().any(|other| person(other) != person(first)) {
                continue;
            }
            for number in without {
                if self.could_be_one(number, *first) {
                    self.join(number, *first, "the same words in another order");
                }
            }
        }
    }

    /// Joins initials with the name that they are short for, if only one fits.
    fn join_short_forms(&mut self) -> Result<(), Error> {
        let mut surnames: BTreeMap<&str, BTreeMap<&PlayerName, Vec<usize>>> = BTreeMap::new();
        for (number, member) in self.members.iter().enumerate() {
            let forms = surnames.entry(&member.person.surname).or_default();
            forms.entry(&member.person).or_default().push(number);
        }
        let mut joined = Vec::new();
        for forms in surnames.values() {
            self.progress.check()?;
            for (form, numbers) in forms {
                let longer: Vec<_> = forms
                    .iter()
                    .filter(|(other, others)| {
                        let could_be = |a: &usize| others.iter().any(|b| self.could_be_one(*a, *b));
                        form.is_short_for(other) && numbers.iter().any(could_be)
                    })
                    .collect();
                // Of several longer forms each must be short for the next.
                let Some(longest) = longer.iter().max_by_key(|(other, _)| {
                    let letters: usize = other.given.iter().map(String::len).sum();
                    (other.given.len(), letters)
                }) else {
                    continue;
                };
                let fits =
                    |other: &PlayerName| *other == **longest.0 || other.is_short_for(longest.0);
                if !longest.0.has_given_name() || !longer.iter().all(|(other, _)| fits(other)) {
                    continue;
                }
                for number in numbers {
                    joined.extend(longest.1.first().map(|other| (*number, *other)));
                }
            }
        }
        for (number, other) in joined {
            let reason = match self.members.get(other) {
                Some(member) => format!("short for `{}`", member.name),
                None => continue,
            };
            self.join(number, other, &reason);
        }
        Ok(())
    }

    /// Joins rare surnames with frequent ones that differ in one letter, of the same given names.
    fn join_misspellings(&mut self) -> Result<(), Error> {
        let mut near: HashMap<(String, String), Vec<usize>> = HashMap::new();
        let mut joined = Vec::new();
        for (number, member) in self.members.iter().enumerate() {
            self.progress.check()?;
            let surname: Vec<char> = member.person.surname.chars().collect();
            if surname.len() < MIN_SURNAME || !member.person.has_given_name() {
                continue;
            }
            let given = member.person.given.join(" ");
            let mut others = BTreeSet::new();
            for without in 0..=surname.len() {
                let kept = surname.iter().enumerate().filter(|(at, _)| *at != without);
                let key = (kept.map(|(_, c)| *c).collect(), given.clone());
                let known = near.entry(key).or_default();
                if known.last() != Some(&number) {
                    others.extend(known.iter().copied());
                    known.push(number);
                }
            }
            for other in others {
                joined.extend(self.misspelling(number, other));
            }
        }
        for (rare, frequent) in joined {
            let reason = match self.members.get(frequent) {
                Some(member) => format!("one letter differs from `{}`", member.name),
                None => continue,
            };
            self.join(rare, frequent, &reason);
        }
        Ok(())
    }

    /// The rare and the frequent one of two members, if the one may be a misspelling of the other.
    fn misspelling(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let (first, second) = (self.members.get(a)?, self.members.get(b)?);
        let (rare, frequent) = if first.found.games <= second.found.games {
            (a, b)
        } else {
            (b, a)
        };
        let games = [first.found.games, second.found.games];
        let (least, most) = (games[0].min(games[1]), games[0].max(games[1]));
        let [surname, other] = [&first.person.surname, &second.person.surname];
        // A letter more at the end makes another surname: Sokolovs, Ivanova.
        let is_longer = surname.starts_with(other.as_str()) || other.starts_with(surname.as_str());
        let is_near = !is_longer && differs_in_one_letter(surname, other);
        (is_near && most >= least.saturating_mul(MUCH_MORE) && self.could_be_one(a, b))
            .then_some((rare, frequent))
    }

    /// Whether years, ratings and ids allow two members to be one person. Whether they played each other is asked when all of a
    /// cluster are known: it does not decide which other name one of them is short for.
    fn could_be_one(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.members.get(a), self.members.get(b)) else {
            return false;
        };
        let (a, b) = (a.found, b.found);
        let gap = |a: (u16, u16), b: (u16, u16)| match (a.0, b.0) {
            (0, _) | (_, 0) => 0,
            _ => a.0.saturating_sub(b.1).max(b.0.saturating_sub(a.1)),
        };
        let has_other_ids = !a.ids.is_empty() && !b.ids.is_empty() && a.ids.is_disjoint(&b.ids);
        gap(a.years, b.years) <= MAX_GAP && gap(a.elo, b.elo) <= MAX_ELO && !has_other_ids
    }

    /// Joins the spellings of one FIDE id.
    fn join_ids(&mut self, listed: &BTreeMap<u32, String>) {
        let mut ids: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, member) in self.members.iter().enumerate() {
            // A name with several ids is that of several players.
            if member.found.ids.len() == 1 {
                for id in &member.found.ids {
                    ids.entry(*id).or_default().push(number);
                }
            }
        }
        for (id, numbers) in ids {
            let reason = format!("FIDE id {id}");
            for number in &numbers {
                self.join(
                    *number,
                    numbers.first().copied().unwrap_or(*number),
                    &reason,
                );
            }
            if let Some(name) = listed.get(&id) {
                let proposed = self.proposals.entry(name.clone()).or_default();
                proposed.extend(numbers);
            }
        }
    }

    fn join_corrections(&mut self, spelling: Option<&SpellingFile>) {
        let Some(spelling) = spelling else { return };
        for number in 0..self.members.len() {
            let Some(member) = self.members.get_mut(number) else {
                continue;
            };
            if let Some(name) = spelling.correct(self.kind, member.name) {
                if member.name != name {
                    "the spelling file".clone_into(&mut member.reason);
                }
                let proposed = self.proposals.entry(name.to_owned()).or_default();
                proposed.push(number);
            }
        }
        let groups: Vec<Vec<usize>> = self.proposals.values().cloned().collect();
        for group in groups {
            for number in &group {
                let first = group.first().copied().unwrap_or(*number);
                self.sets.join(*number, first);
            }
        }
    }

    /// The cluster of some members, if a name should change.
    fn cluster(&mut self, group: &[usize]) -> Option<NameCluster> {
        let mut references: BTreeSet<&str> = BTreeSet::new();
        for (name, numbers) in &self.proposals {
            if numbers.iter().any(|number| group.contains(number)) {
                references.insert(name);
            }
        }
        let mut members: Vec<&Member<'_>> = group
            .iter()
            .filter_map(|number| self.members.get(*number))
            .collect();
        members.sort_by_key(|member| (std::cmp::Reverse(member.found.games), member.name));
        let proposal = match references.len() {
            0 => best(self.kind, &members)?.name.to_owned(),
            1 => references.first().map(|name| (*name).to_owned())?,
            // References contradict each other: nothing is proposed.
            _ => return None,
        };
        // Players who played each other are not one person, whoever else the names could be short for.
        let all = members.clone();
        let is_opponent = |a: &Member<'_>| all.iter().any(|b| a.found.opponents.contains(b.name));
        members.retain(|member| member.name == proposal || !is_opponent(member));
        if members.iter().all(|member| member.name == proposal) {
            return None;
        }
        let known = |range: (u16, u16)| Some(range).filter(|range| range.0 > 0);
        let spellings: Vec<Spelling> = members
            .iter()
            .map(|member| Spelling {
                name: member.name.to_owned(),
                games: member.found.games,
                years: known(member.found.years),
                elo: known(member.found.elo),
                reason: match member.name == proposal {
                    true => String::new(),
                    false if member.reason.is_empty() => {
                        let others = members.iter().map(|other| other.name);
                        let other = others.clone().find(|name| *name != member.name);
                        let is_other = |name: &&str| *name != member.name && *name != proposal;
                        let other = others.clone().find(is_other).or(other);
                        format!("`{}` is another spelling of it", other.unwrap_or_default())
                    }
                    false => member.reason.clone(),
                },
            })
            .collect();
        Some(NameCluster {
            kind: self.kind,
            proposal,
            spellings,
        })
    }
}

/// The most complete spelling: without titles, not in capitals, with given names in full, with a comma, the most frequent.
fn best<'m, 'u>(kind: NamedThing, members: &[&'m Member<'u>]) -> Option<&'m Member<'u>> {
    let mut members = members.iter();
    // Misspellings are rare; that spelling wins whose games are most among the complete ones.
    let rank = |member: &&&'m Member<'u>| {
        let name = member.name;
        let is_shouted =
            name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase);
        let given = &member.person.given;
        let full = given.iter().filter(|word| word.chars().count() > 1).count();
        let is_full = kind.is_person() && full > 0;
        let has_comma = kind.is_person() && name.contains(", ");
        let is_misspelt = member.reason.starts_with("one letter");
        (
            !is_misspelt,
            !kind.is_person() || without_titles(name) == name,
            !is_shouted,
            is_full,
            has_comma,
            member.found.games,
            std::cmp::Reverse(name),
        )
    };
    let first = members.next()?;
    let best = members.fold(first, |best, member| {
        if rank(&member) > rank(&best) {
            member
        } else {
            best
        }
    });
    Some(best)
}

/// Whether one letter was inserted, left out, replaced, or exchanged with its neighbour.
fn differs_in_one_letter(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let start = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let rest = |word: &[char], from: usize| word.get(from..).unwrap_or_default().to_vec();
    match long.len() - short.len() {
        0 => {
            let swapped = [long.get(start + 1), long.get(start)];
            start < long.len()
                && (rest(&short, start + 1) == rest(&long, start + 1)
                    || [short.get(start), short.get(start + 1)] == swapped
                        && rest(&short, start + 2) == rest(&long, start + 2))
        }
        1 => rest(&short, start) == rest(&long, start + 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, games, years, rating, id.
    type Row<'r> = (&'r str, u64, u16, u16, u32);

    fn clusters(
        kind: NamedThing,
        rows: &[Row<'_>],
        spelling: Option<&str>,
    ) -> Vec<(String, Vec<String>)> {
        let mut uses = BTreeMap::new();
        for (name, games, year, elo, id) in rows {
            let found = Use {
                games: *games,
                years: (*year, *year),
                elo: (*elo, *elo),
                ids: Some(*id).filter(|id| *id > 0).into_iter().collect(),
                opponents: BTreeSet::new(),
            };
            uses.insert((kind, (*name).to_owned()), found);
        }
        let spelling = spelling.map(|text| SpellingFile::parse(text.as_bytes()));
        let found = find(&uses, spelling.as_ref(), None, &Progress::new()).unwrap();
        let names = |cluster: NameCluster| {
            let names = cluster.spellings.into_iter().map(|spelling| spelling.name);
            (cluster.proposal, names.collect())
        };
        found.into_iter().map(names).collect()
    }

    fn owned(proposal: &str, names: &[&str]) -> (String, Vec<String>) {
        (
            proposal.to_owned(),
            names.iter().map(|name| (*name).to_owned()).collect(),
        )
    }

    #[test]
    fn spellings_of_one_player_are_a_cluster() {
        let rows = [
            ("Carlsen, Magnus", 10, 2010, 2820, 0),
            ("Carlsen,M", 20, 2011, 2830, 0),
            ("CARLSEN, M.", 1, 2011, 2830, 0),
            ("Magnus Carlsen", 2, 2011, 2830, 0),
            ("Carlson, Magnus", 1, 2012, 2840, 0),
            ("Aronian, L", 5, 2010, 2790, 0),
        ];
        let names = [
            "Carlsen,M",
            "Carlsen, Magnus",
            "Magnus Carlsen",
            "CARLSEN, M.",
            "Carlson, Magnus",
        ];
        assert_eq!(
            clusters(NamedThing::Player, &rows, None),
            [owned("Carlsen, Magnus", &names)]
        );
    }

    #[test]
    fn names_without_a_comma_may_begin_with_the_surname() {
        let rows = [
            ("Stohl, Igor", 10, 2000, 2550, 0),
            ("Stohl Igor", 2, 2001, 2560, 0),
            ("Igor Stohl", 1, 2001, 2560, 0),
        ];
        assert_eq!(
            clusters(NamedThing::Player, &rows, None),
            [owned(
                "Stohl, Igor",
                &["Stohl, Igor", "Stohl Igor", "Igor Stohl"]
            )]
        );
        // It is not known which of both is meant.
        let rows = [
            ("Paul, Adrian", 10, 2000, 2250, 0),
            ("Adrian, Paul", 9, 2001, 2260, 0),
            ("Paul Adrian", 2, 2001, 2260, 0),
        ];
        let found = clusters(NamedThing::Player, &rows, None);
        assert!(found.iter().all(|(_, names)| names.len() == 2), "{found:?}");
        let rows = [
            ("Sokolov, Andrei", 90, 2000, 2550, 0),
            ("Sokolovs, Andrei", 2, 2001, 2560, 0),
        ];
        assert_eq!(clusters(NamedThing::Player, &rows, None), []);
    }

    #[test]
    fn opponents_are_not_one_player() {
        let games = |opponents: &[&str]| Use {
            games: 3,
            years: (2000, 2001),
            opponents: opponents.iter().map(|name| (*name).to_owned()).collect(),
            ..Use::default()
        };
        let uses = |rows: &[(&str, &[&str])]| {
            let row = |(name, opponents): &(&str, &[&str])| {
                ((NamedThing::Player, (*name).to_owned()), games(opponents))
            };
            let uses: BTreeMap<_, _> = rows.iter().map(row).collect();
            find(&uses, None, None, &Progress::new()).unwrap()
        };
        let found = uses(&[
            ("Kuzmin, A", &["Kuzmin, Alexey"]),
            ("Kuzmin, Alexey", &["Kuzmin, A"]),
        ]);
        assert!(found.is_empty(), "{found:?}");
        let found = uses(&[
            ("Kuzmin, A", &["Kuzmin, Alexey"]),
            ("Kuzmin, Alexey", &["Kuzmin, A"]),
            ("KUZMIN, ALEXEY", &[]),
        ]);
        let names: Vec<_> = found
            .iter()
            .flat_map(|cluster| &cluster.spellings)
            .collect();
        assert!(
            names.len() == 2 && names.iter().all(|name| name.name != "Kuzmin, A"),
            "{names:?}"
        );
        let found = uses(&[("Byrne, Robert Jr", &[]), ("Byrne, Robert", &[])]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_name_with_a_title_is_short_for_the_one_without() {
        let rows = [
            ("Mieses, Jacques", 2, 1910, 0, 0),
            ("Mieses J GM", 5, 1910, 0, 0),
            ("Jacques Mieses GM", 9, 1910, 0, 0),
        ];
        let names = ["Jacques Mieses GM", "Mieses J GM", "Mieses, Jacques"];
        assert_eq!(
            clusters(NamedThing::Player, &rows, None),
            [owned("Mieses, Jacques", &names)]
        );
    }

    #[test]
    fn different_persons_are_none() {
        // Two players with the initial; other ratings, years or ids; as frequent as each other.
        for rows in [
            &[
                ("Polgar, S", 5, 1990, 2500, 0),
                ("Polgar, Susan", 5, 1990, 2500, 0),
                ("Polgar, Sofia", 5, 1990, 2450, 0),
            ][..],
            &[
                ("Ivanov, A", 5, 1990, 2500, 0),
                ("Ivanov, Alexei", 5, 1990, 1800, 0),
            ],
            &[
                ("Morphy, P", 5, 1858, 0, 0),
                ("Morphy, Peter", 5, 1990, 0, 0),
            ],
            &[("Li, C", 5, 2015, 2500, 7), ("Li, Chao", 5, 2015, 2500, 8)],
            &[
                ("Petrov, Ivan", 5, 2015, 2500, 0),
                ("Petrow, Ivan", 5, 2015, 2500, 0),
            ],
            &[("Tal, M", 5, 1960, 0, 0), ("Tal", 5, 1960, 0, 0)],
        ] {
            assert_eq!(clusters(NamedThing::Player, rows, None), [], "{rows:?}");
        }
    }

    #[test]
    fn ids_and_spelling_files_are_evidence() {
        let rows = [
            ("Nepo", 1, 2020, 2790, 4_168_119),
            ("Nepomniachtchi, Ian", 9, 2020, 2790, 4_168_119),
            ("Kasparow, G", 3, 1990, 2800, 0),
        ];
        let file = "@PLAYER\nKasparov, Garry #GM\n=Kasparow, G\n";
        assert_eq!(
            clusters(NamedThing::Player, &rows, Some(file)),
            [
                owned("Kasparov, Garry", &["Kasparow, G"]),
                owned("Nepomniachtchi, Ian", &["Nepomniachtchi, Ian", "Nepo"])
            ]
        );
        let sites = [
            ("Wijk aan Zee", 9, 2000, 0, 0),
            ("WIJK AAN ZEE", 20, 2000, 0, 0),
            ("Wijk", 1, 2000, 0, 0),
        ];
        let expected = [owned("Wijk aan Zee", &["WIJK AAN ZEE", "Wijk aan Zee"])];
        assert_eq!(clusters(NamedThing::Site, &sites, None), expected);
    }

    #[test]
    fn one_letter() {
        for (a, b, expected) in [
            ("carlsen", "carlson", true),
            ("carlsen", "carsen", true),
            ("carlsen", "carlsne", true),
            ("carlsen", "acrlsen", true),
            ("carlsen", "carlsen", false),
            ("carlsen", "karlson", false),
            ("carlsen", "carlsenab", false),
        ] {
            assert_eq!(differs_in_one_letter(a, b), expected, "{a} {b}");
            assert_eq!(differs_in_one_letter(b, a), expected, "{b} {a}");
        }
    }
}
