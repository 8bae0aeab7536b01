//! Reading archives of Scidb.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;
use tabia_core::error::Why;
use tabia_core::formats::OpenOptions;
use tabia_core::io::{Blob, Charset, Source};
use tabia_core::{Error, FormatId, Malformed, Result};

use super::header::{self, DATA, Facts, HEAD, NO_DATA};
use super::{checksum, lzo};
use crate::archives::inflate_reader::InflateReader;
use crate::archives::verified_reader::{Expected, VerifiedReader};
use crate::archives::{Archive, ArchiveContents, ArchiveInfo, Member, OnError, Presence};

#[derive(Debug)]
struct ScvArchive {
    bytes: Blob,
    contents: ArchiveContents,
    /// The data of each member.
    data: Vec<MemberData>,
}

/// The location of the data of a member, and its checksum.
#[derive(Debug, Clone)]
struct MemberData {
    at: usize,
    /// Length in bytes, up to the end of the file.
    length: usize,
    /// Whether the archive holds the data at all.
    present: bool,
    /// Why the length is not the one stated.
    cut: Option<Why>,
    checksum: Option<u32>,
}

pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Archive>> {
    let bytes = source.main().open()?;
    let label = Arc::clone(source.label());
    let mut scan = Scan {
        bytes: &bytes,
        charset: options.charset,
        problems: Vec::new(),
    };
    let (facts, found) = scan.run()?;
    let problems = scan
        .problems
        .into_iter()
        .map(|problem| problem.in_file(&label))
        .collect();
    let (data, members) = found.into_iter().unzip();
    let info = ArchiveInfo {
        format: FormatId::new("scv"),
        label,
        facts,
        problems,
    };
    Ok(Box::new(ScvArchive {
        bytes,
        contents: ArchiveContents {
            info,
            members,
            limits: options.limits,
        },
        data,
    }))
}

