// A vector whose copies share their memory until one of them changes.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace pipetop {

// For snapshots that are taken more often than their longest list changes.
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

}  // namespace pipetop
