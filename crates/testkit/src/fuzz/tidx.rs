//! Saved indexes of positions: any bytes, and indexes whose sections were changed and sealed again.

use std::ops::Range;
use std::sync::OnceLock;

use tabia_core::GameIndex;
use tabia_core::chess::{Material, Ply, Position};
use tabia_core::game::{Flow, Visitor, Want};
use tabia_core::io::{Blob, Progress};
use tabia_index::{Batch, BuildOptions, Builder, Collector, PositionIndex, crc32};

use crate::arbitrary_game::arbitrary_game;

/// Offsets of the two headers.
const HEADERS: [usize; 2] = [0, 4096];
/// Length of an entry of the directory.
const ENTRY: usize = 40;
const CHUNK: usize = 4096;

/// An index, and positions that its games reached.
fn sample() -> &'static (Vec<u8>, Vec<Position>) {
    static SAMPLE: OnceLock<(Vec<u8>, Vec<Position>)> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let (mut collector, mut batch) = (Collector::new(), Batch::default());
        let mut positions = vec![Position::standard()];
        for number in 0..40 {
            let game = arbitrary_game(u64::from(number % 17));
            let _ = game.replay(GameIndex(number), Want::ALL, &mut collector);
            positions.extend(game.head.start.position());
        }
        collector.swap(&mut batch);
        let mut options = BuildOptions::default();
        options.segment_games = 25;
        let progress = Progress::new();
        let mut builder = Builder::in_memory(options, &progress).expect("memory");
        builder.add(&batch, 0).expect("memory");
        let built = builder.finish_bytes(b"sample").expect("memory");
        (built.expect("a complete index").1, positions)
    })
}

fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    let bytes = bytes.get(at..at + length).unwrap_or_default();
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    for (index, byte) in bytes.iter_mut().skip(at).take(4).enumerate() {
        *byte = (value >> (8 * index)) as u8;
    }
}

/// Makes all checksums right again.
fn seal(bytes: &mut [u8]) {
    let (directory, length) = (number(bytes, 24, 8), number(bytes, 32, 8));
    for entry in (directory..directory + length).step_by(ENTRY) {
        let (from, size) = (number(bytes, entry + 8, 8), number(bytes, entry + 16, 8));
        let Some(section) = bytes.get(from..from.saturating_add(size)) else {
            continue;
        };
        let checksums: Vec<u32> = section.chunks(CHUNK).map(crc32).collect();
        let table = from + size;
        for (index, checksum) in checksums.iter().enumerate() {
            put(bytes, table + 4 * index, *checksum);
        }
        let table = bytes.get(table..table + 4 * checksums.len());
        let checksum = crc32(table.unwrap_or_default());
        put(bytes, entry + 32, checksum);
    }
    let checksum = crc32(&bytes[directory..directory + length]);
    for header in HEADERS {
        put(bytes, header + 40, checksum);
        let checksum = crc32(&bytes[header..header + 60]);
        put(bytes, header + 60, checksum);
    }
}

/// Changes bytes of a valid index, seals it, and asks it everything. The first byte chooses: the bytes
/// themselves are an index, or lists of offset (3 bytes) and value.
pub(super) fn index(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else {
        return;
    };
    if first & 1 == 0 {
        return ask(rest.to_vec());
    }
    let (mut bytes, _) = sample().clone();
    let directory = number(&bytes, 24, 8);
    for change in rest.chunks_exact(4).take(64) {
        // Sections, or entries of the directory; the checksums of the chunks are overwritten.
        let first = if first & 2 == 0 { 8192 } else { directory };
        let offset = first + number(change, 0, 3) % (bytes.len() - first);
        bytes[offset] = change[3];
    }
    seal(&mut bytes);
    ask(bytes);
}

fn ask(bytes: Vec<u8>) {
    let length = bytes.len();
    let Ok(index) = PositionIndex::open(&Blob::from(bytes)) else {
        return;
    };
    let _ = index.check();
    let _ = index.irregular();
    let _ = index.sections();
    let mut plies = CountPlies::default();
    for bits in [0x002000, 0xffffff, 0x555555] {
        let fits = |material: Material| material.to_bits() & bits != 0;
        let Ok(Some(ranges)) = index.with_material(&fits, None, 1 << 16, &Progress::new()) else {
            continue;
        };
        for (segment, ranks) in ranges {
            play(&index, segment, ranks, &mut plies);
        }
    }
    for segment in 0..index.segments() {
        play(&index, segment, index.ranks(segment), &mut plies);
    }
    for position in &sample().1 {
        let Ok(arrivals) = index.find(position) else {
            continue;
        };
        let mut continuations = Vec::new();
        let mut games = 0;
        for arrival in arrivals {
            games += arrival.games() as usize;
            if index
                .continuations(position, &arrival, &mut continuations)
                .is_ok()
            {
                let _ = index.rows(arrival.segment, arrival.ranks());
            }
        }
        assert!(games <= length, "more games than bytes");
    }
}

/// Counts the plies of lines.
#[derive(Default)]
struct CountPlies(u64);

impl Visitor for CountPlies {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.0 += 1;
        Flow::Go
    }
}

fn play(index: &PositionIndex, segment: usize, ranks: Range<u32>, plies: &mut CountPlies) {
    let Ok(mut lines) = index.lines(segment, ranks.clone()) else {
        return;
    };
    let mut next = ranks.start;
    while let Ok(Some(ranks)) = lines.next_line() {
        assert!(ranks.start == next && ranks.end > next, "lines in order");
        next = ranks.end;
        if lines.visit(GameIndex(0), plies).is_err() {
            return;
        }
    }
}
