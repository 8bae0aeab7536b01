//! Tags from the record of a game, in addition to those from the index.

use tabia_core::game::Tags;

/// Appends the tags of a record to those of the index, which already have the value of the first
/// tag of a name in the record.
pub(crate) fn push_remaining(tags: &mut Tags, of_record: &Tags) {
    // The tags of the index are few.
    let of_index: Vec<String> = tags.iter().map(|(name, _)| name.to_owned()).collect();
    let mut is_stored = vec![false; of_index.len()];
    for (name, value) in of_record.iter() {
        let index = of_index.iter().position(|other| other == name);
        match index.and_then(|index| is_stored.get_mut(index)) {
            Some(stored) if !*stored => *stored = true,
            _ => {
                tags.push(name, value);
            }
        }
    }
}
