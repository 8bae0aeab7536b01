//! What is said about a move, collected until the next move so that it stands in PGN's order:
//! NAGs, then one comment of commands and text, then further comments.

/// Collected annotations.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) nags: Vec<u8>,
    commands: Vec<u8>,
    /// Rank and start of every command.
    marks: Vec<(u8, usize)>,
    texts: Vec<u8>,
    /// End of every text.
    ends: Vec<usize>,
}

impl Pending {
    pub(super) fn clear(&mut self) {
        self.nags.clear();
        self.commands.clear();
        self.marks.clear();
        self.texts.clear();
        self.ends.clear();
    }

    pub(super) fn has_commands(&self) -> bool {
        !self.marks.is_empty()
    }

    pub(super) fn has_texts(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Adds a command behind those of the same and lower ranks.
    pub(super) fn command(&mut self, rank: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.commands.len();
        write(&mut self.commands);
        let length = self.commands.len() - start;
        let place = self.marks.partition_point(|&(other, _)| other <= rank);
        let Some(&(_, at)) = self.marks.get(place) else {
            self.marks.push((rank, start));
            return;
        };
        if let Some(tail) = self.commands.get_mut(at..) {
            tail.rotate_right(length);
        }
        for (_, start) in self.marks.iter_mut().skip(place) {
            *start += length;
        }
        self.marks.insert(place, (rank, at));
    }

    /// Adds an item to the last command of that rank when it begins with `name`; `false` when there
    /// is none. With `last`, only the very last command is looked at.
    pub(super) fn extend(&mut self, rank: u8, name: &[u8], item: &[u8], last: bool) -> bool {
        let place = if last {
            self.marks.len()
        } else {
            self.marks.partition_point(|&(other, _)| other <= rank)
        };
        let Some(&(found, start)) = place.checked_sub(1).and_then(|i| self.marks.get(i)) else {
            return false;
        };
        let end = self
            .marks
            .get(place)
            .map_or(self.commands.len(), |&(_, start)| start);
        let command = self.commands.get(start..end).unwrap_or_default();
        if found != rank || !command.starts_with(name) || command.last() != Some(&b']') {
            return false;
        }
        self.commands.splice(end - 1..end - 1, item.iter().copied());
        for (_, start) in self.marks.iter_mut().skip(place) {
            *start += item.len();
        }
        true
    }

    /// Adds a text.
    pub(super) fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.texts);
        self.ends.push(self.texts.len());
    }

    /// Writes the comments, a blank before each unless `glue`, `edge` inside the braces.
    pub(super) fn write_comments(&self, out: &mut Vec<u8>, glue: bool, edge: &[u8]) {
        let mut glue = glue;
        let mut open = |out: &mut Vec<u8>| {
            if !glue {
                out.push(b' ');
            }
            glue = false;
            out.push(b'{');
            out.extend_from_slice(edge);
        };
        let close = |out: &mut Vec<u8>| {
            out.extend_from_slice(edge);
            out.push(b'}');
        };
        let mut inside = false;
        let mut starts = self.marks.iter().map(|&(_, start)| start).peekable();
        while let Some(start) = starts.next() {
            if inside {
                out.push(b' ');
            } else {
                open(out);
                inside = true;
            }
            let end = starts.peek().copied().unwrap_or(self.commands.len());
            out.extend_from_slice(self.commands.get(start..end).unwrap_or_default());
        }
        let mut start = 0;
        for &end in &self.ends {
            let text = self.texts.get(start..end).unwrap_or_default();
            start = end;
            if inside && !text.is_empty() {
                out.push(b' ');
            } else {
                if inside {
                    close(out);
                }
                open(out);
            }
            out.extend_from_slice(text);
            close(out);
            inside = false;
        }
        if inside {
            close(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_in_order_and_share_a_comment_with_the_first_text() {
        let mut pending = Pending::default();
        pending.text(|out| out.extend_from_slice(b"one"));
        pending.text(|_| {});
        pending.command(3, |out| out.extend_from_slice(b"[%cal Ge2e4]"));
        pending.command(2, |out| out.extend_from_slice(b"[%csl Ge4]"));
        assert!(pending.extend(2, b"[%csl ", b",Rd4", false));
        assert!(!pending.extend(2, b"[%csl ", b",Rd4", true));
        pending.command(0, |out| out.extend_from_slice(b"[%eval 0.1]"));
        let mut out = Vec::new();
        pending.write_comments(&mut out, true, b"");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{[%eval 0.1] [%csl Ge4,Rd4] [%cal Ge2e4] one} {}"
        );
    }
}
