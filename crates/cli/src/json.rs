//! JSON as the program writes it: keys in the order of the structs, control characters escaped.

use std::fmt::Display;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::{self, CharEscape, CompactFormatter, Formatter, PrettyFormatter};

use crate::readable_numbers::grouped;

/// Appends a value on one line, without spaces.
pub(crate) fn append<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // A vector takes every write, and all keys are strings.
    let _ = value.serialize(&mut ser::Serializer::with_formatter(
        out,
        Escaping(CompactFormatter),
    ));
}

/// A value on one line, without spaces.
pub(crate) fn compact<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    append(value, &mut out);
    out
}

/// A value on several lines, indented by two spaces a level.
pub(crate) fn pretty<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    let formatter = Escaping(PrettyFormatter::new());
    // As in `append`.
    let _ = value.serialize(&mut ser::Serializer::with_formatter(&mut out, formatter));
    out
}

/// A value as a cell of a table: scalars bare, lists by their items, `""` for null.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(cell).collect();
            items.join(" ")
        }
        Value::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() => real.to_string(),
            _ => number.to_string(),
        },
        Value::Object(_) => String::from_utf8_lossy(&compact(value)).into_owned(),
    }
}

/// Columns with numbers that are no counts: they are typed again as they are shown (the number of a game),
/// or have four digits in every program (years, ratings).
const NOT_COUNTS: &[&str] = &[
    "game",
    "number",
    "year",
    "decade",
    "elo",
    "eloBand",
    "whiteElo",
    "blackElo",
    "averageRating",
    "performance",
];

/// A value as a cell of a column for people: as [`cell`], but reals with one decimal, counts in groups of
/// three digits, and draws short.
pub(crate) fn table_cell(column: &str, value: &Value) -> String {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(count), _) if !NOT_COUNTS.contains(&column) => grouped(count),
            (None, Some(real)) if number.is_f64() => format!("{real:.1}"),
            _ => number.to_string(),
        },
        Value::String(text) if column == "result" && text == "1/2-1/2" => "½-½".to_owned(),
        other => cell(other),
    }
}

/// Serializes a value as the text that it displays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Displayed<T>(pub(crate) T);

impl<T: Display> Serialize for Displayed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Writes reals without exponent or needless `.0`, and escapes all control characters: DEL and the
/// C1 characters too, which terminals obey.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        write!(out, "{value}")
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        // 0xC2 begins every C1 character.
        while let Some(at) = rest.bytes().position(|byte| matches!(byte, 0x7f | 0xc2)) {
            let (before, tail) = rest.split_at(at);
            self.0.write_string_fragment(out, before)?;
            let mut chars = tail.chars();
            if let Some(c) = chars.next() {
                if c.is_control() {
                    write!(out, "\\u{:04x}", u32::from(c))?;
                } else {
                    write!(out, "{c}")?;
                }
            }
            rest = chars.as_str();
        }
        self.0.write_string_fragment(out, rest)
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.0.write_char_escape(
            out,
            match escape {
                CharEscape::Backspace => CharEscape::AsciiControl(0x08),
                CharEscape::FormFeed => CharEscape::AsciiControl(0x0c),
                other => other,
            },
        )
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(out, is_first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(out, is_first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Sample<'a> {
        name: &'a str,
        list: Vec<u32>,
        none: Option<u8>,
        empty: [u8; 0],
        half: f64,
        large: f64,
    }

    const SAMPLE: Sample<'_> = Sample {
        name: "Tal \"Misha\" é\u{1b}[31m\u{9b}\u{8}\u{7f}\n",
        list: Vec::new(),
        none: None,
        empty: [],
        half: 0.5,
        large: 1e21,
    };

    #[test]
    fn control_characters_are_escaped_and_reals_are_short() {
        let text = String::from_utf8(compact(&Sample {
            list: vec![1, 2],
            ..SAMPLE
        }));
        assert_eq!(
            text.unwrap(),
            r#"{"name":"Tal \"Misha\" é\u001b[31m\u009b\u0008\u007f\n","list":[1,2],"none":null,"empty":[],"half":0.5,"large":1000000000000000000000}"#
        );
    }

    #[test]
    fn pretty_output_parses_to_the_same_value() {
        let read: Value = serde_json::from_slice(&pretty(&SAMPLE)).unwrap();
        assert_eq!(read["name"], SAMPLE.name);
        assert_eq!(read["half"], 0.5);
    }

    #[test]
    fn cells_hold_bare_values() {
        let value = serde_json::json!([null, true, "a", 1, 0.5, 100.0, [2, 3]]);
        assert_eq!(cell(&value), " yes a 1 0.5 100 2 3");
    }
}
