//! Lists of correct names: Scid's spelling files and FIDE's lists of players.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use tabia_core::Error;
use tabia_core::io::{Charset, decode};

use super::NamedThing;
use super::player_name::letters;

/// Bytes of a spelling file.
const MAX_SPELLING: u64 = 256 << 20;
/// Bytes of a line of FIDE's list.
const MAX_LINE: u64 = 64 << 10;

/// Scid's spelling file (`.ssp`): correct names, and other spellings of them.
///
/// ```
/// use tabia::names::{NamedThing, SpellingFile};
///
/// let file = SpellingFile::parse(b"@PLAYER\nKasparov, Garry #GM RUS [2851]\n=Kasparow, G\n");
/// assert_eq!(file.correct(NamedThing::Player, "kasparow,G"), Some("Kasparov, Garry"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct SpellingFile {
    /// By kind and the letters of a spelling; `None` if several names have it.
    names: HashMap<(NamedThing, String), Option<String>>,
}

impl SpellingFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than 256 MiB.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            let file = File::open(path)?;
            file.take(MAX_SPELLING + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|error| Error::from(error).in_path(path).in_input())?;
        if bytes.len() as u64 > MAX_SPELLING {
            let text = "is larger than 256 MiB, and no spelling file";
            return Err(Error::invalid(text).in_path(path).in_input());
        }
        Ok(Self::parse(&bytes))
    }

    /// Reads the content of a file, UTF-8 or windows-1252.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = decode(bytes, Charset::Auto);
        let mut file = Self::default();
        let mut kind = None;
        let mut name: Option<&str> = None;
        for line in text.lines() {
            let line = line.trim_end();
            if let Some(section) = line.strip_prefix('@') {
                name = None;
                kind = match section.trim().to_ascii_uppercase().as_str() {
                    "PLAYER" => Some(NamedThing::Player),
                    "EVENT" => Some(NamedThing::Event),
                    "SITE" => Some(NamedThing::Site),
                    _ => None,
                };
                continue;
            }
            let Some(kind) = kind else { continue };
            match line.trim_start().chars().next() {
                None | Some('#' | '%' | '+' | '-' | '>') => {}
                Some('=') => {
                    let spelling = line.trim_start().trim_start_matches('=');
                    let spelling = spelling.split('#').next().unwrap_or_default();
                    if let Some(name) = name {
                        file.add(kind, spelling, name);
                    }
                }
                Some(_) => {
                    let correct = line.split('#').next().unwrap_or_default().trim();
                    name = Some(correct);
                    file.add(kind, correct, correct);
                }
            }
        }
        file
    }

    fn add(&mut self, kind: NamedThing, spelling: &str, name: &str) {
        let key = (kind, spelling_key(spelling));
        if key.1.is_empty() {
            return;
        }
        let known = self
            .names
            .entry(key)
            .or_insert_with(|| Some(name.to_owned()));
        if known.as_deref().is_some_and(|known| known != name) {
            *known = None;
        }
    }

    /// The correct name for a spelling; case, accents, blanks and punctuation do not matter. `None` if the
    /// file does not have it, or has several names for it.
    pub fn correct(&self, kind: NamedThing, spelling: &str) -> Option<&str> {
        let kind = match kind {
            NamedThing::Annotator => NamedThing::Player,
            other => other,
        };
        let found = self.names.get(&(kind, spelling_key(spelling)))?;
        found.as_deref()
    }
}

/// What of a spelling is compared.
pub(super) fn spelling_key(spelling: &str) -> String {
    letters(&tabia_query::fold(spelling))
}

/// FIDE's list of players, as text or as XML.
#[derive(Debug, Clone)]
pub struct FideList(PathBuf);

