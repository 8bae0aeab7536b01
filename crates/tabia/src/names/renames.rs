//! The names that games get.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tabia_core::Error;
use tabia_core::game::{GameHead, RecordKind};

use super::NamedThing;

/// New spellings of names.
///
/// ```
/// use tabia::names::Renames;
///
/// let rows = "kind\tname\tproposal\nplayer\tCarlsen,M\tCarlsen, Magnus\nplayer\tCarlsen, Magnus\t\n";
/// let renames = Renames::parse(rows.as_bytes()).unwrap();
/// assert_eq!(renames.len(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Renames {
    names: HashMap<(NamedThing, String), Rename>,
    /// Games that got a new name. Clones share it.
    games: Arc<AtomicU64>,
}

/// A new spelling, and whether a game has got it.
#[derive(Debug, Clone)]
struct Rename {
    new: String,
    is_applied: Arc<AtomicBool>,
}

impl Rename {
    fn to(new: String) -> Self {
        Self {
            new,
            is_applied: Arc::default(),
        }
    }
}

impl Renames {
    /// New spellings from rows of kind, name and new name. Rows that change nothing are left out.
    ///
    /// # Errors
    /// A name or new name that is empty or has a control character, and two new names for one name.
    ///
    /// ```
    /// use tabia::names::{NamedThing, Renames};
    ///
    /// let row = |old: &str, new: &str| (NamedThing::Player, old.to_owned(), new.to_owned());
    /// let renames = Renames::new([row("Carlsen,M", "Carlsen, Magnus"), row("Tal", "Tal")]).unwrap();
    /// assert_eq!(renames.len(), 1);
    /// assert_eq!(renames.get(NamedThing::Player, "Carlsen,M"), Some("Carlsen, Magnus"));
    /// assert!(Renames::new([row("Tal", "")]).is_err());
    /// assert!(Renames::new([row("Tal", "A"), row("Tal", "B")]).is_err());
    /// ```
    pub fn new(
        rows: impl IntoIterator<Item = (NamedThing, String, String)>,
    ) -> Result<Self, Error> {
        let mut renames = HashMap::new();
        for (kind, name, new) in rows {
            let is_name = |text: &str| !text.trim().is_empty() && !text.contains(char::is_control);
            if !is_name(&name) || !is_name(&new) {
                return Err(Error::invalid(format!("`{name}` cannot become `{new}`")));
            }
            if name == new {
                continue;
            }
            let old = renames.insert((kind, name.clone()), Rename::to(new.clone()));
            if let Some(old) = old.filter(|old| old.new != new) {
                let text = format!("`{name}` cannot become both `{}` and `{new}`", old.new);
                return Err(Error::invalid(text));
            }
        }
        Ok(Self::of(renames))
    }

    fn of(names: HashMap<(NamedThing, String), Rename>) -> Self {
        Self {
            names,
            games: Arc::default(),
        }
    }

    /// The new spelling of a name; `None` if it does not change.
    pub fn get(&self, kind: NamedThing, name: &str) -> Option<&str> {
        let rename = self.names.get(&(kind, name.to_owned()))?;
        Some(&rename.new)
    }

    /// How many of the spellings games had so far, and how many games got another name: of a conversion with these
    /// names, once it is done.
    ///
    /// ```
    /// use tabia::names::{NamedThing, Renames};
    ///
    /// let row = (NamedThing::Player, "Carlsen,M".to_owned(), "Carlsen, Magnus".to_owned());
    /// let renames = Renames::new([row]).unwrap();
    /// assert_eq!(renames.applied(), (0, 0));
    /// ```
    pub fn applied(&self) -> (u64, u64) {
        let applied = self.names.values();
        let applied = applied.filter(|rename| rename.is_applied.load(Ordering::Relaxed));
        (applied.count() as u64, self.games.load(Ordering::Relaxed))
    }

    /// The names that no game had so far, sorted: of a conversion with these names, once it is done.
    ///
    /// ```
    /// use tabia::names::{NamedThing, Renames};
    ///
    /// let row = (NamedThing::Player, "Carlsen,M".to_owned(), "Carlsen, Magnus".to_owned());
    /// let renames = Renames::new([row]).unwrap();
    /// assert_eq!(renames.unused(), [(NamedThing::Player, "Carlsen,M")]);
    /// ```
    pub fn unused(&self) -> Vec<(NamedThing, &str)> {
        let names = self.names.iter();
        let unused = names.filter(|(_, rename)| !rename.is_applied.load(Ordering::Relaxed));
        let mut unused: Vec<_> = unused
            .map(|((kind, name), _)| (*kind, name.as_str()))
            .collect();
        unused.sort_unstable();
        unused
    }

