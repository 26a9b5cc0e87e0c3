// huffman meets a state of its own that its author held impossible, and stops with ud2.
// build: dll huffman; exe unzip: huffman
#include "kit.h"
USES int huffman_decode(const unsigned char *bits, int n);
#ifdef PART_huffman
API int huffman_decode(const unsigned char *bits, int n) {
    int state = 0, out = 0;
    for (int i = 0; i < n; i++) {
        state = (state << 1 | (bits[i] & 1)) & 15;
        if (state == 13) __builtin_trap();
        if (state == 5) { out++; state = 0; }
    }
    return out;
}
#endif
#ifdef PART_unzip
int main(void) {
    unsigned char bits[] = { 0, 1, 0, 1, 1, 1, 0, 1 };
    return printf("%d\n", huffman_decode(bits, 4) + huffman_decode(bits + 3, UNSEEN(5)));
}
#endif
