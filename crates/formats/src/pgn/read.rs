//! The reader: games of a text handed to a visitor.

use std::fmt::Display;

use tabia_core::chess::{Ply, Position, Setup, san};
use tabia_core::error::{Error, ErrorKind, GameIndex, Problem, Result};
use tabia_core::game::{
    Annotation, Comment, Flow, Foreign, GameResult, Head, Language, Nag, Place, RecordKind,
    Visitor, Want,
};
use tabia_core::io::{Charset, decode};

use super::boundary::{BOM, Boundaries};
use super::chars::{
    Class, at_line_start, begins_move, class, digits_end, is_newline, is_space, line_end,
    past_space, skip_spaces, symbol_end, word,
};
use super::comment;
use super::glyphs;
use super::roster;
use super::section;
use super::skip::{End, is_tag, result, skip};
use super::walk::Walk;

/// How far one looks for moves behind comments that stand outside of a game.
const LOOK_AHEAD: usize = 4096;

/// Reads games, reusing its scratch space.
#[derive(Debug)]
pub(super) struct Reader {
    charset: Charset,
    strict: bool,
    max_depth: usize,
    boundaries: Boundaries,
    head: Head,
    game_start: usize,
    /// The value of the tag `Result`.
    tag_result: Option<GameResult>,
    position: Position,
    /// A position of this line, and where in `since` the moves from there on begin.
    checkpoint: Position,
    since_start: usize,
    since: Vec<Ply>,
    frames: Vec<Frame>,
    /// Plies played in this line and before it.
    ply: u32,
    /// Whether this line has a move.
    moved: bool,
    /// Whether a move number stands since the last move.
    numbered: bool,
    /// Comments that wait for their move, in `waiting_text`.
    waiting: Vec<(usize, Option<Language>)>,
    waiting_text: String,
    text: String,
    /// A result that tag and marker do not say.
    said: Option<GameResult>,
    /// Whether there is a tag of the profile `full`.
    special: bool,
    pairs: Vec<Spans>,
    /// Why no moves can be played from the first position.
    unplayable: Option<Error>,
    /// Whether to go on, to leave this game, or to end: because the visitor said so or of `failed`.
    flow: Flow,
    failed: Option<Error>,
}

/// Starts and lengths of a tag's name and value.
type Spans = ((usize, usize), (usize, usize));

/// A line left for a variation.
#[derive(Debug)]
struct Frame {
    /// The position before the move that the variation replaces.
    before: Position,
    last: Ply,
    since_start: usize,
    ply: u32,
    at: usize,
}

/// What the moves of a game are read with.
struct Input<'t, 'v> {
    text: &'t [u8],
    walk: &'v mut Walk,
    want: Want,
    visitor: &'v mut dyn Visitor,
}

impl Reader {
    pub(super) fn new(charset: Charset, strict: bool, max_depth: u32) -> Self {
        Self {
            charset,
            strict,
            max_depth: max_depth as usize,
            boundaries: Boundaries::default(),
            head: Head::default(),
            game_start: 0,
            tag_result: None,
            position: Position::standard(),
            checkpoint: Position::standard(),
            since_start: 0,
            since: Vec::new(),
            frames: Vec::new(),
            ply: 0,
            moved: false,
            numbered: false,
            waiting: Vec::new(),
            waiting_text: String::new(),
            text: String::new(),
            said: None,
            special: false,
            pairs: Vec::new(),
            unplayable: None,
            flow: Flow::Go,
            failed: None,
        }
    }

