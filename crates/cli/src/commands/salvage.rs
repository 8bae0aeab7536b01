//! `--salvage`: what is left of a damaged database is changed, in a new set that replaces it.

use std::path::Path;

use tabia::repair::{RepairOptions, SalvagedSet};
use tabia::{Error, InputItem};

use crate::commands::repair::report_records;
use crate::context::Context;
use crate::report::{Reporter, report_losses};

/// Repairs a damaged set and reports what was given up. `None` if it is not damaged.
pub(crate) fn prepare(
    context: &Context,
    item: &InputItem,
    target: &Path,
    reporter: &mut Reporter,
) -> Result<Option<SalvagedSet>, Error> {
    let mut options = RepairOptions::default();
    options.open = context.open.clone();
    options.threads = context.threads;
    let display = context.display();
    let salvaged = SalvagedSet::create(item, target, &options, &context.progress, reporter);
    drop(display);
    let salvaged = salvaged?;
    let messages = &context.messages;
    match &salvaged {
        Some(set) => {
            messages.note(&format!("{}: damaged; what is left of it:", item.name()));
            report_losses(messages, &set.repaired().summary.losses, false);
            report_records(messages, set.repaired());
        }
        None => messages.note(&format!("{}: not damaged", item.name())),
    }
    Ok(salvaged)
}
