//! Finds the stored move to which every annotation of a game belongs.

use tabia_core::game::{Annotation, Event, Game};

/// The annotations of a game, sorted by position: −1 for the game, else the number of the move in
/// stored order. Those of one position keep their order. `stored` contains every move's number in
/// stored order.
///
/// Annotations at the start of a variation go to its first move. Those of a variation without moves
/// cannot be stored and are passed to `lost`.
pub(crate) fn annotations<'g>(
    game: &'g Game,
    stored: &[u32],
    mut lost: impl FnMut(&Annotation<'g>),
) -> Vec<(i32, Annotation<'g>)> {
    let mut anchored = Vec::new();
    // For every open line the position of its last move, `None` before the first.
    let mut lines: Vec<Option<i32>> = vec![Some(-1)];
    // Annotations before the first move of a line, with the depth of the line.
    let mut pending: Vec<(usize, Annotation<'g>)> = Vec::new();
    let mut moves = stored.iter();
    for event in game.events() {
        match event {
            Event::Move(_) => {
                let position = moves.next().map_or(-1, |&stored| stored as i32);
                let depth = lines.len();
                if let Some(last) = lines.last_mut() {
                    *last = Some(position);
                }
                for (_, annotation) in pending.drain(pending_start(&pending, depth)..) {
                    anchored.push((position, annotation));
                }
            }
            Event::Annotation(annotation) => match lines.last() {
                Some(Some(position)) => anchored.push((*position, annotation)),
                _ => pending.push((lines.len(), annotation)),
            },
            Event::BeginVariation => lines.push(None),
            Event::EndVariation => {
                let depth = lines.len();
                for (_, annotation) in pending.drain(pending_start(&pending, depth)..) {
                    lost(&annotation);
                }
                lines.pop();
            }
        }
    }
    for (_, annotation) in pending {
        lost(&annotation);
    }
    anchored.sort_by_key(|(position, _)| *position);
    anchored
}

/// The index of the first pending annotation of the line at `depth`.
fn pending_start(pending: &[(usize, Annotation<'_>)], depth: usize) -> usize {
    pending.partition_point(|(line_depth, _)| *line_depth < depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::GameIndex;
    use tabia_core::chess::{Ply, Position};
    use tabia_core::game::{Flow, GameHead, GameResult, Nag, Visitor};

    #[test]
    fn annotations_belong_to_their_moves() {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        let nag = |number| Annotation::Nag(Nag(number));
        let _: Flow = recorder.begin_game(GameIndex(0), &GameHead::default());
        let position = Position::standard();
        let mut add = |token: &str| {
            let _: Flow = match token {
                "m" => recorder.visit_move(&position, Ply::Null),
                "(" => recorder.begin_variation(),
                ")" => {
                    recorder.end_variation();
                    Flow::Go
                }
                number => recorder.visit_annotation(nag(number.parse().unwrap())),
            };
        };
        for token in "1 m 2 ( 3 4 m 5 ) 6 ( 7 ( 8 ) ) m 9".split(' ') {
            add(token);
        }
        recorder.end_game(GameResult::Unknown);
        let mut lost = Vec::new();
        let anchored = annotations(&game, &[0, 2, 1], |annotation| lost.push(*annotation));
        let expected = [
            (-1, nag(1)),
            (0, nag(2)),
            (0, nag(6)),
            (1, nag(9)),
            (2, nag(3)),
            (2, nag(4)),
            (2, nag(5)),
        ];
        assert_eq!(lost, [nag(8), nag(7)]);
        assert_eq!(anchored, expected);
    }
}
