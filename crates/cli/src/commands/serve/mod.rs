//! `tabia serve`: a local page over databases and books.
//!
//! On Unix the server runs in a process of its own: a mapped file that another program cuts ends the process that
//! reads it, and a new one takes over its socket.

mod browser;
mod own_addresses;
mod qr_code;
mod state_folder;
#[cfg(unix)]
mod supervisor;

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use crate::readable_numbers::counted_as;
use serde::Serialize;
use tabia::Error;
use tabia_serve::{CountedGames, Key, Server, ServerOptions, Shelf, StopHandle};

use crate::args::ServeArgs;
use crate::commands::index::index_options;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::game_json;
use crate::messages::Messages;
use crate::path_text::PathText as _;
use crate::stdout::StdoutWriter;
use crate::terminal;

use state_folder::StateFolder;

/// Ports that are tried in turn.
const PORTS: std::ops::RangeInclusive<u16> = 6464..=6473;

/// Inputs that cannot be read and are named without `--verbose`.
const MAX_NAMED: usize = 5;
/// How long the games are counted that are stated at the start.
const TIME_TO_COUNT: Duration = Duration::from_secs(2);

/// What `--json` prints.
#[derive(Serialize)]
struct AddressJson<'a> {
    url: &'a str,
    port: u16,
    pid: u32,
    version: &'a str,
}

pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, Error> {
    let context = Context::without_signals(&args.common)?;
    let folder = StateFolder::from_environment();
    #[cfg(unix)]
    if let Some(inherited) = supervisor::inherited()? {
        let stop = StopHandle::new();
        stop_on_signal(&stop);
        supervisor::stop_with_parent(&stop);
        let shelf = shelf(args, &context)?;
        if !inherited.is_restart {
            describe(args, &context, &shelf);
        }
        serve(
            args,
            &context,
            shelf,
            (inherited.listener, inherited.key),
            &stop,
        )?;
        return Ok(ExitCode::Done);
    }
    let paths = paths(args);
    if paths.iter().any(|path| path == "-") {
        return Err(Error::usage(
            "`serve` reads files; standard input can be read only once",
        ));
    }
    let shelf = shelf(args, &context)?;
    if let Some(folder) = &args.out {
        check_out_folder(folder)?;
    }
    let listener = listen(args)?;
    let port = listener.local_addr().map_err(in_output)?.port();
    if args.port.is_none() && port != *PORTS.start() {
        let text = format!("port {} is taken, this is {port}", PORTS.start());
        context.messages.note(&text);
    }
    let key = folder.key(args.new_key)?;
    let url = format!("http://127.0.0.1:{port}/#k={}", key.as_str());
    // Who reads the address may end the server at once.
    #[cfg(unix)]
    let is_stopped = supervisor::flag_of_signals();
    print_address(args, &context, &url, port)?;
    if args.lan {
        let hosts = own_addresses::hosts();
        let address = |host: &String| format!("http://{host}:{port}/#k={}", key.as_str());
        for host in &hosts {
            let text = format!("on the network: {}", address(host));
            context.messages.note(&text);
        }
        // A phone reads it from the screen: 32 digits are not typed.
        let can_show = terminal::stderr_is_terminal() && !terminal::is_dumb();
        let first = hosts.first().map(address).filter(|_| can_show);
        if let Some(code) = first.and_then(|address| qr_code::lines(&address)) {
            context.messages.picture(&code);
        }
        let text = "other machines can ask with this key; the traffic is not encrypted";
        context.messages.note(text);
    }
    if !args.no_open && !args.json && !args.api_only {
        browser::open(&folder, &url);
    }
    #[cfg(unix)]
    {
        // This process maps no file from now on: one that is cut must not end it.
        drop(shelf);
        let supervised = supervisor::supervise(&listener, &key, &is_stopped, &context.messages);
        // The process that answered may have been ended before it could.
        let dropped = folder.for_dropped_files();
        tabia_serve::remove_abandoned_files(&dropped.unwrap_or_else(std::env::temp_dir));
        supervised?;
    }
    #[cfg(not(unix))]
    {
        let stop = StopHandle::new();
        stop_on_signal(&stop);
        describe(args, &context, &shelf);
        serve(args, &context, shelf, (listener, key), &stop)?;
    }
    Ok(ExitCode::Done)
}

/// The paths given, those of `--masters` aside; the current folder if none are.
fn paths(args: &ServeArgs) -> Vec<OsString> {
    if args.paths.is_empty() && args.masters.is_empty() {
        vec![".".into()]
    } else {
        args.paths.clone()
    }
}

fn shelf(args: &ServeArgs, context: &Context) -> Result<Shelf, Error> {
    let mut shelf = Shelf::new(&paths(args), &context.resolver)?;
    shelf.add_masters(&args.masters, &context.resolver)?;
    Ok(shelf)
}

/// Names the inputs that cannot be read, and states how much there is: the page does not wait until the games are
/// counted.
fn describe(args: &ServeArgs, context: &Context, shelf: &Shelf) {
    let mut unreadable = Unreadable::default();
    shelf.for_each_error(&mut |error| unreadable.warn(error, &context.messages));
    let games = shelf.uncounted_games();
    let (messages, out, lan) = (context.messages.clone(), args.out.clone(), args.lan);
    std::thread::spawn(move || {
        let games = games.count(TIME_TO_COUNT);
        for error in &games.errors {
            unreadable.warn(error, &messages);
        }
        unreadable.count_others(&messages);
        messages.note(&summary(&games, out.as_deref(), lan));
    });
}

