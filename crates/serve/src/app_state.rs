//! What all requests work with.

use std::sync::Arc;

use serde_json::Value;
use tabia::dedupe::Duplicate;
use tabia::{Game, GameIndex};
use tokio::sync::Semaphore;

use crate::assets::Assets;
use crate::dropped_files::DroppedFiles;
use crate::explore::FoundTree;
use crate::filter_and_sort::ViewRows;
use crate::guard::Guard;
use crate::indexed_databases::Bases;
use crate::input_health::Health;
use crate::inputs_by_id::Shelf;
use crate::jobs::JobTable;
use crate::lichess_answer_cache::Answers;
use crate::out_folder::OutFolder;
use crate::started_jobs::StartedJobs;

/// Writes a game as a JSON object.
pub type GameDocument = fn(GameIndex, &Game) -> Vec<u8>;

/// Shared by all requests.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) shelf: Shelf,
    /// Requests that may wait for a thread or run.
    pub(crate) queue: Arc<Semaphore>,
    /// Threads of one search.
    pub(crate) threads: usize,
    pub(crate) game_document: GameDocument,
    pub(crate) views: JobTable<ViewRows>,
    pub(crate) scans: JobTable<FoundTree>,
    pub(crate) checks: JobTable<Health>,
    /// Players, searches, previews.
    pub(crate) reports: JobTable<Value>,
    pub(crate) duplicates: JobTable<Arc<Vec<Duplicate>>>,
    /// Jobs that run until they are done.
    pub(crate) started: Arc<StartedJobs>,
    /// Pages that may follow them.
    pub(crate) listeners: Arc<Semaphore>,
    /// Where new files are written; without it none are.
    pub(crate) out: Option<Arc<OutFolder>>,
    pub(crate) bases: Bases,
    pub(crate) answers: Answers,
    pub(crate) dropped: Arc<DroppedFiles>,
    /// Without the page.
    pub(crate) is_api_only: bool,
    pub(crate) assets: Assets,
    pub(crate) guard: Guard,
}

impl App {
    /// Cancels all work; none begins any more.
    pub(crate) fn cancel_everything(&self) {
        self.views.close();
        self.scans.close();
        self.checks.close();
        self.reports.close();
        self.duplicates.close();
        self.started.close();
    }
}
