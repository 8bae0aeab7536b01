//! Cuts the text of a query into terms, parentheses and operators.

use super::error_and_suggestions::FilterError;
use super::field_list;
use super::{MAX_DEPTH, MAX_LENGTH, MAX_TERMS};
use crate::fold_case::is_combining;

/// A part of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `(`, or `-(`.
    Open { negated: bool },
    /// `)`.
    Close,
    /// `OR`.
    Or,
    /// `->`, or `=>` for the very next ply.
    Step { next: bool },
    /// Anything else.
    Term(RawTerm),
}

/// One term as text: `-name:value,"value"`. Columns count characters from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RawTerm {
    pub(super) negated: bool,
    pub(super) name: Option<(String, usize)>,
    /// The values that are not empty.
    pub(super) values: Vec<RawValue>,
    /// The column of a value in quotation marks that is empty.
    pub(super) empty_quotes: Option<usize>,
}

/// A value of a term.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RawValue {
    pub(super) text: String,
    pub(super) column: usize,
    /// Whether a part of it was in quotation marks.
    pub(super) quoted: bool,
}

/// The parts of a text with their columns.
///
/// # Errors
/// A text above the limits, and parentheses that do not close.
pub(super) fn scan(text: &str) -> Result<Vec<(Token, usize)>, FilterError> {
    if text.len() > MAX_LENGTH {
        let message = format!("the query is longer than {MAX_LENGTH} bytes");
        return Err(FilterError::new(1, message));
    }
    let mut scanner = Scanner {
        chars: text.chars().collect(),
        at: 0,
        open: Vec::new(),
        terms: 0,
        tokens: Vec::new(),
    };
    scanner.run()?;
    match scanner.open.pop() {
        Some(column) => Err(FilterError::new(column, "this `(` is not closed")
            .with_hint("write `)` after it, or `\"(\"` to search for the character")),
        None => Ok(scanner.tokens),
    }
}

struct Scanner {
    chars: Vec<char>,
    at: usize,
    /// Columns of the parentheses that are open.
    open: Vec<usize>,
    terms: usize,
    tokens: Vec<(Token, usize)>,
}

impl Scanner {
    fn peek(&self, offset: usize) -> Option<char> {
        self.chars.get(self.at + offset).copied()
    }

    fn run(&mut self) -> Result<(), FilterError> {
        while let Some(c) = self.peek(0) {
            let column = self.at + 1;
            if c.is_whitespace() {
                self.at += 1;
            } else if c == '(' || (c == '-' && self.peek(1) == Some('(')) {
                let negated = c == '-';
                self.at += 1 + usize::from(negated);
                self.open.push(column);
                if self.open.len() > MAX_DEPTH {
                    let message = format!("more than {MAX_DEPTH} parentheses inside each other");
                    return Err(FilterError::new(column, message));
                }
                self.tokens.push((Token::Open { negated }, column));
            } else if c == ')' && self.open.pop().is_some() {
                self.at += 1;
                self.tokens.push((Token::Close, column));
            } else if let Some((operator, length)) = self.operator() {
                self.at += length;
                self.tokens.push((operator, column));
            } else {
                let term = self.term()?;
                self.terms += 1;
                if self.terms > MAX_TERMS {
                    let message = format!("more than {MAX_TERMS} terms");
                    return Err(FilterError::new(column, message));
                }
                self.tokens.push((Token::Term(term), column));
            }
        }
        Ok(())
    }

