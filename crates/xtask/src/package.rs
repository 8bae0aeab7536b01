//! Packages the crates that ship.

use crate::{Outcome, run_program};

/// The crates that ship, those that others depend on first.
const SHIPPED: [&str; 8] = [
    "tabia-core",
    "tabia-formats",
    "tabia-query",
    "tabia-index",
    "tabia",
    "tabia-columns",
    "tabia-serve",
    "tabia-cli",
];

pub(crate) fn package(_: &[String]) -> Outcome {
    forget_unpacked_packages();
    // What an earlier run compiled would be taken for this one's, as the version is the same.
    let target = run_program::root().join("target/packages");
    let _ = std::fs::remove_dir_all(&target);
    let folder = target.to_string_lossy().into_owned();
    let mut arguments = vec![
        "package",
        "--quiet",
        "--allow-dirty",
        "--target-dir",
        &folder,
    ];
    for name in SHIPPED {
        arguments.extend(["--package", name]);
    }
    let outcome = run_program::cargo(&arguments).run();
    // Gigabytes that the next run would not use either.
    let _ = std::fs::remove_dir_all(&target);
    outcome
}

/// Cargo keeps the packages of an earlier run unpacked and would build these, as the version is the same.
fn forget_unpacked_packages() {
    let home = std::env::var_os("CARGO_HOME")
        .map(std::path::PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let Some(registries) = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok())
    else {
        return;
    };
    for registry in registries.flatten() {
        for name in SHIPPED {
            let unpacked = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
            // A package that was not unpacked needs nothing.
            let _ = std::fs::remove_dir_all(registry.path().join(unpacked));
        }
    }
}
