// The program fills the shorter structure of an older version of the library, whose size field says the newer one.
// build: dll devapi; exe control: devapi
#include "kit.h"
struct old_options { unsigned size; int speed; const char *name; };
struct options { unsigned size; int speed; const char *name; const int *profile; };
USES int devapi_open(const struct options *o);
#ifdef PART_devapi
API int devapi_open(const struct options *o) {
    int n = o->speed + (int)strlen(o->name);
    if (o->size >= sizeof *o) n += o->profile[0] + o->profile[1];
    return n;
}
#endif
#ifdef PART_control
static KEEP int open_device(int speed) {
    struct { struct old_options o; uintptr_t next[2]; } local = { { sizeof(struct options), speed, "arm" }, { 0x100 + speed, 3 } };
    return devapi_open(UNSEEN((const struct options *)&local.o));
}
int main(void) { return printf("%d\n", open_device(UNSEEN(9))); }
#endif
