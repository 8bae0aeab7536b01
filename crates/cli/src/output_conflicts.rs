//! Outputs that are also inputs.

use std::fmt::Display;
use std::path::Path;

use tabia::repair::is_part_of;
use tabia::{Error, InputItem};

/// The error of an input that is the output as well.
pub(crate) fn input_and_output(name: impl Display) -> Error {
    Error::usage(format!("{name} is input and output at once"))
        .with_hint("give the output another name; inputs are never replaced")
}

/// Refuses outputs that are also inputs, and two outputs with one name.
pub(crate) fn refuse_inputs(items: &[InputItem], outputs: &[Option<&Path>]) -> Result<(), Error> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    for (number, output) in outputs.iter().enumerate() {
        let name = output.display();
        if items.iter().any(|item| is_part_of(output, item)) {
            return Err(input_and_output(name));
        }
        let earlier = outputs.get(..number).unwrap_or_default();
        if earlier.contains(output) {
            let error = Error::usage(format!("{name} is two outputs at once"));
            return Err(error.with_hint("`-o`, `--report` and the like need a file each"));
        }
    }
    Ok(())
}
