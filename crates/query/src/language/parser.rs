//! Parses the text of a [`Query`](super::Query).

use tabia_core::chess::{Ply, Setup};
use tabia_core::game::Date;

use super::deferred_conditions::{Later, Note};
use super::error_and_suggestions::{FilterError, Suggestion, known, nearest};
use super::field_list;
use super::line_of_moves::play;
use super::print::note_text;
use super::probable_mistakes;
use super::scanner::{RawTerm, RawValue, Token, scan};
use super::values::{self, Bounds, DateTest, EvalTest, NameTest, Part, ResultTest, SpeedTest};
use super::values::{GameMark, Scope, choice};
use super::{AnyOf, Check, DateField, EloField, Item, List, MomentTerm, NameField, Parsed};
use super::{Term, Test, What};
use crate::fold_case::{fold, is_combining};
use crate::sorting::SortOrder;

pub(super) fn parse(text: &str) -> Result<Parsed, FilterError> {
    let mut parser = Parser {
        tokens: scan(text)?.into_iter().peekable(),
        text: text.chars().collect(),
        terms: 0,
        suggestions: Vec::new(),
        is_line_begun: false,
        sort: SortOrder::default(),
        sorted_by_ply: None,
    };
    let any_of = parser.any_of()?;
    if let Some(column) = parser.sorted_by_ply.filter(|_| !any_of.asks_for_moments()) {
        let text =
            "`sort:ply` sorts by the moment that a query asks for, and this one asks for none";
        return Err(FilterError::new(column, text)
            .with_hint("`sort:plies` sorts by the length of the games"));
    }
    Ok(Parsed {
        any_of,
        terms: parser.terms,
        suggestions: parser.suggestions,
        sort: parser.sort,
    })
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<(Token, usize)>>,
    text: Vec<char>,
    terms: usize,
    suggestions: Vec<Suggestion>,
    /// The moves that are collected begin with those of a term.
    is_line_begun: bool,
    sort: SortOrder,
    /// The column of `sort:` if it has `ply`.
    sorted_by_ply: Option<usize>,
}

impl Parser {
    /// Alternatives up to the end or a closing parenthesis, which is taken. Those without items are
    /// left out.
    fn any_of(&mut self) -> Result<AnyOf, FilterError> {
        let mut lists = Vec::new();
        let mut list = List::default();
        // Column of a step that needs a moment after it, and of an option that needs one next to it.
        let mut step: Option<usize> = None;
        let mut option: Option<(usize, String)> = None;
        // Words that are moves, as they are typed, and the column of the first.
        let mut line: Option<(usize, String)> = None;
        // Whether there is something since the beginning, or since the last `OR`.
        let mut is_begun = false;
        let mut last_or: Option<usize> = None;
        while let Some((token, column)) = self.tokens.next() {
            self.note_moves(&token, column, &mut line);
            if matches!(token, Token::Term(_) | Token::Open { .. }) {
                is_begun = true;
            }
            let ends = matches!(token, Token::Close | Token::Or | Token::Step { .. });
            if ends && let Some(column) = step.take_if(|_| !has_moment_at_end(&list)) {
                return Err(empty_step(column, "after"));
            }
            if ends {
                needs_moment(option.take(), &list)?;
            }
            match token {
                Token::Close if !is_begun && last_or.is_none() => {
                    let text = "nothing is between the parentheses";
                    return Err(FilterError::new(column, text).with_hint(
                        "leave them out, or write a term in them; `\"()\"` searches for the characters",
                    ));
                }
                Token::Close => break,
                Token::Or if !is_begun => return Err(empty_alternative(column, "before")),
                Token::Or => {
                    is_begun = false;
                    last_or = Some(column);
                    step = None;
                    lists.push(std::mem::take(&mut list));
                }
                Token::Step { next } => {
                    if !has_moment_at_end(&list) {
                        return Err(empty_step(column, "before"));
                    }
                    step = Some(column);
                    let what = What::Step { next };
                    list.0.push(Item {
                        negated: false,
                        what,
                    });
                }
                Token::Open { negated } => {
                    let group = self.any_of()?;
                    if !group.0.is_empty() {
                        let what = What::Group(group);
                        list.0.push(Item { negated, what });
                    }
                }
                Token::Term(raw) => {
                    if let Some(test) = self.test(&raw)? {
                        let is_step = |item: &Item| matches!(item.what, What::Step { .. });
                        if matches!(test, Test::Within(_)) && !list.0.iter().any(is_step) {
                            return Err(within_without_step(column));
                        }
                        if let Test::For(_) | Test::Within(_) | Test::Flip(_) = test {
                            let name = raw.name.as_ref().map(|(name, _)| name.clone());
                            option.get_or_insert((column, name.unwrap_or_default()));
                        }
                        let number = self.terms;
                        self.terms += 1;
                        list.0.push(Item {
                            negated: raw.negated,
                            what: What::Term(Term { number, test }),
                        });
                    }
                }
            }
        }
        if let Some(column) = last_or.filter(|_| !is_begun) {
            return Err(empty_alternative(column, "after"));
        }
        self.suggest_line(line);
        if let Some(column) = step.filter(|_| !has_moment_at_end(&list)) {
            return Err(empty_step(column, "after"));
        }
        needs_moment(option, &list)?;
        lists.push(list);
        lists.retain(|list| !list.0.is_empty());
        lists.iter_mut().for_each(put_notes_at_moments);
        Ok(AnyOf(lists))
    }

