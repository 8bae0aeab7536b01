//! The fields of the language, as users see them.

use super::error_and_suggestions::nearest;

/// A field of the language: `name:value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it asks.
    pub asks: &'static str,
    /// The values it takes.
    pub values: &'static str,
    /// A query with it.
    pub example: &'static str,
}

/// The fields whose values are words, all or some of them.
const WITH_WORDS: [&str; 13] = [
    "result", "speed", "rated", "ends", "medal", "eval", "has", "is", "bishops", "pawns", "stm",
    "move", "sac",
];

impl Field {
    /// The words among its values, as a completion proposes them; empty if a value is a number, a name or a text.
    ///
    /// ```
    /// let field = tabia_query::fields().iter().find(|field| field.name == "bishops");
    /// let words: Vec<&str> = field.into_iter().flat_map(|field| field.words()).collect();
    /// assert_eq!(words, ["opposite", "same"]);
    /// ```
    pub fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        let values = WITH_WORDS.contains(&self.name).then_some(self.values);
        let parts = values
            .into_iter()
            .flat_map(|values| values.split([',', ';']));
        let words = parts.flat_map(|part| part.split(" or "));
        let words = words.filter_map(|part| part.split_whitespace().next());
        // Other parts describe values.
        words.filter(|word| {
            let is_word =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-/".contains(c);
            word.chars().all(is_word) && !DESCRIPTIONS.contains(word)
        })
    }
}

/// What describes values and is none.
const DESCRIPTIONS: [&str; 4] = ["comparison", "number", "pawns", "range"];

/// All fields, in the order in which help lists them.
///
/// ```
/// let fields = tabia_query::fields();
/// assert!(fields.iter().any(|field| field.name == "player"));
/// for field in fields {
///     assert!(tabia_query::Query::parse(field.example).is_ok());
/// }
/// ```
pub fn fields() -> &'static [Field] {
    FIELDS
}

const NAME: &str = "text, \"=Last, First\", /expression/";
const NUMBER: &str = "number, comparison, range";

const fn field(
    name: &'static str,
    asks: &'static str,
    values: &'static str,
    example: &'static str,
) -> Field {
    Field {
        name,
        aliases: &[],
        asks,
        values,
        example,
    }
}

const fn aliased(field: Field, aliases: &'static [&'static str]) -> Field {
    Field { aliases, ..field }
}

