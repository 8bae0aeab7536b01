//! Reads a table for a query: the columns that it uses, of the games that its filters leave.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::{
    RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter,
};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::StreamExt;
use tabia::{FileStates, InputItem, NoObserver, Progress};
use tabia_columns::schema::Table;
use tabia_columns::write::{TableOptions, each_batch};

use crate::file_tables::external;
use crate::pushdown::Pushed;

/// Batches that wait for the engine.
const WAITING: usize = 2;

/// Records that were damaged, in all tables that were read.
#[derive(Debug, Default)]
pub(crate) struct Problems(AtomicU64);

impl Problems {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is read.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) items: Arc<Vec<InputItem>>,
    pub(crate) states: Arc<Vec<FileStates>>,
    pub(crate) options: TableOptions,
    pub(crate) pushed: Pushed,
    /// No row fits.
    pub(crate) is_empty: bool,
    /// The columns that the engine gets, in its order.
    pub(crate) schema: SchemaRef,
    pub(crate) problems: Arc<Problems>,
}

impl Scan {
    /// Hands all rows to `take`, which returns whether to go on.
    fn run(
        &self,
        progress: &Arc<Progress>,
        take: &mut dyn FnMut(Result<RecordBatch>) -> bool,
    ) -> std::result::Result<(), tabia::Error> {
        if self.is_empty {
            return Ok(());
        }
        self.states.iter().try_for_each(FileStates::check)?;
        let table = self.options.schema();
        let indices: Vec<Option<usize>> = self
            .schema
            .fields()
            .iter()
            .map(|field| table.index_of(field.name()).ok())
            .collect();
        let summary = each_batch(
            &self.items,
            &self.options,
            progress,
            &mut NoObserver,
            &mut |batch| Ok(take(self.project(&batch, &indices))),
        )?;
        let problems = summary.problems;
        self.problems.0.fetch_add(problems, Ordering::Relaxed);
        Ok(())
    }

    fn project(&self, batch: &RecordBatch, indices: &[Option<usize>]) -> Result<RecordBatch> {
        let fields = self.schema.fields().iter().zip(indices);
        let arrays = fields.map(|(field, index)| {
            let array = index.and_then(|index| batch.columns().get(index));
            match array {
                Some(array) => Ok(cast(array, field.data_type())?),
                None => internal_err!("the reader has no column {}", field.name()),
            }
        });
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            arrays,
            &rows,
        )?)
    }
}

/// A [`Scan`] as a node of a plan.
#[derive(Debug)]
pub(crate) struct ScanPlan {
    scan: Arc<Scan>,
    properties: Arc<PlanProperties>,
}

impl ScanPlan {
    pub(crate) fn new(scan: Scan) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&scan.schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self {
            scan: Arc::new(scan),
            properties: Arc::new(properties),
        }
    }
}

impl DisplayAs for ScanPlan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scan = &self.scan;
        let files: Vec<String> = scan.items.iter().map(InputItem::name).collect();
        write!(f, "TabiaScan: {}", files.join(", "))?;
        let names = scan
            .schema
            .fields()
            .iter()
            .map(|field| field.name().as_str());
        let names: Vec<&str> = names.collect();
        write!(f, ", columns=[{}]", names.join(", "))?;
        if !scan.pushed.terms.is_empty() {
            write!(f, ", where={}", scan.pushed.terms.join(" "))?;
        }
        if scan.options.table == Table::Positions {
            let plies = &scan.options.plies;
            write!(f, ", plies={}..{}", plies.start(), plies.end())?;
        }
        Ok(())
    }
}

impl ExecutionPlan for ScanPlan {
    fn name(&self) -> &'static str {
        "TabiaScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() {
            Ok(self)
        } else {
            internal_err!("a table has no inputs")
        }
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(&self.scan.schema);
        let mut builder = RecordBatchReceiverStreamBuilder::new(schema, WAITING);
        let progress = Arc::new(Progress::default());
        let guard = CancelWhenDropped(Arc::clone(&progress));
        let (scan, sender) = (Arc::clone(&self.scan), builder.tx());
        builder.spawn_blocking(move || {
            let done = scan.run(&progress, &mut |batch| sender.blocking_send(batch).is_ok());
            match done {
                Err(_) if sender.is_closed() => Ok(()),
                done => done.map_err(external),
            }
        });
        let schema = Arc::clone(&self.scan.schema);
        let batches = builder.build().map(move |batch| {
            let _ = &guard;
            batch
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

/// Ends the reading for a query that has enough rows, also where no further row would be found.
struct CancelWhenDropped(Arc<Progress>);

impl Drop for CancelWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
