// audio passes a buffer 4 bytes behind a boundary of 16 to a kernel that requires alignment.
// build: dll kernels -msse2; dll audio: kernels; exe synth: audio
#include "kit.h"
#include <xmmintrin.h>
USES float kernels_gain(float *samples, int n, float gain);
USES float audio_mix(int skip);
#ifdef PART_kernels
API float kernels_gain(float *samples, int n, float gain) {
    __m128 g = _mm_set1_ps(gain);
    for (int i = 0; i < n; i += 4) {
        // mingw's assembler may make movups of movaps; the multiplication keeps the demand.
        __m128 p = g;
        __asm__ volatile("mulps %1, %0" : "+x"(p) : "m"(*(const __m128 *)(samples + i)));
        _mm_storeu_ps(samples + i, p);
    }
    return samples[0];
}
#endif
#ifdef PART_audio
static float buffer[256] __attribute__((aligned(16))) = { 1, 2, 3 };
API float audio_mix(int skip) {
    float r = kernels_gain(buffer + skip, 64, 0.5f);
    return r + buffer[skip];
}
#endif
#ifdef PART_synth
int main(void) { return printf("%d\n", (int)(audio_mix(4) + audio_mix(UNSEEN(1)))); }
#endif
