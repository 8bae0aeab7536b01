//! What games are compared by, collected while they are read.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use tabia_core::chess::{Move, Ply, Position};
use tabia_core::game::{
    Annotation, Comment, Flow, GameHead, GameResult, RecordKind, Tags, TextKind, Visitor, Want,
};
use tabia_core::games::{Database, TextLimits, is_lost_name};
use tabia_core::io::Sink;
use tabia_core::loss::{Feature, Features};
use tabia_core::{GameIndex, Problem};
use zerocopy::byteorder::big_endian::U64;

use super::compared_game::MIN_CONTRADICTING;
use crate::game_content::GameContent;
use crate::input::OpenInput;
use crate::names::player_name::{leading_surname_and_initial, surname_and_initial};
use crate::scan::Task;
use crate::seen_moves::SeenMoves;

/// Bytes of a key: which games are compared, and their first 60 plies.
pub(super) const KEY: usize = 128;

/// Instead of the hash of players: guiding texts, which have none.
const TEXTS: u64 = 0;

/// The bits of a null move.
const NULL: u16 = u16::MAX;

/// The ply of its two bytes.
fn ply_of(bytes: &[u8]) -> Option<Ply> {
    let [high, low] = bytes else {
        return None;
    };
    match u16::from(*high) << 8 | u16::from(*low) {
        NULL => Some(Ply::Null),
        bits => Move::from_bits(bits).map(Ply::Move),
    }
}

/// A number for a text, never 0; the same in every run.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step).max(1)
}

/// The hash of a known text, 0 for an unknown one.
fn text_hash(text: &str) -> u64 {
    match text.trim() {
        "" | "?" | "-" => 0,
        text => hash(tabia_query::fold(text).as_bytes()),
    }
}

/// Collects hashes of players.
pub(super) struct PlayersTask {
    limits: Option<Arc<dyn TextLimits>>,
    surnames: Surnames,
    /// The surnames of both players.
    players: String,
    games: Vec<(GameIndex, u64)>,
}

impl PlayersTask {
    /// `limits`: what the database that the games are added to changes in names.
    pub(super) fn new(limits: Option<Arc<dyn TextLimits>>) -> Self {
        Self {
            limits,
            surnames: Surnames::default(),
            players: String::new(),
            games: Vec::new(),
        }
    }
}

impl Visitor for PlayersTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if head.kind == RecordKind::Game {
            let mut tags = Tags::new();
            let tags = match &self.limits {
                Some(limits) => {
                    tags.clone_from(&head.tags);
                    limits.limit_tags(&mut tags);
                    &tags
                }
                None => &head.tags,
            };
            self.surnames.write_players(tags, &mut self.players);
            self.games.push((game, hash(self.players.as_bytes())));
            let other = self.surnames.write_other_players(tags, &mut self.players);
            if other.is_some() {
                self.games.push((game, hash(self.players.as_bytes())));
            }
        } else {
            self.games.push((game, TEXTS));
        }
        Flow::Skip
    }

    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Skip
    }
}

impl Task for PlayersTask {
    type Out = Vec<(GameIndex, u64)>;

    fn swap(&mut self, out: &mut Self::Out) {
        out.clear();
        std::mem::swap(&mut self.games, out);
    }
}

/// The surnames of both players.
fn players(tags: &Tags) -> String {
    let mut players = String::new();
    Surnames::default().write_players(tags, &mut players);
    players
}

/// Surnames, and initials of given names, by the names that were seen so far.
#[derive(Default)]
struct Surnames {
    by_name: HashMap<String, KnownName>,
    /// Bytes of all texts.
    bytes: usize,
}

/// The surname of a name, and the first letter of the given names.
type SurnameAndInitial = (String, Option<char>);

/// What is known of a name.
struct KnownName {
    usual: SurnameAndInitial,
    /// If the name begins with the surname, which a name without a comma leaves open.
    other: Option<SurnameAndInitial>,
}

impl KnownName {
    fn new(name: &str) -> Self {
        Self {
            usual: surname_and_initial(name),
            other: leading_surname_and_initial(name),
        }
    }
}

impl Surnames {
    /// Bytes of names and surnames, at most; then all are forgotten.
    const MEMORY: usize = 4 << 20;

