//! [`Matcher`]: whether games fit a query.

use tabia_core::chess::{Material, PawnsGone, Ply, Position};
use tabia_core::game::{Annotation, Flow, Game, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::games::{Database, GameReader, IndexEntry, NameKind};
use tabia_core::{GameIndex, Problem, Result};

use super::answer::Answer;
use super::by_entry::{NameCache, Row};
use super::by_moves::{Needs, Progress};
use super::evaluate_alternatives::evaluate;
use super::moments::{FoundMoment, Moments, Seen};
use super::player_filter::PlayerFilter;
use super::rating_filter::RatingTest;
use super::{by_entry, by_head};
use crate::fold_case::fold;
use crate::language::{GameMark, Query, SignatureFilter, Term, Test, What, begins_word};

/// Number of records whose ratings or signatures are read at once when searching for the next candidate.
const RECORDS_PER_READ: u32 = 4096;
/// The same for single records, some of which the caller may skip.
const RATINGS_PER_SINGLE_READ: u32 = 256;

/// Tests games against a query; one for each thread and each database. Each distinct name of a
/// database is compared once, then cached by its number.
///
/// The records of a database are asked about with [`entry`](Self::entry) first, which reads the index
/// only, and read if that does not decide. Games of a stream are visited: the matcher is a [`Visitor`]
/// that answers [`Flow::Skip`] as soon as the game is decided on; [`answer`](Self::answer) has the
/// outcome.
///
/// ```
/// use tabia_core::GameIndex;
/// use tabia_core::game::{Flow, GameHead, GameResult, Visitor};
/// use tabia_query::{Answer, Matcher, Query};
///
/// let query = Query::parse("white:tal result:1-0")?;
/// let mut matcher = Matcher::new(&query);
/// let mut head = GameHead::default();
/// head.tags.push("White", "Botvinnik, Mikhail");
/// assert_eq!(matcher.begin_game(GameIndex(0), &head), Flow::Skip);
/// assert_eq!(matcher.answer(), Answer::No);
/// head.tags.set("White", "Tal, Mikhail");
/// assert_eq!(matcher.begin_game(GameIndex(1), &head), Flow::Go);
/// matcher.end_game(GameResult::WhiteWins);
/// assert_eq!(matcher.answer(), Answer::Yes);
/// # Ok::<(), tabia_query::FilterError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Matcher {
    query: Query,
    /// Number of the first game of a part of a stream, from 0.
    first_game: u32,
    /// Every term is about positions and moves, which no index entry decides.
    asks_moments_only: bool,
    /// The folded name of the database.
    database: String,
    /// The answers of each term to names.
    caches: Vec<NameCache>,
    /// The kinds of names of which the database has all, once asked.
    stored_names: Option<Vec<NameKind>>,
    /// The terms on ratings that must hold, in a form that tests many records at once.
    rating_tests: Vec<RatingTest>,
    /// The database has no fast way to read ratings.
    lacks_ratings: bool,
    /// The tests on ratings decide.
    ratings_decide: bool,
    /// Ratings of consecutive records, White's and Black's, and the index of the first record.
    ratings: Vec<[u16; 2]>,
    ratings_from: u32,
    /// A term on players that must hold.
    players: Option<PlayerFilter>,
    /// What the signature of a game that fits may be.
    signature_filter: Option<SignatureFilter>,
    /// The database has no fast way to read signatures.
    lacks_signatures: bool,
    /// Signatures of consecutive records, and the index of the first record.
    signatures: Vec<(Material, Option<PawnsGone>)>,
    signatures_from: u32,
    /// A folded name.
    folded: String,
    /// What is known about each term for the current game.
    answers: Vec<Answer>,
    /// The game of the last index entry that did not decide.
    undecided: Option<GameIndex>,
    is_guiding_text: bool,
    progress: Progress,
    moments: Moments,
    /// The moments of the game visited last.
    found: Vec<FoundMoment>,
    outcome: Answer,
    /// What could not be read of the game visited last, and whether the query was open to its end.
    problems: Vec<Problem>,
    was_open_at_end: bool,
}

