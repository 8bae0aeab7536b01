//! Outputs that are also inputs.

use std::path::Path;

use tabia::repair::is_part_of;
use tabia::{Error, InputItem};

/// Refuses outputs that are also inputs, and two outputs with one name.
pub(crate) fn refuse_inputs(items: &[InputItem], outputs: &[Option<&Path>]) -> Result<(), Error> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    for (number, output) in outputs.iter().enumerate() {
        let name = output.display();
        if items.iter().any(|item| is_part_of(output, item)) {
            let error = Error::usage(format!("{name} is input and output at once"));
            let hint = "give the output another name; inputs are never replaced";
            return Err(error.with_hint(hint));
        }
        let earlier = outputs.get(..number).unwrap_or_default();
        if earlier.contains(output) {
            let error = Error::usage(format!("{name} is two outputs at once"));
            return Err(error.with_hint("`-o`, `--report` and the like need a file each"));
        }
    }
    Ok(())
}
