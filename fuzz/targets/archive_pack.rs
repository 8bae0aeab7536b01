#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tabia_testkit::fuzz::run("archive_pack", data));
