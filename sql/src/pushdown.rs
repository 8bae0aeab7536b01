//! What of a filter of SQL the reader of a database can test itself: as a query of `tabia search` and a range of plies.
//!
//! A query must never leave out a row for which the filter holds; it may let others through, since the engine tests
//! the filter again. So a column whose text is not what a query compares is not translated: an ECO code by its
//! beginning, a result by what it is not.

use std::ops::RangeInclusive;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Between, BinaryExpr, Cast, Expr, Like, Operator, TryCast};
use tabia::Query;
use tabia_columns::schema::Table;

/// Values of one list that are translated.
const MAX_VALUES: usize = 200;

/// The part of a filter that the reader tests.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pushed {
    /// Terms of a query that all hold.
    pub(crate) terms: Vec<String>,
    /// Bounds of the column `ply`.
    pub(crate) plies: Option<RangeInclusive<i64>>,
}

impl Pushed {
    /// What the reader can test of filters that all hold.
    pub(crate) fn of(filters: &[Expr], table: Table, one_input: bool) -> Self {
        let mut done = Self::default();
        for filter in filters {
            done.add(filter, Columns { table, one_input });
        }
        done
    }

    /// Whether the reader can test anything of a filter.
    pub(crate) fn helps(filter: &Expr, table: Table, one_input: bool) -> bool {
        Self::of(std::slice::from_ref(filter), table, one_input) != Self::default()
    }

    fn add(&mut self, filter: &Expr, columns: Columns) {
        if let Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::And,
            right,
        }) = filter
        {
            self.add(left, columns);
            self.add(right, columns);
            return;
        }
        if columns.table == Table::Positions
            && let Some(("ply", range)) = number_range(filter)
        {
            let (start, end) = (range.low.unwrap_or(1), range.high.unwrap_or(i64::MAX));
            let known = self.plies.take().unwrap_or(1..=i64::MAX);
            self.plies = Some(start.max(*known.start())..=end.min(*known.end()));
            return;
        }
        if let Some(term) = columns.term(filter)
            // Too long or too many terms.
            && Query::parse(&self.with(&term)).is_ok()
        {
            self.terms.push(term);
        }
    }

    fn with(&self, term: &str) -> String {
        let mut text = self.terms.join(" ");
        text.push(' ');
        text.push_str(term);
        text
    }

    /// The query; `None` if it asks nothing.
    pub(crate) fn query(&self) -> Option<Query> {
        let query = Query::parse(&self.terms.join(" ")).ok();
        query.filter(|query| !query.is_empty())
    }
}

/// Whole numbers from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Range {
    low: Option<i64>,
    high: Option<i64>,
}

impl Range {
    const fn new(low: Option<i64>, high: Option<i64>) -> Self {
        Self { low, high }
    }

    /// The range as a value of a query; `None` if none of the numbers that the field can be is in it.
    fn value(self, least: i64, most: i64, digits: usize) -> Option<String> {
        let low = self.low.unwrap_or(least).max(least);
        let high = self.high.unwrap_or(most).min(most);
        if low > high {
            return None;
        }
        Some(match (low == least, high == most) {
            (_, true) => format!("{low:0digits$}.."),
            (true, false) => format!("..{high:0digits$}"),
            (false, false) => format!("{low:0digits$}..{high:0digits$}"),
        })
    }
}

/// Which columns are there.
#[derive(Debug, Clone, Copy)]
struct Columns {
    table: Table,
    /// The numbers of games are those of the input.
    one_input: bool,
}

