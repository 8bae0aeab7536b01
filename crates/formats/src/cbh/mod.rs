//! ChessBase databases.
