// Something that takes long to make, and may be refused: BPF programs take the kernel some 40 ms
// each. Meanwhile the screen goes on.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "engine/base/error.h"

namespace pipetop {

template <class T>
class AsyncResult {
 public:
  AsyncResult() = default;
  // `launch`: std::launch::deferred makes it at the first poll().
  AsyncResult(std::launch launch, const std::function<std::unique_ptr<T>()>& make)
      : future_(std::async(launch, make)) {}

  // Whether it has come, or has been refused, since the last call.
  bool poll() {
    const auto no_time = std::chrono::seconds(0);
    if (!future_.valid() || future_.wait_for(no_time) == std::future_status::timeout) return false;
    wait();
    return true;
  }

  void wait() {
    if (!future_.valid()) return;
    try {
      value_ = future_.get();
    } catch (const Error& error) {
      refusal_ = error.what();
    }
  }

  bool begun() const { return future_.valid() || value_ || !refusal_.empty(); }
  T* get() const { return value_.get(); }                  // null: not yet, or never
  const std::string& refusal() const { return refusal_; }  // why; remedy

 private:
  std::future<std::unique_ptr<T>> future_;
  std::unique_ptr<T> value_;
  std::string refusal_;
};

}  // namespace pipetop