impl FideList {
    /// The list in a file, which is read when it is needed.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The names of those ids that are in the list.
    pub(super) fn names(&self, ids: &BTreeSet<u32>) -> Result<BTreeMap<u32, String>, Error> {
        let failed = |error: std::io::Error| Error::from(error).in_path(&self.0).in_input();
        let mut reader = BufReader::new(File::open(&self.0).map_err(failed)?);
        let mut names = BTreeMap::new();
        let mut line = Vec::new();
        // Where the names are, in a list as text.
        let mut columns = None;
        let mut id = None;
        let mut is_list = false;
        loop {
            line.clear();
            let read = (&mut reader)
                .take(MAX_LINE)
                .read_until(b'\n', &mut line)
                .map_err(failed)?;
            if read == 0 {
                break;
            }
            let text = decode(&line, Charset::Auto);
            if let Some(found) = element(&text, "fideid") {
                is_list = true;
                id = found.trim().parse().ok();
            }
            if let Some(name) = element(&text, "name") {
                if let Some(id) = id.filter(|id| ids.contains(id)) {
                    names.insert(id, unescaped(name.trim()));
                }
                continue;
            }
            if columns.is_none() && text.starts_with("ID Number") {
                columns = text.find("Name").zip(text.find("Fed"));
                is_list |= columns.is_some();
            } else if let Some((from, to)) = columns {
                let number = text.get(..from).map(str::trim).unwrap_or_default();
                let name = text.get(from..to).map(str::trim).unwrap_or_default();
                if let Ok(id) = number.parse()
                    && ids.contains(&id)
                    && !name.is_empty()
                {
                    names.insert(id, name.to_owned());
                }
            }
        }
        if !is_list {
            let text = "is no list of players of FIDE: neither `ID Number` nor `<fideid>` is in it";
            return Err(Error::invalid(text).in_path(&self.0).in_input());
        }
        Ok(names)
    }
}

/// The content of an XML element on a line.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>"))
        .map(|(content, _)| content)
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_files_have_sections() {
        let text = b"# a comment\n@PLAYER\n%Prefix \"A\" \"B\"\nTal, Mihail  #gm LAT [2705] 1936\n=Tal, M\n=Tal,Mikhail\n\
                     Talbot, M\n=Tal, M\n@SITE\nM\xfcnchen GER\n=Munich GER # old\n@ROUND\nX\n";
        let file = SpellingFile::parse(text);
        let player = |name| file.correct(NamedThing::Player, name);
        assert_eq!(player("TAL Mikhail"), Some("Tal, Mihail"));
        assert_eq!(player("Tal, Mihail"), Some("Tal, Mihail"));
        // Two names have this spelling.
        assert_eq!(player("Tal, M"), None);
        assert_eq!(player("X"), None);
        let site = file.correct(NamedThing::Site, "Munich, GER");
        assert_eq!(site, Some("München GER"));
        assert_eq!(
            SpellingFile::parse(b"").correct(NamedThing::Event, ""),
            None
        );
    }

    #[test]
    fn lists_of_fide_are_text_or_xml() {
        let folder = tabia_testkit::Scratch::new("fide-list");
        let text = "ID Number      Name                      Fed Sex\n1503014        Carlsen, Magnus           \
                    NOR M\n14109603       Kramnik, V & Co           RUS M\n";
        let xml = "<playerslist>\n<player>\n<fideid>1503014</fideid>\n<name>Carlsen, Magnus</name>\n</player>\n\
                   <fideid>14109603</fideid><name>Kramnik, V &amp; Co</name>\n</playerslist>\n";
        let ids: BTreeSet<u32> = [1_503_014, 14_109_603, 5].into();
        for (name, content) in [("list.txt", text), ("list.xml", xml)] {
            let path = folder.join(name);
            std::fs::write(&path, content).unwrap();
            let names = FideList::new(&path).names(&ids).unwrap();
            let names: Vec<&str> = names.values().map(String::as_str).collect();
            assert_eq!(names, ["Carlsen, Magnus", "Kramnik, V & Co"], "{name}");
        }
        let path = folder.join("games.pgn");
        std::fs::write(&path, "[Event \"?\"]\n").unwrap();
        assert!(FideList::new(&path).names(&ids).is_err());
    }
}
