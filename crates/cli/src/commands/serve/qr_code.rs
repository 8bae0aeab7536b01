//! An address as a QR code on a terminal, for the camera of a phone (ISO/IEC 18004): bytes, versions 2 to 5, error
//! correction of level L, which all have one block.

use std::fmt::Write;

/// Version, codewords of data and of correction, and the centre of the alignment pattern.
const VERSIONS: [(usize, usize, usize, usize); 4] = [
    (2, 34, 10, 18),
    (3, 55, 15, 22),
    (4, 80, 20, 26),
    (5, 108, 26, 30),
];

/// Light modules around the code.
const MARGIN: usize = 2;

/// The modules of the code of a text, `true` for dark ones; `None` if the text is too long.
fn modules(text: &str) -> Option<Vec<Vec<bool>>> {
    // Four bits of mode, eight of length.
    let fits = |data: usize| text.len() + 2 <= data;
    let found = VERSIONS.iter().find(|(_, data, ..)| fits(*data))?;
    let &(version, data, correction, centre) = found;
    let mut words = data_words(text.as_bytes(), data);
    words.extend(correction_words(&words, correction));
    let size = 17 + 4 * version;
    let mut code = Code::new(size, centre);
    code.fill(&words);
    Some(code.dark)
}

fn data_words(text: &[u8], count: usize) -> Vec<u8> {
    // Every byte is cut in two by the mode in front of it.
    let mut halves = vec![0b0100, text.len() as u8 >> 4, text.len() as u8 & 15];
    for byte in text {
        halves.extend([byte >> 4, byte & 15]);
    }
    halves.push(0);
    let pairs = halves.chunks(2);
    let mut words: Vec<u8> = pairs
        .map(|pair| pair.iter().fold(0, |word, half| word << 4 | half))
        .collect();
    let padding = [0xec, 0x11].into_iter().cycle();
    words.extend(padding.take(count.saturating_sub(words.len())));
    words
}

/// The product in the field of 256 elements of the standard.
fn product(a: u8, b: u8) -> u8 {
    let mut found = 0;
    for bit in (0..8).rev() {
        let carry = found & 0x80 != 0;
        found <<= 1;
        if carry {
            found ^= 0x1d;
        }
        if b >> bit & 1 == 1 {
            found ^= a;
        }
    }
    found
}

/// The remainder of Reed and Solomon.
fn correction_words(data: &[u8], count: usize) -> Vec<u8> {
    let mut divisor = vec![0; count];
    if let Some(last) = divisor.last_mut() {
        *last = 1;
    }
    let mut root = 1;
    for _ in 0..count {
        let shifted: Vec<u8> = divisor.iter().skip(1).copied().chain([0]).collect();
        for (factor, next) in divisor.iter_mut().zip(shifted) {
            *factor = product(*factor, root) ^ next;
        }
        root = product(root, 2);
    }
    let mut rest = vec![0; count];
    for byte in data {
        let factor = byte ^ rest.remove(0);
        rest.push(0);
        for (word, coefficient) in rest.iter_mut().zip(&divisor) {
            *word ^= product(*coefficient, factor);
        }
    }
    rest
}

/// The square that is filled.
struct Code {
    size: usize,
    dark: Vec<Vec<bool>>,
    /// Modules that are no data.
    fixed: Vec<Vec<bool>>,
}

impl Code {
    /// With all patterns that do not depend on the data.
    fn new(size: usize, centre: usize) -> Self {
        let empty = vec![vec![false; size]; size];
        let mut code = Self {
            size,
            dark: empty.clone(),
            fixed: empty,
        };
        for at in 0..size {
            code.fix(6, at, at % 2 == 0);
            code.fix(at, 6, at % 2 == 0);
        }
        let far = size - 4;
        for (row, column) in [(3, 3), (3, far), (far, 3)] {
            code.square(row, column, 4, &[0, 1, 3]);
        }
        code.square(centre, centre, 2, &[0, 2]);
        code.format();
        code
    }

    fn fix(&mut self, row: usize, column: usize, is_dark: bool) {
        let slots = [(&mut self.dark, is_dark), (&mut self.fixed, true)];
        for (grid, value) in slots {
            if let Some(slot) = grid.get_mut(row).and_then(|row| row.get_mut(column)) {
                *slot = value;
            }
        }
    }

