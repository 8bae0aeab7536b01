//! Writes tag sections.

use std::borrow::Cow;

use tabia_core::chess::{FenStyle, Position, Setup};
use tabia_core::formats::Profile;
use tabia_core::game::{GameHead, GameResult, RecordKind, Rules, SEVEN_TAG_ROSTER, is_blank_value};
use tabia_core::loss::Feature;

use crate::games::common::tag_plan_cache::TagPlanCache;

use super::char_class::{is_clean, is_name};
use super::chessbase_tags;
use super::full_profile;
use super::full_profile::tags::{unknown_value, without_control};
use super::tag_order;
use super::tag_order::REST;
use super::tag_plan;
use super::tag_plan::{ResultTag, TagLosses, TagPlan, ValueSource};

/// A tag to be written. Items are sorted by rank, and by stored order within a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TagItem {
    rank: u8,
    source: TagSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TagSource {
    /// The stored tag with this index.
    Stored(u32),
    /// The stored tag with this index, percent-encoded.
    Encoded(u32),
    /// The stored tag with this index without its control characters, for readers that do not know the encoded one.
    Shown(u32),
    /// The tag of the roster with this rank, which is not stored.
    Missing(u8),
    /// A tag `Variant` for Chess960.
    Variant,
    /// A tag `PlyCount` with the number of plies, which is known when the game ends.
    PlyCount,
    /// A tag `SetUp` for the setup position.
    SetUp,
    /// A tag `FEN` for the setup position.
    Fen,
}

/// Writes tag sections, reusing its scratch space.
#[derive(Debug)]
pub(super) struct TagWriter {
    profile: Profile,
    items: Vec<TagItem>,
    plans: TagPlanCache<TagPlan>,
    /// Whether a reader cannot play moves of the last game: because of the tag `Variant` or the setup
    /// position.
    is_unplayable: bool,
    /// The names of the tags that the game written last loses, unless a plan wrote it.
    lost_names: Vec<(Feature, String)>,
}

