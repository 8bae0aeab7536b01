//! The normal form of a query: parsing it gives an equal query.

use std::fmt;

use tabia_core::chess::{Ply, Position};
use tabia_core::game::Nag;

use super::deferred_conditions::Note;
use super::values::{self, NameTest, ResultTest, SpeedTest, name_of, print_decimal, print_eco};
use super::values::{DateTest, EvalTest};
use super::{AnyOf, DateField, EloField, Item, NameField, Query, Test, What};

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        print_any_of(self.any_of(), &mut out);
        if !self.sort().is_empty() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str("sort:");
            out.push_str(&self.sort().to_string());
        }
        f.pad(&out)
    }
}

fn print_any_of(any_of: &AnyOf, out: &mut String) {
    for (number, list) in any_of.0.iter().enumerate() {
        if number > 0 {
            out.push_str(" OR ");
        }
        for (number, item) in list.0.iter().enumerate() {
            if number > 0 {
                out.push(' ');
            }
            print_item(item, out);
        }
    }
}

fn print_item(item: &Item, out: &mut String) {
    if item.negated {
        out.push('-');
    }
    match &item.what {
        What::Group(group) => {
            out.push('(');
            print_any_of(group, out);
            out.push(')');
        }
        What::Term(term) => print_test(&term.test, out),
        What::Step { next } => out.push_str(if *next { "=>" } else { "->" }),
    }
}

fn print_test(test: &Test, out: &mut String) {
    match test {
        Test::Word(words) => list(words, out, |word, out| push_word(word, out)),
        Test::Name(field, tests) => {
            out.push_str(match field {
                NameField::Player => "player:",
                NameField::White => "white:",
                NameField::Black => "black:",
                NameField::Winner => "winner:",
                NameField::Loser => "loser:",
                NameField::Event => "event:",
                NameField::Site => "site:",
                NameField::Round => "round:",
                NameField::Annotator => "annotator:",
                NameField::Source => "source:",
                NameField::Team => "team:",
                NameField::Title => "title:",
            });
            list(tests, out, |test, out| match test {
                // Outside quotation marks it would begin an expression.
                NameTest::Prefix(text) | NameTest::Round(text) if text.starts_with('/') => {
                    quote(text, out);
                }
                NameTest::Prefix(text) | NameTest::Round(text) => push_value(text, out),
                NameTest::Whole(text) => push_value(&format!("={text}"), out),
                NameTest::Pattern(pattern) => push_value(&format!("/{}/", pattern.source), out),
            });
        }
        Test::Elo(field, bounds) => {
            out.push_str(match field {
                EloField::Both => "elo:",
                EloField::Either => "anyelo:",
                EloField::Mean => "avgelo:",
                EloField::White => "whiteelo:",
                EloField::Black => "blackelo:",
            });
            numbers(bounds, out);
        }
        Test::EloDifference(bounds) => field_of_numbers("elodiff:", bounds, out),
        Test::Date(field, tests) => {
            out.push_str(match field {
                DateField::Game => "date:",
                DateField::Event => "eventdate:",
            });
            list(tests, out, DateTest::print);
        }
        Test::Result(tests) => {
            out.push_str("result:");
            list(tests, out, |test, out| match test {
                ResultTest::Is(result) => out.push_str(&result.to_string()),
                named => out.push_str(name_of(named, values::RESULTS)),
            });
        }
        Test::Eco(ranges) => {
            out.push_str("eco:");
            list(ranges, out, |range, out| print_eco(*range, out));
        }
        Test::Opening(texts) => field_of_texts("opening:", texts, out),
        Test::Line(lines) => {
            out.push_str("line:");
            list(lines, out, |line, out| push_value(&moves(line), out));
        }
        Test::Moves(bounds) => field_of_numbers("moves:", bounds, out),
        Test::Plies(bounds) => field_of_numbers("plies:", bounds, out),
        Test::Speed(tests) => {
            out.push_str("speed:");
            list(tests, out, |test, out| match test {
                SpeedTest::Class(speed) => out.push_str(name_of(speed, values::SPEEDS)),
                SpeedTest::Exact(text) => push_value(text, out),
            });
        }
        Test::Rated(values) => choices("rated:", values, values::YES_NO, out),
        Test::Variant(texts) => field_of_texts("variant:", texts, out),
        Test::FideId(bounds) => field_of_numbers("fideid:", bounds, out),
        Test::Tag(tags) => {
            out.push_str("tag:");
            list(tags, out, |(name, value), out| match value {
                Some(value) => push_value(&format!("{name}={value}"), out),
                None => push_value(name, out),
            });
        }
        Test::Ends(ends) => choices("ends:", ends, values::ENDS, out),
        Test::Text(texts) => field_of_texts("text:", texts, out),
        Test::Nag(nags) => {
            out.push_str("nag:");
            list(nags, out, |nag, out| out.push_str(&Nag(*nag).to_string()));
        }
        Test::Medal(medals) => choices("medal:", medals, values::MEDALS, out),
        Test::Eval(tests) => {
            out.push_str("eval:");
            list(tests, out, |test, out| match test {
                EvalTest::Mate => out.push_str("mate"),
                EvalTest::Centipawns(bounds) => print_pawns(bounds, out),
            });
        }
        Test::Clock(bounds) => {
            out.push_str("clock:");
            list(bounds, out, print_seconds);
        }
        Test::Has(parts) => choices("has:", parts, values::PARTS, out),
        Test::Is(marks) => choices("is:", marks, values::MARKS, out),
        Test::Game(bounds) => field_of_numbers("game:", bounds, out),
        Test::Db(texts) => field_of_texts("db:", texts, out),
        Test::Moment(term) => {
            out.push_str(term.field);
            out.push(':');
            list(&term.values, out, |(text, _), out| push_value(text, out));
        }
        Test::For(count) => field_of_number("for:", *count, out),
        Test::Within(count) => field_of_number("within:", *count, out),
        Test::In(scope) => choices("in:", &[*scope], values::SCOPES, out),
        Test::Flip(flips) => choices("flip:", flips, values::FLIPS, out),
    }
}