    /// What is known of a name; `None` if it is lost.
    fn of(&mut self, name: &str) -> Option<&KnownName> {
        // A repaired database has such names instead of those that it has lost.
        if is_lost_name(name) {
            return None;
        }
        if !self.by_name.contains_key(name) {
            let known = KnownName::new(name);
            let others = known.other.as_ref().map_or(0, |(surname, _)| surname.len());
            let bytes = name.len() + known.usual.0.len() + others;
            if self.bytes + bytes > Self::MEMORY {
                self.by_name.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            self.by_name.insert(name.to_owned(), known);
        }
        self.by_name.get(name)
    }

    /// Writes the surnames of both players and returns the initials.
    fn write_players(&mut self, tags: &Tags, out: &mut String) -> [Option<char>; 2] {
        out.clear();
        let mut initials = [None; 2];
        for (tag, initial) in ["White", "Black"].into_iter().zip(&mut initials) {
            if tag == "Black" {
                out.push('\n');
            }
            if let Some(known) = self.of(tags.text(tag)) {
                out.push_str(&known.usual.0);
                *initial = known.usual.1;
            }
        }
        initials
    }

    /// As [`write_players`](Self::write_players), if names without a comma begin with the surname; `None` if no name of
    /// the game can.
    fn write_other_players(&mut self, tags: &Tags, out: &mut String) -> Option<[Option<char>; 2]> {
        out.clear();
        let mut initials = [None; 2];
        let mut is_other = false;
        for (tag, initial) in ["White", "Black"].into_iter().zip(&mut initials) {
            if tag == "Black" {
                out.push('\n');
            }
            if let Some(known) = self.of(tags.text(tag)) {
                is_other |= known.other.is_some();
                let (surname, first) = known.other.as_ref().unwrap_or(&known.usual);
                out.push_str(surname);
                *initial = *first;
            }
        }
        is_other.then_some(initials)
    }
}

/// The surnames of both players, or what is left of names whose letters a database has replaced.
fn players_or_rest(tags: &Tags) -> String {
    let surnames = players(tags);
    let (white, black) = surnames.split_once('\n').unwrap_or_default();
    let rest = |surname: &str, tag: &str| match (surname, tags.text(tag).trim()) {
        ("", rest) if rest.starts_with("??") => rest.to_owned(),
        (surname, _) => surname.to_owned(),
    };
    format!("{}\n{}", rest(white, "White"), rest(black, "Black"))
}

/// Whether both surnames are known.
fn has_both(players: &str) -> bool {
    !players.starts_with('\n') && !players.ends_with('\n')
}

/// What can be missing from the records of an input without a trace in them. A text keeps what cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceState {
    Text,
    Database,
    /// A database whose files are damaged.
    DamagedDatabase,
}

impl SourceState {
    pub(super) fn of(input: &OpenInput) -> Self {
        match input {
            OpenInput::Database(database) if database.info().problems.is_empty() => Self::Database,
            OpenInput::Database(_) => Self::DamagedDatabase,
            _ => Self::Text,
        }
    }
}

/// The games of a piece of work, and the damaged records, each with whether moves and names are lost.
#[derive(Default)]
pub(super) struct GameBatch {
    /// Each with its key, and where its facts end in `facts`; they begin where those of the game before end.
    pub(super) games: Vec<(GameIndex, [u8; KEY], usize)>,
    pub(super) facts: Sink,
    pub(super) damaged: Vec<(GameIndex, bool, bool)>,
    /// Records of a text that are damaged if its stream is.
    pub(super) suspects: Vec<(GameIndex, bool, bool)>,
    /// The guiding texts, with a hash of titles and bodies.
    pub(super) texts: Vec<(GameIndex, (u64, u64))>,
    /// New games that are compared as a whole, or that the database may end early.
    pub(super) changeable: Vec<GameIndex>,
}

/// What the database that games are added to keeps of a game.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) features: Features,
    /// What it changes in texts.
    pub(super) limits: Option<Arc<dyn TextLimits>>,
    /// Quoted games become comments.
    pub(super) has_quotations_as_text: bool,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            features: Features::ALL,
            limits: None,
            has_quotations_as_text: false,
        }
    }
}

