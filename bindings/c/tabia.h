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
 * Gets a move of a book.
 */
typedef void (*tabia_on_book_move)(void *context, const tabia_book_move *found);

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
 * Functions that get the parts of a game in the order of PGN; any may be NULL. `false` ends the game.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of this interface: functions are only ever added to a version.
 */
uint32_t tabia_abi_version(void);

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
 * Stores in `stream` a table of a database: `games`, a row for each record, or `positions`, a row for each
 * move. `columns` are names of columns of `games` with commas between, `header` for those before the moves, or
 * NULL for the usual ones; `query` is a query as of `tabia search`, or NULL.
 *
 * The batches are read when the consumer asks for them. The stream is independent of the database, which
 * may be closed before; the consumer releases it by its `release`. Nothing is stored if it fails.
 *
 * # Safety
 * `database` is open; the texts end with a zero byte, `columns` and `query` may be null; `stream` can be
 * written to, and holds no stream that is not released; `error` is null or can be written to.
 */
bool tabia_arrow_stream(const tabia_database *database,
                        const char *table,
                        const char *columns,
                        const char *query,
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
 * standard position as `1. e4 c5`. A position that is not in the book has no moves.
 *
 * # Safety
 * `book` is open, `position` ends with a zero byte; `error` is null or can be written to.
 */
bool tabia_book_find(const tabia_book *book,
                     const char *position,
                     tabia_on_book_move visit,
                     void *context,
                     tabia_error **error);

/**
 * Opens games of any format: a file, a folder, an archive; NULL if it fails.
 *
 * # Safety
 * `path` ends with a zero byte; `error` is null or can be written to.
 */
tabia_database *tabia_open(const char *path, tabia_error **error);

/**
 * Closes a database; NULL is ignored.
 *
 * # Safety
 * `database` comes from `tabia_open` and is not used again.
 */
void tabia_close(tabia_database *database);

/**
 * Number of records, guiding texts and deleted games too.
 *
 * # Safety
 * `database` is open.
 */
uint64_t tabia_len(const tabia_database *database);

/**
 * The short name of the format, `cbh` for example.
 *
 * # Safety
 * `database` is open.
 */
const char *tabia_format(const tabia_database *database);

/**
 * Hands a record, counted from 1, to a visitor. `context` is passed to its functions.
 *
 * # Safety
 * `database` is open, `visitor` has functions of these types or NULL; `error` is null or can be written
 * to.
 */
bool tabia_game_visit(const tabia_database *database,
                      uint64_t number,
                      const tabia_visitor *visitor,
                      void *context,
                      tabia_error **error);

/**
 * What kind of error it is.
 *
 * # Safety
 * `error` was stored by a function of this library and not freed.
 */
tabia_error_kind tabia_error_kind_of(const tabia_error *error);

/**
 * The error in words; it begins with the file, game and offset as far as they are known.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
const char *tabia_error_text(const tabia_error *error);

/**
 * The file with the error; NULL if it is of none.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
const char *tabia_error_path(const tabia_error *error);

/**
 * The number of the game with the error, from 1; 0 if it is of none.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
uint32_t tabia_error_game(const tabia_error *error);

/**
 * The offset of the error in its file, in bytes; -1 if unknown.
 *
 * # Safety
 * As [`tabia_error_kind_of`].
 */
int64_t tabia_error_offset(const tabia_error *error);

/**
 * Frees an error; NULL is ignored.
 *
 * # Safety
 * As [`tabia_error_kind_of`], or NULL.
 */
void tabia_error_free(tabia_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TABIA_H */
