//! Databases and visitors of their games.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use tabia_rust::annotation::{Clock, ClockKind, Eval, Score, Shape, ShapeKind};
use tabia_rust::core::games::Database;
use tabia_rust::{
    Annotation, Error, Flow, GameHead, GameIndex, GameResult, InputItem, OpenInput, OpenOptions,
    Ply, Position, Problem, Resolver, Visitor, Want,
};

use crate::convert::charset;
use crate::error::tabia_error;
use crate::{guarded, pointee, text};

/// A database; several if an archive or a folder was opened.
#[expect(non_camel_case_types, reason = "the name in C")]
pub struct tabia_database {
    databases: Vec<Box<dyn Database>>,
    pub(crate) items: Arc<Vec<InputItem>>,
    /// How they were opened.
    pub(crate) open: OpenOptions,
    format: CString,
}

/// Functions that get the parts of a game in the order of PGN. Each may be NULL: what it would get is then left out.
/// `false` ends the game. The texts and structures that the functions get are never NULL; `context` is what
/// `tabia_game_visit` got, NULL too.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tabia_visitor {
    /// A tag pair, before the moves.
    pub tag: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            name: *const c_char,
            value: *const c_char,
        ) -> bool,
    >,
    /// A move in SAN and in UCI notation.
    pub ply: Option<
        unsafe extern "C" fn(context: *mut c_void, san: *const c_char, uci: *const c_char) -> bool,
    >,
    /// A comment.
    pub comment: Option<unsafe extern "C" fn(context: *mut c_void, text: *const c_char) -> bool>,
    /// A numeric annotation glyph.
    pub nag: Option<unsafe extern "C" fn(context: *mut c_void, nag: u32) -> bool>,
    /// A variation begins: an alternative to the last move. `false` leaves it out.
    pub begin_variation: Option<unsafe extern "C" fn(context: *mut c_void) -> bool>,
    /// A variation ends.
    pub end_variation: Option<unsafe extern "C" fn(context: *mut c_void)>,
    /// Something in the game could not be read, and reading goes on; the error is not to be freed.
    pub problem:
        Option<unsafe extern "C" fn(context: *mut c_void, problem: *const tabia_error) -> bool>,
    /// The game ends with `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub end_game: Option<unsafe extern "C" fn(context: *mut c_void, result: *const c_char)>,
    /// A position as FEN: the one before the first move, after the tags, and the one after each move, also in
    /// variations, before what is attached to the move.
    pub position: Option<unsafe extern "C" fn(context: *mut c_void, fen: *const c_char) -> bool>,
    /// An arrow in the position after the last move. The colour is a word as `green`, `#rrggbb`, or
    /// `chessbase:` and its number there.
    pub arrow: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            color: *const c_char,
            from: *const c_char,
            to: *const c_char,
        ) -> bool,
    >,
    /// A marked square in the position after the last move. The form is `square`, `circle`, `disk`, `frame`, or
    /// a character for a letter on the square.
    pub mark: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            form: *const c_char,
            color: *const c_char,
            square: *const c_char,
        ) -> bool,
    >,
    /// A time of the last move.
    pub clock: Option<
        unsafe extern "C" fn(context: *mut c_void, kind: tabia_clock_kind, seconds: f64) -> bool,
    >,
    /// An evaluation of the position after the last move.
    pub evaluation: Option<
        unsafe extern "C" fn(context: *mut c_void, evaluation: *const tabia_evaluation) -> bool,
    >,
}

/// What a clock states.
#[expect(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy)]
pub enum tabia_clock_kind {
    /// Time left after the move.
    TABIA_CLOCK_LEFT = 1,
    /// Time spent on the move.
    TABIA_CLOCK_SPENT = 2,
    /// Time spent in the game so far.
    TABIA_CLOCK_GAME = 3,
    /// Reading of a mechanical clock.
    TABIA_CLOCK_MECHANICAL = 4,
}

/// An evaluation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tabia_evaluation {
    /// Hundredths of a pawn, or moves to mate; positive if White is better, or mates.
    pub score: i32,
    /// Whether the score counts moves to mate.
    pub is_mate: bool,
    /// Plies that were searched; -1 if unknown.
    pub depth: i32,
}

/// Opens games of any format: a file, a folder, an archive; NULL if it fails.
///
/// # Safety
/// `path` ends with a zero byte; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_open(
    path: *const c_char,
    error: *mut *mut tabia_error,
) -> *mut tabia_database {
    // SAFETY: the caller vouches for the pointers.
    unsafe { tabia_open_with(path, ptr::null(), ptr::null(), error) }
}

