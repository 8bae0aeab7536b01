//! The licences of everything that ships, from what cargo knows about the packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::{Outcome, run_program};

/// Licences under which a dependency may come. None of them asks anything of a program that links
/// it beyond keeping the notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

/// Packages for tests and measurements only, which may depend on anything.
const NOT_SHIPPED: &[&str] = &["tabia-bench", "tabia-oracle", "tabia-testkit", "xtask"];

/// The beginnings of names of files that have to be kept with a package.
const KEPT: &[&str] = &["licen", "copying", "copyright", "notice", "unlicense"];

/// With the path of a manifest, the packages of that workspace; its folder then has a file `NOTICE` with the texts of
/// their licences, which goes into the package. `TABIA_UPDATE=1` writes it.
pub(crate) fn licences(arguments: &[String]) -> Outcome {
    let mut command = vec!["metadata", "--format-version", "1", "--locked"];
    match arguments {
        [] => command.extend(["--features", "tabia-cli/parquet"]),
        [manifest] => command.extend(["--manifest-path", manifest]),
        _ => return Err("one manifest at a time".to_owned()),
    }
    let text = run_program::cargo(&command).output()?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let shipped = shipped(&metadata).ok_or("cargo metadata has another form than expected")?;
    let mut refused = Vec::new();
    for (name, licence) in &shipped {
        if !is_allowed(licence) {
            refused.push(format!("{name} comes under {licence:?}"));
        }
    }
    if refused.is_empty() {
        println!(
            "{} packages ship, all under allowed licences",
            shipped.len()
        );
        return match arguments {
            [manifest] => check_notice(manifest, &metadata, &shipped),
            _ => Ok(()),
        };
    }
    Err(refused.join("\n"))
}

/// Compares the notice next to a manifest with the packages, or writes it.
fn check_notice(manifest: &str, metadata: &Value, shipped: &BTreeMap<String, String>) -> Outcome {
    let folder = run_program::root().join(manifest);
    let folder = folder.parent().ok_or("the manifest has no folder")?;
    let expected = notice(metadata, shipped)?;
    let path = folder.join("NOTICE");
    if std::env::var_os("TABIA_UPDATE").is_some() {
        return std::fs::write(&path, expected).map_err(|error| error.to_string());
    }
    if std::fs::read_to_string(&path).unwrap_or_default() != expected {
        let path = path.display();
        return Err(format!(
            "{path} is not that of the packages: `TABIA_UPDATE=1 cargo xtask licences {manifest}` writes it"
        ));
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(name));
        // Those of the C package are taken from the root when it is installed.
        if let Ok(copy) = read(folder)
            && Ok(copy) != read(&run_program::root()).map_err(drop)
        {
            return Err(format!("{name} next to {manifest} is another"));
        }
    }
    Ok(())
}

/// Names, licences and the texts of licences of the packages of others.
fn notice(metadata: &Value, shipped: &BTreeMap<String, String>) -> Result<String, String> {
    let mut out = String::from(
        "This package contains the following packages of others, under the licences named.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        let Some(licence) = shipped.get(&name).filter(|_| package["source"].is_string()) else {
            continue;
        };
        let _ = writeln!(out, "{name}: {licence}");
        let folder = Path::new(text("manifest_path"))
            .parent()
            .ok_or("a manifest has no folder")?;
        for text in kept_texts(folder).map_err(|error| format!("{name}: {error}"))? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    for (text, names) in texts {
        let line = "-".repeat(72);
        let _ = write!(out, "\n{line}\n{}\n\n{text}\n", names.join(", "));
    }
    Ok(out)
}

/// The licences of a package. Of one with a choice that has MIT, the Apache licence is left out.
fn kept_texts(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_file() && KEPT.iter().any(|kept| name.starts_with(kept)) {
            names.push((name, entry.path()));
        }
    }
    names.sort();
    let has_mit = names.iter().any(|(name, _)| name.contains("mit"));
    names.retain(|(name, _)| !has_mit || !name.contains("apache"));
    let read = |(_, path)| {
        let bytes = std::fs::read(path)?;
        let text = String::from_utf8_lossy(&bytes).replace('\r', "");
        let lines = text.trim().lines().map(str::trim_end);
        Ok(lines.collect::<Vec<_>>().join("\n"))
    };
    names.into_iter().map(read).collect()
}

