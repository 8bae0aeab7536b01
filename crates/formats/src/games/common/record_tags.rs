//! Tags from the record of a game, in addition to those from the index.

use tabia_core::game::Tags;

/// Appends the tags of a record to those of the index, which already have the value of the first
/// tag of a name in the record.
pub(crate) fn push_remaining(tags: &mut Tags, of_record: &Tags) {
    let of_index = tags.len();
    for (index, (name, value)) in of_record.iter().enumerate() {
        let is_first = || !of_record.iter().take(index).any(|(tag, _)| tag == name);
        let has_value = tags.iter().take(of_index).any(|(tag, _)| tag == name) && is_first();
        if !has_value {
            tags.push(name, value);
        }
    }
}
