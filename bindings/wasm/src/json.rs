//! Objects of JSON.

use std::fmt::{Display, Write};

/// An object; what is `None` is null.
pub(crate) struct Object<'t> {
    text: &'t mut String,
    is_empty: bool,
}

impl<'t> Object<'t> {
    /// Begins an object at the end of `text`.
    pub(crate) fn new(text: &'t mut String) -> Self {
        text.push('{');
        Self {
            text,
            is_empty: true,
        }
    }

    pub(crate) fn end(self) {
        self.text.push('}');
    }

    /// Appends the name of a value, which the caller appends to the result.
    pub(crate) fn name(&mut self, name: &str) -> &mut String {
        if !self.is_empty {
            self.text.push(',');
        }
        self.is_empty = false;
        push_string(self.text, name);
        self.text.push(':');
        self.text
    }

    pub(crate) fn text(&mut self, name: &str, value: Option<&str>) {
        let text = self.name(name);
        match value {
            Some(value) => push_string(text, value),
            None => text.push_str("null"),
        }
    }

    /// As [`text`](Self::text), where an empty one is null.
    pub(crate) fn known_text(&mut self, name: &str, value: &str) {
        self.text(name, Some(value).filter(|value| !value.is_empty()));
    }

    /// A number, or a boolean.
    pub(crate) fn value(&mut self, name: &str, value: Option<impl Display>) {
        let text = self.name(name);
        // Writing to a string does not fail.
        let _ = match value {
            Some(value) => write!(text, "{value}"),
            None => write!(text, "null"),
        };
    }
}

/// Appends an array; `push` appends an item.
pub(crate) fn push_array<T>(
    text: &mut String,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    text.push('[');
    for (number, item) in items.into_iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        push(text, item);
    }
    text.push(']');
}

/// Appends a text in quotation marks.
pub(crate) fn push_string(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}
