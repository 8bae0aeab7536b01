//! Identifiers of games, names and formats. Depends on no other module.

use std::fmt;

/// Index of a game in its database, from 0. `Display` counts from 1, as people do.
///
/// ```
/// # use tabia_core::GameIndex;
/// assert_eq!(GameIndex(0).to_string(), "1");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameIndex(pub u32);

impl fmt::Display for GameIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u64::from(self.0) + 1)
    }
}

/// The kind of a name in a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NameKind {
    /// A player.
    Player,
    /// An event or tournament.
    Event,
    /// A site: the town or country where games were played.
    Site,
    /// A round.
    Round,
    /// An annotator.
    Annotator,
    /// A source.
    Source,
    /// A team.
    Team,
}

/// Number of a name among the names of its kind, as the database numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// Short name of a format, at most eight ASCII characters: `pgn`, `cbh`, `polyglot`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatId([u8; 8]);

impl FormatId {
    /// The identifier with a name of lower-case ASCII letters and digits; cut after eight characters.
    pub const fn new(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut id = [0; 8];
        let mut i = 0;
        while i < bytes.len() && i < 8 {
            id[i] = bytes[i];
            i += 1;
        }
        Self(id)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(8);
        self.0
            .get(..length)
            .and_then(|name| std::str::from_utf8(name).ok())
            .unwrap_or("?")
    }
}

impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_text() {
        assert_eq!(FormatId::new("polyglot").as_str(), "polyglot");
        assert_eq!(FormatId::new("cbh").to_string(), "cbh");
        assert_ne!(FormatId::new("si3"), FormatId::new("si4"));
    }
}