impl Columns {
    /// Terms that hold for every row for which the filter holds.
    fn term(self, filter: &Expr) -> Option<String> {
        match filter {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if *op == Operator::And => {
                match (self.term(left), self.term(right)) {
                    (Some(left), Some(right)) => Some(format!("{left} {right}")),
                    (one, other) => one.or(other),
                }
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if *op == Operator::Or => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                Some(format!("(({left}) OR ({right}))"))
            }
            Expr::IsNotNull(inner) if self.table == Table::Games => match column(inner)? {
                "white_elo" => Some("whiteelo:1..".to_owned()),
                "black_elo" => Some("blackelo:1..".to_owned()),
                "year" | "date" => Some("date:0001..".to_owned()),
                _ => None,
            },
            _ => self
                .of_texts(filter)
                .or_else(|| self.of_beginning(filter))
                .or_else(|| self.of_numbers(filter)),
        }
    }

    /// A term about a column of texts that is one of some.
    fn of_texts(self, filter: &Expr) -> Option<String> {
        if self.table != Table::Games {
            return None;
        }
        let (name, values) = one_of(filter)?;
        let values = values
            .into_iter()
            .map(text)
            .collect::<Option<Vec<String>>>()?;
        let quoted = |values: Vec<String>| -> Option<String> {
            let each = values.iter().map(|value| {
                // What a query compares is folded and trimmed in parts.
                let is_plain = value.trim() == value && value.chars().any(char::is_alphanumeric);
                is_plain.then(|| quote(&format!("={value}")))
            });
            Some(each.collect::<Option<Vec<String>>>()?.join(","))
        };
        match name {
            "white" | "black" | "event" | "site" | "annotator" => {
                Some(format!("{name}:{}", quoted(values)?))
            }
            "eco" => {
                let is_code = |value: &String| {
                    matches!(value.as_bytes(), [b'A'..=b'E', ten, one]
                        if ten.is_ascii_digit() && one.is_ascii_digit())
                };
                values
                    .iter()
                    .all(is_code)
                    .then(|| format!("eco:{}", values.join(",")))
            }
            "result" => {
                let is_result =
                    |value: &String| matches!(value.as_str(), "1-0" | "0-1" | "1/2-1/2");
                values
                    .iter()
                    .all(is_result)
                    .then(|| format!("result:{}", values.join(",")))
            }
            _ => None,
        }
    }

    /// A term about a column of texts that begin with one.
    fn of_beginning(self, filter: &Expr) -> Option<String> {
        let Expr::Like(Like {
            negated: false,
            expr,
            pattern,
            escape_char: None,
            ..
        }) = filter
        else {
            return None;
        };
        if self.table != Table::Games {
            return None;
        }
        let name = column(expr)?;
        let pattern = text(literal(pattern)?)?;
        let beginning = pattern.strip_suffix('%')?;
        if beginning.contains(['%', '_', '\\']) {
            return None;
        }
        let beginning = beginning.trim_end_matches([' ', ',']);
        let starts_plainly = beginning.chars().next().is_some_and(char::is_alphanumeric);
        match name {
            "white" | "black" | "event" | "site" | "annotator" if starts_plainly => {
                Some(format!("{name}:{}", quote(beginning)))
            }
            _ => None,
        }
    }

    /// A term about a column of numbers or days.
    fn of_numbers(self, filter: &Expr) -> Option<String> {
        let (name, ranges) = match number_range(filter) {
            Some((name, range)) => (name, vec![range]),
            None => {
                let (name, values) = one_of(filter)?;
                let range =
                    |value| number(name, value).map(|value| Range::new(Some(value), Some(value)));
                let ranges = values.into_iter().map(range);
                (name, ranges.collect::<Option<Vec<Range>>>()?)
            }
        };
        let (field, least, most, digits) = match (name, self.table) {
            ("white_elo", Table::Games) => ("whiteelo", 1, i64::from(i16::MAX), 0),
            ("black_elo", Table::Games) => ("blackelo", 1, i64::from(i16::MAX), 0),
            ("year" | "date", Table::Games) => ("date", 1, 9999, 4),
            ("game", _) if self.one_input => ("game", 1, i64::from(i32::MAX), 0),
            _ => return None,
        };
        let values: Option<Vec<String>> = ranges
            .into_iter()
            .map(|range| range.value(least, most, digits))
            .collect();
        Some(format!("{field}:{}", values?.join(",")))
    }
}

