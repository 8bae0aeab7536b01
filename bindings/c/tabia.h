/*
 * The interface of libtabia. Made by cbindgen from bindings/c/src: change it there.
 *
 * Text is UTF-8 and ends with a zero byte. A function with a parameter `error` returns NULL or false
 * when it fails, and then stores an error there, which the caller frees; `error` may be NULL. What a
 * handle returns lives as long as the handle, what a visitor gets as long as the call. A handle may be
 * used by several threads, and closed when none uses it.
 */

#ifndef TABIA_H
#define TABIA_H

#include <stdbool.h>
#include <stdint.h>

/** A stream of tables, as the C stream interface of Arrow defines it; its consumers have the definition. */
struct ArrowArrayStream;

/**
 * What a clock states.
 */
typedef enum {
  /**
   * Time left after the move.
   */
  TABIA_CLOCK_LEFT = 1,
  /**
   * Time spent on the move.
   */
  TABIA_CLOCK_SPENT = 2,
  /**
   * Time spent in the game so far.
   */
  TABIA_CLOCK_GAME = 3,
  /**
   * Reading of a mechanical clock.
   */
  TABIA_CLOCK_MECHANICAL = 4,
} tabia_clock_kind;

/**
 * The kinds of errors.
 */
typedef enum {
  /**
   * The call cannot be carried out as it is.
   */
  TABIA_USAGE = 1,
  /**
   * There is no such file.
   */
  TABIA_NOT_FOUND = 2,
  /**
   * The input cannot be read as what it is.
   */
  TABIA_DAMAGED = 3,
  /**
   * Nothing here reads or writes this.
   */
  TABIA_UNSUPPORTED = 4,
  /**
   * The system refused something.
   */
  TABIA_IO = 5,
  /**
   * The target exists.
   */
  TABIA_EXISTS = 6,
  /**
   * A defect of tabia.
   */
  TABIA_BUG = 7,
} tabia_error_kind;

/**
 * An opening book.
 */
typedef struct tabia_book tabia_book;

/**
 * A database; several if an archive or a folder was opened.
 */
typedef struct tabia_database tabia_database;

/**
 * Why a function failed.
 */
typedef struct tabia_error tabia_error;

/**
 * The problems and losses of a job. It is filled while the job runs, also by its own threads, and may be read meanwhile.
 */
typedef struct tabia_report tabia_report;

/**
 * Games that are being written to a new file.
 */
typedef struct tabia_writer tabia_writer;

/**
 * A move of a book. Numbers that the book does not store are -1.
 */
typedef struct {
  /**
   * The move in SAN.
   */
  const char *san;
  /**
   * The move in UCI notation.
   */
  const char *uci;
  /**
   * The stored weight.
   */
  int64_t weight;
  /**
   * Games in which the move was played.
   */
  int64_t games;
  /**
   * Games that White won.
   */
  int64_t white;
  /**
   * Games that were drawn.
   */
  int64_t draws;
  /**
   * Games that Black won.
   */
  int64_t black;
  /**
   * Probability with which a program plays the move, 0 to 1.
   */
  double probability;
} tabia_book_move;

/**
 * Gets a move of a book, which is never NULL. `context` is what `tabia_book_find` got.
 */
typedef void (*tabia_on_book_move)(void *context, const tabia_book_move *found);

/**
 * What a conversion did.
 */
typedef struct {
  /**
   * Games that were converted.
   */
  uint64_t games;
  /**
   * Guiding texts that were converted.
   */
  uint64_t texts;
  /**
   * Problems of the input.
   */
  uint64_t problems;
  /**
   * Items that the target cannot hold.
   */
  uint64_t losses;
} tabia_counts;

/**
 * How a database is converted. What is zero or NULL is as usual: set all of it to zero, then `size`, and what is to be
 * different. Versions to come add members at the end.
 */
