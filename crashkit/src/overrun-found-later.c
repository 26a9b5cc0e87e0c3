// importer writes past its row into its neighbour, which belongs to the index; the index walks into it later, with importer gone from
// the stack.
// build: dll rowstore; dll importer: rowstore; exe desk: rowstore importer
#include "kit.h"
struct row { char text[16]; struct row *next; int key; };
USES struct row *rowstore_add(int key);
USES int rowstore_sum(void);
USES void importer_fill(struct row *r, const char *text);
#ifdef PART_rowstore
static struct row rows[16], *first;
static int count;
API struct row *rowstore_add(int key) {
    struct row *r = &rows[count++];
    r->key = key;
    r->next = first;
    return first = r;
}
API int rowstore_sum(void) {
    int sum = 0;
    for (struct row *r = first; r; r = r->next) sum += r->key;
    return sum;
}
#endif
#ifdef PART_importer
API void importer_fill(struct row *r, const char *text) { strcpy(r->text, text); }
#endif
#ifdef PART_desk
int main(void) {
    for (int i = 0; i < 4; i++) importer_fill(rowstore_add(i), i == 2 ? "Llanfairpwllgwyngyll" : "Bath");
    return printf("%d\n", rowstore_sum());
}
#endif
