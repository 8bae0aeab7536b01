//! The header before the first block.

use tabia_core::formats::CreateOptions;
use tabia_core::io::{Cursor, Sink};

use super::text_byte_order::TextOrder;

/// Bytes of a header without its caption.
const MIN_LENGTH: usize = 20;

/// The header of a book (FORMAT.md § Header).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The caption as stored: UTF-16 units.
    pub(super) caption: Vec<u8>,
    /// Least Elo of White, of Black, of the stronger and of the weaker player, for games that are
    /// added; 0 for any.
    pub least_elo: [u16; 4],
    /// Plies of a game that are added; 255 for all.
    pub max_move: u8,
    /// Bit 0: links to games are stored.
    pub element_type: u8,
    /// Whether moves to all positions of the book are stored, played or not.
    pub links: bool,
    /// Number of blocks in all parts.
    pub blocks: u32,
    /// Length of the header in bytes.
    pub length: usize,
}

impl Header {
    /// Names of the facts with [`Header::least_elo`] in [`info`](tabia_core::books::Book::info).
    pub const ELO: [&'static str; 4] = [
        "least Elo of White",
        "least Elo of Black",
        "least Elo of the stronger",
        "least Elo of the weaker",
    ];
    /// Name of the fact with [`Header::max_move`].
    pub const MAX_MOVE: &'static str = "plies of a game";
    /// Name of the fact with [`Header::has_game_links`].
    pub const GAME_LINKS: &'static str = "links to games";
    /// Name of the fact with [`Header::links`].
    pub const LINKS: &'static str = "moves to all known positions";

    /// Whether links to games are stored.
    pub const fn has_game_links(&self) -> bool {
        self.element_type & 1 != 0
    }

    /// Reads a header; the error states why the bytes are not a header.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err("the file is empty".to_owned());
        }
        if bytes.len() < MIN_LENGTH {
            return Err("it is shorter than the header".to_owned());
        }
        let mut cursor = Cursor::new(bytes);
        let read = |cursor: &mut Cursor<'_>| -> Result<Self, tabia_core::Malformed> {
            let units = cursor.u32_be("caption length")?;
            let length = (units as usize).saturating_mul(2);
            let caption = cursor.take(length, "caption")?.to_vec();
            let mut least_elo = [0; 4];
            for elo in &mut least_elo {
                *elo = cursor.u16_be("least Elo")?;
            }
            Ok(Self {
                caption,
                least_elo,
                max_move: cursor.u8("max_move")?,
                element_type: cursor.u8("element_type")?,
                links: cursor.u8("links")? != 0,
                blocks: cursor.u32_be("block_number")?,
                length: cursor.offset(),
            })
        };
        match cursor.u8("type") {
            Ok(1) => read(&mut cursor).map_err(|error| error.to_string()),
            Ok(kind) => Err(format!("books of type {kind} are not known")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The header of a new book.
    pub(super) fn new(options: &CreateOptions, order: TextOrder) -> Self {
        let fact = |name: &str| {
            let found = options.facts.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        let number = |name: &str| fact(name).and_then(|value| value.parse::<u16>().ok());
        let is_yes = |name: &str| fact(name) == Some("yes");
        let mut least_elo = [0; 4];
        for (elo, name) in least_elo.iter_mut().zip(Self::ELO) {
            *elo = number(name).unwrap_or(0);
        }
        let caption = options.title.as_deref().or_else(|| fact("caption"));
        Self {
            caption: order.encode(caption.unwrap_or_default()),
            least_elo,
            max_move: number(Self::MAX_MOVE)
                .and_then(|plies| u8::try_from(plies).ok())
                .unwrap_or(u8::MAX),
            element_type: u8::from(is_yes(Self::GAME_LINKS)),
            links: is_yes(Self::LINKS),
            blocks: 0,
            length: 0,
        }
    }

    /// The bytes of the header.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.u8(1);
        sink.u32_be((self.caption.len() / 2) as u32);
        sink.bytes(&self.caption);
        for elo in self.least_elo {
            sink.u16_be(elo);
        }
        sink.u8(self.max_move);
        sink.u8(self.element_type);
        sink.u8(u8::from(self.links));
        sink.u32_be(self.blocks);
        sink.into_vec()
    }

    /// Names and values of the fields except the caption.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
        let mut facts: Vec<_> = Self::ELO
            .iter()
            .zip(self.least_elo)
            .map(|(name, elo)| ((*name).to_owned(), elo.to_string()))
            .collect();
        let plies = match self.max_move {
            u8::MAX => "all".to_owned(),
            plies => plies.to_string(),
        };
        facts.push((Self::MAX_MOVE.to_owned(), plies));
        facts.push((Self::GAME_LINKS.to_owned(), yes(self.has_game_links())));
        facts.push((Self::LINKS.to_owned(), yes(self.links)));
        facts
    }

    /// Whether a game with these ratings, 0 for unknown, may be added.
    pub fn admits(&self, white: u16, black: u16) -> bool {
        admits(self.least_elo, white, black)
    }
}

/// Whether a game with these ratings, 0 for unknown, satisfies [`Header::least_elo`].
pub fn admits(least_elo: [u16; 4], white: u16, black: u16) -> bool {
    // The rating of the weaker player is 0 unless both are known.
    let elo = [white, black, white.max(black), white.min(black)];
    let mut pairs = least_elo.into_iter().zip(elo);
    pairs.all(|(least, elo)| least == 0 || (elo != 0 && elo >= least))
}
