//! Circles of imports between the files of a crate: there shall be none.
//!
//! An import is a path to an item that another file defines: after `use`, or in the code itself. What
//! a module only passes on (`pub use`) is followed to the file that defines it, and is no import of that
//! module. What is below a module may name the items of that module. Tests at the foot of a file do not count.

use std::collections::{BTreeMap, BTreeSet};

/// The files of one crate: module path, as `["game", "tags"]`, to name and text.
#[derive(Debug, Default)]
pub(crate) struct CrateFiles {
    modules: BTreeMap<Vec<String>, SourceFile>,
}

#[derive(Debug)]
struct SourceFile {
    name: String,
    uses: Vec<Use>,
    code: String,
}

/// One path of a `use`.
#[derive(Debug, PartialEq, Eq)]
struct Use {
    path: Vec<String>,
    /// The name in the file, `*` for all names.
    alias: String,
    is_public: bool,
}

impl CrateFiles {
    /// Adds `name`, as `crates/core/src/game/tags.rs`.
    pub(crate) fn add(&mut self, name: &str, text: &str) {
        let Some((_, inside)) = name.split_once("/src/") else {
            return;
        };
        let inside = inside.trim_end_matches(".rs");
        let mut module: Vec<String> = inside.split('/').map(String::from).collect();
        if matches!(
            module.last().map(String::as_str),
            Some("mod" | "lib" | "main")
        ) {
            module.pop();
        }
        let (uses, code) = split_uses(&code_of(text));
        let file = SourceFile {
            name: name.to_owned(),
            uses,
            code,
        };
        self.modules.insert(module, file);
    }

    /// Each circle as the names of its files.
    pub(crate) fn circles(&self) -> Vec<Vec<&str>> {
        let modules: Vec<&Vec<String>> = self.modules.keys().collect();
        let numbers: BTreeMap<&Vec<String>, usize> = modules
            .iter()
            .enumerate()
            .map(|(i, module)| (*module, i))
            .collect();
        let imports: Vec<BTreeSet<usize>> = modules
            .iter()
            .map(|module| {
                let found = self.imports(module);
                found
                    .iter()
                    .filter_map(|to| numbers.get(to).copied())
                    .collect()
            })
            .collect();
        let reached: Vec<BTreeSet<usize>> =
            (0..modules.len()).map(|i| reach(&imports, i)).collect();
        let mut circles = Vec::new();
        let mut seen = BTreeSet::new();
        for i in 0..modules.len() {
            let Some(from_here) = reached
                .get(i)
                .filter(|set| set.contains(&i) && !seen.contains(&i))
            else {
                continue;
            };
            let members: Vec<usize> = from_here
                .iter()
                .copied()
                .filter(|&j| reached.get(j).is_some_and(|set| set.contains(&i)))
                .collect();
            seen.extend(members.iter().copied());
            let files = members.iter().filter_map(|&j| modules.get(j));
            circles.push(
                files
                    .filter_map(|module| Some(self.modules.get(*module)?.name.as_str()))
                    .collect(),
            );
        }
        circles
    }

    /// The modules whose items a module names.
    fn imports(&self, module: &Vec<String>) -> BTreeSet<Vec<String>> {
        let Some(file) = self.modules.get(module) else {
            return BTreeSet::new();
        };
        let mut found = BTreeSet::new();
        let named = file
            .uses
            .iter()
            .filter(|one| !one.is_public)
            .map(|one| one.path.clone());
        for path in named.chain(paths_in_code(&file.code)) {
            if let Some(to) = self
                .absolute(module, &path)
                .and_then(|path| self.definition(&path, 0))
            {
                found.insert(to);
            }
        }
        // A module and what is below it are one piece: what is below may name its items.
        found.retain(|to| !module.starts_with(to));
        found
    }

    /// A path from the crate's root; `None` if it leads out of the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut from = module.to_vec();
        let mut rest = rest;
        match first.as_str() {
            "crate" => from.clear(),
            "self" => {}
            "super" => {
                from.pop()?;
                while let Some((next, after)) =
                    rest.split_first().filter(|(next, _)| *next == "super")
                {
                    debug_assert_eq!(next, "super");
                    from.pop()?;
                    rest = after;
                }
            }
            child => {
                from.push(child.to_owned());
                // A child of this module; any other name is a crate or something imported.
                self.modules.contains_key(&from).then_some(())?;
            }
        }
        from.extend(rest.iter().cloned());
        Some(from)
    }

    /// The module whose file defines the item at a path.
    fn definition(&self, path: &[String], depth: usize) -> Option<Vec<String>> {
        let known = (0..=path.len()).rev().find(|&n| {
            path.get(..n)
                .is_some_and(|part| self.modules.contains_key(part))
        })?;
        let (module, rest) = path.split_at(known);
        let Some(item) = rest.first().filter(|_| depth < 8) else {
            return Some(module.to_vec());
        };
        let file = self.modules.get(module)?;
        for passed in file.uses.iter().filter(|one| one.is_public) {
            let is_this = passed.alias == *item;
            if !is_this && passed.alias != "*" {
                continue;
            }
            let mut source = passed.path.clone();
            if passed.alias == "*" {
                source.push(item.clone());
            }
            source.extend(rest.iter().skip(1).cloned());
            let Some(target) = self.absolute(module, &source) else {
                continue;
            };
            let found = self.definition(&target, depth + 1);
            // A name that `*` may bring is taken from there if that file names it.
            if is_this || found.as_ref().is_some_and(|to| self.defines(to, item)) {
                return found;
            }
        }
        Some(module.to_vec())
    }

    fn defines(&self, module: &[String], item: &str) -> bool {
        let words = [
            "fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "mod ",
        ];
        self.modules.get(module).is_some_and(|file| {
            words.iter().any(|word| {
                file.code
                    .match_indices(&format!("{word}{item}"))
                    .any(|(at, found)| {
                        let next = file
                            .code
                            .get(at + found.len()..)
                            .and_then(|rest| rest.chars().next());
                        next.is_none_or(|c| !is_word(c))
                    })
            })
        })
    }
}