typedef struct {
  /**
   * `sizeof(tabia_convert_options)`.
   */
  uintptr_t size;
  /**
   * The format; that of the extension of the target if NULL.
   */
  const char *to;
  /**
   * Which games: a query as of `tabia search`.
   */
  const char *query;
  /**
   * Which records, as `1-100,205`.
   */
  const char *games;
  /**
   * Their order, as `white,-date`.
   */
  const char *sort;
  /**
   * How much PGN shows: `standard`, `full`, `lichess`, `chessbase` or `seven`.
   */
  const char *profile;
  /**
   * The character set of the source, if it does not name its own.
   */
  const char *encoding;
  /**
   * The password of an archive.
   */
  const char *password;
  /**
   * Number of threads; one if 0.
   */
  uint32_t threads;
  /**
   * Whether an existing target is replaced.
   */
  bool force;
  /**
   * Whether games marked as deleted are converted too.
   */
  bool include_deleted;
} tabia_convert_options;

/**
 * An evaluation.
 */
typedef struct {
  /**
   * Hundredths of a pawn, or moves to mate; positive if White is better, or mates.
   */
  int32_t score;
  /**
   * Whether the score counts moves to mate.
   */
  bool is_mate;
  /**
   * Plies that were searched; -1 if unknown.
   */
  int32_t depth;
} tabia_evaluation;

/**
 * Functions that get the parts of a game in the order of PGN. Each may be NULL: what it would get is then left out.
 * `false` ends the game. The texts and structures that the functions get are never NULL; `context` is what
 * `tabia_game_visit` got, NULL too.
 */
typedef struct {
  /**
   * A tag pair, before the moves.
   */
  bool (*tag)(void *context, const char *name, const char *value);
  /**
   * A move in SAN and in UCI notation.
   */
  bool (*ply)(void *context, const char *san, const char *uci);
  /**
   * A comment.
   */
  bool (*comment)(void *context, const char *text);
  /**
   * A numeric annotation glyph.
   */
  bool (*nag)(void *context, uint32_t nag);
  /**
   * A variation begins: an alternative to the last move. `false` leaves it out.
   */
  bool (*begin_variation)(void *context);
  /**
   * A variation ends.
   */
  void (*end_variation)(void *context);
  /**
   * Something in the game could not be read, and reading goes on; the error is not to be freed.
   */
  bool (*problem)(void *context, const tabia_error *problem);
  /**
   * The game ends with `1-0`, `0-1`, `1/2-1/2` or `*`.
   */
  void (*end_game)(void *context, const char *result);
  /**
   * A position as FEN: the one before the first move, after the tags, and the one after each move, also in
   * variations, before what is attached to the move.
   */
  bool (*position)(void *context, const char *fen);
  /**
   * An arrow in the position after the last move. The colour is a word as `green`, `#rrggbb`, or
   * `chessbase:` and its number there.
   */
  bool (*arrow)(void *context, const char *color, const char *from, const char *to);
  /**
   * A marked square in the position after the last move. The form is `square`, `circle`, `disk`, `frame`, or
   * a character for a letter on the square.
   */
  bool (*mark)(void *context, const char *form, const char *color, const char *square);
  /**
   * A time of the last move.
   */
  bool (*clock)(void *context, tabia_clock_kind kind, double seconds);
  /**
   * An evaluation of the position after the last move.
   */
  bool (*evaluation)(void *context, const tabia_evaluation *evaluation);
} tabia_visitor;

/**
 * What the target of a job cannot hold.
 */
typedef struct {
  /**
   * What is lost, as `convert --report` names it: `comments`.
   */
  const char *kind;
  /**
   * The same in words.
   */
  const char *label;
  /**
   * Number of items.
   */
  uint64_t count;
  /**
   * Number of games that lose some.
   */
  uint64_t games;
  /**
   * The first of these games, from 1; 0 if it is none of a game.
   */
  uint64_t first_game;
} tabia_loss;

/**
 * What is known of a record without its moves. Texts that are unknown are empty.
 */
