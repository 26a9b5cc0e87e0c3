// The program closes a session and sends with it. netpool marks freed memory with 0xDD, as debug heaps do.
// build: dll netpool; exe courier: netpool
#include "kit.h"
struct route { int hops; int cost[3]; };
struct session { struct route *route; int sent; char peer[16]; };
USES struct session *session_open(const char *peer);
USES void session_close(struct session *s);
USES int session_send(struct session *s, int bytes);
#ifdef PART_netpool
static struct route lan = { 1, { 3, 4, 5 } };
API struct session *session_open(const char *peer) {
    struct session *s = malloc(sizeof *s);
    s->route = &lan;
    s->sent = 0;
    snprintf(s->peer, sizeof s->peer, "%s", peer);
    return s;
}
API void session_close(struct session *s) { memset(s, 0xDD, sizeof *s); }
API int session_send(struct session *s, int bytes) {
    s->sent += bytes;
    return s->route->cost[bytes & 1] * s->route->hops;
}
#endif
#ifdef PART_courier
static KEEP int deliver(struct session *s, int tries) {
    int cost = 0;
    for (int i = 0; i < tries; i++) {
        cost += session_send(s, 512 + i);
        if (i == 1) session_close(s);
    }
    return cost;
}
int main(void) {
    struct session *s = session_open("north");
    return printf("%d\n", deliver(s, 4));
}
#endif