    /// The operator here and its length; it ends at a blank, a parenthesis or the end.
    fn operator(&self) -> Option<(Token, usize)> {
        let (text, token) = match self.peek(0)? {
            'O' => ("OR", Token::Or),
            '-' => ("->", Token::Step { next: false }),
            '=' => ("=>", Token::Step { next: true }),
            _ => return None,
        };
        let fits = text
            .chars()
            .enumerate()
            .all(|(i, c)| self.peek(i) == Some(c));
        let length = text.len();
        let ends = self
            .peek(length)
            .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ')'));
        (fits && ends).then_some((token, length))
    }

    fn term(&mut self) -> Result<RawTerm, FilterError> {
        let mut term = RawTerm::default();
        if self.peek(0) == Some('-') && self.peek(1).is_some_and(|c| !self.ends_term(c)) {
            term.negated = true;
            self.at += 1;
        }
        let mut value = RawValue {
            column: self.at + 1,
            ..RawValue::default()
        };
        let has_mark = self.peek(0) == Some('#');
        // Parentheses inside the term, and the end of the brackets that are open.
        let mut nested = 0;
        let mut brackets_end = 0;
        while let Some(c) = self.peek(0) {
            match c {
                '"' => {
                    value.quoted = true;
                    self.quotation(&mut value.text)?;
                    continue;
                }
                c if c.is_whitespace() => break,
                '/' if value.text.is_empty() && !value.quoted && takes_expressions(&term) => {
                    self.expression(&mut value)?;
                    continue;
                }
                ']' | ',' | '(' | ')' if self.at < brackets_end => value.text.push(c),
                '[' => {
                    brackets_end = brackets_end.max(self.matching_bracket());
                    value.text.push(c);
                }
                '(' => {
                    nested += 1;
                    value.text.push(c);
                }
                ')' if nested > 0 => {
                    nested -= 1;
                    value.text.push(c);
                }
                ')' if !self.open.is_empty() => break,
                ':' if term.name.is_none() && !value.quoted && is_name(&value.text) => {
                    term.name = Some((std::mem::take(&mut value.text), value.column));
                    value.column = self.at + 2;
                }
                ',' => {
                    let next = RawValue {
                        column: self.at + 2,
                        ..RawValue::default()
                    };
                    term.values.push(std::mem::replace(&mut value, next));
                }
                c => value.text.push(c),
            }
            self.at += 1;
        }
        term.values.push(value);
        if has_mark
            && term.name.is_none()
            && let Some(first) = term.values.first_mut()
            && !first.quoted
        {
            first.text.remove(0);
        }
        let empty = |value: &&RawValue| value.quoted && value.text.is_empty();
        term.empty_quotes = term.values.iter().find(empty).map(|value| value.column);
        // Accents alone are nothing once names are folded.
        term.values
            .retain(|value| !value.text.chars().all(is_combining));
        Ok(term)
    }

    /// Reads a regular expression with the `/` at both its ends. Blanks, commas and parentheses are parts of it, and the
    /// `/` that closes it is the first that a blank, a comma, a parenthesis or the end follows.
    fn expression(&mut self, value: &mut RawValue) -> Result<(), FilterError> {
        let start = self.at;
        value.text.push('/');
        self.at += 1;
        while let Some(c) = self.peek(0) {
            match c {
                '"' => {
                    self.quotation(&mut value.text)?;
                    continue;
                }
                '\\' => {
                    value.text.push(c);
                    self.at += 1;
                    value.text.extend(self.peek(0));
                }
                '/' if self.peek(1).is_none_or(|c| c == ',' || self.ends_term(c)) => {
                    value.text.push(c);
                    self.at += 1;
                    return Ok(());
                }
                // The next term has an expression of its own.
                '/' if begins_expression(self.chars.get(start..self.at).unwrap_or_default()) => {
                    break;
                }
                c => value.text.push(c),
            }
            self.at += 1;
        }
        let rest = self.chars.get(start..).unwrap_or_default();
        let word = rest.iter().take_while(|c| !c.is_whitespace());
        let word: String = word.collect();
        let text = format!("the expression `{word}` has no closing `/`");
        Err(FilterError::new(start + 1, text)
            .with_hint("blanks and commas may be in an expression, as in `white:/karpov, a/`; in quotation marks a `/` at the start is text"))
    }

    fn ends_term(&self, c: char) -> bool {
        c.is_whitespace() || (c == ')' && !self.open.is_empty())
    }

    /// Reads from a quotation mark to the next one.
    fn quotation(&mut self, out: &mut String) -> Result<(), FilterError> {
        self.at += 1;
        let column = self.at;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match (c, self.peek(0)) {
                ('"', _) => return Ok(()),
                ('\\', Some(escaped @ ('"' | '\\'))) => {
                    out.push(escaped);
                    self.at += 1;
                }
                _ => out.push(c),
            }
        }
        let hint = r#"write `"` after it, or `"\""` to search for the character"#;
        Err(FilterError::new(column, r#"this `"` is not closed"#).with_hint(hint))
    }

    /// The index of the `]` that closes the `[` here, in the same word; 0 if there is none.
    fn matching_bracket(&self) -> usize {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let word = rest.iter().take_while(|c| !c.is_whitespace());
        word.enumerate()
            .find(|(_, c)| **c == ']')
            .map_or(0, |(offset, _)| self.at + offset + 1)
    }
}

/// Whether a text before `:` is the name of a field: letters only.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether values of the field of a term may be regular expressions.
fn takes_expressions(term: &RawTerm) -> bool {
    let name = term.name.as_ref();
    name.is_some_and(|(name, _)| field_list::takes_expressions(name))
}

