//! Python bindings of tabia. They only translate: everything is done by the crates `tabia` and
//! `tabia-columns`.

mod arrow_stream;
mod batches;
mod book;
mod book_position;
mod build_book;
mod closing;
mod convert;
mod database;
mod date;
mod error;
mod explore;
mod file_argument;
mod game;
mod game_heads;
mod games;
mod games_argument;
mod headers;
mod html;
mod info;
mod inputs;
mod interrupt;
mod jobs;
mod kept_problems;
mod move_arrays;
mod move_node;
mod position;
mod python_hints;
mod read_game;
mod reading;
mod report;
mod sorted_records;

use pyo3::PyClass;
use pyo3::prelude::*;

/// Adds a class. Python aligns its objects at 16 bytes, whatever Rust asks for.
fn add<T: PyClass>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    const { assert!(align_of::<T>() <= 16, "in a box it can have any alignment") };
    module.add_class::<T>()
}

/// The compiled part of the package `tabia`.
#[pymodule]
fn _tabia(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::add_to(module)?;
    arrow_stream::note_main_thread(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    add::<database::Database>(module)?;
    add::<games::Games>(module)?;
    add::<headers::Headers>(module)?;
    add::<headers::Header>(module)?;
    add::<database::Table>(module)?;
    add::<move_arrays::Moves>(module)?;
    add::<game::Game>(module)?;
    add::<move_node::Node>(module)?;
    add::<move_node::Eval>(module)?;
    add::<date::Date>(module)?;
    add::<position::Position>(module)?;
    add::<book::Book>(module)?;
    add::<book_position::BookPosition>(module)?;
    add::<book_position::BookMove>(module)?;
    add::<book::BookRow>(module)?;
    add::<book::BookRows>(module)?;
    add::<explore::Tree>(module)?;
    add::<explore::TreeMove>(module)?;
    add::<explore::TreeGame>(module)?;
    add::<move_arrays::Numbers>(module)?;
    add::<convert::Converted>(module)?;
    module.add_function(wrap_pyfunction!(database::open, module)?)?;
    module.add_function(wrap_pyfunction!(database::open_many, module)?)?;
    module.add_function(wrap_pyfunction!(database::_reopen, module)?)?;
    module.add_function(wrap_pyfunction!(date::_date, module)?)?;
    module.add_function(wrap_pyfunction!(book::open_book, module)?)?;
    module.add_function(wrap_pyfunction!(game::_game, module)?)?;
    module.add_function(wrap_pyfunction!(headers::_header, module)?)?;
    module.add_function(wrap_pyfunction!(convert::convert, module)?)?;
    module.add_function(wrap_pyfunction!(build_book::build_book, module)?)?;
    module.add_function(wrap_pyfunction!(build_book::convert_book, module)?)?;
    module.add_function(wrap_pyfunction!(explore::explore, module)?)?;
    module.add_function(wrap_pyfunction!(position::key, module)?)?;
    Ok(())
}