impl TagWriter {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            items: Vec::new(),
            plans: TagPlanCache::default(),
            is_unplayable: false,
            lost_names: Vec::new(),
        }
    }

    /// Whether a reader of the tags that were written last cannot play moves.
    pub(super) fn is_unplayable(&self) -> bool {
        self.is_unplayable
    }

    /// Appends the tag section of `head` and reports the number of tags that are lost to `lose`.
    pub(super) fn write(
        &mut self,
        head: &GameHead,
        out: &mut Vec<u8>,
        mut lose: impl FnMut(Feature, u64, Option<&str>),
    ) -> ResultTag {
        let full = self.profile == Profile::Full;
        self.is_unplayable = false;
        let (head, lost) = if self.profile == Profile::ChessBase {
            chessbase_tags::adapt(head)
        } else {
            (Cow::Borrowed(head), 0)
        };
        let head = &*head;
        if lost > 0 {
            lose(Feature::Tags, lost, None);
        }
        let (result, losses) = match tag_plan::write(&mut self.plans, head, full, out) {
            Some(written) => written,
            None => self.write_unplanned(head, out),
        };
        for (feature, count) in [
            (Feature::HeaderFacts, losses.facts),
            (Feature::Tags, losses.tags),
            (Feature::TagText, losses.texts),
        ] {
            if count > 0 {
                lose(feature, count, None);
            }
        }
        // Games with the same tags, which a plan writes, lose the same ones.
        for (feature, name) in self.lost_names.drain(..) {
            lose(feature, 0, Some(&name));
        }
        result
    }

    /// Appends the tag section of a head without a cached plan, and adds a plan if possible.
    #[inline(never)]
    fn write_unplanned(&mut self, head: &GameHead, out: &mut Vec<u8>) -> (ResultTag, TagLosses) {
        let full = self.profile == Profile::Full;
        let mut losses = TagLosses::default();
        let is_classical = self.collect(head, &mut losses);
        let is_sorted = self.items.is_sorted();
        let begins_with_event = head.tags.pair(0).is_some_and(|(name, _)| name == "Event");
        let in_order = if full {
            begins_with_event && self.items.len() == head.tags.len()
        } else {
            is_sorted
        };
        if !in_order {
            self.items.sort_unstable();
        }
        let order = if full && !in_order {
            self.order_tag()
        } else {
            String::new()
        };
        self.add_plan(head, &order, losses);
        let mut result = ResultTag::default();
        for item in &self.items {
            let lost = write_item(*item, head, self.profile, out, &mut result, &mut losses);
            self.lost_names.extend(lost);
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
            if is_classical {
                words.push("classical");
            }
            if !words.is_empty() {
                write_pair(full_profile::tags::RECORD, &words.join(" "), out);
            }
        }
        (result, losses)
    }

    /// The tag for the stored order of the tags; empty if they are written in that order.
    fn order_tag(&self) -> String {
        let stored = |(number, item): (usize, &TagItem)| match item.source {
            TagSource::Stored(index) | TagSource::Encoded(index) => Some((index, number)),
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
            full_profile::tags::ORDER,
            full_profile::tags::write_order(&order)
        )
    }

    /// Adds a plan for the next games with tags of the same names, if the items depend on nothing else.
    fn add_plan(&mut self, head: &GameHead, order: &str, losses: TagLosses) {
        if head.tags.iter().any(|(name, _)| has_effect(name)) {
            return;
        }
        let mut text = Vec::new();
        let mut parts = Vec::new();
        let mut has_result = false;
        for item in &self.items {
            let value = match item.source {
                TagSource::Stored(index) => match head.tags.pair(index as usize) {
                    Some((name, _)) if !is_valid_name(name) => return,
                    Some((name, _)) => {
                        begin_pair(name, &mut text);
                        if name == "Result" && !has_result {
                            ValueSource::Result(index)
                        } else {
                            ValueSource::Stored(index)
                        }
                    }
                    None => return,
                },
                TagSource::Missing(rank) => match SEVEN_TAG_ROSTER.get(usize::from(rank)) {
                    Some(&"Result") => {
                        begin_pair("Result", &mut text);
                        ValueSource::MissingResult
                    }
                    Some(name) => {
                        write_pair(name, unknown_value(name), &mut text);
                        continue;
                    }
                    None => return,
                },
                TagSource::PlyCount => {
                    begin_pair("PlyCount", &mut text);
                    ValueSource::PlyCount
                }
                TagSource::Encoded(_)
                | TagSource::Shown(_)
                | TagSource::Variant
                | TagSource::SetUp
                | TagSource::Fen => return,
            };
            has_result |= matches!(value, ValueSource::Result(_) | ValueSource::MissingResult);
            parts.push((std::mem::take(&mut text), value));
            text.extend_from_slice(PAIR_END);
        }
        text.extend_from_slice(order.as_bytes());
        tag_plan::add(&mut self.plans, head, parts.into_iter(), &text, losses);
    }

    /// Collects the items to be written. Returns whether the game must be marked as classical, because
    /// a reader would take it for Chess960.
    fn collect(&mut self, head: &GameHead, losses: &mut TagLosses) -> bool {
        let full = self.profile == Profile::Full;
        let seven = self.profile == Profile::Seven;
        let setup = head.start.setup.as_deref();
        let stored_fen = head.tags.get("FEN").filter(|fen| !fen.trim().is_empty());
        let stored_fen = stored_fen.map(parse_fen);
        let stored_variant = head.tags.get("Variant").map(Rules::of_variant);
        // A reader starts from a stored FEN, so that it must not contradict the start position.
        let fen_agrees = match &stored_fen {
            Some(parsed) => parsed.as_ref() == setup,
            None => setup.is_none(),
        };
        let looks_960 = setup
            .and_then(|setup| Position::from_setup(setup).ok())
            .is_some_and(|position| position.is_chess960());
        let variant_is_960 = stored_variant == Some(Rules::Chess960);
        let needs_variant = head.start.chess960 && !variant_is_960;
        let other_variant = stored_variant == Some(Rules::Other);
        self.is_unplayable = other_variant && !head.start.chess960
            || matches!(stored_fen, Some(None))
            || setup.is_some_and(|setup| Position::from_setup(setup).is_err());

        self.items.clear();
        let mut seen = 0_u8;
        let mut generated = Vec::new();
        for (i, (name, value)) in (0_u32..).zip(head.tags.iter()) {
            let mut rank = tag_order::rank(name);
            if full {
                let must_be_encoded = match name {
                    "FEN" => !fen_agrees || has_control(value),
                    "Variant" => needs_variant || (other_variant && head.start.chess960),
                    _ => name.starts_with("Tabia") || !is_representable(name, value),
                };
                if must_be_encoded {
                    self.push(REST, TagSource::Encoded(i));
                    let is_shown = has_control(value)
                        && is_valid_name(name)
                        && !name.starts_with("Tabia")
                        && !matches!(name, "Result" | "SetUp" | "Variant")
                        && (name != "FEN" || fen_agrees);
                    if is_shown && (rank >= 7 || seen & 1 << rank == 0) {
                        seen |= 1_u8.checked_shl(rank.into()).unwrap_or(0);
                        self.push(rank, TagSource::Shown(i));
                    }
                    continue;
                }
            } else {
                let is_valid_fen = matches!(&stored_fen, Some(Some(_)));
                if rank == tag_order::FEN && is_valid_fen && head.start.contradicts(value) {
                    // A reader would start from that position.
                    self.lose_tag(name, losses);
                    continue;
                }
                if name.starts_with("Tabia") {
                    self.lose_tag(name, losses);
                    continue;
                }
                let is_generated = match rank {
                    tag_order::FEN | tag_order::SETUP => setup.is_some(),
                    tag_order::VARIANT => head.start.chess960,
                    _ => false,
                };
                if is_generated {
                    // Only one of each is written.
                    let is_lost = generated.contains(&name) && !is_blank_value(value)
                        || rank == tag_order::SETUP && head.start.contradicts_setup_tag(value);
                    if is_lost {
                        self.lose_tag(name, losses);
                    }
                    generated.push(name);
                    continue;
                }
                if rank == REST && tag_order::is_fact(name) {
                    losses.facts += 1;
                    self.lost_names
                        .push((Feature::HeaderFacts, name.to_owned()));
                    continue;
                }
                if seven && rank > 6 && !(stored_fen == Some(None) && name == "FEN") {
                    self.lose_tag(name, losses);
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
            let order = self.order(name, rank);
            self.push(order, TagSource::Stored(i));
        }
        for rank in 0..7 {
            if seen & 1 << rank == 0 {
                self.push(rank, TagSource::Missing(rank));
            }
        }
        if needs_variant || (!full && head.start.chess960) {
            let order = self.order("Variant", tag_order::VARIANT);
            self.push(order, TagSource::Variant);
        }
        if setup.is_some() && !(full && fen_agrees) {
            let order = self.order("SetUp", tag_order::SETUP);
            self.push(order, TagSource::SetUp);
            let order = self.order("FEN", tag_order::FEN);
            self.push(order, TagSource::Fen);
        }
        if self.profile == Profile::ChessBase && head.tags.get("PlyCount").is_none() {
            self.push(tag_order::chessbase_rank("PlyCount"), TagSource::PlyCount);
        }
        full && !head.start.chess960 && (looks_960 || variant_is_960)
    }

    /// The rank of a tag in the order of the profile; `rank` is that in the usual order.
    fn order(&self, name: &str, rank: u8) -> u8 {
        if self.profile == Profile::ChessBase && rank > 6 {
            match tag_order::chessbase_rank(name) {
                // A repeated tag of the roster.
                0..=6 => REST,
                rank => rank,
            }
        } else {
            rank
        }
    }

    fn lose_tag(&mut self, name: &str, losses: &mut TagLosses) {
        losses.tags += 1;
        self.lost_names.push((Feature::Tags, name.to_owned()));
    }

    fn push(&mut self, rank: u8, source: TagSource) {
        self.items.push(TagItem { rank, source });
    }
}

fn parse_fen(fen: &str) -> Option<Setup> {
    Setup::parse_fen(fen.trim_ascii().as_bytes()).ok()
}

/// Whether a reader gets the same pair back if it is written as a tag pair.
fn is_representable(name: &str, value: &str) -> bool {
    is_valid_name(name) && !has_control(value)
}

fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name)
}

