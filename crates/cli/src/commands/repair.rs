//! `tabia repair`: saves what survives and accounts for every game.

use std::path::Path;

use tabia::Failure;
use tabia::convert::Target;
use tabia::core::formats::CreateOptions;
use tabia::formats::archives::compressed::Compression;
use tabia::repair::{RepairOptions, Repaired, is_part_of, remains, repair};

use crate::args::RepairArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::Out;
use crate::report::{Reporter, loss_rows, loss_table};
use crate::target_args::{format_of_to, refuse_existing, target_file};
use crate::units::{counted, grouped, size};

pub(crate) fn run(args: &RepairArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    if args.common.strict {
        let text = "`--strict` stops at the first problem; `check --strict` finds it";
        return Err(Failure::Usage(text.to_owned()));
    }
    let to = format_of_to(&context.resolver, args.to.as_deref())?;
    let output = Path::new(&args.output);
    let Target::File {
        format,
        path,
        compression: Compression::None,
    } = target_file(&context.resolver, output, to)?
    else {
        let text = format!("{}: what is saved is not compressed", output.display());
        return Err(Failure::Usage(text));
    };
    let item = remains(&context.resolver, &args.path)?;
    if is_part_of(&path, &item) {
        let text = format!("{}: is part of the input", path.display());
        return Err(Failure::Usage(text));
    }
    refuse_existing(&path, args.force)?;
    let mut reporter = Reporter::new(&context, "repair", args.force, None)?;
    let mut create = CreateOptions::default();
    create.force = args.force;
    let options = RepairOptions {
        open: context.open.clone(),
        create,
        threads: context.threads,
    };
    let display = context.display();
    let repaired = repair(
        &item,
        format,
        &path,
        &options,
        &context.progress,
        &mut reporter,
    );
    drop(display);
    let repaired = repaired?;
    let counts = counts(&repaired);
    if args.json {
        let mut document = vec![
            ("path", item.name().into()),
            ("format", item.format().id().to_string().into()),
            ("to", format.file.id.to_string().into()),
        ];
        let files = repaired.written.files.iter();
        let files = files.map(|file| file.display().to_string().into());
        document.push(("files", Json::List(files.collect())));
        document.extend(counts.clone());
        document.push(("recordList", Json::List(reporter.records.clone())));
        document.push(("losses", loss_rows(&repaired.summary.losses)));
        let mut out = Out::new();
        out.text(&format!("{}\n", Json::Object(document).compact()))?;
        out.flush()?;
    }
    report_repaired(&context, &repaired);
    let code = ExitCode::of_problems(repaired.summary.problems + repaired.lost);
    reporter.extra = counts;
    reporter.finish(Some(&repaired.summary))?;
    Ok(code)
}

/// The sum of the account.
fn counts(repaired: &Repaired) -> Vec<(&'static str, Json)> {
    let faults = repaired.problems.iter().map(|text| text.clone().into());
    vec![
        (
            "records",
            (repaired.whole + repaired.damaged + repaired.lost).into(),
        ),
        ("whole", repaired.whole.into()),
        ("damaged", repaired.damaged.into()),
        ("lost", repaired.lost.into()),
        ("faults", Json::List(faults.collect())),
    ]
}

fn report_repaired(context: &Context, repaired: &Repaired) {
    loss_table(context.messages, &repaired.summary.losses, false);
    let note = |text: String| context.messages.note(&text);
    let all = repaired.whole + repaired.damaged + repaired.lost;
    note(format!("{}:", counted(all, "record")));
    let width = grouped(all).len();
    for (count, fate) in [
        (repaired.whole, "recovered whole"),
        (repaired.damaged, "recovered with losses"),
        (repaired.lost, "lost"),
    ] {
        note(format!("  {:>width$}  {fate}", grouped(count)));
    }
    if let Some(file) = repaired.written.files.first() {
        let bytes = size(repaired.written.bytes);
        note(format!(
            "{} to {}: {bytes}",
            counted(repaired.written.records.into(), "record"),
            file.display()
        ));
    }
}