fn quote(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

/// The name of a column, also of one that is widened.
fn column(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Column(column) => Some(&column.name),
        Expr::Cast(Cast { expr, field }) if is_wide(field.data_type()) => column(expr),
        Expr::TryCast(TryCast { expr, field }) if is_wide(field.data_type()) => column(expr),
        _ => None,
    }
}

/// Whether every value of a column that is cast to this type stays what it is.
fn is_wide(data: &datafusion::arrow::datatypes::DataType) -> bool {
    use datafusion::arrow::datatypes::DataType;
    matches!(
        data,
        DataType::Int32
            | DataType::Int64
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
    )
}

fn literal(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value),
        _ => None,
    }
}

/// The column and the values that it is one of.
fn one_of(filter: &Expr) -> Option<(&str, Vec<&ScalarValue>)> {
    match filter {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) => {
            let (name, value) = match (column(left), literal(right)) {
                (Some(name), Some(value)) => (name, value),
                _ => (column(right)?, literal(left)?),
            };
            Some((name, vec![value]))
        }
        Expr::InList(InList {
            expr,
            list,
            negated: false,
        }) if !list.is_empty() && list.len() <= MAX_VALUES => {
            let values = list.iter().map(literal).collect::<Option<Vec<_>>>()?;
            Some((column(expr)?, values))
        }
        _ => None,
    }
}

fn text(value: &ScalarValue) -> Option<String> {
    value.try_as_str().flatten().map(str::to_owned)
}

/// A whole number that a column is compared with; the year of the day for the column of days.
fn number(name: &str, value: &ScalarValue) -> Option<i64> {
    if (name == "date") != matches!(value, ScalarValue::Date32(_)) {
        return None;
    }
    Some(match value {
        ScalarValue::Int8(value) => i64::from((*value)?),
        ScalarValue::Int16(value) => i64::from((*value)?),
        ScalarValue::Int32(value) => i64::from((*value)?),
        ScalarValue::Int64(value) => (*value)?,
        ScalarValue::UInt8(value) => i64::from((*value)?),
        ScalarValue::UInt16(value) => i64::from((*value)?),
        ScalarValue::UInt32(value) => i64::from((*value)?),
        ScalarValue::Date32(value) => {
            let civil = tabia::core::calendar::civil_from_days(i64::from((*value)?))?;
            i64::from(civil.0)
        }
        _ => return None,
    })
}