    /// Hands the next game of `text` to `visitor`; `None` when there is no other.
    pub(super) fn next(
        &mut self,
        text: &[u8],
        walk: &mut Walk,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Option<Flow>> {
        self.flow = Flow::Go;
        self.failed = None;
        while walk.advance(text, &self.boundaries) {
            let part = text.get(..walk.end).unwrap_or(text);
            let mut input = Input {
                text: part,
                walk: &mut *walk,
                want,
                visitor: &mut *visitor,
            };
            let found = self.find(&mut input);
            if !found {
                if let Some(error) = self.failed.take() {
                    return Err(error);
                }
                if self.has_ended() {
                    return Ok(Some(Flow::Stop));
                }
                continue;
            }
            self.game(&mut input);
            walk.games = walk.games.saturating_add(1);
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            return Ok(Some(if self.has_ended() {
                Flow::Stop
            } else {
                Flow::Go
            }));
        }
        Ok(None)
    }

    /// Goes to the start of the next game in this part of the text; `false` when it has none.
    fn find(&mut self, input: &mut Input<'_, '_>) -> bool {
        let text = input.text;
        let (start, garbage) = find_start(text, input.walk.at);
        input.walk.at = start.unwrap_or(text.len());
        if let Some((from, to)) = garbage {
            let bytes = text.get(from..to).unwrap_or_default().trim_ascii_end();
            let error = Error::invalid("text that belongs to no game");
            let go = self.report(input, from, error, Some(bytes));
            // What stands between games belongs to none of them.
            return go && start.is_some();
        }
        start.is_some()
    }

    /// Reports a problem; `false` when reading should end.
    fn report(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        error: Error,
        kept: Option<&[u8]>,
    ) -> bool {
        let error = input.walk.locate(input.text, at, error);
        if self.strict {
            self.failed.get_or_insert(error);
            self.flow = Flow::Stop;
            return false;
        }
        let kept = kept.map(Box::from);
        if input.visitor.problem(Problem { error, kept }) == Flow::Stop {
            self.flow = Flow::Stop;
        }
        !self.has_ended()
    }

    /// Whether nothing more is to be handed on.
    fn has_ended(&self) -> bool {
        self.flow == Flow::Stop
    }

    /// Where the game read last begins in its text.
    pub(super) fn game_start(&self) -> usize {
        self.game_start
    }

    fn game(&mut self, input: &mut Input<'_, '_>) {
        self.game_start = input.walk.at;
        self.flow = Flow::Go;
        let mut at = self.tags(input);
        let playable = self.start(input, at);
        let index = GameIndex(input.walk.games);
        let flow = if self.has_ended() {
            Flow::Skip
        } else {
            input.visitor.begin_game(index, &self.head)
        };
        if flow == Flow::Stop {
            self.flow = Flow::Stop;
        }
        let moves = input.want.has(Want::MAINLINE)
            || input.want.has(Want::VARIATIONS)
            || input.want.has(Want::ANNOTATIONS);
        let end;
        (at, end) = if flow != Flow::Go || !moves || self.has_ended() {
            skip(input.text, at, 0, false)
        } else if playable {
            self.moves(input, at)
        } else {
            self.unplayed(input, at)
        };
        let marker = match end {
            End::Result(result, length) => {
                at = self.behind(
                    input,
                    at + length,
                    flow == Flow::Go && moves && self.flow != Flow::Skip,
                );
                Some(result)
            }
            _ => None,
        };
        input.walk.at = at;
        if !self.has_ended() {
            let result = roster::result(self.tag_result, marker);
            input.visitor.end_game(self.said.unwrap_or(result));
        }
    }

    /// Reads the tag section into `head` and returns its end.
    fn tags(&mut self, input: &Input<'_, '_>) -> usize {
        self.head.clear();
        self.tag_result = None;
        self.said = None;
        self.special = false;
        self.unplayable = None;
        let mut at = input.walk.at;
        if input
            .text
            .get(at..)
            .is_some_and(|rest| rest.starts_with(BOM))
        {
            at += BOM.len();
        }
        let mut start = at;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        let end = loop {
            let (pair, end) = section::next(input.text, at);
            let Some(pair) = pair else {
                break end;
            };
            at = end;
            self.special |= pair.name.starts_with(b"Tabia");
            if pair.plain {
                let name = (pair.name_at - start, pair.name.len());
                pairs.push((name, (pair.value_at - start, pair.value.len())));
                continue;
            }
            self.push_plain(input.text, start, at, &mut pairs);
            self.push_tag(ascii(pair.name), &pair.text(self.charset));
            start = at;
        };
        self.push_plain(input.text, start, at, &mut pairs);
        self.pairs = pairs;
        end
    }

    /// Adds tags that stand in the text as they are, looking once whether all are valid UTF-8.
    fn push_plain(&mut self, text: &[u8], start: usize, end: usize, pairs: &mut Vec<Spans>) {
        let part = text.get(start..end).unwrap_or_default();
        let valid = match self.charset {
            Charset::Single(_) => None,
            _ => std::str::from_utf8(part).ok(),
        };
        for &((name, name_length), (value, value_length)) in &*pairs {
            let (name, value) = (name..name + name_length, value..value + value_length);
            if let Some((name, value)) =
                valid.and_then(|valid| Some((valid.get(name.clone())?, valid.get(value.clone())?)))
            {
                self.push_tag(name, value);
            } else {
                let name = ascii(part.get(name).unwrap_or_default());
                let value = part.get(value).unwrap_or_default();
                self.push_tag(name, &decode(value, self.charset));
            }
        }
        pairs.clear();
    }

    fn push_tag(&mut self, name: &str, value: &str) {
        if name == "Result" && self.tag_result.is_none() {
            self.tag_result = GameResult::parse(value.trim_ascii().as_bytes());
        }
        if name == roster::RESULT {
            self.said = GameResult::parse(value.as_bytes());
        }
        self.head.tags.push(name, value);
    }

    /// Finds the first position; `false` when no moves can be played from it.
    fn start(&mut self, input: &mut Input<'_, '_>, at: usize) -> bool {
        if !self.special {
            return self.first_position(input, at, roster::Special::default());
        }
        let special = roster::special(&self.head.tags);
        let playable = self.first_position(input, at, special);
        roster::restore(&mut self.head.tags);
        if special.deleted {
            self.head.deleted = true;
        }
        if special.text {
            self.head.kind = RecordKind::Text;
        }
        playable
    }

    fn first_position(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        special: roster::Special,
    ) -> bool {
        if let Some(fen) = self.head.tags.get("FEN") {
            let Ok(setup) = Setup::parse_fen(fen.trim_ascii().as_bytes()) else {
                let error = format!("the setup position `{fen}` cannot be read");
                self.report(input, at, Error::invalid(error), None);
                return false;
            };
            self.head.start.setup = Some(Box::new(setup));
        }
        let variant = self.head.tags.get("Variant").map(roster::variant);
        self.head.start.chess960 = variant == Some(roster::Variant::Chess960) && !special.classical;
        if let Some(roster::Variant::Other) = variant {
            let name = self.head.tags.text("Variant");
            let error = format!("games of {name} are not played here");
            self.unplayable = Some(Error::unsupported(error));
            return false;
        }
        match &self.head.start.setup {
            None => {
                self.position = Position::standard();
                true
            }
            Some(setup) => match Position::from_setup(setup) {
                Ok(position) => {
                    if position.is_chess960() && !special.classical {
                        self.head.start.chess960 = true;
                    }
                    self.position = position;
                    true
                }
                Err(error) => {
                    let error = format!("no moves can be played from the setup position: {error}");
                    self.unplayable = Some(Error::invalid(error));
                    false
                }
            },
        }
    }

    /// Keeps movetext that cannot be played as it stands, but for the comments before it.
    fn unplayed(&mut self, input: &mut Input<'_, '_>, at: usize) -> (usize, End) {
        self.begin_line();
        let mut at = skip_spaces(input.text, at);
        while !self.has_ended() {
            let end = match input.text.get(at) {
                Some(b'{') => self.brace(input, at),
                Some(b'$') => self.dollar(input, at),
                _ => break,
            };
            at = skip_spaces(input.text, end);
        }
        let (end, what) = skip(input.text, at, 0, false);
        if end > at
            && let Some(error) = self.unplayable.take()
        {
            let kept = input.text.get(at..end);
            self.report(input, at, error, kept);
        }
        self.keep(input, at, end);
        (end, what)
    }

    fn keep(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
        let bytes = input.text.get(from..to).unwrap_or_default().trim_ascii();
        if !bytes.is_empty() && input.want.has(Want::ANNOTATIONS) {
            self.annotate(
                input,
                Annotation::Foreign(Foreign {
                    format: super::ID,
                    kind: Foreign::UNREAD_MOVES,
                    bytes,
                }),
            );
        }
    }

    fn annotate(&mut self, input: &mut Input<'_, '_>, annotation: Annotation<'_>) {
        if input.visitor.visit_annotation(annotation) == Flow::Stop {
            self.flow = Flow::Stop;
        }
    }

    fn begin_line(&mut self) {
        self.checkpoint.clone_from(&self.position);
        self.since.clear();
        self.since_start = 0;
        self.frames.clear();
        self.waiting.clear();
        self.waiting_text.clear();
        self.ply = 0;
        self.moved = false;
        self.numbered = false;
    }

    /// Reads movetext to the end of the game.
    fn moves(&mut self, input: &mut Input<'_, '_>, from: usize) -> (usize, End) {
        self.begin_line();
        let text = input.text;
        let mut at = from;
        let end = loop {
            match self.flow {
                Flow::Go => {}
                Flow::Skip => return skip(text, at, self.frames.len(), false),
                Flow::Stop => return (text.len(), End::Text),
            }
            let Some(&byte) = text.get(at) else {
                break (text.len(), End::Text);
            };
            let class = class(byte);
            if matches!(class, Class::Move | Class::Digit) {
                let end = self.plain_moves(input, at);
                if end > at {
                    at = end;
                    continue;
                }
            }
            match class {
                Class::Space | Class::Dot => at += 1,
                Class::Move => {
                    let end = symbol_end(text, at);
                    let token = text.get(at..end).unwrap_or_default();
                    if let Ok(ply) = san::read(&self.position, token) {
                        at = end;
                        let _ = self.played(input, ply);
                    } else {
                        at = self.odd(input, at);
                    }
                }
                Class::Digit => {
                    let end = digits_end(text, at);
                    if text.get(end) == Some(&b' ') {
                        self.numbered = true;
                        at = end + 1;
                    } else if let Some((result, length)) = result(text, at, !self.frames.is_empty())
                        && !(result == GameResult::BothLose && self.castles(text, at))
                    {
                        break (at, End::Result(result, length));
                    } else {
                        at = self.odd(input, at);
                    }
                }
                Class::Brace => at = self.brace(input, at),
                Class::Semicolon => {
                    let end = line_end(text, at);
                    self.comment(input, at + 1, end);
                    at = end;
                }
                Class::Percent if at_line_start(text, at) => at = line_end(text, at),
                Class::Open => at = self.open(input, at),
                Class::Close => {
                    self.close(input, at);
                    at += 1;
                }
                Class::Dollar => at = self.dollar(input, at),
                Class::Mark => {
                    let rest = text.get(at..).unwrap_or_default();
                    let (nag, length) = glyphs::suffix(rest).unwrap_or((0, 1));
                    self.nag(input, nag);
                    at += length;
                }
                Class::Bracket if is_tag(text, at) => break (at, End::Tag),
                Class::Star | Class::Other | Class::Bracket | Class::Percent => {
                    if let Some((result, length)) = result(text, at, !self.frames.is_empty()) {
                        break (at, End::Result(result, length));
                    }
                    at = self.odd(input, at);
                }
            }
        };
        self.release(input);
        if let Some(frame) = self.frames.last() {
            let at = frame.at;
            self.report(
                input,
                at,
                Error::invalid("the variation is not closed"),
                None,
            );
        }
        while self.frames.pop().is_some() {
            self.release(input);
            input.visitor.end_variation();
        }
        end
    }

    /// Reads moves and numbers as nearly all are written, up to something else.
    #[inline(never)]
    fn plain_moves(&mut self, input: &mut Input<'_, '_>, from: usize) -> usize {
        let text = input.text;
        let mut at = from;
        while let Some(&byte) = text.get(at) {
            if begins_move(byte) {
                let Some((letters, length)) = word(text, at) else {
                    break;
                };
                let Some(m) = san::read_letters(&self.position, letters, length) else {
                    break;
                };
                at = past_space(text, at + length);
                if self.play(input, Ply::Move(m)) != Flow::Go {
                    break;
                }
            } else if byte.is_ascii_digit() {
                let end = digits_end(text, at);
                if text.get(end) != Some(&b'.') {
                    break;
                }
                self.numbered = true;
                at = past_space(text, end + 1);
            } else if is_space(byte) {
                at += 1;
            } else {
                break;
            }
        }
        at
    }

    /// Whether the `0-0` at `at` can be played.
    fn castles(&self, text: &[u8], at: usize) -> bool {
        let token = text.get(at..symbol_end(text, at)).unwrap_or_default();
        // The tag decides first, so that the result does not depend on reading the moves.
        let decided = self.tag_result.is_some_and(|result| {
            matches!(
                result,
                GameResult::WhiteWins | GameResult::BlackWins | GameResult::Draw
            )
        });
        decided && san::read(&self.position, token).is_ok()
    }

    /// Hands a move on and plays it.
    #[inline(always)]
    fn play(&mut self, input: &mut Input<'_, '_>, ply: Ply) -> Flow {
        // The writer asks for it, and so does the next move.
        if let Ply::Move(m) = ply {
            self.position.foresee(m);
        }
        let flow = if input.want.has(Want::MAINLINE) || !self.frames.is_empty() {
            input.visitor.visit_move(&self.position, ply)
        } else {
            Flow::Go
        };
        self.position.play_ply(ply);
        self.since.push(ply);
        self.ply += 1;
        self.moved = true;
        self.numbered = false;
        if flow != Flow::Go {
            self.flow = flow;
        }
        if !self.waiting.is_empty() {
            self.give(input, Place::Before);
        }
        self.flow
    }

    /// The same for moves that are not written plainly.
    #[inline(never)]
    fn played(&mut self, input: &mut Input<'_, '_>, ply: Ply) -> Flow {
        self.play(input, ply)
    }

    /// Hands on the comments that waited for a move which did not come.
    fn release(&mut self, input: &mut Input<'_, '_>) {
        if !self.waiting.is_empty() {
            self.give(input, Place::After);
        }
    }

    fn give(&mut self, input: &mut Input<'_, '_>, place: Place) {
        let mut start = 0;
        let mut texts = std::mem::take(&mut self.waiting);
        let all = std::mem::take(&mut self.waiting_text);
        for &(end, language) in &texts {
            let text = all.get(start..end).unwrap_or_default();
            start = end;
            self.annotate(
                input,
                Annotation::Comment(Comment {
                    place,
                    language,
                    text,
                }),
            );
        }
        texts.clear();
        self.waiting = texts;
        self.waiting_text = all;
        self.waiting_text.clear();
    }

    /// A token that is no plain move. Returns where it ends.
    #[cold]
    #[inline(never)]
    fn odd(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let text = input.text;
        let rest = text.get(at..).unwrap_or_default();
        let end = symbol_end(text, at);
        let token = text.get(at..end).unwrap_or_default();
        let digits = token
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == token.len() && digits > 0 {
            self.numbered = true;
            return end;
        }
        if rest.starts_with(b"e.p.") && self.moved {
            return at + 4;
        }
        if token == b"ep" && self.moved {
            return end;
        }
        if rest.starts_with("\u{2026}".as_bytes()) {
            return at + 3;
        }
        if rest.starts_with(BOM) {
            return at + BOM.len();
        }
        // `=∞` begins like the token `=`, so the longer ones come first.
        if let Some((nag, length)) = glyphs::unicode(rest) {
            self.nag(input, nag);
            return at + length;
        }
        if let Some(nag) = glyphs::token(token) {
            self.nag(input, nag);
            return end;
        }
        let mut plain = [0; 16];
        let mut end = end;
        let mut token = token;
        if let Some(letter) = glyphs::figurine(rest) {
            end = symbol_end(text, at + 3);
            let squares = text.get(at + 3..end).unwrap_or_default();
            let from = usize::from(letter != 0);
            plain[0] = letter;
            if let Some(place) = plain.get_mut(from..from + squares.len()) {
                place.copy_from_slice(squares);
                token = plain.get(..from + squares.len()).unwrap_or_default();
            }
        }
        // `1e4`
        if digits > 0
            && digits < 4
            && let Some(rest) = token.get(digits..)
            && let Ok(ply) = san::read(&self.position, rest)
        {
            let _ = self.played(input, ply);
            return end;
        }
        let mut glued = None;
        let mut read = self.lenient(token);
        if read.is_none()
            && let Some((rest, nag)) = glyphs::glued(token)
        {
            read = self.lenient(rest);
            glued = Some(nag);
        }
        if read.is_none()
            && let Some(&[b'(', letter, b')']) = text.get(end..end + 3)
        {
            let mut spelled = token.to_vec();
            spelled.extend_from_slice(&[b'(', letter, b')']);
            read = self.lenient(&spelled);
            end += 3;
        }
        if read.is_none()
            && let Some(rest) = self.without_result(token)
        {
            read = self.lenient(rest);
        }
        if let Some(ply) = read {
            if self.played(input, ply) == Flow::Go
                && let Some(nag) = glued
            {
                self.nag(input, nag);
            }
            return end;
        }
        self.unread(input, at)
    }

    /// A move with the game's result glued to its end, as the tag says it too.
    fn without_result<'t>(&self, token: &'t [u8]) -> Option<&'t [u8]> {
        let said = self.tag_result.filter(|_| self.frames.is_empty())?;
        token.strip_suffix(said.pgn().as_bytes())
    }

    /// Reads a move, granting a castling right that a setup position forgot.
    fn lenient(&mut self, token: &[u8]) -> Option<Ply> {
        if let Ok(ply) = san::read(&self.position, token) {
            return Some(ply);
        }
        self.head.start.setup.as_ref()?;
        let side = match token {
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o', b'-', ..] => 1,
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o', ..] => 0,
            _ => return None,
        };
        let mut position = self.position.clone();
        if !position.grant_castling(position.turn(), side) {
            return None;
        }
        let ply = san::read(&position, token).ok()?;
        self.position = position;
        Some(ply)
    }

    /// A move that cannot be read ends its line: reported, and the rest of the line kept.
    fn unread(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.release(input);
        let text = input.text;
        let mut token_end = symbol_end(text, at);
        if token_end == at {
            token_end = at + 1;
            while text.get(token_end).is_some_and(|&byte| byte & 0xc0 == 0x80) {
                token_end += 1;
            }
        }
        let token = decode(text.get(at..token_end).unwrap_or_default(), self.charset);
        let why: &dyn Display = match san::read(&self.position, token.as_bytes()) {
            Err(ref error) => &error.to_string(),
            Ok(_) => &"not the notation of a move",
        };
        let error = Error::invalid(format!("`{token}` is {why}")).at_ply(self.ply);
        let (end, _) = skip(text, at, self.frames.len(), true);
        let kept = text.get(at..end).unwrap_or_default().trim_ascii_end();
        self.report(input, at, error, Some(kept));
        if !self.has_ended() {
            self.keep(input, at, end);
        }
        end.max(at + 1)
    }

    fn nag(&mut self, input: &mut Input<'_, '_>, nag: u8) {
        if input.want.has(Want::ANNOTATIONS) {
            self.annotate(input, Annotation::Nag(Nag(nag)));
        }
    }

    fn dollar(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let mut end = at + 1;
        let mut number = 0_u32;
        while let Some(digit) = input.text.get(end).filter(|byte| byte.is_ascii_digit()) {
            number = number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
            end += 1;
        }
        match u8::try_from(number) {
            Ok(nag) if end > at + 1 => self.nag(input, nag),
            _ => {
                let kept = input.text.get(at..end);
                let error = Error::invalid("a NAG is a number from 0 to 255").at_ply(self.ply);
                self.report(input, at, error, kept);
            }
        }
        end
    }

    /// A variation begins, or is left out.
    fn open(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.release(input);
        let depth = self.frames.len();
        let over = |text: &[u8]| match skip(text, at + 1, depth + 1, true) {
            (end, End::Close) => end + 1,
            (end, _) => end,
        };
        if !input.want.has(Want::VARIATIONS) {
            return over(input.text);
        }
        if !self.moved || depth >= self.max_depth {
            let error = if self.moved {
                Error::new(ErrorKind::Limit {
                    what: "depth of variations",
                    limit: self.max_depth as u64,
                    asked: depth as u64 + 1,
                })
            } else {
                Error::invalid("a variation without a move to replace")
            };
            let end = over(input.text);
            let kept = input.text.get(at..end);
            if self.report(input, at, error.at_ply(self.ply), kept) {
                self.keep(input, at, end);
            }
            return end;
        }
        match input.visitor.begin_variation() {
            Flow::Go => {}
            Flow::Skip => return over(input.text),
            Flow::Stop => {
                self.flow = Flow::Stop;
                return at + 1;
            }
        }
        let last = self.rewind();
        self.frames.push(Frame {
            before: self.checkpoint.clone(),
            last,
            since_start: self.since_start,
            ply: self.ply,
            at,
        });
        self.position.clone_from(&self.checkpoint);
        self.since_start = self.since.len();
        self.ply = self.ply.saturating_sub(1);
        self.moved = false;
        self.numbered = false;
        at + 1
    }

    /// Brings the checkpoint to the position before the last move and returns that move. Each ply
    /// is played at most once more, however many variations there are.
    fn rewind(&mut self) -> Ply {
        let last = self.since.len().saturating_sub(1);
        for &ply in self.since.get(self.since_start..last).unwrap_or_default() {
            self.checkpoint.play_ply(ply);
        }
        let ply = self.since.get(last).copied().unwrap_or(Ply::Null);
        self.since.truncate(self.since_start);
        self.since.push(ply);
        ply
    }

    fn close(&mut self, input: &mut Input<'_, '_>, at: usize) {
        self.release(input);
        let Some(frame) = self.frames.pop() else {
            let error = Error::invalid("`)` closes no variation").at_ply(self.ply);
            self.report(input, at, error, None);
            return;
        };
        input.visitor.end_variation();
        self.position.clone_from(&frame.before);
        self.position.play_ply(frame.last);
        self.checkpoint = frame.before;
        self.since_start = frame.since_start;
        self.since.truncate(frame.since_start + 1);
        self.ply = frame.ply;
        self.moved = true;
        self.numbered = false;
    }

    /// A comment in braces; returns its end.
    fn brace(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let rest = input.text.get(at..).unwrap_or_default();
        if let Some(length) = memchr::memchr(b'}', rest) {
            self.comment(input, at + 1, at + length);
            return at + length + 1;
        }
        let error = Error::invalid("the comment is not closed").at_ply(self.ply);
        if self.report(input, at, error, None) {
            self.comment(input, at + 1, input.text.len());
        }
        input.text.len()
    }

    fn comment(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
        if !input.want.has(Want::ANNOTATIONS) {
            return;
        }
        let content = input.text.get(from..to).unwrap_or_default();
        let content = decode(content, self.charset);
        let mut before = if self.moved {
            self.numbered
        } else {
            !self.frames.is_empty()
        };
        let mut place = Place::After;
        let mut language = None;
        let mut scratch = std::mem::take(&mut self.text);
        let mut shown: Option<&str> = None;
        if comment::is_plain(&content) {
            shown = Some(&content);
        } else if comment::has_commands(&content) {
            let visitor = &mut *input.visitor;
            let flow = &mut self.flow;
            let found = comment::read(&content, &mut scratch, &mut |annotation| {
                if *flow != Flow::Stop && visitor.visit_annotation(annotation) == Flow::Stop {
                    *flow = Flow::Stop;
                }
            });
            language = found.language;
            before = found.before.unwrap_or(before);
            if found.here {
                place = Place::Before;
            }
            if found.has_text {
                shown = Some(&scratch);
            }
        } else if comment::is_tidy(&content) {
            shown = Some(&content);
        } else {
            scratch.clear();
            comment::tidy_into(&content, &mut scratch);
            shown = Some(&scratch);
        }
        if let Some(text) = shown {
            if before {
                self.waiting_text.push_str(text);
                self.waiting.push((self.waiting_text.len(), language));
            } else if !self.has_ended() {
                self.annotate(
                    input,
                    Annotation::Comment(Comment {
                        place,
                        language,
                        text,
                    }),
                );
            }
        }
        self.text = scratch;
    }

    /// Comments behind the result still belong to the game. Returns where they end.
    fn behind(&mut self, input: &mut Input<'_, '_>, at: usize, read: bool) -> usize {
        let mut at = at;
        loop {
            let next = skip_spaces(input.text, at);
            if input.text.get(next) != Some(&b'{') {
                return at;
            }
            let rest = input.text.get(next..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'}', rest) else {
                return at;
            };
            if read && !self.has_ended() {
                self.moved = true;
                self.numbered = false;
                self.comment(input, next + 1, next + length);
            }
            at = next + length + 1;
        }
    }
}

