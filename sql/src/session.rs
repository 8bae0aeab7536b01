//! Runs statements one after another.

use std::sync::Arc;

use datafusion::catalog::DynamicFileCatalog;
use datafusion::error::Result;
use datafusion::execution::context::SessionContext;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::{DdlStatement, LogicalPlan};
use datafusion::prelude::SessionConfig;
use datafusion::sql::parser::DFParser;
use futures::StreamExt;

use crate::arguments::Arguments;
use crate::exit_code::{DONE, Failure, PROBLEMS};
use crate::file_tables::{PathTables, Settings, TabiaFunction};
use crate::moves_functions;
use crate::output::Output;
use crate::scan::Problems;

/// Runs all statements of a text; returns the exit code.
///
/// # Errors
/// The first statement that is wrong or cannot be run to its end.
pub(crate) async fn run(arguments: &Arguments, text: &str) -> std::result::Result<u8, Failure> {
    let problems = Arc::new(Problems::default());
    let settings = Settings {
        threads: arguments.threads,
        include_deleted: arguments.include_deleted,
        problems: Arc::clone(&problems),
    };
    let context = context(arguments, &settings)?;
    let statements = DFParser::parse_sql(text)?;
    for statement in statements {
        let plan = context.state().statement_to_plan(statement).await?;
        refuse_writing(&plan)?;
        let has_rows = !plan.schema().fields().is_empty();
        let frame = context.execute_logical_plan(plan).await?;
        let mut batches = frame.execute_stream().await?;
        let mut output = Output::new(arguments.style, &batches.schema());
        while let Some(batch) = batches.next().await {
            output.write(&batch?)?;
        }
        if has_rows {
            output.finish()?;
        }
    }
    let count = problems.count();
    if count == 0 {
        return Ok(DONE);
    }
    Err(Failure {
        code: PROBLEMS,
        text: format!(
            "{count} problems in the games that were read; the answer has what could be read"
        ),
        hint: Some("`tabia check FILE` lists them".to_owned()),
    })
}

/// Nothing is written, and no table is kept in memory.
fn refuse_writing(plan: &LogicalPlan) -> std::result::Result<(), Failure> {
    let what = match plan {
        LogicalPlan::Ddl(DdlStatement::CreateView(_) | DdlStatement::DropView(_)) => return Ok(()),
        LogicalPlan::Ddl(statement) => statement.name(),
        LogicalPlan::Dml(statement) => statement.name(),
        LogicalPlan::Copy(_) => "Copy",
        _ => return Ok(()),
    };
    let text = format!("tabia-sql reads, and does not write or keep tables: {what}");
    Err(Failure::usage(&text).with_hint("`create view` gives a query a name"))
}

fn context(arguments: &Arguments, settings: &Settings) -> Result<SessionContext> {
    // One partition: the order of rows and the last digits of a mean do not depend on the threads, which read.
    let config = SessionConfig::new()
        .with_target_partitions(1)
        .with_information_schema(true)
        .with_sort_spill_reservation_bytes((arguments.memory / 8).min(10 << 20));
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(arguments.memory)))
        .build_arc()?;
    let context = SessionContext::new_with_config_rt(config, runtime);
    let inner = Arc::clone(context.state().catalog_list());
    let catalogs = DynamicFileCatalog::new(inner, Arc::new(PathTables(settings.clone())));
    let state = SessionStateBuilder::new_from_existing(context.state())
        .with_catalog_list(Arc::new(catalogs))
        .build();
    let context = SessionContext::new_with_state(state);
    context.register_udtf("tabia", Arc::new(TabiaFunction(settings.clone())));
    for function in moves_functions::all() {
        context.register_udf(function);
    }
    Ok(context)
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::of_output(&error)
    }
}
