//! JSON, as much as is needed to write it.

use std::fmt::Write;

/// A JSON value; objects keep the order of their keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// On one line, without spaces.
    pub(crate) fn compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, None);
        out
    }

    /// On several lines.
    pub(crate) fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out
    }

    /// As a cell of a table: scalars bare, nothing for null, lists by their items.
    pub(crate) fn cell(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::cell).collect();
                items.join(" ")
            }
            other => other.compact(),
        }
    }

    /// `indent` is the depth, or nothing for one line. Values made here are a few levels deep.
    fn write(&self, out: &mut String, indent: Option<usize>) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => {
                // Writing to a string does not fail.
                let _ = write!(out, "{value}");
            }
            Self::Real(value) => {
                let _ = write!(out, "{value}");
            }
            Self::Text(text) => quote(text, out),
            Self::List(items) => {
                let inner = indent.map(|depth| depth + 1);
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    separate(out, i, inner);
                    item.write(out, inner);
                }
                close(out, ']', items.is_empty(), indent);
            }
            Self::Object(pairs) => {
                let inner = indent.map(|depth| depth + 1);
                out.push('{');
                for (i, (key, value)) in pairs.iter().enumerate() {
                    separate(out, i, inner);
                    quote(key, out);
                    out.push_str(if indent.is_some() { ": " } else { ":" });
                    value.write(out, inner);
                }
                close(out, '}', pairs.is_empty(), indent);
            }
        }
    }
}

fn separate(out: &mut String, i: usize, indent: Option<usize>) {
    if i > 0 {
        out.push(',');
    }
    break_line(out, indent);
}

fn close(out: &mut String, bracket: char, is_empty: bool, indent: Option<usize>) {
    if !is_empty {
        break_line(out, indent);
    }
    out.push(bracket);
}

fn break_line(out: &mut String, indent: Option<usize>) {
    if let Some(depth) = indent {
        out.push('\n');
        for _ in 0..depth {
            out.push_str("  ");
        }
    }
}

/// Appends `text` as a JSON string. Control characters, the C1 ones too, are escaped.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            control if control.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

macro_rules! from_integers {
    ($($type:ty)*) => {
        $(impl From<$type> for Json {
            fn from(value: $type) -> Self {
                i64::try_from(value).map_or(Self::Real(value as f64), Self::Int)
            }
        })*
    };
}

from_integers! { u8 u16 u32 u64 usize i16 i32 i64 }

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_json() {
        let value = Json::Object(vec![
            ("name", "Tal \"Misha\"\u{1b}[31m\u{9b}".into()),
            ("list", vec![1_u32, 2].into()),
            ("none", Json::Null),
            ("empty", Json::List(Vec::new())),
            ("half", Json::Real(0.5)),
        ]);
        let read: serde_json::Value = serde_json::from_str(&value.pretty()).unwrap();
        assert_eq!(read["name"], "Tal \"Misha\"\u{1b}[31m\u{9b}");
        assert_eq!(read["list"][1], 2);
        assert_eq!(read["half"], 0.5);
        assert_eq!(
            value.compact(),
            r#"{"name":"Tal \"Misha\"\u001b[31m\u009b","list":[1,2],"none":null,"empty":[],"half":0.5}"#
        );
    }
}
