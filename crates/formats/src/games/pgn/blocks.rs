//! Streams of games, and their blocks: parts of a stream that hold complete games.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use tabia_core::chess::PieceLetters;
use tabia_core::error::Result;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::{Block, BlockCounts, BlockReader, Blocks, GameStream, TextFacts};
use tabia_core::io::Charset;
use tabia_core::{Error, GameIndex};

use super::char_class::{BOM, is_newline};
use super::encoding::{FillEnd, SAMPLE, Utf8Input, detect, first_invalid, sample, undefined_bytes};
use super::event_boundary::EventBoundaries;
use super::letter_detection;
use super::read::{Reader, has_only_comments};
use super::text_cursor::{TextCursor, count_lines};

/// Size of a block, in bytes; a block with a longer game is larger.
const BLOCK_SIZE: usize = 1 << 19;
/// Bytes in which line breaks are counted at once, at least.
const COUNTED_AT_ONCE: usize = 1 << 13;
/// Bytes of a text after its last event boundary that are read to find whether they are complete games.
const MAX_TAIL: usize = 1 << 16;

/// Cuts a stream into blocks, at event boundaries if possible. What comes through a pipe is handed on
/// after each game: when no more bytes are there and those that are end with a result, they are a block.
#[derive(Debug)]
pub(super) struct PgnBlocks {
    input: Utf8Input,
    /// Bytes that are read but in no block yet: the first `filled` ones. The others are spare
    /// capacity.
    ready: Vec<u8>,
    filled: usize,
    /// Offset of the next block in the stream.
    offset: u64,
    /// Whether a block was cut.
    has_cut: bool,
    /// Whether the end of the stream is read.
    ended: bool,
    /// Whether the ready bytes are complete games after which the stream has no more bytes at the moment.
    is_paused: bool,
    /// Whether blocks are handed on when the stream has no more bytes at the moment.
    is_live: bool,
    block_size: usize,
    limits: Limits,
    strict: bool,
    /// As the caller asks for it.
    charset: Charset,
    letters: Option<&'static PieceLetters>,
    /// The bytes of the blocks before the language is detected.
    sample: Vec<u8>,
    language: Arc<OnceLock<DetectedLanguage>>,
    /// What bytes are that are not UTF-8, known from the first of them on.
    detected_charset: Arc<OnceLock<Charset>>,
    /// Whether how the ready bytes read depends on the language that is not detected yet.
    needs_language: bool,
    boundaries: EventBoundaries,
}

/// The letters of pieces of a stream, detected in its first bytes. The blocks before them read the same with
/// any that can be detected.
#[derive(Debug, Clone, Copy)]
struct DetectedLanguage {
    /// The offset of the first block that is read with them.
    from: u64,
    letters: Option<&'static PieceLetters>,
    /// The letters were not asked for but detected, which is reported before that block.
    is_reported: bool,
    /// Letters with which the games have other moves that are legal too, also reported there.
    doubt: Option<&'static PieceLetters>,
}

impl PgnBlocks {
    pub(super) fn open(input: Box<dyn Read + Send>, options: &OpenOptions) -> Result<Self> {
        Self::with_block_size(input, options, BLOCK_SIZE)
    }

    pub(super) fn with_block_size(
        input: Box<dyn Read + Send>,
        options: &OpenOptions,
        block_size: usize,
    ) -> Result<Self> {
        let mut blocks = Self {
            input: Utf8Input::open(input)?,
            ready: Vec::new(),
            filled: 0,
            offset: 0,
            has_cut: false,
            ended: false,
            is_paused: false,
            is_live: true,
            block_size: block_size.max(16),
            limits: options.limits,
            strict: options.strict,
            charset: options.charset,
            letters: options.pieces,
            sample: Vec::new(),
            language: Arc::default(),
            detected_charset: Arc::default(),
            needs_language: false,
            boundaries: EventBoundaries::default(),
        };
        blocks.fill(SAMPLE)?;
        blocks.ready.truncate(blocks.filled);
        if blocks.ready.starts_with(BOM) {
            blocks.ready.drain(..BOM.len());
            blocks.filled = blocks.ready.len();
            blocks.offset = BOM.len() as u64;
        }
        if !blocks.is_paused {
            blocks.detect_language()?;
        }
        Ok(blocks)
    }

