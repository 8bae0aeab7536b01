//! A column of texts that repeat, as a dictionary.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

/// A slot without a number.
const FREE: (u32, u32) = (u32::MAX, 0);

/// A column under construction. A text has the number that it had when it first came.
///
/// Texts are found by a hash of their own: it is fast, and texts that were made to have the same hash cost at most
/// as many comparisons as a batch has rows.
#[derive(Debug)]
pub(crate) struct NameColumn {
    keys: Vec<i32>,
    nulls: NullBufferBuilder,
    text: Vec<u8>,
    /// Where each text ends, after a 0.
    ends: Vec<i32>,
    /// Numbers of texts by their hash, plus 1; 0 is free. Its length is a power of two.
    slots: Vec<u32>,
    /// The text of the last row that had one.
    last: Option<usize>,
    /// Recent numbers of values with the numbers of their texts. A number has one slot, by its remainder; that of a
    /// free one is `u32::MAX`.
    numbers: Vec<(u32, u32)>,
    /// The number of its text for each number of a value that was sent, plus 1; 0: the batch has no text of it.
    sent: Vec<u32>,
    /// The numbers in `sent` that are not 0.
    used: Vec<u32>,
}

/// Numbers of values that are remembered.
const NUMBERS: usize = 2048;

impl NameColumn {
    pub(crate) fn new() -> Self {
        Self {
            keys: Vec::new(),
            nulls: NullBufferBuilder::new(0),
            text: Vec::new(),
            ends: vec![0],
            slots: vec![0; 64],
            last: None,
            numbers: vec![FREE; NUMBERS],
            sent: Vec::new(),
            used: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, text: Option<&str>) {
        let Some(text) = text.map(str::as_bytes) else {
            self.keys.push(0);
            self.nulls.append_null();
            return;
        };
        let key = match self.last.filter(|last| self.text_of(*last) == text) {
            Some(last) => last,
            None => self.find_or_add(text),
        };
        self.last = Some(key);
        // Batches are cut long before that many texts.
        self.keys.push(i32::try_from(key).unwrap_or(i32::MAX));
        self.nulls.append_non_null();
    }

    /// Appends a text that is the same wherever its value has this number, until the numbers are forgotten; `u32::MAX`
    /// is no number.
    pub(crate) fn push_numbered(&mut self, text: &str, number: u32) {
        let slot = number as usize % NUMBERS;
        match self.numbers.get(slot) {
            Some(&(known, key)) if known == number && number != u32::MAX => {
                self.last = Some(key as usize);
                self.keys.push(key.cast_signed());
                self.nulls.append_non_null();
            }
            _ => {
                self.push(Some(text));
                if let (Some(last), Some(slot)) = (self.last, self.numbers.get_mut(slot)) {
                    *slot = (number, last as u32);
                }
            }
        }
    }

    /// Appends the text of a number that was sent. It is the same until the numbers are forgotten; `text` has it.
    pub(crate) fn push_sent<'t>(&mut self, number: u32, text: impl FnOnce() -> &'t str) {
        let index = number as usize;
        if let Some(&key @ 1..) = self.sent.get(index) {
            let key = key - 1;
            self.last = Some(key as usize);
            self.keys.push(key.cast_signed());
            self.nulls.append_non_null();
            return;
        }
        self.push(Some(text()));
        if self.sent.len() <= index {
            self.sent.resize(index + 1, 0);
        }
        if let (Some(last), Some(slot)) = (self.last, self.sent.get_mut(index)) {
            *slot = last as u32 + 1;
            self.used.push(number);
        }
    }

    /// Appends a text some times.
    pub(crate) fn push_repeated(&mut self, text: &str, count: usize) {
        if count > 0 {
            self.push(Some(text));
            let key = self.keys.last().copied().unwrap_or_default();
            self.keys.resize(self.keys.len() + count - 1, key);
            self.nulls.append_n_non_nulls(count - 1);
        }
    }

    /// Appends rows without a text.
    pub(crate) fn push_nulls(&mut self, count: usize) {
        self.keys.resize(self.keys.len() + count, 0);
        self.nulls.append_n_nulls(count);
    }

    /// The numbers that follow are those of another database.
    pub(crate) fn forget_numbers(&mut self) {
        self.numbers.fill(FREE);
        for number in self.used.drain(..) {
            if let Some(slot) = self.sent.get_mut(number as usize) {
                *slot = 0;
            }
        }
    }

    fn text_of(&self, number: usize) -> &[u8] {
        let end = |index: usize| {
            self.ends
                .get(index)
                .map_or(0, |end| end.cast_unsigned() as usize)
        };
        self.text
            .get(end(number)..end(number + 1))
            .unwrap_or_default()
    }