typedef struct {
  /**
   * The number of the record, from 1.
   */
  uint64_t number;
  /**
   * The player with White; the title of a guiding text.
   */
  const char *white;
  /**
   * The player with Black.
   */
  const char *black;
  /**
   * The event.
   */
  const char *event;
  /**
   * The site: town or server.
   */
  const char *site;
  /**
   * The round.
   */
  const char *round;
  /**
   * The annotator.
   */
  const char *annotator;
  /**
   * The opening code, as stored.
   */
  const char *eco;
  /**
   * `1-0`, `0-1`, `1/2-1/2` or `*`.
   */
  const char *result;
  /**
   * The Elo of White; -1 if unknown.
   */
  int32_t white_elo;
  /**
   * The Elo of Black; -1 if unknown.
   */
  int32_t black_elo;
  /**
   * The year; 0 if unknown, as month and day.
   */
  int32_t year;
  /**
   * The month.
   */
  int32_t month;
  /**
   * The day.
   */
  int32_t day;
  /**
   * Plies of the mainline; -1 if the database does not store the number.
   */
  int64_t plies;
  /**
   * Whether it is marked as deleted.
   */
  bool is_deleted;
  /**
   * Whether it is a guiding text and no game.
   */
  bool is_text;
  /**
   * Whether it begins with a position of its own.
   */
  bool has_setup;
  /**
   * Whether it has variations.
   */
  bool has_variations;
  /**
   * Whether it has comments.
   */
  bool has_comments;
} tabia_header;

/**
 * Gets a record, which is never NULL; `false` ends the list. `context` is what `tabia_row` got.
 */
typedef bool (*tabia_on_header)(void *context, const tabia_header *header);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of this interface: functions are only ever added to a version.
 */
uint32_t tabia_abi_version(void);

/**
 * Stores in `stream` a table of a database: `games`, a row for each record, or `positions`, a row for each
 * move. `columns` are names of columns of `games` with commas between, `header` for those before the moves, or
 * NULL for the usual ones; `query` is a query as of `tabia search`, or NULL.
 *
 * The batches are read when the consumer asks for them. The stream is independent of the database, which
 * may be closed before; the consumer releases it by its `release`. Nothing is stored if it fails,
 * as it does with `TABIA_USAGE` if `database`, `table` or `stream` is NULL.
 *
 * # Safety
 * `database` is open or NULL; the texts end with a zero byte or are NULL; `stream` is NULL, or can be written
 * to and holds no stream that is not released; `error` is null or can be written to.
 */
bool tabia_arrow_stream(const tabia_database *database,
                        const char *table,
                        const char *columns,
                        const char *query,
                        struct ArrowArrayStream *stream,
                        tabia_error **error);

/**
 * As `tabia_arrow_stream`. The problems of the database and what the table cannot hold are added to `report`, if that is
 * not NULL: those of a batch before the consumer gets it.
 *
 * # Safety
 * As `tabia_arrow_stream`; `report` comes from `tabia_report_new` or is NULL.
 */
bool tabia_arrow_stream_with(const tabia_database *database,
                             const char *table,
                             const char *columns,
                             const char *query,
                             const tabia_report *report,
                             struct ArrowArrayStream *stream,
                             tabia_error **error);

/**
 * Opens an opening book; NULL if it fails.
 *
 * # Safety
 * `path` ends with a zero byte; `error` is null or can be written to.
 */
tabia_book *tabia_book_open(const char *path, tabia_error **error);

/**
 * Closes a book; NULL is ignored.
 *
 * # Safety
 * `book` comes from `tabia_book_open` and is not used again.
 */
void tabia_book_close(tabia_book *book);

/**
 * Calls `visit` with each move of a position, heaviest first. `position` is a FEN, or moves from the
 * standard position as `1. e4 c5`. A position that is not in the book has no moves. It fails with
 * `TABIA_USAGE` if `book`, `position` or `visit` is NULL; `context` may be NULL.
 *
 * # Safety
 * `book` is open or NULL, `position` ends with a zero byte or is NULL; `error` is null or can be written to.
 */
