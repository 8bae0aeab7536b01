//! The secret key of a user, with which journals are sealed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::disk::rename_new_without_links;
use crate::hexadecimal;

/// Size of a key in bytes.
const SIZE: usize = 32;
/// Size of a block of SHA-256 in bytes.
const BLOCK: usize = 64;
/// The file in the user's state folder.
const FILE: &str = "journal.key";

/// A secret of one user on one computer. What is sealed with it was written by this user's own process.
#[derive(Clone)]
pub(super) struct UserKey([u8; SIZE]);

impl std::fmt::Debug for UserKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserKey")
    }
}

impl UserKey {
    /// The key of this user; `None` if there is none, or it cannot be read, or others can read it.
    pub(super) fn load() -> Option<Self> {
        Self::load_from(&state_folder()?)
    }

    /// The key of this user, which is created if there is none. If it cannot be stored, the key lasts as
    /// long as this process.
    pub(super) fn load_or_create() -> io::Result<Self> {
        match state_folder() {
            Some(folder) => Self::load_or_create_in(&folder),
            None => Self::random(),
        }
    }

    fn load_from(folder: &Path) -> Option<Self> {
        let path = folder.join(FILE);
        // Opening a pipe would wait for its other end.
        let is_file = std::fs::metadata(&path).is_ok_and(|data| data.is_file());
        let file = is_file.then(|| File::open(&path).ok())??;
        if !is_private(&file) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(SIZE as u64 + 1).read_to_end(&mut bytes).ok()?;
        bytes.try_into().ok().map(Self)
    }

    fn load_or_create_in(folder: &Path) -> io::Result<Self> {
        if let Some(key) = Self::load_from(folder) {
            return Ok(key);
        }
        let key = Self::random()?;
        // Another process may have stored one first; then that is the key.
        let _ = key.store(folder);
        Ok(Self::load_from(folder).unwrap_or(key))
    }

    fn random() -> io::Result<Self> {
        random_bytes().map(Self)
    }

    /// Creates the file of the key, complete and on disk, unless it exists.
    fn store(&self, folder: &Path) -> io::Result<()> {
        create_private_folder(folder)?;
        let name = format!("{FILE}.{}", std::process::id());
        let temporary = folder.join(name);
        let written = private_file(&temporary).and_then(|mut file| {
            file.write_all(&self.0)?;
            file.sync_all()?;
            // Unlike a rename, a link replaces no file.
            match std::fs::hard_link(&temporary, folder.join(FILE)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    rename_new_without_links(&temporary, &folder.join(FILE))
                }
                linked => linked,
            }
        });
        let _ = std::fs::remove_file(&temporary);
        written?;
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(())
    }

    /// The seal of a text: its HMAC-SHA-256 as hexadecimal digits.
    pub(super) fn seal(&self, text: &[u8]) -> String {
        let padded = |with: u8| {
            let mut block = [with; BLOCK];
            for (byte, key) in block.iter_mut().zip(self.0) {
                *byte ^= key;
            }
            block
        };
        let inner = Sha256::new()
            .chain_update(padded(0x36))
            .chain_update(text)
            .finalize();
        let outer = Sha256::new()
            .chain_update(padded(0x5c))
            .chain_update(inner)
            .finalize();
        hexadecimal::digits(&outer)
    }
}

/// The folder for what the program remembers of a user: `$XDG_STATE_HOME/tabia`, else that of the
/// system. `None` if the environment names none.
fn state_folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let own = variable("XDG_STATE_HOME");
    let state = own.or_else(|| {
        if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            variable("HOME").map(|home| home.join("Library/Application Support"))
        } else {
            variable("HOME").map(|home| home.join(".local/state"))
        }
    });
    state.map(|folder| folder.join("tabia"))
}

/// Whether only the owner of an open file can read it, where the system can state that.
fn is_private(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let others = |data: std::fs::Metadata| data.mode() & 0o077;
        file.metadata().is_ok_and(|data| others(data) == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        true
    }
}

fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn random_bytes() -> io::Result<[u8; SIZE]> {
    let mut bytes = [0; SIZE];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(not(unix))]
fn random_bytes() -> io::Result<[u8; SIZE]> {
    use std::hash::{BuildHasher, RandomState};
    // The system seeds the keys of hash maps; each value below is a hash under such a key.
    let mut hash = Sha256::new();
    for number in 0..8_u64 {
        let value = RandomState::new().hash_one(number);
        hash.update(format!("{value:x} "));
    }
    Ok(hash.finalize().into())
}

#[cfg(test)]
impl UserKey {
    /// A key for tests.
    pub(super) fn from_byte(byte: u8) -> Self {
        Self([byte; SIZE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn seals_are_hmac_sha_256() {
        // Test case 1 of RFC 4231, whose key is padded with zeros to any length.
        let mut key = [0; SIZE];
        key[..20].fill(0x0b);
        assert_eq!(
            UserKey(key).seal(b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
    }

    #[test]
    fn a_key_is_created_once() {
        let folder = Scratch::new("user-key");
        let state = folder.join("state/tabia");
        assert!(UserKey::load_from(&state).is_none());
        let first = UserKey::load_or_create_in(&state).unwrap();
        let second = UserKey::load_or_create_in(&state).unwrap();
        let loaded = UserKey::load_from(&state).unwrap();
        assert!(first.0 == second.0 && first.0 == loaded.0);
        assert_ne!(first.0, UserKey::random().unwrap().0);
        assert_eq!(std::fs::read_dir(&state).unwrap().count(), 1);
    }

    #[test]
    fn processes_that_create_a_key_at_once_get_the_same() {
        let folder = Scratch::new("user-keys");
        let create = || UserKey::load_or_create_in(folder.path()).unwrap().0;
        UserKey::random().unwrap().store(folder.path()).unwrap();
        let first = create();
        // The link of the second does not replace the first.
        assert!(UserKey::random().unwrap().store(folder.path()).is_err());
        assert_eq!(create(), first);
        assert_eq!(folder.names(), [FILE]);
    }

    #[test]
    fn a_key_that_cannot_be_stored_lasts_as_long_as_its_process() {
        let folder = Scratch::new("no-key");
        std::fs::write(folder.join("state"), b"a file").unwrap();
        let state = folder.join("state/tabia");
        let one = UserKey::load_or_create_in(&state).unwrap();
        let other = UserKey::load_or_create_in(&state).unwrap();
        assert_ne!(one.0, other.0);
        assert!(UserKey::load_from(&state).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn keys_that_others_can_read_are_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Scratch::new("open-key");
        UserKey::load_or_create_in(folder.path()).unwrap();
        let path = folder.join(FILE);
        let mode = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        for (bits, is_used) in [(0o644, false), (0o640, false), (0o400, true)] {
            mode(bits);
            assert_eq!(
                UserKey::load_from(folder.path()).is_some(),
                is_used,
                "{bits:o}"
            );
        }
        mode(0o600);
        for bytes in [&b""[..], &[7; SIZE - 1], &[7; SIZE + 1]] {
            std::fs::write(&path, bytes).unwrap();
            assert!(
                UserKey::load_from(folder.path()).is_none(),
                "{}",
                bytes.len()
            );
        }
    }
}
