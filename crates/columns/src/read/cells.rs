//! Cells of columns of any type.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use tabia::core::calendar;
use tabia::core::io::decode;
use tabia::{Charset, Date};

/// Whether the row has a value.
fn has(array: &ArrayRef, row: usize) -> bool {
    row < array.len() && array.is_valid(row)
}

/// A text; `None` for null and for columns of another type. Bytes that are not UTF-8 are decoded as in PGN.
pub(super) fn text(array: &ArrayRef, row: usize) -> Option<Cow<'_, str>> {
    if !has(array, row) {
        return None;
    }
    let text = match array.data_type() {
        DataType::Utf8View => array.as_string_view().value(row),
        DataType::Utf8 => array.as_string::<i32>().value(row),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row),
        _ => return bytes(array, row).map(|bytes| decode(bytes, Charset::Auto)),
    };
    Some(Cow::Borrowed(text))
}

/// The bytes of a row that has some, in a column of bytes.
fn bytes(array: &ArrayRef, row: usize) -> Option<&[u8]> {
    if !has(array, row) {
        return None;
    }
    match array.data_type() {
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        _ => None,
    }
}

/// Whether a text of the row, or of its list or map, is not UTF-8.
pub(super) fn has_broken_text(array: &ArrayRef, row: usize) -> bool {
    let is_broken = |array: &ArrayRef, row: usize| {
        bytes(array, row).is_some_and(|bytes| std::str::from_utf8(bytes).is_err())
    };
    let has_broken = |array: &ArrayRef| {
        array.data_type().is_binary() && (0..array.len()).any(|row| is_broken(array, row))
    };
    match array.data_type() {
        DataType::List(field) | DataType::LargeList(field) if field.data_type().is_binary() => {
            list(array, row).is_some_and(|list| has_broken(&list))
        }
        DataType::Map(_, _) if has(array, row) => {
            array.as_map().value(row).columns().iter().any(has_broken)
        }
        _ => is_broken(array, row),
    }
}

/// A whole number; `None` for null, for what is none and for columns of another type.
pub(super) fn number(array: &ArrayRef, row: usize) -> Option<i64> {
    if !has(array, row) {
        return None;
    }
    match array.data_type() {
        DataType::Int8 => Some(array.as_primitive::<Int8Type>().value(row).into()),
        DataType::Int16 => Some(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int32 => Some(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Some(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt8 => Some(array.as_primitive::<UInt8Type>().value(row).into()),
        DataType::UInt16 => Some(array.as_primitive::<UInt16Type>().value(row).into()),
        DataType::UInt32 => Some(array.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => array
            .as_primitive::<UInt64Type>()
            .value(row)
            .try_into()
            .ok(),
        DataType::Float32 => whole(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => whole(array.as_primitive::<Float64Type>().value(row)),
        _ => None,
    }
}

/// A float that is a whole number.
fn whole(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
    is_whole.then_some(value as i64)
}

/// True or false; numbers other than 0 are true.
pub(super) fn flag(array: &ArrayRef, row: usize) -> bool {
    match array.as_boolean_opt() {
        Some(flags) => has(array, row) && flags.value(row),
        None => number(array, row).is_some_and(|number| number != 0),
    }
}

/// A day.
fn date(array: &ArrayRef, row: usize) -> Option<Date> {
    let days = i64::from(array.as_primitive::<Date32Type>().value(row));
    let (year, month, day) = calendar::civil_from_days(days)?;
    Some(Date::new(u16::try_from(year).ok()?, month, day))
}

/// Seconds after midnight.
fn seconds(array: &ArrayRef, row: usize) -> Option<i64> {
    Some(match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            array.as_primitive::<Time32SecondType>().value(row).into()
        }
        DataType::Time32(TimeUnit::Millisecond) => {
            i64::from(array.as_primitive::<Time32MillisecondType>().value(row)) / 1000
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            array.as_primitive::<Time64MicrosecondType>().value(row) / 1_000_000
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            array.as_primitive::<Time64NanosecondType>().value(row) / 1_000_000_000
        }
        _ => return None,
    })
}

/// `21:05:59`.
pub(super) fn time_text(seconds: i64) -> Option<String> {
    let is_time = (0..86_400).contains(&seconds);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    is_time.then(|| format!("{hours:02}:{minutes:02}:{:02}", seconds % 60))
}

/// Any single value as the text of a tag; `None` for null and for lists.
pub(super) fn any(array: &ArrayRef, row: usize) -> Option<String> {
    if !has(array, row) {
        return None;
    }
    if let Some(text) = text(array, row) {
        return Some(text.into_owned());
    }
    if let Some(number) = number(array, row) {
        return Some(number.to_string());
    }
    match array.data_type() {
        DataType::Boolean => Some(array.as_boolean().value(row).to_string()),
        DataType::Float32 => Some(array.as_primitive::<Float32Type>().value(row).to_string()),
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().value(row).to_string()),
        DataType::Date32 => date(array, row).map(|date| date.to_string()),
        DataType::Time32(_) | DataType::Time64(_) => seconds(array, row).and_then(time_text),
        _ => None,
    }
}

/// The elements of a list; `None` for null and for columns of another type.
pub(super) fn list(array: &ArrayRef, row: usize) -> Option<ArrayRef> {
    if !has(array, row) {
        return None;
    }
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(array.as_list::<i64>().value(row)),
        _ => None,
    }
}
