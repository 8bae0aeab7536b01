/* Calls each function with NULL: what fails returns its error, and nothing ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tabia.h"

static tabia_error *error;

static void check(bool holds, const char *what) {
    if (!holds) {
        printf("%s\n", what);
        exit(1);
    }
}

/* A function has failed, and its error names the argument. */
static void check_failed(bool result, const char *argument) {
    check(!result, "a call with NULL was carried out");
    check(error != NULL, "an error is missing");
    check(tabia_error_kind_of(error) == TABIA_USAGE, "the error is of another kind");
    printf("%s\n", tabia_error_text(error));
    check(strstr(tabia_error_text(error), argument) != NULL, "the error names another argument");
    tabia_error_free(error);
    error = NULL;
}

static bool on_header(void *context, const tabia_header *header) {
    (void)context;
    (void)header;
    return true;
}

static void on_move(void *context, const tabia_book_move *move) {
    (void)context;
    (void)move;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        return 2;
    }
    tabia_visitor visitor = {0};
    /* Nothing is stored in it. */
    _Alignas(16) char stream[64];

    check_failed(tabia_open(NULL, &error) != NULL, "text");
    check_failed(tabia_book_open(NULL, &error) != NULL, "text");
    check_failed(tabia_write_open(NULL, false, &error) != NULL, "text");
    check_failed(tabia_convert(NULL, argv[3], false, NULL, &error), "text");
    check_failed(tabia_convert(argv[1], NULL, false, NULL, &error), "text");

    check(tabia_len(NULL) == 0, "NULL has records");
    check(strcmp(tabia_format(NULL), "") == 0, "NULL has a format");
    check_failed(tabia_game_visit(NULL, 1, &visitor, NULL, &error), "database");
    check_failed(tabia_row(NULL, 1, 1, on_header, NULL, &error), "database");
    check_failed(tabia_arrow_stream(NULL, "games", NULL, NULL, (struct ArrowArrayStream *)stream, &error), "database");
    check_failed(tabia_arrow_stream_with(NULL, "games", NULL, NULL, NULL, (struct ArrowArrayStream *)stream, &error), "database");
    check_failed(tabia_convert_with(NULL, argv[3], NULL, NULL, NULL, &error), "text");
    check_failed(tabia_open_with(NULL, NULL, NULL, &error) != NULL, "text");
    check(tabia_report_problem_count(NULL) == 0, "NULL has problems");
    check(tabia_report_loss_count(NULL) == 0, "NULL has losses");
    check(tabia_report_problem(NULL, 0) == NULL, "NULL has a problem");
    check(!tabia_report_loss(NULL, 0, NULL), "NULL has a loss");
    tabia_report_free(NULL);
    check_failed(tabia_book_find(NULL, "1. e4", on_move, NULL, &error), "book");
    check_failed(tabia_write_pgn(NULL, "1. e4 *", NULL, &error), "writer");
    check_failed(tabia_write_finish(NULL, &error), "writer");
    tabia_close(NULL);
    tabia_book_close(NULL);
    tabia_write_cancel(NULL);

    tabia_database *database = tabia_open(argv[1], NULL);
    tabia_book *book = tabia_book_open(argv[2], NULL);
    tabia_writer *writer = tabia_write_open(argv[3], false, NULL);
    check(database != NULL && book != NULL && writer != NULL, "a file cannot be opened");
    check_failed(tabia_game_visit(database, 1, NULL, NULL, &error), "visitor");
    check(tabia_game_visit(database, 1, &visitor, NULL, &error), "a visitor without functions fails");
    check_failed(tabia_row(database, 1, 1, NULL, NULL, &error), "visit");
    check_failed(tabia_arrow_stream(database, NULL, NULL, NULL, (struct ArrowArrayStream *)stream, &error), "text");
    check_failed(tabia_arrow_stream(database, "games", NULL, NULL, NULL, &error), "stream");
    check_failed(tabia_book_find(book, NULL, on_move, NULL, &error), "text");
    check_failed(tabia_book_find(book, "1. e4", NULL, NULL, &error), "visit");
    check_failed(tabia_write_game(NULL, database, 2, NULL, &error), "writer");
    check_failed(tabia_write_game(writer, NULL, 2, NULL, &error), "database");
    check_failed(tabia_write_pgn(writer, NULL, NULL, &error), "text");
    /* The writer is as it was. */
    check(tabia_write_game(writer, database, 2, NULL, NULL), "a game cannot be written");
    check(tabia_write_finish(writer, NULL), "the file cannot be completed");

    /* The error may be NULL, too. */
    check(tabia_open(NULL, NULL) == NULL, "NULL was opened");
    check(tabia_book_open(NULL, NULL) == NULL, "NULL was opened");
    check(tabia_write_open(NULL, false, NULL) == NULL, "NULL was opened");
    check(!tabia_convert(NULL, NULL, false, NULL, NULL), "NULL was converted");
    check(!tabia_game_visit(NULL, 1, NULL, NULL, NULL), "NULL was visited");
    check(!tabia_row(NULL, 1, 1, NULL, NULL, NULL), "NULL has rows");
    check(!tabia_arrow_stream(NULL, NULL, NULL, NULL, NULL, NULL), "NULL has a table");
    check(!tabia_book_find(NULL, NULL, NULL, NULL, NULL), "NULL has moves");
    check(!tabia_write_game(NULL, NULL, 1, NULL, NULL), "NULL was written");
    check(!tabia_write_pgn(NULL, NULL, NULL, NULL), "NULL was written");
    check(!tabia_write_finish(NULL, NULL), "NULL was completed");

    check(tabia_error_kind_of(NULL) == TABIA_USAGE, "NULL is of another kind");
    check(strcmp(tabia_error_text(NULL), "") == 0, "NULL has a text");
    check(tabia_error_path(NULL) == NULL, "NULL has a file");
    check(tabia_error_game(NULL) == 0, "NULL has a game");
    check(tabia_error_offset(NULL) == -1, "NULL has an offset");
    tabia_error_free(NULL);

    tabia_close(database);
    tabia_book_close(book);
    printf("nothing ended the program\n");
    return 0;
}
