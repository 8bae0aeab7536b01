//! The tag section, written.

use tabia_core::chess::{FenStyle, Position, Setup};
use tabia_core::formats::Profile;
use tabia_core::game::{GameHead, GameResult, RecordKind, SEVEN_TAG_ROSTER};
use tabia_core::loss::Feature;

use crate::games::common::tag_plan_cache::Plans;

use super::char_class::{is_clean, is_name};
use super::full_profile;
use super::tag_plan;
use super::tag_plan::{Plan, Value};
use super::tag_roster;
use super::tag_roster::{REST, Variant};

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
#[derive(Debug)]
pub(super) struct TagWriter {
    profile: Profile,
    items: Vec<Item>,
    plans: Plans<Plan>,
}

/// How many tags are left out or changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Left {
    /// Facts of other formats.
    facts: u64,
    /// Others.
    tags: u64,
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
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            items: Vec::new(),
            plans: Plans::default(),
        }
    }

    /// Appends the tag section of `head`; how many tags are left out goes to `lose`.
    pub(super) fn write(
        &mut self,
        head: &GameHead,
        out: &mut Vec<u8>,
        mut lose: impl FnMut(Feature, u64),
    ) -> ResultTag {
        let full = self.profile == Profile::Full;
        let (result, left) = match tag_plan::write(&mut self.plans, head, full, out) {
            Some(written) => written,
            None => self.write_unplanned(head, out),
        };
        if left.facts > 0 {
            lose(Feature::HeaderFacts, left.facts);
        }
        if left.tags > 0 {
            lose(Feature::Tags, left.tags);
        }
        result
    }

    /// The same for tags of which there is no plan yet.
    #[inline(never)]
    fn write_unplanned(&mut self, head: &GameHead, out: &mut Vec<u8>) -> (ResultTag, Left) {
        let full = self.profile == Profile::Full;
        let mut left = Left::default();
        let classical = self.collect(head, &mut left);
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
        let order = if full && !in_order {
            self.order()
        } else {
            String::new()
        };
        self.plan(head, &order, left);
        let mut place = ResultTag::default();
        for item in &self.items {
            write_item(*item, head, full, out, &mut place, &mut left);
        }
        out.extend_from_slice(order.as_bytes());
        if full {
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
                pair(tag_roster::RECORD, &words.join(" "), out);
            }
        }
        (place, left)
    }

    /// The tag that says in which order the tags were stored, where they are written in another.
    fn order(&self) -> String {
        let stored = |(number, item): (usize, &Item)| match item.what {
            What::Stored(place) | What::Encoded(place) => Some((place, number)),
            _ => None,
        };
        let mut order: Vec<(u32, usize)> = (1..).zip(&self.items).filter_map(stored).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, number)| number).collect();
        if order.len() == self.items.len() && order.is_sorted() {
            return String::new();
        }
        format!(
            "[{} \"{}\"]\n",
            tag_roster::ORDER,
            tag_roster::write_order(&order)
        )
    }

    /// Plans the items for the next games with tags of the same names.
    fn plan(&mut self, head: &GameHead, order: &str, left: Left) {
        if head.tags.iter().any(|(name, _)| decides(name)) {
            return;
        }
        let mut text = Vec::new();
        let mut parts = Vec::new();
        let mut has_result = false;
        for item in &self.items {
            let value = match item.what {
                What::Stored(place) => match head.tags.pair(place as usize) {
                    Some((name, _)) if !is_plain_name(name) => return,
                    Some((name, _)) => {
                        begin_pair(name, &mut text);
                        if name == "Result" && !has_result {
                            Value::Result(place)
                        } else {
                            Value::Stored(place)
                        }
                    }
                    None => return,
                },
                What::Roster(place) => match SEVEN_TAG_ROSTER.get(usize::from(place)) {
                    Some(&"Result") => {
                        begin_pair("Result", &mut text);
                        Value::NoResult
                    }
                    Some(name) => {
                        pair(name, unknown(name), &mut text);
                        continue;
                    }
                    None => return,
                },
                What::Encoded(_) | What::Variant | What::SetUp | What::Fen => return,
            };
            has_result |= !matches!(value, Value::Stored(_));
            parts.push((std::mem::take(&mut text), value));
            text.extend_from_slice(END);
        }
        text.extend_from_slice(order.as_bytes());
        tag_plan::add(&mut self.plans, head, parts.into_iter(), &text, left);
    }

    /// Lists what is to be written. Says whether a reader must be told that the game is not
    /// Chess960.
    fn collect(&mut self, head: &GameHead, left: &mut Left) -> bool {
        let full = self.profile == Profile::Full;
        let seven = self.profile == Profile::Seven;
        let setup = head.start.setup.as_deref();
        let stored_fen = head.tags.get("FEN").map(parse_fen);
        let stored_variant = head.tags.get("Variant").map(tag_roster::variant);
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
            let mut rank = tag_roster::rank(name);
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
                let is_read = matches!(&stored_fen, Some(Some(_)));
                if rank == tag_roster::FEN && is_read && head.start.contradicts(value) {
                    // A reader would start from there.
                    left.tags += 1;
                    continue;
                }
                if name.starts_with("Tabia") {
                    left.tags += 1;
                    continue;
                }
                let generated = match rank {
                    tag_roster::FEN | tag_roster::SETUP => setup.is_some(),
                    tag_roster::VARIANT => head.start.chess960,
                    _ => false,
                };
                if generated {
                    continue;
                }
                if rank == REST && tag_roster::is_fact(name) {
                    left.facts += 1;
                    continue;
                }
                if seven && rank > 6 && !(stored_fen == Some(None) && name == "FEN") {
                    left.tags += 1;
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
            self.push(tag_roster::VARIANT, What::Variant);
        }
        if setup.is_some() && !(full && fen_agrees) {
            self.push(tag_roster::SETUP, What::SetUp);
            self.push(tag_roster::FEN, What::Fen);
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
    is_plain_name(name) && !has_control(value)
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name)
}