/// Opens games as `tabia_open` does, with the password of an archive and the character set of files that do not name
/// theirs; each may be NULL.
///
/// # Safety
/// The texts end with a zero byte or are NULL; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_open_with(
    path: *const c_char,
    password: *const c_char,
    encoding: *const c_char,
    error: *mut *mut tabia_error,
) -> *mut tabia_database {
    // SAFETY: the caller vouches for the pointers.
    let database = unsafe {
        guarded(error, || {
            let mut options = OpenOptions::default();
            options.password = text::read_optional(password)?.map(str::to_owned);
            if let Some(name) = text::read_optional(encoding)? {
                options.charset = charset(name)?;
            }
            Ok(open(text::read(path)?.as_ref(), options)?)
        })
    };
    database.map_or(ptr::null_mut(), |database| {
        Box::into_raw(Box::new(database))
    })
}

fn open(path: &Path, options: OpenOptions) -> Result<tabia_database, Error> {
    let (mut databases, mut items) = (Vec::new(), Vec::new());
    let mut format = CString::default();
    let known = tabia_rust::formats().chain(tabia_columns::read::formats());
    let mut resolver = Resolver::new(known);
    resolver.options = options.clone();
    for item in resolver.resolve_games(path.as_os_str())? {
        let item = item?;
        match item.open_indexed(&options)?.input {
            OpenInput::Database(database) => databases.push(database),
            _ => return Err(Error::usage(format!("{} holds no games", item.name()))),
        }
        if format.is_empty() {
            format = text::write(&item.format().id().to_string());
        }
        items.push(item);
    }
    Ok(tabia_database {
        databases,
        items: Arc::new(items),
        open: options,
        format,
    })
}

/// Closes a database; NULL is ignored.
///
/// # Safety
/// `database` comes from `tabia_open` and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_close(database: *mut tabia_database) {
    if !database.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the caller does not use it again.
        drop(unsafe { Box::from_raw(database) });
    }
}

/// Number of records, guiding texts and deleted games too; 0 for NULL.
///
/// # Safety
/// `database` is open or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_len(database: *const tabia_database) -> u64 {
    // SAFETY: the caller vouches for it.
    let database = unsafe { database.as_ref() };
    let databases = database
        .into_iter()
        .flat_map(|database| &database.databases);
    databases.map(|database| u64::from(database.len())).sum()
}

/// The short name of the format, `cbh` for example; empty for NULL.
///
/// # Safety
/// `database` is open or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_format(database: *const tabia_database) -> *const c_char {
    // SAFETY: the caller vouches for it.
    let database = unsafe { database.as_ref() };
    database.map_or(c"".as_ptr(), |database| database.format.as_ptr())
}

/// Hands a record, counted from 1, to a visitor. `context` is passed to its functions, and may be NULL. It fails with
/// `TABIA_USAGE` if `database` or `visitor` is NULL; any function of the visitor may be NULL.
///
/// # Safety
/// `database` is open or NULL; `visitor` is NULL, or has functions of these types or NULL; `error` is null or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_game_visit(
    database: *const tabia_database,
    number: u64,
    visitor: *const tabia_visitor,
    context: *mut c_void,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    let done = unsafe {
        guarded(error, || {
            let mut calls = Calls {
                functions: *pointee(visitor, "visitor")?,
                context,
                game: GameIndex(0),
            };
            Ok(visit(pointee(database, "database")?, number, &mut calls)?)
        })
    };
    done.is_some()
}

impl tabia_database {
    pub(crate) fn databases(&self) -> &[Box<dyn Database>] {
        &self.databases
    }

    /// The database with a record that is counted from 1 through all of them, and the record's number in it.
    pub(crate) fn find(&self, number: u64) -> Result<(&dyn Database, GameIndex), Error> {
        let missing = || Error::usage(format!("there is no game {number}"));
        let mut rest = number.checked_sub(1).ok_or_else(missing)?;
        for database in &self.databases {
            let length = u64::from(database.len());
            if rest < length {
                let index = u32::try_from(rest).map_err(|_| missing())?;
                return Ok((&**database, GameIndex(index)));
            }
            rest -= length;
        }
        Err(missing())
    }
}

fn visit(database: &tabia_database, number: u64, calls: &mut Calls) -> Result<(), Error> {
    let (database, index) = database.find(number)?;
    calls.game = index;
    let read = database.reader().read(index, Want::ALL, calls);
    read.map(drop).map_err(|error| error.in_game(index))
}

/// Calls the functions of a visitor.
struct Calls {
    functions: tabia_visitor,
    context: *mut c_void,
    game: GameIndex,
}

fn flow(goes_on: bool, otherwise: Flow) -> Flow {
    if goes_on { Flow::Go } else { otherwise }
}

