//! The bytes of an archive that its members occupy.

use tabia_core::Error;
use tabia_core::plural::counted;

use super::{Member, Presence};

/// Offset of the first byte of a member, and of the byte after its last one.
pub(super) type Extent = (u64, u64);

/// The names of members that a problem lists.
const MAX_NAMED: usize = 5;

/// Marks members as [`Presence::Lost`] that share bytes with another one: those that reach beyond the
/// start of another member, and all but the first of those that start at the same byte. No program packs
/// members like that, and a small archive could unpack to any number of bytes. Returns the problem, if
/// there are such members. `extents` has the extent of each member.
pub(super) fn refuse_shared_bytes(members: &mut [Member], extents: &[Extent]) -> Option<Error> {
    let mut order: Vec<usize> = (0..extents.len()).collect();
    let extent = |index: usize| extents.get(index).copied().unwrap_or_default();
    order.retain(|index| extent(*index).0 < extent(*index).1);
    order.sort_by_key(|index| extent(*index).0);
    let mut refused = Vec::new();
    // From the last member on, `next` is the start of the next one that starts later.
    let mut next = u64::MAX;
    for (rank, index) in order.iter().enumerate().rev() {
        let (start, end) = extent(*index);
        let before = rank.checked_sub(1).and_then(|rank| order.get(rank));
        let has_same_start = before.is_some_and(|before| extent(*before).0 == start);
        if end > next || has_same_start {
            refused.push(*index);
        }
        if !has_same_start {
            next = start;
        }
    }
    refused.sort_unstable();
    let what = [
        "shares its bytes with other members and is refused",
        "share their bytes with other members and are refused",
    ];
    mark_lost(members, &refused, what)
}

/// The problem of bytes after the end of an archive, which no member has; zeros that fill up a block are none. `rest` is
/// what follows the offset `end`.
pub(super) fn bytes_after_end(rest: &[u8], end: u64) -> Option<Error> {
    if rest.iter().all(|byte| *byte == 0) {
        return None;
    }
    let count = counted(rest.len(), "byte follows", "bytes follow");
    let text = format!("{count} the end of the archive; no member has them");
    Some(Error::invalid(text).at_offset(end))
}

/// Marks members as [`Presence::Lost`] and returns the problem for all of them, `None` if there are none. `what`: what is
/// wrong with one member, and with several.
pub(super) fn mark_lost(members: &mut [Member], lost: &[usize], what: [&str; 2]) -> Option<Error> {
    let total = members.len();
    for index in lost {
        if let Some(member) = members.get_mut(*index) {
            member.presence = Presence::Lost;
        }
    }
    let names = lost.iter().filter_map(|index| members.get(*index));
    let names: Vec<&str> = names
        .map(|member| member.name.as_str())
        .filter(|name| !name.is_empty())
        .take(MAX_NAMED)
        .collect();
    let [of_one, of_several] = what;
    let mut text = match (lost.len(), total) {
        (1, 1) => format!("the only member {of_one}"),
        (1, _) => format!("1 of {total} members {of_one}"),
        (count, _) => format!("{count} of {total} members {of_several}"),
    };
    if !names.is_empty() {
        text += ": ";
        text += &names.join(", ");
    }
    if lost.len() > MAX_NAMED {
        text += ", …";
    }
    (!lost.is_empty()).then(|| Error::invalid(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(extents: &[Extent]) -> Vec<usize> {
        let member = Member {
            name: "x".to_owned(),
            size: None,
            packed_size: 0,
            compression: String::new(),
            has_checksum: true,
            modified: None,
            uri: None,
            facts: Vec::new(),
            presence: Presence::Stored,
        };
        let mut members = vec![member; extents.len()];
        let problem = refuse_shared_bytes(&mut members, extents);
        let lost = |index: &usize| members[*index].presence == Presence::Lost;
        let lost: Vec<usize> = (0..extents.len()).filter(lost).collect();
        assert_eq!(problem.is_some(), !lost.is_empty());
        lost
    }

    #[test]
    fn members_that_share_bytes_are_refused() {
        assert_eq!(refused(&[(0, 5), (5, 9), (9, 9), (20, 30)]), [0; 0]);
        // Empty members share nothing.
        assert_eq!(refused(&[(0, 5), (0, 0), (3, 3)]), [0; 0]);
        // Each contains the next one.
        assert_eq!(refused(&[(0, 90), (10, 90), (20, 90)]), [0, 1]);
        // In any order, all with the same bytes.
        assert_eq!(refused(&[(7, 9), (0, 3), (0, 3), (0, 3)]), [2, 3]);
        assert_eq!(refused(&[(10, 20), (0, 11)]), [1]);
        assert_eq!(refused(&[(0, 20), (5, 9), (12, u64::MAX)]), [0]);
    }

    #[test]
    fn a_problem_names_the_first_members() {
        let mut members = Vec::new();
        refuse_shared_bytes(&mut members, &[]);
        let text = |count: u64| {
            let extents: Vec<Extent> = (0..count).map(|_| (0, 9)).collect();
            let member = |index: u64| Member {
                name: format!("{index}.pgn"),
                size: None,
                packed_size: 0,
                compression: String::new(),
                has_checksum: true,
                modified: None,
                uri: None,
                facts: Vec::new(),
                presence: Presence::Stored,
            };
            let mut members: Vec<Member> = (0..count).map(member).collect();
            refuse_shared_bytes(&mut members, &extents).map(|error| error.to_string())
        };
        assert_eq!(text(1), None);
        let two = text(3).unwrap();
        assert!(two.starts_with("2 of 3 members share"), "{two}");
        assert!(two.ends_with(": 1.pgn, 2.pgn"), "{two}");
        assert!(text(9).unwrap().ends_with("5.pgn, …"));
        let one = text(2).unwrap();
        assert_eq!(
            one,
            "1 of 2 members shares its bytes with other members and is refused: 1.pgn"
        );
    }
}
