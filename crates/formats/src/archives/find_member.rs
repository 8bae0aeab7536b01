//! Finds a member of an archive by its name.

use super::Archive;

/// The index of the member with that name; if no name matches exactly, of the first that matches
/// without regard to case.
pub fn find_member(archive: &dyn Archive, name: &str) -> Option<usize> {
    let members = archive.members();
    let lower = name.to_lowercase();
    members
        .iter()
        .position(|member| member.name == name)
        .or_else(|| {
            members
                .iter()
                .position(|member| member.name.to_lowercase() == lower)
        })
}
