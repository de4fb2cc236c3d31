// A series of values that grows at its end and is cheap to copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pipetop {

// Copies share their memory. A copy does not change when the other one grows. A std::span can be
// made of it.
template <class T>
class Series {
 public:
  void push_back(T value) {
    // Full, or another copy has been extended beyond our end.
    if (!memory_ || end_ != memory_->size() || end_ == memory_->capacity()) move();
    memory_->push_back(std::move(value));
    ++end_;
  }
  void pop_front() { ++begin_; }

  bool empty() const { return begin_ == end_; }
  size_t size() const { return end_ - begin_; }
  const T& front() const { return (*memory_)[begin_]; }
  const T& back() const { return (*memory_)[end_ - 1]; }
  typename std::span<const T>::iterator begin() const { return values().begin(); }
  typename std::span<const T>::iterator end() const { return values().end(); }

 private:
  std::span<const T> values() const {
    return memory_ ? std::span<const T>(*memory_).subspan(begin_, size()) : std::span<const T>();
  }
  void move() {
    auto memory = std::make_shared<std::vector<T>>();
    memory->reserve(2 * size() + 64);
    memory->assign(begin(), end());
    end_ = size();
    begin_ = 0;
    memory_ = std::move(memory);
  }

  std::shared_ptr<std::vector<T>> memory_;  // only ever appended to
  size_t begin_ = 0, end_ = 0;
};

}  // namespace pipetop