fn serve(
    args: &ServeArgs,
    context: &Context,
    shelf: Shelf,
    (listener, key): (TcpListener, Key),
    stop: &StopHandle,
) -> Result<(), Error> {
    let mut options = ServerOptions::new(key, game_json::document);
    if let Some(folder) = StateFolder::from_environment().for_dropped_files() {
        options.drop_folder = folder;
    }
    options.threads = context.threads;
    options.is_private = args.private;
    options.lan_hosts = args.lan.then(own_addresses::hosts);
    options.is_api_only = args.api_only;
    options.out = args.out.clone().filter(|_| args.write);
    options.origins.clone_from(&args.cors);
    options.index = index_options(context);
    if let Some(folder) = &args.index {
        options.index.cache = Some(folder.clone());
    }
    Server::new(listener, shelf, options)?.run(stop)
}

/// The folder for outputs has to exist: a new one would be in the wrong folder if its name is misspelt.
fn check_out_folder(folder: &Path) -> Result<(), Error> {
    let in_folder = |error: Error| error.in_path(folder).in_output();
    let metadata = std::fs::metadata(folder).map_err(|error| in_folder(Error::from(error)))?;
    if metadata.is_dir() {
        Ok(())
    } else {
        Err(in_folder(Error::unsupported("is no folder")))
    }
}

/// A listener on this machine only, unless other machines may ask.
fn listen(args: &ServeArgs) -> Result<TcpListener, Error> {
    let address = if args.lan {
        Ipv4Addr::UNSPECIFIED
    } else {
        Ipv4Addr::LOCALHOST
    };
    let bind = |port: u16| TcpListener::bind(SocketAddr::from((address, port)));
    if let Some(port) = args.port {
        return bind(port).map_err(|error| {
            let text = format!("port {port} cannot be used: {error}");
            Error::unsupported(text).in_output()
        });
    }
    let (first, last) = (*PORTS.start(), *PORTS.end());
    PORTS
        .clone()
        .find_map(|port| bind(port).ok())
        .ok_or_else(|| {
            let text = format!("the ports {first} to {last} are taken; choose one with `--port`");
            Error::unsupported(text).in_output()
        })
}

fn print_address(args: &ServeArgs, context: &Context, url: &str, port: u16) -> Result<(), Error> {
    let mut out = StdoutWriter::new(&context.bar);
    if args.json {
        let mut bytes = Vec::new();
        crate::json::append(
            &AddressJson {
                url,
                port,
                pid: std::process::id(),
                version: env!("CARGO_PKG_VERSION"),
            },
            &mut bytes,
        );
        bytes.push(b'\n');
        out.bytes(&bytes)?;
    } else {
        out.text(&format!("{url}\n"))?;
    }
    out.flush()
}

/// The number of inputs that cannot be read, of which the first ones are named.
#[derive(Default)]
struct Unreadable(usize);

impl Unreadable {
    fn warn(&mut self, error: &Error, messages: &Messages) {
        self.0 += 1;
        if self.0 <= MAX_NAMED || messages.verbose {
            messages.warning(&messages.text_of(error));
        }
    }

    fn count_others(&self, messages: &Messages) {
        if self.0 > MAX_NAMED && !messages.verbose {
            let more = counted_as((self.0 - MAX_NAMED) as u64, "file", "files");
            messages.note(&format!("{more} more cannot be read; `-v` names all"));
        }
    }
}

fn summary(games: &CountedGames, out: Option<&Path>, lan: bool) -> String {
    let counts = games.inputs;
    let mut parts = vec![
        counted_as(counts.databases as u64, "database", "databases"),
        counted_as(counts.books as u64, "book", "books"),
    ];
    if counts.archives > 0 {
        parts.push(counted_as(counts.archives as u64, "archive", "archives"));
    }
    if games.games > 0 {
        let number = counted_as(games.games, "game", "games");
        parts.push(if games.is_all {
            number
        } else {
            format!("at least {number}")
        });
    }
    if counts.unreadable > 0 {
        let files = counted_as(counts.unreadable as u64, "file", "files");
        parts.push(format!("{files} that cannot be read"));
    }
    let text = parts.join(", ");
    let written = match out {
        Some(folder) => format!("Only new files in {} are written", folder.path_text()),
        None => "Nothing is changed".to_owned(),
    };
    if lan {
        return format!("{text}. {written}. Ctrl-C ends it.");
    }
    format!("{text}. {written}, nothing leaves this machine. Ctrl-C ends it.")
}

/// ^C and SIGTERM end the server.
fn stop_on_signal(stop: &StopHandle) {
    let stop = stop.clone();
    // Without a handler a signal ends the process at once, which leaves nothing unfinished either.
    let _ = ctrlc::set_handler(move || stop.stop());
}

fn in_output(error: std::io::Error) -> Error {
    Error::from(error).in_output()
}
