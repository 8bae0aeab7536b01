//! The interface of the decoders of single streams.

use std::io;

use super::input_buffer::InputBuffer;

/// Whether a stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecodeStatus {
    /// The stream goes on, also if no bytes were decoded.
    More,
    /// The stream has ended.
    End,
}

/// Decodes one compressed stream.
pub(super) trait StreamDecoder: Send {
    /// Decodes from `input` to `out`, which must not be empty. Returns the number of bytes written
    /// to `out`, which may be more than 0 also with an error.
    fn step(
        &mut self,
        input: &mut InputBuffer,
        out: &mut [u8],
    ) -> (usize, io::Result<DecodeStatus>);

    /// Whether there is more after the error that the last step returned, which is about bytes that were left out.
    fn goes_on(&self) -> bool {
        false
    }

    /// The number of bytes that were decoded and left out since the last call.
    fn take_discarded(&mut self) -> u64 {
        0
    }
}