    /// Reads until `wanted` bytes are ready, or fewer as [`Utf8Input::fill`] does.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.filled);
        let has_charset = self.charset != Charset::Auto || self.detected_charset.get().is_some();
        let has_letters = self.letters.is_some() || self.language.get().is_some();
        let (boundaries, depth) = (&self.boundaries, self.limits.depth);
        let charset = self.charset;
        let needs_language = &mut self.needs_language;
        let is_live = self.is_live;
        let mut is_complete = |text: &[u8]| {
            if !is_live || *needs_language || !ends_with_game(text, boundaries, depth) {
                return false;
            }
            // Once this is so, the bytes that follow do not change it.
            let is_independent = (has_charset || first_invalid(text, false).is_none())
                && (has_letters || letter_detection::is_surely_english(text, charset, depth));
            *needs_language = !is_independent;
            !*needs_language
        };
        let (ready, filled) = (&mut self.ready, &mut self.filled);
        let end = self.input.fill(missing, ready, filled, &mut is_complete)?;
        self.ended = end == FillEnd::Ended;
        self.is_paused = end == FillEnd::Paused;
        Ok(())
    }

    /// Finds out what bytes are that are not UTF-8, if there are some in the first `length` ready bytes, which
    /// reads more. Whether it is found out only now.
    fn detect_charset(&mut self, length: usize) -> Result<bool> {
        if self.charset != Charset::Auto || self.detected_charset.get().is_some() {
            return Ok(false);
        }
        let text = self.ready.get(..length).unwrap_or_default();
        let continues = !self.ended && length == self.filled;
        let Some(at) = first_invalid(text, continues) else {
            return Ok(false);
        };
        let wanted = at + SAMPLE;
        self.needs_language = true;
        if self.filled < wanted && !self.ended {
            self.fill(wanted)?;
        }
        self.needs_language = false;
        let text = self.ready.get(..self.filled).unwrap_or_default();
        let charset = detect(sample(text, at), self.charset);
        Ok(self.detected_charset.set(charset).is_ok())
    }

    /// Detects the language in the first bytes of the stream.
    fn detect_language(&mut self) -> Result<()> {
        self.detect_charset(self.filled)?;
        let charset = self.detected_charset.get();
        let charset = charset.copied().unwrap_or(self.charset);
        let ready = self.ready.get(..self.filled).unwrap_or_default();
        let mut joined = std::mem::take(&mut self.sample);
        let sample = if joined.is_empty() {
            ready
        } else {
            joined.extend_from_slice(ready);
            &joined
        };
        let is_complete = self.ended && sample.len() <= SAMPLE;
        let sample = sample.get(..SAMPLE).unwrap_or(sample);
        let depth = self.limits.depth;
        let text = Some(sample).filter(|_| self.letters.is_none());
        let detected =
            text.and_then(|text| letter_detection::detect(text, is_complete, charset, depth));
        let doubt = text
            .filter(|_| detected.is_none())
            .and_then(|text| letter_detection::other_reading(text, is_complete, charset, depth));
        let language = DetectedLanguage {
            from: self.offset,
            letters: self.letters.or(detected),
            is_reported: detected.is_some(),
            doubt,
        };
        // It is set once.
        let _ = self.language.set(language);
        self.needs_language = false;
        Ok(())
    }

    fn new_reader(&self) -> LanguageReader {
        let letters = self.letters;
        LanguageReader {
            reader: Reader::new(self.charset, self.strict, self.limits.depth, letters),
            language: Arc::clone(&self.language),
            charset: Arc::clone(&self.detected_charset),
            requested: self.charset,
            is_set: false,
            is_charset_set: false,
            strict: self.strict,
        }
    }

    /// Where to cut the first `length` bytes: at the last event boundary, else after the last but one
    /// of the games that reading finds. `None` if more bytes are needed.
    fn find_cut(&self, length: usize) -> Option<usize> {
        let text = self.ready.get(..length)?;
        if let Some(boundary) = self.boundaries.last(text) {
            // Comments before the first game belong to it.
            let is_first = !self.has_cut && boundary == self.boundaries.next_after(text, 0);
            let before = text.get(..boundary).unwrap_or_default();
            return (!is_first || !has_only_comments(before)).then_some(boundary);
        }
        // Where a game begins may depend on the bytes after it, and those after the last are unread.
        let (mut last, mut cut) = (0, 0);
        for_each_game_end(text, self.limits.depth, |end| (cut, last) = (last, end));
        (cut > 0).then_some(cut)
    }
}