impl Matcher {
    /// A matcher for one thread and one database.
    pub fn new(query: &Query) -> Self {
        let items = match query.any_of().0.as_slice() {
            [list] => list.0.as_slice(),
            _ => &[],
        };
        let rating_tests: Vec<_> = items.iter().filter_map(RatingTest::from_item).collect();
        // Guiding texts, which have no ratings, fit no negated term.
        let ratings_decide =
            rating_tests.len() == items.len() && !items.iter().any(|item| item.negated);
        let terms = query.term_count();
        let mut asks_moments_only = terms > 0;
        query.for_each_term(&mut |term| asks_moments_only &= term.test.is_about_moment());
        Self {
            query: query.clone(),
            first_game: 0,
            asks_moments_only,
            database: String::new(),
            caches: (0..terms).map(|_| NameCache::default()).collect(),
            stored_names: None,
            rating_tests,
            lacks_ratings: false,
            ratings_decide,
            ratings: Vec::new(),
            ratings_from: 0,
            players: PlayerFilter::of(items),
            signature_filter: SignatureFilter::of(query),
            lacks_signatures: false,
            signatures: Vec::new(),
            signatures_from: 0,
            folded: String::new(),
            answers: vec![Answer::Maybe; terms],
            undecided: None,
            is_guiding_text: false,
            progress: Progress::default(),
            moments: Moments::new(query),
            found: Vec::new(),
            outcome: Answer::Maybe,
            problems: Vec::new(),
            was_open_at_end: false,
        }
    }

    /// The same matcher with the name of the database, for the field `db`.
    #[must_use]
    pub fn for_database(mut self, name: &str) -> Self {
        self.database = fold(name);
        self
    }

    /// The same matcher, which keeps the positions that [`moments`](Self::moments) returns.
    #[must_use]
    pub fn with_moments(mut self) -> Self {
        self.moments.keep_positions();
        self
    }

    /// The first moments of the game visited last, one for each step, if it fits and the matcher is one
    /// [`with_moments`](Self::with_moments).
    pub fn moments(&self) -> &[FoundMoment] {
        &self.found
    }

    /// Sets the number that is added to the indices of the games visited, for parts of a stream.
    pub fn set_first_game(&mut self, first: u32) {
        self.first_game = first;
    }

    /// Whether the game asked about or visited last fits, as far as known.
    pub fn answer(&self) -> Answer {
        self.outcome
    }

    /// The index of the first record in `game..end` that may fit, as far as the terms on ratings, players
    /// and signatures decide; `end` if there is no such record. For reading a database in order; a candidate has to be
    /// tested.
    pub fn next_candidate(&mut self, db: &dyn Database, game: u32, end: u32) -> u32 {
        let mut game = game;
        while game < end {
            game = self.next_by_ratings(db, game, end);
            let mut next = game;
            if let Some(players) = &mut self.players {
                next = players.next(db, next, end);
            }
            next = self.next_by_signature(db, next, end);
            if next == game {
                break;
            }
            game = next;
        }
        game
    }

    /// The same as far as signatures decide.
    fn next_by_signature(&mut self, db: &dyn Database, game: u32, end: u32) -> u32 {
        let mut game = game;
        while game < end {
            let offset = game.wrapping_sub(self.signatures_from) as usize;
            if self.signatures.get(offset).is_none() && !self.read_signatures(db, game, end) {
                let is_excluded = self.is_excluded_by_signature(db, GameIndex(game));
                if !is_excluded {
                    return game;
                }
                game += 1;
                continue;
            }
            let Some(filter) = &self.signature_filter else {
                return game;
            };
            let offset = (game - self.signatures_from) as usize;
            let rest = self.signatures.get(offset..).unwrap_or_default();
            let rest = rest.get(..(end - game) as usize).unwrap_or(rest);
            match filter.first(rest) {
                Some(found) => return game + found as u32,
                None => game += rest.len() as u32,
            }
        }
        end
    }

    /// Reads the signatures of the next records, up to `end`. `false` if no term asks for them or the
    /// database has no fast way to read them.
    fn read_signatures(&mut self, db: &dyn Database, game: u32, end: u32) -> bool {
        if self.signature_filter.is_none() || self.lacks_signatures {
            return false;
        }
        let count = (end - game).min(RECORDS_PER_READ) as usize;
        self.signatures
            .resize(count, (Material::from_bits(0), None));
        if !db.signatures(GameIndex(game), &mut self.signatures) {
            self.signatures.clear();
            self.lacks_signatures = true;
            return false;
        }
        self.signatures_from = game;
        true
    }

