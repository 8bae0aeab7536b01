//! Containers: archives of several files, and compressed streams.
//!
//! [`open_archive`] detects the format by content and returns an [`Archive`]: a list of [`Member`]s,
//! each of which is read as a whole ([`Archive::read`]) or as a stream ([`Archive::stream`]).
//! [`source`] opens a database inside an archive like one in a folder; [`extract`](extract())
//! and [`create`](create()) write files from archives and archives from files. [`compressed`]
//! reads and writes single compressed streams.

mod archive;
pub mod cbv;
pub mod compressed;
mod copy_next;
pub mod create;
mod create_options;
mod database_source;
mod detect;
mod extents;
mod extract;
mod find_member;
mod inflate_reader;
mod member_errors;
mod memory_or_temporary_file;
mod new_member;
mod on_error;
mod safe_names;
mod salvage;
pub mod scv;
mod timestamp;
mod unpacked_limit_error;
mod verified_reader;
pub mod zip;

pub use archive::{
    Archive, ArchiveContents, ArchiveFormat, ArchiveInfo, ChecksumStatus, CreateArchive, Member,
    Presence, read_member,
};
pub use create::{create, create_listed, format_of_name};
pub use create_options::{CreateOptions, Packing};
pub use database_source::{database_members, source};
pub use detect::{detect, open_archive};
pub use extract::{ExtractOptions, Extracted, extract};
pub use find_member::find_member;
pub use member_errors::{in_member, member_label};
pub use memory_or_temporary_file::read_unpacked;
pub use new_member::{FolderMembers, NewMember};
pub use on_error::OnError;
pub use safe_names::{is_device_name, is_hidden_name, safe_name};
pub use salvage::salvage;
pub use timestamp::Timestamp;
pub use unpacked_limit_error::UNPACKED_SIZE;
