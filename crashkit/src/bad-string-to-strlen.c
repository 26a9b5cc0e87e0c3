// tags takes a number for a string when the kind of the value is not the one it expects.
// build: dll tags; exe gallery: tags
#include "kit.h"
struct value { int kind; union { const char *text; uintptr_t number; } as; };
USES int tags_width(const struct value *v, int n);
#ifdef PART_tags
API int tags_width(const struct value *v, int n) {
    int width = 0;
    for (int i = 0; i < n; i++) {
        size_t (*volatile length)(const char *) = strlen;
        width += (int)length(v[i].as.text);
    }
    return width;
}
#endif
#ifdef PART_gallery
int main(void) {
    struct value v[] = { { 1, { "sea" } }, { 1, { "sky" } }, { 2, { .number = 20241105 } } };
    return printf("%d\n", tags_width(v, 3));
}
#endif