    fn next_by_ratings(&mut self, db: &dyn Database, game: u32, end: u32) -> u32 {
        let mut game = game;
        while game < end {
            if !self.read_ratings(db, game, end) {
                return game;
            }
            let offset = game.wrapping_sub(self.ratings_from) as usize;
            let rest = self.ratings.get(offset..).unwrap_or_default();
            let rest = rest.get(..(end - game) as usize).unwrap_or(rest);
            let Some((first, others)) = self.rating_tests.split_first() else {
                return game;
            };
            match first.first(rest) {
                Some(found) => {
                    game += found as u32;
                    let pair = rest.get(found).copied().unwrap_or_default();
                    if others.iter().all(|test| test.has(pair)) {
                        return game;
                    }
                    game += 1;
                }
                None => game += rest.len() as u32,
            }
        }
        end
    }

    /// Reads the ratings of a record, together with those of the next ones, up to `end`, unless they
    /// are known. `false` if no term tests ratings or the database has no fast way to read them.
    fn read_ratings(&mut self, db: &dyn Database, game: u32, end: u32) -> bool {
        if self.rating_tests.is_empty() || self.lacks_ratings || game >= end {
            return false;
        }
        let offset = game.wrapping_sub(self.ratings_from) as usize;
        if game >= self.ratings_from && offset < self.ratings.len() {
            return true;
        }
        let count = (end - game).min(RECORDS_PER_READ) as usize;
        self.ratings.resize(count, [0; 2]);
        if !db.ratings(GameIndex(game), &mut self.ratings) {
            self.ratings.clear();
            self.lacks_ratings = true;
            return false;
        }
        self.ratings_from = game;
        true
    }

    /// What the index of a database decides about a record. If it does not decide, the game is to be
    /// read with [`want`](Self::want); what is known of it is kept until then.
    ///
    /// # Errors
    /// Those of [`Database::name`].
    pub fn entry(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        entry: &IndexEntry,
    ) -> Result<Answer> {
        let answer = self.answer_to_entry(database, game, entry)?;
        if answer == Answer::Maybe && self.is_excluded_by_signature(database, game) {
            self.undecided = None;
            self.outcome = Answer::No;
        }
        Ok(self.outcome)
    }

    /// Whether the index has a signature of a game with which none fits.
    fn is_excluded_by_signature(&self, database: &dyn Database, game: GameIndex) -> bool {
        let Some(filter) = &self.signature_filter else {
            return false;
        };
        let signature = database.signature(game);
        signature.is_some_and(|signature| !filter.may_fit(signature))
    }

    fn answer_to_entry(
        &mut self,
        database: &dyn Database,
        game: GameIndex,
        entry: &IndexEntry,
    ) -> Result<Answer> {
        self.found.clear();
        if self.asks_moments_only && !entry.is_text {
            self.answers.fill(Answer::Maybe);
            self.outcome = Answer::Maybe;
            self.undecided = Some(game);
            return Ok(self.outcome);
        }
        let stored = self.stored_names.get_or_insert_with(|| {
            let kinds = database.info().names.iter();
            kinds.map(|(kind, _)| *kind).collect()
        });
        let row = Row {
            database,
            game,
            entry,
        };
        let (caches, name) = (&mut self.caches, self.database.as_str());
        let query = &self.query;
        let mut ask = |term: &Term| match (&term.test, caches.get_mut(term.number)) {
            (Test::Db(texts), _) => Ok(database_fits(name, texts)),
            (Test::Is(marks), _) if is_duplicate(query, marks, game) => Ok(Answer::Yes),
            (test, Some(cache)) => by_entry::answer(test, row, stored, cache),
            _ => Ok(Answer::Maybe),
        };
        let any_of = self.query.any_of();
        self.outcome = evaluate(any_of, entry.is_text, &mut ask)?;
        self.undecided = None;
        if self.outcome == Answer::Maybe {
            let mut failure = None;
            let answers = &mut self.answers;
            self.query.for_each_term(&mut |term| match ask(term) {
                Ok(answer) => set(answers, term, answer),
                Err(error) => failure = Some(error),
            });
            if let Some(error) = failure {
                return Err(error);
            }
            self.undecided = Some(game);
        }
        Ok(self.outcome)
    }

    /// What has to be read of a game to decide on it: of the one whose index entry was asked about
    /// last, or of any game before.
    pub fn want(&self) -> Want {
        let mut want = Want::TAGS;
        if self.undecided.is_some() {
            let mut tags = None;
            self.query.for_each_term(&mut |term| {
                if self.answers.get(term.number) == Some(&Answer::Maybe) {
                    let wanted = term.test.want();
                    tags = Some(tags.map_or(wanted, |tags: Want| tags.and(wanted)));
                }
            });
            return tags.unwrap_or(want);
        }
        self.query
            .for_each_term(&mut |term| want = want.and(term.test.want()));
        want
    }

