//! Tasks of a scan that make text, recorded games or encoded games of what is read.

use tabia_core::game::{Game, GameSink, RecordEach, Recorder};
use tabia_core::games::{GameEncoder, TextWriter};
use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex};

use crate::scan::Task;

/// Writes games as text.
impl Task for Box<dyn TextWriter> {
    type Out = Vec<u8>;

    fn swap(&mut self, out: &mut Vec<u8>) {
        out.clear();
        std::mem::swap(self.text(), out);
    }

    fn take_losses(&mut self) -> Losses {
        TextWriter::take_losses(&mut **self)
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
