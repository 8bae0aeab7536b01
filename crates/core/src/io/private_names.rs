//! The names of files that only this program creates.

/// Whether the name of a file, without its folder, is one that this program gives to journals, temporary
/// files and locks: `.name.replaced`, `.name.7-1.tmp` and `.name.lock`, in any letter case. Files of that
/// name from elsewhere must not be put next to databases, as they have a meaning there.
///
/// ```
/// use tabia_core::io::is_private_name;
///
/// assert!(is_private_name(".mega.cbh.replaced"));
/// assert!(!is_private_name("mega.cbh"));
/// ```
pub fn is_private_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let endings = [".replaced", ".tmp", ".lock"];
    lower.starts_with('.') && endings.iter().any(|ending| lower.ends_with(ending))
}
