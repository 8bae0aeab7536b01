//! Containers: archives of several files, and compressed streams.
