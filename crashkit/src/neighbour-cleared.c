// animator clears two objects where it means one and has the core move the second one.
// build: dll core; dll animator: core; exe cartoon: core animator
#include "kit.h"
struct actor;
struct acts { int (*move)(struct actor *, int); };
struct actor { const struct acts *acts; int x, y; };
USES struct actor *core_actors(void);
USES int core_move(struct actor *a, int by);
USES int animator_reset(int both);
#ifdef PART_core
static int move(struct actor *a, int by) { return a->x += by; }
static const struct acts acts = { move };
static struct actor actors[2] = { { &acts, 1, 1 }, { &acts, 2, 2 } };
API struct actor *core_actors(void) { return actors; }
API int core_move(struct actor *a, int by) { return a->acts->move(a, by) + a->y; }
#endif
#ifdef PART_animator
API int animator_reset(int both) {
    struct actor *a = core_actors();
    const struct acts *acts = a->acts;
    memset(a, 0, sizeof *a * (both ? 2 : 1));
    a->acts = acts;
    int n = core_move(&a[1], 5);
    return n;
}
#endif
#ifdef PART_cartoon
int main(void) { return printf("%d\n", animator_reset(0) + animator_reset(UNSEEN(1))); }
#endif
