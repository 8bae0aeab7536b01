//! The hash of a key: that of Unix `dbm`, with its two tables.

/// What a nibble adds to the index into the table.
const STEPS: [u8; 16] = [61, 57, 53, 49, 45, 41, 37, 33, 29, 25, 21, 17, 13, 9, 5, 1];

#[rustfmt::skip]
const TABLE: [u32; 64] = [
    0x3100d2bf, 0x3118e3de, 0x34ab1372, 0x2807a847, 0x1633f566, 0x2143b359, 0x26d56488, 0x3b9e6f59,
    0x37755656, 0x3089ca7b, 0x18e92d85, 0x0cd0e9d8, 0x1a9e3b54, 0x3eaa902f, 0x0d9bfaae, 0x2f32b45b,
    0x31ed6102, 0x3d3c8398, 0x146660e3, 0x0f8d4b76, 0x02c77a5f, 0x146c8799, 0x1c47f51f, 0x249f8f36,
    0x24772043, 0x1fbc1e4d, 0x1e86b3fa, 0x37df36a6, 0x16ed30e4, 0x02c3148e, 0x216e5929, 0x0636b34e,
    0x317f9f56, 0x15f09d70, 0x131026fb, 0x38c784b1, 0x29ac3305, 0x2b485dc5, 0x3c049ddc, 0x35a9fbcd,
    0x31d5373b, 0x2b246799, 0x0a2923d3, 0x08a96e9d, 0x30031a9f, 0x08f525b5, 0x33611c06, 0x2409db98,
    0x0ca4feb2, 0x1000b71e, 0x30566e32, 0x39447d31, 0x194e3752, 0x08233a95, 0x0f38fe36, 0x29c7cd57,
    0x0f7b3a39, 0x328e8a16, 0x1e7d1388, 0x0fba78f5, 0x274c7e7c, 0x1e8be65c, 0x2fa0b0bb, 0x1eb6c371,
];

/// What the two nibbles of a byte add to the hash: by half the index before it, then by the byte.
/// The index before a byte is even, because every step is an odd number.
static PAIRS: [[u32; 256]; 32] = {
    let mut pairs = [[0; 256]; 32];
    let mut half = 0;
    while half < pairs.len() {
        let mut byte = 0;
        while byte < 256 {
            let first = 2 * half + STEPS[byte & 15] as usize;
            let second = first + STEPS[byte >> 4] as usize;
            pairs[half][byte] = TABLE[first & 63].wrapping_add(TABLE[second & 63]);
            byte += 1;
        }
        half += 1;
    }
    pairs
};

/// What a byte adds to half the index.
static HALF_STEPS: [u8; 256] = {
    let mut steps = [0; 256];
    let mut byte = 0;
    while byte < steps.len() {
        steps[byte] = u8::midpoint(STEPS[byte & 15], STEPS[byte >> 4]);
        byte += 1;
    }
    steps
};

/// The hash of a key. Only the low bits determine the page of its record.
#[inline]
pub fn hash(key: &[u8]) -> u32 {
    let mut sum = 0u32;
    let mut half_index = 0u8;
    for &byte in key {
        sum = sum.wrapping_add(PAIRS[usize::from(half_index & 31)][usize::from(byte)]);
        half_index = half_index.wrapping_add(HALF_STEPS[usize::from(byte)]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_nibbles_give_the_hash_of_single_nibbles() {
        let mut random = tabia_testkit::Random::new(3);
        for length in 0..64 {
            let key: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            let (mut sum, mut index) = (0u32, 0usize);
            for nibble in key.iter().flat_map(|byte| [byte & 15, byte >> 4]) {
                index += usize::from(STEPS[usize::from(nibble)]);
                sum = sum.wrapping_add(TABLE[index & 63]);
            }
            assert_eq!(hash(&key), sum, "{key:?}");
        }
    }
}
