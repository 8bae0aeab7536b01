//! Signals that would end the process in the middle of its work.
//!
//! A mapped file that another process cuts off, or whose disk fails or is removed, ends whoever reads the
//! lost pages with `SIGBUS`. A file that grows beyond the limit of its size (`ulimit -f`) ends whoever
//! writes it with `SIGXFSZ`.

use std::path::Path;

/// Makes the process end with one sentence on standard error and the exit code `code` when a mapped input
/// is cut off or cannot be read any more, and makes writing beyond the limit of file sizes an error.
///
/// For programs: to be called once at their start. It changes how the whole process handles `SIGBUS` and
/// `SIGXFSZ`, so the library never does that by itself. Other causes of `SIGBUS` are handled as before. On
/// other systems than Unix it does nothing: there a mapped file cannot be cut off.
pub fn handle_lost_files(code: u8) {
    #[cfg(unix)]
    unix::install(code);
    #[cfg(not(unix))]
    let _ = code;
}

/// The range of addresses of a mapped file, known to the handler until it is dropped.
#[derive(Debug)]
pub(super) struct MappedRange {
    #[cfg(unix)]
    slot: Option<usize>,
    /// Its name for the message.
    #[cfg(unix)]
    _name: Box<[u8]>,
}

impl MappedRange {
    /// `map` are the mapped bytes; `name` is `None` for a temporary file of this process.
    pub(super) fn new(map: &[u8], name: Option<&Path>) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let name = name.map_or(&b"a temporary file"[..], |name| name.as_os_str().as_bytes());
            let name: Box<[u8]> = name.into();
            Self {
                slot: unix::register(map.as_ptr_range(), &name),
                _name: name,
            }
        }
        #[cfg(not(unix))]
        {
            let _ = (map, name);
            Self {}
        }
    }
}

#[cfg(unix)]
impl Drop for MappedRange {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            unix::unregister(slot);
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::mem::MaybeUninit;
    use std::ops::Range;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

    /// Maps whose files can be named. Of more at once, the others end the process as before.
    const SLOTS: usize = 4096;

    /// A mapped range, or none.
    struct Slot {
        /// The first address; 0 if the slot is free, 1 while it is filled.
        start: AtomicUsize,
        end: AtomicUsize,
        name: AtomicPtr<u8>,
        name_length: AtomicUsize,
    }

    static RANGES: [Slot; SLOTS] = [const {
        Slot {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            name: AtomicPtr::new(ptr::null_mut()),
            name_length: AtomicUsize::new(0),
        }
    }; SLOTS];
    /// The slot to try first.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    static CODE: AtomicI32 = AtomicI32::new(0);
    /// What handled the signal before.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    pub(super) fn register(range: Range<*const u8>, name: &[u8]) -> Option<usize> {
        let first = NEXT.fetch_add(1, Ordering::Relaxed);
        let number = (0..SLOTS)
            .map(|offset| first.wrapping_add(offset) % SLOTS)
            .find(|number| {
                RANGES.get(*number).is_some_and(|slot| {
                    let (order, failed) = (Ordering::AcqRel, Ordering::Relaxed);
                    slot.start.compare_exchange(0, 1, order, failed).is_ok()
                })
            })?;
        let slot = RANGES.get(number)?;
        slot.end.store(range.end.addr(), Ordering::Relaxed);
        slot.name.store(name.as_ptr().cast_mut(), Ordering::Relaxed);
        slot.name_length.store(name.len(), Ordering::Relaxed);
        slot.start.store(range.start.addr(), Ordering::Release);
        Some(number)
    }

    pub(super) fn unregister(number: usize) {
        if let Some(slot) = RANGES.get(number) {
            slot.start.store(0, Ordering::Release);
        }
    }

    pub(super) fn install(code: u8) {
        CODE.store(i32::from(code), Ordering::Relaxed);
        #[expect(
            unsafe_code,
            reason = "the standard library has no signals; see SAFETY"
        )]
        // SAFETY: the structs are valid when zeroed and then filled; the handler has the signature that
        // SA_SIGINFO demands and calls only functions that are safe in handlers.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) != 0
                || BEFORE.set(before).is_err()
            {
                return;
            }
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                on_lost_page;
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    }

    /// The slot of the mapped file with that address.
    fn find(address: usize) -> Option<&'static Slot> {
        RANGES.iter().find(|slot| {
            let start = slot.start.load(Ordering::Acquire);
            start > 1 && start <= address && address < slot.end.load(Ordering::Relaxed)
        })
    }

    extern "C" fn on_lost_page(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        static ENDING: AtomicBool = AtomicBool::new(false);
        #[expect(unsafe_code, reason = "a handler of a signal; see SAFETY")]
        // SAFETY: the system passes a valid `info`. The name of a slot lives as long as its map, which
        // this thread is reading. `write`, `sigaction`, `pause` and `_exit` may be called in handlers.
        unsafe {
            let Some(slot) = find((*info).si_addr().addr()) else {
                // Something else: back to what was before; the instruction is repeated.
                if let Some(before) = BEFORE.get() {
                    libc::sigaction(libc::SIGBUS, before, ptr::null_mut());
                }
                return;
            };
            if ENDING.swap(true, Ordering::Relaxed) {
                // Another thread ends the process.
                loop {
                    libc::pause();
                }
            }
            let length = slot.name_length.load(Ordering::Relaxed);
            let name = std::slice::from_raw_parts(slot.name.load(Ordering::Relaxed), length);
            print(b"error: ");
            for byte in name {
                let is_control = byte.is_ascii_control();
                print(&[if is_control { b'?' } else { *byte }]);
            }
            print(b": it was cut off, or its disk failed, while it was read\n");
            libc::_exit(CODE.load(Ordering::Relaxed));
        }
    }

    /// Writes to standard error. A failure is ignored.
    fn print(text: &[u8]) {
        #[expect(unsafe_code, reason = "the standard library locks; see SAFETY")]
        // SAFETY: the bytes are valid, and `write` may be called in handlers.
        unsafe {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn addresses_of_maps_are_found_until_they_are_dropped() {
            let bytes = [0; 100];
            let range = bytes.as_ptr_range();
            let number = register(range.clone(), b"name").unwrap();
            let start = range.start.addr();
            for (address, is_found) in [(start, true), (start + 99, true), (start + 100, false)] {
                assert_eq!(find(address).is_some(), is_found, "{address}");
            }
            unregister(number);
            assert!(find(start).is_none());
        }
    }
}
