//! Writes sets of files after `FORMAT.md`, for tests: no file of another program is available.

use tabia_core::chess::{Color, Ply, Position, Role, Setup, Square};
use tabia_core::game::{Annotation, Event, Game, RecordKind, TextKind, TimeControl};
use tabia_core::io::Sink;

use super::super::container::{MARK, checksum};
use super::super::{annotations, move_codes, start_position};
use crate::games::cbh::annotations::game_tags::parse_clock;
use crate::games::cbh::field_codecs::{encode_date, encode_eco, encode_result};

/// The files of a set: extension and bytes.
pub(super) type Files = Vec<(&'static str, Vec<u8>)>;

/// Games, texts and analyses as a set.
pub(super) fn files(games: &[Game]) -> Files {
    let mut set = Set::default();
    let mut headers = Sink::new();
    headers.zeros(8);
    headers.u16_le(38);
    headers.u16_le(192);
    headers.u8(0);
    headers.u8(3);
    headers.zeros(2);
    headers.u32_le(games.len() as u32 + 1);
    headers.zeros(172);
    for game in games {
        let record = if game.head.kind == RecordKind::Text {
            set.text(game)
        } else if game.head.tags.text("Cb2Content") == "analysis" {
            set.analysis(game)
        } else {
            set.game(game)
        };
        assert_eq!(record.len(), 192);
        headers.bytes(&record);
    }
    vec![
        ("2cbh", headers.into_vec()),
        ("2cbg", with_header(&set.moves)),
        ("2cba", with_header(&set.annotations)),
        ("2lid", set.names()),
    ]
}

fn with_header(records: &[u8]) -> Vec<u8> {
    let mut sink = Sink::new();
    sink.u64_le(12 + records.len() as u64);
    sink.u16_le(12);
    sink.u8(0);
    sink.u8(3);
    sink.bytes(records);
    sink.into_vec()
}

/// Appends a record with some free space after its content. Returns its offset.
fn put(content: &[u8], tag: u16, file: &mut Vec<u8>) -> u64 {
    const FREE: usize = 6;
    let at = file.len() as u64 + 12;
    let mut sink = Sink::new();
    sink.bytes(&MARK);
    sink.u32_le(content.len() as u32);
    sink.u32_le(FREE as u32);
    sink.u64_be(checksum(content));
    sink.u16_le(tag);
    sink.bytes(content);
    sink.zeros(FREE);
    sink.u64_le((content.len() + FREE + 34) as u64);
    file.extend(sink.into_vec());
    at
}

/// −1.
const NO_ID: u64 = u64::MAX;

#[derive(Default)]
struct Set {
    moves: Vec<u8>,
    annotations: Vec<u8>,
    /// The fields of the names of each kind.
    named: [Vec<Vec<u8>>; 6],
}

impl Set {
    fn name(&mut self, kind: usize, fields: Sink) -> u64 {
        let fields = fields.into_vec();
        let existing = self.named[kind].iter().position(|other| *other == fields);
        existing.unwrap_or_else(|| {
            self.named[kind].push(fields);
            self.named[kind].len() - 1
        }) as u64
    }

    fn player(&mut self, name: &str, fide: &str) -> u64 {
        let (last, first) = name.split_once(", ").unwrap_or((name, ""));
        let mut sink = Sink::new();
        text(if last == "?" { "" } else { last }, &mut sink);
        text(first, &mut sink);
        sink.zeros(8);
        sink.u32_le(0);
        sink.u32_le(8);
        sink.u64_le(fide.parse().unwrap_or(0));
        self.name(0, sink)
    }

    fn tournament(&mut self, game: &Game) -> u64 {
        let tags = &game.head.tags;
        let value = |tag| {
            Some(tags.text(tag))
                .filter(|value| *value != "?")
                .unwrap_or("")
        };
        let mut sink = Sink::new();
        text(value("Site"), &mut sink);
        text(value("Event"), &mut sink);
        sink.u32_le(0);
        // A Swiss tournament of seven rounds in the Netherlands.
        let is_swiss = tags.text("EventType") == "swiss";
        sink.bytes(&if is_swiss {
            [4, 0, 103, 0, 0, 0, 7, 0]
        } else {
            [0; 8]
        });
        sink.zeros(4 + 4 + 1 + 37);
        if is_swiss {
            // Median Buchholz, wins.
            sink.u16_le(2);
            sink.u16_le(3);
            sink.u16_le(11);
        } else {
            sink.u16_le(0);
        }
        sink.zeros(4 + 44);
        self.name(1, sink)
    }

    fn source(&mut self, title: &str) -> u64 {
        if title.is_empty() {
            return NO_ID;
        }
        let mut sink = Sink::new();
        text(title, &mut sink);
        text("", &mut sink);
        sink.zeros(12);
        self.name(2, sink)
    }

    fn team(&mut self, title: &str) -> u64 {
        if title.is_empty() {
            return NO_ID;
        }
        let mut sink = Sink::new();
        text(title, &mut sink);
        sink.zeros(5);
        self.name(4, sink)
    }

    fn tag(&mut self, titles: &[(u32, &str)]) -> u64 {
        let titles: Vec<_> = titles
            .iter()
            .filter(|(_, title)| !title.is_empty())
            .collect();
        if titles.is_empty() {
            return NO_ID;
        }
        let mut sink = Sink::new();
        sink.u32_le(titles.len() as u32);
        for (nation, title) in titles {
            sink.u32_le(*nation);
            text(title, &mut sink);
        }
        self.name(5, sink)
    }

    fn annotator(&mut self, game: &Game) -> u64 {
        match game.head.tags.text("Annotator") {
            "" => NO_ID,
            name => self.player(name, ""),
        }
    }

    fn game(&mut self, game: &Game) -> Vec<u8> {
        let tags = &game.head.tags;
        let chess960 = game.head.start.chess960;
        let moves_at = put(&moves(game), if chess960 { 2 } else { 1 }, &mut self.moves);
        let (items, medals) = annotations(game);
        let annotations_at = put(&items, 0x2000, &mut self.annotations);
        let mut sink = Sink::new();
        let kind = if game.head.deleted { 0x81 } else { 1 };
        sink.bytes(&[kind, 0, 1, kind & 0x7f, 0, 0, 0, 0]);
        let white = self.player(tags.text("White"), tags.text("WhiteFideId"));
        let black = self.player(tags.text("Black"), tags.text("BlackFideId"));
        let title = [
            (42, tags.text("CbGameTagEnglish")),
            (53, tags.text("CbGameTagGerman")),
            (121, tags.text("Cb2GameTag121")),
        ];
        for id in [
            moves_at,
            annotations_at,
            white,
            black,
            self.tournament(game),
            self.annotator(game),
            self.source(tags.text("SourceTitle")),
            self.team(tags.text("WhiteTeam")),
            self.team(tags.text("BlackTeam")),
            self.tag(&title),
        ] {
            sink.u64_le(id);
        }
        sink.u8(encode_result(game.result));
        sink.u8(0);
        let number = |text: &str| text.parse::<u16>().unwrap_or(0);
        let (round, sub) = tags
            .text("Round")
            .split_once('.')
            .unwrap_or((tags.text("Round"), ""));
        sink.u16_le(number(round));
        sink.u16_le(number(sub));
        sink.u16_le(number(tags.text("Board")));
        for elo in ["WhiteElo", "BlackElo"] {
            sink.u16_le(number(tags.text(elo)));
            sink.bytes(b"\x01\0\x01\0\0\0FIDE\0\0\0\0");
        }
        sink.u16_le(tags.eco().map_or(0, encode_eco));
        sink.u16_le(medals);
        let flags = u32::from(game.head.start.setup.is_some())
            | u32::from(game.has_variations()) << 1
            | u32::from(chess960) << 27;
        sink.u32_le(flags);
        sink.u16_le(0);
        sink.u16_le(game.ply_count().div_ceil(2) as u16);
        sink.zeros(184 - 140);
        sink.u32_le(1);
        sink.u32_le(encode_date(tags.date().unwrap_or_default()));
        sink.into_vec()
    }

    fn analysis(&mut self, game: &Game) -> Vec<u8> {
        let moves_at = put(&moves(game), 1, &mut self.moves);
        let (items, _) = annotations(game);
        let annotations_at = put(&items, 0x2000, &mut self.annotations);
        let title = self.tag(&[(42, game.head.tags.text("CbGameTagEnglish"))]);
        let mut sink = Sink::new();
        sink.bytes(&[1, 0, 2, 1, 0, 0, 0, 0]);
        for id in [moves_at, annotations_at, title, NO_ID, self.annotator(game)] {
            sink.u64_le(id);
        }
        sink.zeros(144);
        sink.into_vec()
    }

    fn text(&mut self, game: &Game) -> Vec<u8> {
        let nation = |language: u16| [42, 53, 49, 43, 70, 103, 117, 0][usize::from(language)];
        let mut titles = Vec::new();
        let mut bodies = Sink::new();
        let mut count = 0;
        for event in game.events() {
            let Event::Annotation(Annotation::Text(part)) = event else {
                panic!("{event:?} in a text");
            };
            if part.kind == TextKind::Title {
                titles.push((nation(part.language), part.text));
            } else {
                bodies.u32_le(nation(part.language));
                text(part.text, &mut bodies);
                count += 1;
            }
        }
        let mut content = Sink::new();
        content.u16_le(5);
        content.u32_le(bodies.len() as u32 + 4);
        content.u32_le(count);
        content.bytes(bodies.as_slice());
        let body_at = put(content.as_slice(), 0x1000, &mut self.moves);
        let mut sink = Sink::new();
        sink.bytes(&[3, 0, 1, 3, 0, 0, 0, 0]);
        for id in [
            body_at,
            self.tournament(game),
            NO_ID,
            self.annotator(game),
            self.tag(&titles),
            0,
            NO_ID,
        ] {
            sink.u64_le(id);
        }
        sink.u32_le(1);
        sink.zeros(124);
        sink.into_vec()
    }

    /// The file of names, with a deleted one after the last player.
    fn names(mut self) -> Vec<u8> {
        const SIZES: [usize; 6] = [1024, 1120, 220, 1024, 314, 532];
        let mut deleted = Sink::new();
        deleted.bytes(&[0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99]);
        deleted.u64_le(NO_ID);
        let live = self.named[0].len() as u64;
        self.named[0].push(deleted.into_vec());
        let mut sink = Sink::new();
        sink.u32_be(184);
        sink.u32_be(6);
        for (kind, size) in SIZES.iter().enumerate() {
            sink.u32_be(*size as u32);
            let count = if kind == 0 {
                live
            } else {
                self.named[kind].len() as u64
            };
            sink.u64_be(count);
            sink.u64_be(if kind == 0 { live } else { NO_ID });
        }
        sink.zeros(184 - sink.len());
        let blocks = self.named.iter().map(Vec::len).max().unwrap_or(0);
        for block in 0..blocks {
            for (size, names) in SIZES.iter().zip(&self.named) {
                let fields = names.get(block).map_or(&[] as &[u8], Vec::as_slice);
                sink.u32_le(fields.len() as u32);
                sink.bytes(fields);
                sink.zeros(size - 4 - fields.len());
            }
        }
        sink.into_vec()
    }
}

fn text(text: &str, sink: &mut Sink) {
    sink.u32_le(text.len() as u32);
    sink.bytes(text.as_bytes());
}

/// A move: its word, its first continuation, its next alternative.
struct Node {
    word: u16,
    child: Option<usize>,
    next: Option<usize>,
}

/// The words of a game as bytes.
pub(super) fn moves(game: &Game) -> Vec<u8> {
    let mut words = start_words(game);
    words.push(move_codes::MOVES);
    let mut nodes: Vec<Node> = Vec::new();
    let start = game.head.start.position().expect("a position");
    // The node before the next move, the last node, the positions before and after that.
    let mut line: (Option<usize>, Option<usize>, Position, Position) =
        (None, None, start.clone(), start);
    let mut open: Vec<(Option<usize>, Option<usize>, Position, Position)> = Vec::new();
    let mut is_branch = false;
    for event in game.events() {
        match event {
            Event::Move(ply) => {
                let number = nodes.len();
                nodes.push(Node {
                    word: word(&line.3, ply),
                    child: None,
                    next: None,
                });
                if is_branch {
                    // After the other alternatives to the move that it replaces.
                    let mut last = open.last().unwrap().1.unwrap();
                    while let Some(next) = nodes[last].next {
                        last = next;
                    }
                    nodes[last].next = Some(number);
                } else if let Some(before) = line.1 {
                    nodes[before].child = Some(number);
                }
                is_branch = false;
                line.0 = line.1;
                line.1 = Some(number);
                line.2 = line.3.clone();
                line.3.play_ply(ply);
            }
            Event::BeginVariation => {
                let inner = (None, line.0, line.2.clone(), line.2.clone());
                open.push(std::mem::replace(&mut line, inner));
                is_branch = true;
            }
            Event::EndVariation => line = open.pop().unwrap(),
            Event::Annotation(_) => {}
        }
    }
    let mut pending = Vec::new();
    let mut current = if nodes.is_empty() { None } else { Some(0) };
    loop {
        while let Some(number) = current {
            words.push(nodes[number].word);
            if let Some(next) = nodes[number].next {
                words.push(move_codes::ALTERNATIVE);
                pending.push(next);
            }
            current = nodes[number].child;
        }
        words.push(move_codes::END);
        current = pending.pop();
        if current.is_none() {
            break;
        }
    }
    words
        .iter()
        .flat_map(|word| [*word as u8, (*word >> 8) as u8])
        .collect()
}

fn start_words(game: &Game) -> Vec<u16> {
    let Some(setup) = game.head.start.setup.as_deref() else {
        return Vec::new();
    };
    let mut out = vec![move_codes::START];
    if game.head.start.chess960 {
        if let Some(number) = setup.chess960_number() {
            out.push(number);
            return out;
        }
        out.push(start_position::CHESS960_SETUP);
    }
    out.extend(setup_words(setup));
    out
}

fn setup_words(setup: &Setup) -> Vec<u16> {
    let mut rights = 0;
    for (color, side, bit) in start_position::RIGHTS {
        if setup.castling[color as usize][side].is_some() {
            rights |= u16::from(bit);
        }
    }
    let mut out = vec![
        setup.full_move_number,
        u16::from(!setup.turn.is_white()) | rights << 8,
        setup
            .en_passant
            .map_or(0, |square| u16::from(square.file()) + 1),
    ];
    for square in Square::ALL {
        let Some(piece) = setup.piece(square) else {
            continue;
        };
        let black = u16::from(piece.color == Color::Black);
        let (file, rank) = (u16::from(square.file()), u16::from(square.rank()));
        out.push(
            match start_position::PIECES
                .iter()
                .position(|&role| role == piece.role)
            {
                Some(kind) => 0xc02d + 320 * black + 64 * kind as u16 + 8 * file + rank,
                None => 0xc2ad + 48 * black + 6 * file + rank - 1,
            },
        );
    }
    out
}

fn word(position: &Position, ply: Ply) -> u16 {
    let Ply::Move(m) = ply else {
        return move_codes::NULL;
    };
    let black = u16::from(!position.turn().is_white());
    if m.is_castling() {
        let h_side = u16::from(m.to().file() > m.from().file());
        let number = position.to_setup().chess960_number();
        let first = match number.filter(|_| position.is_chess960()) {
            Some(number) => 0xb12d + 4 * number,
            None if position.is_chess960() => 0xb12d,
            None => 0xb129,
        };
        return first + 2 * black + h_side;
    }
    let piece = position.piece_at(m.from()).unwrap();
    let captured = position.piece_at(m.to()).map(|piece| piece.role);
    let en_passant =
        piece.role == Role::Pawn && captured.is_none() && m.from().file() != m.to().file();
    let entry = move_codes::Entry {
        piece,
        from: m.from(),
        to: m.to(),
        captured,
        en_passant,
        promotion: m.promotion_role(),
    };
    let index = move_codes::entries()
        .iter()
        .position(|other| *other == entry);
    index.expect("every move has a word") as u16 + 1
}

/// The annotations of a game in PGN order, and its medals.
fn annotations(game: &Game) -> (Vec<u8>, u16) {
    let mut encoder = annotations::Encoder::default();
    let tags = &game.head.tags;
    for (kind, tag) in [(0x16, "WhiteClock"), (0x17, "BlackClock")] {
        if let Some(clock) = tags.get(tag).and_then(parse_clock) {
            encoder.put_clock(kind, clock);
        }
    }
    if let Some(control) = tags.get("TimeControl").and_then(TimeControl::parse) {
        assert_eq!(encoder.push(-1, &Annotation::TimeControl(control)), None);
    }
    let mut position = -1;
    let mut medals = 0;
    for event in game.events() {
        match event {
            Event::Move(_) => position += 1,
            Event::Annotation(annotation) => {
                if let Annotation::Medals(bits) = annotation {
                    medals |= bits as u16;
                }
                assert_eq!(encoder.push(position, &annotation), None, "{annotation:?}");
            }
            _ => {}
        }
    }
    (encoder.finish().to_vec(), medals)
}
