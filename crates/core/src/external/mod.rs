//! Data structures over records of bytes that may be larger than memory.
//!
//! | type | holds |
//! |---|---|
//! | [`FixedSorter`] | records of one size, handed out in order |
//! | [`VariableSorter`] | keys with payloads of any length, handed out in order of the keys |
//! | [`SpillStore`] | records by the first byte of their key, read back one partition at a time |
//! | [`DiskKeySet`] | a set of 64-bit keys |
//! | [`DiskQueue`] | a queue, first in, first out |
//!
//! Each takes the memory it may use and the folder for its temporary files, which have no name
//! ([`TemporaryFile`](crate::io::TemporaryFile)). An error in one of these files is an
//! [`ErrorKind::TemporaryFile`](crate::ErrorKind::TemporaryFile) and names the folder.

mod interpolation_search;
mod key_set;
mod partitioned_spill_store;
mod queue;
mod radix_sort;
mod sort;

pub use interpolation_search::interpolation_lower_bound;
pub use key_set::DiskKeySet;
pub use partitioned_spill_store::{KeyRange, PARTITIONS, Partitions, SortBuffers, SpillStore};
pub use queue::DiskQueue;
pub use sort::{FixedSorter, VariableSorter};

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A record of fixed size that can be written to a file as its bytes, and its order among others.
pub trait FixedRecord: Copy + FromBytes + IntoBytes + Immutable {
    /// The part of the record that decides about its order.
    type Order: Ord + Copy;

    /// What the record is sorted by.
    fn order(&self) -> Self::Order;

    /// A number that grows with [`order`](Self::order): of two records, the one with the lower
    /// number comes first. Sorting is faster where these numbers are spread evenly.
    fn lead(&self) -> u64;
}

#[cfg(test)]
fn random_numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut random = tabia_testkit::Random::new(seed);
    move || random.next_u64()
}
