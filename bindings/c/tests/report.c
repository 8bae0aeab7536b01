/* Converts chosen games with a report, and reads a table with one. */
#include <stdio.h>
#include <string.h>
#include "tabia.h"

/* The C data interface and the C stream interface of Arrow. */
struct ArrowSchema;
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static int fail(tabia_error *error) {
    printf("error %d: %s\n", tabia_error_kind_of(error), tabia_error_text(error));
    tabia_error_free(error);
    return 1;
}

static void show(const char *what, const tabia_report *report) {
    printf("%s: %llu problems\n", what, (unsigned long long)tabia_report_problem_count(report));
    for (uint64_t i = 0; i < tabia_report_problem_count(report); i++) {
        const tabia_error *problem = tabia_report_problem(report, i);
        printf("  game %u: %s\n", tabia_error_game(problem), tabia_error_text(problem));
    }
    for (uint64_t i = 0; i < tabia_report_loss_count(report); i++) {
        tabia_loss loss;
        if (!tabia_report_loss(report, i, &loss)) return;
        printf("  lost: %s, %llu in %llu games, first %llu\n", loss.kind, (unsigned long long)loss.count,
               (unsigned long long)loss.games, (unsigned long long)loss.first_game);
    }
}

int main(int count, char **paths) {
    if (count < 5) return 2;
    tabia_error *error = NULL;
    tabia_counts counts;
    tabia_convert_options options = {.size = sizeof options, .query = "date:..1860", .sort = "-date", .profile = "seven"};
    tabia_report *report = tabia_report_new();
    if (!tabia_convert_with(paths[1], paths[2], &options, report, &counts, &error)) return fail(error);
    printf("%llu games\n", (unsigned long long)counts.games);
    show("chosen", report);
    tabia_report_free(report);

    /* An option of a later version is not read where the size leaves it out. */
    options = (tabia_convert_options){.size = sizeof options.size + sizeof options.to, .query = "date:..1860"};
    report = tabia_report_new();
    if (!tabia_convert_with(paths[3], paths[4], &options, report, &counts, &error)) return fail(error);
    printf("%llu games\n", (unsigned long long)counts.games);
    show("all", report);

    /* No file is replaced by one without games. */
    options = (tabia_convert_options){.size = sizeof options, .query = "player:zukertort", .force = true};
    if (!tabia_convert_with(paths[1], paths[2], &options, NULL, &counts, &error)) return fail(error);
    printf("%llu games\n", (unsigned long long)counts.games);
    options = (tabia_convert_options){.size = sizeof options, .profile = "klingon"};
    if (tabia_convert_with(paths[1], paths[2], &options, report, &counts, &error)) return 1;
    fail(error);
    options.size = 1;
    if (tabia_convert_with(paths[1], paths[2], &options, report, &counts, &error)) return 1;
    fail(error);
    tabia_report_free(report);

    if (tabia_open_with(paths[3], NULL, "klingon", &error)) return 1;
    fail(error);
    tabia_database *database = tabia_open_with(paths[3], "secret", "utf-8", &error);
    if (!database) return fail(error);
    struct ArrowArrayStream stream;
    report = tabia_report_new();
    if (!tabia_arrow_stream_with(database, "games", NULL, NULL, report, &stream, &error)) return fail(error);
    tabia_close(database);
    for (;;) {
        struct ArrowArray batch;
        if (stream.get_next(&stream, &batch)) {
            printf("%s\n", stream.get_last_error(&stream));
            return 1;
        }
        if (!batch.release) break;
        batch.release(&batch);
    }
    stream.release(&stream);
    show("table", report);
    if (tabia_report_problem(report, 1000)) return 1;
    tabia_report_free(report);
    return 0;
}
