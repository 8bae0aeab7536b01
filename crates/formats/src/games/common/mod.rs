//! What several formats of games share.

pub(crate) mod annotation_order;
pub(crate) mod file_set;
pub(crate) mod interner;
pub(crate) mod record_context;
pub(crate) mod replay;
pub(crate) mod salvage;
pub(crate) mod tag_plan_cache;
