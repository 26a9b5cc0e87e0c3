// ranking compares groups by ranking their members first; a group that contains itself never ends.
// build: dll ranking; exe league: ranking
#include "kit.h"
struct group { int points, count; struct group *members[2]; };
USES int ranking_sort(struct group *top);
#ifdef PART_ranking
static int __cdecl by_best(const void *a, const void *b);
static KEEP int best(struct group *g) {
    struct group *copy[2] = { g->members[0], g->members[1] };
    if (g->count > 1) qsort(copy, g->count, sizeof *copy, by_best);
    return g->count ? copy[0]->points : g->points;
}
static int __cdecl by_best(const void *a, const void *b) {
    int x = best(*(struct group *const *)a), y = best(*(struct group *const *)b);
    return x - y;
}
API int ranking_sort(struct group *top) { return best(top); }
#endif
#ifdef PART_league
int main(void) {
    static struct group a = { 3 }, b = { 5 }, c = { 0, 2, { &a, &b } };
    int n = ranking_sort(&c);
    c.members[1] = UNSEEN(&c);
    return printf("%d\n", n + ranking_sort(&c));
}
#endif