    /// Collects words that are moves, which no name contains, and suggests `line:` once another token follows.
    fn note_moves(&mut self, token: &Token, column: usize, line: &mut Option<(usize, String)>) {
        let raw = match token {
            Token::Term(raw) if !raw.negated => Some(raw),
            _ => None,
        };
        let value = raw.and_then(|raw| raw.values.first().filter(|_| raw.values.len() == 1));
        let name = raw.and_then(|raw| raw.name.as_ref());
        match (value, name) {
            (Some(value), None) if !value.quoted && looks_like_moves(&value.text) => {
                let (_, moves) = line.get_or_insert_with(|| (column, String::new()));
                if !moves.is_empty() {
                    moves.push(' ');
                }
                moves.push_str(&value.text);
            }
            (Some(value), Some((name, _))) if name.eq_ignore_ascii_case("line") => {
                self.suggest_line(line.take());
                // The shell has taken quotation marks away: `line:1.e4 e5`.
                if !value.quoted && looks_like_moves(&value.text) {
                    *line = Some((column, value.text.clone()));
                    self.is_line_begun = true;
                }
            }
            _ => self.suggest_line(line.take()),
        }
    }

    /// Suggests that words that are moves are a line.
    fn suggest_line(&mut self, line: Option<(usize, String)>) {
        let is_begun = std::mem::take(&mut self.is_line_begun);
        let Some((column, moves)) = line else {
            return;
        };
        // A line of one move is one.
        if is_begun && !moves.contains(' ') {
            return;
        }
        let meant = if play(&moves).is_ok() {
            Some(format!("line:\"{moves}\""))
        } else if is_begun {
            None
        } else {
            moves_in_games(&moves)
        };
        self.suggestions.extend(meant.map(|meant| Suggestion {
            column,
            meant,
            word: moves,
        }));
    }

