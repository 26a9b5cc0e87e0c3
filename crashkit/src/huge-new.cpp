// The program asks the library for a buffer of a negative number of samples; new throws, nobody catches.
// build: dll waves +shared; exe tuner: waves +shared
#include "kit.h"
USES float *waves_buffer(size_t samples);
#ifdef PART_waves
API float *waves_buffer(size_t samples) {
    float *b = static_cast<float *>(::operator new(samples * 4));
    b[0] = 1;
    return b;
}
#endif
#ifdef PART_tuner
static KEEP int tune(int from, int to) {
    float *b = waves_buffer((size_t)(intptr_t)(to - from));
    return b[0] > 0;
}
int main() { return printf("%d\n", tune(0, 4800) + tune(UNSEEN(4800), 100)); }
#endif
