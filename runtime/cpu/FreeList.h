// A few objects that are lent and given back, without locks.
//
// Lending takes any slot's object by one atomic exchange; giving back puts it into any empty slot. There is no list, hence no
// ABA problem. When more are given back than there are slots, the surplus is destroyed.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace tilewright::runtime {

template <typename T, size_t slotCount = 8> class FreeList {
public:
  FreeList() = default;
  FreeList(const FreeList &) = delete;
  FreeList &operator=(const FreeList &) = delete;
  ~FreeList() {
    for (std::atomic<T *> &slot : slots)
      delete slot.load();
  }

  /// Null: all are lent.
  std::unique_ptr<T> take() {
    for (std::atomic<T *> &slot : slots)
      if (slot.load(std::memory_order_relaxed))
        if (T *object = slot.exchange(nullptr, std::memory_order_acquire))
          return std::unique_ptr<T>(object);
    return nullptr;
  }

  void giveBack(std::unique_ptr<T> object) {
    for (std::atomic<T *> &slot : slots) {
      T *empty = nullptr;
      if (!slot.load(std::memory_order_relaxed) &&
          slot.compare_exchange_strong(empty, object.get(), std::memory_order_release, std::memory_order_relaxed)) {
        (void)object.release(); // the slot owns it now
        return;
      }
    }
  }

  /// One of them, or a new one, for as long as this lives.
  class Loan {
  public:
    template <typename Make> Loan(FreeList &from, const Make &make) : from(from), object(from.take()) {
      if (!object)
        object = make();
    }
    Loan(const Loan &) = delete;
    Loan &operator=(const Loan &) = delete;
    ~Loan() { from.giveBack(std::move(object)); }

    T &operator*() const { return *object; }

  private:
    FreeList &from;
    std::unique_ptr<T> object;
  };

private:
  std::array<std::atomic<T *>, slotCount> slots = {};
};

} // namespace tilewright::runtime