/// Whether what is written of the tags depends on the value of that one.
fn decides(name: &str) -> bool {
    matches!(name, "FEN" | "Variant")
}

fn has_control(value: &str) -> bool {
    value
        .bytes()
        .fold(false, |found, byte| found | byte.is_ascii_control())
}

fn write_item(
    item: Item,
    head: &GameHead,
    full: bool,
    out: &mut Vec<u8>,
    place: &mut ResultTag,
    left: &mut Left,
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
            left.tags += 1;
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
                full_profile::encode(name, &mut encoded);
                encoded.push(b' ');
                full_profile::encode(value, &mut encoded);
                pair(tag_roster::ENCODED, &String::from_utf8_lossy(&encoded), out);
            }
        }
        What::Roster(i) => match SEVEN_TAG_ROSTER.get(usize::from(i)) {
            Some(&"Result") => result_pair("*", Some(GameResult::Unknown), false, out, place),
            Some(name) => pair(name, unknown(name), out),
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

/// The value of a tag of the roster that is not known.
fn unknown(name: &str) -> &'static str {
    if name == "Date" { "????.??.??" } else { "?" }
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
        end: out.len() - END.len(),
        value,
        stored,
    };
}

fn pair(name: &str, value: &str, out: &mut Vec<u8>) {
    if memchr::memchr2(b'"', b'\\', value.as_bytes()).is_none() {
        plain_pair(name, value, out);
        return;
    }
    begin_pair(name, out);
    for byte in value.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.extend_from_slice(END);
}

/// A pair whose value needs no backslash.
fn plain_pair(name: &str, value: &str, out: &mut Vec<u8>) {
    out.reserve(name.len() + value.len() + 6);
    begin_pair(name, out);
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(END);
}

fn begin_pair(name: &str, out: &mut Vec<u8>) {
    out.push(b'[');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b" \"");
}

/// What is written behind a value.
const END: &[u8] = b"\"]\n";

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::game::Tags;

    const NAMES: [&str; 14] = [
        "Event",
        "Site",
        "Date",
        "Round",
        "White",
        "Black",
        "Result",
        "WhiteElo",
        "ECO",
        "FEN",
        "Variant",
        "CbFact",
        "Some_Name",
        "no name",
    ];
    const VALUES: [&str; 10] = [
        "",
        "?",
        "1-0",
        "1/2",
        " 0-1 ",
        "Kasparov, G",
        "with \"quotes\"",
        "\u{1}",
        "Chess960",
        "a name of more than thirty-two letters, copied otherwise",
    ];

    /// What a writer that has seen nothing yet makes of a game, and one that has planned others.
    #[test]
    fn planned_tags_are_those_written_one_by_one() {
        let profiles = [
            Profile::Full,
            Profile::Standard,
            Profile::Lichess,
            Profile::ChessBase,
            Profile::Seven,
        ];
        for profile in profiles {
            let mut old = TagWriter::new(profile);
            let mut random = 7_usize;
            let mut next = |below: usize| {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (random >> 33) % below
            };
            let mut planned = 0;
            for _ in 0..4000 {
                let mut head = GameHead::default();
                // Few lists of names, so that they come back.
                let list = next(24);
                for place in 0..list % 9 {
                    let name = NAMES[(list * 5 + place * (1 + list % 3)) % NAMES.len()];
                    // Mostly such values as do not prevent a plan.
                    let values = if next(8) == 0 { VALUES.len() } else { 6 };
                    head.tags.push(name, VALUES[next(values)]);
                }
                head.deleted = next(16) == 0;
                let written = |writer: &mut TagWriter| {
                    let mut out = b"before".to_vec();
                    let mut lost = Vec::new();
                    let lose = |feature, count| lost.push((feature, count));
                    let place = writer.write(&head, &mut out, lose);
                    let text = String::from_utf8(out).unwrap();
                    (text, format!("{place:?}"), lost)
                };
                planned += usize::from(
                    tag_plan::write(&mut old.plans, &head, false, &mut Vec::new()).is_some(),
                );
                assert_eq!(
                    written(&mut old),
                    written(&mut TagWriter::new(profile)),
                    "{profile:?} {:?}",
                    head.tags
                );
            }
            assert!(planned > 1000, "{profile:?}: only {planned}");
        }
    }

    #[test]
    fn long_lists_are_written_without_a_plan() {
        let mut writer = TagWriter::new(Profile::Standard);
        let value = "x".repeat(5000);
        let head = GameHead {
            tags: [("Event", &*value)].into_iter().collect::<Tags>(),
            ..GameHead::default()
        };
        for _ in 0..2 {
            let mut out = Vec::new();
            writer.write(&head, &mut out, |_, _| ());
            assert!(String::from_utf8(out).unwrap().contains(&value));
        }
        assert!(tag_plan::write(&mut writer.plans, &head, false, &mut Vec::new()).is_none());
    }
}
