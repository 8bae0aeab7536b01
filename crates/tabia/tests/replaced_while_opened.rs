//! A set that another process replaces while its files are opened is read as it was or as it is, never mixed.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use tabia::core::formats::{Companion, Confidence, FileFormat, OpenOptions};
use tabia::core::games::Database;
use tabia::core::io::{FolderLock, OutputSet, Source};
use tabia::core::loss::Features;
use tabia::core::{Error, FormatId, GameFormat, Result};
use tabia::formats::Format;
use tabia::{OpenInput, Resolver};
use tabia_testkit::Scratch;
use tabia_testkit::tiny::{TinyDatabase, games};

/// A set of two files that contain the same number.
static PAIR: GameFormat = GameFormat {
    file: FileFormat {
        id: FormatId::new("pair"),
        name: "pair",
        extensions: &["one"],
        companions: &[Companion {
            extension: "two",
            required: false,
            has_parts_of_games: false,
            holds: "the number again",
        }],
        by_products: &[],
        score: |probe| match probe.head {
            [b'0'..=b'9', ..] => Confidence::Certain,
            _ => Confidence::No,
        },
        evidence: "",
    },
    can: Features::ALL,
    in_part: Features::NONE,
    can_with: None,
    copies_texts: false,
    media_folders: &[],
    open: open_pair,
    open_stream: None,
    open_blocks: None,
    create_text: None,
    create: None,
    edit: None,
};

/// How often the set is still replaced while it is opened, and the number in it.
static REPLACEMENTS: AtomicU32 = AtomicU32::new(0);
static NUMBER: AtomicU32 = AtomicU32::new(1);

/// Writes the set, as another process would; `with_two`: with its second file.
fn write(path: &Path, with_two: bool) -> Result<()> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed) + 1;
    let mut set = OutputSet::new(true);
    for target in [path.to_path_buf(), path.with_extension("two")] {
        if target != path && !with_two {
            set.obsolete(target);
            continue;
        }
        let file = set.create(&target)?;
        write!(set.file(file).unwrap(), "{number}")?;
    }
    set.commit().map(drop)
}

fn open_pair(source: &Source, _options: &OpenOptions) -> Result<Box<dyn Database>> {
    let main = source.main().open()?;
    let left = REPLACEMENTS.load(Ordering::Relaxed);
    let path = source.main().path().unwrap();
    if left > 0 {
        REPLACEMENTS.store(left - 1, Ordering::Relaxed);
        write(path, !left.is_multiple_of(3))?;
    }
    let two = source.open_companion("two")?;
    let is_one_set = two.is_none_or(|two| *two == *main);
    if !is_one_set {
        return Err(Error::invalid("two sets are mixed"));
    }
    Ok(Box::new(TinyDatabase::new(games())))
}

#[test]
fn files_of_one_set_are_opened_while_it_is_replaced() {
    let folder = Scratch::new("replaced-while-opened");
    let path = folder.join("a.one");
    let resolver = Resolver::new([Format::Games(&PAIR)]);
    write(&path, true).unwrap();
    for start in ["a.one", "a.two"] {
        for replacements in 0..8 {
            write(&path, true).unwrap();
            let items = resolver.resolve(folder.join(start).as_os_str()).unwrap();
            REPLACEMENTS.store(replacements, Ordering::Relaxed);
            let opened = items[0].open_indexed(&OpenOptions::default()).unwrap();
            assert!(matches!(opened.input, OpenInput::Database(_)));
            assert_eq!(opened.problems.len(), 0, "{:?}", opened.problems);
            assert_eq!(REPLACEMENTS.load(Ordering::Relaxed), 0);
        }
    }
    // Found, and replaced before it was opened.
    let items = resolver.resolve(path.as_os_str()).unwrap();
    write(&path, false).unwrap();
    let opened = items[0].open_indexed(&OpenOptions::default());
    assert!(opened.is_ok(), "{opened:?}");
    // A folder that cannot be locked again by its own process is no obstacle.
    let lock = FolderLock::acquire(&path).unwrap();
    assert!(items[0].open_indexed(&OpenOptions::default()).is_ok());
    drop(lock);
}
