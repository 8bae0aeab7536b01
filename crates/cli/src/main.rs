//! The `tabia` command line.

fn main() {}
