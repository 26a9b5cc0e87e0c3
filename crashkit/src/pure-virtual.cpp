// widgets registers an object from the constructor of its base; the registry calls a function that has no body yet (mingw leaves the slot
// of a pure virtual function null when its C++ library is a DLL).
// build: dll registry +shared; dll widgets: registry +shared; exe form: widgets +shared
#include "kit.h"
struct widget {
    widget();
    virtual ~widget() {}
    virtual int area() = 0;
};
USES int registry_add(widget *w);
USES int widgets_make(int w, int h);
#ifdef PART_registry
static int total;
API int registry_add(widget *w) { total += w->area(); return total; }
#endif
#ifdef PART_widgets
widget::widget() { registry_add(this); }
struct box : widget {
    int w, h;
    box(int w, int h) : w(w), h(h) {}
    int area() override { return w * h; }
};
API int widgets_make(int w, int h) {
    box *b = new box(w, h);
    int a = b->area();
    delete b;
    return a;
}
#endif
#ifdef PART_form
int main() { return printf("%d\n", widgets_make(3, 4)); }
#endif
