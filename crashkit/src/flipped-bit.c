// A bit of a pointer changes, as in bad memory: nobody is to blame. (The program flips it through a volatile view.)
// build: dll ledger2; exe books: ledger2
#include "kit.h"
struct page { struct page *next; int sum; };
USES int ledger2_total(struct page *p);
#ifdef PART_ledger2
API int ledger2_total(struct page *p) {
    int n = 0;
    for (; p; p = p->next) n += p->sum;
    return n;
}
#endif
#ifdef PART_books
int main(void) {
    struct page *first = NULL;
    for (int i = 0; i < 20; i++) {
        struct page *p = malloc(sizeof *p);
        p->next = first;
        p->sum = i;
        first = p;
    }
    struct page *p = first;
    for (int i = 0; i < 7; i++) p = p->next;
    int n = ledger2_total(first);
    ((volatile unsigned char *)&p->next)[sizeof p == 8 ? 5 : 3] ^= 0x20;
    return printf("%d\n", n + ledger2_total(first));
}
#endif
