// The program charges a customer that its query did not find.
// build: dll ledger; exe billing: ledger
#include "kit.h"
struct customer { int id; int cents; char name[24]; };
USES int ledger_charge(struct customer *c, int cents);
#ifdef PART_ledger
static int total;
API int ledger_charge(struct customer *c, int cents) {
    total += cents;
    c->cents -= cents;
    return c->cents;
}
#endif
#ifdef PART_billing
static struct customer rows[] = { { 17, 1000, "Ada" }, { 21, 500, "Bo" } };
static KEEP struct customer *query(int id) {
    for (int i = 0; i < 2; i++)
        if (rows[i].id == id) return &rows[i];
    return NULL;
}
static KEEP int bill(const int *ids, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += ledger_charge(query(ids[i]), 100);
    return sum;
}
int main(void) {
    int ids[] = { 17, 21, 34 };
    return printf("%d\n", bill(ids, 3));
}
#endif
