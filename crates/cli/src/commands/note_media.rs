//! What became of the media files next to the inputs, for users.

use tabia::Summary;

use crate::context::Context;
use crate::path_text::PathText as _;
use crate::readable_numbers::counted;

/// Notes how many media files were copied, and names the folders with those that were not.
pub(super) fn note_media(context: &Context, summary: &Summary) {
    if summary.media_copied > 0 {
        let count = counted(summary.media_copied, "media file");
        context.messages.note(&format!("{count} copied"));
    }
    for lost in &summary.lost_media {
        let files = counted(lost.files, "file");
        let folder = lost.folder.path_text();
        let text = match &lost.target {
            Some(target) => format!(
                "{folder}: {files} not copied: {} has others of these names, or they are links, are damaged or \
                 have names that are refused; games and texts look for them there",
                target.path_text()
            ),
            None => format!(
                "{folder} ({files}) is not copied; `tabia archive create` packs a database with such files"
            ),
        };
        context.messages.hint(&text);
    }
}