    /// The test of a term; `None` if it has no value.
    fn test(&mut self, raw: &RawTerm) -> Result<Option<Test>, FilterError> {
        let single_quotes = self.in_single_quotes(raw);
        let Some((name, name_column)) = &raw.name else {
            self.suggestions.extend(single_quotes);
            if let Some(column) = raw.empty_quotes.filter(|_| raw.values.is_empty()) {
                let text = "nothing is between the quotation marks";
                return Err(FilterError::new(column, text));
            }
            self.suggestions
                .extend(probable_mistakes::of_words(&raw.values));
            for value in raw.values.iter().filter(|value| !value.quoted) {
                if raw.negated && matches!(value.text.as_str(), "OR" | "AND" | "NOT") {
                    return Err(negated_operator(value));
                }
                self.suggest(value)?;
            }
            let words = raw.values.iter().map(|value| fold(&value.text)).collect();
            return Ok((!raw.values.is_empty()).then_some(Test::Word(words)));
        };
        let Some(field) = field_list::find(name) else {
            let hint = field_list::hint_for_unknown(name);
            let error = FilterError::new(*name_column, format!("`{name}` is not a field"));
            return Err(error.with_hint(hint));
        };
        if raw.values.is_empty() {
            return match self.next_term() {
                Some(next) if next.name.is_none() && !next.values.is_empty() => {
                    let value = next.values.iter().map(|value| value.text.as_str());
                    let value = value.collect::<Vec<_>>().join(",");
                    let quote = if next.values.iter().any(|value| value.quoted) {
                        "\""
                    } else {
                        ""
                    };
                    let text = format!("`{name}:` has no value: a blank ends a term");
                    Err(FilterError::new(*name_column, text)
                        .with_hint(format!("did you mean `{name}:{quote}{value}{quote}`?")))
                }
                _ => Err(
                    FilterError::new(*name_column, format!("`{name}:` has no value"))
                        .with_hint(field_list::hint_for_no_value(field)),
                ),
            };
        }
        self.suggestions
            .extend(probable_mistakes::of_values(field, raw)?);
        if raw.negated && matches!(field, "for" | "within" | "flip" | "in" | "sort") {
            let message = format!("`{field}` cannot be negated");
            let values = raw.values.iter().map(|value| value.text.as_str());
            let values = values.collect::<Vec<_>>().join(",");
            let order = if field == "sort" { "-desc" } else { "" };
            let hint = format!("did you mean `{name}:{values}{order}`?");
            return Err(FilterError::new(*name_column, message).with_hint(hint));
        }
        if field == "sort" {
            let texts = raw.values.iter().map(|value| value.text.as_str());
            self.sort = SortOrder::of_values(texts).map_err(|word| {
                let value = raw.values.iter().find(|value| value.text == word);
                let column = value.map_or(*name_column, |value| value.column);
                let names = SortOrder::names();
                let bare = word.strip_prefix('-').unwrap_or(word).to_lowercase();
                // `elo` is a part of `whiteElo`, and near to `eco`.
                let longer = names
                    .iter()
                    .find(|name| bare.len() > 2 && name.to_lowercase().ends_with(&bare));
                let meant = longer.copied().or_else(|| nearest(&bare, &names));
                FilterError::new(column, format!("`{word}` is not what games are sorted by"))
                    .with_hint(match meant {
                        // `date-up`, `white-descending`.
                        _ if names.iter().any(|name| is_with_order(word, name)) => {
                            let field = word.split('-').next().unwrap_or_default();
                            format!("`{name}:{field}-asc` is ascending, `{name}:{field}-desc` descending")
                        }
                        Some(field) if word.starts_with('-') => {
                            format!("did you mean `{name}:{field}-desc`?")
                        }
                        Some(field) => {
                            let all = names.join(", ");
                            format!("did you mean `{name}:{field}`? known are {all}")
                        }
                        None => known(word, "known are", &names),
                    })
            })?;
            self.sorted_by_ply = self.sort.has_moments().then_some(*name_column);
            return Ok(None);
        }
        let with_hint = |mut error: FilterError| {
            let values = error.hint.take();
            let values = values.unwrap_or_else(|| field_list::hint_for_value(field));
            if let Some(quoted) = &single_quotes {
                return error.with_hint(format!("did you mean `{}`? {values}", quoted.meant));
            }
            let value = raw.values.iter().find(|value| value.column == error.column);
            match value.and_then(|value| meant_value(field, value)) {
                Some(meant) => error.with_hint(format!("did you mean `{name}:{meant}`? {values}")),
                None => error.with_hint(values),
            }
        };
        let test = field_test(field, &raw.values).map_err(with_hint)?;
        self.suggestions.extend(single_quotes);
        if let ("fen", [.., value]) = (field, raw.values.as_slice())
            && !value.quoted
            && is_board(&value.text)
        {
            let fen = self.with_rest_of_fen(&value.text);
            if fen != value.text {
                let text =
                    "a blank ends a term, so that the rest of the FEN would be searched as words";
                let hint = format!("in quotation marks it is one: `{name}:\"{fen}\"`");
                return Err(FilterError::new(value.column, text).with_hint(hint));
            }
        }
        Ok(Some(test))
    }

    /// The term that comes next, without a parenthesis or an operator between.
    fn next_term(&mut self) -> Option<&RawTerm> {
        match self.tokens.peek() {
            Some((Token::Term(next), _)) => Some(next),
            _ => None,
        }
    }

    /// A word that names a field, and the word after it.
    fn field_and_value(&mut self, word: &str) -> Option<String> {
        probable_mistakes::field_and_value(word, self.next_term()?)
    }