/// What can be reached from a file in one import or more.
fn reach(imports: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for &to in imports.get(next).into_iter().flatten() {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The code of a file: without comments, texts and the tests at its foot.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    for line in text
        .lines()
        .take_while(|line| line.trim() != "#[cfg(test)]")
    {
        let line = line.split_once("//").map_or(line, |(before, _)| before);
        code.push_str(line);
        code.push('\n');
    }
    code
}

/// The paths of all `use` items, and the code without them.
fn split_uses(code: &str) -> (Vec<Use>, String) {
    let mut found = Vec::new();
    let mut others = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let (before, after) = rest.split_at(at);
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let is_use =
            line.is_empty() || line == "pub" || line.starts_with("pub(") && line.ends_with(')');
        others.push_str(before);
        rest = after.strip_prefix("use ").unwrap_or_default();
        if let Some((tree, after)) = rest.split_once(';').filter(|_| is_use) {
            let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
            expand(&[], &tree, line.starts_with("pub"), &mut found);
            rest = after;
        }
    }
    others.push_str(rest);
    (found, others)
}

/// Adds the paths of a tree such as `a::{b, c::d as e}`.
fn expand(prefix: &[String], tree: &str, is_public: bool, found: &mut Vec<Use>) {
    let tree = tree.trim();
    if let Some(inner) = tree
        .strip_prefix('{')
        .and_then(|tree| tree.strip_suffix('}'))
    {
        let mut depth = 0;
        let mut start = 0;
        for (i, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(
                        prefix,
                        inner.get(start..i).unwrap_or_default(),
                        is_public,
                        found,
                    );
                    start = i + 1;
                }
                _ => {}
            }
        }
        expand(
            prefix,
            inner.get(start..).unwrap_or_default(),
            is_public,
            found,
        );
        return;
    }
    if let Some((first, rest)) = tree.split_once("::") {
        let mut prefix = prefix.to_vec();
        prefix.push(first.trim().to_owned());
        expand(&prefix, rest, is_public, found);
        return;
    }
    let (name, alias) = tree.split_once(" as ").unwrap_or((tree, tree));
    if name.is_empty() {
        return;
    }
    let mut path = prefix.to_vec();
    if name == "self" {
        let alias = path.last().cloned().unwrap_or_default();
        found.push(Use {
            path,
            alias,
            is_public,
        });
        return;
    }
    if name != "*" {
        path.push(name.to_owned());
    }
    found.push(Use {
        path,
        alias: alias.to_owned(),
        is_public,
    });
}

/// Paths such as `crate::a::b`, `super::c` and `child::d` in the code.
fn paths_in_code(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut colons = 0;
    for c in code.chars().chain([' ']) {
        if is_word(c) {
            if word.is_empty() && colons != 2 {
                if path.len() > 1 {
                    found.push(std::mem::take(&mut path));
                }
                path.clear();
            }
            word.push(c);
            colons = 0;
        } else {
            if !word.is_empty() {
                path.push(std::mem::take(&mut word));
            }
            if c == ':' {
                colons += 1;
            } else {
                if path.len() > 1 {
                    found.push(std::mem::take(&mut path));
                }
                path.clear();
                colons = 0;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let mut all = CrateFiles::default();
        for (name, text) in files {
            all.add(&format!("crates/x/src/{name}.rs"), text);
        }
        let found = all.circles();
        found
            .into_iter()
            .map(|one| one.into_iter().map(String::from).collect())
            .collect()
    }

    #[test]
    fn a_circle_is_found_through_what_a_module_passes_on() {
        let found = circles(&[
            ("lib", "mod a;\nmod b;\n"),
            ("a/mod", "mod one;\nmod two;\npub(crate) use one::One;\n"),
            ("a/one", "pub struct One;\nfn f() { crate::b::g() }\n"),
            ("a/two", "use super::One;\n"),
            ("b", "use crate::a::{One, other};\npub fn g() {}\n"),
        ]);
        assert_eq!(found, [["crates/x/src/a/one.rs", "crates/x/src/b.rs"]]);
    }

    #[test]
    fn children_and_tests_make_no_circle() {
        let found = circles(&[
            ("lib", "mod a;\nmod b;\npub use a::A;\n"),
            ("a", "use crate::b::B;\npub struct A;\n"),
            (
                "b",
                "pub struct B;\n// crate::a::A\n#[cfg(test)]\nmod tests { use crate::a::A; }\n",
            ),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn trees_are_expanded() {
        let (found, _) = split_uses("pub(crate) use a::{self, b::{c as d, e}, f::*};");
        let names: Vec<(String, &str)> = found
            .iter()
            .map(|one| (one.path.join("::"), one.alias.as_str()))
            .collect();
        let expected = [
            ("a", "a"),
            ("a::b::c", "d"),
            ("a::b::e", "e"),
            ("a::f", "*"),
        ];
        assert_eq!(
            names,
            expected.map(|(path, alias)| (path.to_owned(), alias))
        );
        assert!(found.iter().all(|one| one.is_public));
    }
}
