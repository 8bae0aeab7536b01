//! A picture of a terminal: what the program prints, with its colours, as SVG.

use std::fmt::Write;

use crate::{cargo_tasks, run_program};

/// What is shown after the prompt, and what is run: options for what a terminal does by itself.
const COMMANDS: &[(&str, &[&str])] = &[
    ("tabia ls samples/tabia.cbh", &["ls", "samples/tabia.cbh"]),
    (
        "tabia show samples/tabia.cbh --game 2 --board",
        &["show", "samples/tabia.cbh", "--game", "2", "--board"],
    ),
    (
        "tabia tree samples/tabia.cbh --line '1.e4 e5'",
        &["tree", "samples/tabia.cbh", "--line", "1.e4 e5"],
    ),
];
/// Options of a command that prints rows.
const ROWS: &[&str] = &["ls", "tree"];
/// Width and height of a character, and the space around the text, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: usize = 18;
const MARGIN: usize = 16;
/// Height of the title bar.
const BAR: usize = 30;

/// The picture.
pub(crate) fn picture() -> Result<String, String> {
    let program = cargo_tasks::program()?;
    let mut lines = Vec::new();
    for (shown, arguments) in COMMANDS {
        lines.push(vec![span("$ ", "prompt"), span(shown, "typed")]);
        let mut command = arguments.to_vec();
        command.extend(["--color", "always"]);
        if arguments.first().is_some_and(|verb| ROWS.contains(verb)) {
            command.push("--table");
        }
        let output = run_program::program(&program).args(&command).output()?;
        let mut look = span("", "");
        lines.extend(output.lines().map(|line| spans(line, &mut look)));
        lines.push(Vec::new());
    }
    lines.pop();
    Ok(svg(&lines))
}

/// Text of one look.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    text: String,
    /// A class of the style sheet, or `""`.
    class: &'static str,
    /// The background, one of the 256 colours of a terminal.
    background: Option<u8>,
}

fn span(text: &str, class: &'static str) -> Span {
    Span {
        text: text.to_owned(),
        class,
        background: None,
    }
}

/// A line with escape sequences, in parts; `look` is that of the end of the line before.
fn spans(line: &str, look: &mut Span) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut rest = line;
    loop {
        let (text, sequence) = rest.split_once("\u{1b}[").unwrap_or((rest, ""));
        if !text.is_empty() {
            spans.push(Span {
                text: text.to_owned(),
                ..look.clone()
            });
        }
        let Some((codes, after)) = sequence.split_once('m') else {
            return spans;
        };
        let codes: Vec<&str> = codes.split(';').collect();
        match codes.as_slice() {
            ["48", "5", back, ..] => {
                look.background = back.parse().ok();
                look.class = "piece";
            }
            ["2"] => look.class = "dim",
            ["31"] => look.class = "red",
            ["32"] => look.class = "green",
            ["33"] => look.class = "yellow",
            ["36"] => look.class = "cyan",
            _ => *look = span("", ""),
        }
        rest = after;
    }
}

/// One of the 256 colours of a terminal: those of the colour cube.
fn rgb(color: u8) -> String {
    let index = color.saturating_sub(16);
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    let [red, green, blue] = [index / 36, index / 6 % 6, index % 6].map(level);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn svg(lines: &[Vec<Span>]) -> String {
    let length = |line: &Vec<Span>| line.iter().map(|span| span.text.chars().count()).sum();
    let columns: usize = lines.iter().map(length).max().unwrap_or_default();
    let width = (columns as f64 * WIDTH) as usize + 2 * MARGIN;
    let height = BAR + lines.len() * HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>tabia in a terminal: a list of games, a game with its board, an opening</title>\n\
         <style>\n\
         text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; \
         fill: #d8dee9; white-space: pre }}\n\
         .prompt {{ fill: #8fbcbb }} .typed {{ fill: #eceff4; font-weight: bold }} \
         .dim {{ fill: #7b879c }} .red {{ fill: #e06c75 }} .green {{ fill: #98c379 }} \
         .yellow {{ fill: #e5c07b }} .cyan {{ fill: #7fc1d4 }} .piece {{ fill: #000 }}\n\
         </style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1e222a\"/>\n"
    );
    for (x, color) in [(20, "#e06c75"), (40, "#e5c07b"), (60, "#98c379")] {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"18\" r=\"6\" fill=\"{color}\"/>"
        );
    }
    for (number, line) in lines.iter().enumerate() {
        let top = BAR + MARGIN + number * HEIGHT;
        let mut column = 0;
        let mut text = String::new();
        for span in line {
            let length = span.text.chars().count();
            let x = MARGIN as f64 + column as f64 * WIDTH;
            let extent = length as f64 * WIDTH;
            if let Some(background) = span.background {
                let color = rgb(background);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{top}\" width=\"{extent:.1}\" height=\"{HEIGHT}\" \
                     fill=\"{color}\"/>"
                );
            }
            let class = match span.class {
                "" => String::new(),
                class => format!(" class=\"{class}\""),
            };
            let _ = write!(
                text,
                "<tspan x=\"{x:.1}\" textLength=\"{extent:.1}\"{class}>{}</tspan>",
                escaped(&span.text)
            );
            column += length;
        }
        if !text.is_empty() {
            let y = top + 14;
            let _ = writeln!(svg, "<text y=\"{y}\" xml:space=\"preserve\">{text}</text>");
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_classes() {
        let mut look = span("", "");
        let line = "a\u{1b}[2mb\u{1b}[0mc\u{1b}[48;5;180;38;5;16md\u{1b}[0m\u{1b}[31m";
        let parts = spans(line, &mut look);
        assert_eq!(spans("e", &mut look), [span("e", "red")]);
        let looks: Vec<(&str, &str, Option<u8>)> = parts
            .iter()
            .map(|span| (&*span.text, span.class, span.background))
            .collect();
        let wanted = [
            ("a", "", None),
            ("b", "dim", None),
            ("c", "", None),
            ("d", "piece", Some(180)),
        ];
        assert_eq!(looks, wanted);
        assert_eq!(rgb(180), "#d7af87");
        assert_eq!(rgb(16), "#000000");
        assert!(svg(&[parts]).contains("#d7af87"));
        assert_eq!(escaped("<&>"), "&lt;&amp;&gt;");
    }
}
