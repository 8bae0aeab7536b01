/* Counts the plies of a database by a stream of Arrow. */
#include <stdio.h>
#include <string.h>
#include "tabia.h"

/* The C data interface and the C stream interface of Arrow. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
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

int main(int count, char **paths) {
    if (count < 2) return 2;
    tabia_error *error = NULL;
    tabia_database *database = tabia_open(paths[1], &error);
    if (!database) return fail(error);
    struct ArrowArrayStream stream, unread;
    if (tabia_arrow_stream(database, "players", NULL, NULL, &stream, &error)) return 1;
    fail(error);
    if (tabia_arrow_stream(database, "games", "whit", NULL, &stream, &error)) return 1;
    fail(error);
    if (!tabia_arrow_stream(database, "positions", NULL, NULL, &unread, &error)) return fail(error);
    if (!tabia_arrow_stream(database, "games", "game,ply_count", "result:1-0", &stream, &error)) return fail(error);
    tabia_close(database);
    unread.release(&unread);
    struct ArrowSchema schema;
    if (stream.get_schema(&stream, &schema)) return 1;
    for (int64_t i = 0; i < schema.n_children; i++)
        printf("%s %s\n", schema.children[i]->name, schema.children[i]->format);
    schema.release(&schema);
    long long games = 0, plies = 0;
    for (;;) {
        struct ArrowArray batch;
        if (stream.get_next(&stream, &batch)) {
            printf("%s\n", stream.get_last_error(&stream));
            return 1;
        }
        if (!batch.release) break;
        const struct ArrowArray *column = batch.children[1];
        const int16_t *values = column->buffers[1];
        for (int64_t i = 0; i < column->length; i++) plies += values[column->offset + i];
        games += batch.length;
        batch.release(&batch);
    }
    stream.release(&stream);
    printf("%lld games, %lld plies\n", games, plies);
    return 0;
}
