//! Opening the page in the default browser.

use std::process::{Command, Stdio};

use super::state_folder::StateFolder;

const FILE: &str = "open.html";

/// Opens the page, if there is a display. The address goes through a file that only the user can read: arguments
/// of a program are visible to every user of the machine.
pub(super) fn open(folder: &StateFolder, url: &str) {
    let has_display = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if !has_display {
        return;
    }
    let html = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>tabia</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\"><a href=\"{url}\">tabia</a>\n"
    );
    // The address is printed as well, so a browser that does not open costs a click.
    let Ok(Some(path)) = folder.write(FILE, html.as_bytes()) else {
        return;
    };
    let mut command = if cfg!(windows) {
        let mut command = Command::new("explorer");
        command.arg(path);
        command
    } else {
        let program = if cfg!(target_os = "macos") {
            "open"
        } else {
            "xdg-open"
        };
        let mut command = Command::new(program);
        command.arg(path);
        command
    };
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut child) = spawned {
        std::thread::spawn(move || {
            // Its exit code changes nothing.
            let _ = child.wait();
        });
    }
}
