//! Writing games.

use std::ffi::c_char;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use tabia_rust::core::games::Database;
use tabia_rust::{
    CreateOptions, DatabaseWriter, Error, Game, GameIndex, Recorder, Want, create_with, game_of_pgn,
};

use crate::database::{tabia_counts, tabia_database};
use crate::error::tabia_error;
use crate::{guarded, is_null, pointee, text};

/// Games that are being written to a new file.
#[expect(non_camel_case_types, reason = "the name in C")]
pub struct tabia_writer(Mutex<DatabaseWriter>);

/// Begins a file, whose name states its format: `games.pgn`, `mega.cbh`, `mega.si5`; NULL if it fails. `force` lets
/// it replace an existing one. It gets its name by `tabia_write_finish`; until then nothing of it is seen.
///
/// # Safety
/// `path` ends with a zero byte; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_write_open(
    path: *const c_char,
    force: bool,
    error: *mut *mut tabia_error,
) -> *mut tabia_writer {
    // SAFETY: the caller vouches for the pointers.
    let writer = unsafe {
        guarded(error, || {
            let mut options = CreateOptions::default();
            options.force = force;
            Ok(create_with(text::read(path)?, &options)?)
        })
    };
    writer.map_or(ptr::null_mut(), |writer| {
        Box::into_raw(Box::new(tabia_writer(Mutex::new(writer))))
    })
}

/// Appends a record of a database, counted from 1; a guiding text is none that can be appended. Of what was done the
/// numbers of problems and losses are stored in `counts`, if that is not NULL: what could not be read of the
/// game, and what of it the file cannot hold. Nothing is written of a game if it fails, and others can follow. It fails with
/// `TABIA_USAGE` if `writer` or `database` is NULL.
///
/// # Safety
/// `writer` and `database` are open or NULL; `counts` and `error` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_write_game(
    writer: *mut tabia_writer,
    database: *const tabia_database,
    number: u64,
    counts: *mut tabia_counts,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let done = guarded(error, || {
            let writer = pointee(writer, "writer")?;
            let (opened, index) = pointee(database, "database")?.find(number)?;
            let (game, problems) = read(opened, index).map_err(|error| error.in_game(index))?;
            Ok(append(writer, &game, problems)?)
        });
        store(done, counts)
    }
}

/// Appends the first game of a text in PGN. `counts` is as for `tabia_write_game`. It fails with `TABIA_USAGE` if
/// `writer` or `pgn` is NULL.
///
/// # Safety
/// `writer` is open or NULL; `pgn` ends with a zero byte or is NULL; `counts` and `error` are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_write_pgn(
    writer: *mut tabia_writer,
    pgn: *const c_char,
    counts: *mut tabia_counts,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let done = guarded(error, || {
            let writer = pointee(writer, "writer")?;
            let game = game_of_pgn(text::read(pgn)?)?;
            Ok(append(writer, &game, 0)?)
        });
        store(done, counts)
    }
}

/// Completes the file, gives it its name, and frees the writer, also if it fails: there is no new file then.
/// It fails with `TABIA_USAGE` if `writer` is NULL.
///
/// # Safety
/// `writer` comes from `tabia_write_open` and is not used again, or is NULL; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_write_finish(
    writer: *mut tabia_writer,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers; it was made by `Box::into_raw`.
    let done = unsafe {
        let writer = (!writer.is_null()).then(|| Box::from_raw(writer));
        guarded(error, || {
            let writer = writer
                .ok_or_else(|| is_null("writer"))?
                .0
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner);
            Ok(writer.finish()?)
        })
    };
    done.is_some()
}

/// Frees a writer without a file; NULL is ignored.
///
/// # Safety
/// `writer` comes from `tabia_write_open` and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_write_cancel(writer: *mut tabia_writer) {
    if !writer.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the caller does not use it again.
        drop(unsafe { Box::from_raw(writer) });
    }
}

/// A game, and the number of its problems.
fn read(database: &dyn Database, index: GameIndex) -> Result<(Game, u64), Error> {
    if database.entry(index)?.is_text {
        return Err(Error::usage("is a guiding text and no game"));
    }
    let mut recorder = Recorder::new();
    let _ = database.reader().read(index, Want::ALL, &mut recorder)?;
    let problems = recorder.take_problems().len() as u64;
    Ok((recorder.replace(Game::new()), problems))
}

fn append(writer: &tabia_writer, game: &Game, problems: u64) -> Result<tabia_counts, Error> {
    let mut writer = writer.0.lock().unwrap_or_else(PoisonError::into_inner);
    let losses = writer.write(game)?;
    Ok(tabia_counts {
        games: 1,
        texts: 0,
        problems,
        losses: losses.iter().map(|(_, loss)| loss.count).sum(),
    })
}

/// Stores what was done.
///
/// # Safety
/// `counts` is null or can be written to.
pub(crate) unsafe fn store(done: Option<tabia_counts>, counts: *mut tabia_counts) -> bool {
    if let Some(done) = done
        && !counts.is_null()
    {
        // SAFETY: the caller vouches for it.
        unsafe { *counts = done };
    }
    done.is_some()
}
