//! The tag section, written.

use tabia_core::chess::{FenStyle, Position, Setup};
use tabia_core::format::Profile;
use tabia_core::game::{GameResult, Head, RecordKind, SEVEN_TAG_ROSTER};
use tabia_core::loss::Feature;

use super::chars::{is_clean, is_name};
use super::full;
use super::roster::{self, REST, Variant};

/// A tag about to be written: its rank, and which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    rank: u8,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A stored tag, by its place.
    Stored(u32),
    /// A stored tag in the encoded form.
    Encoded(u32),
    /// A tag of the roster that is not stored.
    Roster(u8),
    Variant,
    SetUp,
    Fen,
}

/// Writes tag sections, reusing its scratch space.
#[derive(Debug, Default)]
pub(super) struct TagWriter {
    items: Vec<Item>,
}

/// Where the value of `Result` stands, and what it says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ResultTag {
    pub(super) start: usize,
    pub(super) end: usize,
    /// What a reader takes it for.
    pub(super) value: Option<GameResult>,
    /// Whether it may be changed.
    pub(super) stored: bool,
}

impl TagWriter {
    /// Appends the tag section of `head`; what is left out goes to `lose`.
    pub(super) fn write(
        &mut self,
        head: &Head,
        profile: Profile,
        out: &mut Vec<u8>,
        lose: &mut dyn FnMut(Feature),
    ) -> ResultTag {
        let full = profile == Profile::Full;
        let classical = self.collect(head, profile, lose);
        let sorted = self.items.is_sorted();
        let event = head.tags.pair(0).is_some_and(|(name, _)| name == "Event");
        let in_order = if full {
            event && self.items.len() == head.tags.len()
        } else {
            sorted
        };
        if !in_order {
            self.items.sort_unstable();
        }
        let mut place = ResultTag::default();
        for item in &self.items {
            write_item(*item, head, full, out, &mut place, lose);
        }
        if full {
            if !in_order {
                let mut order: Vec<(u32, usize)> = self
                    .items
                    .iter()
                    .enumerate()
                    .filter_map(|(i, item)| match item.what {
                        What::Stored(place) | What::Encoded(place) => Some((place, i + 1)),
                        _ => None,
                    })
                    .collect();
                order.sort_unstable();
                let order: Vec<usize> = order.into_iter().map(|(_, number)| number).collect();
                if order.len() != self.items.len() || !order.is_sorted() {
                    pair(roster::ORDER, &roster::write_order(&order), out);
                }
            }
            let mut words = Vec::new();
            if head.kind == RecordKind::Text {
                words.push("text");
            }
            if head.deleted {
                words.push("deleted");
            }
            if classical {
                words.push("classical");
            }
            if !words.is_empty() {
                pair(roster::RECORD, &words.join(" "), out);
            }
        }
        place
    }

    /// Lists what is to be written. Says whether a reader must be told that the game is not
    /// Chess960.
    fn collect(&mut self, head: &Head, profile: Profile, lose: &mut dyn FnMut(Feature)) -> bool {
        let full = profile == Profile::Full;
        let seven = profile == Profile::Seven;
        let setup = head.start.setup.as_deref();
        let stored_fen = head.tags.get("FEN").map(parse_fen);
        let stored_variant = head.tags.get("Variant").map(roster::variant);
        // A stored FEN says what a reader will make of it; another one must not be read.
        let fen_agrees = match &stored_fen {
            Some(parsed) => parsed.as_ref() == setup,
            None => setup.is_none(),
        };
        let looks_960 = setup
            .and_then(|setup| Position::from_setup(setup).ok())
            .is_some_and(|position| position.is_chess960());
        let says_960 = stored_variant == Some(Variant::Chess960);
        let needs_variant = head.start.chess960 && !says_960 && !(full && looks_960);
        let other_variant = stored_variant == Some(Variant::Other);

        self.items.clear();
        let mut seen = 0_u8;
        for (i, (name, value)) in (0_u32..).zip(head.tags.iter()) {
            let mut rank = roster::rank(name);
            if full {
                let hidden = match name {
                    "FEN" => !fen_agrees,
                    "Variant" => needs_variant || (other_variant && head.start.chess960),
                    _ => name.starts_with("Tabia") || !is_plain(name, value),
                };
                if hidden {
                    self.push(REST, What::Encoded(i));
                    continue;
                }
            } else {
                let generated = match rank {
                    roster::FEN | roster::SETUP => setup.is_some(),
                    roster::VARIANT => head.start.chess960,
                    _ => false,
                };
                if generated {
                    continue;
                }
                if rank == REST && roster::is_fact(name) {
                    lose(Feature::HeaderFacts);
                    continue;
                }
                if seven && rank > 6 && !(stored_fen == Some(None) && name == "FEN") {
                    lose(Feature::Tags);
                    continue;
                }
            }
            if rank < 7 {
                if seen & 1 << rank == 0 {
                    seen |= 1 << rank;
                } else {
                    rank = REST;
                }
            }
            self.push(rank, What::Stored(i));
        }
        for place in 0..7 {
            if seen & 1 << place == 0 {
                self.push(place, What::Roster(place));
            }
        }
        if needs_variant || (!full && head.start.chess960) {
            self.push(roster::VARIANT, What::Variant);
        }
        if setup.is_some() && !(full && fen_agrees) {
            self.push(roster::SETUP, What::SetUp);
            self.push(roster::FEN, What::Fen);
        }
        full && !head.start.chess960 && (looks_960 || says_960)
    }

