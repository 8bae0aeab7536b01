//! The body of the fuzz target on random changes of every section, for as many seconds as
//! `TABIA_FUZZ_SECONDS` states, or once through.

#![allow(clippy::disallowed_methods, reason = "tests read the environment")]

use std::time::{Duration, Instant};

use tabia_testkit::Random;
use tabia_testkit::fuzz::run;

#[test]
fn changed_indexes_are_refused_or_answered() {
    let random = &mut Random::new(11);
    let seconds = std::env::var("TABIA_FUZZ_SECONDS").map(|text| text.parse::<f64>());
    let seconds = seconds.map_or(0.0, Result::unwrap_or_default);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    for case in 0.. {
        if case >= 1500 && Instant::now() >= end {
            break;
        }
        let mut data = vec![1 + 2 * u8::from(case % 4 == 3)];
        for _ in 0..=random.below(3) * 4 {
            data.extend([random.byte(), random.byte(), random.byte() % 2]);
            data.push(if random.one_in(2) { 255 } else { random.byte() });
        }
        run("tidx", &data);
    }
    for length in 0..200 {
        let data: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        run("tidx", &data);
    }
}
