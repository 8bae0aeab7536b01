//! Where games leave a book.

use std::io::Write;
use std::sync::Arc;

use tabia_core::books::{Book, BookEntry, BookPosition};
use tabia_core::chess::{Ply, Position};
use tabia_core::formats::{CreateOptions, CreateText, OpenOptions};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Flow, GameHead, GameResult, Nag, RecordKind, Visitor,
    Want,
};
use tabia_core::games::TextWriter;
use tabia_core::io::Progress;
use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex, Problem};

use super::share;
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, Task, scan};

/// The NAG of a novelty.
const NOVELTY: Nag = Nag(146);
/// Number of book moves that a comment names.
const MAX_NAMED: usize = 4;

/// Counts of the games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Novelties {
    /// Games read.
    pub games: u64,
    /// Games that left the book.
    pub left: u64,
    /// Games that ended in the book.
    pub inside: u64,
}

/// How to mark games.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NoveltyOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// How the PGN is written.
    pub create: CreateOptions,
    /// Which records, on how many threads.
    pub plan: ScanOptions,
}

/// Writes a game with the move that leaves the book marked.
struct NoveltyMarker<'a> {
    book: &'a dyn Book,
    out: Box<dyn TextWriter>,
    page: BookPosition,
    depth: u32,
    ply: u32,
    state: State,
    /// The comment on the move that was visited last, if it was marked.
    mark: Option<String>,
    counts: Novelties,
    failure: Option<Error>,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum State {
    /// No game, or a guiding text.
    Idle,
    Inside,
    Left,
}

/// What a thread has marked.
#[derive(Default)]
struct Marked {
    text: Vec<u8>,
    counts: Novelties,
    failure: Option<Error>,
}

impl NoveltyMarker<'_> {
    /// The comment on a move that leaves the book; `None` if the move does not leave it.
    fn leaving_comment(
        &mut self,
        before: &Position,
        ply: Ply,
    ) -> tabia_core::Result<Option<String>> {
        let Ply::Move(m) = ply else {
            return Ok(Some("leaves the book".to_owned()));
        };
        let is_known = self.book.probe(before, &mut self.page)?;
        if is_known && self.page.entries.iter().any(|entry| entry.m == Some(m)) {
            return Ok(None);
        }
        let comment = if is_known {
            let names = move_names(before, &self.page.entries);
            if names.is_empty() {
                "the book ends here".to_owned()
            } else {
                format!("the book has {names}")
            }
        } else {
            "the book ends here".to_owned()
        };
        let mut after = before.clone();
        after.play(m);
        if self.book.moves(&after, &mut self.page)? {
            // A transposition into the book.
            return Ok(None);
        }
        Ok(Some(comment))
    }
}

/// Whether an annotation is one of those that mark a novelty, with that comment.
fn is_mark(annotation: &Annotation<'_>, mark: &str) -> bool {
    match annotation {
        Annotation::Nag(nag) => *nag == NOVELTY,
        Annotation::Comment(comment) => {
            // Writers break lines at blanks.
            comment.text.split_whitespace().eq(mark.split_whitespace())
        }
        _ => false,
    }
}

/// `Nf3 (60%), d4 (30%)`.
fn move_names(position: &Position, entries: &[BookEntry]) -> String {
    let total: u64 = entries.iter().map(share).sum();
    let mut weighted: Vec<&BookEntry> = entries.iter().filter(|entry| share(entry) > 0).collect();
    weighted.sort_by_key(|entry| std::cmp::Reverse(share(entry)));
    let mut names = Vec::new();
    for entry in weighted.into_iter().take(MAX_NAMED) {
        let Some(m) = entry.m else { continue };
        let percent = share(entry) as f64 * 100.0 / total.max(1) as f64;
        names.push(format!("{} ({percent:.0}%)", position.san(m)));
    }
    names.join(", ")
}

impl Visitor for NoveltyMarker<'_> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.depth = 0;
        self.ply = 0;
        self.mark = None;
        self.state = match head.kind {
            RecordKind::Game => State::Inside,
            RecordKind::Text => State::Idle,
        };
        self.out.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let flow = self.out.visit_move(before, ply);
        if self.depth == 0 {
            self.mark = None;
        }
        if self.depth > 0 || self.state != State::Inside {
            return flow;
        }
        self.ply += 1;
        match self.leaving_comment(before, ply) {
            Ok(None) => {}
            Ok(Some(text)) => {
                self.state = State::Left;
                let _ = self.out.visit_annotation(Annotation::Nag(NOVELTY));
                let _ = self.out.visit_annotation(Annotation::Comment(Comment {
                    placement: CommentPlacement::After,
                    language: None,
                    text: &text,
                }));
                self.mark = Some(text);
            }
            Err(error) => {
                self.failure.get_or_insert(error);
                return Flow::Stop;
            }
        }
        flow
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        // A game that is marked again has the mark already.
        if self.depth == 0
            && let Some(mark) = &self.mark
            && is_mark(&annotation, mark)
        {
            return Flow::Go;
        }
        self.out.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        let flow = self.out.begin_variation();
        self.depth += u32::from(flow == Flow::Go);
        flow
    }

    fn end_variation(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.out.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        if self.state != State::Idle {
            self.counts.games += 1;
            match self.state {
                State::Left => self.counts.left += 1,
                _ => self.counts.inside += 1,
            }
        }
        self.out.end_game(result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.out.problem(problem)
    }
}

impl Task for NoveltyMarker<'_> {
    type Out = Marked;

    fn swap(&mut self, out: &mut Marked) {
        out.text.clear();
        std::mem::swap(self.out.text(), &mut out.text);
        out.counts = std::mem::take(&mut self.counts);
        out.failure = self.failure.take();
    }

    fn take_losses(&mut self) -> Losses {
        self.out.take_losses()
    }
}

/// Writes the games of all items as PGN with the first move outside the book marked: NAG 146 and a
/// comment that names the moves of the book.
///
/// # Errors
/// Of the first input that cannot be read, of the book, or of the target.
pub fn mark_novelties(
    items: &[InputItem],
    book: &dyn Book,
    create: CreateText,
    out: &mut dyn Write,
    options: &NoveltyOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Novelties, Summary), Error> {
    progress.set_total(items.iter().filter_map(InputItem::bytes).sum());
    let mut summary = Summary::default();
    let mut all = Novelties::default();
    for item in items {
        let mut tasks = Vec::new();
        for _ in 0..options.plan.threads.max(1) {
            tasks.push(NoveltyMarker {
                book,
                out: create(&options.create).map_err(Error::in_output)?,
                page: BookPosition::default(),
                depth: 0,
                ply: 0,
                state: State::Idle,
                mark: None,
                counts: Novelties::default(),
                failure: None,
            });
        }
        let plan = ScanOptions {
            want: Want::ALL,
            ..options.plan.clone()
        }
        .for_item(item, &options.open, progress)?;
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
            scan(reporter, input, &plan, tasks, &mut |_, marked| {
                if let Some(error) = marked.failure.take() {
                    return Err(error);
                }
                all.games += marked.counts.games;
                all.left += marked.counts.left;
                all.inside += marked.counts.inside;
                out.write_all(&marked.text)
                    .map_err(|error| Error::from(error).in_output())?;
                Ok(true)
            })
        })?;
    }
    Ok((all, summary))
}
