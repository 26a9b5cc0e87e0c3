// A program with inlined functions, to be described by a PDB.
namespace shop {
struct Cart {
    int total;
    __attribute__((always_inline)) void add(int price) {
        if (price < 0)
            *(volatile int *)0 = price;
        total += price;
    }
    __attribute__((noinline)) int checkout(int count);
};

__attribute__((always_inline)) inline void add_all(Cart &cart, int count) {
    for (int index = 0; index < count; ++index)
        cart.add(index - 2);
}

int Cart::checkout(int count) {
    add_all(*this, count);
    return total;
}
} // namespace shop

static __attribute__((noinline)) int hidden(int value) {
    volatile int copy = value;
    return copy * 3;
}

extern "C" int entry(int count) {
    shop::Cart cart{count};
    return cart.checkout(count) + hidden(count);
}
