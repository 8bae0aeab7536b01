//! Annotations of a move, collected until the next token and then written in the order of PGN: NAGs,
//! then one comment with the commands and the first text, then a comment for each further text.

/// The annotations that are not written yet.
#[derive(Debug, Default)]
pub(super) struct PendingAnnotations {
    pub(super) nags: Vec<u8>,
    commands: Vec<u8>,
    /// The rank of every command and its start in `commands`.
    command_starts: Vec<(u8, usize)>,
    texts: Vec<u8>,
    /// The end of every text in `texts`.
    text_ends: Vec<usize>,
    /// Whether the last text ends with that of a quoted game.
    ends_with_quotation: bool,
}

impl PendingAnnotations {
    pub(super) fn clear(&mut self) {
        self.nags.clear();
        self.commands.clear();
        self.command_starts.clear();
        self.texts.clear();
        self.text_ends.clear();
        self.ends_with_quotation = false;
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        !self.has_comments() && self.nags.is_empty()
    }

    /// Whether there are commands or texts.
    #[inline(always)]
    pub(super) fn has_comments(&self) -> bool {
        !self.command_starts.is_empty() || self.has_texts()
    }

    pub(super) fn has_texts(&self) -> bool {
        !self.text_ends.is_empty()
    }

    /// Adds a command after those of the same and lower ranks.
    pub(super) fn command(&mut self, rank: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.commands.len();
        write(&mut self.commands);
        let length = self.commands.len() - start;
        let index = self
            .command_starts
            .partition_point(|&(other, _)| other <= rank);
        let Some(&(_, at)) = self.command_starts.get(index) else {
            self.command_starts.push((rank, start));
            return;
        };
        if let Some(tail) = self.commands.get_mut(at..) {
            tail.rotate_right(length);
        }
        for (_, start) in self.command_starts.iter_mut().skip(index) {
            *start += length;
        }
        self.command_starts.insert(index, (rank, at));
    }

    /// Adds an item to the last command of `rank`, or with `last` to the last of all commands; `false` if
    /// that command has another rank or name.
    pub(super) fn extend(&mut self, rank: u8, name: &[u8], item: &[u8], last: bool) -> bool {
        let index = if last {
            self.command_starts.len()
        } else {
            self.command_starts
                .partition_point(|&(other, _)| other <= rank)
        };
        let Some(&(found, start)) = index
            .checked_sub(1)
            .and_then(|i| self.command_starts.get(i))
        else {
            return false;
        };
        let end = self
            .command_starts
            .get(index)
            .map_or(self.commands.len(), |&(_, start)| start);
        let command = self.commands.get(start..end).unwrap_or_default();
        if found != rank || !command.starts_with(name) || command.last() != Some(&b']') {
            return false;
        }
        self.commands.splice(end - 1..end - 1, item.iter().copied());
        for (_, start) in self.command_starts.iter_mut().skip(index) {
            *start += item.len();
        }
        true
    }