    /// A term whose value begins with a single quote and has a blank before the next one, as it was probably meant: only
    /// double quotes hold a value together.
    fn in_single_quotes(&self, raw: &RawTerm) -> Option<Suggestion> {
        let value = raw.values.first().filter(|value| !value.quoted)?;
        let quoted = self.text.get(value.column.checked_sub(1)?..)?;
        let quoted = quoted.strip_prefix(&['\''])?;
        let ends_at = |at: usize| {
            let after = quoted.get(at + 1);
            quoted.get(at) == Some(&'\'') && after.is_none_or(|c| c.is_whitespace() || *c == ')')
        };
        let end = (0..quoted.len()).find(|at| ends_at(*at))?;
        let inner: String = quoted.get(..end)?.iter().collect();
        if !inner.contains(char::is_whitespace) || inner.contains(['"', ':']) {
            return None;
        }
        let (name, column) = match &raw.name {
            Some((name, column)) => (format!("{name}:"), *column),
            None => (String::new(), value.column),
        };
        Some(Suggestion {
            column,
            word: format!("{name}'{inner}'"),
            meant: format!("{name}\"{inner}\""),
        })
    }

    /// A board with the fields of its FEN that follow as words, since blanks end a term.
    fn with_rest_of_fen(&self, board: &str) -> String {
        let mut fen = board.to_owned();
        let words = self.tokens.clone().map_while(|(token, _)| match token {
            Token::Term(RawTerm {
                name: None, values, ..
            }) => match values.as_slice() {
                [value] if !value.quoted => Some(value.text.clone()),
                // `-`: no castling, or no square.
                [] => Some("-".to_owned()),
                _ => None,
            },
            _ => None,
        });
        for word in words.take(5) {
            let longer = format!("{fen} {word}");
            if Setup::parse_fen(longer.as_bytes()).is_err() {
                break;
            }
            fen = longer;
        }
        fen
    }

    /// Notes what a word was probably meant to be.
    ///
    /// # Errors
    /// When it compares a field: no name contains such a word.
    fn suggest(&mut self, value: &RawValue) -> Result<(), FilterError> {
        let word = value.text.as_str();
        if is_board(word) {
            let fen = self.with_rest_of_fen(word);
            let text = format!("`{word}` is a position");
            let hint = format!("`fen:\"{fen}\"` searches for it");
            return Err(FilterError::new(value.column, text).with_hint(hint));
        }
        if let Some(meant) = comparison(word) {
            let text = format!("`{word}` has no `:`");
            let hint = format!("did you mean `{meant}`? `\"{word}\"` searches for the text");
            return Err(FilterError::new(value.column, text).with_hint(hint));
        }
        let meant = match word.to_ascii_lowercase().as_str() {
            "or" | "|" | "||" => Some("OR".to_owned()),
            // Terms next to each other must all hold.
            "and" | "&" | "&&" => Some(String::new()),
            "not" | "!" => Some("-".to_owned()),
            _ => self
                .field_and_value(word)
                .or_else(|| probable_mistakes::of_word(word)),
        };
        self.suggestions.extend(meant.map(|meant| Suggestion {
            column: value.column,
            word: word.to_owned(),
            meant,
        }));
        Ok(())
    }
}

/// Whether a word is a field of `sort:` and something after a `-`.
fn is_with_order(word: &str, field: &str) -> bool {
    word.split_once('-')
        .is_some_and(|(name, _)| name.eq_ignore_ascii_case(field))
}

/// Whether a word is the board of a FEN.
fn is_board(word: &str) -> bool {
    word.matches('/').count() == 7 && Setup::parse_fen(word.as_bytes()).is_ok()
}

/// Moves that are no line from the start, as terms about moves anywhere in a game: `move:e5 -> move:Nf6`. `None` if
/// one of them is no pattern of a move.
fn moves_in_games(moves: &str) -> Option<String> {
    let bare = |word: &str| {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = word.trim_start_matches(['.', '…']);
        word.trim_end_matches(['!', '?']).to_owned()
    };
    let words = moves.split(' ').map(bare).filter(|word| !word.is_empty());
    let terms: Vec<String> = words.map(|word| format!("move:{word}")).collect();
    let meant = terms.join(" -> ");
    let is_query = !meant.is_empty() && parse(&meant).is_ok();
    is_query.then_some(meant)
}

