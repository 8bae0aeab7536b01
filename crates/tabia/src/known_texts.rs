//! Texts of numbered values that a piece has already, so that each is asked for and stored once.

/// Numbers of one tag that are remembered. A number has one slot, by its remainder.
const SLOTS: usize = 1024;

/// A text of the piece.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownText {
    /// Its first byte among the texts of the piece.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// Whether it states nothing: it is empty or `?`.
    pub is_unknown: bool,
}

/// The texts of one tag whose values have numbers, as heads of an index have them
/// ([`IndexHead`](tabia_core::games::IndexHead)).
///
/// ```
/// use tabia::known_texts::KnownTexts;
///
/// let (mut players, mut texts) = (KnownTexts::default(), String::new());
/// let first = players.find(7, &mut texts, |out| out.push_str("Carlsen, M"));
/// let again = players.find(7, &mut texts, |_| unreachable!("the piece has it"));
/// assert_eq!((first, texts.as_str()), (again, "Carlsen, M"));
///
/// // Another piece has texts of its own, but the name is not decoded again.
/// players.forget();
/// texts.clear();
/// players.find(7, &mut texts, |_| unreachable!("the piece before had it"));
/// assert_eq!(texts, "Carlsen, M");
/// ```
#[derive(Debug)]
pub struct KnownTexts {
    slots: Vec<Slot>,
    /// The number of the piece, from 1.
    piece: u64,
}

/// A number and its text.
#[derive(Debug, Clone, Default)]
struct Slot {
    number: u32,
    /// The piece that has the text; 0: none had it yet.
    piece: u64,
    known: KnownText,
    text: String,
}

/// Texts with more bytes are asked for again in each piece.
const MAX_KEPT_BYTES: usize = 256;

impl Default for KnownTexts {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            piece: 1,
        }
    }
}

impl KnownTexts {
    /// The text of a number, which `write` appends to the texts of the piece if it is not among them.
    pub fn find(
        &mut self,
        number: u32,
        texts: &mut String,
        write: impl FnOnce(&mut String),
    ) -> KnownText {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Slot::default());
        }
        let piece = self.piece;
        let slot = self.slots.get_mut(number as usize % SLOTS);
        let start = texts.len();
        let mut slot = match slot {
            Some(slot) if slot.number == number && slot.piece == piece => return slot.known,
            // An earlier piece had it.
            Some(slot) if slot.number == number && !slot.text.is_empty() => {
                texts.push_str(&slot.text);
                Some(slot)
            }
            slot => {
                write(texts);
                slot
            }
        };
        let text = texts.get(start..).unwrap_or_default();
        let known = KnownText {
            is_unknown: matches!(text, "" | "?"),
            start,
            end: texts.len(),
        };
        if let Some(slot) = &mut slot {
            if slot.number != number || slot.text.is_empty() {
                slot.text.clear();
                if text.len() <= MAX_KEPT_BYTES {
                    slot.text.push_str(text);
                }
            }
            (slot.number, slot.piece, slot.known) = (number, piece, known);
        }
        known
    }

    /// Another piece begins.
    pub fn forget(&mut self) {
        self.piece += 1;
    }
}
