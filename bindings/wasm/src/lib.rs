//! tabia for browsers and Node: databases and books whose files are read in ranges. `tabia.mjs` calls these functions;
//! everything is done by the crate `tabia`.
//!
//! Every pointer that is passed comes from a function here and is valid until it is freed. After each call the host checks
//! whether one of its reads failed, and then discards the result.

mod game_json;
mod host_file;
mod json;
mod opened;
#[cfg(feature = "search")]
mod search;

use tabia::Error;

use opened::Opened;

/// What was opened, and the text of the last call.
pub struct Handle {
    opened: Option<Opened>,
    text: String,
}

impl Handle {
    /// Makes a result the text; if it is an error, the text is why.
    fn answer(&mut self, text: Result<String, Error>) -> bool {
        let is_done = text.is_ok();
        self.text = text.unwrap_or_else(|error| error.to_string());
        is_done
    }

    /// Makes a part of a result the text, and returns the number from which the next part goes on; 0 for an error.
    fn part(&mut self, part: Result<(u64, String), Error>) -> u32 {
        let (next, text) = match part {
            Ok((next, text)) => (u32::try_from(next).unwrap_or(u32::MAX), Ok(text)),
            Err(error) => (0, Err(error)),
        };
        self.answer(text);
        next
    }

    fn opened(&self) -> Result<&Opened, Error> {
        let closed = || Error::usage("nothing is open");
        self.opened.as_ref().ok_or_else(closed)
    }
}

/// Memory for bytes that are passed to the other functions, which free it.
#[unsafe(no_mangle)]
pub extern "C" fn tabia_alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// The text in bytes that were allocated, which are freed.
///
/// # Safety
/// `bytes` comes from `tabia_alloc` with that length and is not used again.
unsafe fn taken(bytes: *mut u8, length: usize) -> String {
    let slice = std::ptr::slice_from_raw_parts_mut(bytes, length);
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { Box::from_raw(slice) };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Opens a set of files, of which `files` has the sizes and names: of each its size in decimal and its name, and a zero
/// byte after both. The host reads them by their numbers, from 0. The result is never null; [`tabia_is_open`] states
/// whether it could be opened, and the text is why not.
///
/// # Safety
/// `files` comes from `tabia_alloc` with that length and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_open(files: *mut u8, length: usize) -> *mut Handle {
    // SAFETY: the caller vouches for it.
    let files = unsafe { taken(files, length) };
    let mut handle = Handle {
        opened: None,
        text: String::new(),
    };
    match open(&files) {
        Ok(opened) => handle.opened = Some(opened),
        Err(error) => handle.text = error.to_string(),
    }
    Box::into_raw(Box::new(handle))
}

fn open(files: &str) -> Result<Opened, Error> {
    let mut parts = files.split_terminator('\0');
    let mut set = Vec::new();
    while let (Some(size), Some(name)) = (parts.next(), parts.next()) {
        let too_large = || Error::usage(format!("{name} is larger than 4 GiB"));
        let size = size.parse().map_err(|_| too_large())?;
        let number = u32::try_from(set.len()).unwrap_or(u32::MAX);
        set.push((name.to_owned(), host_file::blob(number, size)));
    }
    Opened::new(&set)
}

/// Whether it could be opened.
///
/// # Safety
/// `handle` comes from `tabia_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_is_open(handle: *const Handle) -> bool {
    // SAFETY: the caller vouches for it.
    unsafe { &*handle }.opened.is_some()
}

/// The first byte of the text of the last call.
///
/// # Safety
/// As [`tabia_is_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_text(handle: *const Handle) -> *const u8 {
    // SAFETY: the caller vouches for it.
    unsafe { &*handle }.text.as_ptr()
}

/// The number of bytes of the text of the last call.
///
/// # Safety
/// As [`tabia_is_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_text_length(handle: *const Handle) -> usize {
    // SAFETY: the caller vouches for it.
    unsafe { &*handle }.text.len()
}

/// Makes the format, sizes and problems the text, as JSON. False if it fails; the text is then why, as of all functions.
///
/// # Safety
/// As [`tabia_is_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_info(handle: *mut Handle) -> bool {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { &mut *handle };
    let text = handle.opened().map(Opened::info);
    handle.answer(text)
}

/// Makes the headers of `count` games the text, from the number `first` on, as an array of JSON.
///
/// # Safety
/// As [`tabia_is_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_headers(handle: *mut Handle, first: u32, count: u32) -> bool {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { &mut *handle };
    let opened = handle.opened();
    let text = opened.and_then(|opened| opened.headers(first.into(), count.into()));
    handle.answer(text)
}

/// Makes games the text as PGN, from the number `first` on, at most `count` and about 1 MiB. The result is the number
/// after the last, or 0 if it fails.
///
/// # Safety
/// As [`tabia_is_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_pgn(handle: *mut Handle, first: u32, count: u32) -> u32 {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { &mut *handle };
    let opened = handle.opened();
    let games = opened.and_then(|opened| opened.pgn(first.into(), count.into()));
    handle.part(games)
}

/// Makes the games that fit a query the text, as JSON, from the number `first` on and at most `count`: an object with the
/// lists `games` and `problems`. The result is the number from which the next call goes on, or 0 if it fails. Bit 0 of
/// `records` includes games marked as deleted, bit 1 guiding texts.
///
/// # Safety
/// As [`tabia_is_open`]; `query` comes from `tabia_alloc` with that length and is not used again.
#[cfg(feature = "search")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_search(
    handle: *mut Handle,
    query: *mut u8,
    length: usize,
    first: u32,
    count: u32,
    records: u32,
) -> u32 {
    // SAFETY: the caller vouches for it.
    let (handle, query) = unsafe { (&mut *handle, taken(query, length)) };
    let searched = search::Searched {
        deleted: records & 1 != 0,
        texts: records & 2 != 0,
    };
    let opened = handle.opened();
    let found = opened
        .and_then(|opened| search::search(opened, &query, first.into(), count.into(), searched));
    handle.part(found)
}

/// Makes a game with its moves and what is attached to them the text, as JSON.
///
/// # Safety
/// As [`tabia_is_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_game(handle: *mut Handle, number: u32) -> bool {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { &mut *handle };
    let opened = handle.opened();
    let text = opened.and_then(|opened| opened.game(number.into()));
    handle.answer(text)
}

/// Makes the moves of a book in a position the text, as JSON: `null` if the book does not contain it. The position is a
/// FEN, or moves from the standard position.
///
/// # Safety
/// As [`tabia_is_open`]; `position` comes from `tabia_alloc` with that length and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_find(handle: *mut Handle, position: *mut u8, length: usize) -> bool {
    // SAFETY: the caller vouches for it.
    let (handle, position) = unsafe { (&mut *handle, taken(position, length)) };
    let text = handle.opened().and_then(|opened| opened.moves(&position));
    handle.answer(text)
}