    fn find_or_add(&mut self, text: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(text) & mask;
        loop {
            match self.slots.get(slot) {
                Some(&number @ 1..) if self.text_of(number as usize - 1) != text => {
                    slot = (slot + 1) & mask;
                }
                Some(&number @ 1..) => return number as usize - 1,
                _ => break,
            }
        }
        let number = self.ends.len() - 1;
        self.text.extend_from_slice(text);
        self.ends
            .push(i32::try_from(self.text.len()).unwrap_or(i32::MAX));
        if let Some(free) = self.slots.get_mut(slot) {
            *free = number as u32 + 1;
        }
        if number * 2 > mask {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let length = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(length, 0);
        for number in 0..self.ends.len() - 1 {
            let mut slot = hash(self.text_of(number)) & (length - 1);
            while self.slots.get(slot).is_some_and(|number| *number != 0) {
                slot = (slot + 1) & (length - 1);
            }
            if let Some(free) = self.slots.get_mut(slot) {
                *free = number as u32 + 1;
            }
        }
    }

    /// The column so far; another begins.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let keys = Int32Array::try_new(std::mem::take(&mut self.keys).into(), self.nulls.finish())?;
        let ends = std::mem::replace(&mut self.ends, vec![0]);
        let text = Buffer::from_vec(std::mem::take(&mut self.text));
        let texts = StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(ends)), text, None)?;
        self.slots.fill(0);
        self.forget_numbers();
        self.last = None;
        let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(texts))?;
        Ok(Arc::new(column))
    }
}

/// A number of a text, whose low bits differ for most texts.
fn hash(text: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    // Compiled to one load.
    let number = |word: &[u8; 8]| word.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let (words, rest) = text.as_chunks::<8>();
    let mut sum = text.len() as u64;
    for word in words {
        sum = mix(sum, number(word));
    }
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let sum = mix(sum, number(&last)).wrapping_mul(FACTOR);
    (sum >> 32) as usize
}

#[cfg(test)]
mod tests {
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray as _;

    use super::*;

    #[test]
    fn texts_have_the_numbers_of_their_first_rows() {
        let mut column = NameColumn::new();
        // Both batches are the same: nothing of the first is left in the second.
        for _ in 0..2 {
            for row in 0..3000_usize {
                let text = format!("{:0width$}", row % 700, width = row % 700 / 30);
                column.push(Some(text.as_str()).filter(|_| row % 11 != 3));
                column.push(Some(&text[..0]));
            }
            let array = column.finish().unwrap();
            let names = array.as_dictionary::<Int32Type>();
            let texts = names.values().as_string::<i32>();
            assert_eq!((array.len(), texts.len()), (6000, 701));
            // The empty text came second.
            let mut seen = 1;
            for row in 0..3000_usize {
                let text = format!("{:0width$}", row % 700, width = row % 700 / 30);
                let expected = Some(text.as_str()).filter(|_| row % 11 != 3);
                let key = names.key(row * 2);
                assert_eq!(key.map(|key| texts.value(key)), expected);
                assert_eq!(names.key(row * 2 + 1).map(|key| texts.value(key)), Some(""));
                if let Some(key) = key {
                    assert!(key <= seen + 1, "{key} after {seen}");
                    seen = seen.max(key);
                }
            }
        }
        assert_eq!(column.finish().unwrap().len(), 0);
    }

    #[test]
    fn numbers_change_nothing() {
        let (mut numbered, mut plain) = (NameColumn::new(), NameColumn::new());
        let mut sent = NameColumn::new();
        for database in 0..3_u32 {
            numbered.forget_numbers();
            sent.forget_numbers();
            for row in 0..9000_u32 {
                // Two numbers may have the same text, and two of the same slot have different texts.
                let number = if row % 5 == 0 { u32::MAX } else { row % 3001 };
                let text = format!("{database} {}", (row % 3001) / 2);
                numbered.push_numbered(&text, number);
                match number {
                    u32::MAX => sent.push_numbered(&text, number),
                    number => sent.push_sent(number, || &text),
                }
                plain.push(Some(&text));
            }
            for column in [&mut numbered, &mut sent] {
                column.push_repeated("same", 7);
                column.push_repeated("never", 0);
                column.push_nulls(2);
            }
            for row in 0..9 {
                plain.push(Some("same").filter(|_| row < 7));
            }
            if database != 1 {
                let plain = plain.finish().unwrap().to_data();
                assert_eq!(numbered.finish().unwrap().to_data(), plain);
                assert_eq!(sent.finish().unwrap().to_data(), plain);
            }
        }
    }

    #[test]
    fn texts_with_one_hash_are_distinct() {
        let mut column = NameColumn::new();
        let texts: Vec<String> = (0..20_000).map(|number: u32| number.to_string()).collect();
        let same: Vec<&String> = texts
            .iter()
            .filter(|text| hash(text.as_bytes()) & 63 == 5)
            .collect();
        assert!(same.len() > 30);
        for text in &same {
            column.push(Some(text));
        }
        let array = column.finish().unwrap();
        let names = array.as_dictionary::<Int32Type>();
        let found = names.values().as_string::<i32>().iter().flatten();
        assert!(found.eq(same.iter().map(|text| text.as_str())));
    }
}
