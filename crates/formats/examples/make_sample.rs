//! Writes the sample database, and an archive of it in the same folder:
//! `cargo run -p tabia-formats --example make_sample -- samples/tabia.cbh`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tabia_core::error::{Error, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::io::Blob;
use tabia_formats::archives;
use tabia_formats::archives::{NewMember, Timestamp, format_of_name};
use tabia_formats::games::cbh;
use tabia_testkit::sample_database_games;

fn main() -> ExitCode {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("samples/tabia.cbh"), PathBuf::from);
    match make(&path) {
        Ok(()) => ExitCode::SUCCESS,
        #[expect(clippy::print_stderr, reason = "an example reports its error itself")]
        Err(error) => {
            eprintln!("make_sample: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make(path: &Path) -> Result<()> {
    let mut options = CreateOptions::default();
    options.force = true;
    let mut writer = cbh::write::create(path, &options)?;
    for game in sample_database_games::games() {
        let losses = writer.write(&game)?;
        if !losses.is_empty() {
            return Err(Error::invalid(format!("not kept: {losses}")));
        }
    }
    let written = writer.finish()?;
    // A fixed time, so that the same sample is the same bytes.
    let modified = Timestamp::new((2024, 4, 1), (12, 0, 0));
    let mut members = Vec::new();
    for file in &written.files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        members.push(NewMember::from_bytes(name, Blob::open(file)?, modified));
    }
    let cbv = format_of_name("tabia.cbv").ok_or_else(|| Error::unsupported("no CBV"))?;
    let mut packed = archives::CreateOptions::default();
    packed.force = true;
    archives::create(cbv, &path.with_extension("cbv"), &members, &packed)?;
    Ok(())
}