    /// Squares around a centre; those at the distances `dark` are dark.
    fn square(&mut self, row: usize, column: usize, reach: usize, dark: &[usize]) {
        for down in 0..=2 * reach {
            for right in 0..=2 * reach {
                let distance = down.abs_diff(reach).max(right.abs_diff(reach));
                // Outside of the code are parts of the light border.
                if row + down >= reach && column + right >= reach {
                    let at = (row + down - reach, column + right - reach);
                    self.fix(at.0, at.1, dark.contains(&distance));
                }
            }
        }
    }

    /// Level of correction and mask, twice.
    fn format(&mut self) {
        // Level L is 01, the mask 000; with its ten bits of correction, and the constant of the standard.
        let data: u32 = 0b01_000;
        let mut rest = data;
        for _ in 0..10 {
            rest = (rest << 1) ^ ((rest >> 9) * 0x537);
        }
        let bits = (data << 10 | rest) ^ 0x5412;
        let size = self.size;
        for bit in 0..15 {
            let is_dark = bits >> bit & 1 == 1;
            let (row, column) = match bit {
                0..=5 => (bit, 8),
                6 | 7 => (bit + 1, 8),
                8 => (8, 7),
                _ => (8, 14 - bit),
            };
            self.fix(row, column, is_dark);
            let (row, column) = match bit {
                0..=7 => (8, size - 1 - bit),
                _ => (size - 15 + bit, 8),
            };
            self.fix(row, column, is_dark);
        }
        self.fix(size - 8, 8, true);
    }

    /// Fills in the data, in columns of two from the right, upwards first.
    fn fill(&mut self, words: &[u8]) {
        let mut bits = words
            .iter()
            .flat_map(|word| (0..8).rev().map(move |bit| word >> bit & 1 == 1));
        let mut upwards = true;
        let mut right = self.size - 1;
        while right >= 1 {
            if right == 6 {
                // The column of the timing pattern.
                right = 5;
            }
            for step in 0..self.size {
                let row = if upwards { self.size - 1 - step } else { step };
                for column in [right, right - 1] {
                    let is_fixed = self.fixed.get(row).and_then(|row| row.get(column));
                    if is_fixed != Some(&false) {
                        continue;
                    }
                    let bit = bits.next().unwrap_or(false);
                    // The mask 000.
                    let is_dark = bit ^ ((row + column) % 2 == 0);
                    if let Some(slot) = self.dark.get_mut(row).and_then(|row| row.get_mut(column)) {
                        *slot = is_dark;
                    }
                }
            }
            upwards = !upwards;
            right = right.saturating_sub(2);
        }
    }
}

/// The code of a text in lines for a terminal, black on white, two rows of modules a line; `None` if the text is too
/// long.
pub(super) fn lines(text: &str) -> Option<String> {
    let modules = modules(text)?;
    let size = modules.len() + 2 * MARGIN;
    let is_dark = |row: usize, column: usize| {
        let inner = row.checked_sub(MARGIN).zip(column.checked_sub(MARGIN));
        let found = inner.and_then(|(row, column)| modules.get(row)?.get(column));
        found == Some(&true)
    };
    let mut out = String::new();
    for row in (0..size).step_by(2) {
        out.push_str("\x1b[30;107m");
        for column in 0..size {
            out.push(match (is_dark(row, column), is_dark(row + 1, column)) {
                (false, false) => ' ',
                (true, false) => '▀',
                (false, true) => '▄',
                (true, true) => '█',
            });
        }
        let _ = writeln!(out, "\x1b[0m");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correction_is_that_of_the_standard() {
        // The example of annex I of the standard, version 1 with level M.
        let data = [
            0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11,
            0xec, 0x11,
        ];
        let correction = [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55];
        assert_eq!(correction_words(&data, 10), correction);
    }

    #[test]
    fn what_does_not_fit_has_no_code() {
        assert!(modules(&"x".repeat(106)).is_some());
        assert!(modules(&"x".repeat(107)).is_none());
        assert_eq!(modules("x").unwrap().len(), 25);
        assert_eq!(modules(&"x".repeat(60)).unwrap().len(), 33);
    }
}
