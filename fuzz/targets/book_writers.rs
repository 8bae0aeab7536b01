#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tabia_testkit::fuzz::run("book_writers", data));
