// The program deletes a shape that its canvas still draws. The shape's class fills freed memory, as debug heaps do.
// build: dll shapes +static; exe sketch: shapes +static
#include "kit.h"
struct shape {
    virtual ~shape() {}
    virtual int draw(int x) = 0;
    static void operator delete(void *p, size_t n);
};
USES shape *shapes_circle(int r);
USES int shapes_paint(shape *const *all, int n);
#ifdef PART_shapes
void shape::operator delete(void *p, size_t n) { memset(p, 0xDD, n); }
struct circle : shape {
    int r;
    circle(int r) : r(r) {}
    int draw(int x) override { return r * r + x; }
};
API shape *shapes_circle(int r) { return new circle(r); }
API int shapes_paint(shape *const *all, int n) {
    int ink = 0;
    for (int i = 0; i < n; i++) ink += all[i]->draw(i);
    return ink;
}
#endif
#ifdef PART_sketch
static KEEP int session(int undo) {
    shape *all[3];
    for (int i = 0; i < 3; i++) all[i] = shapes_circle(i + 1);
    if (undo) delete all[1];
    return shapes_paint(all, 3);
}
void shape::operator delete(void *p, size_t n) { memset(p, 0xDD, n); }
int main() { return printf("%d\n", session(0) + session(1)); }
#endif
