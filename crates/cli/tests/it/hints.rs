//! Every error of use and of inputs names what to do next: a command, an option or a file.

use std::fs;

use tabia_testkit::Scratch;

use crate::common::{GAMES, many_games, tabia, tabia_with_input};

/// `games.pgn`, `games.cbh` with its companions, `book.bin`, `book_0.kob`, `noise.cbh` and `pack.zip`.
fn folder(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::write(scratch.join("games.pgn"), GAMES).unwrap();
    fs::write(scratch.join("noise.cbh"), "?").unwrap();
    tabia(&scratch, &["convert", "games.pgn", "-o", "games.cbh"]).expect(0);
    for book in ["book.bin", "book.kob"] {
        let build = ["book", "build", "games.pgn", "--min-games", "1", "-o"];
        tabia(&scratch, &[&build[..], &[book]].concat()).expect(0);
    }
    tabia(&scratch, &["archive", "create", "pack.zip", "games.pgn"]).expect(0);
    scratch
}

/// The same, with files that are damaged, empty, or no databases at all.
fn folder_with_damage(name: &str) -> Scratch {
    let scratch = folder(name);
    let arena = [&b"\x03AB2pb\0\0\x1c\0\0\0\x11Happ"[..], b"y t"].concat();
    let chessbase = b"\0 \x10\0\0\x01\0\x01\0\0\x10\0\x7f\xff\x7f\xff\0\0\0\x01";
    let document = b"%PDF-1.4\n%\xe2\xe3\n".to_vec();
    for (file, bytes) in [
        ("short.abk", arena),
        ("short.ctg", chessbase.to_vec()),
        ("empty.cbh", Vec::new()),
        ("bad.zip", [&b"PK\x03\x04"[..], &[0xa7; 3000]].concat()),
        ("document.pdf", document),
        ("rows.db3", b"SQLite format 3\0".repeat(40)),
        ("words.txt", b"root:x:0:0:root:/root:/bin/bash\n".to_vec()),
        ("zeros.dat", vec![0; 900]),
        (
            "stream.arrow",
            b"\xff\xff\xff\xff\x70\0\0\0\x10\0\0\0".repeat(20),
        ),
        ("games.csv", b"white,whiteElo,black\nA,2500,B\n".to_vec()),
        ("games.ndjson", b"{\"tags\":{\"White\":\"A\"}}\n".to_vec()),
    ] {
        fs::write(scratch.join(file), bytes).unwrap();
    }
    let pack = fs::read(scratch.join("pack.zip")).unwrap();
    let two = crate::repair_all::zip(&[("pack.zip", &pack)]);
    let three = crate::repair_all::zip(&[("two.zip", &two)]);
    fs::write(scratch.join("three.zip"), three).unwrap();
    scratch
}

