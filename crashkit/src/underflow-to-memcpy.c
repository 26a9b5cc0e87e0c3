// netframe subtracts a header's size from a shorter packet and copies the rest, nearly the whole address space.
// build: dll netframe; exe sniffer: netframe
#include "kit.h"
USES int netframe_take(unsigned char *to, const unsigned char *packet, size_t size);
#ifdef PART_netframe
API int netframe_take(unsigned char *to, const unsigned char *packet, size_t size) {
    size_t payload = size - 20;
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    copy(to, packet + 20, payload);
    return to[0] + (int)payload;
}
#endif
#ifdef PART_sniffer
int main(void) {
    static unsigned char packet[64] = { 0x45 }, to[64];
    int n = netframe_take(to, packet, 60);
    n += netframe_take(to, packet, UNSEEN(4));
    return printf("%d\n", n);
}
#endif