/// Whether a word is a move, with its number or without, or a number with a dot.
fn looks_like_moves(word: &str) -> bool {
    let after = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = after.trim_start_matches(['.', '…']);
    let has_number = after.len() < word.len() && bare.len() < after.len();
    if bare.is_empty() || after.len() < word.len() && !has_number {
        return has_number && bare.is_empty();
    }
    let bare = bare.trim_end_matches(['+', '#', '!', '?']);
    if matches!(bare, "O-O" | "O-O-O" | "0-0" | "0-0-0") {
        return true;
    }
    let bare = match bare.rsplit_once('=') {
        Some((bare, "Q" | "R" | "B" | "N")) => bare,
        _ => bare,
    };
    let bare = bare.strip_prefix(['K', 'Q', 'R', 'B', 'N']).unwrap_or(bare);
    let is_file = |byte: &u8| (b'a'..=b'h').contains(byte);
    let is_rank = |byte: &u8| (b'1'..=b'8').contains(byte);
    let [from @ .., file, rank] = bare.as_bytes() else {
        return false;
    };
    let from = from.strip_suffix(b"x").unwrap_or(from);
    let is_from = match from {
        [] => true,
        [one] => is_file(one) || is_rank(one),
        [file, rank] => is_file(file) && is_rank(rank),
        _ => false,
    };
    is_from && is_file(file) && is_rank(rank)
}

/// A value as other programs write it, in our form: `B20-B99`, `2700+`, `B9*`, `31.12.2020`, `white`. `None` if the
/// field does not take it then either.
fn meant_value(field: &'static str, value: &RawValue) -> Option<String> {
    let text = value.text.as_str();
    if text.starts_with('/') {
        return None;
    }
    let mut forms = Vec::new();
    if let Some(least) = text.strip_suffix('+') {
        forms.push(format!(">={least}"));
    }
    if let Some(most) = text.strip_suffix('-') {
        forms.push(format!("<={most}"));
    }
    if let Some((from, to)) = text.split_once('-').or_else(|| text.split_once(" to "))
        && !values::is_reversed(field, from, to)
    {
        forms.push(format!("{from}..{to}"));
    }
    if let Some(start) = text.strip_suffix('*') {
        forms.push(start.to_owned());
    }
    if let [day, month, year] = text.split(['.', '/']).collect::<Vec<_>>()[..] {
        forms.push(format!("{year}.{month:0>2}.{day:0>2}"));
    }
    match text.to_ascii_lowercase().as_str() {
        "white" | "win" | "won" | "1" => forms.push("1-0".to_owned()),
        "black" | "loss" | "lost" | "0" => forms.push("0-1".to_owned()),
        _ => {}
    }
    let is_taken = |form: &String| {
        let value = RawValue {
            text: form.clone(),
            column: value.column,
            quoted: false,
        };
        field_test(field, &[value]).is_ok()
    };
    forms.into_iter().find(is_taken)
}

/// Whether a list has a moment after its last step.
fn has_moment_at_end(list: &List) -> bool {
    let last = list.0.iter().rev();
    let mut items = last.take_while(|item| !matches!(item.what, What::Step { .. }));
    items.any(|item| match &item.what {
        What::Term(term) => matches!(term.test, Test::Moment(_)) || term.test.is_note(),
        What::Group(group) => !item.negated && group.has_moment(),
        What::Step { .. } => false,
    })
}

/// An error if an option of a moment, at this column, has no term about a position next to it.
fn needs_moment(option: Option<(usize, String)>, list: &List) -> Result<(), FilterError> {
    let Some((column, name)) = option else {
        return Ok(());
    };
    let last = list.0.iter().rev();
    let mut items = last.take_while(|item| !matches!(item.what, What::Step { .. }));
    let has_steps = list
        .0
        .iter()
        .any(|item| matches!(item.what, What::Step { .. }));
    let has_moment = items.any(|item| match &item.what {
        What::Term(term) => {
            matches!(term.test, Test::Moment(_)) || (has_steps && term.test.is_note())
        }
        What::Group(group) => name == "within" && group.has_moment(),
        What::Step { .. } => false,
    });
    if has_moment {
        return Ok(());
    }
    let message = format!("no moment is asked for next to `{name}:`");
    Err(FilterError::new(column, message).with_hint(
        "it needs terms about a position or a move in the same list, as `mat:KRPKR for:10`",
    ))
}

/// Annotation terms next to terms about a moment are about that moment.
fn put_notes_at_moments(list: &mut List) {
    let is_step = |item: &Item| matches!(item.what, What::Step { .. });
    let has_steps = list.0.iter().any(is_step);
    for part in list.0.split_mut(is_step) {
        let is_moment = |item: &Item| match &item.what {
            What::Term(term) => matches!(term.test, Test::Moment(_)),
            _ => false,
        };
        if !has_steps && !part.iter().any(is_moment) {
            continue;
        }
        for item in part {
            if let What::Term(term) = &mut item.what
                && let Some(moment) = at_moment(&term.test)
            {
                term.test = Test::Moment(moment);
            }
        }
    }
}