/// Calls `each` with the end of every game of a text.
fn for_each_game_end(text: &[u8], depth: u32, mut each: impl FnMut(usize)) {
    let mut reader = Reader::new(Charset::Auto, false, depth, None);
    let mut cursor = TextCursor::default();
    while let Ok(Some(_)) = reader.next(text, &mut cursor, Want::TAGS, &mut SkipGames) {
        each(cursor.at);
    }
}

/// Whether a text ends with the result of a game and a line break, so that no move follows in that game.
fn ends_with_game(text: &[u8], boundaries: &EventBoundaries, depth: u32) -> bool {
    let trimmed = text.trim_ascii_end();
    let is_result = [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"]
        .iter()
        .any(|result| trimmed.ends_with(result));
    let line_end = text.get(trimmed.len()..).unwrap_or_default();
    if !is_result || !line_end.iter().any(|&byte| is_newline(byte)) {
        return false;
    }
    let start = boundaries.last(text).unwrap_or(0);
    let tail = text.get(start..).unwrap_or_default();
    if tail.len() > MAX_TAIL {
        return false;
    }
    // Whether some results end a game depends on what follows; this is neither a tag nor the end.
    let tail = [tail, b"\n?"].concat();
    let mut last = None;
    for_each_game_end(&tail, depth, |end| last = Some(end));
    let rest = last.and_then(|end| tail.get(end..));
    rest.is_some_and(|rest| rest.trim_ascii() == b"?")
}

/// A visitor that skips every game.
struct SkipGames;

impl Visitor for SkipGames {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        Flow::Skip
    }

    fn visit_move(&mut self, _: &tabia_core::chess::Position, _: tabia_core::chess::Ply) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, _result: GameResult) {}
}

impl Blocks for PgnBlocks {
    fn next(&mut self, block: &mut Block) -> Result<bool> {
        block.offset = self.offset;
        let mut wanted = self.block_size;
        loop {
            let can_read = !self.ended && !self.is_paused;
            if self.language.get().is_none() {
                if can_read {
                    self.fill(SAMPLE.saturating_sub(self.sample.len()))?;
                }
                if !self.is_paused && (self.filled > 0 || !self.ended) {
                    self.detect_language()?;
                    continue;
                }
            } else if can_read && self.filled < wanted {
                self.fill(wanted)?;
            }
            let length = wanted.min(self.filled);
            let cut = if self.is_paused {
                // A line break is not cut in two, or it would be counted twice.
                let text = self.ready.get(..self.filled).unwrap_or_default();
                Some(self.filled - usize::from(text.ends_with(b"\r")))
            } else if self.ended && length == self.filled {
                Some(length)
            } else {
                self.find_cut(length)
            };
            let Some(cut) = cut else {
                Limits::check("game", wanted as u64, self.limits.record)
                    .map_err(|error| error.at_offset(self.offset))?;
                wanted = wanted.saturating_mul(2);
                continue;
            };
            if self.detect_charset(cut)? {
                // More bytes are read.
                continue;
            }
            if self.language.get().is_none() {
                let text = self.ready.get(..cut).unwrap_or_default();
                self.sample.extend_from_slice(text);
            }
            // The bytes after the cut are few: copy them to the other buffer and swap the two.
            let rest = self.ready.get(cut..self.filled).unwrap_or_default();
            if block.bytes.len() < rest.len() {
                block.bytes.resize(rest.len(), 0);
            }
            if let Some(start) = block.bytes.get_mut(..rest.len()) {
                start.copy_from_slice(rest);
            }
            self.filled = rest.len();
            std::mem::swap(&mut block.bytes, &mut self.ready);
            block.bytes.truncate(cut);
            self.has_cut = true;
            self.is_paused = false;
            self.offset += cut as u64;
            return Ok(cut > 0);
        }
    }

