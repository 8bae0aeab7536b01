//! `tabia book build`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::above_zero;
use crate::args::common::{CommonArgs, IndexUseArgs, bytes};

/// Builds a book from games of any format
///
/// The extension of the output names the format. A move weighs two points for a win of the side that plays
/// them and one for a draw or an unknown result; where that is more than 16 bits hold, the weights
/// of the position are scaled. Games whose moves cannot all be read are left out and reported.
/// Polyglot's own spelling works too: `-pgn games.pgn -bin book.bin -max-ply 40 -min-game 5`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book build games.pgn -o book.bin
  tabia book build mega.cbh -o strong.bin --where \"elo:>=2500 date:2010..\"
  tabia book build games.pgn -o same.bin --compat polyglot --max-ply 60
  tabia book build games.pgn -o linked.kob --max-ply 30 --game-links --names")]
pub(crate) struct BookBuildArgs {
    /// Databases: files, base names, folders, archives, `archive:member`, or `-` [default: standard input,
    /// if it is a pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The book's format [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Plies read of each game [default: 1024; with `--append` those of the book]
    #[arg(long, aliases = ["plies", "depth"], value_name = "N", value_parser = above_zero::<u32>, help_heading = "Moves")]
    pub(crate) max_ply: Option<u32>,
    /// Least number of games in which a move was played [default: 3; 1 with `--game-links`]
    #[arg(
        long,
        visible_alias = "min-game",
        value_name = "N",
        value_parser = above_zero::<u64>,
        help_heading = "Moves"
    )]
    pub(crate) min_games: Option<u64>,
    /// Least score, in percent, of the side that plays a move
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 0.0,
        value_parser = percent,
        help_heading = "Moves"
    )]
    pub(crate) min_score: f64,
    /// Least share, in percent, of a move in the games of its position
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 0.0,
        value_parser = percent,
        help_heading = "Moves"
    )]
    pub(crate) min_percent: f64,
    /// Only moves of White
    #[arg(long, conflicts_with = "only_black", help_heading = "Moves")]
    pub(crate) only_white: bool,
    /// Only moves of Black
    #[arg(long, help_heading = "Moves")]
    pub(crate) only_black: bool,
    /// Also moves that never scored (formats with results always have them)
    #[arg(long, help_heading = "Moves")]
    pub(crate) scoreless: bool,
    /// Also moves of variations
    #[arg(long, help_heading = "Moves")]
    pub(crate) variations: bool,
    /// Every weight is 1
    #[arg(long, conflicts_with_all = ["recency", "stretch"], help_heading = "Weights")]
    pub(crate) uniform: bool,
    /// Points halve with every N years of age
    #[arg(long, value_name = "YEARS", help_heading = "Weights")]
    pub(crate) recency: Option<f64>,
    /// The heaviest move of each position gets 65535
    #[arg(long, help_heading = "Weights")]
    pub(crate) stretch: bool,
    /// Byte for byte the book that `polyglot make-book` 2.0.4 makes of the same PGN
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["recency", "stretch", "scoreless", "min_percent"], help_heading = "Weights")]
    pub(crate) compat: Option<Compat>,
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS", help_heading = "Games")]
    pub(crate) games: Option<String>,
    /// Also records marked as deleted
    #[arg(long, help_heading = "Games")]
    pub(crate) include_deleted: bool,
    /// Only games that match, as `elo:>=2500 date:2010.. -result:*`
    #[arg(
        long = "where",
        value_name = "QUERY",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true,
        help_heading = "Games"
    )]
    pub(crate) filter: String,
    #[command(flatten)]
    pub(crate) index: IndexUseArgs,
    #[command(flatten)]
    pub(crate) kvetka: KvetkaArgs,
    /// Memory for counting; the rest goes to disk
    #[arg(long, value_name = "BYTES", default_value = "512M", value_parser = bytes)]
    pub(crate) memory: u64,
    /// Do not write `OUT.json`, the record of sources and options
    #[arg(long)]
    pub(crate) no_record: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Options that only Kvetka books have.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Kvetka books")]
pub(crate) struct KvetkaArgs {
    /// The book's caption
    #[arg(long, value_name = "TEXT")]
    pub(crate) caption: Option<String>,
    /// Least ratings of White, Black, the stronger and the weaker player, 0 for any; the book keeps
    /// them
    #[arg(long, value_name = "W,B,S,W", value_delimiter = ',')]
    pub(crate) least_elo: Vec<u16>,
    /// Moves between all positions of the book, played or not
    #[arg(long)]
    pub(crate) all_moves: bool,
    /// Comments with code and name of the openings
    #[arg(long)]
    pub(crate) names: bool,
    /// Links to the games in PGN files and ChessBase databases; every position of every game then,
    /// as Kvetka stores them
    #[arg(long, conflicts_with_all = ["compat", "recency", "stretch", "uniform", "scoreless", "variations", "min_score", "min_percent", "only_white", "only_black"])]
    pub(crate) game_links: bool,
    /// Add the games to an existing book, by the settings in its header
    #[arg(long, requires = "game_links", conflicts_with_all = ["caption", "least_elo", "all_moves"])]
    pub(crate) append: bool,
    /// With `--append`, add the games of a file also if the book has them already: they count once more
    #[arg(long, requires = "append")]
    pub(crate) again: bool,
}

impl KvetkaArgs {
    /// The first of these options in use, as it is typed.
    pub(crate) fn used(&self) -> Option<&'static str> {
        [
            (self.caption.is_some(), "--caption"),
            (!self.least_elo.is_empty(), "--least-elo"),
            (self.all_moves, "--all-moves"),
            (self.names, "--names"),
            (self.game_links, "--game-links"),
            (self.append, "--append"),
        ]
        .into_iter()
        .find_map(|(is_used, name)| is_used.then_some(name))
    }
}

/// The program whose books are made byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    Polyglot,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 100".to_owned())
}

impl BookBuildArgs {
    /// The least number of games in which a move of the book was played.
    pub(crate) fn least_games(&self) -> u64 {
        let usual = if self.kvetka.game_links { 1 } else { 3 };
        self.min_games.unwrap_or(usual).max(1)
    }
}
