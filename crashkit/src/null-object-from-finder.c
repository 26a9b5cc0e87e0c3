// scene draws what its own search returned; the search returns null for an unknown name, which scene does not check.
// build: dll raster; dll scene: raster; exe viewer: scene
#include "kit.h"
struct mesh { const char *name; int count; float *points; };
USES int raster_mesh(const struct mesh *m, float scale);
USES int scene_draw(const char *name);
#ifdef PART_raster
API int raster_mesh(const struct mesh *m, float scale) {
    int lit = 0;
    for (int i = 0; i < m->count; i++) lit += m->points[i] * scale > 0.5f;
    return lit;
}
#endif
#ifdef PART_scene
static float cube[] = { 0, 1, 1, 0, 1, 1, 0, 0 };
static struct mesh meshes[] = { { "cube", 8, cube }, { "floor", 4, cube } };
static KEEP const struct mesh *find(const char *name) {
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        if (!strcmp(meshes[i].name, name)) return &meshes[i];
    return NULL;
}
API int scene_draw(const char *name) {
    const struct mesh *m = find(name);
    int lit = raster_mesh(m, 0.75f);
    return lit * 2;
}
#endif
#ifdef PART_viewer
int main(void) {
    int n = scene_draw("cube") + scene_draw("lamp");
    return printf("%d\n", n);
}
#endif