const FIELDS: &[Field] = &[
    field("player", "White or Black", NAME, "player:carlsen"),
    field("white", "White", NAME, "white:kasparov"),
    field("black", "Black", NAME, "black:\"=Karpov, Anatoly\""),
    field("winner", "the player who won", NAME, "winner:tal"),
    field("loser", "the player who lost", NAME, "loser:botvinnik"),
    aliased(
        field("event", "event", NAME, "event:candidates"),
        &["tournament"],
    ),
    field("site", "site", NAME, "site:linares"),
    field("round", "round, 1 with its parts, not 10", NAME, "round:1"),
    field("annotator", "annotator", NAME, "annotator:huebner"),
    field("source", "source", NAME, "source:megabase"),
    field("team", "team of either player", NAME, "team:solingen"),
    field("title", "title of either player", NAME, "title:=gm"),
    field("elo", "rating of both players", NUMBER, "elo:>=2700"),
    field("anyelo", "rating of either player", NUMBER, "anyelo:2700.."),
    field(
        "avgelo",
        "mean rating of both players, rounded down",
        NUMBER,
        "avgelo:>2600",
    ),
    field("whiteelo", "rating of White", NUMBER, "whiteelo:2500..2600"),
    field("blackelo", "rating of Black", NUMBER, "blackelo:<2000"),
    field(
        "elodiff",
        "rating of White minus that of Black",
        NUMBER,
        "elodiff:<=-200",
    ),
    aliased(
        field(
            "date",
            "date",
            "date, comparison, range; ????.05 a month, ?? unknown part",
            "date:1990..1999",
        ),
        &["year"],
    ),
    field(
        "eventdate",
        "date of the event",
        "as date",
        "eventdate:2024-04",
    ),
    field(
        "result",
        "result",
        "1-0, 0-1, 1/2-1/2 or draw, * or unknown, decisive, forfeit",
        "result:draw",
    ),
    field(
        "eco",
        "stored opening code",
        "code, first letters, comparison, range",
        "eco:B9",
    ),
    field(
        "opening",
        "name of the opening by position",
        "text, =the whole name, with or without what follows its colon",
        "opening:najdorf",
    ),
    field("line", "first moves", "moves", "line:\"1.e4 c5 2.Nf3\""),
    field("moves", "full moves of the mainline", NUMBER, "moves:<20"),
    field("plies", "plies of the mainline", NUMBER, "plies:>=200"),
    aliased(
        field(
            "speed",
            "how fast the game was",
            "ultrabullet, bullet, blitz, rapid, classical or normal, correspondence, or 180+2",
            "speed:blitz",
        ),
        &["tc", "timecontrol"],
    ),
    field("rated", "rated", "yes, no", "rated:yes"),
    field("variant", "variant", "text", "variant:chess960"),
    field(
        "fideid",
        "FIDE number of either player",
        NUMBER,
        "fideid:1503014",
    ),
    field("tag", "any tag", "name, name=text", "tag:Opening=sicilian"),
    field(
        "ends",
        "how the game ended",
        "mate, stalemate, material, repetition, fifty, time, resign, forfeit",
        "ends:mate",
    ),
    field(
        "text",
        "text in comments; at a moment, of its move",
        "text",
        "text:novelty",
    ),
    field(
        "nag",
        "symbol; at a moment, of its move",
        "$0 to $255, or !?",
        "nag:!!",
    ),
    field(
        "medal",
        "ChessBase medal",
        "best, decided, model, novelty, pawnstructure, strategy, tactics, attack, defence, \
         sacrifice, material, pieceplay, endgame, tacticalblunder, strategicalblunder, user",
        "medal:best",
    ),
    field(
        "eval",
        "stored evaluation in pawns, from White's side; at a moment, of its position; a mate is more than any number",
        "number, comparison, range, mate",
        "eval:>=2",
    ),
    field(
        "clock",
        "time left after a move",
        "seconds or 1:30, comparison, range",
        "clock:<30",
    ),
    field(
        "has",
        "what a game has",
        "variations, comments, nags, setup, clock, eval, arrows, elo (of both players), anyelo (of either)",
        "has:comments",
    ),
    field(
        "is",
        "what a record is; moment: check, mate, stalemate",
        "deleted, text, chess960, duplicate, check, mate, stalemate",
        "is:chess960",
    ),
    field(
        "game",
        "number of the game",
        "number, comparison, range",
        "game:1..100,205",
    ),
    field(
        "db",
        "name of the database, among several",
        "text",
        "db:mega",
    ),
    field(
        "fen",
        "moment: the position, as far as the FEN describes it",
        "FEN; blanks may be _",
        "fen:8/8/8/8/8/4k3/4p3/4K3_w",
    ),
    field(
        "pos",
        "moment: the position after moves, by any order",
        "moves",
        "pos:\"1.d4 d5 2.c4\"",
    ),
    field(
        "sub",
        "moment: a part of the board",
        "FEN with ? any, _ empty, ! occupied, A a any piece of a side, [Qr] one of, [^P] none of",
        "sub:6k1/6p1/8/5N2/8/8/8/8",
    ),
    field(
        "on",
        "moment: a piece on one of some squares",
        "piece and squares",
        "on:[RQ]h1-8",
    ),
    field(
        "mat",
        "moment: exactly this material",
        "pieces; + * ? after one: more, any, none or one",
        "mat:KRPKR",
    ),
    field(
        "count",
        "moment: number of pieces",
        "pieces (black in lower case), comparison, range",
        "count:QRqr<=2",
    ),
    field(
        "imb",
        "moment: pieces that White has more v pieces that he has fewer",
        "pieces v pieces; M minor",
        "imb:MvR",
    ),
    field(
        "balance",
        "moment: White's material minus Black's in pawns",
        NUMBER,
        "balance:>=3",
    ),
    field(
        "bishops",
        "moment: one bishop each",
        "opposite, same",
        "bishops:opposite",
    ),
    field(
        "pawns",
        "moment: structure of pawns, White's unless /black",
        "pawns in FEN, iqp, hanging, carlsbad, maroczy, hedgehog, stonewall, benoni, frenchchain, \
         kidchain, passed, isolated, doubled",
        "pawns:iqp",
    ),
    aliased(
        field("stm", "moment: side to move", "white, black", "stm:white"),
        &["by"],
    ),
    field("ply", "moment: plies before it", NUMBER, "ply:..20"),
    field(
        "move",
        "moment: the move played from it",
        "SAN or UCI; enpassant, castling, promotion, underpromotion, capture, check; =N",
        "move:Bxh7+",
    ),
    field(
        "moved",
        "moment: piece that the move moves",
        "pieces",
        "moved:K",
    ),
    field(
        "takes",
        "moment: piece that the move takes",
        "pieces",
        "takes:Q",
    ),
    field(
        "attacks",
        "moment: a piece attacks or protects a piece or a square",
        "piece > piece or squares, each piece with squares or without",
        "attacks:Q>h7",
    ),
    field(
        "pinned",
        "moment: a piece is pinned to its king",
        "piece",
        "pinned:n",
    ),
    field(
        "sac",
        "moment: the mover gives that many pawns of material in 3 plies, still so after 6, or mates",
        "white, black (2 or more), number",
        "sac:>=5",
    ),
    field(
        "repeats",
        "moment: how often the position occurred up to here",
        NUMBER,
        "repeats:3",
    ),
    field(
        "flip",
        "moment: it or its mirror image",
        "color, files",
        "pawns:iqp flip:color",
    ),
    field(
        "in",
        "lines whose moments count, the mainline if not stated",
        "mainline, variations, all",
        "in:all move:Bxh7+",
    ),
    field(
        "for",
        "moment: it holds on that many positions in a row",
        "number",
        "mat:KRPKR for:10",
    ),
    field(
        "within",
        "after a step: plies after the moment before, at most",
        "number",
        "move:Bxh7+ -> within:6 move:Ng5",
    ),
    field(
        "sort",
        "order of the games; the last one counts",
        "number, white, black, whiteElo, blackElo, result, moves, plies, eco, date, event, site, round, \
         annotator, ply of the moment; -asc, -desc",
        "player:tal sort:date-asc",
    ),
];