impl Kept {
    /// Whether a move cannot be stored, and with it the rest of its line.
    fn lacks(&self, ply: Ply) -> bool {
        match ply {
            Ply::Null => !self.features.has(Feature::NullMoves),
            Ply::Move(m) => {
                let is_usual = || m.from().file() == 4 && matches!(m.to().file(), 0 | 7);
                m.is_castling() && !self.features.has(Feature::Chess960) && !is_usual()
            }
        }
    }
}

/// Collects what games are compared by.
pub(super) struct GameTask {
    source: SourceState,
    kept: Kept,
    /// Depth of the line whose rest cannot be stored.
    muted: Option<u32>,
    /// There was such a line in the game.
    was_muted: bool,
    /// The content of a guiding text.
    text: String,
    /// The input is one of those whose games are all kept.
    is_base: bool,
    /// Something of the game could not be read.
    has_problem: bool,
    /// Moves could not be read from some ply on.
    is_cut: bool,
    is_game: bool,
    depth: u32,
    annotations: u32,
    game: GameIndex,
    head: GameHead,
    start: u64,
    moves: Vec<u8>,
    /// The surnames of both players.
    players: String,
    has_players: bool,
    /// The surnames as the input has them.
    own_players: String,
    /// The first letters of the given names.
    initials: [Option<char>; 2],
    /// The same three, if names without a comma begin with the surname; the initials are `None` if none can.
    other_players: String,
    other_own_players: String,
    other_initials: Option<[Option<char>; 2]>,
    surnames: Surnames,
    /// The last event, and its hash.
    event: (String, u64),
    /// Of a game without players, or before its first move.
    content: GameContent,
    /// The moves of the games so far that have neither variations nor annotations.
    seen: SeenMoves,
    /// The moves of the game that is read are those of an earlier one, and in `moves` already.
    is_known: bool,
    /// The moves of the game may be those of a later one.
    may_repeat: bool,
    batch: GameBatch,
}

impl GameTask {
    pub(super) fn new(source: SourceState, kept: Kept, is_base: bool) -> Self {
        let mut content = GameContent::default();
        content.has_quotations_as_text = kept.has_quotations_as_text;
        Self {
            source,
            kept,
            muted: None,
            was_muted: false,
            text: String::new(),
            content,
            is_base,
            has_problem: false,
            is_cut: false,
            is_game: false,
            depth: 0,
            annotations: 0,
            game: GameIndex(0),
            head: GameHead::default(),
            start: 0,
            moves: Vec::new(),
            players: String::new(),
            has_players: false,
            own_players: String::new(),
            initials: [None; 2],
            other_players: String::new(),
            other_own_players: String::new(),
            other_initials: None,
            surnames: Surnames::default(),
            event: (String::new(), 0),
            seen: SeenMoves::default(),
            is_known: false,
            may_repeat: false,
            batch: GameBatch::default(),
        }
    }

    /// Whether moves of the game are lost, and the name of a player.
    fn lost_parts(&self) -> (bool, bool) {
        if self.source == SourceState::Text {
            return (false, false);
        }
        let moves = self.has_problem && (self.is_cut || self.moves.is_empty());
        let names = self.has_problem && !has_both(&self.own_players)
            || self.source == SourceState::DamagedDatabase && self.own_players == "\n";
        (moves, names)
    }
}

