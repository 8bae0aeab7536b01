//! Targets for parts of ChessBase databases.

use tabia_core::chess::Position;
use tabia_core::game::{
    Annotation, Event, Flow, Game, GameHead, GameResult, Recorder, Visitor, Want,
};
use tabia_core::io::Charset;
use tabia_core::{Error, GameIndex};
use tabia_formats::games::cbh::annotations;
use tabia_formats::games::cbh::annotations::{Item, Items};
use tabia_formats::games::cbh::charset::{TextForm, Texts};
use tabia_formats::games::cbh::moves;
use tabia_formats::games::cbh::moves::NoAnnotations;

/// The deepest nesting of variations: the default of readers.
const MAX_DEPTH: u32 = 1 << 20;

/// A move record is read to legal moves, and its mainline alone to the same moves. A record without
/// errors round trips.
pub(super) fn moves(data: &[u8]) {
    let mut decoder = moves::Decoder::new(MAX_DEPTH);
    let Some((game, error)) = read_moves(&mut decoder, data, Want::ALL) else {
        return;
    };
    if let Some((mainline, _)) = read_moves(&mut decoder, data, Want::MAINLINE) {
        assert!(
            mainline.mainline().eq(game.mainline()),
            "the mainline alone"
        );
    }
    if error.is_some() {
        return;
    }
    let mut encoder = moves::Encoder::new();
    let Ok(encoded) = encoder.encode(&game) else {
        return;
    };
    let (again, error) = read_moves(&mut decoder, encoded.record, Want::ALL)
        .expect("a record just written has a head");
    assert!(error.is_none(), "{error:?}");
    assert!(
        again.events().eq(game.events()),
        "{game:?} reads back as {again:?}"
    );
    if encoded.is_start_exact {
        let (start, expected) = (again.head.start.position(), game.head.start.position());
        let fen = |position: Option<Position>| position.map(|position| position.fen());
        assert_eq!(fen(start), fen(expected));
    }
}

fn read_moves(
    decoder: &mut moves::Decoder,
    bytes: &[u8],
    want: Want,
) -> Option<(Game, Option<Error>)> {
    let record = decoder.open(bytes, 0, Some(518)).ok()?;
    let mut head = GameHead::default();
    head.start = record.start.clone();
    let mut recorder = Recorder::new();
    let _ = recorder.begin_game(GameIndex(0), &head);
    let mut checked = super::CheckedVisitor::new(&mut recorder);
    let visited = decoder.visit(&record, want, &mut checked, &mut NoAnnotations);
    recorder.end_game(GameResult::Unknown);
    if let Some(error) = &visited.error {
        let _ = error.to_string();
    }
    Some((recorder.game().clone(), visited.error))
}

/// The items of an annotation record are read, and round trip. The first byte of the input chooses the
/// character set.
pub(super) fn annotations(data: &[u8]) {
    let Some((choice, record)) = data.split_first() else {
        return;
    };
    let name = if choice & 1 == 0 { "cp1252" } else { "cp1251" };
    let Some(Charset::Single(page)) = Charset::parse(name) else {
        return;
    };
    let charset = if choice & 2 == 0 {
        Charset::Auto
    } else {
        Charset::Single(page)
    };
    let texts = Texts::new(charset, page);
    let _ = Items::size(record);
    let Ok(items) = Items::new(record) else {
        return;
    };
    let mut decoder = annotations::Decoder::new(texts);
    for item in items {
        let Ok(item) = item else { break };
        let expected = decode_item(&mut decoder, &item);
        round_trip(&item, &expected, page, texts);
    }
}

fn decode_item(decoder: &mut annotations::Decoder, item: &Item<'_>) -> Game {
    let mut recorder = Recorder::new();
    let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
    let flow = decoder.decode(item, &mut |annotation| {
        recorder.visit_annotation(annotation)
    });
    assert_eq!(flow, Flow::Go);
    recorder.end_game(GameResult::Unknown);
    recorder.game().clone()
}

/// Writes the annotations of an item: in one of the forms of texts they round trip.
fn round_trip(
    item: &Item<'_>,
    expected: &Game,
    page: &'static encoding_rs::Encoding,
    texts: Texts,
) {
    let mut lost = None;
    for form in TextForm::all(page) {
        let mut encoder = annotations::Encoder::new(form);
        let mut losses = expected.events().filter_map(|event| match event {
            Event::Annotation(annotation) => encoder.push(item.position, &annotation),
            _ => None,
        });
        lost = losses.next();
        if lost.is_some() {
            continue;
        }
        drop(losses);
        let mut found = Recorder::new();
        let _ = found.begin_game(GameIndex(0), &GameHead::default());
        if let Some(record) = encoder.finish(1) {
            let mut decoder = annotations::Decoder::new(texts);
            for item in Items::new(record).expect("a record just written") {
                let item = item.expect("an item just written");
                let mut emit = |annotation: Annotation<'_>| found.visit_annotation(annotation);
                let _ = decoder.decode(&item, &mut emit);
            }
        }
        found.end_game(GameResult::Unknown);
        if found.game().events().eq(expected.events()) {
            return;
        }
    }
    panic!("{item:?} reads as {expected:?} and cannot be written so (lost {lost:?})");
}
