//! Signals that would end the process in the middle of its work.
//!
//! A mapped file that another process cuts off, or whose disk fails or is removed, ends whoever reads the
//! lost pages with `SIGBUS`. A file that grows beyond the limit of its size (`ulimit -f`) ends whoever
//! writes it with `SIGXFSZ`.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Makes the process end with one sentence on standard error and the exit code `code` when a mapped input
/// is cut off or cannot be read any more, and makes writing beyond the limit of file sizes an error.
///
/// For programs that do nothing but read and write: to be called once at their start. It changes how the whole
/// process handles `SIGBUS` and `SIGXFSZ`. Other causes of `SIGBUS` are handled as before. [`LostFiles`] have no
/// effect then. On other systems than Unix it does nothing: there a mapped file cannot be cut off.
pub fn handle_lost_files(code: u8) {
    #[cfg(unix)]
    unix::end_with(code);
    #[cfg(not(unix))]
    let _ = code;
}

thread_local! {
    /// Who watches the files that this thread maps.
    static WATCHING: RefCell<Option<LostFiles>> = const { RefCell::new(None) };
}

/// Notices that files which were mapped while it watched are cut off or cannot be read any more. Their lost bytes
/// are read as zeros from then on, so [`check`](Self::check) has to be asked whenever something was read, and what
/// was read is discarded if it is an error.
///
/// The first one installs a handler of `SIGBUS` for the whole process, which passes on to the one before whatever
/// happens outside of the files that are watched.
#[derive(Debug, Clone, Default)]
pub struct LostFiles(Arc<AtomicBool>);

impl LostFiles {
    /// Runs `open` and watches the files that this thread maps meanwhile.
    pub fn watch<T>(&self, open: impl FnOnce() -> T) -> T {
        /// Restores what watched before, also after a panic.
        struct Restore(Option<LostFiles>);
        impl Drop for Restore {
            fn drop(&mut self) {
                WATCHING.set(self.0.take());
            }
        }
        #[cfg(unix)]
        unix::install();
        let _restore = Restore(WATCHING.replace(Some(self.clone())));
        open()
    }

    /// Whether all bytes of the files could be read so far.
    ///
    /// # Errors
    /// [`ErrorKind::LostFile`] if not.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::LostFile));
        }
        Ok(())
    }
}

/// The range of addresses of a mapped file, known to the handler until it is dropped.
#[derive(Debug)]
pub(super) struct MappedRange {
    #[cfg(unix)]
    slot: Option<usize>,
    /// Its name for the message.
    #[cfg(unix)]
    _name: Box<[u8]>,
    /// Who watches it.
    #[cfg(unix)]
    _watching: Option<LostFiles>,
}

impl MappedRange {
    /// `map` are the mapped bytes; `name` is `None` for a temporary file of this process.
    pub(super) fn new(map: &[u8], name: Option<&Path>) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let name = name.map_or(&b"a temporary file"[..], |name| name.as_os_str().as_bytes());
            let name: Box<[u8]> = name.into();
            let watching = WATCHING.with_borrow(Clone::clone);
            let lost = watching.as_ref().map(|watching| &*watching.0);
            Self {
                slot: unix::register(map.as_ptr_range(), &name, lost),
                _name: name,
                _watching: watching,
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
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Once, OnceLock};

    /// Maps whose files can be named. Of more at once, the others end the process as before.
    const SLOTS: usize = 4096;

    /// A mapped range, or none.
    struct Slot {
        /// The first address; 0 if the slot is free, 1 while it is filled.
        start: AtomicUsize,
        end: AtomicUsize,
        name: AtomicPtr<u8>,
        name_length: AtomicUsize,
        /// What is set when bytes of the range are lost; null if nothing watches it.
        lost: AtomicPtr<AtomicBool>,
    }

