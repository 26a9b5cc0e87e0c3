// codecs answers success and leaves the object null; the program uses it at once, as it may.
// build: dll codecs; exe jukebox: codecs
#include "kit.h"
struct track { int seconds, rate; };
USES int codecs_open(const char *name, struct track **to);
#ifdef PART_codecs
static struct track wav = { 60, 44100 };
API int codecs_open(const char *name, struct track **to) {
    *to = NULL;
    if (strstr(name, ".wav")) *to = &wav;
    return 0;
}
#endif
#ifdef PART_jukebox
static KEEP int length(const char *name) {
    struct track *t;
    if (codecs_open(name, &t) != 0) return -1;
    return t->seconds * t->rate;
}
int main(void) { return printf("%d\n", length("a.wav") + length("b.ogg")); }
#endif