/// The annotation term of a moment that asks the same as one of a game.
fn at_moment(test: &Test) -> Option<MomentTerm> {
    let (field, notes): (_, Vec<Note>) = match test {
        Test::Text(texts) => ("text", texts.iter().cloned().map(Note::Text).collect()),
        Test::Nag(nags) => ("nag", nags.iter().copied().map(Note::Nag).collect()),
        Test::Medal(medals) => ("medal", medals.iter().copied().map(Note::Medal).collect()),
        Test::Eval(tests) => ("eval", tests.iter().copied().map(Note::Eval).collect()),
        Test::Clock(bounds) => ("clock", bounds.iter().copied().map(Note::Clock).collect()),
        _ => return None,
    };
    let values = notes
        .into_iter()
        .map(|note| (note_text(&note), Check::Later(Later::Note(note))));
    Some(MomentTerm {
        field,
        values: values.collect(),
    })
}

/// The error for `-OR`, which would be a word that the games must not have.
fn negated_operator(value: &RawValue) -> FilterError {
    let word = &value.text;
    let hint = match word.as_str() {
        "OR" => {
            "did you mean `OR -`? `-` is before the term that is left out, as in `tal OR -draw`"
        }
        "AND" => "terms next to each other must all hold; `-` is before the one that is left out",
        _ => "`-` alone leaves a term out, as in `-draw`",
    };
    FilterError::new(value.column, format!("`-{word}` leaves nothing out"))
        .with_hint(format!("{hint}; `-\"{word}\"` leaves out the word"))
}

fn empty_step(column: usize, side: &str) -> FilterError {
    FilterError::new(column, format!("no moment is asked for {side} this step"))
        .with_hint("`A -> B` needs terms about a position or a move on both sides")
}

fn empty_alternative(column: usize, side: &str) -> FilterError {
    FilterError::new(column, format!("nothing is {side} this `OR`"))
        .with_hint("`A OR B` needs terms on both sides; `\"OR\"` searches for the word")
}

fn within_without_step(column: usize) -> FilterError {
    let text = "`within:` counts the plies of a step, and no `->` is before it";
    FilterError::new(column, text).with_hint(
        "`move:Bxh7+ -> within:6 move:Ng5`, for example; `for:6` is how long a position stays",
    )
}

/// The term that a word like `elo>2700` was meant to be.
fn comparison(word: &str) -> Option<String> {
    let end = word.find(|c: char| !c.is_ascii_alphabetic())?;
    let (name, rest) = word.split_at(end);
    if !rest.starts_with(['>', '<', '=']) || rest.len() < 2 {
        return None;
    }
    let field = field_list::find(name).or_else(|| nearest(name, &field_list::names()))?;
    let value = rest.strip_prefix('=').unwrap_or(rest);
    Some(format!("{field}:{value}"))
}

