//! Files as tables: `tabia('mega.cbh', 'positions')` and `from 'mega.cbh'`.

use std::ffi::OsString;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{
    Session, TableFunctionArgs, TableFunctionImpl, TableProvider, UrlTableFactory,
};
use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use tabia::globs::expand_glob;
use tabia::{Error, FileStates, InputItem, Resolver};
use tabia_columns::schema::{GameColumns, Table};
use tabia_columns::write::TableOptions;

use crate::pushdown::Pushed;
use crate::scan::{Problems, Scan, ScanPlan};

/// What all tables share.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) threads: usize,
    pub(crate) include_deleted: bool,
    pub(crate) problems: Arc<Problems>,
}

/// An error of tabia inside one of the engine.
pub(crate) fn external(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The games of a path, or of all that a glob names, as a table.
#[derive(Debug)]
pub(crate) struct FileTable {
    items: Arc<Vec<InputItem>>,
    /// The states of the files when they were found.
    states: Arc<Vec<FileStates>>,
    table: Table,
    /// All columns, as the reader makes them.
    schema: SchemaRef,
    settings: Settings,
}

impl FileTable {
    fn open(path: &str, table: Table, settings: &Settings) -> std::result::Result<Self, Error> {
        let known = tabia::formats().chain(tabia_columns::read::formats());
        let resolver = Resolver::new(known);
        let paths = expand_glob(path.as_ref()).unwrap_or_else(|| vec![OsString::from(path)]);
        let (mut items, mut problems) = (Vec::new(), Vec::new());
        for path in paths {
            for item in resolver.resolve_games(&path)? {
                match item {
                    Ok(item) if item.format().book().is_some() => {
                        let text = format!("{} is an opening book", item.name());
                        let hint = "`tabia book convert book.bin -o rows.parquet` makes a table";
                        return Err(Error::usage(text).with_hint(hint));
                    }
                    Ok(item) => items.push(item),
                    Err(error) => problems.push(error),
                }
            }
        }
        // Rows must not be missing without a word.
        if let Some(error) = problems.pop() {
            return Err(error);
        }
        let options = options_of(table, settings);
        let states = items.iter().map(FileStates::of).collect();
        Ok(Self {
            items: Arc::new(items),
            states: Arc::new(states),
            table,
            schema: Arc::new(plain_schema(&options.schema())),
            settings: settings.clone(),
        })
    }

    fn has_one_input(&self) -> bool {
        self.items.len() == 1
    }
}

/// The options of a table with all its columns.
fn options_of(table: Table, settings: &Settings) -> TableOptions {
    let mut options = TableOptions::default();
    options.table = table;
    options.fen = true;
    options.plan.threads = settings.threads;
    options.plan.selection.deleted = settings.include_deleted;
    options
}

/// A schema without dictionaries. Each batch has dictionaries of its own, which engines compare less well than texts.
pub(crate) fn plain_schema(schema: &Schema) -> Schema {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| {
            field
                .as_ref()
                .clone()
                .with_data_type(plain(field.data_type()))
        })
        .collect();
    Schema::new(fields)
}

fn plain(data: &DataType) -> DataType {
    match data {
        // The texts of the dictionary are not copied.
        DataType::Dictionary(_, _) => DataType::Utf8View,
        DataType::List(element) => {
            let data = plain(element.data_type());
            DataType::List(Arc::new(element.as_ref().clone().with_data_type(data)))
        }
        other => other.clone(),
    }
}

#[async_trait]
impl TableProvider for FileTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let has_one = self.has_one_input();
        let answer = |filter: &&Expr| {
            if Pushed::helps(filter, self.table, has_one) {
                // The engine tests it again: queries fold names, and a year is all of its days.
                TableProviderFilterPushDown::Inexact
            } else {
                TableProviderFilterPushDown::Unsupported
            }
        };
        Ok(filters.iter().map(answer).collect())
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(indices) => Arc::new(self.schema.project(indices)?),
            None => Arc::clone(&self.schema),
        };
        let pushed = Pushed::of(filters, self.table, self.has_one_input());
        let mut options = options_of(self.table, &self.settings);
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        match self.table {
            // Rows are counted by any column.
            Table::Games if names.is_empty() => {
                options.columns = GameColumns::parse("game").map_err(external)?
            }
            Table::Games => {
                options.columns = GameColumns::parse(&names.join(",")).map_err(external)?;
            }
            _ => options.fen = names.contains(&"fen"),
        }
        options.plan.filter = pushed.query();
        let mut is_empty = false;
        if let Some(plies) = &pushed.plies {
            let most = i64::from(u16::MAX);
            let (start, end) = ((*plies.start()).max(1), (*plies.end()).min(most));
            is_empty = start > end;
            options.plies = start.clamp(1, most) as u16..=end.clamp(1, most) as u16;
        }
        Ok(Arc::new(ScanPlan::new(Scan {
            items: Arc::clone(&self.items),
            states: Arc::clone(&self.states),
            options,
            pushed,
            is_empty,
            schema,
            problems: Arc::clone(&self.settings.problems),
        })))
    }
}

/// `tabia('mega.cbh')` and `tabia('mega.cbh', 'positions')`.
#[derive(Debug)]
pub(crate) struct TabiaFunction(pub(crate) Settings);

impl TableFunctionImpl for TabiaFunction {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let text = |expr: &Expr| match expr {
            Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let texts: Option<Vec<String>> = args.exprs().iter().map(text).collect();
        let (path, table) = match texts.as_deref() {
            Some([path]) => (path, Table::Games),
            Some([path, name]) => match Table::parse(name) {
                Some(table @ (Table::Games | Table::Positions)) => (path, table),
                _ => {
                    return plan_err!(
                        "no table is called '{name}'; there are 'games' and 'positions'"
                    );
                }
            },
            _ => {
                return plan_err!("tabia takes a path and a table: tabia('mega.cbh', 'positions')");
            }
        };
        let table = FileTable::open(path, table, &self.0).map_err(external)?;
        Ok(Arc::new(table))
    }
}

/// Tables whose names are paths: `from 'mega.cbh'`.
#[derive(Debug)]
pub(crate) struct PathTables(pub(crate) Settings);

#[async_trait]
impl UrlTableFactory for PathTables {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        // Names of functions and views are asked for too.
        let is_path = name.contains(['.', '/', '\\', '*']) || std::path::Path::new(name).exists();
        if !is_path || name == "tabia" {
            return Ok(None);
        }
        let table = FileTable::open(name, Table::Games, &self.0).map_err(external)?;
        Ok(Some(Arc::new(table)))
    }
}
