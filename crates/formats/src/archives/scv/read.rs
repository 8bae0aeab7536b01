//! Reading Scidb's archives.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;
use tabia_core::error::Why;
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::io::{Blob, Charset, Source};
use tabia_core::{Error, ErrorKind, FormatId, Malformed, Result};

use super::header::{self, DATA, Facts, HEAD, NO_DATA};
use super::{checksum, lzo};
use crate::archives::verified_reader::{Checked, Expected, InflateReader};
use crate::archives::{Archive, ArchiveInfo, Checksum, Faults, Member, checksum_of_stream};

#[derive(Debug)]
struct ScvArchive {
    bytes: Blob,
    info: ArchiveInfo,
    limits: Limits,
    places: Vec<Place>,
    members: Vec<Member>,
}

/// Where the data of a member is.
#[derive(Debug, Clone)]
struct Place {
    /// Offset, and length as far as the file reaches.
    at: usize,
    length: usize,
    /// Whether the archive holds the content at all.
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
    let (places, members) = found.into_iter().unzip();
    let format = FormatId::new("scv");
    Ok(Box::new(ScvArchive {
        info: ArchiveInfo {
            format,
            label,
            facts,
            problems,
        },
        limits: options.limits,
        places,
        members,
        bytes,
    }))
}

/// Goes from member to member; their data is not looked at.
struct Scan<'b> {
    bytes: &'b [u8],
    charset: Charset,
    problems: Vec<Error>,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<(Facts, Vec<(Place, Member)>)> {
        let mut found = Vec::new();
        let start = header::line(self.bytes, 0).map_or(self.bytes.len(), |(_, next)| next);
        let Some((facts, _, mut at)) = header::block(self.bytes, start, &[HEAD], self.charset)
        else {
            // Nothing inside is no damage, a line that does not end is.
            let rest = self.bytes.get(start..).unwrap_or_default();
            if rest.trim_ascii().is_empty() {
                return Ok((Vec::new(), found));
            }
            return Err(cut_off("archive header", start, rest.len()));
        };
        loop {
            let markers = [DATA, NO_DATA];
            let Some((facts, marker, data)) = header::block(self.bytes, at, &markers, self.charset)
            else {
                let left = self.bytes.len().saturating_sub(at);
                self.problems.push(cut_off("member header", at, left));
                break;
            };
            let (member, next) = self.member(facts, marker == DATA, data, found.len());
            found.push(member);
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok((facts, found))
    }

    /// One member, and where the header of the next one begins.
    fn member(
        &mut self,
        facts: Facts,
        has_data: bool,
        at: usize,
        number: usize,
    ) -> ((Place, Member), Option<usize>) {
        let uri = header::value(&facts, "URI").map(str::to_owned);
        let size = header::number(&facts, "FileSize");
        let stated = header::number(&facts, "Size").filter(|_| has_data);
        let wanted = stated.map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX));
        let left = self.bytes.len().saturating_sub(at);
        let (next, length) = self.next(at, wanted);
        let cut = (length < wanted).then_some(Why::Truncated {
            needed: wanted,
            left: length,
        });
        if let (Some(why), Some(_)) = (cut, next) {
            let fault = Malformed {
                field: "Size",
                at,
                why,
            };
            self.problems.push(fault.at_base(0));
        }
        let checksum = header::checksum(&facts);
        let compression = header::value(&facts, "Compression")
            .unwrap_or("raw")
            .to_owned();
        let present = stated.is_some() || (has_data && uri.is_none());
        let place = Place {
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
            stored: wanted as u64,
            compression,
            checked: checksum.is_some(),
            modified: header::modified(&facts),
            uri,
            facts,
        };
        ((place, member), next)
    }

    /// The header behind data of that length, and the length as it really is.
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
                let fault = Malformed {
                    field: "Size",
                    at: end,
                    why: Why::Value(length as u64),
                };
                self.problems.push(fault.at_base(0));
                return (Some(next), length);
            }
        }
        // The stated length is wrong: a header inside the data can only be the next one.
        match self.search(at) {
            Some((found, next)) => (Some(next), found.saturating_sub(at).min(length)),
            None => (None, length.min(self.bytes.len().saturating_sub(at))),
        }
    }

    /// The next header from there: where the data before it ends, and what follows its line.
    fn search(&self, from: usize) -> Option<(usize, usize)> {
        let rest = self.bytes.get(from..)?;
        memmem::find_iter(rest, HEAD).find_map(|found| {
            let place = from + found;
            let begins = place
                .checked_sub(1)
                .and_then(|before| self.bytes.get(before));
            let (line, next) = header::line(self.bytes, place)?;
            (begins == Some(&b'\n') && line.trim_ascii() == HEAD)
                .then_some((place.saturating_sub(1), next))
        })
    }
}

/// Name and origin: an address in place of a name is an origin.
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
    fn info(&self) -> &ArchiveInfo {
        &self.info
    }

    fn members(&self) -> &[Member] {
        &self.members
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn sums_what_is_stored(&self) -> bool {
        true
    }

    fn checksum(&self, index: usize) -> Checksum {
        let Some(place) = self.places.get(index) else {
            return Checksum::Bad;
        };
        let Some(wanted) = place.checksum.filter(|_| place.present) else {
            return Checksum::Absent;
        };
        // Mostly the sum of the stored bytes: nothing needs to be unpacked.
        let stored = self.bytes.part(place.at, place.length);
        if place.cut.is_none() && stored.is_some_and(|stored| checksum::is_stored(wanted, &stored))
        {
            return Checksum::Ok;
        }
        checksum_of_stream(self, index)
    }

    fn stream(&self, index: usize, faults: &Faults) -> Result<Box<dyn Read + Send>> {
        let label = &self.info.label;
        let (Some(place), Some(member)) = (self.places.get(index), self.members.get(index)) else {
            let missing = ErrorKind::MissingFile(format!("number {index}"));
            return Err(Error::new(missing).in_file(label));
        };
        if !place.present {
            let uri = member.uri.as_deref().unwrap_or("an unknown place");
            let text = format!("{} is not in the archive but at {uri}", member.name);
            return Err(Error::unsupported(text).in_file(label));
        }
        let stored = self
            .bytes
            .part(place.at, place.length)
            .unwrap_or_else(|| Blob::from(Vec::new()));
        if let Some(why) = place.cut {
            let fault = Malformed {
                field: "Size",
                at: place.at,
                why,
            };
            faults.raise(fault.at_base(0).in_file(label))?;
        }
        let raw: Box<dyn Read + Send> = Box::new(io::Cursor::new(stored.clone()));
        let inner = match member.compression.as_str() {
            "raw" => raw,
            "zlib" if place.length == 0 => raw,
            "zlib" => Box::new(InflateReader::new(raw, true)),
            "lzo" => lzo::reader(stored.clone(), member.size, self.limits.member),
            other => {
                let text = format!("{}: the compression {other} is not known", member.name);
                return Err(Error::unsupported(text).in_file(label));
            }
        };
        let expected = Expected {
            size: member.size,
            limit: self.limits.member,
            label: Arc::clone(label),
            at: place.at as u64,
        };
        let wanted = place.checksum;
        let check = move |unpacked: u32| {
            wanted.is_none_or(|wanted| checksum::fits(wanted, &stored, unpacked))
        };
        Ok(Box::new(Checked::new(
            inner,
            expected,
            Box::new(check),
            faults,
        )))
    }
}
