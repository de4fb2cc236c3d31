// Vectors whose copies share their memory: for snapshots, which are copied more often than their
// longest lists change.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pipetop {

// Copies share their memory until one of them changes.
template <class T>
class SharedVector {
 public:
  SharedVector() = default;
  SharedVector(std::vector<T> values)
      : values_(std::make_shared<std::vector<T>>(std::move(values))) {}
  SharedVector(std::initializer_list<T> values) : SharedVector(std::vector<T>(values)) {}

  const std::vector<T>& get() const {
    static const std::vector<T> none;
    return values_ ? *values_ : none;
  }
  operator const std::vector<T>&() const { return get(); }

  bool empty() const { return get().empty(); }
  size_t size() const { return get().size(); }
  const T* data() const { return get().data(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& operator[](size_t i) const { return get()[i]; }
  const T& front() const { return get().front(); }
  const T& back() const { return get().back(); }

  // To be changed: a copy of its own, if others share it.
  std::vector<T>& own() {
    if (!values_)
      values_ = std::make_shared<std::vector<T>>();
    else if (values_.use_count() > 1)
      values_ = std::make_shared<std::vector<T>>(*values_);
    return *values_;
  }
  T& operator[](size_t i) { return own()[i]; }
  T& front() { return own().front(); }
  T& back() { return own().back(); }
  void push_back(T value) { own().push_back(std::move(value)); }
  void clear() { values_.reset(); }

 private:
  std::shared_ptr<std::vector<T>> values_;
};

// It grows at its end. A copy does not change when the other one grows, and still shares its
// memory. A std::span can be made of it.
template <class T>
class Series {
 public:
  Series() = default;
  // A part of what others share, too.
  Series(std::shared_ptr<std::vector<T>> values, size_t begin, size_t end)
      : memory_(std::move(values)), begin_(begin), end_(end) {}

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
  const T& operator[](size_t i) const { return (*memory_)[begin_ + i]; }
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
