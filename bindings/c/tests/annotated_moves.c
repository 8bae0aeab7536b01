/* Prints positions, arrows, marks, clocks and evaluations of the first game of a database. */
#include <stdio.h>
#include "tabia.h"

static bool on_ply(void *context, const char *san, const char *uci) {
    (void)context;
    printf("%s %s\n", san, uci);
    return true;
}

static bool on_position(void *context, const char *fen) {
    (void)context;
    printf("  position %s\n", fen);
    return true;
}

static bool on_arrow(void *context, const char *color, const char *from, const char *to) {
    (void)context;
    printf("  arrow %s %s-%s\n", color, from, to);
    return true;
}

static bool on_mark(void *context, const char *form, const char *color, const char *square) {
    (void)context;
    printf("  %s %s %s\n", form, color, square);
    return true;
}

static bool on_clock(void *context, tabia_clock_kind kind, double seconds) {
    (void)context;
    printf("  clock %d %.1f\n", (int)kind, seconds);
    return true;
}

/* The game ends with the first mate. */
static bool on_evaluation(void *context, const tabia_evaluation *found) {
    (void)context;
    printf("  evaluation %s %d, depth %d\n", found->is_mate ? "mate" : "cp", (int)found->score, (int)found->depth);
    return !found->is_mate;
}

int main(int count, char **paths) {
    if (count < 2) return 2;
    tabia_error *error = NULL;
    tabia_visitor visitor = {.ply = on_ply, .position = on_position, .arrow = on_arrow, .mark = on_mark,
                             .clock = on_clock, .evaluation = on_evaluation};
    tabia_database *database = tabia_open(paths[1], &error);
    if (!database || !tabia_game_visit(database, 1, &visitor, NULL, &error)) {
        printf("error: %s\n", tabia_error_text(error));
        tabia_error_free(error);
        return 1;
    }
    tabia_close(database);
    return 0;
}