impl Calls {
    fn position(&self, position: &Position) -> Flow {
        let goes_on = self.functions.position.is_none_or(|function| {
            let fen = text::write(&position.fen());
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context, fen.as_ptr()) }
        });
        flow(goes_on, Flow::Stop)
    }

    fn ply(&self, before: &Position, ply: Ply) -> Flow {
        let Some(function) = self.functions.ply else {
            return Flow::Go;
        };
        let san = text::write(&before.san(ply).to_string());
        let uci = text::write(&before.uci(ply).to_string());
        // SAFETY: the caller of `tabia_game_visit` vouches for the function.
        let goes_on = unsafe { function(self.context, san.as_ptr(), uci.as_ptr()) };
        flow(goes_on, Flow::Stop)
    }

    fn shape(&self, shape: Shape) -> bool {
        let color = text::write(&shape.color.to_string());
        let (form, square) = match shape.kind {
            ShapeKind::Arrow(from, to) => {
                return self.functions.arrow.is_none_or(|function| {
                    let (from, to) = (text::write(&from.to_string()), text::write(&to.to_string()));
                    // SAFETY: the caller of `tabia_game_visit` vouches for the function.
                    unsafe { function(self.context, color.as_ptr(), from.as_ptr(), to.as_ptr()) }
                });
            }
            ShapeKind::Square(square) => ("square".to_owned(), square),
            ShapeKind::Circle(square) => ("circle".to_owned(), square),
            ShapeKind::Disk(square) => ("disk".to_owned(), square),
            ShapeKind::Frame(square) => ("frame".to_owned(), square),
            ShapeKind::Letter(square, letter) => (letter.to_string(), square),
            _ => return true,
        };
        self.functions.mark.is_none_or(|function| {
            let (form, square) = (text::write(&form), text::write(&square.to_string()));
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context, form.as_ptr(), color.as_ptr(), square.as_ptr()) }
        })
    }

    fn clock(&self, clock: Clock) -> bool {
        let kind = match clock.kind {
            ClockKind::Remaining => tabia_clock_kind::TABIA_CLOCK_LEFT,
            ClockKind::ElapsedMove => tabia_clock_kind::TABIA_CLOCK_SPENT,
            ClockKind::ElapsedGame => tabia_clock_kind::TABIA_CLOCK_GAME,
            ClockKind::Mechanical => tabia_clock_kind::TABIA_CLOCK_MECHANICAL,
            _ => return true,
        };
        self.functions.clock.is_none_or(|function| {
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context, kind, clock.time.as_secs_f64()) }
        })
    }

    fn evaluation(&self, eval: Eval) -> bool {
        let (score, is_mate) = match eval.score {
            Score::Centipawns(score) => (score, false),
            Score::Mate(moves) => (moves, true),
        };
        let evaluation = tabia_evaluation {
            score,
            is_mate,
            depth: eval.depth.map_or(-1, i32::from),
        };
        self.functions.evaluation.is_none_or(|function| {
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context, &raw const evaluation) }
        })
    }
}

impl Visitor for Calls {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        if let Some(tag) = self.functions.tag {
            for (name, value) in head.tags.iter() {
                let (name, value) = (text::write(name), text::write(value));
                // SAFETY: the caller of `tabia_game_visit` vouches for the function.
                if !unsafe { tag(self.context, name.as_ptr(), value.as_ptr()) } {
                    return Flow::Stop;
                }
            }
        }
        let start = self.functions.position.and(head.start.position());
        start.map_or(Flow::Go, |start| self.position(&start))
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let flow = self.ply(before, ply);
        if flow != Flow::Go || self.functions.position.is_none() {
            return flow;
        }
        self.position(&before.after(ply))
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let goes_on = match annotation {
            Annotation::Comment(comment) => self.functions.comment.is_none_or(|function| {
                let text = text::write(comment.text);
                // SAFETY: the caller of `tabia_game_visit` vouches for the function.
                unsafe { function(self.context, text.as_ptr()) }
            }),
            Annotation::Nag(nag) => self.functions.nag.is_none_or(|function| {
                // SAFETY: the caller of `tabia_game_visit` vouches for the function.
                unsafe { function(self.context, u32::from(nag.0)) }
            }),
            Annotation::Shape(shape) => self.shape(shape),
            Annotation::Clock(clock) => self.clock(clock),
            Annotation::Eval(eval) => self.evaluation(eval),
            _ => true,
        };
        flow(goes_on, Flow::Stop)
    }

    fn begin_variation(&mut self) -> Flow {
        let goes_on = self.functions.begin_variation.is_none_or(|function| {
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context) }
        });
        flow(goes_on, Flow::Skip)
    }

    fn end_variation(&mut self) {
        if let Some(function) = self.functions.end_variation {
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context) }
        }
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        let goes_on = self.functions.problem.is_none_or(|function| {
            let problem = tabia_error::from(problem.error.in_game(self.game));
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context, &raw const problem) }
        });
        flow(goes_on, Flow::Stop)
    }

    fn end_game(&mut self, result: GameResult) {
        if let Some(function) = self.functions.end_game {
            let result = text::write(result.pgn());
            // SAFETY: the caller of `tabia_game_visit` vouches for the function.
            unsafe { function(self.context, result.as_ptr()) }
        }
    }
}

/// What a conversion did.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tabia_counts {
    /// Games that were converted.
    pub games: u64,
    /// Guiding texts that were converted.
    pub texts: u64,
    /// Problems of the input.
    pub problems: u64,
    /// Items that the target cannot hold.
    pub losses: u64,
}
