// A plug-in registers itself without the function that the host calls on every frame; it is not on the stack then.
// build: dll host; dll ripple: host; exe studio: host ripple
#include "kit.h"
struct plugin { const char *name; int (*start)(void); int (*frame)(int); };
USES void host_register(const struct plugin *p);
USES int host_play(int frames);
USES void ripple_load(void);
#ifdef PART_host
static const struct plugin *plugins[8];
static int count;
API void host_register(const struct plugin *p) { plugins[count++] = p; }
API int host_play(int frames) {
    int sum = 0;
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < count; i++) sum += plugins[i]->frame(f);
    return sum;
}
#endif
#ifdef PART_ripple
static int start(void) { return 1; }
static const struct plugin ripple = { "ripple", start, NULL };
API void ripple_load(void) { host_register(&ripple); }
#endif
#ifdef PART_studio
static int frame(int f) { return f * 2; }
static const struct plugin own = { "own", NULL, frame };
int main(void) {
    host_register(&own);
    ripple_load();
    return printf("%d\n", host_play(3));
}
#endif