    /// Reads rows with tab-separated columns, whose first line names them: `kind`, `name` and `proposal` are
    /// needed, others have no effect. Rows without a proposal change nothing. `\\`, `\t`, `\n` and `\u001b`
    /// are escapes.
    ///
    /// # Errors
    /// Lines that are no such rows, and two proposals for one name.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid("is not UTF-8"))?;
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let header = lines.next().map(|(_, line)| line).unwrap_or_default();
        let column = |name: &str| {
            let found = header.split('\t').position(|column| column.trim() == name);
            found.ok_or_else(|| {
                let why = if header.contains('\t') || !header.contains([',', ';']) {
                    format!("the first line has no column `{name}`")
                } else {
                    "the columns are not separated by tabs".to_owned()
                };
                Error::invalid(format!("{why}; `tabia names IN --tsv` makes such a file"))
            })
        };
        let (kind_at, name_at, proposal_at) =
            (column("kind")?, column("name")?, column("proposal")?);
        let mut renames = HashMap::new();
        for (number, line) in lines {
            let wrong = |what: &str| Error::invalid(format!("line {}: {what}", number + 1));
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
            let proposal = unescaped(cell(proposal_at));
            let name = unescaped(cell(name_at));
            if proposal.trim().is_empty() || proposal == name {
                continue;
            }
            let kind = NamedThing::parse(cell(kind_at).trim());
            let kind =
                kind.ok_or_else(|| wrong("the kind is none of player, event, site, annotator"))?;
            if name.is_empty() {
                return Err(wrong("the name is missing"));
            }
            let old = renames.insert((kind, name), Rename::to(proposal.clone()));
            if old.is_some_and(|old| old.new != proposal) {
                return Err(wrong("the name has another proposal above"));
            }
        }
        Ok(Self::of(renames))
    }

    /// Number of names that change.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no name changes.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The head with new names; `None` if it has none of the old ones.
    pub(crate) fn apply(&self, head: &GameHead) -> Option<GameHead> {
        const TAGS: [(&str, NamedThing); 5] = [
            ("White", NamedThing::Player),
            ("Black", NamedThing::Player),
            ("Event", NamedThing::Event),
            ("Site", NamedThing::Site),
            ("Annotator", NamedThing::Annotator),
        ];
        let mut changed: Option<GameHead> = None;
        for (tag, kind) in TAGS {
            // The title of a guiding text is no name of a player.
            if head.kind == RecordKind::Text && kind != NamedThing::Annotator {
                continue;
            }
            let Some(name) = head.tags.get(tag) else {
                continue;
            };
            if let Some(rename) = self.names.get(&(kind, name.to_owned())) {
                let changed = changed.get_or_insert_with(|| head.clone());
                changed.tags.set(tag, &rename.new);
                rename.is_applied.store(true, Ordering::Relaxed);
            }
        }
        if changed.is_some() {
            self.games.fetch_add(1, Ordering::Relaxed);
        }
        changed
    }
}

/// A cell without the escapes of tab-separated rows.
fn unescaped(cell: &str) -> String {
    let mut text = String::new();
    let mut rest = cell;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let mut chars = after.chars();
        let code = after.get(1..5).map(|code| u32::from_str_radix(code, 16));
        match (chars.next(), code) {
            (Some('t'), _) => text.push('\t'),
            (Some('n'), _) => text.push('\n'),
            (Some('r'), _) => text.push('\r'),
            (Some('u'), Some(Ok(code))) if char::from_u32(code).is_some() => {
                text.extend(char::from_u32(code));
                chars = after.get(5..).unwrap_or_default().chars();
            }
            (Some(other), _) => text.push(other),
            (None, _) => text.push('\\'),
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_with_another_proposal_change_names() {
        let text = "cluster\tkind\tname\tproposal\r\n1\tplayer\tA\\tB\tC\r\n1\tplayer\tC\tC\r\n\r\n2\tevent\tX\t\r\n";
        let renames = Renames::parse(text.as_bytes()).unwrap();
        assert_eq!(renames.len(), 1);
        let mut head = GameHead::default();
        head.tags.push("White", "X");
        head.tags.push("Black", "A\tB");
        head.tags.push("Event", "A\tB");
        let changed = renames.apply(&head).unwrap();
        let of = |tag| changed.tags.text(tag);
        assert_eq!((of("White"), of("Black"), of("Event")), ("X", "C", "A\tB"));
        assert!(renames.apply(&changed).is_none());
        assert!(renames.unused().is_empty());
    }

    #[test]
    fn wrong_rows_are_named() {
        for (text, expected) in [
            ("kind\tname\n", "proposal"),
            ("kind\tname\tproposal\nhorse\tA\tB\n", "line 2"),
            (
                "kind\tname\tproposal\nplayer\tA\tB\nplayer\tA\tC\n",
                "line 3",
            ),
            ("", "kind"),
        ] {
            let error = Renames::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(unescaped("a\\\\b\\u001bc\\"), "a\\b\u{1b}c\\");
    }
}
