//! Mainlines of PGN files, read by pgn-reader.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::shakmaty::san::SanPlus;
use pgn_reader::{RawTag, Reader, Skip, Visitor};

/// The start and the mainline of a game.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// The value of the tag `FEN`; `None` if absent.
    pub fen: Option<Vec<u8>>,
    /// The moves in SAN, each followed by a blank.
    sans: Vec<u8>,
}

impl Game {
    /// The moves in SAN, with `+` and `#` as in the file.
    pub fn sans(&self) -> impl Iterator<Item = &[u8]> {
        self.sans
            .split(|&byte| byte == b' ')
            .filter(|san| !san.is_empty())
    }
}

/// Calls `visit` with each game of a file in order. Files with the extension `.zst` are decompressed.
pub fn for_each_game(path: &Path, mut visit: impl FnMut(Game)) -> io::Result<()> {
    let file = BufReader::new(File::open(path)?);
    let source: Box<dyn Read> = if path.extension().is_some_and(|end| end == "zst") {
        Box::new(zstd::Decoder::with_buffer(file)?)
    } else {
        Box::new(file)
    };
    let mut reader = Reader::new(source);
    while let Some(game) = reader.read_game(&mut Collector)? {
        visit(game);
    }
    Ok(())
}

struct Collector;

impl Visitor for Collector {
    type Tags = Game;
    type Movetext = Game;
    type Output = Game;

    fn begin_tags(&mut self) -> ControlFlow<Game, Game> {
        ControlFlow::Continue(Game::default())
    }

    fn tag(&mut self, game: &mut Game, name: &[u8], value: RawTag<'_>) -> ControlFlow<Game> {
        if name == b"FEN" {
            game.fen = Some(value.decode().into_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Game) -> ControlFlow<Game, Game> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Game> {
        san.append_ascii_to(&mut game.sans);
        game.sans.push(b' ');
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Game) -> ControlFlow<Game, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, game: Game) -> Game {
        game
    }
}
