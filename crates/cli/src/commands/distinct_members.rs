//! Names in an archive for files whose names are not UTF-8.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tabia::formats::archives::NewMember;

/// Gives files distinct names of which letters that are not UTF-8 are replaced; the files of one set keep a common name.
/// Returns how many files have a replaced name.
pub(crate) fn distinct_members(members: &mut [NewMember]) -> u64 {
    let is_replaced = |member: &NewMember| {
        let is_utf8 = member.path().is_none_or(|path| path.to_str().is_some());
        !is_utf8 && member.name.contains(char::REPLACEMENT_CHARACTER)
    };
    // The path without extension by the name without extension in lower case.
    let mut taken: HashMap<String, PathBuf> = HashMap::new();
    let mut replaced: Vec<&mut NewMember> = Vec::new();
    for member in members {
        if is_replaced(member) {
            replaced.push(member);
        } else {
            let (stem, _) = split_extension(&member.name);
            let path = stem_of(member);
            taken.entry(stem.to_lowercase()).or_insert(path);
        }
    }
    replaced.sort_by_cached_key(|member| member.path().map(Path::to_path_buf));
    let count = replaced.len() as u64;
    for member in replaced {
        let path = stem_of(member);
        let (stem, extension) = split_extension(&member.name);
        let mut free = stem.to_owned();
        let mut number = 1_u32;
        while taken
            .get(&free.to_lowercase())
            .is_some_and(|other| *other != path)
        {
            number += 1;
            free = format!("{stem}-{number}");
        }
        let name = format!("{free}{extension}");
        taken.insert(free.to_lowercase(), path);
        member.name = name;
    }
    count
}

fn stem_of(member: &NewMember) -> PathBuf {
    member.path().unwrap_or(Path::new("")).with_extension("")
}

/// A name and its extension with the dot.
fn split_extension(name: &str) -> (&str, &str) {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    let dot = name.rfind('.').filter(|dot| *dot > file);
    name.split_at(dot.unwrap_or(name.len()))
}