bool tabia_book_find(const tabia_book *book,
                     const char *position,
                     tabia_on_book_move visit,
                     void *context,
                     tabia_error **error);

/**
 * Converts a database to another format, which the extension of `target` names: `games.pgn`,
 * `mega.cbh`, `mega.si5`. `force` replaces an existing file. What was done is stored in `counts`, if that
 * is not NULL.
 *
 * # Safety
 * The texts end with a zero byte; `counts` and `error` are null or can be written to.
 */
bool tabia_convert(const char *source,
                   const char *target,
                   bool force,
                   tabia_counts *counts,
                   tabia_error **error);

/**
 * Converts a database as `tabia_convert` does, in the way that `options` states, if that is not NULL. The problems of
 * the source and what the target cannot hold are added to `report`, if that is not NULL. If a query or numbers choose no
 * game, nothing is written, and `counts` has none.
 *
 * # Safety
 * As `tabia_convert`; `options` is NULL, or has its size and texts that end with a zero byte or are NULL; `report` comes
 * from `tabia_report_new` or is NULL.
 */
bool tabia_convert_with(const char *source,
                        const char *target,
                        const tabia_convert_options *options,
                        const tabia_report *report,
                        tabia_counts *counts,
                        tabia_error **error);

/**
 * Opens games of any format: a file, a folder, an archive; NULL if it fails.
 *
 * # Safety
 * `path` ends with a zero byte; `error` is null or can be written to.
 */
tabia_database *tabia_open(const char *path, tabia_error **error);

/**
 * Opens games as `tabia_open` does, with the password of an archive and the character set of files that do not name
 * theirs; each may be NULL.
 *
 * # Safety
 * The texts end with a zero byte or are NULL; `error` is null or can be written to.
 */
tabia_database *tabia_open_with(const char *path,
                                const char *password,
                                const char *encoding,
                                tabia_error **error);

/**
 * Closes a database; NULL is ignored.
 *
 * # Safety
 * `database` comes from `tabia_open` and is not used again.
 */
void tabia_close(tabia_database *database);

/**
 * Number of records, guiding texts and deleted games too; 0 for NULL.
 *
 * # Safety
 * `database` is open or NULL.
 */
uint64_t tabia_len(const tabia_database *database);

/**
 * The short name of the format, `cbh` for example; empty for NULL.
 *
 * # Safety
 * `database` is open or NULL.
 */
const char *tabia_format(const tabia_database *database);

/**
 * Hands a record, counted from 1, to a visitor. `context` is passed to its functions, and may be NULL. It fails with
 * `TABIA_USAGE` if `database` or `visitor` is NULL; any function of the visitor may be NULL.
 *
 * # Safety
 * `database` is open or NULL; `visitor` is NULL, or has functions of these types or NULL; `error` is null or can be
 * written to.
 */
bool tabia_game_visit(const tabia_database *database,
                      uint64_t number,
                      const tabia_visitor *visitor,
                      void *context,
                      tabia_error **error);

/**
 * What kind of error it is; `TABIA_USAGE` for NULL.
 *
 * # Safety
 * `error` was stored by a function of this library and not freed, or is NULL.
 */
tabia_error_kind tabia_error_kind_of(const tabia_error *error);

/**
 * The error in words; it begins with the file, game and offset as far as they are known. Empty for NULL.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
const char *tabia_error_text(const tabia_error *error);

/**
 * The file with the error; NULL if it is of none, and for NULL.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
const char *tabia_error_path(const tabia_error *error);

/**
 * The number of the game with the error, from 1; 0 if it is of none, and for NULL.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
uint32_t tabia_error_game(const tabia_error *error);

/**
 * The offset of the error in its file, in bytes; -1 if unknown, and for NULL.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
int64_t tabia_error_offset(const tabia_error *error);

/**
 * Frees an error; NULL is ignored.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
void tabia_error_free(tabia_error *error);

/**
 * A report without problems and losses, which `tabia_report_free` frees.
 */
tabia_report *tabia_report_new(void);