/// Arguments, the exit code, and what the hint contains.
const CASES: &[(&[&str], i32, &str)] = &[
    (&["convert", "games.pgn", "-o", ""], 2, "not set"),
    (&["convert", "games.pgn", "--output="], 2, "not set"),
    (
        &["search", "games.pgn", "--", "tal", "--count"],
        2,
        "`tabia search OPTIONS -- IN QUERY`",
    ),
    (
        &["search", "games.pgn", "--", "tal", "-o", "x.pgn"],
        2,
        "`tabia search OPTIONS -- IN QUERY`",
    ),
    (
        &["search", "games.pgn", "-olafsson"],
        2,
        "`-olafsson` is `-o lafsson`",
    ),
    (
        &["search", "games.pgn", "tal", "-olafsson"],
        2,
        "`-olafsson` is `-o lafsson`",
    ),
    (
        &["repair", "book.bin"],
        2,
        "`tabia book fix book.bin -o new-book.bin`",
    ),
    (
        &["repair", "book.bin", "-o", "x.bin"],
        2,
        "`tabia book fix book.bin",
    ),
    (
        &["convert", "games.pgn", "-o", "new.bin"],
        2,
        "`tabia book build games.pgn -o new.bin`",
    ),
    (
        &["convert", "book.bin", "-o", "new.ctg"],
        2,
        "`tabia book convert book.bin -o new.ctg`",
    ),
    (
        &["convert", "games.pgn", "-o", "new.cbv"],
        2,
        "`tabia convert games.pgn -o new.cbh`, then `tabia archive create new.cbv new.cbh`",
    ),
    (
        &["convert", "games.pgn", "-o", "new.xyz"],
        2,
        "`tabia formats`",
    ),
    // Queries that begin with an operator.
    (
        &["search", "games.pgn", "-> mat:KK"],
        2,
        "`A -> B` needs terms about a position or a move on both sides",
    ),
    (
        &["search", "games.pgn", "-OR tal"],
        2,
        "did you mean `OR -`?",
    ),
    (
        &["search", "games.pgn", "morphy -OR tal"],
        2,
        "did you mean `OR -`?",
    ),
    (
        &["search", "games.pgn", "-NOT tal"],
        2,
        "`-` alone leaves a term out",
    ),
    // The order by a moment that is not asked for.
    (
        &["search", "games.pgn", "morphy sort:ply"],
        2,
        "`sort:plies` sorts by the length",
    ),
    (
        &["convert", "games.pgn", "-o", "-", "--sort", "ply"],
        2,
        "`--sort plies` sorts by the length",
    ),
    (
        &["convert", "games.pgn", "--to", "xyz", "-o", "new"],
        2,
        "`tabia formats`",
    ),
    (
        &["convert", "games.pgn", "-o", "games.pgn", "--force"],
        2,
        "give the output another name",
    ),
    (&["convert", "games.pgn", "-o", "games.cbh"], 5, "`--force`"),
    (&["ls", "book.bin"], 2, "`tabia book info book.bin`"),
    (
        &["tree", "games.pgn", "e4", "e5"],
        4,
        "`tabia tree games.pgn --line 'e4 e5'`",
    ),
    (
        &["tree", "games.pgn", "1.e4 e5"],
        4,
        "`tabia tree games.pgn --line '1.e4 e5'`",
    ),
    (
        &["tree", "games.pgn", "carlsen"],
        4,
        "`tabia search games.pgn carlsen`",
    ),
    (
        &["book", "games.pgn"],
        2,
        "`tabia book build IN -o OUT` makes one of games",
    ),
    (&["archive", "pack.zip"], 2, "`tabia archive list pack.zip`"),
    (&["opening", "games.pgn"], 2, "`tabia eco` does that"),
    (&["version"], 2, "`tabia --version` does that"),
    (&["--verion"], 2, "did you mean `tabia --version`?"),
    (&["analyse", "games.pgn"], 2, "tabia has no engine"),
    (
        &["edit", "games.cbh", "--tag", "White=X"],
        2,
        "`--replace 5 --with game.pgn` puts it back",
    ),
    (
        &["book", "thin", "book.bin"],
        2,
        "`tabia book edit book.bin --csv` lists all moves",
    ),
    (
        &["book", "find", "games.pgn"],
        2,
        "`tabia book build games.pgn -o BOOK`",
    ),
    (
        &["info", "noise.cbh"],
        4,
        "copy or download it again from where it came from, with the other files",
    ),
    (
        &["info", "--from", "cbh", "games.pgn"],
        4,
        "without `--from`",
    ),
    (&["info", "gamez.pgn"], 4, "games.pgn"),
    (
        &["ls", "games.pgn", "--where", "elo>2700"],
        2,
        "`elo:>2700`",
    ),
    (
        &["convert", "games.pgn", "-o", "new.cbh", "--append"],
        5,
        "without `--append`",
    ),
    (
        &["append", "games.pgn", "-o", "new.cbh"],
        5,
        "`tabia convert games.pgn -o new.cbh` makes a database",
    ),
    (
        &["ls", "games.pgn", "--games", "x"],
        2,
        "`--games 1-100,205`",
    ),
    (
        &["ls", "games.pgn", "--games", "9-7,3"],
        2,
        "did you mean `--games 7-9,3`?",
    ),
    (&["show", "games.pgn", "--game", "0"], 2, "`--game 5-7,12`"),
    (&["show", "games.pgn", "--board=x"], 2, "`--board=20`"),
    (&["ls", "games.pgn", "-j", "0"], 2, "without `--threads`"),
    (&["ls", "games.pgn", "--limit", "x"], 2, "`--limit 20`"),
    (
        &["ls", "games.pgn", "--columns", ","],
        2,
        "`--columns game,white,black`",
    ),
    (
        &["ls", "games.pgn", "--encoding", "x"],
        2,
        "`--encoding cp1252`",
    ),
    (
        &["convert", "games.pgn", "-o", "x.pgn", "--profile", "x"],
        2,
        "for example `tabia convert mega.cbv -o mega.pgn --profile full`",
    ),
    (
        &["completions", "tcsh"],
        2,
        "for example `tabia completions bash",
    ),
    (&["completions", "zhs"], 2, "did you mean `zsh`?"),
    (
        &["book", "find", "book.bin", "--fen", "x"],
        2,
        "`--fen startpos`",
    ),
    (&["tree", "games.pgn", "--fen", "8/8 w"], 2, "KQkq - 0 1'`"),
    (
        &["tree", "games.pgn", "--line", "1.e4 e5 2.Ke3"],
        2,
        "legal there: Ke2; `--line 'e4 e5'`",
    ),
    (
        &["book", "line", "book.bin", "--moves", "Nf6"],
        2,
        "legal there: Na3, Nc3, Nf3, Nh3; `--moves`",
    ),
    (
        &["book", "explain", "book.bin", "games.pgn", "--move", "Be2"],
        2,
        "legal there: ",
    ),
    (
        &["stats", "games.pgn", "--by", "foo"],
        2,
        "`tabia help stats`",
    ),
    (&["man", "serch"], 2, "`tabia man search`"),
    (&["man", "x"], 2, "`tabia --help`"),
    (&["man", "book", "bild"], 2, "`tabia man book build`"),
    (&["ls", "games.pgn", "--limit", "-3"], 2, "`tabia help ls`"),
    (&["ls", "games.pgn", "--where", "mat:foo"], 2, "`mat:KRPKR`"),
    (&["ls", "games.pgn", "--where", "fen:x"], 2, "`fen:"),
    (&["ls", "games.pgn", "--where", "line:e5"], 2, "`line:"),
    (
        &["book", "build", "book.bin", "-o", "x.bin"],
        2,
        "`tabia book merge book.bin OTHER -o NEW`",
    ),
    (
        &[
            "book",
            "edit",
            "book.bin",
            "--move",
            "e4",
            "--annotation",
            "!",
            "-o",
            "x.bin",
        ],
        2,
        "`tabia book convert book.bin -o book.ctg`",
    ),
    (
        &["archive", "list", "games.pgn"],
        2,
        "`tabia info games.pgn`",
    ),
    (&["archive", "list", "."], 2, "`tabia info .`"),
    (&["show", "games.pgn", "-g", "9"], 4, "`tabia ls games.pgn`"),
    (
        &["convert", "games.pgn", "new.cbh"],
        4,
        "`tabia convert games.pgn -o new.cbh`",
    ),
    (
        &["ls", "games.pgn", "carlsen"],
        4,
        "`tabia search games.pgn carlsen`",
    ),
    (
        &["search", "games.pgn", "white:carlsen", "elo:2800"],
        2,
        "`tabia search games.pgn 'white:carlsen elo:2800'`",
    ),
    (
        &["search", "white:carlsen", "games.pgn"],
        2,
        "`tabia search games.pgn white:carlsen`",
    ),
    (
        &["book", "find", "book.bin", "e4", "c5"],
        4,
        "--moves 'e4 c5'`",
    ),
    (
        &["convert", "games.pgn", "-o", "x.json"],
        2,
        "`-o x.ndjson`",
    ),
    (&["convert", "games.pgn", "-o", "x.duckdb"], 2, "`-o x.csv`"),
    (
        &["convert", "games.pgn", "--to", "cbh"],
        2,
        "`-o games.cbh`",
    ),
    (&["info", "nothing.xyz"], 4, "`tabia info .`"),
    (&["info", "no/nothing.xyz"], 4, "`tabia info .`"),
    (&["ls"], 2, "`tabia info .`"),
    (&["stats"], 2, "`tabia info .`"),
    (
        &["search", "games.pgn"],
        2,
        "`tabia search games.pgn player:carlsen`",
    ),
    (&["search"], 2, "`tabia help search`"),
    (
        &["dedupe", "games.pgn"],
        2,
        "`tabia dedupe games.pgn --dry-run`",
    ),
    (
        &["dedupe", "-", "-o", "x.pgn"],
        2,
        "`tabia convert - -o games.pgn`",
    ),
    (
        &["append", "-", "-o", "x.pgn"],
        2,
        "`tabia convert - -o games.pgn`",
    ),
    (
        &["repair", "pack.zip", "-o", "x.pgn"],
        2,
        "`tabia repair pack.zip -o saved-pack`",
    ),
    (
        &["convert", "games.pgn", "-o", "z.bin.gz"],
        2,
        "`tabia book build games.pgn -o z.bin` makes a book of games",
    ),
    (
        &["convert", "games.pgn", "-o", "z.cbh.gz"],
        2,
        "`-o z.cbh` writes it",
    ),
    (&["help", "nfo"], 2, "did you mean `tabia info`?"),
    (
        &["repair", "book.bin", "-o", "x.pgn"],
        2,
        "`tabia book fix book.bin -o FIXED`",
    ),
    (
        &["convert", "pack.zip", "-o", "new.cbv"],
        2,
        "`tabia convert pack.zip -o new.cbh`, then `tabia archive create new.cbv new.cbh`",
    ),
    (
        &["search", "games.pgn", "carlsen", "-o", "pack.zip"],
        2,
        "`tabia convert games.pgn --where carlsen -o pack.pgn`, then `tabia archive create new-pack.zip pack.pgn`",
    ),
    (
        &["append", "games.pgn", "-o", "pack.zip"],
        2,
        "`tabia convert pack.zip -o pack.pgn`, then `tabia append games.pgn -o pack.pgn`, then \
         `tabia archive create new-pack.zip pack.pgn`",
    ),
    (
        &["show", "games.pgn", "2"],
        2,
        "`tabia show games.pgn --game 2` shows game 2",
    ),
    (
        &["show", "games.pgn", "--language", "de"],
        2,
        "`tabia convert IN --games N --language de,en`",
    ),
    (&["convert", "games.pgn", "-o", "."], 2, "`-o ./games.pgn`"),
    (&["convert", "games.pgn", "-o", "new"], 2, "`-o new.pgn`"),
    (
        &["ls", "games.pgn", "--where", "elo:abc"],
        2,
        "`elo:>=2700`, for example, and `tabia help search`",
    ),
    (
        &["index", "pack.zip"],
        4,
        "`tabia convert pack.zip:games.pgn -o new-games.pgn`",
    ),
    (
        &["names", "games.pgn", "--apply", "no.tsv", "-o", "x.pgn"],
        4,
        "`tabia names games.pgn --tsv > no.tsv`",
    ),
    (
        &["append", "games.pgn", "-o", "no.pgn"],
        5,
        "`tabia convert games.pgn -o no.pgn`",
    ),
    (
        &["edit", "games.pgn", "-o", "x.cbh", "--delete", "1"],
        2,
        "`tabia convert games.pgn -o new-games.cbh`",
    ),
    (
        &["edit", "games.cbh", "-o", "x.cbh", "--delete", "99"],
        2,
        "`tabia ls games.cbh --include-deleted --texts`",
    ),
    (
        &["book", "convert", "book.bin", "-o", "x.cbh"],
        2,
        "`tabia convert lines.pgn -o x.cbh`",
    ),
    (
        &["book", "convert", "book.bin", "-o", "x.xyz"],
        2,
        "`-o x.bin`",
    ),
    (&["book", "build", "games.pgn", "-o", "x"], 2, "`-o x.bin`"),
    (
        &[
            "book",
            "edit",
            "book_0.kob",
            "--moves",
            "e4",
            "--move",
            "e5",
            "--weight",
            "3",
            "-o",
            "x.kob",
        ],
        2,
        "`tabia book convert book_0.kob -o book_0.bin`",
    ),
    // Errors that the parser of the command line finds.
    (&["tree", "games.pgn", "--moves", "e4"], 2, "`--line e4`"),
    (&["ls", "games.pgn", "--colums", "x"], 2, "`--columns`"),
    (
        &["ls", "games.pgn", "--sort", "ply"],
        2,
        "`--sort plies` sorts by the length",
    ),
    (
        &["ls", "games.pgn", "elo:>=2700"],
        4,
        "tabia search games.pgn",
    ),
    (&["stats", "games.pgn", "--sort", "x"], 2, "`--order games`"),
    (&["stats", "games.pgn", "--group-by", "year"], 2, "`--by`"),
    (
        &["stats", "games.pgn", "-o", "x.csv"],
        2,
        "`--csv > groups.csv`",
    ),
    (
        &["ls", "games.pgn", "-o", "x.csv"],
        2,
        "`--csv > games.csv`",
    ),
    (
        &["ls", "games.pgn", "--format", "csv"],
        2,
        "`--csv`, `--tsv`",
    ),
    (&["ls", "games.pgn", "--cvs"], 2, "did you mean `--csv`?"),
    (
        &["stats", "games.pgn", "--by", "clubName"],
        2,
        "`--by WhiteTeam`",
    ),
    (
        &["convert", "games.pgn", "--limit", "1"],
        2,
        "`--games 1-100`",
    ),
    (&["show", "games.pgn", "--pgn"], 2, "without an option"),
    (&["games", "games.pgn"], 2, "`tabia ls`"),
    (
        &["convert", "games.pgn", "--to", "json"],
        2,
        "`--to ndjson`",
    ),
    (&["convert", "games.pgn", "--to", "tsv"], 2, "`--to csv`"),
    (&["covnert", "games.pgn"], 2, "`tabia convert`"),
    (&["list", "games.pgn"], 2, "`tabia ls`"),
    (&["make-book", "games.pgn"], 2, "`tabia book build`"),
    (&["games.pgn"], 2, "`tabia ls games.pgn`"),
    (&["book", "biuld"], 2, "`tabia book build`"),
    (&["help", "conver"], 2, "`tabia convert`"),
    (
        &["book", "merge", "book.bin"],
        2,
        "`tabia book merge book.bin -o new-book.bin`",
    ),
    (
        &["book", "build", "games.pgn"],
        2,
        "`tabia book build games.pgn -o new-book.bin`",
    ),
    (
        &["book", "build"],
        2,
        "for example `tabia book build games.pgn -o book.bin`",
    ),
    (
        &["book", "novelty", "games.pgn", "book.bin"],
        2,
        "`tabia book novelty games.pgn --book book.bin`",
    ),
    (
        &["novelty", "games.pgn"],
        2,
        "for example `tabia novelty twic.pgn --base mega.cbh`",
    ),
    (
        &["repair", "games.cbh"],
        2,
        "`tabia repair games.cbh -o saved-games.cbh`",
    ),
    (
        &["edit", "games.cbh", "--delete", "1"],
        2,
        "`tabia edit games.cbh --delete 1 -o new-games.cbh`",
    ),
    (
        &["convert", "games.pgn", "--split", "2"],
        2,
        "`tabia convert games.pgn --split 2 -o new-games.pgn`",
    ),
    (
        &["archive", "create", "games.cbh"],
        2,
        "`tabia archive create games.cbv games.cbh`",
    ),
    (
        &["archive", "create", "games.pgn"],
        2,
        "`tabia archive create games.zip games.pgn`",
    ),
    (
        &["archive", "create", "pack.zip"],
        2,
        "for example `tabia archive create mega.cbv mega.cbh`",
    ),
    (&["completions"], 2, "for example `tabia completions bash"),
    (&["index"], 2, "for example `tabia index "),
    (
        &["book", "edit", "book.bin", "--remove", "c5"],
        2,
        "`--move c5` names the move to change",
    ),
    (
        &["book", "edit", "book.bin", "--list"],
        2,
        "`tabia book edit BOOK` lists all moves",
    ),
    (
        &["book", "tree", "book.bin"],
        2,
        "`tabia book find` does that",
    ),
    (
        &["book", "random", "book.bin"],
        2,
        "`tabia book line` does that",
    ),
    (
        &["book", "list", "x.bin"],
        2,
        "`tabia book edit BOOK` does that",
    ),
    (
        &["archive", "ls", "x.cbv"],
        2,
        "`tabia archive list` does that",
    ),
    (
        &["diff", "games.pgn"],
        2,
        "`tabia dedupe FIRST SECOND --dry-run`",
    ),
    (&["help", "queries"], 2, "`tabia help search` does that"),
    (
        &["convert", "games.pgn", "-o", "study-{n}.pgn"],
        2,
        "`-o study.pgn --split 64` writes study-0001.pgn",
    ),
    (
        &[
            "convert",
            "games.pgn",
            "-o",
            "{player}.cbh",
            "--split-by",
            "player",
        ],
        2,
        "`-o games.cbh --split-by player` writes games-NAME.cbh",
    ),
    (
        &["convert", "games.pgn", "-o", "out/", "--split-by", "year"],
        2,
        "`-o out/games.pgn --split-by year` writes out/games-2024.pgn",
    ),
    (
        &["convert", "games.pgn", "-o", "no/such/x.pgn"],
        5,
        "no/such` makes the folder",
    ),
    (
        &["convert", "games.pgn", "-o", "x.scid"],
        2,
        "`-o x.si5` writes a Scid database",
    ),
    (
        &["convert", "games.pgn", "--to", "lichess"],
        2,
        "`--profile lichess`",
    ),
    (
        &["convert", "book.bin", "-o", "book.pgn"],
        2,
        "`tabia book convert book.bin -o book.pgn`",
    ),
    (
        &["archive", "extract", "pack.zip"],
        5,
        "`-d FOLDER` unpacks into another folder",
    ),
    (
        &["check", "games"],
        4,
        "`tabia info games.cbh` shows what the first of them is",
    ),
    (
        &["ls", "--", "-dash.pgn", "--limit"],
        4,
        "options come before it",
    ),
    (
        &["append", "games.pgn", "-o", "pack.zip:games.pgn"],
        2,
        "`tabia convert pack.zip -o ",
    ),
    (
        &["book", "explain", "book.bin"],
        1,
        "`tabia book explain book.bin FILE` searches",
    ),
    (
        &["show", "games.pgn", "2-3"],
        2,
        "`tabia show games.pgn --game 2-3` shows game 2-3",
    ),
    (
        &["show", "games.pgn", "carlsen"],
        2,
        "`tabia search games.pgn carlsen` finds games",
    ),
    (
        &["tree", "games.pgn", "--player", "carlsen"],
        2,
        "`--where 'player:",
    ),
    (
        &["convert", "games.pgn", "--eco", "B90"],
        2,
        "`--where 'eco:",
    ),
    (&["ls", "games.pgn", "--elo", "2700"], 2, "`--where 'elo:"),
    (
        &["search", "games.pgn", "x", "--white", "tal"],
        2,
        "in the query",
    ),
    (
        &["tree", "games.pgn", "--position", "e4"],
        2,
        "`--line '1.e4 c5'`",
    ),
    (&["index", "games.cbh", "--remove"], 2, "`.tidx`"),
    (&["ls", "games.pgn", "--head", "5"], 2, "`--limit N`"),
    (&["ls", "games.pgn", "--delimiter", ";"], 2, "`--csv`"),
    (&["ls", "games.pgn", "--unique"], 2, "`tabia dedupe IN`"),
    (&["ls", "games.pgn", "--jsonl"], 2, "`--ndjson`"),
    (&["ls", "games.pgn", "--count"], 2, "`tabia info IN`"),
    (&["convert", "games.pgn", "--jsonl"], 2, "`.ndjson`"),
    (
        &["ls", "games.pgn", "--where", "country:GER"],
        2,
        "`tag:WhiteFed=GER`",
    ),
    (
        &[
            "book",
            "merge",
            "book.bin",
            "book_0.kob",
            "--weights",
            "2,1",
        ],
        2,
        "`--factors 2,1`",
    ),
    (
        &["book", "merge", "-in1", "book.bin", "-o", "x.bin"],
        2,
        "`tabia book merge FIRST SECOND -o BOOK`",
    ),
    (
        &["book", "find", "book.bin", "--moves", "e4", "e5"],
        4,
        "`tabia book find book.bin --moves 'e4 e5'`",
    ),
    (
        &["book", "find", "book.bin", "--moves", "Qh5"],
        2,
        ", …; `--moves`",
    ),
    (
        &["book", "line", "book.bin", "--color", "white"],
        2,
        "that of the output",
    ),
    (&["eco", "games.pgn", "--fill"], 2, "`--eco fill -o OUT`"),
    (
        &["convert", "games.cbh", "-o", "x.cbz"],
        2,
        "`tabia convert games.cbh -o x.cbh`, then `tabia archive create x.cbz x.cbh --password TEXT`",
    ),
    (
        &["search", "games.pgn", "eco:B20-B99"],
        2,
        "did you mean `eco:B20..B99`?",
    ),
    (
        &["book", "line", "book.bin", "e4"],
        2,
        "`tabia help book line`",
    ),
    (&["ls", "games.pgn", "--limit"], 2, "`--limit 20`"),
    (
        &["ls", "games.pgn", "--json", "--csv"],
        2,
        "`tabia help ls`",
    ),
    (
        &["ls", "games.pgn", "--limit", "1", "--limit", "2"],
        2,
        "`tabia help ls`",
    ),
    (
        &["--limit", "3", "ls", "games.pgn"],
        2,
        "`tabia ls games.pgn --limit 20`",
    ),
    (
        &["book", "build", "games.pgn", "out.bin"],
        2,
        "`tabia book build games.pgn -o out.bin`",
    ),
    (
        &["book", "build", "games.pgn", "book.bin"],
        2,
        "`tabia book build games.pgn -o book.bin --force`",
    ),
    (
        &["make-book", "-pgn=games.pgn", "-bin=new.bin", "-min-game=1"],
        2,
        "`tabia book build games.pgn --output new.bin --min-games 1`",
    ),
    (
        &[
            "merge-book",
            "-in1",
            "book.bin",
            "-in2",
            "book_0.kob",
            "-out",
            "all.bin",
        ],
        2,
        "`tabia book merge book.bin book_0.kob -o all.bin`",
    ),
    (
        &["dump-book", "-bin=book.bin", "-color", "white"],
        2,
        "`tabia book edit book.bin --csv`",
    ),
    (
        &["book", "query", "book.bin"],
        2,
        "`tabia book find` does that",
    ),
    (
        &["book.bin"],
        2,
        "`tabia info book.bin` describes it, `tabia book find book.bin`",
    ),
    (&["games.pgn"], 2, "`tabia info games.pgn`"),
    (&["book", "line", "book.bin", "--random"], 2, "`--seed N`"),
    (
        &["book", "find", "book.bin", "--random"],
        2,
        "`tabia book line BOOK`",
    ),
    (
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "new.bin",
            "--min-elo",
            "2500",
        ],
        2,
        "`--where 'elo:>=N'`",
    ),
    (
        &[
            "book",
            "build",
            "games.pgn",
            "-o",
            "new.bin",
            "--min-weight",
            "5",
        ],
        2,
        "`--min-games N`",
    ),
    (
        &[
            "book",
            "merge",
            "book.bin",
            "-o",
            "new.bin",
            "--min-weight",
            "5",
        ],
        2,
        "`tabia book edit BOOK --csv`",
    ),
    (
        &["show", "games.pgn", "-g", "1", "--board", "4"],
        2,
        "`tabia show games.pgn -g 1 --board=4`",
    ),
    (
        &["tree", "games.pgn", "--line", "e4 e5 Sf3"],
        2,
        "`--line 'e4 e5 Nf3'`",
    ),
    (
        &[
            "tree",
            "games.pgn",
            "--fen",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        ],
        2,
        "`--fen 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -'`",
    ),
    (
        &[
            "tree",
            "games.pgn",
            "--fen",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w",
        ],
        2,
        "`w KQkq` all of them",
    ),
    (
        &["ls", "games.pgn", "--where", "player:/[/"],
        2,
        "`player:` takes text",
    ),
    (
        &["ls", "games.pgn", "--where", "player:'tal, m'"],
        1,
        "did you mean `player:\"tal, m\"`?",
    ),
];

