//! [`ReadGames`]: which items of an input are read, and how.

use std::sync::Arc;
use std::vec;

use tabia_core::Error;
use tabia_core::game::Want;
use tabia_core::io::Progress;

use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::read_options::ReadOptions;
use crate::resolve::Resolver;
use crate::scan::{ScanOptions, ScanReporter};
use crate::select::Selection;

/// Everything needed to read the games of an input.
#[derive(Debug, Clone)]
pub(crate) struct ReadGames {
    pub(crate) items: Arc<Vec<InputItem>>,
    /// Files in a folder that are not what their names claim.
    pub(crate) unreadable: Arc<Vec<Error>>,
    pub(crate) resolver: Resolver,
    pub(crate) options: ReadOptions,
}

impl ReadGames {
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            deleted: self.options.deleted,
            texts: false,
            ..Selection::default()
        }
    }

    pub(crate) fn scan_options(&self, threads: usize) -> ScanOptions {
        let filter = &self.options.filter;
        ScanOptions {
            threads,
            selection: self.selection(),
            filter: (!filter.is_empty()).then(|| filter.clone()),
            want: Want::ALL,
            strict: self.options.open.strict,
            only_selected: true,
            ..ScanOptions::default()
        }
    }

    /// Calls `read` for every item that holds games; books in a folder hold none. `Ok(false)` from
    /// `read` ends the job.
    pub(crate) fn each(
        &self,
        read: &mut dyn FnMut(&InputItem) -> Result<bool, Error>,
        failed: &mut dyn FnMut(Error) -> bool,
    ) -> Result<(), Error> {
        for error in self.unreadable.iter() {
            if !failed(error.clone()) {
                return Ok(());
            }
        }
        let is_folder = self.items.len() + self.unreadable.len() > 1;
        for item in self.items.iter() {
            if item.is_archive() {
                let members = match self.resolver.archive(item) {
                    Ok(Some(archive)) => self.resolver.contents(&archive),
                    Ok(None) => Vec::new(),
                    Err(error) => vec![Err(error)],
                };
                for member in members {
                    let goes_on = match member {
                        Ok(member) if member.format().games().is_some() => read(&member)?,
                        Ok(_) => true,
                        Err(error) => failed(error),
                    };
                    if !goes_on {
                        return Ok(());
                    }
                }
            } else if (item.format().games().is_some() || !is_folder) && !read(item)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Opens an item and reads it; problems of its container are reported as well.
pub(crate) fn scan_item(
    item: &InputItem,
    job: &ReadGames,
    observer: &mut dyn Observer,
    read: impl FnOnce(&mut ScanReporter<'_>, crate::OpenInput) -> Result<(), Error>,
) -> Result<(), Error> {
    let progress = Arc::new(Progress::default());
    let strict = job.options.open.strict;
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress: &progress,
    };
    reporter.read_item(&job.options.open, &progress, strict, read)
}
