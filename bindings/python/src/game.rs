//! [`Game`]: a game with its tags.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::core::chess::FenStyle;
use tabia::core::games::HeadName;
use tabia::{CreateOptions, Error, FileStates, GameIndex, GameResult, Profile, Want};

use crate::date::Date;
use crate::error::{self, OrRaise};
use crate::game_heads::GameHeads;
use crate::html;
use crate::inputs::Inputs;
use crate::move_node::{Moves, Node};
use crate::position::{Position, uci_text};
use crate::read_game::read_record;

/// A game. It does not change. Of a database in files its tags and moves are read when they are first asked for,
/// which fails once these files have changed.
///
/// >>> game = db.game(2)
/// >>> game.white, game.tags["White"], game.plies, game.problems
/// ('Morphy, Paul', 'Morphy, Paul', 33, [])
/// >>> game.pgn("seven").split()[-1]
/// '1-0'
#[pyclass(frozen, weakref, module = "tabia")]
pub(crate) struct Game {
    known: Known,
    /// The number in its database, from 0.
    pub(crate) index: Option<u32>,
    /// Those of what is known.
    pub(crate) problems: Vec<Error>,
    /// Those of a game that was pickled, as exceptions.
    pickled_problems: Option<Py<PyList>>,
    whole: OnceLock<Box<Whole>>,
    moves: OnceLock<Option<Arc<Moves>>>,
}

/// A game that was pickled.
#[pyfunction]
pub(crate) fn _game(
    py: Python<'_>,
    pgn: &str,
    number: Option<u32>,
    source: &str,
    problems: Py<PyList>,
) -> PyResult<Game> {
    let game = tabia::game_of_pgn(pgn).or_raise(py)?;
    let index = number.and_then(|number| number.checked_sub(1));
    let mut game = Game::new(Box::new(game), index, source.into());
    game.pickled_problems = Some(problems);
    Ok(game)
}

/// What is pickled of a game: as PGN with everything, its number and source, its problems.
type Pickled<'py> = (String, Option<u64>, String, Bound<'py, PyList>);

/// What was read of a game before anything was asked of it.
enum Known {
    /// All of it; its tags alone if there is a record.
    Read {
        game: Box<tabia::Game>,
        source: Arc<str>,
        record: Option<Arc<RecordSource>>,
    },
    /// What the index states: one of the heads of a piece.
    Head(Arc<HeadsOfRecords>, u32),
}

/// Heads of a piece, with the database that they are of.
pub(crate) struct HeadsOfRecords {
    pub(crate) heads: GameHeads,
    pub(crate) source: Arc<str>,
    pub(crate) record: Arc<RecordSource>,
}

/// The database that moves are read from when they are asked for.
pub(crate) struct RecordSource {
    pub(crate) inputs: Arc<Inputs>,
    /// The number of the input.
    pub(crate) input: usize,
    /// The states of its files when the game was found.
    pub(crate) states: FileStates,
    pub(crate) wanted: Arc<WantedParts>,
}

/// What was asked of a game that had not been read: it is read of the games that follow.
#[derive(Default)]
pub(crate) struct WantedParts {
    pub(crate) tags: AtomicBool,
    pub(crate) moves: AtomicBool,
}

impl RecordSource {
    /// Reads a part of a record.
    fn read(&self, py: Python<'_>, index: u32, want: Want) -> PyResult<Whole> {
        let wanted = match want {
            Want::TAGS => &self.wanted.tags,
            _ => &self.wanted.moves,
        };
        wanted.store(true, Ordering::Relaxed);
        let inputs = &self.inputs;
        inputs.ensure_open(py)?;
        let read = || {
            let database = inputs.opened_in(self.input, &self.states)?;
            let missing = || Error::usage("there is no such input");
            let item = inputs.items.get(self.input).ok_or_else(missing)?;
            let (game, problems) = read_record(&*database, GameIndex(index), want, item)?;
            self.states.check()?;
            Ok(Whole { game, problems })
        };
        py.detach(read).or_raise(py)
    }
}

/// A game with its moves and problems.
struct Whole {
    game: tabia::Game,
    problems: Vec<Error>,
}

