//! Heads of games from the index of a database. Those of a piece have their texts together, so that a game costs no
//! memory of its own until more of it is asked for.

use tabia::core::games::{HeadName, HeadReader, IndexHead};
use tabia::known_texts::KnownTexts;
use tabia::{Date, GameResult};

/// The texts of names that were used before, by [`HeadName`].
pub(crate) type KnownNames = [KnownTexts; HeadName::ALL.len()];

/// What the index states of a game.
struct Head {
    /// Where the values of tags are among the texts, by [`HeadName`]; nothing if unknown.
    names: [(u32, u32); HeadName::ALL.len()],
    date: Date,
    elo: [u16; 2],
    result: GameResult,
}

/// The heads of a piece.
#[derive(Default)]
pub(crate) struct GameHeads {
    heads: Vec<Head>,
    texts: String,
}

impl GameHeads {
    /// Adds a head; returns its number, or `None` if there are too many texts.
    pub(crate) fn push(
        &mut self,
        known: &mut KnownNames,
        reader: &dyn HeadReader,
        head: &IndexHead,
    ) -> Option<u32> {
        let mut names = [(0, 0); HeadName::ALL.len()];
        let numbers = HeadName::ALL.into_iter().zip(head.names);
        for ((slot, known), (name, number)) in names.iter_mut().zip(known).zip(numbers) {
            let Some(number) = number else {
                continue;
            };
            let write = |texts: &mut String| reader.push_value(name, number, texts);
            let text = known.find(number, &mut self.texts, write);
            if !text.is_unknown {
                *slot = (
                    u32::try_from(text.start).ok()?,
                    u32::try_from(text.end).ok()?,
                );
            }
        }
        let number = u32::try_from(self.heads.len()).ok()?;
        self.heads.push(Head {
            names,
            date: head.date,
            elo: head.elo,
            result: head.result,
        });
        Some(number)
    }

    fn head(&self, number: u32) -> Option<&Head> {
        self.heads.get(number as usize)
    }

    /// The value of a tag; `None` if it is unknown.
    pub(crate) fn name(&self, number: u32, name: HeadName) -> Option<&str> {
        let (start, end) = *self.head(number)?.names.get(name as usize)?;
        let text = self.texts.get(start as usize..end as usize)?;
        (!text.is_empty()).then_some(text)
    }

    /// The ratings of White and Black.
    pub(crate) fn elo(&self, number: u32) -> [Option<u16>; 2] {
        let elo = self.head(number).map_or([0; 2], |head| head.elo);
        elo.map(|elo| (elo != 0).then_some(elo))
    }

    /// The date, unknown if its tag would be none that can be read.
    pub(crate) fn date(&self, number: u32) -> Date {
        let date = self.head(number).map(|head| head.date);
        let is_readable = |date: &Date| date.year <= 9999 && date.month <= 12 && date.day <= 31;
        date.filter(is_readable).unwrap_or(Date::UNKNOWN)
    }

    pub(crate) fn result(&self, number: u32) -> GameResult {
        self.head(number)
            .map_or(GameResult::Unknown, |head| head.result)
    }
}
