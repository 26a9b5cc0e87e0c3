// values keeps a tag in the upper bits of pointers and forgets to take it off for one kind.
// build: dll objects; dll values: objects; exe notebook: values
#include "kit.h"
struct object { int kind, value; };
USES int objects_value(const struct object *o);
USES int values_read(int which);
#ifdef PART_objects
API int objects_value(const struct object *o) { return o->kind == 1 ? o->value : -o->value; }
#endif
#ifdef PART_values
static struct object all[3] = { { 1, 10 }, { 2, 20 }, { 1, 30 } };
API int values_read(int which) {
    uint64_t v = (uint64_t)(uintptr_t)&all[which] | (uint64_t)(which + 1) << 56;
    if (all[which].kind == 1) v &= 0x00ffffffffffffff;
    int n = objects_value((const struct object *)(uintptr_t)v);
    return n + 1;
}
#endif
#ifdef PART_notebook
int main(void) { return printf("%d\n", values_read(0) + values_read(UNSEEN(1))); }
#endif