/// The same of damaged files.
const DAMAGED_CASES: &[(&[&str], i32, &str)] = &[
    (
        &["info", "short.ctg"],
        4,
        "copy or download it again from where it came from; `tabia info .`",
    ),
    (&["info", "short.abk"], 4, "`tabia info .`"),
    (&["info", "empty.cbh"], 4, "`tabia info .`"),
    (
        &["info", "bad.zip"],
        4,
        "copy or download it again from where it came from",
    ),
    (
        &["check", "three.zip"],
        3,
        "`tabia info three.zip:two.zip:pack.zip` shows",
    ),
    (
        &["show", "pack.zip:nothing", "-g", "1"],
        4,
        "`tabia archive list pack.zip`",
    ),
    (
        &["archive", "extract", "pack.zip", "nothing"],
        4,
        "`tabia archive list pack.zip`",
    ),
    (&["info", "words.txt"], 4, "`--from pgn` reads it"),
    (
        &["ls", "stream.arrow"],
        4,
        "name the database that it was made of",
    ),
    (
        &["ls", "games.csv"],
        4,
        "name the database that it was made of",
    ),
    (
        &["ls", "games.ndjson"],
        4,
        "name the database that it was made of",
    ),
    (&["info", "document.pdf"], 4, "not from what is printed"),
    (&["info", "rows.db3"], 4, "export its games"),
    (&["info", "zeros.dat"], 4, "`tabia info .`"),
];