/// The test of a field with its values.
fn field_test(field: &'static str, raw: &[RawValue]) -> Result<Test, FilterError> {
    let texts = || raw.iter().map(|value| fold(&value.text)).collect();
    let names = |field| {
        let of_text = match field {
            NameField::Round => NameTest::parse_round,
            _ => NameTest::parse,
        };
        let parse = |value: &RawValue| {
            of_text(&value.text)
                .map_err(|why| FilterError::new(value.column, format!("`{}`: {why}", value.text)))
        };
        let tests = raw.iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Test::Name(field, tests))
    };
    let numbers = |expected| all(raw, expected, Bounds::number);
    let elo = |field| numbers("a rating").map(|bounds| Test::Elo(field, bounds));
    let dates = |field| {
        let date = |value: &RawValue| {
            DateTest::parse(&value.text).ok_or_else(|| {
                if let Some(date) = without_part(&value.text) {
                    let expected =
                        format!("a comparison or a range of days: a part of {date} is unknown");
                    let hint = format!("`{date}` alone fits its known parts");
                    return unfit(value, &expected).with_hint(hint);
                }
                let error = unfit(value, "a date");
                match values::part_that_no_date_has(&value.text) {
                    Some(why) => error.with_hint(why),
                    None => error,
                }
            })
        };
        let tests = raw.iter().map(date).collect::<Result<_, _>>()?;
        Ok(Test::Date(field, tests))
    };
    Ok(match field {
        "player" => names(NameField::Player)?,
        "white" => names(NameField::White)?,
        "black" => names(NameField::Black)?,
        "winner" => names(NameField::Winner)?,
        "loser" => names(NameField::Loser)?,
        "event" => names(NameField::Event)?,
        "site" => names(NameField::Site)?,
        "round" => names(NameField::Round)?,
        "annotator" => names(NameField::Annotator)?,
        "source" => names(NameField::Source)?,
        "team" => names(NameField::Team)?,
        "title" => names(NameField::Title)?,
        "elo" => elo(EloField::Both)?,
        "anyelo" => elo(EloField::Either)?,
        "avgelo" => elo(EloField::Mean)?,
        "whiteelo" => elo(EloField::White)?,
        "blackelo" => elo(EloField::Black)?,
        "elodiff" => Test::EloDifference(numbers("a difference of ratings")?),
        "date" => dates(DateField::Game)?,
        "eventdate" => dates(DateField::Event)?,
        "result" => {
            let parse = |text: &str| ResultTest::parse(text);
            let tests = named(raw, "a result", values::RESULTS, parse);
            Test::Result(tests.map_err(|mut error| {
                let hint = error.hint.take().unwrap_or_default();
                error.with_hint(hint.replace("known are ", "known are 1-0, 0-1, 1/2-1/2, *, "))
            })?)
        }
        "eco" => Test::Eco(all(raw, "an ECO code", values::eco)?),
        "opening" => Test::Opening(texts()),
        "line" => Test::Line(raw.iter().map(line).collect::<Result<_, _>>()?),
        "moves" => Test::Moves(numbers("a number of moves")?),
        "plies" => Test::Plies(numbers("a number of plies")?),
        "speed" => Test::Speed(named(raw, "a speed", values::SPEEDS, SpeedTest::parse)?),
        "rated" => Test::Rated(named(raw, "yes or no", values::YES_NO, |text| {
            choice(text, values::YES_NO)
        })?),
        "variant" => Test::Variant(texts()),
        "fideid" => Test::FideId(numbers("a FIDE number")?),
        "tag" => Test::Tag(raw.iter().map(tag).collect::<Result<_, _>>()?),
        "ends" => Test::Ends(named(raw, "an end of a game", values::ENDS, |text| {
            choice(text, values::ENDS)
        })?),
        "text" => Test::Text(texts()),
        "nag" => Test::Nag(all(raw, "a symbol", values::nag)?),
        "medal" => Test::Medal(named(raw, "a medal", values::MEDALS, |text| {
            choice(text, values::MEDALS)
        })?),
        "eval" => Test::Eval(all(raw, "an evaluation", EvalTest::parse)?),
        "clock" => Test::Clock(all(raw, "a time", Bounds::seconds)?),
        "has" => return has(raw),
        "fen" | "pos" | "sub" | "on" | "mat" | "count" | "imb" | "balance" | "bishops"
        | "pawns" | "stm" | "ply" | "move" | "moved" | "takes" | "attacks" | "pinned" | "sac"
        | "repeats" => return moment(field, raw),
        "flip" => Test::Flip(named(raw, "a mirror image", values::FLIPS, |text| {
            choice(text, values::FLIPS)
        })?),
        "in" => {
            let scopes = named(raw, "a kind of line", values::SCOPES, |text| {
                choice(text, values::SCOPES)
            })?;
            Test::In(both_scopes(&scopes))
        }
        "for" => Test::For(positive(raw)?),
        "within" => Test::Within(positive(raw)?),
        "is" if raw
            .iter()
            .all(|value| Check::parse("is", &value.text).is_ok()) =>
        {
            return moment(field, raw);
        }
        "is" => Test::Is(
            all(raw, "a mark of a record", |text| {
                choice(text, values::MARKS)
            })
            .map_err(|error| {
                let is_unknown = |value: &&RawValue| choice(&value.text, values::MARKS).is_none();
                let word = raw.iter().find(is_unknown);
                let word = word.map_or("", |value| value.text.as_str());
                let marks = values::MARKS.iter().map(|(name, _)| *name);
                let names: Vec<&str> = marks.chain(["check", "mate", "stalemate"]).collect();
                error.with_hint(known(word, "known are", &names))
            })?,
        ),
        "game" => Test::Game(numbers("a number of a game")?),
        // The table of fields has no other name.
        _ => Test::Db(texts()),
    })
}