    /// Adds the text of a comment.
    pub(super) fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.texts);
        self.text_ends.push(self.texts.len());
        self.ends_with_quotation = false;
    }

    /// Adds the text of a quoted game: to the last text if it `continues` one, else as a text of its own.
    pub(super) fn quotation(&mut self, continues: bool, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.texts);
        match self.text_ends.last_mut().filter(|_| continues) {
            Some(end) => *end = self.texts.len(),
            None => self.text_ends.push(self.texts.len()),
        }
        self.ends_with_quotation = true;
    }

    /// Whether the last text is a comment and nothing else.
    pub(super) fn ends_with_comment(&self) -> bool {
        self.has_texts() && !self.ends_with_quotation
    }

    /// Adds the annotations of `other` after these.
    pub(super) fn append(&mut self, other: &Self) {
        self.nags.extend_from_slice(&other.nags);
        let ends = other.command_starts.iter().skip(1).map(|&(_, start)| start);
        let ends = ends.chain([other.commands.len()]);
        for (&(rank, start), end) in other.command_starts.iter().zip(ends) {
            let command = other.commands.get(start..end).unwrap_or_default();
            let list = [b"[%csl ", b"[%cal "]
                .into_iter()
                .find_map(|name| Some((name, command.strip_prefix(name)?.strip_suffix(b"]")?)));
            let is_extended = list.is_some_and(|(name, list)| {
                let item = [b",", list].concat();
                self.extend(rank, name, &item, false)
            });
            if !is_extended {
                self.command(rank, |out| out.extend_from_slice(command));
            }
        }
        let mut start = 0;
        for &end in &other.text_ends {
            self.text(|out| out.extend_from_slice(other.texts.get(start..end).unwrap_or_default()));
            start = end;
        }
        if other.has_texts() {
            self.ends_with_quotation = other.ends_with_quotation;
        }
    }

    /// Writes the comments, with a blank before each except the first, which has one if `needs_blank`,
    /// and with `edge` inside the braces and `between` commands.
    pub(super) fn write_comments(
        &self,
        out: &mut Vec<u8>,
        needs_blank: bool,
        edge: &[u8],
        between: &[u8],
    ) {
        let mut needs_blank = needs_blank;
        let mut open = |out: &mut Vec<u8>| {
            if needs_blank {
                out.push(b' ');
            }
            needs_blank = true;
            out.push(b'{');
            out.extend_from_slice(edge);
        };
        let close = |out: &mut Vec<u8>| {
            out.extend_from_slice(edge);
            out.push(b'}');
        };
        let mut is_open = false;
        let mut starts = self
            .command_starts
            .iter()
            .map(|&(_, start)| start)
            .peekable();
        while let Some(start) = starts.next() {
            if is_open {
                out.extend_from_slice(between);
            } else {
                open(out);
                is_open = true;
            }
            let end = starts.peek().copied().unwrap_or(self.commands.len());
            out.extend_from_slice(self.commands.get(start..end).unwrap_or_default());
        }
        let mut start = 0;
        for &end in &self.text_ends {
            let text = self.texts.get(start..end).unwrap_or_default();
            start = end;
            if is_open && !text.is_empty() {
                out.push(b' ');
            } else {
                if is_open {
                    close(out);
                }
                open(out);
            }
            out.extend_from_slice(text);
            close(out);
            is_open = false;
        }
        if is_open {
            close(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_the_first_text_share_a_comment() {
        let mut pending = PendingAnnotations::default();
        pending.text(|out| out.extend_from_slice(b"one"));
        pending.text(|_| {});
        pending.command(3, |out| out.extend_from_slice(b"[%cal Ge2e4]"));
        pending.command(2, |out| out.extend_from_slice(b"[%csl Ge4]"));
        assert!(pending.extend(2, b"[%csl ", b",Rd4", false));
        assert!(!pending.extend(2, b"[%csl ", b",Rd4", true));
        pending.command(0, |out| out.extend_from_slice(b"[%eval 0.1]"));
        let mut other = PendingAnnotations::default();
        other.command(2, |out| out.extend_from_slice(b"[%csl Ra1]"));
        other.command(4, |out| out.extend_from_slice(b"[%mdl 1]"));
        let mut both = PendingAnnotations::default();
        both.append(&pending);
        both.append(&other);
        let mut out = Vec::new();
        both.write_comments(&mut out, false, b"", b" ");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{[%eval 0.1] [%csl Ge4,Rd4,Ra1] [%cal Ge2e4] [%mdl 1] one} {}"
        );
        let mut out = Vec::new();
        pending.write_comments(&mut out, false, b"", b" ");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{[%eval 0.1] [%csl Ge4,Rd4] [%cal Ge2e4] one} {}"
        );
        let mut out = Vec::new();
        pending.write_comments(&mut out, false, b"", b"");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{[%eval 0.1][%csl Ge4,Rd4][%cal Ge2e4] one} {}"
        );
    }
}
