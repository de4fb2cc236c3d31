// Owners for libbpf's objects, and its log, which must not reach the terminal: the
// dashboard draws there.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/handles.h"
#include "engine/process/privileges.h"

namespace pipetop::observe {

template <auto release>
struct Release {
  void operator()(auto* object) const { release(object); }
};
using Link = std::unique_ptr<bpf_link, Release<bpf_link__destroy>>;
using RingBuffer = std::unique_ptr<ring_buffer, Release<ring_buffer__free>>;
// A skeleton by bpftool; each has its own static destroy().
template <class T>
using Skeleton = std::unique_ptr<T, Release<T::destroy>>;

// Keeps libbpf's most useful warning from now on: the verifier's complaint, else the
// first one, because later ones only say that loading failed.
void begin_libbpf_log();
const std::string& libbpf_log();

// Maps all of an array map that was made with BPF_F_MMAPABLE. Throws Error.
Mapping map_array(const bpf_map* map);

// Reads a word that a BPF program may be writing on another CPU, with a single load.
template <class Word>
Word peek(const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// Throws Error with the explanation of refusals.h, from errno and libbpf's log.
[[noreturn]] void throw_refused(const std::string& step, int error_number);

// For bpf/access.bpf.h: whom the program may see.
template <class Constants>
void set_viewer(Constants& constants) {
  const Viewer us = viewer();
  constants.sees_all = us.sees_all;
  constants.viewer_uid = us.uid;
  constants.viewer_gid = us.gid;
  constants.viewer_capabilities = us.capabilities;
}

// `what` is loaded: "the sampler". `prepare` gets the open skeleton, and sets its constants and
// sizes. Throws Error.
template <class T, class Prepare>
Skeleton<T> load_skeleton(const std::string& what, const Prepare& prepare) {
  begin_libbpf_log();
  Skeleton<T> skeleton(T::open());
  if (!skeleton) throw_refused("open " + what, errno);
  if constexpr (requires { skeleton->rodata->sees_all; }) set_viewer(*skeleton->rodata);
  prepare(*skeleton);
  if (const int error = T::load(skeleton.get())) throw_refused("load " + what, -error);
  // libbpf does not report this: it takes any failed attempt for a kernel that cannot map maps.
  if constexpr (requires { skeleton->bss; })
    if (!skeleton->bss) throw_refused("map variables of " + what, ENOMEM);
  return skeleton;
}

// Attaches an iterator over one task. Null, with errno set, on failure.
Link attach_to_task(const bpf_program* iterator, pid_t pid);
// Over all threads of a process and their descriptors, or of all processes for 0.
Link attach_to_process(const bpf_program* iterator, pid_t pid);

// Runs an iterator once, whatever it prints. False, with errno set, on failure.
bool run_iterator(const Link& iterator);

uint32_t possible_cpus();
}  // namespace pipetop::observe
