//! Chess rules, the game model and the traits that tabia's formats implement.

pub mod chess;
