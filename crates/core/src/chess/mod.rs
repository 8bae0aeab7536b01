//! The rules of chess, built for databases.
