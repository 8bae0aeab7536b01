//! The public items of the crate `tabia`, one a line, as its documentation shows them. The list is kept
//! in the repository, so that a change of the surface is seen in review.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{Outcome, run_program};

/// The list in the repository.
const LIST: &str = "docs/public-api.txt";

/// Kinds of pages that rustdoc makes for items.
const PAGES: [&str; 8] = [
    "struct", "enum", "trait", "fn", "type", "static", "constant", "macro",
];

/// Only in pages that point from a private module to where its item is exported.
const REDIRECTION: &str = "<meta http-equiv=\"refresh\"";

/// Rewrites the list; with `--check` compares only.
pub(crate) fn public_api(arguments: &[String]) -> Outcome {
    let folder = run_program::root().join("target/doc/tabia");
    // rustdoc leaves the pages of items that are gone.
    let _ = fs::remove_dir_all(&folder);
    run_program::cargo(&["doc", "--quiet", "--package", "tabia", "--no-deps"]).run()?;
    let mut items = BTreeSet::new();
    collect(&folder, "tabia", &mut items)?;
    let mut text = String::from(
        "# Public items of the crate `tabia`; made by `cargo xtask api` from its documentation.\n",
    );
    for item in &items {
        text.push_str(item);
        text.push('\n');
    }
    let path = run_program::root().join(LIST);
    let old = fs::read_to_string(&path).unwrap_or_default();
    if old == text {
        return Ok(());
    }
    if arguments.iter().any(|argument| argument == "--check") {
        let added = text
            .lines()
            .filter(|line| !old.lines().any(|known| known == *line));
        let removed = old
            .lines()
            .filter(|line| !text.lines().any(|item| item == *line));
        let changes: Vec<String> = added
            .map(|line| format!("+ {line}"))
            .chain(removed.map(|line| format!("- {line}")))
            .collect();
        return Err(format!(
            "the public items differ from {LIST}; `cargo xtask api` rewrites it\n{}",
            changes.join("\n")
        ));
    }
    fs::write(&path, text).map_err(|error| format!("{LIST}: {error}"))?;
    println!("{LIST}: {} items", items.len());
    Ok(())
}

/// Adds the items of a module, whose pages are in `folder`, and of the modules in it.
fn collect(folder: &Path, module: &str, items: &mut BTreeSet<String>) -> Outcome {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, &format!("{module}::{name}"), items)?;
            continue;
        }
        let Some((kind, rest)) = name.split_once('.') else {
            continue;
        };
        let Some(item) = rest.strip_suffix(".html") else {
            continue;
        };
        if PAGES.contains(&kind) {
            let page = fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            if !page.contains(REDIRECTION) {
                add_page(&page, kind, &format!("{module}::{item}"), items);
            }
        }
    }
    Ok(())
}

/// Adds an item and what belongs to it: fields, variants, methods.
fn add_page(page: &str, kind: &str, path: &str, items: &mut BTreeSet<String>) {
    // What follows are implementations of other traits, the automatic ones too.
    let own = page
        .split("id=\"trait-implementations\"")
        .next()
        .unwrap_or(page);
    let declaration = if kind == "fn" || kind == "type" {
        section(own, "item-decl\"><code>", "</code>").map(|html| plain(&html))
    } else {
        None
    };
    match declaration {
        Some(text) => items.insert(format!("{kind} {path}: {text}")),
        None => items.insert(format!("{kind} {path}")),
    };
    for part in [
        "structfield",
        "variant",
        "method",
        "tymethod",
        "associatedtype",
        "associatedconstant",
    ] {
        let mark = format!("id=\"{part}.");
        for (at, _) in own.match_indices(&mark) {
            let rest = own.get(at + mark.len()..).unwrap_or_default();
            let Some(name) = rest.split('"').next() else {
                continue;
            };
            let signature = if part.contains("method") {
                section(rest, "code-header\">", "</h4>").map(|html| plain(&html))
            } else {
                None
            };
            match signature {
                Some(text) => items.insert(format!("{part} {path}::{name}: {text}")),
                None => items.insert(format!("{part} {path}::{name}")),
            };
        }
    }
}

/// The text between two marks.
fn section(html: &str, from: &str, to: &str) -> Option<String> {
    let (_, rest) = html.split_once(from)?;
    let (inside, _) = rest.split_once(to)?;
    Some(inside.to_owned())
}

/// HTML without tags and entities, on one line.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for c in html.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => text.push(c),
            _ => {}
        }
    }
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    for (entity, c) in entities {
        text = text.replace(entity, c);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_a_page_are_listed_with_their_signatures() {
        let page = "<pre class=\"rust item-decl\"><code>pub struct A { … }</code></pre>\
            <span id=\"structfield.one\"></span>\
            <section id=\"method.get\"><h4 class=\"code-header\">pub fn <a>get</a>(&amp;self) -&gt; \
            <a>Option</a>&lt;u8&gt;</h4></section>\
            <h2 id=\"trait-implementations\"></h2><section id=\"method.clone\"></section>";
        let mut items = BTreeSet::new();
        add_page(page, "struct", "tabia::A", &mut items);
        let items: Vec<String> = items.into_iter().collect();
        assert_eq!(
            items,
            [
                "method tabia::A::get: pub fn get(&self) -> Option<u8>",
                "struct tabia::A",
                "structfield tabia::A::one",
            ]
        );
    }
}
