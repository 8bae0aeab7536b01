//! Paths of members of archives, `archive:member`.

use std::path::{Path, PathBuf};

/// A path cut at each of its colons; what follows is UTF-8, as names of members are, the folders need not be.
pub(crate) fn splits_at_colons(path: &Path) -> Vec<(PathBuf, String)> {
    let mut splits = Vec::new();
    let mut outer = PathBuf::new();
    let mut components = path.components();
    while let Some(component) = components.next() {
        let name = component.as_os_str();
        if let Some(text) = name.to_str() {
            for (at, _) in text.match_indices(':') {
                let (Some(start), Some(rest)) = (text.get(..at), text.get(at + 1..)) else {
                    continue;
                };
                let inside = match components.as_path().to_str() {
                    Some("") => rest.to_owned(),
                    Some(below) => format!("{rest}/{below}"),
                    None => continue,
                };
                splits.push((outer.join(start), inside));
            }
        }
        outer.push(name);
    }
    splits
}
