// contacts copies a name over the pointer behind it; the index that it calls follows the text.
// build: dll nameindex; dll contacts: nameindex; exe phone: contacts
#include "kit.h"
struct card { char name[16]; struct card *left; int hash; };
USES int nameindex_add(struct card *c);
USES int contacts_add(const char *name);
#ifdef PART_nameindex
API int nameindex_add(struct card *c) {
    int depth = 0;
    while (c->left) { c = c->left; depth++; }
    return depth;
}
#endif
#ifdef PART_contacts
static struct card cards[8];
static int count;
API int contacts_add(const char *name) {
    struct card *c = &cards[count++];
    c->left = count > 1 ? c - 1 : NULL;
    strcpy(c->name, name);
    int d = nameindex_add(c);
    return d + 1;
}
#endif
#ifdef PART_phone
int main(void) {
    int n = contacts_add("Kim");
    n += contacts_add("Hubert Blaine Wolfe");
    n += contacts_add("Wolfeschlegelsteinhausen");
    return printf("%d\n", n);
}
#endif