/// Whether the value of a tag has an effect on which other tags are written.
fn has_effect(name: &str) -> bool {
    matches!(name, "FEN" | "Variant")
}

fn has_control(value: &str) -> bool {
    value
        .bytes()
        .fold(false, |found, byte| found | byte.is_ascii_control())
}

/// Appends a tag pair. The first `Result` is described in `result`, and a pair that must be changed is
/// counted in `losses`; returns its name.
fn write_item(
    item: TagItem,
    head: &GameHead,
    profile: Profile,
    out: &mut Vec<u8>,
    result: &mut ResultTag,
    losses: &mut TagLosses,
) -> Option<(Feature, String)> {
    let full = profile == Profile::Full;
    let is_chessbase = profile == Profile::ChessBase;
    match item.source {
        TagSource::Stored(i) => {
            let (name, value) = head.tags.pair(i as usize)?;
            if name == "Result" && result.end == 0 {
                let parsed = GameResult::parse(value.trim_ascii().as_bytes());
                if !full && let Some(parsed) = parsed {
                    *result = write_result(parsed.pgn(), Some(parsed.to_pgn()), false, out);
                    return None;
                }
                *result = write_result(value, parsed, full, out);
                return None;
            }
            if name == "Result" && full && result.value.is_none() {
                // Readers take the first one that states a result.
                result.value = GameResult::parse(value.trim_ascii().as_bytes());
            }
            // Names with a rank are valid.
            if item.rank != REST && is_clean(value.as_bytes()) {
                write_clean_pair(name, value, out);
                return None;
            }
            let is_ranked = item.rank != REST && !has_control(value);
            if full || is_ranked || is_representable(name, value) {
                write_pair(name, value, out);
                return None;
            }
            let lost = if is_valid_name(name) {
                losses.texts += 1;
                Feature::TagText
            } else {
                losses.tags += 1;
                Feature::Tags
            };
            let lost = (lost, name.to_owned());
            let name: String = name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                .collect();
            if !name.is_empty() {
                write_pair(&name, &without_control(value), out);
            }
            return Some(lost);
        }
        TagSource::Shown(i) => {
            if let Some((name, value)) = head.tags.pair(i as usize) {
                write_pair(name, &without_control(value), out);
            }
        }
        TagSource::Encoded(i) => {
            if let Some((name, value)) = head.tags.pair(i as usize) {
                let mut encoded = Vec::new();
                if name.is_empty() {
                    encoded.push(b'%');
                }
                full_profile::percent_encoding::encode(name, &mut encoded);
                encoded.push(b' ');
                full_profile::percent_encoding::encode(value, &mut encoded);
                let encoded = String::from_utf8_lossy(&encoded);
                write_pair(full_profile::tags::ENCODED, &encoded, out);
            }
        }
        TagSource::Missing(rank) => match SEVEN_TAG_ROSTER.get(usize::from(rank)) {
            Some(&"Result") => *result = write_result("*", Some(GameResult::Unknown), false, out),
            Some(name) => write_pair(name, unknown_value(name), out),
            None => {}
        },
        TagSource::Variant if is_chessbase => write_pair("Variant", "chess 960", out),
        TagSource::Variant => write_pair("Variant", "Chess960", out),
        TagSource::PlyCount => {
            begin_pair("PlyCount", out);
            result.ply_count = out.len();
            out.push(b'0');
            out.extend_from_slice(PAIR_END);
        }
        TagSource::SetUp => write_pair("SetUp", "1", out),
        TagSource::Fen => {
            if let Some(setup) = &head.start.setup {
                let style = if is_chessbase && head.start.chess960 {
                    FenStyle::Shredder
                } else {
                    FenStyle::XFen
                };
                write_pair("FEN", &setup.fen(style), out);
            }
        }
    }
    None
}