    fn wait_for_full_blocks(&mut self) {
        self.is_live = false;
        self.is_paused = false;
    }

    fn found(&self) -> TextFacts {
        let language = self.language.get().and_then(|language| language.letters);
        TextFacts {
            pieces: language.filter(|letters| !letters.is_english()),
            charset: self.detected_charset.get().map(|charset| match charset {
                Charset::Fallback(set) => Charset::Single(set),
                _ => Charset::Single(encoding_rs::WINDOWS_1252),
            }),
        }
    }

    fn reader(&self) -> Box<dyn BlockReader> {
        Box::new(self.new_reader())
    }
}

/// Reads games in the language that is detected.
#[derive(Debug)]
struct LanguageReader {
    reader: Reader,
    language: Arc<OnceLock<DetectedLanguage>>,
    charset: Arc<OnceLock<Charset>>,
    /// As the caller asks for it.
    requested: Charset,
    /// Whether the reader has that language.
    is_set: bool,
    /// Whether the reader has that character set.
    is_charset_set: bool,
    strict: bool,
}

impl LanguageReader {
    /// Prepares for the block at `offset`: reports letters that were detected before it.
    fn begin_block(&mut self, offset: u64, visitor: &mut dyn Visitor) -> Result<Flow> {
        // Blocks before the first byte that is not UTF-8 read the same with any.
        if let Some(charset) = self.charset.get().filter(|_| !self.is_charset_set) {
            self.is_charset_set = true;
            self.reader.set_charset(*charset);
        }
        let Some(language) = self.language.get() else {
            return Ok(Flow::Go);
        };
        if !self.is_set && offset >= language.from {
            self.is_set = true;
            self.reader.set_letters(language.letters);
        }
        let detected = language.letters.filter(|_| language.is_reported);
        let problem = detected.map(letter_detection::problem);
        let problem = problem.or_else(|| language.doubt.map(letter_detection::doubt));
        match problem {
            Some(error) if offset == language.from => {
                if self.strict {
                    return Err(error);
                }
                Ok(visitor.problem(error.into()))
            }
            _ => Ok(Flow::Go),
        }
    }

    /// Reports bytes of a block that are no characters of its set: the text is probably in another one.
    fn report_undefined(
        &mut self,
        text: &[u8],
        cursor: &mut TextCursor,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        let charset = self.charset.get().copied().unwrap_or(self.requested);
        // All bytes before the first one that is not UTF-8 are read the same with any.
        if charset == Charset::Auto && self.charset.get().is_none() {
            return Ok(Flow::Go);
        }
        let Some((at, error)) = undefined_bytes(text, charset) else {
            return Ok(Flow::Go);
        };
        let game = cursor.games.saturating_add(self.games_before(text, at));
        let error = cursor.locate(text, at, error.in_game(GameIndex(game)));
        if self.strict {
            return Err(error);
        }
        Ok(visitor.problem(error.into()))
    }

    /// The number of games of a text before the one that an offset is in.
    fn games_before(&mut self, text: &[u8], at: usize) -> u32 {
        let mut cursor = TextCursor::default();
        while cursor.at <= at {
            let read = self
                .reader
                .next(text, &mut cursor, Want::TAGS, &mut SkipGames);
            if !matches!(read, Ok(Some(_))) {
                break;
            }
        }
        cursor.games.saturating_sub(1)
    }
}

