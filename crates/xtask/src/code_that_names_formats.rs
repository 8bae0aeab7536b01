//! Finds code outside the formats that asks which format it has, instead of asking the descriptor.

/// Paths to the static descriptors of formats, and what makes an id to compare with.
const DESCRIPTORS: [&str; 9] = [
    "::FORMAT",
    "::SI3",
    "::SI4",
    "::SI5",
    "::CBV",
    "::CBZ",
    "::SCV",
    "::ZIP",
    "FormatId::new",
];

/// Lines that may name a format, and why: a file, a part of the line, the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "crates/cli/",
        "find_format(&context.resolver, \"pgn\")",
        "PGN is what the program prints by default",
    ),
    (
        "crates/cli/src/commands/book/convert.rs",
        "wanted.unwrap_or(\"pgn\")",
        "PGN is what the program prints by default",
    ),
    (
        "crates/cli/src/commands/book/build_record.rs",
        "args.compat.map(|_| \"polyglot\")",
        "the value of the option `--compat`, which names a program",
    ),
    (
        "crates/cli/src/resolve_output_target.rs",
        "named(\"",
        "the ending of a file in an example",
    ),
    (
        "crates/cli/src/usage_errors.rs",
        "(\"\", \"polyglot\", \"tabia book build\")",
        "the name of another program that was typed as a verb",
    ),
    (
        "crates/cli/src/archive_of_games.rs",
        "unwrap_or(&\"pgn\")",
        "PGN is what archives of no chess program hold",
    ),
    (
        "crates/tabia/src/one_game.rs",
        "format(\"pgn\")",
        "functions that read and write PGN, as their names state",
    ),
    (
        "crates/tabia/src/detect.rs",
        "FormatId::new(name)",
        "a name that the user typed",
    ),
    (
        "crates/",
        "\"fen\"",
        "the notation of a position, as a key, column or field of a query",
    ),
];

/// Modules of a format that jobs may use, and why: a file, the module, the reason.
const MODULE_EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "crates/tabia/src/book/",
        "polyglot",
        "jobs on books with `has_key_entries` work on Polyglot's entries",
    ),
    (
        "crates/tabia/src/book/build/",
        "kvetka",
        "books with links to games are built by Kvetka's builder",
    ),
    (
        "crates/cli/src/commands/book/build.rs",
        "kvetka",
        "options of books with links to games",
    ),
];

/// Why a line of code asks which format it has; `None` if it does not.
///
/// `ids` are the short names of all formats.
pub(crate) fn named_format(file: &str, line: &str, ids: &[&str]) -> Option<String> {
    if !file.starts_with("crates/tabia/src/")
        && !file.starts_with("crates/cli/src/")
        && !file.starts_with("crates/query/src/")
    {
        return None;
    }
    let is_exception = EXCEPTIONS
        .iter()
        .any(|(allowed, part, _)| file.starts_with(allowed) && line.contains(part));
    if is_exception {
        return None;
    }
    let squeezed: String = line.split_whitespace().collect();
    let is_identifier = |c: char| c.is_alphanumeric() || c == '_';
    for name in DESCRIPTORS {
        let mut found = squeezed.match_indices(name);
        if found.any(|(at, _)| !squeezed[at + name.len()..].starts_with(is_identifier)) {
            return Some(format!("names the descriptor `{name}`"));
        }
    }
    if let Some(id) = literals(line).find(|text| ids.contains(text)) {
        return Some(format!("names the format {id:?}"));
    }
    for wing in ["games", "books", "archives"] {
        let Some((_, rest)) = squeezed.split_once(&format!("formats::{wing}::")) else {
            continue;
        };
        for module in identifiers(rest).filter(|module| MODULES.contains(module)) {
            let is_exception = MODULE_EXCEPTIONS
                .iter()
                .any(|(allowed, name, _)| file.starts_with(allowed) && *name == module);
            if !is_exception {
                return Some(format!("uses the module `{module}` of a format"));
            }
        }
    }
    None
}

/// Modules of formats.
const MODULES: [&str; 15] = [
    "abk", "bpgn", "cbf", "cbh", "cbh2", "cbv", "ctg", "epd", "kvetka", "pgn", "polyglot", "scid",
    "scidb", "scv", "zip",
];

fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|name| !name.is_empty())
}

/// The string literals of a line without escapes.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "crates/tabia/src/convert.rs";

    fn is_found(line: &str) -> bool {
        named_format(FILE, line, &["cbh", "pgn", "polyglot"]).is_some()
    }

    #[test]
    fn every_form_of_asking_is_found() {
        for line in [
            "if format.id == cbh::FORMAT.id {",
            "if item.format().id() != polyglot :: FORMAT.file.id {",
            "let is_shared = [ctg::FORMAT.id, kvetka::FORMAT.id].contains(&format.id);",
            "id if id == pgn::FORMAT.id => SourceKind::Pgn,",
            "match format.id.as_str() { \"cbh\" => 1, _ => 2 }",
            "    \"cbh\" | \"pgn\" => 1,",
            "if matches!(format.id().as_str(), \"pgn\") {",
            "if format.id() == FormatId::new(name) {",
            "if [\"cbh\"].contains(&id) {",
            "use tabia_formats::games::cbh;",
            "use tabia_formats::books::{ctg, kvetka};",
            "std::ptr::eq(format, &tabia_formats::games::scid::SI4)",
        ] {
            assert!(is_found(line), "{line}");
        }
    }

    #[test]
    fn asking_the_descriptor_is_not_found() {
        for line in [
            "if format.is_mirrored {",
            "if format.file.id != item.format().id() {",
            "let text = format!(\"{} cannot be written\", format.file.name);",
            "use tabia_formats::archives::compressed::Compression;",
            "let name = \"games.pgn\";",
        ] {
            assert!(!is_found(line), "{line}");
        }
        assert!(named_format("crates/formats/src/lib.rs", "x::FORMAT", &[]).is_none());
    }

    #[test]
    fn exceptions_are_for_their_files_alone() {
        let line = "let format = find_format(&context.resolver, \"pgn\")?;";
        let ids = ["pgn"];
        assert!(named_format("crates/cli/src/game_pgn.rs", line, &ids).is_none());
        assert!(named_format(FILE, line, &ids).is_some());
    }
}
