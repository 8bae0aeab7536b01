//! [`Interrupts`]: notices `SIGINT` next to whoever handles it.

/// Notices `SIGINT`, the signal of Ctrl-C, that another handler of the process handles: for work on a thread which that
/// handler cannot reach. While there is one, a handler is installed that counts the signals and passes them on
/// to the one before; where nothing handles the signal, it is left as it is. On other systems than Unix it notices nothing.
///
/// ```
/// use tabia_core::io::Interrupts;
///
/// let interrupts = Interrupts::watch();
/// assert!(!interrupts.have_come());
/// ```
#[derive(Debug)]
pub struct Interrupts {
    #[cfg(unix)]
    before: usize,
}

impl Interrupts {
    /// Begins to watch.
    #[must_use]
    pub fn watch() -> Self {
        Self {
            #[cfg(unix)]
            before: unix::install(),
        }
    }

    /// Whether the signal has come since.
    pub fn have_come(&self) -> bool {
        #[cfg(unix)]
        {
            unix::count() != self.before
        }
        #[cfg(not(unix))]
        {
            false
        }
    }
}

#[cfg(unix)]
impl Drop for Interrupts {
    fn drop(&mut self) {
        unix::uninstall();
    }
}

#[cfg(unix)]
mod unix {
    use std::mem::{self, MaybeUninit};
    use std::ptr;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// Signals so far.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    /// What handled the signal before. It is never freed: a signal may be on its way through it.
    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
    /// How many watch.
    static WATCHING: Mutex<usize> = Mutex::new(0);

    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    pub(super) fn count() -> usize {
        COUNT.load(Ordering::Relaxed)
    }

    fn own_handler() -> libc::sighandler_t {
        let handler: Handler = on_interrupt;
        handler as libc::sighandler_t
    }

    /// Installs the handler, again if another program part has replaced it; returns the signals so far.
    pub(super) fn install() -> usize {
        let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        *watching += 1;
        #[expect(
            unsafe_code,
            reason = "the standard library has no signals; see SAFETY"
        )]
        // SAFETY: the structs are valid when zeroed and are filled by the system; the handler has the signature that
        // SA_SIGINFO demands and calls only functions that are safe in handlers. What is leaked is never freed, and
        // written by nothing.
        unsafe {
            let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
            let is_known = libc::sigaction(libc::SIGINT, ptr::null(), &raw mut before) == 0;
            let handler = before.sa_sigaction;
            let is_handled = ![libc::SIG_DFL, libc::SIG_IGN, own_handler()].contains(&handler);
            if is_known && is_handled {
                let last = BEFORE.load(Ordering::Acquire);
                let is_same = last.as_ref().is_some_and(|last| {
                    last.sa_sigaction == handler && last.sa_flags == before.sa_flags
                });
                if !is_same {
                    BEFORE.store(Box::into_raw(Box::new(before)), Ordering::Release);
                }
                let mut action = before;
                action.sa_sigaction = own_handler();
                // Whether system calls go on afterwards is for the handler before to decide.
                action.sa_flags |= libc::SA_SIGINFO;
                libc::sigaction(libc::SIGINT, &raw const action, ptr::null_mut());
            }
        }
        count()
    }

    /// Restores the handler before, if nothing watches any more and no other program part has replaced ours.
    pub(super) fn uninstall() {
        let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        *watching = watching.saturating_sub(1);
        if *watching > 0 {
            return;
        }
        #[expect(
            unsafe_code,
            reason = "the standard library has no signals; see SAFETY"
        )]
        // SAFETY: as in `install`; what is restored was made by the system.
        unsafe {
            let mut now: libc::sigaction = MaybeUninit::zeroed().assume_init();
            let is_known = libc::sigaction(libc::SIGINT, ptr::null(), &raw mut now) == 0;
            let before = BEFORE.load(Ordering::Acquire);
            if is_known && now.sa_sigaction == own_handler() && !before.is_null() {
                libc::sigaction(libc::SIGINT, before, ptr::null_mut());
            }
        }
    }

    extern "C" fn on_interrupt(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        COUNT.fetch_add(1, Ordering::Relaxed);
        #[expect(
            unsafe_code,
            reason = "the handler before is known by its address; see SAFETY"
        )]
        // SAFETY: it was installed before this one and is never freed; it is neither SIG_DFL nor SIG_IGN, and its flag
        // states which of the two signatures it has.
        unsafe {
            let Some(before) = BEFORE.load(Ordering::Acquire).as_ref() else {
                return;
            };
            if before.sa_flags & libc::SA_SIGINFO == 0 {
                let handler: extern "C" fn(libc::c_int) = mem::transmute(before.sa_sigaction);
                handler(signal);
            } else {
                let handler: Handler = mem::transmute(before.sa_sigaction);
                handler(signal, info, context);
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static CALLS: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn note(_: libc::c_int) {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }

    fn interrupt() -> usize {
        #[expect(unsafe_code, reason = "a signal; see SAFETY")]
        // SAFETY: the signal has a handler, which may be called at any time.
        unsafe {
            libc::raise(libc::SIGINT)
        };
        CALLS.load(Ordering::Relaxed)
    }

    #[test]
    fn interrupts_are_noticed_and_passed_on() {
        let handler: extern "C" fn(libc::c_int) = note;
        #[expect(unsafe_code, reason = "a handler of a signal; see SAFETY")]
        // SAFETY: the handler has the signature that a handler has.
        unsafe {
            libc::signal(libc::SIGINT, handler as libc::sighandler_t)
        };
        let first = Interrupts::watch();
        assert_eq!(interrupt(), 1);
        assert!(first.have_come());
        let second = Interrupts::watch();
        assert!(!second.have_come());
        drop(first);
        assert_eq!(interrupt(), 2);
        assert!(second.have_come());
        let count = unix::count();
        drop(second);
        // The handler before is back, alone.
        assert_eq!((interrupt(), unix::count()), (3, count));
        assert!(!Interrupts::watch().have_come());
    }
}