/// Name with version, and licence, of every package that a shipped one is built from.
fn shipped(metadata: &Value) -> Option<BTreeMap<String, String>> {
    let mut packages = BTreeMap::new();
    for package in metadata["packages"].as_array()? {
        packages.insert(package["id"].as_str()?, package);
    }
    let mut edges = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array()? {
        let mut to = Vec::new();
        for dependency in node["deps"].as_array()? {
            let kinds = dependency["dep_kinds"].as_array()?;
            if kinds
                .iter()
                .any(|kind| kind["kind"].as_str() != Some("dev"))
            {
                to.push(dependency["pkg"].as_str()?);
            }
        }
        edges.insert(node["id"].as_str()?, to);
    }
    let mut waiting = Vec::new();
    for member in metadata["workspace_members"].as_array()? {
        let id = member.as_str()?;
        let name = packages.get(id)?["name"].as_str()?;
        if !NOT_SHIPPED.contains(&name) {
            waiting.push(id);
        }
    }
    let mut seen = BTreeSet::new();
    let mut shipped = BTreeMap::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages.get(id)?;
        let name = format!(
            "{} {}",
            package["name"].as_str()?,
            package["version"].as_str()?
        );
        let licence = package["license"].as_str().unwrap_or("no licence");
        shipped.insert(name, licence.to_owned());
        waiting.extend(edges.get(id).into_iter().flatten());
    }
    Some(shipped)
}

/// Whether an SPDX expression can be satisfied with allowed licences alone. `/` is the old `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ")
        .replace(" WITH ", "\u{1}");
    let tokens: Vec<String> = spaced
        .split_whitespace()
        .map(|token| token.replace('\u{1}', " WITH "))
        .collect();
    let mut at = 0;
    let allowed = either(&tokens, &mut at);
    allowed && at == tokens.len()
}

fn either(tokens: &[String], at: &mut usize) -> bool {
    let mut allowed = both(tokens, at);
    while tokens.get(*at).is_some_and(|token| token == "OR") {
        *at += 1;
        allowed |= both(tokens, at);
    }
    allowed
}

fn both(tokens: &[String], at: &mut usize) -> bool {
    let mut allowed = one(tokens, at);
    while tokens.get(*at).is_some_and(|token| token == "AND") {
        *at += 1;
        allowed &= one(tokens, at);
    }
    allowed
}

fn one(tokens: &[String], at: &mut usize) -> bool {
    let Some(token) = tokens.get(*at) else {
        return false;
    };
    *at += 1;
    if token != "(" {
        return ALLOWED.contains(&token.as_str());
    }
    let allowed = either(tokens, at);
    let closed = tokens.get(*at).is_some_and(|token| token == ")");
    *at += 1;
    allowed && closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_all() {
        for fine in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-or-later OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(fine), "{fine}");
        }
        for refused in [
            "GPL-3.0-or-later",
            "MIT AND GPL-3.0",
            "(MIT",
            "MIT)",
            "",
            "no licence",
            "AGPL-3.0 OR GPL-3.0",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }

    #[test]
    fn development_dependencies_do_not_ship() {
        let metadata = serde_json::json!({
            "workspace_members": ["a", "t"],
            "packages": [
                {"id": "a", "name": "tabia", "version": "1", "license": "MIT"},
                {"id": "t", "name": "tabia-oracle", "version": "1", "license": "MIT"},
                {"id": "b", "name": "b", "version": "1", "license": "GPL-3.0"},
                {"id": "c", "name": "c", "version": "1", "license": null},
            ],
            "resolve": {"nodes": [
                {"id": "a", "deps": [
                    {"pkg": "b", "dep_kinds": [{"kind": "dev"}]},
                    {"pkg": "c", "dep_kinds": [{"kind": null}]},
                ]},
                {"id": "t", "deps": [{"pkg": "b", "dep_kinds": [{"kind": null}]}]},
                {"id": "b", "deps": []},
                {"id": "c", "deps": []},
            ]},
        });
        let shipped = shipped(&metadata).unwrap();
        assert_eq!(
            shipped.into_iter().collect::<Vec<_>>(),
            [
                ("c 1".to_owned(), "no licence".to_owned()),
                ("tabia 1".to_owned(), "MIT".to_owned()),
            ]
        );
    }
}