/// Finds the members by their headers, without reading their data.
struct Scan<'b> {
    bytes: &'b [u8],
    charset: Charset,
    problems: Vec<Error>,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<(Facts, Vec<(MemberData, Member)>)> {
        let mut found = Vec::new();
        let start = header::line(self.bytes, 0).map_or(self.bytes.len(), |(_, next)| next);
        let Some((facts, _, mut at)) = header::block(self.bytes, start, &[HEAD], self.charset)
        else {
            // An archive without members is valid, a line that does not end is not.
            let rest = self.bytes.get(start..).unwrap_or_default();
            if rest.trim_ascii().is_empty() {
                return Ok((Vec::new(), found));
            }
            return Err(cut_off("archive header", start, rest.len()));
        };
        let lines = self.bytes.get(start..at).unwrap_or_default();
        if header::is_damaged(lines, &[DATA, NO_DATA]) {
            let malformed = Malformed {
                field: "archive header",
                at: start,
                why: Why::Text,
            };
            self.problems.push(malformed.at_base(0));
        }
        loop {
            let markers = [DATA, NO_DATA];
            let Some((facts, marker, data)) = header::block(self.bytes, at, &markers, self.charset)
            else {
                let left = self.bytes.len().saturating_sub(at);
                self.problems.push(cut_off("member header", at, left));
                break;
            };
            let ((mut member_data, mut member), next) =
                self.member(facts, marker == DATA, data, found.len());
            let lines = self.bytes.get(at..data).unwrap_or_default();
            if header::is_damaged(lines, &[HEAD]) {
                // Parts of two headers: the data are those of another name.
                let malformed = Malformed {
                    field: "member header",
                    at,
                    why: Why::Text,
                };
                self.problems.push(malformed.at_base(0));
                member.name = format!("member-{}", found.len() + 1);
                // Whether its size and compression are among them is not known.
                member_data.cut.get_or_insert(Why::Text);
            }
            found.push((member_data, member));
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        self.check_total(&facts, &found);
        Ok((facts, found))
    }

    /// Reports members that are missing: a cut between two of them leaves no other trace.
    fn check_total(&mut self, facts: &[(String, String)], found: &[(MemberData, Member)]) {
        let stated = header::number(facts, "TotalSize").unwrap_or(0);
        let sizes = found.iter().map(|(_, member)| member.size);
        let Some(sum) = sizes.sum::<Option<u64>>() else {
            return;
        };
        if stated > sum && self.problems.is_empty() {
            let malformed = Malformed {
                field: "TotalSize",
                at: 0,
                why: Why::Truncated {
                    needed: usize::try_from(stated).unwrap_or(usize::MAX),
                    left: usize::try_from(sum).unwrap_or(usize::MAX),
                },
            };
            self.problems.push(malformed.at_base(0));
        }
    }

    /// One member, and the offset after the first line of the next header.
    fn member(
        &mut self,
        facts: Facts,
        has_data: bool,
        at: usize,
        number: usize,
    ) -> ((MemberData, Member), Option<usize>) {
        let uri = header::value(&facts, "URI").map(str::to_owned);
        let size = header::number(&facts, "FileSize");
        let stated = header::number(&facts, "Size").filter(|_| has_data);
        let wanted = stated.map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX));
        let left = self.bytes.len().saturating_sub(at);
        let (next, length) = self.next(at, wanted);
        let mut cut = (length < wanted).then_some(Why::Truncated {
            needed: wanted,
            left: length,
        });
        let is_size = |key: &&str| header::value(&facts, key).is_some();
        let unreadable = ["FileSize", "Size"].into_iter().filter(is_size);
        let mut unreadable = unreadable.filter(|key| header::number(&facts, key).is_none());
        if let Some(field) = unreadable.next() {
            let malformed = Malformed {
                field,
                at,
                why: Why::Text,
            };
            self.problems.push(malformed.at_base(0));
            cut.get_or_insert(Why::Text);
        } else if let (Some(why), Some(_)) = (cut, next) {
            let malformed = Malformed {
                field: "Size",
                at,
                why,
            };
            self.problems.push(malformed.at_base(0));
        }
        let checksum = header::checksum(&facts);
        let compression = header::value(&facts, "Compression")
            .unwrap_or("raw")
            .to_owned();
        let present = stated.is_some() || (has_data && uri.is_none());
        let member_data = MemberData {
            at,
            length: length.min(left),
            present,
            cut,
            checksum,
        };
        let raw = if compression == "raw" && present {
            Some(wanted as u64)
        } else {
            None
        };
        let (name, uri) = name(&facts, uri, number);
        let member = Member {
            name,
            size: size.or(raw),
            packed_size: wanted as u64,
            compression,
            has_checksum: checksum.is_some(),
            modified: header::modified(&facts),
            uri,
            facts,
            presence: if present {
                Presence::Stored
            } else {
                Presence::Elsewhere
            },
        };
        ((member_data, member), next)
    }

    /// The offset after the first line of the header that follows `length` bytes of data, and the
    /// real length of the data.
    fn next(&mut self, at: usize, length: usize) -> (Option<usize>, usize) {
        let end = at.saturating_add(length);
        if let Some(rest) = self.bytes.get(end..) {
            let breaks = rest
                .iter()
                .take_while(|byte| matches!(byte, b'\n' | b'\r'))
                .count();
            match header::line(self.bytes, end + breaks) {
                Some((line, next)) if line.trim_ascii() == HEAD => return (Some(next), length),
                _ if breaks == rest.len() => return (None, length),
                _ => {}
            }
            if let Some((_, next)) = self.search(end) {
                let malformed = Malformed {
                    field: "Size",
                    at: end,
                    why: Why::Value(length as u64),
                };
                self.problems.push(malformed.at_base(0));
                return (Some(next), length);
            }
        }
        // The stated length exceeds the file: the first header in the data is the next one.
        if let Some((found, next)) = self.search(at) {
            return (Some(next), found.saturating_sub(at).min(length));
        }
        let rest = self.bytes.get(end..).unwrap_or_default();
        if !rest.is_empty() {
            self.problems
                .push(cut_off("member header", end, rest.len()));
        }
        (None, length.min(self.bytes.len().saturating_sub(at)))
    }

    /// Searches for the next header from `from` on. Returns the end of the data before it and the
    /// offset after its first line.
    fn search(&self, from: usize) -> Option<(usize, usize)> {
        let rest = self.bytes.get(from..)?;
        memmem::find_iter(rest, HEAD).find_map(|found| {
            let at = from + found;
            let before = at.checked_sub(1).and_then(|at| self.bytes.get(at));
            let (line, next) = header::line(self.bytes, at)?;
            (before == Some(&b'\n') && line.trim_ascii() == HEAD)
                .then_some((at.saturating_sub(1), next))
        })
    }
}