impl Visitor for GameTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.is_game = head.kind == RecordKind::Game;
        (self.depth, self.annotations, self.game) = (0, 0, game);
        (self.muted, self.was_muted) = (None, false);
        if !self.is_game {
            self.text.clear();
            return Flow::Go;
        }
        (self.has_problem, self.is_cut) = (false, false);
        self.head.clone_from(head);
        if !self.is_known {
            self.moves.clear();
        }
        self.content.clear();
        self.initials = self
            .surnames
            .write_players(&head.tags, &mut self.own_players);
        self.other_initials = self
            .surnames
            .write_other_players(&head.tags, &mut self.other_own_players);
        if let Some(limits) = &self.kept.limits {
            limits.limit_tags(&mut self.head.tags);
            self.surnames
                .write_players(&self.head.tags, &mut self.players);
            let _ = self
                .surnames
                .write_other_players(&self.head.tags, &mut self.other_players);
        } else {
            self.players.clone_from(&self.own_players);
            self.other_players.clone_from(&self.other_own_players);
        }
        self.has_players = has_both(&self.players);
        let start = head.start.position();
        self.start = start.map_or(0, |position| position.key());
        Flow::Go
    }

    fn visit_move(&mut self, _before: &Position, ply: Ply) -> Flow {
        if self.muted.is_some() {
            return Flow::Go;
        }
        if self.kept.lacks(ply) {
            (self.muted, self.was_muted) = (Some(self.depth), true);
            return Flow::Go;
        }
        if !self.has_players {
            self.content.push_move(ply);
        }
        if self.depth > 0 {
            self.annotations = self.annotations.saturating_add(1);
            return Flow::Go;
        }
        let bits = ply.to_move().map_or(NULL, Move::to_bits);
        self.moves.extend([(bits >> 8) as u8, bits as u8]);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if !self.is_game {
            if let Annotation::Text(part) = annotation
                && part.kind != TextKind::File
            {
                // Formats end titles and bodies in other ways.
                let _ = write!(self.text, "{:?}\n{}\n", part.kind, part.text.trim());
            }
            return Flow::Go;
        }
        if self.muted.is_some() {
            return Flow::Go;
        }
        if !self.has_players || self.moves.is_empty() {
            match (annotation, &self.kept.limits) {
                (Annotation::Comment(comment), Some(limits)) => {
                    let text = &limits.limit_comment(comment.text);
                    let comment = Comment { text, ..comment };
                    self.content.push_annotation(Annotation::Comment(comment));
                }
                (annotation, _) => self.content.push_annotation(annotation),
            }
        }
        self.annotations = self.annotations.saturating_add(1);
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        if self.muted.is_none() {
            self.content.begin_variation();
        }
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        if self.muted.is_none_or(|depth| depth == self.depth) {
            self.muted = None;
            self.content.end_variation();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_game(&mut self, result: GameResult) {
        if !self.is_game {
            if self.text.is_empty() {
                // Texts of nothing but files: whether they are the same is not compared.
                return;
            }
            let text = self.text.as_bytes();
            let reversed: Vec<u8> = text.iter().rev().copied().collect();
            let found = (hash(text), hash(&reversed));
            self.batch.texts.push((self.game, found));
            return;
        }
        if self.is_known && !self.has_players {
            // They were not visited.
            for ply in self.moves.chunks_exact(2).filter_map(ply_of) {
                self.content.push_move(ply);
            }
        }
        let tags = &self.head.tags;
        let players = &self.players;
        let (lost_moves, lost_names) = self.lost_parts();
        if lost_moves || lost_names {
            self.batch.damaged.push((self.game, lost_moves, lost_names));
        }
        if self.source == SourceState::Text {
            let lacks_moves = self.moves.is_empty() || self.has_problem && self.is_cut;
            let lacks_names = !has_both(&self.own_players);
            if lacks_moves || lacks_names {
                let suspect = (self.game, lacks_moves, lacks_names);
                self.batch.suspects.push(suspect);
            }
        }
        // What is lost of two records need not have been the same.
        if lost_names || lost_moves && self.moves.is_empty() {
            return;
        }
        let is_known = |value: &str| !matches!(value, "" | "?" | "-" | "*" | "????.??.??");
        let event = ["Event", "Site", "Date", "Round"];
        let is_of_no_event = !event.iter().any(|name| is_known(tags.text(name)));
        // Of games of the database the letters of names may be replaced.
        let may_have_players = self.is_base && self.kept.limits.is_some();
        let is_bare = self.own_players == "\n"
            && is_of_no_event
            && !may_have_players
            && self.moves.is_empty()
            && self.content.is_empty()
            && self.head.start.setup.is_none();
        if is_bare {
            return;
        }
        let is_compared_by_moves = self.has_players && !self.moves.is_empty();
        let may_be_changed =
            !is_compared_by_moves || self.was_muted || self.head.start.chess960 || self.has_problem;
        if may_be_changed && !self.is_base {
            self.batch.changeable.push(self.game);
        }
        let content = if is_compared_by_moves {
            ""
        } else {
            let players = match self.kept.limits {
                Some(_) => &players_or_rest(tags),
                None => players,
            };
            self.content.finish(&self.head, players, result)
        };
        // The moves in the key are not repeated.
        let (mut in_key, mut others) = (&[][..], &self.moves[..]);
        if is_compared_by_moves {
            (in_key, others) = self.moves.split_at(self.moves.len().min(KEY - 8));
        }
        let event = tags.text("Event");
        if event != self.event.0 {
            self.event = (event.to_owned(), text_hash(event));
        }
        let known = tags.iter().filter(|(_, value)| is_known(value)).count();
        let date = tags.date().unwrap_or_default();
        let round = text_hash(number_of_round(tags.text("Round")));
        let usual = Some((players, &self.own_players, self.initials, false));
        // Long games only are compared under other surnames, too.
        let other = self.other_initials.filter(|_| {
            is_compared_by_moves
                && self.moves.len() / 2 >= MIN_CONTRADICTING
                && has_both(&self.other_players)
                && self.other_players != *players
        });
        let other =
            other.map(|initials| (&self.other_players, &self.other_own_players, initials, true));
        for (players, own_players, initials, is_other) in usual.into_iter().chain(other) {
            let group = if is_compared_by_moves {
                hash(players.as_bytes()) ^ self.start
            } else {
                hash(content.as_bytes())
            };
            let mut key = [0; KEY];
            let (first, rest) = key.split_at_mut(size_of::<u64>());
            first.copy_from_slice(&U64::new(group).to_bytes());
            if let Some(rest) = rest.get_mut(..in_key.len()) {
                rest.copy_from_slice(in_key);
            }
            let facts = &mut self.batch.facts;
            facts.u16_be(date.year);
            facts.u8(date.month);
            facts.u8(date.day);
            facts.u64_be(self.event.1);
            facts.u64_be(round);
            facts.u32_be(self.annotations);
            facts.u32_be(known as u32 + u32::from(result != GameResult::Unknown));
            facts.u64_be(hash(own_players.as_bytes()));
            facts.u8(match result {
                GameResult::WhiteWins => 1,
                GameResult::BlackWins => 2,
                GameResult::Draw => 3,
                _ => 0,
            });
            facts.u8(u8::from(is_other));
            for initial in initials {
                facts.u32_be(initial.map_or(0, u32::from));
            }
            facts.u32_be(players.len() as u32);
            facts.bytes(players.as_bytes());
            facts.u32_be(content.len() as u32);
            facts.bytes(content.as_bytes());
            facts.u32_be(in_key.len() as u32);
            facts.bytes(others);
            let end = facts.len();
            self.batch.games.push((self.game, key, end));
        }
    }
}

impl Task for GameTask {
    type Out = GameBatch;

    fn swap(&mut self, out: &mut Self::Out) {
        out.games.clear();
        out.facts.clear();
        out.damaged.clear();
        out.suspects.clear();
        out.changeable.clear();
        std::mem::swap(&mut self.batch, out);
    }

    fn want_of(&mut self, database: &dyn Database, game: GameIndex, want: Want) -> Want {
        // The last game that was visited, if that is the one that was read.
        let is_plain = self.annotations == 0 && !self.has_problem && self.is_game;
        if self.may_repeat && is_plain && !self.moves.is_empty() {
            self.seen.insert(database, self.game, &self.moves);
        }
        let moves = database.stored_moves(game);
        let moves = moves.filter(|moves| !moves.has_other_annotations);
        let known = moves.and_then(|moves| self.seen.get(database, moves));
        self.is_known = known.is_some();
        self.may_repeat = moves.is_some() && known.is_none();
        // Whatever happens to this record, the game before is done.
        self.is_game = false;
        if let Some(known) = known {
            self.moves.clear();
            self.moves.extend_from_slice(known);
            return Want::TAGS;
        }
        want
    }

    fn on_problem(&mut self, problem: &Problem) {
        self.has_problem = true;
        self.is_cut |= problem.error.location().ply.is_some();
    }
}

/// The number of a round, without that of the board or of the game in it.
fn number_of_round(round: &str) -> &str {
    let number = round.split_once('.').map_or(round, |(number, _)| number);
    let number = number.trim();
    let significant = number.trim_start_matches('0');
    if significant.is_empty() {
        number
    } else {
        significant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_a_round_have_its_number() {
        for (round, expected) in [
            ("3", "3"),
            ("3.1", "3"),
            ("03", "3"),
            ("3.12.2", "3"),
            ("?", "?"),
            ("0", "0"),
            ("10.3", "10"),
            ("", ""),
        ] {
            assert_eq!(number_of_round(round), expected);
        }
    }
}
