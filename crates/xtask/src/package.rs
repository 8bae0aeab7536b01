//! Packages the crates that ship.

use std::fmt::Write as _;
use std::path::Path;

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

/// Packages them and checks that what is in the packages compiles, with the dependencies that the other checks have
/// compiled.
pub(crate) fn package(_: &[String]) -> Outcome {
    let target = run_program::root().join("target/packages");
    let _ = std::fs::remove_dir_all(&target);
    let outcome = pack(&target).and_then(|()| check(&target));
    let _ = std::fs::remove_dir_all(&target);
    outcome
}

fn pack(target: &Path) -> Outcome {
    let folder = target.to_string_lossy().into_owned();
    let mut arguments = vec![
        "package",
        "--quiet",
        "--no-verify",
        "--allow-dirty",
        "--target-dir",
        &folder,
    ];
    for name in SHIPPED {
        arguments.extend(["--package", name]);
    }
    run_program::cargo(&arguments).run()
}

/// Unpacks the packages as the members of a workspace of their own, in which they depend on each other, and compiles it as
/// far as errors show.
fn check(target: &Path) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", target.display());
    let root = run_program::root();
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).map_err(failed)?;
    let profiles = manifest.find("[profile.").and_then(|at| manifest.get(at..));
    let mut members = String::new();
    let mut patches = String::new();
    for name in SHIPPED {
        let folder = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        run_program::program("tar")
            .arg("-xzf")
            .arg(target.join(format!("package/{folder}.crate")))
            .arg("-C")
            .arg(target)
            .run()?;
        let _ = write!(members, "\"{folder}\", ");
        let _ = writeln!(patches, "{name} = {{ path = \"{folder}\" }}");
    }
    let workspace = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}\n{}",
        profiles.unwrap_or_default()
    );
    std::fs::write(target.join("Cargo.toml"), workspace).map_err(failed)?;
    std::fs::copy(root.join("Cargo.lock"), target.join("Cargo.lock")).map_err(failed)?;
    let manifest = target.join("Cargo.toml").to_string_lossy().into_owned();
    let shared = root.join("target").to_string_lossy().into_owned();
    let arguments = [
        "check",
        "--quiet",
        "--offline",
        "--workspace",
        "--manifest-path",
        &manifest,
    ];
    run_program::cargo(&arguments)
        .args(&["--target-dir", &shared])
        .run()
}