    fn push(&mut self, rank: u8, what: What) {
        self.items.push(Item { rank, what });
    }
}

fn parse_fen(fen: &str) -> Option<Setup> {
    Setup::parse_fen(fen.trim_ascii().as_bytes()).ok()
}

/// Whether a pair can be written so that it is read back.
fn is_plain(name: &str, value: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name) && !has_control(value)
}

fn has_control(value: &str) -> bool {
    value
        .bytes()
        .fold(false, |found, byte| found | byte.is_ascii_control())
}

fn write_item(
    item: Item,
    head: &Head,
    full: bool,
    out: &mut Vec<u8>,
    place: &mut ResultTag,
    lose: &mut dyn FnMut(Feature),
) {
    match item.what {
        What::Stored(i) => {
            let Some((name, value)) = head.tags.pair(i as usize) else {
                return;
            };
            if name == "Result" && place.end == 0 {
                let read = GameResult::parse(value.trim_ascii().as_bytes());
                if !full && let Some(read) = read {
                    result_pair(read.pgn(), Some(read.to_pgn()), false, out, place);
                    return;
                }
                result_pair(value, read, full, out, place);
                return;
            }
            // Those with a rank have plain names.
            if item.rank != REST && is_clean(value.as_bytes()) {
                plain_pair(name, value, out);
                return;
            }
            if full || (item.rank != REST && !has_control(value)) || is_plain(name, value) {
                pair(name, value, out);
                return;
            }
            lose(Feature::Tags);
            let name: String = name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                .collect();
            let value: String = value
                .chars()
                .map(|c| if c.is_ascii_control() { ' ' } else { c })
                .collect();
            if !name.is_empty() {
                pair(&name, &value, out);
            }
        }
        What::Encoded(i) => {
            if let Some((name, value)) = head.tags.pair(i as usize) {
                let mut encoded = Vec::new();
                if name.is_empty() {
                    encoded.push(b'%');
                }
                full::encode(name, &mut encoded);
                encoded.push(b' ');
                full::encode(value, &mut encoded);
                pair(roster::ENCODED, &String::from_utf8_lossy(&encoded), out);
            }
        }
        What::Roster(i) => match SEVEN_TAG_ROSTER.get(usize::from(i)) {
            Some(&"Result") => result_pair("*", Some(GameResult::Unknown), false, out, place),
            Some(&"Date") => pair("Date", "????.??.??", out),
            Some(name) => pair(name, "?", out),
            None => {}
        },
        What::Variant => pair("Variant", "Chess960", out),
        What::SetUp => pair("SetUp", "1", out),
        What::Fen => {
            if let Some(setup) = &head.start.setup {
                pair("FEN", &setup.fen(FenStyle::XFen), out);
            }
        }
    }
}

fn result_pair(
    text: &str,
    value: Option<GameResult>,
    stored: bool,
    out: &mut Vec<u8>,
    place: &mut ResultTag,
) {
    let start = out.len() + b"[Result \"".len();
    pair("Result", text, out);
    *place = ResultTag {
        start,
        end: out.len() - b"\"]\n".len(),
        value,
        stored,
    };
}

fn pair(name: &str, value: &str, out: &mut Vec<u8>) {
    if memchr::memchr2(b'"', b'\\', value.as_bytes()).is_none() {
        plain_pair(name, value, out);
        return;
    }
    out.push(b'[');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b" \"");
    for byte in value.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.extend_from_slice(b"\"]\n");
}

/// A pair whose value needs no backslash.
fn plain_pair(name: &str, value: &str, out: &mut Vec<u8>) {
    out.reserve(name.len() + value.len() + 6);
    out.push(b'[');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b" \"");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\"]\n");
}
