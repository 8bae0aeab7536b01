//! The last test program of a run: prints how many tests had no shared data or no peer program.
#![allow(clippy::print_stdout, reason = "the summary of a test run")]

fn main() {
    // Runners that list the tests first get an empty list.
    if !std::env::args().any(|argument| argument == "--list") {
        println!("{}", tabia_testkit::skipped_tests::summary());
    }
}
