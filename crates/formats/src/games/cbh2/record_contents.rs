//! The contents of records of `.2cbg` and `.2cba`, with what is wrong with the records.

use std::path::Path;
use std::sync::Arc;

use tabia_core::error::{Error, ErrorKind, Malformed, Why};
use tabia_core::io::Blob;

use super::annotations::game_annotations::GameAnnotations;
use super::container::{self, Content, HEAD, tag};
use super::open::Cbh2Database;

impl Cbh2Database {
    /// A record of `.2cbg`, as [`content`].
    pub(super) fn moves_record(
        &self,
        at: i64,
        tags: &[u16],
        problems: &mut Vec<Error>,
    ) -> Option<Content<'_>> {
        let file = (self.moves.as_ref(), &self.moves_name);
        content(self, file, at, tags, problems)
    }

    /// All annotations of a game, those that are tags included; none if they cannot be read.
    pub(super) fn all_annotations(
        &self,
        at: Option<i64>,
        problems: &mut Vec<Error>,
    ) -> GameAnnotations<'_> {
        let none = GameAnnotations::empty(self.texts);
        let Some(at) = at.filter(|&at| at > 0) else {
            return none;
        };
        let file = (self.annotations.as_ref(), &self.annotations_name);
        let Some(content) = content(self, file, at, &[tag::ANNOTATIONS], problems) else {
            return none;
        };
        let (annotations, error) = GameAnnotations::read(content.bytes, self.texts);
        if let Some(error) = error {
            let base = u64::try_from(at).unwrap_or(0) + HEAD as u64;
            problems.push(error.shift(0, base, 0).in_file(&self.annotations_name));
        }
        annotations
    }
}

/// A record of `.2cbg` or `.2cba`. Its problems are collected, a type that is not in `tags` included; `None` if it
/// cannot be read.
fn content<'d>(
    db: &'d Cbh2Database,
    (file, name): (Option<&'d Blob>, &Arc<Path>),
    at: i64,
    tags: &[u16],
    problems: &mut Vec<Error>,
) -> Option<Content<'d>> {
    let Some(file) = file else {
        let name_of = name.file_name().unwrap_or_default().to_string_lossy();
        let error = Error::new(ErrorKind::MissingFile(name_of.into_owned()));
        problems.push(error.in_file(name));
        return None;
    };
    let base = u64::try_from(at).unwrap_or(0);
    match container::content(file.as_slice(), at, db.options.limits.record) {
        Ok(content) => {
            let problem = content.problem.or_else(|| {
                let why = Why::Value(content.tag.into());
                (!tags.contains(&content.tag)).then_some(Malformed {
                    field: "tag",
                    at: HEAD - 2,
                    why,
                })
            });
            problems.extend(problem.map(|malformed| malformed.at_base(base).in_file(name)));
            Some(content)
        }
        Err(malformed) => {
            let error = if base >= file.len() as u64 {
                Error::not_in_file(malformed.to_string()).at_offset(base)
            } else {
                malformed.at_base(base)
            };
            problems.push(error.in_file(name));
            None
        }
    }
}