/// The name and the address of a member. An address instead of a name is used as both.
fn name(
    facts: &[(String, String)],
    uri: Option<String>,
    number: usize,
) -> (String, Option<String>) {
    let named = header::value(facts, "FileName").or_else(|| header::value(facts, "Name"));
    let last = |address: &str| address.rsplit('/').next().unwrap_or_default().to_owned();
    match named.filter(|name| !name.is_empty()) {
        Some(name) if name.starts_with("http://") || name.starts_with("https://") => {
            (last(name), uri.or_else(|| Some(name.to_owned())))
        }
        Some(name) => (name.replace('\\', "/"), uri),
        None => {
            let from_uri = uri.as_deref().map(last).filter(|name| !name.is_empty());
            (
                from_uri.unwrap_or_else(|| format!("member-{}", number + 1)),
                uri,
            )
        }
    }
}

fn cut_off(field: &'static str, at: usize, left: usize) -> Error {
    Malformed {
        field,
        at,
        why: Why::Truncated {
            needed: left + 1,
            left,
        },
    }
    .at_base(0)
}

impl Archive for ScvArchive {
    fn contents(&self) -> &ArchiveContents {
        &self.contents
    }

    fn stream(&self, index: usize, on_error: &OnError) -> Result<Box<dyn Read + Send>> {
        let label = &self.contents.info.label;
        let member = self.contents.member(index)?;
        let data = self
            .data
            .get(index)
            .ok_or_else(|| self.contents.missing_member(index))?;
        if !data.present {
            let uri = member.uri.as_deref().unwrap_or("an unknown address");
            let text = format!("it is not in the archive but at {uri}");
            return Err(Error::unsupported(text).in_file(label));
        }
        let limit = self.contents.limits.unpacked_from(data.length as u64);
        let stored = self
            .bytes
            .part(data.at, data.length)
            .unwrap_or_else(|| Blob::from(Vec::new()));
        if let Some(why) = data.cut {
            let malformed = Malformed {
                field: "Size",
                at: data.at,
                why,
            };
            on_error.report(malformed.at_base(0).in_file(label))?;
        }
        let raw: Box<dyn Read + Send> = Box::new(io::Cursor::new(stored.clone()));
        let inner = match member.compression.as_str() {
            "raw" => raw,
            "zlib" if data.length == 0 => raw,
            "zlib" => Box::new(InflateReader::new(raw, true)),
            "lzo" => lzo::reader(stored.clone(), member.size, limit),
            other => {
                let text = format!("the compression {other} is not known");
                return Err(Error::unsupported(text).in_file(label));
            }
        };
        let expected = Expected {
            size: member.size,
            limit,
            label: Arc::clone(label),
            at: data.at as u64,
        };
        let wanted = data.checksum;
        let check = move |unpacked: u32| {
            wanted.is_none_or(|wanted| checksum::matches(wanted, &stored, unpacked))
        };
        Ok(Box::new(VerifiedReader::new(
            inner,
            expected,
            Box::new(check),
            on_error,
        )))
    }
}
