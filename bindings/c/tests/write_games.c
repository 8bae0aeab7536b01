/* Lists the headers of a database, copies its games and one of its own to a new file, and lists that. */
#include <stdio.h>
#include "tabia.h"

static bool on_header(void *context, const tabia_header *header) {
    int *left = context;
    printf("%llu %s%s-%s %d %d.%d.%d %s %s%s%s %lld\n", (unsigned long long)header->number,
           header->is_text ? "text " : "", header->white, header->black, header->white_elo, header->year,
           header->month, header->day, header->result, header->eco, header->has_variations ? " V" : "",
           header->has_comments ? " C" : "", (long long)header->plies);
    return --*left > 0;
}

static int fail(tabia_error *error) {
    printf("error %d: %s\n", tabia_error_kind_of(error), tabia_error_text(error));
    tabia_error_free(error);
    return 1;
}

int main(int count, char **paths) {
    if (count < 3) return 2;
    tabia_error *error = NULL;
    if (tabia_abi_version() != 1) return 3;
    tabia_database *database = tabia_open(paths[1], &error);
    if (!database) return fail(error);
    int left = 100;
    if (!tabia_row(database, 1, UINT64_MAX, on_header, &left, &error)) return fail(error);
    left = 1;
    if (!tabia_row(database, 2, 5, on_header, &left, &error)) return fail(error);
    if (!tabia_row(database, 10, 0, on_header, &left, &error)) return fail(error);
    if (tabia_row(database, 10, 1, on_header, &left, &error)) return 4;
    fail(error);
    if (tabia_row(database, 0, 1, on_header, &left, &error)) return 5;
    fail(error);

    tabia_writer *writer = tabia_write_open(paths[2], false, &error);
    if (!writer) return fail(error);
    for (uint64_t number = 1; number <= tabia_len(database); number++) {
        tabia_counts done;
        if (tabia_write_game(writer, database, number, &done, &error)) {
            printf("game %llu, %llu problems, %llu lost\n", (unsigned long long)number,
                   (unsigned long long)done.problems, (unsigned long long)done.losses);
        } else {
            fail(error);
        }
    }
    if (tabia_write_game(writer, database, 10, NULL, &error)) return 6;
    fail(error);
    if (tabia_write_pgn(writer, "1. e5 *", NULL, &error)) printf("an illegal move\n");
    else fail(error);
    if (!tabia_write_pgn(writer, "[White \"New\"]\n\n1. e4 {good} (1. d4) *", NULL, &error)) return fail(error);
    FILE *early = fopen(paths[2], "r");
    if (early) return 7;
    if (!tabia_write_finish(writer, &error)) return fail(error);
    tabia_close(database);

    database = tabia_open(paths[2], &error);
    if (!database) return fail(error);
    printf("%s with %llu records\n", tabia_format(database), (unsigned long long)tabia_len(database));
    left = 100;
    if (!tabia_row(database, 1, UINT64_MAX, on_header, &left, &error)) return fail(error);
    tabia_close(database);

    if (tabia_write_open(paths[2], false, &error)) return 8;
    printf("error %d\n", tabia_error_kind_of(error));
    tabia_error_free(error);
    writer = tabia_write_open(paths[2], true, &error);
    if (!writer) return fail(error);
    tabia_write_cancel(writer);
    tabia_write_cancel(NULL);
    database = tabia_open(paths[2], &error);
    if (!database) return fail(error);
    printf("still %llu records\n", (unsigned long long)tabia_len(database));
    tabia_close(database);
    return 0;
}