/// Appends the tag `Result`.
fn write_result(
    text: &str,
    value: Option<GameResult>,
    is_stored: bool,
    out: &mut Vec<u8>,
) -> ResultTag {
    let start = out.len() + b"[Result \"".len();
    write_pair("Result", text, out);
    ResultTag {
        start,
        end: out.len() - PAIR_END.len(),
        value,
        is_stored,
        ply_count: 0,
    }
}

fn write_pair(name: &str, value: &str, out: &mut Vec<u8>) {
    if memchr::memchr2(b'"', b'\\', value.as_bytes()).is_none() {
        write_clean_pair(name, value, out);
        return;
    }
    begin_pair(name, out);
    for byte in value.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.extend_from_slice(PAIR_END);
}

/// Appends a pair whose value needs no backslash.
fn write_clean_pair(name: &str, value: &str, out: &mut Vec<u8>) {
    out.reserve(name.len() + value.len() + 6);
    begin_pair(name, out);
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(PAIR_END);
}

fn begin_pair(name: &str, out: &mut Vec<u8>) {
    out.push(b'[');
    out.extend_from_slice(name.as_bytes());
    if name == "Event" && out.ends_with(b"]\n[Event") {
        // A second one among the tags; so written, no reader takes it for the beginning of the next game.
        out.push(b' ');
    }
    out.extend_from_slice(b" \"");
}