    /// Whether a record of a database fits. Reads as much of it as needed.
    ///
    /// # Errors
    /// Those of [`Database::entry`], [`Database::name`] and [`GameReader::read`].
    pub fn matches_record(
        &mut self,
        database: &dyn Database,
        reader: &mut dyn GameReader,
        game: GameIndex,
    ) -> Result<bool> {
        self.found.clear();
        self.problems.clear();
        if self.query.is_empty() {
            return Ok(true);
        }
        let end = database
            .len()
            .min(game.0.saturating_add(RATINGS_PER_SINGLE_READ));
        if self.read_ratings(database, game.0, end) {
            let offset = game.0.wrapping_sub(self.ratings_from) as usize;
            let pair = self.ratings.get(offset).copied().unwrap_or_default();
            if !self.rating_tests.iter().all(|test| test.has(pair)) {
                return Ok(false);
            }
            if self.ratings_decide {
                return Ok(true);
            }
        }
        if self.is_excluded_by_signature(database, game) {
            self.outcome = Answer::No;
            return Ok(false);
        }
        let entry = database.entry(game)?;
        match self.answer_to_entry(database, game, &entry)? {
            Answer::Maybe => self.read(reader, game),
            answer => Ok(answer == Answer::Yes),
        }
    }

    /// Reads a record about which the index entry did not decide; whether it fits.
    ///
    /// # Errors
    /// Those of [`GameReader::read`].
    pub fn read(&mut self, reader: &mut dyn GameReader, game: GameIndex) -> Result<bool> {
        let want = self.want();
        self.outcome = Answer::No;
        self.problems.clear();
        let _ = reader.read(game, want, self)?;
        Ok(self.outcome == Answer::Yes)
    }

    /// What could not be read of the game that [`read`](Self::read) or [`matches_record`](Self::matches_record)
    /// read last. Nothing if that cannot matter: if what was read of the game excludes it in any case.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        if self.outcome == Answer::No && !self.was_open_at_end {
            self.problems.clear();
        }
        std::mem::take(&mut self.problems)
    }

    /// Whether a game fits.
    pub fn matches(&mut self, index: GameIndex, game: &Game) -> bool {
        self.undecided = None;
        let _ = game.replay(index, Want::ALL, self);
        self.outcome == Answer::Yes
    }

    /// Sets the answers that are still open, and what they make of the query.
    fn settle(&mut self, decide: &mut dyn FnMut(&mut Progress, &Test) -> Answer) {
        let (answers, progress) = (&mut self.answers, &mut self.progress);
        let mut changed = false;
        self.query.for_each_term(&mut |term| {
            if answers.get(term.number) == Some(&Answer::Maybe) {
                let answer = decide(progress, &term.test);
                changed |= answer != Answer::Maybe;
                set(answers, term, answer);
            }
        });
        if changed {
            self.conclude();
        }
    }

    /// Decides on a game with moments: those seen so far are all there are, or one is enough.
    fn conclude_moments(&mut self) {
        let answers = &self.answers;
        let known = |term: &Term| answers.get(term.number).copied().unwrap_or_default();
        let moments = self.moments.conclude(self.query.any_of(), &known);
        self.outcome = moments.is_some().into();
        self.found = self.moments.found(&moments.unwrap_or_default());
    }

    /// Whether the terms about the game hold, whatever its moments are.
    fn game_terms_hold(&self) -> bool {
        let known = |term: &Term| {
            let answer = self.answers.get(term.number).copied().unwrap_or_default();
            let is_moment = term.test.is_about_moment();
            (if is_moment { None } else { Some(answer) }, is_moment)
        };
        let list = self.query.any_of().0.first();
        let items = list.map(|list| list.0.as_slice()).unwrap_or_default();
        items.iter().all(|item| match &item.what {
            What::Term(term) => match known(term) {
                (Some(answer), _) => answer.negate_if(item.negated) == Answer::Yes,
                (None, _) => true,
            },
            What::Group(group) => {
                let known = |term: &Term| Ok(known(term).0.unwrap_or_default());
                let answer = evaluate(group, false, &mut { known }).unwrap_or_default();
                answer.negate_if(item.negated) == Answer::Yes
            }
            What::Step { .. } => true,
        })
    }

    fn conclude(&mut self) {
        let known = |term: &Term| Ok(self.answers.get(term.number).copied().unwrap_or_default());
        let answer = evaluate(self.query.any_of(), self.is_guiding_text, &mut { known });
        self.outcome = answer.unwrap_or_default();
    }

    /// Visits a move; one whose position was not passed over is looked at.
    #[inline(never)]
    fn look(&mut self, before: &Position, ply: Ply, is_passed: bool) -> Flow {
        if !is_passed && !self.moments.is_empty() {
            match self.moments.visit_move(before, ply) {
                Seen::Moment if self.game_terms_hold() => self.conclude_moments(),
                Seen::Never => self.outcome = Answer::No,
                Seen::Moment | Seen::Nothing => {}
            }
            if self.outcome != Answer::Maybe {
                return Flow::Skip;
            }
        }
        if self.progress.needs_moves() {
            self.progress.visit_move(before, ply);
            if self.progress.may_decide() {
                self.settle(&mut |progress, test| progress.answer_to_plies(test));
            }
        }
        self.flow()
    }

    /// Whether the game being visited is to be read further.
    fn flow(&self) -> Flow {
        if self.outcome == Answer::Maybe {
            Flow::Go
        } else {
            Flow::Skip
        }
    }
}

