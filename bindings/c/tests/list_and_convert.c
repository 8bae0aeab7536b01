/* Lists the moves of each game of a database, converts it, and looks a position up in a book. */
#include <stdio.h>
#include <string.h>
#include "tabia.h"

static bool on_tag(void *context, const char *name, const char *value) {
    (void)context;
    if (strcmp(name, "White") == 0 || strcmp(name, "Black") == 0) printf("%s;", value);
    return true;
}

static bool on_ply(void *context, const char *san, const char *uci) {
    int *plies = context;
    if (++*plies <= 3) printf(" %s(%s)", san, uci);
    return true;
}

static bool leave_out(void *context) {
    return context == NULL;
}

static void on_end(void *context, const char *result) {
    printf(" %d plies %s\n", *(int *)context, result);
}

static void on_book_move(void *context, const tabia_book_move *found) {
    (void)context;
    printf("%s %lld\n", found->san, (long long)found->weight);
}

static int fail(tabia_error *error) {
    printf("error %d: %s\n", tabia_error_kind_of(error), tabia_error_text(error));
    tabia_error_free(error);
    return 1;
}

int main(int count, char **paths) {
    if (count < 4) return 2;
    tabia_error *error = NULL;
    tabia_visitor visitor = {.tag = on_tag, .ply = on_ply, .begin_variation = leave_out, .end_game = on_end};
    tabia_database *database = tabia_open(paths[1], &error);
    if (!database) return fail(error);
    printf("%s with %llu records\n", tabia_format(database), (unsigned long long)tabia_len(database));
    for (uint64_t number = 1; number <= tabia_len(database); number++) {
        int plies = 0;
        if (!tabia_game_visit(database, number, &visitor, &plies, &error)) return fail(error);
    }
    tabia_close(database);
    tabia_counts counts;
    if (!tabia_convert(paths[1], paths[2], true, &counts, &error)) return fail(error);
    printf("%llu games, %llu lost\n", (unsigned long long)counts.games, (unsigned long long)counts.losses);
    tabia_book *book = tabia_book_open(paths[3], &error);
    if (!book) return fail(error);
    if (!tabia_book_find(book, "1. e4 e5", on_book_move, NULL, &error)) return fail(error);
    if (tabia_book_find(book, "1. e5", on_book_move, NULL, &error)) return 1;
    fail(error);
    tabia_book_close(book);
    fail((tabia_open("missing.cbh", &error), error));
    return 0;
}
