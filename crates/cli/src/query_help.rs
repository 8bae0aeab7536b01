//! The fields of queries as text, for the long help.

use std::fmt::Write as _;

/// The fields of queries with their values, and examples.
pub(crate) fn field_table() -> String {
    let mut text = "Fields:\n".to_owned();
    for field in tabia::query::fields() {
        let _ = write!(text, "  {:<10} {}", field.name, field.asks);
        if !field.aliases.is_empty() {
            let _ = write!(text, " (also {})", field.aliases.join(", "));
        }
        let _ = write!(text, "\n             {}\n", field.values);
    }
    text.push_str(
        "\nA comparison is >=2700, >2700, <=2000 or <2000; a range 2600..2700, 2600.. or ..2000. Commas\n\
         separate values of which one must fit.\n\
         \nExamples:\n",
    );
    for field in tabia::query::fields().iter().step_by(6) {
        let _ = writeln!(text, "  tabia search mega.cbh '{}'", field.example);
    }
    text
}
