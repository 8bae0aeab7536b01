//! Records without their moves.

use std::ffi::{c_char, c_void};

use tabia_rust::list::{ListRow, row};
use tabia_rust::{Error, GameIndex};

use crate::database::tabia_database;
use crate::error::tabia_error;
use crate::{guarded, is_null, pointee, text};

/// What is known of a record without its moves. Texts that are unknown are empty.
#[repr(C)]
pub struct tabia_header {
    /// The number of the record, from 1.
    pub number: u64,
    /// The player with White; the title of a guiding text.
    pub white: *const c_char,
    /// The player with Black.
    pub black: *const c_char,
    /// The event.
    pub event: *const c_char,
    /// The site: town or server.
    pub site: *const c_char,
    /// The round.
    pub round: *const c_char,
    /// The annotator.
    pub annotator: *const c_char,
    /// The opening code, as stored.
    pub eco: *const c_char,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: *const c_char,
    /// The Elo of White; -1 if unknown.
    pub white_elo: i32,
    /// The Elo of Black; -1 if unknown.
    pub black_elo: i32,
    /// The year; 0 if unknown, as month and day.
    pub year: i32,
    /// The month.
    pub month: i32,
    /// The day.
    pub day: i32,
    /// Plies of the mainline; -1 if the database does not store the number.
    pub plies: i64,
    /// Whether it is marked as deleted.
    pub is_deleted: bool,
    /// Whether it is a guiding text and no game.
    pub is_text: bool,
    /// Whether it begins with a position of its own.
    pub has_setup: bool,
    /// Whether it has variations.
    pub has_variations: bool,
    /// Whether it has comments.
    pub has_comments: bool,
}

/// Gets a record, which is never NULL; `false` ends the list. `context` is what `tabia_row` got.
#[expect(non_camel_case_types, reason = "the name in C")]
pub type tabia_on_header =
    Option<unsafe extern "C" fn(context: *mut c_void, header: *const tabia_header) -> bool>;

/// Calls `visit` with what is known of `count` records without their moves, the first of which has the number `first`
/// from 1; fewer if the database ends before. It fails at a record that cannot be read,
/// and with `TABIA_USAGE` if `database` or `visit` is NULL; `context` may be NULL.
///
/// # Safety
/// `database` is open or NULL; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_row(
    database: *const tabia_database,
    first: u64,
    count: u64,
    visit: tabia_on_header,
    context: *mut c_void,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    let done = unsafe {
        guarded(error, || {
            let visit = visit.ok_or_else(|| is_null("visit"))?;
            let call = &mut |number, row: &ListRow<'_>| {
                with_header(number, row, &|header| visit(context, header))
            };
            Ok(each(pointee(database, "database")?, first, count, call)?)
        })
    };
    done.is_some()
}

fn each(
    database: &tabia_database,
    first: u64,
    count: u64,
    call: &mut dyn FnMut(u64, &ListRow<'_>) -> bool,
) -> Result<(), Error> {
    let missing = || Error::usage(format!("there is no record {first}"));
    let first = first.checked_sub(1).ok_or_else(missing)?;
    let end = first.saturating_add(count);
    let mut base = 0;
    for opened in database.databases() {
        let length = u64::from(opened.len());
        let range = first.max(base)..end.min(base + length);
        let mut reader = opened.reader();
        for number in range {
            let index = GameIndex(u32::try_from(number - base).map_err(|_| missing())?);
            let row = row(&**opened, &mut *reader, index);
            let row = row.map_err(|error| error.in_game(index))?;
            if !call(number + 1, &row) {
                return Ok(());
            }
        }
        base += length;
    }
    if count > 0 && first >= base {
        return Err(missing());
    }
    Ok(())
}

fn with_header(
    number: u64,
    row: &ListRow<'_>,
    visit: &dyn Fn(*const tabia_header) -> bool,
) -> bool {
    let eco = row.eco.map_or_else(String::new, |eco| eco.to_string());
    let names = [
        &*row.white,
        &*row.black,
        &*row.event,
        &*row.site,
        &*row.round,
        &*row.annotator,
        &*eco,
        row.result.pgn(),
    ];
    let texts = names.map(text::write);
    let [white, black, event, site, round, annotator, eco, result] =
        texts.each_ref().map(|text| text.as_ptr());
    let header = tabia_header {
        number,
        white,
        black,
        event,
        site,
        round,
        annotator,
        eco,
        result,
        white_elo: row.white_elo.map_or(-1, i32::from),
        black_elo: row.black_elo.map_or(-1, i32::from),
        year: i32::from(row.date.year),
        month: i32::from(row.date.month),
        day: i32::from(row.date.day),
        plies: row.plies.map_or(-1, i64::from),
        is_deleted: row.flags.deleted,
        is_text: row.flags.text,
        has_setup: row.flags.setup,
        has_variations: row.flags.variations,
        has_comments: row.flags.comments,
    };
    visit(&raw const header)
}