/// The names of all fields and their aliases.
pub(super) fn names() -> Vec<&'static str> {
    let names = FIELDS.iter().map(|field| field.name);
    names
        .chain(
            FIELDS
                .iter()
                .flat_map(|field| field.aliases.iter().copied()),
        )
        .collect()
}

/// The name of the field with a name or an alias, in any case; `None` if there is no such field.
pub(super) fn find(name: &str) -> Option<&'static str> {
    let is_named = |field: &&Field| {
        let mut names = field.aliases.iter().chain([&field.name]);
        names.any(|other| name.eq_ignore_ascii_case(other))
    };
    FIELDS.iter().find(is_named).map(|field| field.name)
}

/// Hint for a name that is no field: the one that was probably meant, or those whose name or description has
/// such a word, or those that are asked most.
pub(super) fn hint_for_unknown(name: &str) -> String {
    let of_country = ["country", "nation", "federation", "fed", "flag"];
    if of_country.contains(&name.to_ascii_lowercase().as_str()) {
        return "countries are tags: `tag:WhiteFed=GER`, for example; `tabia help search` lists all fields".to_owned();
    }
    if let "name" | "names" = name.to_ascii_lowercase().as_str() {
        return "did you mean `player`? `tabia help search` lists all fields, `event` and `site` among them".to_owned();
    }
    if let month @ ("month" | "day") = name.to_ascii_lowercase().as_str() {
        let date = if month == "day" {
            "????.??.05"
        } else {
            "????.05"
        };
        return format!("`date:{date}` asks for a {month} of any year");
    }
    let fields = match (nearest(name, &names()), related(name)) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, related) if related.is_empty() => format!("common fields: {};", quoted(COMMON)),
        (None, related) => format!("similar fields: {};", quoted(&related)),
    };
    format!(
        "{fields} `tabia help search` lists all fields, and `\"{name}:…\"` searches for the text"
    )
}

/// Hint for a value that a field does not take: its values, and an example.
pub(super) fn hint_for_value(name: &str) -> String {
    let field = FIELDS.iter().find(|field| field.name == name);
    field.map_or_else(String::new, |field| {
        format!(
            "`{name}:` takes {}; `{}`, for example, and `tabia help search` has all fields",
            field.values, field.example
        )
    })
}

/// Hint for a field without a value: what it takes, and who takes away a comparison in a shell.
pub(super) fn hint_for_no_value(name: &str) -> String {
    let field = FIELDS.iter().find(|field| field.name == name);
    let hint = hint_for_value(name);
    match field {
        Some(field) if field.values.contains("comparison") || field.values == "as date" => format!(
            "{hint}; outside quotation marks a shell takes `>` and `<` for itself: '{name}:>=…'"
        ),
        _ => hint,
    }
}

/// Whether values of a field may be regular expressions.
pub(super) fn takes_expressions(name: &str) -> bool {
    let name = find(name);
    FIELDS
        .iter()
        .any(|field| Some(field.name) == name && field.values == NAME)
}

/// The fields that an unknown name is answered with if nothing is similar to it.
const COMMON: &[&str] = &[
    "player", "elo", "date", "event", "result", "opening", "line", "move", "mat",
];
/// Fields at most that are similar to an unknown name.
const MOST_RELATED: usize = 4;
/// Letters that a name needs at least to be looked up in descriptions.
const LEAST_LETTERS: usize = 4;

/// Fields whose name or description has a word that begins like a word.
fn related(word: &str) -> Vec<&'static str> {
    let word = word.to_ascii_lowercase();
    if word.chars().count() < LEAST_LETTERS {
        return Vec::new();
    }
    let begins = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|other| other.to_ascii_lowercase().starts_with(&word))
    };
    let related = FIELDS
        .iter()
        .filter(|field| begins(field.name) || begins(field.asks));
    related.map(|field| field.name).take(MOST_RELATED).collect()
}

/// `` `a`, `b` ``.
fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    #[test]
    fn words_are_values() {
        for field in fields() {
            for word in field.words() {
                let query = format!("{}:{word}", field.name);
                assert!(Query::parse(&query).is_ok(), "{query}");
            }
            let has_words = WITH_WORDS.contains(&field.name);
            assert_eq!(has_words, field.words().next().is_some(), "{}", field.name);
        }
        let has = fields().iter().find(|field| field.name == "has").unwrap();
        let words: Vec<&str> = has.words().collect();
        let known = [
            "variations",
            "comments",
            "nags",
            "setup",
            "clock",
            "eval",
            "arrows",
            "elo",
            "anyelo",
        ];
        assert_eq!(words, known);
    }
}
