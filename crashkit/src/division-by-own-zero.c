// throughput divides by a time that it measured as zero.
// build: dll throughput; exe copier: throughput
#include "kit.h"
USES unsigned throughput_rate(unsigned bytes, unsigned from, unsigned to);
#ifdef PART_throughput
API unsigned throughput_rate(unsigned bytes, unsigned from, unsigned to) {
    unsigned seconds = (to - from) / 1000;
    return bytes / seconds;
}
#endif
#ifdef PART_copier
int main(void) { return printf("%u\n", throughput_rate(9000, 1000, 4000) + throughput_rate(9000, 4000, UNSEEN(4200))); }
#endif