/**
 * Number of problems; 0 for NULL.
 *
 * # Safety
 * `report` comes from `tabia_report_new` and is not freed, or is NULL.
 */
uint64_t tabia_report_problem_count(const tabia_report *report);

/**
 * A problem, counted from 0, which lives as long as the report; NULL if there is none, as after the first
 * hundred thousand, and for NULL.
 *
 * # Safety
 * As [`tabia_report_problem_count`].
 */
const tabia_error *tabia_report_problem(const tabia_report *report,
                                        uint64_t index);

/**
 * Number of kinds of losses; 0 for NULL.
 *
 * # Safety
 * As [`tabia_report_problem_count`].
 */
uint64_t tabia_report_loss_count(const tabia_report *report);

/**
 * Stores a kind of loss, counted from 0; its texts live as long as the report. False if there is none, and for NULL.
 *
 * # Safety
 * As [`tabia_report_problem_count`]; `loss` can be written to or is NULL.
 */
bool tabia_report_loss(const tabia_report *report,
                       uint64_t index,
                       tabia_loss *loss);

/**
 * Frees a report; NULL is ignored. A stream that fills it may still be read.
 *
 * # Safety
 * As [`tabia_report_problem_count`]; it is not used again.
 */
void tabia_report_free(tabia_report *report);

/**
 * Calls `visit` with what is known of `count` records without their moves, the first of which has the number `first`
 * from 1; fewer if the database ends before. It fails at a record that cannot be read,
 * and with `TABIA_USAGE` if `database` or `visit` is NULL; `context` may be NULL.
 *
 * # Safety
 * `database` is open or NULL; `error` is null or can be written to.
 */
bool tabia_row(const tabia_database *database,
               uint64_t first,
               uint64_t count,
               tabia_on_header visit,
               void *context,
               tabia_error **error);

/**
 * Begins a file, whose name states its format: `games.pgn`, `mega.cbh`, `mega.si5`; NULL if it fails. `force` lets
 * it replace an existing one. It gets its name by `tabia_write_finish`; until then nothing of it is seen.
 *
 * # Safety
 * `path` ends with a zero byte; `error` is null or can be written to.
 */
tabia_writer *tabia_write_open(const char *path,
                               bool force,
                               tabia_error **error);

/**
 * Appends a record of a database, counted from 1; a guiding text is none that can be appended. Of what was done the
 * numbers of problems and losses are stored in `counts`, if that is not NULL: what could not be read of the
 * game, and what of it the file cannot hold. Nothing is written of a game if it fails, and others can follow. It fails with
 * `TABIA_USAGE` if `writer` or `database` is NULL.
 *
 * # Safety
 * `writer` and `database` are open or NULL; `counts` and `error` are null or can be written to.
 */
bool tabia_write_game(tabia_writer *writer,
                      const tabia_database *database,
                      uint64_t number,
                      tabia_counts *counts,
                      tabia_error **error);

/**
 * Appends the first game of a text in PGN. `counts` is as for `tabia_write_game`. It fails with `TABIA_USAGE` if
 * `writer` or `pgn` is NULL.
 *
 * # Safety
 * `writer` is open or NULL; `pgn` ends with a zero byte or is NULL; `counts` and `error` are null or can be written to.
 */
bool tabia_write_pgn(tabia_writer *writer,
                     const char *pgn,
                     tabia_counts *counts,
                     tabia_error **error);

/**
 * Completes the file, gives it its name, and frees the writer, also if it fails: there is no new file then.
 * It fails with `TABIA_USAGE` if `writer` is NULL.
 *
 * # Safety
 * `writer` comes from `tabia_write_open` and is not used again, or is NULL; `error` is null or can be written to.
 */
bool tabia_write_finish(tabia_writer *writer,
                        tabia_error **error);

/**
 * Frees a writer without a file; NULL is ignored.
 *
 * # Safety
 * `writer` comes from `tabia_write_open` and is not used again.
 */
void tabia_write_cancel(tabia_writer *writer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TABIA_H */