fn print_pawns(bounds: &values::Bounds, out: &mut String) {
    bounds.print(out, |value, out| print_decimal(value, 2, out));
}

fn print_seconds(bounds: &values::Bounds, out: &mut String) {
    bounds.print(out, |value, out| {
        print_decimal(value, 3, out);
        // A whole number would cover the whole second.
        if bounds.low == bounds.high && value % 1000 == 0 {
            out.push_str(".0");
        }
    });
}

/// The value of an annotation term, without quotation marks.
pub(super) fn note_text(note: &Note) -> String {
    let mut out = String::new();
    match note {
        Note::Text(text) => out.push_str(text),
        Note::Nag(nag) => out.push_str(&Nag(*nag).to_string()),
        Note::Medal(medal) => out.push_str(name_of(medal, values::MEDALS)),
        Note::Eval(EvalTest::Mate) => out.push_str("mate"),
        Note::Eval(EvalTest::Centipawns(bounds)) => print_pawns(bounds, &mut out),
        Note::Clock(bounds) => print_seconds(bounds, &mut out),
    }
    out
}

/// Writes values with commas between them.
fn list<T>(values: &[T], out: &mut String, print: impl Fn(&T, &mut String)) {
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        print(value, out);
    }
}

fn choices<T: PartialEq>(name: &str, values: &[T], table: &[(&'static str, T)], out: &mut String) {
    out.push_str(name);
    list(values, out, |value, out| {
        out.push_str(name_of(value, table));
    });
}

fn field_of_number(name: &str, number: u32, out: &mut String) {
    out.push_str(name);
    out.push_str(&number.to_string());
}

fn field_of_numbers(name: &str, bounds: &[values::Bounds], out: &mut String) {
    out.push_str(name);
    numbers(bounds, out);
}

fn numbers(bounds: &[values::Bounds], out: &mut String) {
    let number = |value: i64, out: &mut String| out.push_str(&value.to_string());
    // `>=1,205` would be a number with a separator.
    if let [first, second] = bounds
        && second.low == second.high
        && matches!(second.low, Some(100..=999))
        && first.low.is_none() != first.high.is_none()
    {
        let end = |end: Option<i64>| end.map_or_else(String::new, |end| end.to_string());
        out.extend([&*end(first.low), "..", &*end(first.high), ","]);
        second.print(out, number);
        return;
    }
    list(bounds, out, |bounds, out| bounds.print(out, number));
}

fn field_of_texts(name: &str, texts: &[String], out: &mut String) {
    out.push_str(name);
    list(texts, out, |text, out| push_value(text, out));
}

/// Writes the value of a field, in quotation marks if a part of it would end it.
fn push_value(text: &str, out: &mut String) {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | ',' | '(' | ')' | '[' | ']');
    if text.contains(ends) {
        quote(text, out);
    } else {
        out.push_str(text);
    }
}

/// Writes a word without a field, in quotation marks unless it consists of letters, digits, points,
/// apostrophes and hyphens and begins with a letter or digit.
fn push_word(text: &str, out: &mut String) {
    let is_plain = text.starts_with(char::is_alphanumeric)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '\'' | '-'));
    if is_plain {
        out.push_str(text);
    } else {
        quote(text, out);
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

/// Moves from the standard position with their numbers.
fn moves(line: &[Ply]) -> String {
    let mut position = Position::standard();
    let mut out = String::new();
    for &ply in line {
        if !out.is_empty() {
            out.push(' ');
        }
        if position.turn().is_white() {
            out.push_str(&position.full_move_number().to_string());
            out.push('.');
        }
        out.push_str(&position.san(ply).to_string());
        position.play_ply(ply);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_form_parses_to_the_same_query() {
        for (text, normal) in [
            ("  Müller   x ", "muller x"),
            ("a OR (b c) OR -(d)", "a OR (b c) OR -(d)"),
            (
                "player:\"so, w\",\"=Carlsen, M\"",
                "player:\"so, w\",\"=carlsen, m\"",
            ),
            ("player:/^A.b\\d/", "player:/^a.b\\d/"),
            (
                "site:/A, b/,\"/c d\",\"/e\" round:/x y/",
                "site:\"/a, b/\",\"/c d\",\"/e\" round:\"/x y/\"",
            ),
            (
                "date:2011-??-11,=????.05,????-??-01",
                "date:2011.??.11,????.05,????.??.01",
            ),
            (
                "elo:>2700,2500..2600,..2000",
                "elo:>=2701,2500..2600,<=2000",
            ),
            (
                "date:>1950,1951-07..,??,1972",
                "date:>1950,>=1951.07,??,1972",
            ),
            ("game:1..,205", "game:1..,205"),
            ("elo:..200,999", "elo:..200,999"),
            ("year:1990..1999", "date:1990..1999"),
            ("eco:b9,C60..C69,>E,D45", "eco:B9,C6,>E99,D45"),
            ("result:½,DECISIVE,+:-", "result:1/2-1/2,decisive,+:-"),
            ("line:\"e4 e7e5 Nf3\"", "line:\"1.e4 e5 2.Nf3\""),
            ("tc:normal,180+2", "speed:classical,180+2"),
            ("clock:<0,-1..0", "clock:<=-0.001,-1..0"),
            ("tag:Opening=Najdorf,\"x y\"", "tag:Opening=najdorf,\"x y\""),
            ("nag:!?,14", "nag:$5,$14"),
            ("eval:>2,-0.5..0.25,mate", "eval:>=2.01,-0.5..0.25,mate"),
            ("clock:<1:30,30,5.0", "clock:<=89.999,30..30.999,5.0"),
            ("has:symbols,elo has:deleted", "has:nags,elo is:deleted"),
            (
                "\"OR\" -\"-x\" \"#y\" \"a:b\" -",
                "or -\"-x\" \"#y\" \"a:b\" \"-\"",
            ),
            (
                "by:white move:Bxh7+ => (moved:K) -> within:6 move:Ng5",
                "stm:white move:Bxh7+ => (moved:K) -> within:6 move:Ng5",
            ),
            ("mat:KRPKR for:10 -is:check", "mat:KRPKR for:10 -is:check"),
            (
                "move:Nf3 nag:!?,2 text:\"Good x\" eval:>2 clock:30",
                "move:Nf3 nag:$5,$2 text:\"good x\" eval:>=2.01 clock:30..30.999",
            ),
            ("flip:colour,FILES stm:w", "flip:color,files stm:w"),
            ("in:mainline,variations (move:e4)", "in:all (move:e4)"),
            (
                "tal sort:white sort:Date,plies",
                "tal sort:date-desc,plies-asc",
            ),
            ("sort:moves", "sort:moves-desc"),
            (
                "attacks:Q>h7 pinned:n sac:>=5 repeats:3",
                "attacks:Q>h7 pinned:n sac:>=5 repeats:3",
            ),
        ] {
            let query = Query::parse(text).unwrap();
            assert_eq!(query.to_string(), normal, "{text}");
            assert_eq!(Query::parse(normal).unwrap(), query, "{text}");
        }
    }
}
