//! Tasks of a scan that make text, recorded games or encoded games of what is read.

use std::borrow::Cow;

use tabia_core::game::{Game, GameSink, RecordEach, Recorder, Visitor as _};
use tabia_core::games::{GameEncoder, GameOrigin, OriginOffset, TextWriter};
use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex, Problem};

use crate::input::InputItem;
use crate::scan::Task;

/// Writes games as text.
impl Task for Box<dyn TextWriter> {
    type Out = TextPiece;

    fn swap(&mut self, out: &mut TextPiece) {
        out.text.clear();
        std::mem::swap(self.text(), &mut out.text);
        out.offsets = self.take_origins();
    }

    fn take_losses(&mut self) -> Losses {
        TextWriter::take_losses(&mut **self)
    }

    fn on_problem(&mut self, problem: &Problem) {
        // A writer does not end the reading.
        let _ = self.problem(problem.clone());
    }
}

/// Text of games, one after another.
#[derive(Debug, Default)]
pub(crate) struct TextPiece {
    pub(crate) text: Vec<u8>,
    /// Where origins are to be put into it.
    pub(crate) offsets: Vec<OriginOffset>,
}

/// Puts the origins of the games of an input into their text.
pub(crate) struct OriginWriter {
    writer: Box<dyn TextWriter>,
    source: String,
}

impl OriginWriter {
    pub(crate) fn new(writer: Box<dyn TextWriter>, item: &InputItem) -> Self {
        let name = item.label().file_name();
        let source = name.map_or_else(|| item.name(), |name| name.to_string_lossy().into_owned());
        Self { writer, source }
    }

    /// The text with the origins, given how many bytes of it were before `text`.
    pub(crate) fn put<'t>(
        &self,
        text: &'t [u8],
        before: usize,
        offsets: &[OriginOffset],
        number: impl Fn(GameIndex) -> GameIndex,
    ) -> Cow<'t, [u8]> {
        if offsets.is_empty() {
            return text.into();
        }
        let mut out = Vec::with_capacity(text.len() + 64 * offsets.len());
        let mut from = 0;
        for offset in offsets {
            let at = offset.at.saturating_sub(before);
            out.extend_from_slice(text.get(from..at).unwrap_or_default());
            let origin = GameOrigin {
                game: number(offset.game),
                source: &self.source,
                problems: offset.problems,
            };
            self.writer.write_origin(&origin, &mut out);
            from = at;
        }
        out.extend_from_slice(text.get(from..).unwrap_or_default());
        out.into()
    }
}

/// Games recorded in one piece of work, with their numbers there; buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    games: Vec<(GameIndex, Game)>,
    used: usize,
}

impl Recorded {
    /// The games with their numbers; the buffers go with them.
    pub(crate) fn take(&mut self) -> Vec<(GameIndex, Game)> {
        self.games.truncate(self.used);
        self.used = 0;
        std::mem::take(&mut self.games)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (GameIndex, &Game)> {
        self.games
            .iter()
            .take(self.used)
            .map(|(number, game)| (*number, game))
    }
}

impl GameSink for Recorded {
    fn push(&mut self, index: GameIndex, recorder: &mut Recorder) {
        if let Some(slot) = self.games.get_mut(self.used) {
            let next = std::mem::take(&mut slot.1);
            *slot = (index, recorder.replace(next));
        } else {
            self.games.push((index, recorder.replace(Game::new())));
        }
        self.used += 1;
    }
}

/// Records games for a writer that needs complete games.
pub(crate) type RecordTask = RecordEach<Recorded>;

impl Task for RecordTask {
    type Out = Recorded;

    fn swap(&mut self, out: &mut Recorded) {
        out.used = 0;
        std::mem::swap(&mut self.sink, out);
    }
}

/// Games encoded in one piece of work, up to the first that could not be.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) failure: Option<Error>,
}

/// Encodes games for a writer that puts them in order.
pub(crate) type EncodeTask = RecordEach<EncodeSink>;

/// Encodes the games of an [`EncodeTask`].
pub(crate) struct EncodeSink {
    encoder: Box<dyn GameEncoder>,
    losses: Losses,
    done: Encoded,
}

impl EncodeSink {
    pub(crate) fn new(encoder: Box<dyn GameEncoder>) -> Self {
        Self {
            encoder,
            losses: Losses::new(),
            done: Encoded::default(),
        }
    }
}

impl GameSink for EncodeSink {
    fn push(&mut self, _index: GameIndex, recorder: &mut Recorder) {
        if self.done.failure.is_some() {
            return;
        }
        match self.encoder.encode(recorder.game(), &mut self.done.bytes) {
            Ok(losses) => self.losses = losses,
            Err(error) => self.done.failure = Some(error),
        }
    }
}

impl Task for EncodeTask {
    type Out = Encoded;

    fn swap(&mut self, out: &mut Encoded) {
        out.bytes.clear();
        out.failure = None;
        std::mem::swap(&mut self.sink.done, out);
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.sink.losses)
    }
}