impl BlockReader for LanguageReader {
    fn read(
        &mut self,
        block: &Block,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<(Flow, BlockCounts)> {
        let text = &block.bytes;
        let mut cursor = TextCursor::default();
        let mut flow = self.begin_block(block.offset, visitor)?;
        if flow == Flow::Go {
            flow = self.report_undefined(text, &mut TextCursor::default(), visitor)?;
        }
        // Counted while the bytes are in the caches of the processor.
        let (mut counted, mut lines) = (0, 0);
        while flow == Flow::Go {
            match self.reader.next(text, &mut cursor, want, visitor)? {
                Some(answer) => flow = answer,
                None => break,
            }
            if cursor.at - counted >= COUNTED_AT_ONCE {
                lines += count_lines(text, counted, cursor.at);
                counted = cursor.at;
            }
        }
        let counts = BlockCounts {
            games: cursor.games,
            lines: lines + count_lines(text, counted, text.len()),
        };
        Ok((flow, counts))
    }
}

/// Reads the games of a stream one after another.
#[derive(Debug)]
pub(super) struct PgnStream {
    blocks: PgnBlocks,
    block: Block,
    reader: LanguageReader,
    cursor: TextCursor,
}

impl PgnStream {
    pub(super) fn new(blocks: PgnBlocks) -> Self {
        let reader = blocks.new_reader();
        let cursor = TextCursor::new(0, blocks.offset);
        Self {
            blocks,
            block: Block::default(),
            reader,
            cursor,
        }
    }
}

impl GameStream for PgnStream {
    fn next(&mut self, want: Want, visitor: &mut dyn Visitor) -> Result<Option<Flow>, Error> {
        loop {
            let text = &self.block.bytes;
            let reader = &mut self.reader.reader;
            let answer = reader.next(text, &mut self.cursor, want, visitor)?;
            if answer.is_some() {
                return Ok(answer);
            }
            self.cursor.next_text(&self.block.bytes);
            if !self.blocks.next(&mut self.block)? {
                self.block.bytes.clear();
                return Ok(None);
            }
            if self.reader.begin_block(self.block.offset, visitor)? == Flow::Stop {
                return Ok(Some(Flow::Stop));
            }
            let (text, reader) = (&self.block.bytes, &mut self.reader);
            if reader.report_undefined(text, &mut self.cursor, visitor)? == Flow::Stop {
                return Ok(Some(Flow::Stop));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use tabia_core::game::{Game, Recorder};
    use tabia_core::games::Database;
    use tabia_core::io::{Blob, Source};

    use super::*;
    use crate::games::pgn::index::PgnDatabase;

    /// Gives one piece a read, as a pipe does whose writer is slower than its reader.
    struct Pieces(VecDeque<Vec<u8>>);

    impl Pieces {
        /// A piece for each game.
        fn of_games(text: &[u8]) -> Self {
            let boundaries = EventBoundaries::default();
            let (mut pieces, mut at) = (VecDeque::new(), 0);
            while at < text.len() {
                let end = boundaries.next_after(text, at);
                pieces.push_back(text[at..end].to_vec());
                at = end;
            }
            Self(pieces)
        }
    }

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some(mut piece) = self.0.pop_front() else {
                return Ok(0);
            };
            let rest = piece.split_off(piece.len().min(buffer.len()));
            buffer[..piece.len()].copy_from_slice(&piece);
            if !rest.is_empty() {
                self.0.push_front(rest);
            }
            Ok(piece.len())
        }
    }

    /// All games of a stream, and the messages of its problems.
    fn read(input: impl Read + Send + 'static) -> (Vec<Game>, Vec<String>) {
        let blocks = PgnBlocks::open(Box::new(input), &OpenOptions::default()).unwrap();
        let mut stream = PgnStream::new(blocks);
        let mut recorder = Recorder::new();
        let mut games = Vec::new();
        while stream.next(Want::ALL, &mut recorder).unwrap().is_some() {
            games.push(recorder.replace(Game::new()));
        }
        let problems = recorder.take_problems();
        let texts = problems.iter().map(|problem| problem.error.to_string());
        (games, texts.collect())
    }

    fn game(event: &[u8], moves: &str) -> Vec<u8> {
        [b"[Event \"", event, b"\"]\n\n", moves.as_bytes(), b"\n\n"].concat()
    }

    #[test]
    fn a_line_break_in_two_pieces_is_one() {
        let text = b"[Event \"a\"]\r\n\r\n1. e4 1-0\r\n\r\n[Event \"b\"]\r\n\r\n1. e5 1-0\r\n";
        let (games, whole) = read(Pieces(VecDeque::from([text.to_vec()])));
        assert_eq!((games.len(), whole.len()), (2, 1), "{whole:?}");
        for at in 1..text.len() {
            let (before, after) = text.split_at(at);
            let pieces = Pieces(VecDeque::from([before.to_vec(), after.to_vec()]));
            let (games, problems) = read(pieces);
            assert_eq!((games.len(), &problems), (2, &whole), "{at}");
        }
    }

    #[test]
    fn full_blocks_do_not_depend_on_how_bytes_come() {
        let games: Vec<u8> = (0..4000)
            .flat_map(|number| {
                let event = format!("Event {number}");
                game(event.as_bytes(), "1. Nf3 {a comment} Nf6 2. g3 g6 1-0")
            })
            .collect();
        let cut = |input: Box<dyn Read + Send>, waits: bool| {
            let mut blocks =
                PgnBlocks::with_block_size(input, &OpenOptions::default(), 1 << 14).unwrap();
            if waits {
                blocks.wait_for_full_blocks();
            }
            let (mut block, mut cuts) = (Block::default(), Vec::new());
            while blocks.next(&mut block).unwrap() {
                cuts.push((block.offset, block.bytes.clone()));
            }
            cuts
        };
        let whole = cut(Box::new(std::io::Cursor::new(games.clone())), true);
        assert!(whole.len() > 10);
        let bytes: Vec<u8> = whole.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        assert!(bytes == games);
        let pieces = || Box::new(Pieces::of_games(&games));
        assert!(cut(pieces(), true) == whole);
        // A block a game otherwise.
        assert!(cut(pieces(), false).len() > 1000);
    }

    #[test]
    fn bytes_that_are_no_characters_name_their_game() {
        let mut text = Vec::new();
        for number in 0..3000 {
            let event: &[u8] = if number == 1999 {
                b"M\x81nchen"
            } else {
                b"Wien"
            };
            text.extend(game(event, "1. e4 *"));
        }
        let (games, problems) = read(std::io::Cursor::new(text));
        assert_eq!((games.len(), problems.len()), (3000, 1));
        assert!(problems[0].contains("game 2000,"), "{}", problems[0]);
    }

    #[test]
    fn a_stream_that_comes_in_pieces_reads_as_one_that_is_there() {
        let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode("Петросян и Спасский");
        let latin = b"M\xfcnchen";
        let pawns = game(b"A", "1. e4 e5 1/2-1/2");
        let english = game(b"B", "1. Nf3 Nf6 {a comment} 1-0");
        let german = game(b"C", "1. Sf3 Sf6 2. Lxf6 *\n\n1. Sc3 Sc6 0-1");
        let good_german = game(b"D", "1. Sf3 Sf6 2. Sc3 Sc6 0-1");
        let illegal = game(b"E", "1. e4 e5 2. Ke3 Ke6 1-0");
        let open = game(b"F", "1. e4 (1. d4 1-0\n\n 1... d5) 1... e5 *");
        let streams: [&[&[u8]]; 8] = [
            &[&pawns, &english, &pawns],
            &[&pawns, &game(&cyrillic, "*"), &game(&cyrillic, "1. d4 *")],
            &[&game(latin, "1. c4 *"), &game(&cyrillic, "*"), &english],
            &[&good_german, &good_german],
            &[&pawns, &good_german, &good_german],
            &[&german, &english],
            &[&illegal, &english, &illegal],
            &[&open, &english],
        ];
        for games in streams {
            let text = games.concat();
            let whole = read(std::io::Cursor::new(text.clone()));
            let parts = read(Pieces::of_games(&text));
            assert_eq!(parts, whole, "{}", text.escape_ascii());
            let bytes = text.iter().map(|byte| vec![*byte]).collect();
            assert_eq!(read(Pieces(bytes)), whole, "{}", text.escape_ascii());
        }
    }

    /// The games of a file.
    fn read_file(text: &[u8]) -> Vec<Game> {
        let members = vec![("a.pgn".to_owned(), Blob::from(text.to_vec()))];
        let source = Source::from_members(std::path::Path::new("a.pgn"), "a.pgn", members).unwrap();
        let database = PgnDatabase::open(&source, &OpenOptions::default()).unwrap();
        let mut reader = database.reader();
        let mut recorder = Recorder::new();
        let games = (0..database.len()).map(|game| {
            let flow = reader.read(GameIndex(game), Want::ALL, &mut recorder);
            assert_eq!(flow.unwrap(), Flow::Go);
            recorder.replace(Game::new())
        });
        games.collect()
    }

    #[test]
    fn bytes_that_are_not_utf8_read_the_same_wherever_they_are() {
        let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode("Петросян и Спасский");
        let comment = "a comment ".repeat(500);
        let english = game(b"B", &format!("1. Nf3 Nf6 {{{comment}}} 1-0"));
        let many = SAMPLE / english.len() + 2;
        for (name, expected) in [
            (&*cyrillic, "Петросян и Спасский"),
            (b"M\xfcnchen", "München"),
        ] {
            for before in [0, 3, many] {
                let mut text = english.repeat(before);
                text.extend(game(name, "1. d4 *"));
                text.extend(game("Cañas".as_bytes(), "1. d4 *"));
                text.extend(&english);
                let (games, problems) = read(std::io::Cursor::new(text.clone()));
                assert_eq!(problems, [""; 0]);
                assert_eq!(games.len(), before + 3);
                assert_eq!(games[before].head.tags.text("Event"), expected);
                assert_eq!(games[before + 1].head.tags.text("Event"), "Cañas");
                assert_eq!(read_file(&text), games);
                assert_eq!(read(Pieces::of_games(&text)).0, games);
            }
        }
    }

    /// The first game may be longer than a short sample.
    #[test]
    fn piece_letters_are_detected_after_a_long_first_game() {
        let comment = "text ".repeat(1 << 15);
        let mut text = game(b"A", &format!("1. Sf3 {{{comment}}} Sf6 *"));
        for _ in 0..3 {
            text.extend(game(b"B", "1. Sf3 Sf6 2. Sc3 Sc6 0-1"));
        }
        let (games, problems) = read(std::io::Cursor::new(text.clone()));
        assert_eq!(problems.len(), 1, "{problems:?}");
        let plies: Vec<_> = games.iter().map(Game::ply_count).collect();
        assert_eq!(plies, [2, 4, 4, 4]);
        assert_eq!(read_file(&text), games);
        assert_eq!(read(Pieces::of_games(&text)).0, games);
    }

    #[test]
    fn games_that_are_there_are_handed_on_before_more_are_read() {
        /// Fails when it is read after its pieces.
        struct Waiting(Pieces);

        impl Read for Waiting {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                match self.0.read(buffer)? {
                    0 => Err(std::io::ErrorKind::ConnectionAborted.into()),
                    length => Ok(length),
                }
            }
        }

        let first = game(b"A", "1. e4 e5 1-0");
        let second = game(b"B", "1. Nf3 *");
        // Blocks of one size, whose buffers are used again.
        let games = [&first, &second, &second, &second, &second, &first, &first];
        let text = [
            &*games.map(|game| &**game).concat(),
            b"[Event \"C\"]\n\n1. d4 ",
        ]
        .concat();
        for has_mark in [false, true] {
            let mut pieces = Pieces::of_games(&text);
            if has_mark {
                pieces.0.push_front(BOM.to_vec());
            }
            let options = OpenOptions::default();
            let mut blocks = PgnBlocks::open(Box::new(Waiting(pieces)), &options).unwrap();
            let mut block = Block::default();
            for expected in games {
                assert!(blocks.next(&mut block).unwrap());
                assert_eq!(&block.bytes, expected);
            }
            assert!(blocks.next(&mut block).is_err());
        }
    }

    #[test]
    fn a_text_ends_with_a_game_only_after_its_result() {
        let boundaries = EventBoundaries::default();
        let ends = |text: &str| ends_with_game(text.as_bytes(), &boundaries, 100);
        for text in [
            "1. e4 1-0\n",
            "[A \"b\"]\r\n\r\n*\r\n",
            "1. e4 (1. d4) 1/2-1/2\n\n",
        ] {
            assert!(ends(text), "{text}");
        }
        for text in [
            "",
            "\n",
            "1. e4 1-0",
            "1. e4 {1-0\n",
            "1. e4 ; 1-0\n",
            "1. e4 (1. d4 1-0\n",
            "1. e4 0-0\n",
            "[A \"b\"]\n",
            "1-0 and 0-1\n",
        ] {
            assert!(!ends(text), "{text}");
        }
    }
}