/// The column and the numbers that it is between.
fn number_range(filter: &Expr) -> Option<(&str, Range)> {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (name, value, op) = match (column(left), literal(right)) {
                (Some(name), Some(value)) => (name, value, *op),
                _ => (column(right)?, literal(left)?, op.swap()?),
            };
            // A day lies within its year.
            let step = i64::from(!matches!(value, ScalarValue::Date32(_)));
            let value = number(name, value)?;
            let range = match op {
                Operator::Eq => Range::new(Some(value), Some(value)),
                Operator::Gt => Range::new(Some(value.saturating_add(step)), None),
                Operator::GtEq => Range::new(Some(value), None),
                Operator::Lt => Range::new(None, Some(value.saturating_sub(step))),
                Operator::LtEq => Range::new(None, Some(value)),
                _ => return None,
            };
            Some((name, range))
        }
        Expr::Between(Between {
            expr,
            negated: false,
            low,
            high,
        }) => {
            let name = column(expr)?;
            let (low, high) = (number(name, literal(low)?)?, number(name, literal(high)?)?);
            Some((name, Range::new(Some(low), Some(high))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::{col, lit};

    use super::*;

    fn terms(filter: Expr) -> String {
        Pushed::of(&[filter], Table::Games, true).terms.join(" ")
    }

    #[test]
    fn filters_are_queries() {
        let day = |days| lit(ScalarValue::Date32(Some(days)));
        for (filter, expected) in [
            (
                col("white").eq(lit("Carlsen, Magnus")),
                r#"white:"=Carlsen, Magnus""#,
            ),
            (lit("A \"B\" \\").eq(col("site")), r#"site:"=A \"B\" \\""#),
            (col("white").like(lit("Müller%")), r#"white:"Müller""#),
            (col("white_elo").gt(lit(2700)), "whiteelo:2701.."),
            (lit(2000_i64).gt_eq(col("black_elo")), "blackelo:..2000"),
            (col("year").between(lit(800), lit(1899)), "date:0800..1899"),
            (col("date").lt(day(0)), "date:..1970"),
            (col("eco").eq(lit("B90")), "eco:B90"),
            (
                col("result").in_list(vec![lit("1-0"), lit("0-1")], false),
                "result:1-0,0-1",
            ),
            (col("game").eq(lit(7)), "game:7..7"),
            (col("year").is_not_null(), "date:0001.."),
            (
                col("white").eq(lit("A")).or(col("black").eq(lit("A"))),
                r#"((white:"=A") OR (black:"=A"))"#,
            ),
            // One of the two is enough for rows for which both hold, not for one of both.
            (
                col("white").eq(lit("A")).and(col("ply_count").gt(lit(9))),
                r#"white:"=A""#,
            ),
            (
                col("white").eq(lit("A")).or(col("ply_count").gt(lit(9))),
                "",
            ),
        ] {
            assert_eq!(terms(filter.clone()), expected, "{filter}");
            assert_eq!(
                expected.is_empty(),
                !Pushed::helps(&filter, Table::Games, true)
            );
        }
    }

    #[test]
    fn what_a_query_compares_otherwise_is_left_to_the_engine() {
        for filter in [
            col("white").not_eq(lit("A")),
            col("result").not_eq(lit("1-0")),
            col("result").eq(lit("+/-")),
            col("result").eq(lit("*")),
            col("eco").eq(lit("B9")),
            col("eco").like(lit("B9%")),
            col("eco").gt(lit("B20")),
            col("white").eq(lit("")),
            col("white").eq(lit(" A")),
            col("white").eq(lit("\u{301}")),
            col("white").like(lit("%A")),
            col("white").like(lit("A_%")),
            col("white").like(lit("=A%")),
            col("white").is_null(),
            col("white_elo").is_null(),
            col("white_elo").gt(lit(2700.5)),
            col("white_elo").gt(lit(40_000)),
            col("year").lt(lit(0)),
            col("white_elo").gt(col("black_elo")),
            col("white_elo").in_list(vec![lit(1)], true),
            col("ply_count").gt(lit(3)),
            col("eco").is_not_null(),
            col("white").eq(lit(ScalarValue::Utf8(None))),
        ] {
            assert_eq!(terms(filter.clone()), "", "{filter}");
        }
        let number = col("game").eq(lit(7));
        assert!(!Pushed::helps(&number, Table::Games, false));
        assert!(!Pushed::helps(
            &col("white").eq(lit("A")),
            Table::Positions,
            true
        ));
    }

    #[test]
    fn bounds_of_plies_are_those_of_the_reader() {
        let pushed = |filter: Expr| Pushed::of(&[filter], Table::Positions, true).plies;
        assert_eq!(pushed(col("ply").eq(lit(9))), Some(9..=9));
        let both = col("ply").gt(lit(3)).and(col("ply").lt_eq(lit(20)));
        assert_eq!(pushed(both), Some(4..=20));
        let none = col("ply").gt(lit(9)).and(col("ply").lt(lit(3)));
        assert!(pushed(none).is_some_and(|plies| plies.is_empty()));
        assert_eq!(
            pushed(col("ply").eq(lit(9)).or(col("game").eq(lit(1)))),
            None
        );
    }
}