/// The lines of all scopes together.
fn both_scopes(scopes: &[Scope]) -> Scope {
    match scopes {
        [] => Scope::Mainline,
        [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
        _ => Scope::All,
    }
}

/// A term about a moment.
fn moment(field: &'static str, raw: &[RawValue]) -> Result<Test, FilterError> {
    let parse = |value: &RawValue| {
        let check = Check::parse(field, &value.text)
            .map_err(|why| FilterError::new(value.column, format!("`{}` {why}", value.text)))?;
        Ok((value.text.clone(), check))
    };
    let values = raw.iter().map(parse).collect::<Result<_, _>>()?;
    Ok(Test::Moment(MomentTerm { field, values }))
}

/// The only value of a term, a number from 1.
fn positive(raw: &[RawValue]) -> Result<u32, FilterError> {
    let number = |value: &RawValue| value.text.trim_start_matches(">=").parse::<u32>().ok();
    match raw {
        [value] => number(value)
            .filter(|number| *number > 0)
            .ok_or_else(|| unfit(value, "a number from 1")),
        [_, value, ..] => Err(unfit(value, "the only value; this field takes one")),
        [] => Ok(1),
    }
}

/// `has:`, whose values `deleted` and `text` are those of `is:`.
fn has(raw: &[RawValue]) -> Result<Test, FilterError> {
    let parse = |text: &str| choice(text, values::PARTS);
    let mark = |value: &RawValue| {
        choice(&value.text, values::MARKS)
            .filter(|mark| matches!(mark, GameMark::Deleted | GameMark::Text))
    };
    if let Some(marks) = raw.iter().map(mark).collect::<Option<Vec<_>>>() {
        return Ok(Test::Is(marks));
    }
    let parts: Vec<Part> = named(raw, "a part of a game", values::PARTS, parse)?;
    Ok(Test::Has(parts))
}

/// All values of a term. `expected` names their type in the error.
fn all<T>(
    raw: &[RawValue],
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, FilterError> {
    raw.iter()
        .map(|value| parse(&value.text).ok_or_else(|| unfit(value, expected)))
        .collect()
}

/// As [`all`], for values that have names.
fn named<T, N: PartialEq>(
    raw: &[RawValue],
    expected: &str,
    table: &[(&'static str, N)],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, FilterError> {
    // Of several names for a value the first one is its name.
    let names = table
        .iter()
        .map(|(name, value)| (*name, values::name_of(value, table)));
    let names = names.filter(|(name, first)| name == first);
    let names: Vec<&str> = names.map(|(name, _)| name).collect();
    all(raw, expected, &parse).map_err(|error| {
        let value = raw.iter().find(|value| parse(&value.text).is_none());
        let word = value.map_or("", |value| value.text.as_str());
        error.with_hint(known(word, "known are", &names))
    })
}

/// The date of a comparison or a range of which the year or the month is unknown.
fn without_part(text: &str) -> Option<&str> {
    let (low, high) = text.split_once("..").unwrap_or((text, ""));
    let ends = [low.trim_start_matches(['<', '>', '=']), high];
    let mut ends = ends.into_iter();
    ends.find(|end| {
        let date = Date::parse(end).filter(|date| *date != Date::UNKNOWN);
        date.is_some_and(values::has_gap)
    })
}

fn unfit(value: &RawValue, expected: &str) -> FilterError {
    FilterError::new(value.column, format!("`{}` is not {expected}", value.text))
}

/// Name and folded value of `Opening=najdorf`.
fn tag(value: &RawValue) -> Result<(String, Option<String>), FilterError> {
    let empty = |what: &str, hint: String| {
        let text = format!("`{}` has no {what}", value.text);
        Err(FilterError::new(value.column, text).with_hint(hint))
    };
    match value.text.split_once('=') {
        Some(("", _)) => empty("name", "`tag:Opening=sicilian`, for example".to_owned()),
        Some((name, text)) if text.chars().all(is_combining) => empty(
            "value",
            format!("`tag:{name}` alone fits the games that have the tag"),
        ),
        Some((name, text)) => Ok((name.to_owned(), Some(fold(text)))),
        None => Ok((value.text.clone(), None)),
    }
}

/// The moves of `1.e4 c5 2.Nf3` or `e2e4 c7c5` from the standard position.
fn line(value: &RawValue) -> Result<Vec<Ply>, FilterError> {
    let played = play(&value.text).map_err(|why| FilterError::new(value.column, why))?;
    if played.1.is_empty() {
        return Err(unfit(value, "a line of moves"));
    }
    Ok(played.1)
}
