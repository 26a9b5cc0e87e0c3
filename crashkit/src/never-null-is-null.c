// fontdb promises a fallback for every name and returns null all the same; label relies on it.
// build: dll fontdb; dll label: fontdb; exe poster: label
#include "kit.h"
struct font { int height, advance; };
USES const struct font *fontdb_always(const char *name);
USES int label_width(const char *font, const char *text);
#ifdef PART_fontdb
static const struct font sans = { 12, 7 };
API const struct font *fontdb_always(const char *name) {
    static const struct font *fallback;
    return strcmp(name, "sans") ? fallback : &sans;
}
#endif
#ifdef PART_label
API int label_width(const char *font, const char *text) {
    const struct font *f = fontdb_always(font);
    int n = 0;
    while (*text++) n += f->advance;
    return n;
}
#endif
#ifdef PART_poster
int main(void) { return printf("%d\n", label_width("sans", "hello") + label_width("serif", "hello")); }
#endif