/// The profile of PGN with that name.
pub(crate) fn profile(name: &str) -> Result<Profile, Error> {
    let known = Profile::ALL.iter().find(|(_, known)| *known == name);
    known.map(|(profile, _)| *profile).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|(_, name)| *name).collect();
        Error::usage(format!(
            "`{name}` is no profile of PGN: there are {}",
            names.join(", ")
        ))
    })
}

impl Game {
    fn of(known: Known, index: Option<u32>) -> Self {
        Self {
            known,
            index,
            problems: Vec::new(),
            pickled_problems: None,
            whole: OnceLock::new(),
            moves: OnceLock::new(),
        }
    }

    pub(crate) fn new(game: Box<tabia::Game>, index: Option<u32>, source: Arc<str>) -> Self {
        let known = Known::Read {
            game,
            source,
            record: None,
        };
        Self::of(known, index)
    }

    /// A game whose tags are known, with what its moves are read from.
    pub(crate) fn of_tags(
        game: Box<tabia::Game>,
        index: u32,
        source: Arc<str>,
        record: Arc<RecordSource>,
    ) -> Self {
        let known = Known::Read {
            game,
            source,
            record: Some(record),
        };
        Self::of(known, Some(index))
    }

    /// A game whose head is known.
    pub(crate) fn of_head(heads: Arc<HeadsOfRecords>, number: u32, index: u32) -> Self {
        Self::of(Known::Head(heads, number), Some(index))
    }

    /// What is read when more is asked for than is known; `None` if all is known.
    fn record(&self) -> Option<&RecordSource> {
        match &self.known {
            Known::Read { record, .. } => record.as_deref(),
            Known::Head(heads, _) => Some(&heads.record),
        }
    }

    /// Reads what is not known yet.
    fn read(&self, py: Python<'_>) -> PyResult<Option<&Whole>> {
        let (Some(record), Some(index)) = (self.record(), self.index) else {
            return Ok(None);
        };
        if let Some(whole) = self.whole.get() {
            return Ok(Some(whole));
        }
        let whole = record.read(py, index, Want::ALL)?;
        Ok(Some(self.whole.get_or_init(|| Box::new(whole))))
    }

    fn whole(&self, py: Python<'_>) -> PyResult<&tabia::Game> {
        match (self.read(py)?, &self.known) {
            (Some(whole), _) => Ok(&whole.game),
            (None, Known::Read { game, .. }) => Ok(game),
            // Heads have a record.
            (None, Known::Head(..)) => Err(PyValueError::new_err("the game has no number")),
        }
    }

    /// The value of a tag; `None` if it is unknown.
    fn name(&self, name: HeadName) -> Option<&str> {
        match &self.known {
            Known::Read { game, .. } => game
                .tag(name.tag())
                .filter(|value| !matches!(*value, "" | "?")),
            Known::Head(heads, number) => heads.heads.name(*number, name),
        }
    }

    /// The value of any tag; `None` if the game has none, or it is unknown.
    fn tag(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        let value = self.tags(py)?.get_item(name)?;
        let value = value.map(|value| value.extract::<String>()).transpose()?;
        Ok(value.filter(|value| !matches!(&**value, "" | "?" | "-")))
    }

    fn fide_id(&self, py: Python<'_>, name: &str) -> PyResult<Option<u32>> {
        let id = self.tag(py, name)?;
        Ok(id
            .and_then(|id| id.trim().parse().ok())
            .filter(|id| *id > 0))
    }

    fn elo(&self, side: usize) -> Option<u16> {
        let elo = match &self.known {
            Known::Read { game, .. } => {
                let tags = &game.head.tags;
                [tags.white_elo(), tags.black_elo()]
            }
            Known::Head(heads, number) => heads.heads.elo(*number),
        };
        elo.get(side).copied().flatten()
    }

    fn result_of(&self) -> GameResult {
        match &self.known {
            Known::Read { game, .. } => game.result,
            Known::Head(heads, number) => heads.heads.result(*number),
        }
    }

    fn moves(&self, game: &tabia::Game) -> PyResult<Arc<Moves>> {
        let moves = self.moves.get_or_init(|| Moves::of(game).map(Arc::new));
        let impossible = || PyValueError::new_err("its first position cannot be played from");
        moves.clone().ok_or_else(impossible)
    }
}

