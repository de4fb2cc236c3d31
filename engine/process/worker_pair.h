// The writer, the reader and the pipe between them: started, pinned, and
// replaced when one of them dies.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/process/pipe_owner.h"
#include "engine/process/placement.h"
#include "engine/process/worker.h"

namespace pipetop {

// What happened to a worker, for whoever has to know.
struct WorkerEvent {
  enum class Kind { died, replaced, cannot_start, cannot_pin } kind;
  Worker& worker;
  std::string words;  // "signal 9 (Killed)", "fork: ..."; "" when replaced
};

class WorkerPair {
 public:
  // Both hold until they are told to flow. Their pidfds are added to `epoll_fd`.
  // Throws SystemError.
  WorkerPair(const std::string& program, int epoll_fd,
             std::function<void(const WorkerEvent&)> sink);

  PipeOwner& pipe() { return pipe_; }
  const PipeOwner& pipe() const { return pipe_; }
  Worker& writer() { return writer_; }
  Worker& reader() { return reader_; }
  const Worker& writer() const { return writer_; }
  const Worker& reader() const { return reader_; }
  Worker& of(Role role) { return role == Role::writer ? writer_ : reader_; }
  std::array<Worker*, kRoles> both() { return {&writer_, &reader_}; }
  bool alive() const { return writer_.alive() && reader_.alive(); }

  // Where both run from now on, also after a restart.
  void place(int writer_cpu, int reader_cpu, std::span<const Cpu> allowed);

  // Reaps the dead and starts their replacements when they are due.
  void replace_dead();

 private:
  void start(Worker& worker);
  void pin(Worker& worker);

  PipeOwner pipe_;
  Worker writer_;
  Worker reader_;
  int epoll_fd_;
  std::function<void(const WorkerEvent&)> sink_;
  int writer_cpu_ = kNoCpu;
  int reader_cpu_ = kNoCpu;
  std::span<const Cpu> allowed_;
};

}  // namespace pipetop