/// The name of a tag, which is made of ASCII letters, digits and underscores.
fn ascii(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

/// Where the next game begins from `at` on, and the range of what stands before it.
fn find_start(text: &[u8], at: usize) -> (Option<usize>, Option<(usize, usize)>) {
    let mut at = at;
    let mut garbage = None;
    let done = |garbage: Option<usize>, at: usize| garbage.map(|from| (from, at));
    loop {
        at = skip_spaces(text, at);
        let rest = text.get(at..).unwrap_or_default();
        let Some(&first) = rest.first() else {
            return (None, done(garbage, text.len()));
        };
        if rest.starts_with(BOM) {
            at += BOM.len();
            continue;
        }
        if first == b'[' && is_tag(text, at) {
            return (Some(at), done(garbage, at));
        }
        if first == b'%' && at_line_start(text, at) {
            at = line_end(text, at);
            continue;
        }
        let line = text.get(..at).unwrap_or_default().trim_ascii_end().len();
        let between = text.get(line..at).unwrap_or_default();
        let line_start = line == 0 || between.iter().any(|&byte| is_newline(byte));
        let mut from = at + 1;
        if line_start || garbage.is_none() {
            match begins_moves(text, at) {
                Ok(()) => return (Some(at), done(garbage, at)),
                Err(looked) => from = from.max(looked),
            }
        }
        garbage.get_or_insert(at);
        let rest = text.get(from..).unwrap_or_default();
        at = memchr::memchr3(b'\n', b'\r', b'[', rest).map_or(text.len(), |found| from + found);
    }
}

/// Whether movetext without tags begins at `at`: a move number, or a move that can be played from
/// the usual start, maybe behind comments. If not, how far was looked.
fn begins_moves(text: &[u8], at: usize) -> Result<(), usize> {
    let limit = at.saturating_add(LOOK_AHEAD).min(text.len());
    let text = text.get(..limit).unwrap_or(text);
    let mut i = at;
    loop {
        match text.get(i) {
            Some(b'{') => {
                let rest = text.get(i..).unwrap_or_default();
                match memchr::memchr(b'}', rest) {
                    Some(length) => i += length + 1,
                    None => return Err(i),
                }
            }
            Some(b';') => i = line_end(text, i),
            Some(&byte) if is_space(byte) => i += 1,
            _ => break,
        }
    }
    let end = symbol_end(text, i);
    let token = text.get(i..end).unwrap_or_default();
    let digits = token
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let moves = if digits > 0 && digits == token.len() {
        text.get(skip_spaces(text, end)) == Some(&b'.')
    } else {
        !token.is_empty() && san::read(&Position::standard(), token).is_ok()
    };
    if moves { Ok(()) } else { Err(i) }
}
