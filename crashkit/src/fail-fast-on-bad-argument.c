// The program hands the library a size that the library refuses with a fail-fast (invalid argument).
// build: dll secure; exe wallet: secure
#include "kit.h"
USES int secure_take(char *to, size_t room, const char *from, size_t n);
#ifdef PART_secure
API int secure_take(char *to, size_t room, const char *from, size_t n) {
    if (n > room) FAIL_FAST(5);
    memcpy(to, from, n);
    return to[0];
}
#endif
#ifdef PART_wallet
static char key[16];
static KEEP int store(const char *text) { return secure_take(key, sizeof key, text, strlen(text)) + 1; }
int main(void) { return printf("%d\n", store("short") + store(UNSEEN("a key much longer than the room"))); }
#endif
