//! Code that several game formats share.

pub(crate) mod annotation_order;
pub(crate) mod date_spelling;
pub(crate) mod interner;
pub(crate) mod line_tree;
pub(crate) mod merge_record_tags;
pub(crate) mod playable_part;
pub(crate) mod realign_entries;
pub(crate) mod record_context;
pub(crate) mod records_digest;
pub(crate) mod salvage;
pub(crate) mod scid_and_scidb_file_set;
pub(crate) mod scid_and_scidb_index_codes;
pub(crate) mod seen_tags;
pub(crate) mod set_writer;
pub(crate) mod setup_tags;
pub(crate) mod tag_plan_cache;
pub(crate) mod unread_moves_text;
pub(crate) mod use_counts;
pub(crate) mod variation_walker;
pub(crate) mod zeroed_files;
