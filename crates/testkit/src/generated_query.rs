//! Random queries of the search language: every field, with values that it can have.

use crate::Random;

/// A query that can be parsed.
///
/// ```
/// use tabia_testkit::Random;
/// use tabia_testkit::generated_query::generated_query;
///
/// assert!(!generated_query(&mut Random::new(1)).is_empty());
/// ```
pub fn generated_query(random: &mut Random) -> String {
    let mut text = String::new();
    list(random, 0, &mut text);
    text
}

/// A term of a field, negated or not, with values of that field.
fn term(random: &mut Random) -> String {
    let values: &[(&str, &[&str])] = &[
        (
            "",
            &[
                "carlsen",
                "\"van der \"",
                "ÉTÉ",
                "O'Kelly",
                "\"a:b\"",
                "\"-\"",
            ],
        ),
        (
            "player",
            &[
                "tal",
                "\"=Tal, Mikhail\"",
                "/^t/",
                "\"so, w\"",
                "\"a \\\" b\"",
            ],
        ),
        ("Event", &["wch", "\"(open)\""]),
        (
            "elo",
            &[">=2700", "2500..2600", "..2000", "<1800", "=2000", "-5"],
        ),
        ("avgelo", &["2550.."]),
        ("elodiff", &["-50..-10", ">0"]),
        (
            "date",
            &["1914.04", "1990..1999", ">1950", "??", "????", "..2020-06"],
        ),
        ("eventdate", &["2024"]),
        ("result", &["1-0", "draw", "decisive", "*"]),
        ("eco", &["B9", "C60..C69", ">=D", "<A05"]),
        ("opening", &["najdorf"]),
        ("line", &["\"1.e4 c5 2.Nf3\"", "\"d2d4 g8f6\""]),
        ("moves", &["<20", "40"]),
        ("tc", &["blitz", "180+2", "corr"]),
        ("rated", &["yes", "false"]),
        ("tag", &["Opening=sicilian", "\"X=a b\"", "ECO"]),
        ("ends", &["mate", "fifty"]),
        ("text", &["novelty", "\"a, b\""]),
        ("nag", &["!?", "$14", "3"]),
        ("medal", &["best", "tactics"]),
        ("eval", &[">=2", "-0.5..0.25", "mate", "<-1.234"]),
        ("clock", &["<30", "1:30", "0:00:05.5", "5..10", "2.0"]),
        ("has", &["comments", "elo"]),
        ("is", &["deleted", "chess960"]),
        ("game", &["1..100", "205"]),
        (
            "fen",
            &[
                "8/8/8/8/8/4k3/4p3/4K3_w",
                "\"4k3/8/8/8/8/8/8/4K2R w K - 3 9\"",
            ],
        ),
        ("pos", &["\"1.d4 d5 2.c4\""]),
        (
            "sub",
            &["6k1/6p1/8/5N2/8/8/8/8", "8/8/8/3[Pp]4/8/[^K]7/8/8"],
        ),
        ("on", &["Nf5", "[RQ]h1-8", "P[c,e]2-7"]),
        ("mat", &["KRPKR", "KQ?R*KR+"]),
        ("count", &["Q=1", "QRqr<=2", "M"]),
        ("imb", &["MvR", "PPvN"]),
        ("balance", &[">=3", "-2..2"]),
        ("bishops", &["opposite"]),
        ("pawns", &["iqp", "carlsbad/black", "8/8/8/8/3P4/8/8/8"]),
        ("by", &["white", "b"]),
        ("move", &["Bxh7+", "=N", "e2e4", "O-O-O", "castling"]),
        ("takes", &["Q", "QR"]),
        ("is", &["check", "mate"]),
        ("attacks", &["Q>h7", "[RB]>k", "Nf5>[g7,h6]"]),
        ("pinned", &["n", "[RN]"]),
        ("sac", &["white", ">=5"]),
        ("repeats", &["3", ">=2"]),
    ];
    let (name, values) = values[random.below(values.len())];
    let count = if random.below(4) == 0 { 2 } else { 1 };
    let chosen: Vec<&str> = (0..count)
        .map(|_| values[random.below(values.len())])
        .collect();
    let colon = if name.is_empty() { "" } else { ":" };
    let minus = if random.below(5) == 0 { "-" } else { "" };
    format!("{minus}{name}{colon}{}", chosen.join(","))
}

fn list(random: &mut Random, depth: usize, out: &mut String) {
    let count = 1 + random.below(4);
    for number in 0..count {
        if number > 0 {
            out.push(' ');
        }
        match random.below(12) {
            0 if depth < 3 => {
                out.push_str(if random.below(3) == 0 { "-(" } else { "(" });
                list(random, depth + 1, out);
                out.push(')');
            }
            1 => out.push_str(
                "stm:white for:3 flip:files,color -> within:6 is:check => move:Kg8 nag:! eval:<1",
            ),
            2 => out.push_str("in:all"),
            3 => out.push_str("sort:date,white-desc"),
            _ => out.push_str(&term(random)),
        }
    }
    if random.below(5) == 0 && depth < 3 {
        out.push_str(" OR ");
        list(random, depth + 1, out);
    }
}