fn set(answers: &mut [Answer], term: &Term, answer: Answer) {
    if let Some(slot) = answers.get_mut(term.number) {
        *slot = answer;
    }
}

/// Whether `is:` asks for duplicates, and a game is one.
fn is_duplicate(query: &Query, marks: &[GameMark], game: GameIndex) -> bool {
    marks.contains(&GameMark::Duplicate) && query.has_duplicate(game.0)
}

fn database_fits(name: &str, texts: &[String]) -> Answer {
    texts.iter().any(|text| begins_word(name, text)).into()
}

impl Visitor for Matcher {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        let game = GameIndex(game.0.saturating_add(self.first_game));
        if self.undecided.take() != Some(game) {
            self.answers.fill(Answer::Maybe);
        }
        self.is_guiding_text = head.kind == RecordKind::Text;
        self.was_open_at_end = false;
        let mut needs = Needs::default();
        let (answers, folded, name) = (&mut self.answers, &mut self.folded, &self.database);
        let query = &self.query;
        query.for_each_term(&mut |term| {
            if answers.get(term.number) != Some(&Answer::Maybe) {
                return;
            }
            let answer = match &term.test {
                Test::Db(texts) => database_fits(name, texts),
                Test::Is(marks) if is_duplicate(query, marks, game) => Answer::Yes,
                test => by_head::answer(test, game, head, folded),
            };
            if answer == Answer::Maybe {
                needs.add(&term.test);
            }
            set(answers, term, answer);
        });
        self.found.clear();
        self.conclude();
        if self.outcome == Answer::Maybe {
            self.progress.begin(head, needs);
            if !self.moments.is_empty() {
                self.moments.begin(head);
            }
        }
        self.flow()
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.outcome != Answer::Maybe {
            return Flow::Skip;
        }
        let is_passed = self.moments.is_empty() || self.moments.passes_over(before, ply);
        if is_passed && !self.progress.needs_moves() {
            return Flow::Go;
        }
        self.look(before, ply, is_passed)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.outcome != Answer::Maybe {
            return Flow::Skip;
        }
        if !self.moments.is_empty() {
            self.moments.visit_annotation(&annotation);
        }
        self.progress.visit_annotation(&annotation);
        self.settle(&mut |progress, test| progress.answer_to_annotation(test, &annotation));
        self.flow()
    }

    fn begin_variation(&mut self) -> Flow {
        if self.outcome == Answer::Maybe {
            self.progress.begin_variation();
            if !self.moments.is_empty() {
                self.moments.begin_variation();
            }
            self.settle(&mut |_, test| Progress::answer_to_variation(test));
        }
        self.flow()
    }

    fn end_variation(&mut self) {
        self.progress.end_variation();
        if !self.moments.is_empty() {
            self.moments.end_variation();
        }
    }

    fn end_game(&mut self, result: GameResult) {
        if self.outcome != Answer::Maybe {
            return;
        }
        self.was_open_at_end = true;
        self.progress.end();
        self.settle(&mut |progress, test| {
            if matches!(test, Test::In(_)) {
                Answer::Yes
            } else if test.is_about_moment() {
                Answer::Maybe
            } else {
                progress.holds_at_end(test, result).into()
            }
        });
        if self.outcome == Answer::Maybe && !self.moments.is_empty() {
            self.moments.end();
            if self.moments.has_none() {
                self.outcome = Answer::No;
            } else {
                self.conclude_moments();
            }
        } else if self.outcome == Answer::Maybe {
            self.conclude();
        }
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.problems.push(problem);
        Flow::Go
    }
}