/// The end of a pair, after its value.
const PAIR_END: &[u8] = b"\"]\n";

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
        "a name of more than thirty-two letters, which is copied differently",
    ];

    /// Compares the text of a new writer with that of one that has plans of previous games.
    #[test]
    fn planned_and_unplanned_tag_sections_are_equal() {
        let profiles = [
            Profile::Full,
            Profile::Standard,
            Profile::Lichess,
            Profile::ChessBase,
            Profile::Seven,
        ];
        for profile in profiles {
            let mut planning = TagWriter::new(profile);
            let mut random = 7_usize;
            let mut next = |below: usize| {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (random >> 33) % below
            };
            let mut planned = 0;
            for _ in 0..4000 {
                let mut head = GameHead::default();
                // Few lists of names, so that most are repeated.
                let list = next(24);
                for i in 0..list % 9 {
                    let name = NAMES[(list * 5 + i * (1 + list % 3)) % NAMES.len()];
                    // Mostly values that do not prevent a plan.
                    let values = if next(8) == 0 { VALUES.len() } else { 6 };
                    head.tags.push(name, VALUES[next(values)]);
                }
                head.deleted = next(16) == 0;
                let written = |writer: &mut TagWriter| {
                    let mut out = b"before".to_vec();
                    let mut lost = Vec::new();
                    // A plan leaves out the names, which the game without a plan had.
                    let lose = |feature, count, _: Option<&str>| {
                        lost.extend((count > 0).then_some((feature, count)));
                    };
                    let result = writer.write(&head, &mut out, lose);
                    let text = String::from_utf8(out).unwrap();
                    (text, format!("{result:?}"), lost)
                };
                planned += usize::from(
                    tag_plan::write(&mut planning.plans, &head, false, &mut Vec::new()).is_some(),
                );
                assert_eq!(
                    written(&mut planning),
                    written(&mut TagWriter::new(profile)),
                    "{profile:?} {:?}",
                    head.tags
                );
            }
            assert!(planned > 1000, "{profile:?}: only {planned}");
        }
    }

    #[test]
    fn tags_that_are_lost_or_changed_are_named() {
        let mut writer = TagWriter::new(Profile::Standard);
        let mut head = GameHead::default();
        let tags = [
            ("Site", "Jyv\u{4}skyl\u{e4}"),
            ("Opening", "two\nlines"),
            ("CbTitle", "x"),
            ("no name", "y"),
        ];
        head.tags = tags.into_iter().collect::<Tags>();
        let mut losses = tabia_core::loss::Losses::new();
        let mut out = Vec::new();
        writer.write(&head, &mut out, |feature, count, name| {
            losses.add(feature, count, None);
            if let Some(name) = name {
                losses.add_name(feature, name);
            }
        });
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("[Site \"Jyv skyl\u{e4}\"]\n"), "{text}");
        assert!(text.contains("[Opening \"two lines\"]\n"), "{text}");
        for (feature, names) in [
            (Feature::TagText, &["Opening", "Site"][..]),
            (Feature::HeaderFacts, &["CbTitle"]),
            (Feature::Tags, &["no name"]),
        ] {
            assert_eq!(losses.count(feature), names.len() as u64, "{feature:?}");
            assert_eq!(losses.names(feature).collect::<Vec<_>>(), names);
        }
    }

    #[test]
    fn long_tag_sections_are_not_planned() {
        let mut writer = TagWriter::new(Profile::Standard);
        let value = "x".repeat(5000);
        let mut head = GameHead::default();
        head.tags = [("Event", &*value)].into_iter().collect::<Tags>();
        for _ in 0..2 {
            let mut out = Vec::new();
            writer.write(&head, &mut out, |_, _, _| ());
            assert!(String::from_utf8(out).unwrap().contains(&value));
        }
        assert!(tag_plan::write(&mut writer.plans, &head, false, &mut Vec::new()).is_none());
    }
}
