// A plug-in releases the core's document once too often inside its callback; the core goes on with it.
// build: dll doccore; dll wordcount: doccore; exe editor: doccore wordcount
#include "kit.h"
struct doc;
struct doc_ops { int (*length)(struct doc *); };
struct doc { const struct doc_ops *ops; int references; int size; };
typedef int (*doc_hook)(struct doc *);
USES void doc_release(struct doc *d);
USES void doc_hold(struct doc *d);
USES int doc_save(int size, doc_hook hook);
USES int wordcount_hook(struct doc *d);
#ifdef PART_doccore
static int length(struct doc *d) { return d->size; }
static const struct doc_ops ops = { length };
API void doc_hold(struct doc *d) { d->references++; }
API void doc_release(struct doc *d) {
    if (--d->references == 0) memset(d, 0xDD, sizeof *d);
}
API int doc_save(int size, doc_hook hook) {
    struct doc *d = malloc(sizeof *d);
    d->ops = &ops;
    d->references = 1;
    d->size = size;
    int words = hook(d);
    return words + d->ops->length(d);
}
#endif
#ifdef PART_wordcount
API int wordcount_hook(struct doc *d) {
    int words = d->ops->length(d) / 6;
    doc_release(d);
    return words;
}
#endif
#ifdef PART_editor
int main(void) { return printf("%d\n", doc_save(600, wordcount_hook)); }
#endif
