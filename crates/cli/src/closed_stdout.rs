//! Whether the program was started without a standard output, as by `>&-`. The standard library opens the null
//! device instead before `main`, where everything written would be lost without an error.

use std::io;

/// An error if what is written to standard output would be lost.
pub(crate) fn check() -> io::Result<()> {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    if before_main::is_closed() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    Ok(())
}

#[cfg(all(unix, not(target_vendor = "apple")))]
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    pub(super) fn is_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }

    #[expect(
        unsafe_code,
        reason = "nothing safe runs before the standard library; see SAFETY"
    )]
    // SAFETY: the section has pointers to functions of this type, which run before `main` and in which `fcntl` and
    // atomics may be used.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        #[expect(unsafe_code, reason = "the descriptor may be closed; see SAFETY")]
        // SAFETY: `fcntl` takes any number and fails if it is no descriptor.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        IS_CLOSED.store(flags == -1, Ordering::Relaxed);
    }
}