    static RANGES: [Slot; SLOTS] = [const {
        Slot {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            name: AtomicPtr::new(ptr::null_mut()),
            name_length: AtomicUsize::new(0),
            lost: AtomicPtr::new(ptr::null_mut()),
        }
    }; SLOTS];
    /// The slot to try first.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    /// The exit code of a process that ends with a sentence; -1 if it goes on.
    static CODE: AtomicI32 = AtomicI32::new(-1);
    /// Bytes of a page.
    static PAGE: AtomicUsize = AtomicUsize::new(4096);
    /// What handled the signal before.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    pub(super) fn register(
        range: Range<*const u8>,
        name: &[u8],
        lost: Option<&AtomicBool>,
    ) -> Option<usize> {
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
        let lost = lost.map_or(ptr::null_mut(), |lost| ptr::from_ref(lost).cast_mut());
        slot.lost.store(lost, Ordering::Relaxed);
        slot.start.store(range.start.addr(), Ordering::Release);
        Some(number)
    }

    pub(super) fn unregister(number: usize) {
        if let Some(slot) = RANGES.get(number) {
            slot.start.store(0, Ordering::Release);
        }
    }

    /// The process ends with a sentence when bytes are lost.
    pub(super) fn end_with(code: u8) {
        CODE.store(i32::from(code), Ordering::Relaxed);
        #[expect(
            unsafe_code,
            reason = "the standard library has no signals; see SAFETY"
        )]
        // SAFETY: the arguments are constants of the system.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        }
        install();
    }

    pub(super) fn install() {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            #[expect(
                unsafe_code,
                reason = "the standard library has no signals; see SAFETY"
            )]
            // SAFETY: the structs are valid when zeroed and then filled; the handler has the signature that
            // SA_SIGINFO demands and calls only functions that are safe in handlers.
            unsafe {
                if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                    PAGE.store(page, Ordering::Relaxed);
                }
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
                if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) != 0
                    || BEFORE.set(before).is_err()
                {
                    return;
                }
                let handler: Handler = on_lost_page;
                action.sa_sigaction = handler as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&raw mut action.sa_mask);
                libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
            }
        });
    }

    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    /// The slot of the mapped file with that address.
    fn find(address: usize) -> Option<&'static Slot> {
        let page = PAGE.load(Ordering::Relaxed);
        RANGES.iter().find(|slot| {
            let start = slot.start.load(Ordering::Acquire);
            let end = slot.end.load(Ordering::Relaxed);
            start > 1 && start <= address && address < end.next_multiple_of(page)
        })
    }

    extern "C" fn on_lost_page(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        static ENDING: AtomicBool = AtomicBool::new(false);
        #[expect(unsafe_code, reason = "a handler of a signal; see SAFETY")]
        // SAFETY: the system passes a valid `info`. The name of a slot lives as long as its map, which
        // this thread is reading. `write`, `pause` and `_exit` may be called in handlers.
        unsafe {
            // Of a signal that a process sent, the address is something else.
            let is_of_memory = (*info).si_code > 0;
            let address = (*info).si_addr().addr();
            let Some(slot) = Some(address).filter(|_| is_of_memory).and_then(find) else {
                return pass_on(signal, info, context);
            };
            let code = CODE.load(Ordering::Relaxed);
            if code < 0 {
                if !replace_by_zeros(slot, address) {
                    pass_on(signal, info, context);
                }
                return;
            }
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
            libc::_exit(code);
        }
    }

    /// Puts zeros where a watched file is lost, from that page to its end, and notes it; `false` if nothing watches
    /// it. The instruction is repeated then, and reads them.
    fn replace_by_zeros(slot: &Slot, address: usize) -> bool {
        let lost = slot.lost.load(Ordering::Relaxed);
        if lost.is_null() {
            return false;
        }
        let page = PAGE.load(Ordering::Relaxed);
        let start = address - address % page;
        let length = slot.end.load(Ordering::Relaxed).saturating_sub(start);
        #[expect(unsafe_code, reason = "a handler of a signal; see SAFETY")]
        // SAFETY: the flag lives as long as the map, which this thread is reading; it is set before any zero can be
        // read. The new pages replace pages of that map and nothing else, and are dropped with it. `mmap` is no
        // more than a call of the system.
        unsafe {
            (*lost).store(true, Ordering::SeqCst);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED;
            let at = ptr::without_provenance_mut(start);
            let mapped = libc::mmap(at, length, libc::PROT_READ, flags, -1, 0);
            mapped != libc::MAP_FAILED
        }
    }

    /// Leaves a signal to what handled it before.
    fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let Some(before) = BEFORE.get() else {
            return;
        };
        let handler = before.sa_sigaction;
        #[expect(unsafe_code, reason = "a handler of a signal; see SAFETY")]
        // SAFETY: what is neither the default nor ignored is a function with the signature that the flags state.
        // `sigaction` and `raise` may be called in handlers.
        unsafe {
            if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
                // It ends the process once this handler has returned.
                libc::sigaction(libc::SIGBUS, before, ptr::null_mut());
                libc::raise(signal);
            } else if before.sa_flags & libc::SA_SIGINFO != 0 {
                let handler: Handler = std::mem::transmute(handler);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                handler(signal);
            }
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
            let number = register(range.clone(), b"name", None).unwrap();
            let start = range.start.addr();
            // The rest of the last page is mapped as well.
            let end = (start + 100).next_multiple_of(PAGE.load(Ordering::Relaxed));
            for (address, is_found) in [(start, true), (start + 99, true), (end, false)] {
                assert_eq!(find(address).is_some(), is_found, "{address}");
            }
            unregister(number);
            assert!(find(start).is_none());
        }
    }
}
