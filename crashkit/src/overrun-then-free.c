// logfmt writes past its buffer into the header of its next block; the pool's free stumbles over it.
// build: dll pool; dll logfmt: pool; exe daemon: logfmt
#include "kit.h"
USES void *pool_get(size_t size);
USES void pool_put(void *p);
USES int logfmt_line(const char *user, int code);
#ifdef PART_pool
struct block { struct block *next; size_t size; };
static char arena[4096] __attribute__((aligned(16)));
static size_t used;
static struct block head = { &head, 0 };
API void *pool_get(size_t size) {
    struct block *b = (struct block *)(arena + used);
    size = (size + 15) & ~(size_t)15;
    used += sizeof *b + size;
    b->size = size;
    b->next = &head;
    return b + 1;
}
API void pool_put(void *p) {
    struct block *b = (struct block *)p - 1;
    b->next->size += b->size;
    b->next = head.next;
    head.next = b;
}
#endif
#ifdef PART_logfmt
API int logfmt_line(const char *user, int code) {
    char *line = pool_get(32), *tag = pool_get(16);
    sprintf(tag, "#%d", code);
    sprintf(line, "%s logged in with %s", user, tag);
    int n = (int)strlen(line);
    pool_put(tag);
    pool_put(line);
    return n;
}
#endif
#ifdef PART_daemon
int main(void) {
    int n = logfmt_line("eve", 1);
    n += logfmt_line("bartholomew.featherstonehaugh.the.third", 2);
    return printf("%d\n", n);
}
#endif
