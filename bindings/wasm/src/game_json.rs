//! A game as JSON, with its lines one after another: `tabia.mjs` puts variations into the moves that they are
//! alternatives to, so that no depth of them is too deep.

use tabia::annotation::{Comment, CommentPlacement, Eval, Score, Shape, ShapeKind};
use tabia::{Error, Game, Line, Node, Position};

use crate::json::{Object, push_array, push_string};

/// Appends a game; `number` is that of its database, from 1.
pub(crate) fn push_game(
    text: &mut String,
    number: u64,
    game: &Game,
    problems: &[Error],
) -> Result<(), Error> {
    let mut object = Object::new(text);
    object.value("game", Some(number));
    push_array(
        object.name("tags"),
        game.head.tags.iter(),
        |text, (name, value)| {
            push_array(text, [name, value], push_string);
        },
    );
    object.text("result", Some(&game.result.to_string()));
    let start = game.start_position();
    object.text("fen", start.as_ref().map(Position::fen).as_deref());
    push_comments(object.name("comments"), game.root().comments(), None);
    push_array(object.name("problems"), problems, |text, problem| {
        push_string(text, &problem.to_string());
    });
    push_lines(object.name("lines"), game, start)?;
    object.end();
    Ok(())
}

/// Appends all lines, the mainline first. A move has the numbers of the lines that are alternatives to it.
fn push_lines(text: &mut String, game: &Game, start: Option<Position>) -> Result<(), Error> {
    let start = match start {
        Some(start) => start,
        None if game.ply_count() == 0 => Position::standard(),
        None => return Err(Error::usage("its first position cannot be played from")),
    };
    let mut lines = 1;
    // Lines get their numbers when they are found, and are written in this order.
    let mut waiting = std::collections::VecDeque::from([(0_u32, start, game.root())]);
    text.push('[');
    let mut is_first = true;
    while let Some((plies, start, line)) = waiting.pop_front() {
        if !std::mem::replace(&mut is_first, false) {
            text.push(',');
        }
        let moves = (plies + 1..).zip(line.with_positions(start));
        push_array(text, moves, |text, (ply, (before, node))| {
            let variations = node.variations().map(|variation: Line<'_>| {
                waiting.push_back((ply - 1, before.clone(), variation));
                lines += 1;
                lines - 1
            });
            let variations: Vec<u32> = variations.collect();
            push_move(text, ply, &before, node, &variations);
        });
    }
    text.push(']');
    Ok(())
}

fn push_move(text: &mut String, ply: u32, before: &Position, node: Node<'_>, variations: &[u32]) {
    let played = node.ply();
    let mut object = Object::new(text);
    object.value("ply", Some(ply));
    object.text("san", Some(&before.san(played).to_string()));
    object.text("uci", Some(&before.uci(played).to_string()));
    object.text("fen", Some(&before.after(played).fen()));
    let (after, first) = (CommentPlacement::After, CommentPlacement::Before);
    push_comments(object.name("comments"), node.comments(), Some(after));
    push_comments(object.name("commentsBefore"), node.comments(), Some(first));
    push_array(object.name("nags"), node.nags(), |text, nag| {
        text.push_str(&nag.0.to_string());
    });
    object.value("clock", node.clock().map(|time| time.as_secs_f64()));
    object.value("elapsed", node.elapsed().map(|time| time.as_secs_f64()));
    push_eval(object.name("eval"), node.eval());
    push_array(object.name("shapes"), node.shapes(), push_shape);
    push_array(object.name("variations"), variations, |text, line| {
        text.push_str(&line.to_string());
    });
    object.end();
}

/// Appends the texts of comments of one placement, or of all.
fn push_comments<'g>(
    text: &mut String,
    comments: impl Iterator<Item = Comment<'g>>,
    placement: Option<CommentPlacement>,
) {
    let wanted = comments.filter(|comment| placement.is_none_or(|it| it == comment.placement));
    push_array(text, wanted, |text, comment| {
        push_string(text, comment.text);
    });
}

fn push_eval(text: &mut String, eval: Option<Eval>) {
    let Some(eval) = eval else {
        text.push_str("null");
        return;
    };
    let (centipawns, mate) = match eval.score {
        Score::Centipawns(score) => (Some(score), None),
        Score::Mate(moves) => (None, Some(moves)),
    };
    let mut object = Object::new(text);
    object.value("cp", centipawns);
    object.value("mate", mate);
    object.value("depth", eval.depth);
    object.end();
}

/// Appends an arrow or a marked square: its form, colour and squares.
fn push_shape(text: &mut String, shape: Shape) {
    let letter;
    let (form, from, to) = match shape.kind {
        ShapeKind::Arrow(from, to) => ("arrow", from, Some(to)),
        ShapeKind::Square(square) => ("square", square, None),
        ShapeKind::Circle(square) => ("circle", square, None),
        ShapeKind::Disk(square) => ("disk", square, None),
        ShapeKind::Frame(square) => ("frame", square, None),
        ShapeKind::Letter(square, character) => {
            letter = character.to_string();
            (letter.as_str(), square, None)
        }
        // A form that the package does not know.
        _ => {
            text.push_str("null");
            return;
        }
    };
    let mut object = Object::new(text);
    object.text("form", Some(form));
    object.text("color", Some(&shape.color.to_string()));
    object.text("from", Some(&from.to_string()));
    object.text("to", to.map(|square| square.to_string()).as_deref());
    object.end();
}
