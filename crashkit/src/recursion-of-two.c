// outline descends into a tree that it linked to itself; the library that formats a line calls it back for every child.
// build: dll lines; dll outline: lines; exe notes: outline
#include "kit.h"
struct node { const char *title; struct node *child; };
typedef int (*child_fn)(const struct node *n, int depth);
USES int lines_write(const char *title, const struct node *child, int depth, child_fn f);
USES int outline_show(int moved);
#ifdef PART_lines
API int lines_write(const char *title, const struct node *child, int depth, child_fn f) {
    char line[200];
    int n = 0;
    while (title[n] && n < 100) { line[n] = title[n]; n++; }
    line[n] = 0;
    int more = child ? f(child, depth + 1) : 0;
    return more + (int)strlen(UNSEEN(&line[0]));
}
#endif
#ifdef PART_outline
static struct node nodes[] = { { "book", &nodes[1] }, { "part", &nodes[2] }, { "chapter", NULL } };
static KEEP int show(const struct node *n, int depth) {
    int here = lines_write(n->title, n->child, depth, show);
    return here + depth;
}
API int outline_show(int moved) {
    if (moved) nodes[2].child = &nodes[1];
    return show(&nodes[0], 0);
}
#endif
#ifdef PART_notes
int main(void) { return printf("%d\n", outline_show(0) + outline_show(UNSEEN(1))); }
#endif
