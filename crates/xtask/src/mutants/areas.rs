//! What is mutated, and by which tests.

/// A part of the code with the tests that must notice a change of it.
#[derive(Debug)]
pub(crate) struct Area {
    pub(crate) name: &'static str,
    /// Files and folders from the root of the repository.
    pub(crate) files: &'static [&'static str],
    /// The only functions that are mutated; empty for all.
    pub(crate) functions: &'static [&'static str],
    /// Whether all mutants are run, whatever the sample, and each of them has to be caught.
    pub(crate) is_strict: bool,
    pub(crate) tests: &'static [TestRun],
}

/// Tests of one test program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TestRun {
    pub(crate) package: &'static str,
    /// The name of a file in `tests`; `lib` for the unit tests.
    pub(crate) target: &'static str,
    /// Part of the names of the tests that are run; empty for all.
    pub(crate) filter: &'static str,
}

const fn run(package: &'static str, target: &'static str, filter: &'static str) -> TestRun {
    TestRun {
        package,
        target,
        filter,
    }
}

const fn formats(target: &'static str) -> TestRun {
    run("tabia-formats", target, "")
}

const fn library(target: &'static str) -> TestRun {
    run("tabia", target, "")
}

const fn program(filter: &'static str) -> TestRun {
    run("tabia-cli", "it", filter)
}

/// All areas. Fast tests come first: the first one that fails ends the run of a mutant. The tests of the first
/// area are all in one crate, so that little is compiled for it.
pub(crate) const AREAS: &[Area] = &[
    Area {
        name: "before-replacing",
        files: &[
            "crates/formats/src/games/cbh/write/edit.rs",
            "crates/formats/src/games/cbh/write/source_set.rs",
            "crates/formats/src/games/cbh/write/read_back.rs",
            "crates/formats/src/games/cbh/verify/check_before_edit.rs",
        ],
        functions: &[
            "check_damage",
            "record_change",
            "finish",
            "require_sound",
            "open_sound",
            "lock_source",
            "exclusive",
            "span",
        ],
        is_strict: true,
        tests: &[
            run("tabia-formats", "lib", "games::cbh::write"),
            formats("cbh_complete_sets"),
            formats("cbh_edit"),
            formats("input_failures"),
        ],
    },
    Area {
        name: "chess",
        files: &["crates/core/src/chess"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-core", "lib", "chess::"),
            run("tabia-core", "san_forms", ""),
            run("tabia-core", "perft", ""),
            run("tabia-core", "chess_laws", ""),
            formats("golden"),
        ],
    },
    Area {
        name: "loss",
        files: &["crates/core/src/loss", "crates/core/src/game"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-core", "lib", ""),
            formats("golden"),
            formats("conformance"),
            program("reported_losses"),
            library("losses"),
        ],
    },
    Area {
        name: "io",
        files: &["crates/core/src/io"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-core", "lib", "io::"),
            formats("golden"),
            formats("input_failures"),
            program("concurrent_writers"),
            program("killed_while_replacing"),
            program("input_paths"),
            formats("write_failures"),
        ],
    },
    Area {
        name: "filter",
        files: &["crates/query/src"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-query", "lib", ""),
            run("tabia-query", "conformance", ""),
            run("tabia-query", "moments", ""),
            run("tabia-query", "rating_candidates", ""),
            program("search"),
            program("game_selection"),
        ],
    },
    Area {
        name: "pgn",
        files: &["crates/formats/src/games/pgn"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "games::pgn"),
            formats("golden"),
            formats("conformance"),
            formats("sample"),
            formats("bughouse"),
            program("pgn_output"),
            program("converted_moves"),
            library("losses"),
        ],
    },
    Area {
        name: "cbh-moves",
        files: &["crates/formats/src/games/cbh/moves"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "games::cbh::"),
            formats("golden"),
            formats("cbh_write"),
            formats("cbh_round_trip"),
            formats("conformance"),
            formats("corruption"),
        ],
    },
    Area {
        name: "cbh-annotations",
        files: &["crates/formats/src/games/cbh/annotations"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "games::cbh::"),
            formats("golden"),
            formats("cbh_write"),
            formats("cbh_round_trip"),
            formats("conformance"),
            library("losses"),
        ],
    },
    Area {
        name: "cbh-edit",
        files: &[
            "crates/formats/src/games/cbh/write/edit.rs",
            "crates/formats/src/games/cbh/write/source_set.rs",
            "crates/formats/src/games/cbh/write/pack.rs",
            "crates/formats/src/games/cbh/write/read_back.rs",
            "crates/formats/src/games/cbh/write/updated_set.rs",
        ],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "games::cbh::write"),
            formats("cbh_complete_sets"),
            formats("cbh_edit"),
            program("edit"),
            program("concurrent_writers"),
            formats("input_failures"),
        ],
    },
    Area {
        name: "scid",
        files: &["crates/formats/src/games/scid"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "games::scid::"),
            formats("golden"),
            formats("conformance"),
            formats("scid_salvage"),
            formats("scid_written"),
            library("losses"),
        ],
    },
    Area {
        name: "ctg",
        files: &[
            "crates/formats/src/books/ctg",
            "crates/formats/src/books/mirrored",
        ],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "books::"),
            formats("ctg_write"),
            formats("ctg_damage"),
            program("books"),
        ],
    },
    Area {
        name: "polyglot",
        files: &["crates/formats/src/books/polyglot"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "books::polyglot"),
            formats("polyglot_books"),
            program("book"),
            library("built_books"),
        ],
    },
    Area {
        name: "archive",
        files: &["crates/formats/src/archives"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia-formats", "lib", "archives::"),
            formats("zip_damage"),
            formats("compressed"),
            program("archives"),
            program("compression"),
            formats("archive_writers"),
        ],
    },
    Area {
        name: "app",
        files: &["crates/tabia/src"],
        functions: &[],
        is_strict: false,
        tests: &[
            run("tabia", "lib", ""),
            library("conversion_of_mock_formats"),
            library("public_routes"),
            library("built_books"),
            program(""),
        ],
    },
];
