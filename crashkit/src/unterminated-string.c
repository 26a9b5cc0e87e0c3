// The program fills a page without room for the terminating zero and has the library hash it.
// build: dll digest; exe signer: digest
#include "kit.h"
USES unsigned digest_text(const char *text);
#ifdef PART_digest
API unsigned digest_text(const char *text) {
    size_t (*volatile length)(const char *) = strlen;
    size_t n = length(text);
    unsigned h = 5381;
    for (size_t i = 0; i < n; i++) h = h * 33 ^ (unsigned char)text[i];
    return h;
}
#endif
#ifdef PART_signer
static KEEP unsigned sign(char *page, size_t n) {
    for (size_t i = 0; i < n; i++) page[i] = 'a' + i % 26;
    return digest_text(page) ^ digest_text(page + 26);
}
int main(void) {
    char *two = VirtualAlloc(NULL, 0x2000, MEM_RESERVE, PAGE_READWRITE);
    char *page = VirtualAlloc(two, 0x1000, MEM_COMMIT, PAGE_READWRITE);
    return printf("%u\n", sign(page, 0x1000));
}
#endif