type Case = (&'static [&'static str], i32, &'static str);

/// The cases with the folders that they need.
fn all_cases(name: &str) -> [(Scratch, &'static [Case]); 2] {
    let damaged = folder_with_damage(&format!("{name}-damaged"));
    [(folder(name), CASES), (damaged, DAMAGED_CASES)]
}

#[test]
fn every_error_names_the_next_step() {
    let cases = all_cases("hints");
    let cases = cases
        .iter()
        .flat_map(|(scratch, cases)| cases.iter().map(move |case| (scratch, case)));
    for (scratch, (arguments, code, expected)) in cases {
        let run = tabia(scratch, arguments).expect(*code);
        let hint = run.err.lines().find_map(|line| line.strip_prefix("hint: "));
        let hint = hint.unwrap_or_else(|| panic!("{arguments:?} has no hint:\n{}", run.err));
        assert_eq!(run.err.matches("hint: ").count(), 1, "{}", run.err);
        assert!(hint.contains(expected), "{arguments:?}:\n{}", run.err);
        assert!(!run.err.contains("--help'"), "{arguments:?}:\n{}", run.err);
    }
}

/// What is imported next to a database or a book, and cannot be read.
#[test]
fn unreadable_imports_name_the_next_step() {
    let scratch = folder("hints-imports");
    let edit = "`tabia book edit book.bin --csv > ";
    let names = "`tabia names games.pgn --tsv > ";
    fs::write(scratch.join("noise"), b"\xff\xfe\x00?").unwrap();
    fs::write(scratch.join("empty"), "").unwrap();
    fs::write(scratch.join("other"), "a,b\n1,2\n").unwrap();
    fs::write(scratch.join("bad"), "fen,move,weight\nx,e4,7\n").unwrap();
    fs::write(scratch.join("moves.csv"), "key,move\n").unwrap();
    fs::create_dir(scratch.join("below")).unwrap();
    for (file, code, rows) in [
        ("none", 4, "none`"),
        ("noise", 4, "new-moves.csv`"),
        ("empty", 4, "new-moves.csv`"),
        ("other", 4, "new-moves.csv`"),
        ("bad", 4, "new-moves.csv`"),
        ("below", 4, "new-moves.csv`"),
    ] {
        let args = ["book", "edit", "book.bin", "--import", file, "-o", "x.bin"];
        let err = tabia(&scratch, &args).expect(code).err;
        assert!(
            err.contains(&format!("hint: {edit}{rows}")),
            "{file}: {err}"
        );
        assert!(
            err.contains(file) && err.matches("hint: ").count() == 1,
            "{file}: {err}"
        );
    }
    for (file, rows) in [
        ("none", "none`"),
        ("noise", "names.tsv`"),
        ("other", "names.tsv`"),
    ] {
        let args = ["names", "games.pgn", "--apply", file, "-o", "x.pgn"];
        let err = tabia(&scratch, &args).expect(4).err;
        assert!(
            err.contains(&format!("hint: {names}{rows}")),
            "{file}: {err}"
        );
    }
    for option in ["--spelling", "--fide"] {
        for file in ["none", "below"] {
            let err = tabia(&scratch, &["names", "games.pgn", option, file])
                .expect(4)
                .err;
            assert!(
                err.contains("hint: `tabia names games.pgn` compares"),
                "{option} {file}: {err}"
            );
        }
    }
    let args = [
        "edit",
        "games.cbh",
        "-o",
        "x.cbh",
        "--replace",
        "1",
        "--with",
    ];
    for file in ["none.pgn", "noise", "empty", "below"] {
        let run = tabia(&scratch, &[&args[..], &[file]].concat());
        assert!(run.code == 4 || run.code == 2, "{file}: {}", run.err);
        let hint = run.err.lines().find_map(|line| line.strip_prefix("hint: "));
        assert!(
            hint.is_some_and(|hint| hint.contains('`')),
            "{file}: {}",
            run.err
        );
    }
}

/// Whatever `--from` makes of a file that is something else.
#[test]
fn inputs_of_another_format_name_the_next_step() {
    let scratch = folder("hints-from");
    fs::write(scratch.join("noise"), b"\xff\xfe\x00?\x01\x02").unwrap();
    let formats = tabia(&scratch, &["formats", "--json"]).expect(0).json();
    let mut refused = 0;
    for format in formats.as_array().unwrap() {
        let id = format["id"].as_str().or(format["format"].as_str()).unwrap();
        for file in ["noise", "games.pgn", "games.cbh", "book.bin"] {
            let run = tabia(&scratch, &["check", "--from", id, file]);
            if !run.err.contains("error: ") {
                continue;
            }
            refused += 1;
            let hint = run.err.lines().find_map(|line| line.strip_prefix("hint: "));
            assert!(
                hint.is_some_and(|hint| hint.contains('`')),
                "{id} {file}: {}",
                run.err
            );
        }
    }
    assert!(refused > 20, "{refused}");
}

/// Whatever needs tables names how to get a program that has them, and nothing else.
#[test]
#[cfg(not(feature = "parquet"))]
fn a_program_without_tables_names_how_to_get_them() {
    let scratch = folder("hints-tables");
    fs::write(scratch.join("x.parquet"), "PAR1????").unwrap();
    let expected = "hint: this program was built without tables; `cargo install --path crates/cli \
                    --features parquet` builds it with them (docs/guide/columns.md)";
    for (arguments, code) in [
        ("convert games.pgn -o b.parquet", 2),
        ("convert games.pgn -o b.parquet.zst", 2),
        ("convert games.pgn -o b.arrow", 2),
        ("convert games.pgn -o b.feather", 2),
        ("convert games.pgn --to parquet", 2),
        ("convert games.pgn --to arrow -o b", 2),
        ("convert games.pgn -o b.pgn --table positions", 2),
        ("convert games.pgn -o b.pgn --columns white,black", 2),
        ("convert games.pgn -o b.pgn --plies 1..20", 2),
        ("convert games.pgn -o b.pgn --with-pgn full", 2),
        ("convert games.pgn -o b.pgn --shards 2", 2),
        ("formats --schema games", 2),
        ("book build games.pgn -o rows.parquet", 2),
        ("book convert book.bin -o rows.parquet", 2),
        ("book convert book.bin -o rows --to parquet", 2),
        ("book from-parquet x.parquet -o b.bin", 2),
        ("ls x.parquet", 4),
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let run = tabia(&scratch, &words).expect(code);
        assert!(run.err.contains(expected), "{arguments}: {}", run.err);
        assert!(!run.err.contains("tabia help"), "{arguments}: {}", run.err);
    }
    let run = tabia(&scratch, &["convert", "games.pgn", "-o", "folder/"]).expect(2);
    assert!(run.err.contains("`-o folder/games.pgn`"), "{}", run.err);
    assert!(run.err.contains("--features parquet"), "{}", run.err);
}

#[test]
fn numbers_beyond_the_last_game_are_compared_with_it() {
    let scratch = folder("hints-numbers");
    for (file, last) in [("games.pgn", 3), ("games.cbh", 3), ("pack.zip", 3)] {
        let run = tabia(&scratch, &["show", file, "--game", "4-7"]).expect(4);
        let expected = format!("there are no games 4-7; the last one is {last}");
        assert!(run.err.contains(&expected), "{file}: {}", run.err);
    }
    fs::write(scratch.join("none.pgn"), "").unwrap();
    let run = tabia(&scratch, &["show", "none.pgn"]).expect(4);
    assert!(run.err.contains("it has no games"), "{}", run.err);
}

/// Verbs that read games take them from a pipe if no path is given.
#[test]
fn a_pipe_needs_no_path() {
    let scratch = folder("hints-pipe");
    for (arguments, code) in [
        (&["ls"][..], 0),
        (&["info"], 0),
        (&["check"], 0),
        (&["show"], 0),
        (&["convert"], 0),
        (&["eco"], 0),
        (&["tree"], 0),
        (&["stats", "--by", "year"], 0),
        (&["names"], 1),
        (&["novelty", "--base", "games.cbh"], 0),
        (&["search", "player:carlsen"], 0),
        (&["book", "build", "-o", "piped.bin", "--min-games", "1"], 0),
        (&["book", "novelty", "--book", "book.bin"], 0),
    ] {
        let run = tabia_with_input(&scratch, arguments, GAMES.as_bytes());
        assert_eq!(run.code, code, "{arguments:?}: {}", run.err);
    }
    for arguments in [&["dedupe", "--dry-run"][..], &["append", "-o", "games.cbh"]] {
        let run = tabia_with_input(&scratch, arguments, GAMES.as_bytes()).expect(2);
        assert!(run.err.contains("save standard input"), "{}", run.err);
    }
}

/// `check` names how to save what is left of a damaged database.
#[test]
fn check_names_the_repair() {
    let scratch = folder("hints-check");
    fs::write(scratch.join("bad.pgn"), "[White \"A\"]\n\n1. e4 Qh9 *\n").unwrap();
    let run = tabia(&scratch, &["check", "bad.pgn"]).expect(3);
    let expected = "`tabia repair bad.pgn -o saved-bad.pgn`";
    assert!(run.err.contains(expected), "{}", run.err);
    tabia(&scratch, &["repair", "bad.pgn", "-o", "saved-bad.pgn"]).expect(3);
}

/// What a hint recommends works in the situation in which it is given.
#[test]
fn recommended_commands_exist() {
    let cases = all_cases("hints-verbs");
    let cases = cases
        .iter()
        .flat_map(|(scratch, cases)| cases.iter().map(move |case| (scratch, case)));
    for (scratch, (arguments, ..)) in cases {
        let err = tabia(scratch, arguments).err;
        for command in err
            .split('`')
            .filter_map(|part| part.strip_prefix("tabia "))
        {
            let words: Vec<&str> = command.split(' ').collect();
            let verb = match words.as_slice() {
                [first, ..] if first.starts_with('-') => continue,
                [first, second, ..] if second.starts_with('-') => &[*first],
                ["help", rest @ ..] => rest,
                ["book" | "archive", _, ..] => &words[..2],
                _ => &words[..1],
            };
            let help = [&["help"], verb].concat();
            tabia(scratch, &help).expect(0);
        }
    }
}

/// What is left of a database is saved under a name that can be written, whichever of its files was named.
#[test]
fn saved_databases_have_names_that_can_be_written() {
    let scratch = folder("hints-saved");
    fs::write(scratch.join("junk.cbh"), [0xa7; 3000]).unwrap();
    fs::copy(scratch.join("games.cbg"), scratch.join("junk.cbg")).unwrap();
    let run = tabia(&scratch, &["info", "junk.cbh"]).expect(4);
    let hint = "`tabia repair junk.cbh -o saved-junk.cbh`";
    assert!(run.err.contains(hint), "{}", run.err);
    let (lone, other) = (scratch.join("lone.cbg"), scratch.join("book.kin"));
    fs::copy(scratch.join("games.cbg"), lone).unwrap();
    let run = tabia(&scratch, &["check", "lone.cbg"]).expect(4);
    let command = ["repair", "lone.cbg", "-o", "saved-lone.cbh"];
    let quoted = format!("`tabia {}`", command.join(" "));
    assert!(run.err.contains(&quoted), "{}", run.err);
    tabia(&scratch, &command).expect(3);
    // Books are not repaired.
    assert!(other.exists());
    fs::remove_file(scratch.join("book_0.kob")).unwrap();
    let run = tabia(&scratch, &["info", "book.kin"]).expect(4);
    assert!(run.err.contains("`tabia info .`"), "{}", run.err);
    assert!(!run.err.contains("repair"), "{}", run.err);
}

/// A recommended command without words to be replaced does what it should when it is copied.
#[test]
#[cfg(unix)]
fn recommended_commands_run() {
    let cases = all_cases("hints-run").map(|(scratch, cases)| {
        let before = scratch.files();
        (scratch, before, cases)
    });
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tabia"));
    let mut folders = vec![program.parent().unwrap().to_path_buf()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(folders).unwrap();
    let mut ran = 0;
    let cases = cases
        .iter()
        .flat_map(|(scratch, before, cases)| cases.iter().map(move |case| (scratch, before, case)));
    for (scratch, before, (arguments, ..)) in cases {
        scratch.restore(before);
        let err = tabia(scratch, arguments).err;
        let parts: Vec<&str> = err.split('`').collect();
        // Examples name files that are not there.
        let pairs = parts
            .windows(2)
            .filter(|pair| !pair[0].ends_with("for example "));
        let commands = pairs.map(|pair| pair[1]);
        for command in commands.filter(|part| part.starts_with("tabia ")) {
            let words: Vec<&str> = command.split(' ').collect();
            let is_open = |word: &&str| {
                let word = word.trim_end_matches("/*");
                word == "-" || word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase())
            };
            let has_input = words.iter().any(|word| word.contains('.'));
            let is_example = |word: &&str| word.starts_with("mega.") || word.starts_with("twic.");
            let is_incomplete = words.iter().any(|word| is_open(word) || is_example(word));
            if !has_input || words.contains(&"lines.pgn") || is_incomplete {
                continue;
            }
            let mut shell = std::process::Command::new("sh");
            let shell = shell.current_dir(scratch.path()).env("PATH", &path);
            let output = shell.args(["-c", command]).output().unwrap();
            let code = output.status.code();
            // Of what is not there or damaged, nothing is found or saved; noise is no database.
            let is_noise = ["tabia repair noise.", "tabia repair bad."]
                .iter()
                .any(|start| command.starts_with(start));
            let is_done = matches!(code, Some(0 | 1 | 3)) || is_noise && code == Some(4);
            assert!(is_done, "{arguments:?}: {command}: {output:?}");
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran} commands");
}

/// Reasons of values are words of the other messages.
#[test]
fn reasons_of_values_are_in_plain_words() {
    let scratch = folder("hints-values");
    for (arguments, reason) in [
        (
            &["ls", "games.pgn", "--limit", "x"][..],
            ": a whole number\n",
        ),
        (
            &["ls", "games.pgn", "-j", "0"],
            ": a whole number from 1 to 1024\n",
        ),
        (
            &["convert", "games.pgn", "-o", "x.pgn", "--split", "0"],
            ": at least 1\n",
        ),
        (
            &["convert", "games.pgn", "-o", "x.pgn", "--split-by", "x"],
            ": one of event, eco, player, year\n",
        ),
        (
            &[
                "book",
                "build",
                "games.pgn",
                "-o",
                "x.bin",
                "--recency",
                "x",
            ],
            ": a number\n",
        ),
    ] {
        let run = tabia(&scratch, arguments).expect(2);
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
}

/// Games whose numbers are beyond the last one are reported as absent.
#[test]
fn a_list_of_absent_numbers_has_an_exit_code() {
    let scratch = folder("hints-absent");
    tabia(&scratch, &["ls", "games.pgn", "--games", "500-600"]).expect(1);
    let convert = ["convert", "games.pgn", "--games", "500-600", "-o", "x.pgn"];
    let run = tabia(&scratch, &convert).expect(1);
    assert!(
        run.err.contains("there are no games 500-600"),
        "{}",
        run.err
    );
    let convert = [
        "convert",
        "games.pgn",
        "--where",
        "player:zzz",
        "-o",
        "y.pgn",
    ];
    let run = tabia(&scratch, &convert).expect(1);
    assert!(run.err.contains("no game fits the query"), "{}", run.err);
}

/// A recommended command can be copied into a shell whatever the name of the file.
#[test]
#[cfg(unix)]
fn file_names_in_hints_are_quoted() {
    let scratch = folder("hints-quoted");
    fs::write(scratch.join("my games.cbh"), "?").unwrap();
    fs::write(scratch.join("my games.cbg"), "?").unwrap();
    fs::write(scratch.join("Tal's.pgn"), "[White \"A\"]\n\n1. e4 *\n").unwrap();
    for (args, expected) in [
        (
            &["info", "my games.cbh"][..],
            "`tabia repair 'my games.cbh' -o 'saved-my games.cbh'`",
        ),
        (
            &["book", "find", "Tal's.pgn"],
            "`tabia book build 'Tal'\\''s.pgn' -o BOOK`",
        ),
        (
            &["convert", "Tal's.pgn", "-o", "my book.bin"],
            "`tabia book build 'Tal'\\''s.pgn' -o 'my book.bin'`",
        ),
    ] {
        let run = tabia(&scratch, args);
        assert!(run.err.contains(expected), "{args:?}: {}", run.err);
    }
}

/// Only a command that adds to a file is asked to do without.
#[test]
fn append_is_mentioned_where_it_is_given() {
    let scratch = folder("hints-append");
    let append = ["convert", "games.pgn", "-o", "new.cbh", "--append"];
    let run = tabia(&scratch, &append).expect(5);
    assert!(run.err.contains("without `--append`"), "{}", run.err);
    let run = tabia(&scratch, &["convert", "games.pgn", "-o", "no/new.pgn"]).expect(5);
    assert!(run.err.contains("`mkdir"), "{}", run.err);
}

/// What people try who know it from other programs does what they mean.
#[test]
fn folders_may_be_named_as_outputs() {
    let scratch = folder("hints-folders");
    for option in ["-o", "--output", "-d", "--directory"] {
        let name = format!("x{option}");
        let args = ["archive", "extract", "pack.zip", option, &name];
        tabia(&scratch, &args).expect(0);
        assert!(scratch.join(&name).join("games.pgn").exists(), "{option}");
        let name = format!("man{option}");
        tabia(&scratch, &["man", option, &name]).expect(0);
        assert!(scratch.join(&name).join("tabia-ls.1").exists(), "{option}");
    }
}

/// Pages of verbs have the version at their foot as that of the program has, and no option that verbs lack.
#[test]
fn manual_pages_have_the_version() {
    let scratch = Scratch::new("hints-man");
    let page = tabia(&scratch, &["man", "convert"]).expect(0).out;
    let title = format!(
        ".TH tabia-convert 1  \"tabia-convert {}\"",
        env!("CARGO_PKG_VERSION")
    );
    assert!(page.contains(&title), "{page}");
    assert!(!page.contains("\\-\\-version"), "{page}");
}

/// One file of a database through a pipe is not the database.
#[test]
fn a_pipe_with_one_file_of_a_set_names_the_file_instead() {
    let scratch = folder("hints-piped-set");
    let index = fs::read(scratch.join("games.cbh")).unwrap();
    for args in [&["ls"][..], &["ls", "-"], &["convert"], &["check"]] {
        let run = tabia_with_input(&scratch, args, &index).expect(3);
        let hint = "hint: a ChessBase database is several files, and standard input has one of them: \
                    `tabia info games.cbh`, for example, reads all\n";
        assert_eq!(run.err.matches(hint).count(), 1, "{args:?}: {}", run.err);
    }
    let run = tabia_with_input(&scratch, &["ls"], GAMES.as_bytes()).expect(0);
    assert_eq!(run.err, "");
}

/// What came through a pipe has no name that a command could take, and an archive is complete by itself.
#[test]
fn hints_name_no_file_in_a_pipe() {
    let scratch = crate::common::with_sample("hints-piped-archive");
    tabia(&scratch, &["archive", "create", "mega.cbv", "mega.cbh"]).expect(0);
    let whole = fs::read(scratch.join("mega.cbv")).unwrap();
    for args in [&["ls"][..], &["check", "-"], &["convert", "-"]] {
        let run = tabia_with_input(&scratch, args, &whole);
        assert!(!run.err.contains("several files"), "{args:?}: {}", run.err);
    }
    let cut = crate::repair_all::zip(&[("cut.cbv", &whole[..whole.len() / 2])]);
    for (args, problem) in [
        (&["ls"][..], "members are missing"),
        (&["ls", "-"], "members are missing"),
        (&["info", "-"], "members are missing"),
        (&["check", "-"], "members are missing"),
    ] {
        let run = tabia_with_input(&scratch, args, &cut);
        assert!(run.code == 3 || run.code == 4, "{args:?}: {}", run.err);
        assert!(run.err.contains(problem), "{args:?}: {}", run.err);
        let hints = run.err.lines().filter(|line| line.starts_with("hint: "));
        for hint in hints {
            let names_pipe = hint.contains("-:") || hint.contains("./-");
            assert!(!names_pipe, "{args:?}: {hint}");
        }
    }
}

/// Numbers agree with their nouns.
#[test]
fn one_is_singular() {
    let scratch = folder("hints-one");
    let run = tabia(&scratch, &["info", "noise.cbh"]).expect(4);
    assert!(run.err.contains("the file has 1 byte,"), "{}", run.err);
    fs::write(scratch.join("empty.cbh"), "").unwrap();
    let run = tabia(&scratch, &["info", "empty.cbh"]).expect(4);
    let text = "error: empty.cbh: not in the cbh format: the file is empty\n";
    assert!(run.err.contains(text), "{}", run.err);
    let one = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n";
    fs::write(scratch.join("one.pgn"), one).unwrap();
    let run = tabia(&scratch, &["dedupe", "one.pgn", "one.pgn", "--dry-run"]);
    assert!(run.out.contains("the same 1 ply"), "{}{}", run.out, run.err);
}

/// A server's answer that was saved under the name of a database.
#[test]
fn web_pages_are_named_as_such() {
    let scratch = Scratch::new("hints-page");
    for page in ["<!DOCTYPE html>\n<p>404", "\n<HTML><body>1. e4</body>"] {
        fs::write(scratch.join("games.pgn"), page).unwrap();
        let run = tabia(&scratch, &["check", "games.pgn"]).expect(3);
        assert!(
            run.err.contains("a web page (HTML), which has no games"),
            "{}",
            run.err
        );
    }
    let run = tabia(&scratch, &["info", "games.pgn"]).expect(3);
    assert!(!run.err.contains("repair"), "{}", run.err);
    fs::write(scratch.join("games.pgn"), "<b>1. e4</b>\n").unwrap();
    let run = tabia(&scratch, &["check", "games.pgn"]).expect(3);
    assert!(
        run.err.contains("text that belongs to no game"),
        "{}",
        run.err
    );
}

/// What an append would do is stated before it is done.
#[test]
fn a_trial_of_an_append_counts_what_is_new() {
    let scratch = folder("hints-append-trial");
    let new = format!("{GAMES}[White \"Tal\"]\n[Black \"X\"]\n\n1. e4 e5 2. f4 *\n");
    fs::write(scratch.join("new.pgn"), new).unwrap();
    let args = ["append", "new.pgn", "-o", "games.cbh", "--dry-run"];
    let run = tabia(&scratch, &args).expect(0);
    assert!(
        run.err.contains("1 game would be added to games.cbh"),
        "{}",
        run.err
    );
    let run = tabia(&scratch, &args[..4]).expect(0);
    assert!(run.err.contains("1 game to games.cbh"), "{}", run.err);
}

/// A guiding text is no game.
#[test]
fn a_trial_of_an_append_counts_texts_apart() {
    let scratch = crate::common::with_sample("hints-append-texts");
    fs::write(scratch.join("base.pgn"), GAMES).unwrap();
    let args = ["append", "mega.cbh", "-o", "base.pgn", "--dry-run"];
    let run = tabia(&scratch, &args).expect(0);
    let counts = "7 games and 1 text would be added to base.pgn";
    assert!(run.err.contains(counts), "{}", run.err);
}

/// Comments in a language that was asked for are left out only next to one that comes before it.
#[test]
fn comments_that_are_left_out_have_a_reason() {
    let scratch = crate::common::with_sample("hints-languages");
    let args = ["convert", "mega.cbh", "-o", "a.pgn", "--language", "de,en"];
    let run = tabia(&scratch, &args).expect(0);
    let reason =
        "3 comments in en left out, where there is one in a language before it in `--language`\n";
    assert!(run.err.contains(reason), "{}", run.err);
    let args = ["convert", "mega.cbh", "-o", "b.pgn", "--language", "de"];
    let run = tabia(&scratch, &args).expect(0);
    assert!(
        run.err.contains("14 comments in en left out\n"),
        "{}",
        run.err
    );
}

#[test]
fn hints_to_save_what_is_left_work() {
    let scratch = Scratch::new("hints-saved");
    let cut = "[White \"A\"]\n\n1. e4 Ke4 *\n";
    fs::write(scratch.join("-rf.pgn"), cut).unwrap();
    let check = |name: &str| tabia(&scratch, &["check", name]).expect(3).err;
    let err = check("./-rf.pgn");
    assert!(
        err.contains("`tabia repair ./-rf.pgn -o saved--rf.pgn` saves"),
        "{err}"
    );
    // What is left is written without compression.
    tabia(&scratch, &["convert", "./-rf.pgn", "-o", "two.pgn"]);
    fs::write(scratch.join("many.pgn"), many_games(3000)).unwrap();
    tabia(&scratch, &["convert", "many.pgn", "-o", "many.pgn.gz"]).expect(0);
    let bytes = fs::read(scratch.join("many.pgn.gz")).unwrap();
    fs::write(scratch.join("cut.pgn.gz"), &bytes[..bytes.len() / 2]).unwrap();
    let err = check("cut.pgn.gz");
    assert!(
        err.contains("`tabia repair cut.pgn.gz -o saved-cut.pgn` saves"),
        "{err}"
    );
    tabia(&scratch, &["repair", "cut.pgn.gz", "-o", "saved-cut.pgn"]).expect(3);
    // Nothing is left of a text without games.
    fs::write(scratch.join("json.pgn"), "{\"games\":[]}\n").unwrap();
    let run = tabia(&scratch, &["check", "json.pgn"]);
    assert!(!run.err.contains("tabia repair"), "{}", run.err);
    // The password goes along.
    tabia(&scratch, &["convert", "many.pgn", "-o", "base.cbh"]).expect(0);
    let create = [
        "archive",
        "create",
        "base.cbz",
        "base.cbh",
        "--password",
        "x",
    ];
    tabia(&scratch, &create).expect(0);
    let bytes = fs::read(scratch.join("base.cbz")).unwrap();
    fs::write(scratch.join("cut.cbz"), &bytes[..bytes.len() * 3 / 4]).unwrap();
    let run = tabia(&scratch, &["check", "cut.cbz", "--password", "x"]).expect(3);
    assert!(run.err.contains(" --password TEXT` "), "{}", run.err);
}

#[test]
fn converting_a_damaged_database_names_repair() {
    let scratch = folder("hints-convert");
    tabia(&scratch, &["convert", "games.pgn", "-o", "base.si4"]).expect(0);
    let bytes = fs::read(scratch.join("base.si4")).unwrap();
    fs::write(scratch.join("base.si4"), &bytes[..bytes.len() - 20]).unwrap();
    let run = tabia(&scratch, &["convert", "base.si4", "-o", "out.pgn"]).expect(3);
    let hint = "`tabia repair base.si4 -o saved-base.si4` saves what is left";
    assert!(run.err.contains(hint), "{}", run.err);
    let salvage = [
        "convert",
        "games.pgn",
        "-o",
        "base.si4",
        "--append",
        "--salvage",
    ];
    let run = tabia(&scratch, &salvage).expect(2);
    assert!(
        run.err
            .contains("`--salvage` does not replace a Scid 4 database")
            && run
                .err
                .contains("`tabia repair base.si4 -o NEW` makes a new one"),
        "{}",
        run.err
    );
}

/// Of a group of options only those that were given are in the way.
#[test]
fn conflicts_name_what_was_given() {
    let scratch = folder("hints-conflicts");
    for (given, other) in [("--json", "`--json`"), ("-oo.pgn", "`--output <OUT>`")] {
        let args = ["search", "games.pgn", "tal", "--count", given];
        let run = tabia(&scratch, &args).expect(2);
        let text = format!("error: `--count` cannot be combined with {other}\n");
        let turned = format!("error: {other} cannot be combined with `--count`\n");
        assert!(
            run.err.contains(&text) || run.err.contains(&turned),
            "{}",
            run.err
        );
    }
}

/// What is searched as typed, and hardly meant so.
#[test]
fn names_without_quotation_marks_are_noticed() {
    let scratch = folder("hints-names");
    let run = tabia(&scratch, &["search", "games.pgn", "Adams,Mi"]).expect(1);
    let expected = "`Adams,Mi` fits either of the two; did you mean `\"Adams,Mi\"`?";
    assert!(run.err.contains(expected), "{}", run.err);
}
