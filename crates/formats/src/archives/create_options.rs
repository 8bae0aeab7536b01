//! How an archive is written: the options, the packing of its members, and the target.

use std::io::{Seek, Write};
use std::sync::Arc;

use tabia_core::Result;
use tabia_core::io::{Progress, Transaction};

/// How members are packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Packing {
    /// The best compression of the format.
    #[default]
    Best,
    /// Without compression.
    Stored,
    /// Deflate, for formats that support it.
    Zlib,
    /// LZO, for formats that support it.
    Lzo,
}

/// How an archive is written.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CreateOptions {
    /// Whether an existing archive is replaced.
    pub force: bool,
    /// How members are packed.
    pub packing: Packing,
    /// The password, for formats that encrypt.
    pub password: Option<String>,
    /// The number of games in the members, for formats that store it.
    pub games: Option<u64>,
    /// Shows how many bytes are packed, and lets another thread cancel the work.
    pub progress: Option<Arc<Progress>>,
    /// What gives the archive its name, together with other files of the same job.
    pub transaction: Option<Transaction>,
}

impl CreateOptions {
    /// Counts bytes of members as packed. Returns
    /// [`ErrorKind::Cancelled`](tabia_core::ErrorKind::Cancelled) once the work is cancelled.
    pub fn advance(&self, bytes: usize) -> Result<()> {
        let Some(progress) = &self.progress else {
            return Ok(());
        };
        progress.advance(bytes as u64, 0);
        progress.check()
    }
}

/// Bytes of a member that are packed between two reports of progress, after which the work may be cancelled.
pub(super) const STEP: usize = 1 << 18;

/// A target that archives are written to.
pub trait WriteSeek: Write + Seek {}

impl<T: Write + Seek> WriteSeek for T {}
