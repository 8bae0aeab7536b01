//! Parses the tags of a line. Several tags may be on one line.

/// Whether a line begins a tag.
pub(crate) fn is_tag(line: &[u8]) -> bool {
    Tags::new(line).next().is_some_and(|tag| tag.is_complete) || {
        // A tag whose value has no closing quote.
        let name = line.strip_prefix(b"[").unwrap_or_default();
        let end = name.iter().take_while(|byte| is_name(**byte)).count();
        end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with(b" \""))
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A tag of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a [u8],
    /// The value without escapes.
    pub(crate) value: Vec<u8>,
    /// Whether the closing quote and bracket are present.
    pub(crate) is_complete: bool,
}

/// An iterator over the tags of a line.
#[derive(Debug, Clone)]
pub(crate) struct Tags<'a> {
    rest: &'a [u8],
}

impl<'a> Tags<'a> {
    pub(crate) const fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// The part of the line after the last tag.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        let inner = self
            .rest
            .trim_ascii_start()
            .strip_prefix(b"[")?
            .trim_ascii_start();
        let length = inner.iter().take_while(|byte| is_name(**byte)).count();
        let (name, rest) = inner
            .split_at_checked(length)
            .filter(|(name, _)| !name.is_empty())?;
        let mut rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
        let mut value = Vec::new();
        let mut is_complete = false;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'"' => {
                    is_complete = true;
                    break;
                }
                b'\\' if matches!(rest.first(), Some(b'"' | b'\\')) => {
                    value.extend(rest.first());
                    rest = rest.get(1..).unwrap_or_default();
                }
                byte => value.push(byte),
            }
        }
        let after = rest.trim_ascii_start();
        is_complete &= after.starts_with(b"]");
        self.rest = after.strip_prefix(b"]").unwrap_or(after);
        Some(Tag {
            name,
            value,
            is_complete,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_tags_may_share_a_line() {
        let mut tags = Tags::new(br#"[A "x \"y\" \\"] [B_1 ""] rest"#);
        let found: Vec<_> = tags.by_ref().map(|tag| (tag.name, tag.value)).collect();
        let expected = [(&b"A"[..], br#"x "y" \"#.to_vec()), (b"B_1", Vec::new())];
        assert_eq!(found, expected);
        assert_eq!(tags.rest(), b" rest");
        assert!(
            Tags::new(b"[A \"x]")
                .next()
                .is_some_and(|tag| !tag.is_complete)
        );
        assert!(is_tag(b"[A \"x]") && !is_tag(b"[%clk 1]") && !is_tag(b"1A. e4"));
    }
}
