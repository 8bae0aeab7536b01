//! The text of HTML documents, for terminals.

/// The text of an HTML document: tags removed, blocks on lines of their own, common entities decoded.
pub(crate) fn html_to_text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    let mut hidden: Option<&str> = None;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        if hidden.is_none() {
            push_text(text, &mut out);
        }
        let Some(end) = tag.find('>') else {
            return out.trim().to_owned();
        };
        let inner = tag.get(1..end).unwrap_or_default();
        let name = inner
            .trim_start_matches('/')
            .split([' ', '\n', '\r', '\t', '/'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match (hidden, name.as_str()) {
            (None, "style") => hidden = Some("style"),
            (None, "script") => hidden = Some("script"),
            (None, "title") => hidden = Some("title"),
            (Some(open), close) if open == close && inner.starts_with('/') => hidden = None,
            (None, "br") => out.push('\n'),
            (None, "p" | "div" | "tr" | "li" | "ul" | "ol" | "table" | "h1" | "h2" | "h3") => {
                while out.ends_with(' ') {
                    out.pop();
                }
                if !out.is_empty() && !out.ends_with("\n\n") {
                    out.push('\n');
                }
            }
            _ => {}
        }
        rest = tag.get(end + 1..).unwrap_or_default();
    }
    if hidden.is_none() {
        push_text(rest, &mut out);
    }
    out.trim().to_owned()
}

/// Appends text with white space collapsed and entities decoded.
fn push_text(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut used = c.len_utf8();
        match c {
            ' ' | '\n' | '\r' | '\t' => {
                if !out.is_empty() && !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
            }
            '&' => match entity(rest) {
                Some((value, length)) => {
                    out.push(value);
                    used = length;
                }
                None => out.push('&'),
            },
            other => out.push(other),
        }
        rest = rest.get(used..).unwrap_or_default();
    }
}

/// The character of an entity at the start of `text`, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.find(';').filter(|end| *end < 12)?;
    let name = text.get(1..end)?;
    let value = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((value, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_plain_text() {
        let html = "<html><head><title>x</title><style>p {}</style></head>\
            <body><p>One &amp; <b>two</b></p>\n<p>Three&#33;<br>Four</p></body></html>";
        assert_eq!(html_to_text(html), "One & two\n\nThree!\nFour");
    }
}
