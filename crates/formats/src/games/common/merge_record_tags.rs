//! Merges the tags of a game's record with those from the index.

use tabia_core::game::Tags;

/// Appends the tags of a record to those of the index, which already have the value of the first
/// tag of a name in the record.
pub(crate) fn push_remaining(tags: &mut Tags, of_record: &Tags) {
    // The tags of the index are few: a bit for each whose value was found in the record.
    let of_index = tags.len().min(u128::BITS as usize);
    let mut found = 0_u128;
    for (name, value) in of_record.iter() {
        let is_name = |&i: &usize| tags.pair(i).is_some_and(|(other, _)| other == name);
        let bit = (0..of_index).find(is_name).map_or(0, |i| 1_u128 << i);
        if bit != 0 && found & bit == 0 {
            found |= bit;
        } else {
            tags.push(name, value);
        }
    }
}