/// Whether a text ends with a blank and `name:` of a field whose values may be expressions.
fn begins_expression(text: &[char]) -> bool {
    let word = text.iter().rev().take_while(|c| !c.is_whitespace());
    let word: String = word.collect::<Vec<_>>().into_iter().rev().collect();
    word.len() < text.len()
        && word
            .strip_suffix(':')
            .is_some_and(|name| field_list::takes_expressions(name.trim_start_matches(['-', '('])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens in a short form.
    fn short(text: &str) -> String {
        let tokens = scan(text).unwrap();
        let parts: Vec<String> = tokens
            .into_iter()
            .map(|(token, column)| match token {
                Token::Open { negated } => format!("{column}{}(", if negated { "-" } else { "" }),
                Token::Close => format!("{column})"),
                Token::Or => format!("{column}OR"),
                Token::Step { next } => format!("{column}{}", if next { "=>" } else { "->" }),
                Token::Term(term) => {
                    let values: Vec<String> = term
                        .values
                        .iter()
                        .map(|value| format!("<{}>", value.text))
                        .collect();
                    let name = term.name.map_or(String::new(), |(name, _)| name + ":");
                    let minus = if term.negated { "-" } else { "" };
                    format!("{column}{minus}{name}{}", values.join(","))
                }
            })
            .collect();
        parts.join(" ")
    }

    #[test]
    fn words_phrases_and_fields() {
        assert_eq!(
            short("a  \"b c\" -d:e,\"f, g\""),
            "1<a> 4<b c> 10-d:<e>,<f, g>"
        );
        assert_eq!(
            short("#tal \"#tal\" white:#x"),
            "1<tal> 6<#tal> 13white:<#x>"
        );
        assert_eq!(short(r#""a\"b\\c\d""#), r#"1<a"b\c\d>"#);
        assert_eq!(short("player: x:,a,,"), "1player: 9x:<a>");
        assert_eq!(short("- --a -"), "1<-> 3-<-a> 7<->");
        assert_eq!(short("site:http://x.y"), "1site:<http://x.y>");
        assert_eq!(short("Lesson3:rooks a:b:c"), "1<Lesson3:rooks> 15a:<b:c>");
        assert_eq!(short("\u{326} a:\u{301},b\u{308}"), "1 3a:<b\u{308}>");
    }

    #[test]
    fn operators_are_tokens_of_their_own() {
        assert_eq!(short("a OR b"), "1<a> 3OR 6<b>");
        assert_eq!(short("(a)OR(b)"), "1( 2<a> 3) 4OR 6( 7<b> 8)");
        assert_eq!(short("a -> b=>c => ->d"), "1<a> 3-> 6<b=>c> 11=> 14-<>d>");
        assert_eq!(short("ORlov xOR OR"), "1<ORlov> 7<xOR> 11OR");
        assert_eq!(short("-(a OR -b) \"OR\""), "1-( 3<a> 5OR 8-<b> 10) 12<OR>");
    }

    #[test]
    fn parentheses_inside_a_word_are_text() {
        assert_eq!(short("O'Kelly(de a)"), "1<O'Kelly(de> 12<a)>");
        assert_eq!(short("(round:1(2) b)"), "1( 2round:<1(2)> 13<b> 14)");
        assert_eq!(short("on:P[c,e]2-7,x"), "1on:<P[c,e]2-7>,<x>");
        assert_eq!(short("a[b,c d"), "1<a[b>,<c> 7<d>");
        assert_eq!(short("(- )"), "1( 2<-> 4)");
    }

    #[test]
    fn an_expression_ends_at_its_closing_slash() {
        assert_eq!(
            short("white:/karpov, an(a|b) [c,]/ b"),
            "1white:</karpov, an(a|b) [c,]/> 30<b>"
        );
        assert_eq!(
            short(r"(-site:/a\/ b/c d/,e) player:/f/,/g h/"),
            r"1( 2-site:</a\/ b/c d/>,<e> 21) 23player:</f/>,</g h/>"
        );
        assert_eq!(
            short("site:\"/a b\" site:a/b date:/1"),
            "1site:</a b> 13site:<a/b> 22date:</1>"
        );
        assert_eq!(short("site:// /a b/"), "1site:<//> 9</a> 12<b/>");
        for (text, column) in [
            ("white:/karpov, anatoly", 7),
            ("elo:2700 site:a,/b c", 17),
            ("white:/a b -(black:/c/)", 7),
            (r"white:/a\/", 7),
            ("white:/", 7),
        ] {
            let error = scan(text).unwrap_err();
            assert_eq!(error.column, column, "{text}");
            assert!(error.message.contains("has no closing `/`"), "{text}");
        }
    }

    #[test]
    fn limits_and_open_parentheses_are_errors() {
        let error = |text: &str| scan(text).unwrap_err();
        assert_eq!(error("a (b").column, 3);
        for (text, column) in [
            ("\"open", 1),
            ("a event:\"b c", 9),
            (r#"a "b\""#, 3),
            ("a \"b\" -\"", 8),
            ("site:/a\"b/", 8),
        ] {
            let error = error(text);
            assert_eq!(error.column, column, "{text}");
            assert!(error.message.contains("is not closed"), "{text}");
        }
        assert!(error(&"(".repeat(10_000)).message.contains("32"));
        assert!(error(&"a ".repeat(300)).message.contains("256"));
        assert!(error(&"a".repeat(70_000)).message.contains("65536"));
        assert!(scan("a))").is_ok());
    }
}
