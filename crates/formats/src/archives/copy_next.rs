//! Copies decoded bytes in pieces, for readers of members.

/// Copies the next bytes of `decoded`, from `copied` on, to `out`, advances `copied` and returns
/// the number of bytes.
pub(super) fn copy_next(decoded: &[u8], copied: &mut usize, out: &mut [u8]) -> usize {
    let rest = decoded.get(*copied..).unwrap_or_default();
    let length = rest.len().min(out.len());
    if let (Some(from), Some(to)) = (rest.get(..length), out.get_mut(..length)) {
        to.copy_from_slice(from);
    }
    *copied += length;
    length
}
