//! A new book from the positions of another.

use tabia_core::books::{Book, BookPosition, BookSize, BookWriter, CompleteBook, Wdl};
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::loss::{Feature, Losses};

use super::book::KvetkaBook;
use super::book_builder::KvetkaBuilder;
use super::contribution::Contribution;
use super::element_to_book_position::RAW;
use super::key::Key;
use super::move_code::encode_move;
use super::read_element::Counts;
use super::write_elements;
use crate::books::mirrored::orientation::Orientation;

impl BookWriter for KvetkaBuilder {
    fn put(&mut self, position: &Position, page: &BookPosition) -> Result<Losses> {
        let mut losses = Losses::new();
        let Some((key, orientation)) = Key::of(position) else {
            losses.add(Feature::BookMoves, page.entries.len().max(1) as u64, None);
            return Ok(losses);
        };
        // The counts of moves in a Kvetka book are those of other positions that are put as well.
        let is_kvetka = page.raw.starts_with(RAW);
        if page.is_duplicate {
            // The element was put already, in another orientation.
            return Ok(losses);
        }
        self.number += 1;
        let mut move_counts: Option<Counts> = None;
        let mut codes = Vec::new();
        for entry in &page.entries {
            let Some(m) = entry.m else {
                losses.add(Feature::UnreadMoves, 1, None);
                continue;
            };
            let Some(code) = encode_move(position, orientation, m) else {
                losses.add(Feature::BookMoves, 1, None);
                continue;
            };
            if !codes.contains(&code) {
                codes.push(code);
            }
            let is_advised = entry.recommended.is_some();
            losses.add(Feature::BookAdvice, u64::from(is_advised), None);
            // Advice against a move is a weight of 0, too.
            let is_weighted = match entry.recommended {
                Some(false) => entry.weight.is_some_and(|weight| weight > 0),
                _ => entry.weight.is_some(),
            };
            losses.add(Feature::BookWeights, u64::from(is_weighted), None);
            let rated = entry.average_rating.is_some() || entry.performance.is_some();
            losses.add(Feature::BookRatings, u64::from(rated), None);
            losses.add(Feature::Nags, entry.nags.len() as u64, None);
            let has_learn = entry.learn.is_some_and(|learn| !learn.is_zero());
            losses.add(Feature::BookLearn, u64::from(has_learn), None);
            losses.add(Feature::Comments, u64::from(entry.comment.is_some()), None);
            let counted = has_undecided(entry.games, entry.results);
            losses.add(Feature::BookCounts, u64::from(counted), None);
            let Some(results) = entry.results.filter(|_| !is_kvetka) else {
                continue;
            };
            let sums = move_counts.get_or_insert_default();
            for (sum, count) in sums.iter_mut().zip(counts(results, orientation)) {
                *sum = sum.saturating_add(count);
            }
            let mut next = position.clone();
            next.play(m);
            if let Some((key, orientation)) = Key::of(&next) {
                self.push(
                    &key,
                    &Contribution::IncomingMove(counts(results, orientation)),
                )?;
            }
        }
        losses.add(Feature::Nags, page.nags.len() as u64, None);
        let rated = page.average_rating.is_some() || page.performance.is_some();
        losses.add(Feature::BookRatings, u64::from(rated), None);
        let counted = has_undecided(page.games, page.results);
        losses.add(Feature::BookCounts, u64::from(counted), None);
        let (mut source, mut list) = (page.sample_game, page.games_ending_here.as_slice());
        if !self.keeps_links {
            let lost = u64::from(source.is_some()) + list.len() as u64;
            losses.add(Feature::GameLinks, lost, None);
            (source, list) = (None, &[]);
        }
        let comment = page.comment.as_deref().unwrap_or_default();
        let comment = self.comment(comment);
        self.push(
            &key,
            &Contribution::Page {
                counts: page.results.map(|results| counts(results, orientation)),
                move_counts,
                codes: &codes,
                source,
                comment: &comment,
                list,
            },
        )?;
        Ok(losses)
    }

    fn keep_links_of(&mut self, book: &dyn Book) -> Result<bool> {
        let book = book.as_any().and_then(|book| book.downcast_ref());
        // A list of which nothing can be read would make another damaged book.
        let book = book.filter(|book: &&KvetkaBook| {
            let mut sources = book.sources().into_iter();
            book.header().has_game_links()
                && sources.any(|sources| !sources.is_empty() || sources.problems.is_empty())
        });
        match book {
            Some(book) => self.copy_sources(book).map(|()| true),
            None => Ok(false),
        }
    }

    fn complete(mut self: Box<Self>) -> Result<CompleteBook> {
        if self.ksf.is_none() && !self.keeps_links {
            // The header of another book may announce links, which are not copied without its sources.
            self.header.element_type &= !1;
        }
        let written = write_elements::write(&mut self)?;
        self.write_sources()?;
        if self.force {
            self.remove_stale_files(written.parts);
        }
        Ok(CompleteBook {
            size: BookSize::new(u64::from(written.elements), written.moves),
            losses: self.losses,
            assumed_games: 0,
            records: written.elements,
            files: self.set,
        })
    }
}

/// Whether games have no result: the book does not count them.
fn has_undecided(games: Option<u64>, results: Option<Wdl>) -> bool {
    let decided = results.map_or(0, Wdl::games);
    games.is_some_and(|games| games > decided || (games == 0 && results.is_none()))
}

/// The counts of results, from the view of the side to move.
fn counts(results: Wdl, orientation: Orientation) -> Counts {
    if orientation.flipped {
        [results.black, results.draws, results.white]
    } else {
        [results.white, results.draws, results.black]
    }
}
