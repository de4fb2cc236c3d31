#include "engine/observe/stage_calls.h"

#include <sys/syscall.h>

#include "bpf/stages.h"
#include "engine/observe/call_kinds.h"

namespace pipetop::observe {
namespace {

uint8_t stage_of(CallKind kind) {
  switch (kind) {
    case CallKind::read:
      return STAGE_READ;
    case CallKind::write:
      return STAGE_WRITE;
    case CallKind::splice:
    case CallKind::copy_file_range:
      return STAGE_SPLICE;
    case CallKind::tee:
      return STAGE_TEE;
    case CallKind::sendfile:
      return STAGE_SENDFILE;
    case CallKind::vmsplice:
      return STAGE_VMSPLICE;
    case CallKind::network:
      return STAGE_NETWORK;
    case CallKind::sleep:
      return STAGE_SLEEP;
    case CallKind::lock:
    case CallKind::fcntl:  // no other command of it sleeps
      return STAGE_LOCK;
    case CallKind::child:
      return STAGE_CHILD;
    case CallKind::poll:
      return STAGE_POLL;
    case CallKind::signal:
      return STAGE_SIGNAL;
    case CallKind::other:
      return 0;
  }
  return 0;
}

}  // namespace

void fill_stage_calls(std::span<uint8_t> kinds) {
  for (size_t number = 0; number < kinds.size(); ++number)
    kinds[number] = stage_of(kind_of_call(static_cast<int64_t>(number)));
  kinds[SYS_restart_syscall] = STAGE_RESTART;
}

WaitsFor waits_for(uint32_t stage_wait) {
  switch (stage_wait) {
    case STAGE_POLL:
      return WaitsFor::poll;
    case STAGE_DISK:
      return WaitsFor::disk;
    case STAGE_NETWORK:
      return WaitsFor::network;
    case STAGE_SLEEP:
      return WaitsFor::sleep;
    case STAGE_LOCK:
      return WaitsFor::lock;
    case STAGE_CHILD:
      return WaitsFor::child;
    case STAGE_SIGNAL:
      return WaitsFor::signal;
    case STAGE_STOPPED:
      return WaitsFor::stopped;
    default:
      return WaitsFor::other;
  }
}

}  // namespace pipetop::observe
