// probe ignores that its query failed and passes on the variable that the query would have set.
// build: dll glx; dll probe: glx; exe scope: probe
#include "kit.h"
struct context { int version; int caps[4]; };
USES int glx_caps(struct context *c);
USES int probe_device(int which);
#ifdef PART_glx
API int glx_caps(struct context *c) {
    int n = c->version;
    for (int i = 0; i < 4; i++) n += c->caps[i];
    return n;
}
#endif
#ifdef PART_probe
static struct context first = { 3, { 1, 1, 1, 1 } };
static KEEP int query(int which, struct context **to) {
    if (which > 0) return 0;
    *to = &first;
    return 1;
}
static KEEP float curve(int n) {
    float points[64];
    for (int i = 0; i < 64; i++) points[i] = 1.0f + (float)(n & 1);
    float *p = UNSEEN(&points[0]);
    return p[3] + p[40];
}
static KEEP int use(int which) {
    struct context *c;
    query(which, UNSEEN(&c));
    int n = glx_caps(c);
    return n + 1;
}
API int probe_device(int which) {
    int n = (int)curve(which);
    return n + use(which);
}
#endif
#ifdef PART_scope
int main(void) { return printf("%d\n", probe_device(0) + probe_device(UNSEEN(2))); }
#endif