#[pymethods]
impl Game {
    /// The number in its database, from 1.
    #[getter]
    fn number(&self) -> Option<u64> {
        self.index.map(|index| u64::from(index) + 1)
    }

    /// The input that the game was read from.
    #[getter]
    fn source(&self) -> &str {
        match &self.known {
            Known::Read { source, .. } => source,
            Known::Head(heads, _) => &heads.source,
        }
    }

    /// The tag pairs in stored order; of a tag that occurs twice, the first. A game that begins with another position
    /// than the usual one has the tags `SetUp` and `FEN`, also where the format stores it in another way.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let read;
        let game = match (&self.known, self.whole.get(), self.index) {
            (_, Some(whole), _) => &whole.game,
            (Known::Read { game, .. }, ..) => &**game,
            (Known::Head(heads, _), None, index) => {
                read = heads
                    .record
                    .read(py, index.unwrap_or_default(), Want::TAGS)?;
                &read.game
            }
        };
        let dict = PyDict::new(py);
        for (name, value) in game.head.tags.iter() {
            if !dict.contains(name)? {
                dict.set_item(name, value)?;
            }
        }
        if let Some(setup) = &game.head.start.setup
            && !dict.contains("FEN")?
        {
            dict.set_item("SetUp", "1")?;
            dict.set_item("FEN", setup.fen(FenStyle::XFen))?;
        }
        Ok(dict)
    }

    /// The player with White; `None` if unknown, as for all tags.
    #[getter]
    fn white(&self) -> Option<&str> {
        self.name(HeadName::White)
    }

    /// The player with Black.
    #[getter]
    fn black(&self) -> Option<&str> {
        self.name(HeadName::Black)
    }

    /// The event.
    #[getter]
    fn event(&self) -> Option<&str> {
        self.name(HeadName::Event)
    }

    /// The site: town or server.
    #[getter]
    fn site(&self) -> Option<&str> {
        self.name(HeadName::Site)
    }

    /// The round.
    #[getter]
    fn round(&self) -> Option<&str> {
        self.name(HeadName::Round)
    }

    /// The opening code, as stored.
    #[getter]
    fn eco(&self) -> Option<&str> {
        self.name(HeadName::Eco)
    }

    /// The Elo of White.
    #[getter]
    fn white_elo(&self) -> Option<u16> {
        self.elo(0)
    }

    /// The Elo of Black.
    #[getter]
    fn black_elo(&self) -> Option<u16> {
        self.elo(1)
    }

    /// The annotator.
    #[getter]
    fn annotator(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.tag(py, "Annotator")
    }

    /// The title of White: `GM`, `BOT`.
    #[getter]
    fn white_title(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.tag(py, "WhiteTitle")
    }

    /// The title of Black.
    #[getter]
    fn black_title(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.tag(py, "BlackTitle")
    }

    /// FIDE's number of White.
    #[getter]
    fn white_fide_id(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        self.fide_id(py, "WhiteFideId")
    }

    /// FIDE's number of Black.
    #[getter]
    fn black_fide_id(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        self.fide_id(py, "BlackFideId")
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> &'static str {
        self.result_of().pgn()
    }

    /// The date, whose parts may be unknown.
    #[getter]
    fn date(&self) -> Date {
        Date(match &self.known {
            Known::Read { game, .. } => game.head.tags.date().unwrap_or_default(),
            Known::Head(heads, number) => heads.heads.date(*number),
        })
    }

    /// Number of plies of the mainline.
    #[getter]
    fn plies(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.whole(py)?.ply_count())
    }

    /// Whether the game has variations.
    #[getter]
    fn has_variations(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.whole(py)?.has_variations())
    }

    /// What was wrong with the game when it was read, as exceptions that were not raised.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(problems) = &self.pickled_problems {
            return Ok(problems.bind(py).clone());
        }
        let whole = self.read(py)?;
        error::list(py, whole.map_or(&self.problems, |whole| &whole.problems))
    }

    /// Comments before the first move.
    #[getter]
    fn comments(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let comments = self.whole(py)?.root().comments();
        Ok(comments.map(|comment| comment.text.to_owned()).collect())
    }

    /// The position before the first move.
    #[getter]
    fn start(&self, py: Python<'_>) -> PyResult<Position> {
        let position = self.whole(py)?.start_position();
        let impossible = || PyValueError::new_err("its first position cannot be played from");
        position.map(Position::from).ok_or_else(impossible)
    }

    /// The moves of the mainline. Each has its `variations`.
    fn mainline(&self, py: Python<'_>) -> PyResult<Vec<Node>> {
        let game = self.whole(py)?;
        let moves = py.detach(|| self.moves(game))?;
        Ok(moves.line(0))
    }

    /// The variations of the mainline in the order of its moves, each a list of moves. The first move of each has the
    /// same `ply` as the move that it is an alternative to; those inside of them are in their own moves.
    ///
    /// >>> game = tabia.open(b"1. e4 (1. d4 d5) e5 (1... c5 2. Nf3) *", name="a.pgn")[0]
    /// >>> [[node.san for node in line] for line in game.variations]
    /// [['d4', 'd5'], ['c5', 'Nf3']]
    #[getter]
    fn variations(&self, py: Python<'_>) -> PyResult<Vec<Vec<Node>>> {
        let game = self.whole(py)?;
        let moves = py.detach(|| self.moves(game))?;
        Ok(moves.variations())
    }

    /// The moves of the mainline in UCI notation.
    fn uci(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let game = self.whole(py)?;
        py.detach(|| {
            let chess960 = game.head.start.chess960;
            if game.start_position().is_none() {
                self.moves(game)?;
            }
            let moves = game.root().moves();
            Ok(moves.map(|node| uci_text(node.ply(), chess960)).collect())
        })
    }

    /// The game as PGN in a profile: `full` (the default) loses nothing.
    #[pyo3(signature = (profile="full"))]
    fn pgn(&self, py: Python<'_>, profile: &str) -> PyResult<String> {
        let game = self.whole(py)?;
        py.detach(|| {
            let mut options = CreateOptions::default();
            options.profile = self::profile(profile)?;
            let create = tabia::writable_formats().find_map(|format| format.create_text);
            let create = create.ok_or_else(|| Error::unsupported("no text can be written"))?;
            let mut writer = create(&options)?;
            let index = GameIndex(self.index.unwrap_or_default());
            let _ = game.replay(index, Want::ALL, &mut *writer);
            Ok(String::from_utf8_lossy(writer.text()).into_owned())
        })
        .or_raise(py)
    }

    /// The game as `chess.pgn.Game` of the package `chess`, which must be installed; passed as text.
    fn to_chess<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.pgn(py, "lichess")?;
        let file = py.import("io")?.call_method1("StringIO", (text,))?;
        py.import("chess.pgn")?.call_method1("read_game", (file,))
    }

    /// The tags and the moves, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let game = self.whole(py)?;
        let tags = game.head.tags.iter();
        let rows = tags.map(|(name, value)| vec![name.to_string(), value.to_string()]);
        let table = html::table(&["tag", "value"], rows);
        let text = self.pgn(py, "standard")?;
        // Without the tags, which are in the table.
        let moves = text.split_once("\n\n").map_or(&*text, |(_, moves)| moves);
        Ok(format!("<div>{table}<p>{}</p></div>", html::escaped(moves)))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.pgn(py, "standard")
    }

    fn __repr__(&self) -> String {
        let name = |name: Option<&str>| name.unwrap_or("?").to_owned();
        let (white, black) = (name(self.white()), name(self.black()));
        format!("<tabia.Game {white} - {black} {}>", self.result())
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.whole(py)? == other.whole(py)?)
    }

    /// Equal games have the same tags, moves and result.
    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let game = self.whole(py)?;
        let mut hasher = DefaultHasher::new();
        game.result.pgn().hash(&mut hasher);
        for pair in game.head.tags.iter() {
            pair.hash(&mut hasher);
        }
        for node in game.root().moves() {
            uci_text(node.ply(), true).hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    /// Pickled as PGN with everything, with its problems.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let make = py.import("tabia._tabia")?.getattr("_game")?;
        let source = self.source().to_owned();
        let problems = self.problems(py)?;
        Ok((
            make,
            (self.pgn(py, "full")?, self.number(), source, problems),
        ))
    }
}
