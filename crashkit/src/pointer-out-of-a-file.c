// snapshot takes offsets out of its file for pointers and gives one to the tree.
// build: dll tree; dll snapshot: tree; exe chess: snapshot
#include "kit.h"
struct node { struct node *left, *right; int score; };
USES int tree_best(const struct node *n);
USES int snapshot_load(const unsigned char *file);
#ifdef PART_tree
API int tree_best(const struct node *n) {
    int l = n->left ? tree_best(n->left) : 0, r = n->right ? tree_best(n->right) : 0;
    return n->score + (l > r ? l : r);
}
#endif
#ifdef PART_snapshot
API int snapshot_load(const unsigned char *file) {
    struct node *n = calloc(1, sizeof *n);
    n->score = file[0];
    if (file[1]) n->left = (struct node *)(uintptr_t)(file[1] << 20 | file[2] << 8);
    int best = tree_best(n);
    free(n);
    return best;
}
#endif
#ifdef PART_chess
int main(void) {
    static const unsigned char files[2][4] = { { 9, 0, 0 }, { 7, 0x2c, 0x51 } };
    return printf("%d\n", snapshot_load(files[0]) + snapshot_load(files[UNSEEN(1)]));
}
#endif
