// codec looks up a quantization table that it has not got and uses it unchecked.
// build: dll codec; exe player: codec
#include "kit.h"
struct table { int key; short step[8]; };
USES int codec_frame(int quality, const short *in, int n);
#ifdef PART_codec
static struct table tables[] = { { 1, { 2, 2, 2, 2, 3, 3, 3, 3 } }, { 2, { 4, 4, 4, 4, 5, 5, 5, 5 } } };
static KEEP struct table *table_for(int quality) {
    for (int i = 0; i < 2; i++)
        if (tables[i].key == quality) return &tables[i];
    return NULL;
}
API int codec_frame(int quality, const short *in, int n) {
    struct table *t = table_for(quality);
    int sum = 0;
    for (int i = 0; i < n; i++) sum += in[i] * t->step[i & 7];
    return sum;
}
#endif
#ifdef PART_player
int main(void) {
    short in[16] = { 1, 2, 3 };
    int sum = codec_frame(1, in, 16);
    sum += codec_frame(3, in, 16);
    return printf("%d\n", sum);
}
#endif
