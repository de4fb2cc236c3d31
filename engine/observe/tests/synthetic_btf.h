// The types of a kernel that is not at hand, as BTF in a file that libbpf reads
// in place of the running kernel's. Needs no privilege.
#pragma once

#include <bpf/btf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/handles.h"

namespace pipetop::observe {

// How pipe_inode_info has the two ends of its ring.
enum class Ends {
  plain,         // up to 6.13
  in_union,      // 6.14: in an anonymous union with head_tail
  in_tagged,     // 6.19: that union is an anonymous member of a named type
  under_others,  // never: under other names
};

// Where a kernel has it whether a process can be dumped.
enum class Dumpable {
  in_memory,  // up to 7.1: in its mm_struct
  by_exec,    // in the task_exec_state that exec makes
};

// In no kernel's places, so that they can come from here only.
inline constexpr int kHeadOffset = 1704, kTailOffset = 1708, kRingSizeOffset = 1724;

class SyntheticBtf {
 public:
  SyntheticBtf(Ends ends, Dumpable dumpable) : file_(memfd_create("pipetop-btf", MFD_CLOEXEC)) {
    add_pipe(ends);
    record("pipe_buffer", 40,
           {{"page", pointer_, 0},
            {"offset", u32_, 8},
            {"len", u32_, 12},
            {"ops", pointer_, 16},
            {"flags", u32_, 24}});
    record("pipe_buf_operations", 32, {{"try_steal", pointer_, 16}});
    record("page", 64, {{"compound_head", u64_, 8}});
    record("folio", 192, {{"_flags_1", u64_, 64}});
    record("inode", 600, {{"i_mode", u16_, 0}, {"i_ino", u64_, 64}, {"i_pipe", pointer_, 568}});
    record("file", 232, {{"f_inode", pointer_, 32}});
    add_credentials(dumpable);
    // The verifier holds it against the running kernel's.
    record("bpf_iter__task_file", 32,
           {{"task", pointer_, 8}, {"fd", u32_, 16}, {"file", pointer_, 24}});
    save();
  }

  // Valid while this lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  struct Field {
    const char* name;  // null: anonymous
    int type;
    int offset;  // bytes
  };

  int record(const char* name, uint32_t bytes, const std::vector<Field>& fields) {
    return filled(btf__add_struct(btf_.get(), name, bytes), fields);
  }
  int either(const char* name, uint32_t bytes, const std::vector<Field>& fields) {
    return filled(btf__add_union(btf_.get(), name, bytes), fields);
  }
  int filled(int type, const std::vector<Field>& fields) {
    for (const Field& field : fields)
      if (btf__add_field(btf_.get(), field.name, field.type, uint32_t(field.offset) * 8, 0) != 0)
        throw std::runtime_error("btf__add_field");
    return type;
  }

  void add_pipe(Ends ends) {
    const int index = btf__add_typedef(btf_.get(), "pipe_index_t", u32_);
    const int both = record(nullptr, 8, {{"head", index, 0}, {"tail", index, 4}});
    const char* tag = ends == Ends::in_tagged ? "pipe_index" : nullptr;
    const int joint = either(tag, 8, {{"head_tail", u64_, 0}, {nullptr, both, 0}});
    std::vector<Field> fields;
    if (ends == Ends::plain) fields = {{"head", u32_, kHeadOffset}, {"tail", u32_, kTailOffset}};
    if (ends == Ends::in_union || ends == Ends::in_tagged) fields = {{nullptr, joint, kHeadOffset}};
    if (ends == Ends::under_others)
      fields = {{"front", u32_, kHeadOffset}, {"back", u32_, kTailOffset}};
    fields.insert(fields.end(), {{"ring_size", u32_, kRingSizeOffset},
                                 {"readers", u32_, 1728},
                                 {"writers", u32_, 1732},
                                 {"bufs", pointer_, 1736}});
    record("pipe_inode_info", 1744, fields);
  }

  // As in 6.1.
  void add_credentials(Dumpable dumpable) {
    const int id = btf__add_typedef(btf_.get(), "kuid_t", record(nullptr, 4, {{"val", u32_, 0}}));
    const int words = record("kernel_cap_struct", 8, {});
    std::vector<Field> fields = {{"exit_state", u32_, 1100},
                                 {"tgid", u32_, 1200},
                                 {"real_cred", pointer_, 1800},
                                 {"mm", pointer_, 1900}};
    if (dumpable == Dumpable::by_exec) fields.push_back({"exec_state", pointer_, 2000});
    record("task_struct", 9000, fields);
    record("cred", 176,
           {{"uid", id, 4},
            {"gid", id, 8},
            {"suid", id, 12},
            {"sgid", id, 16},
            {"euid", id, 20},
            {"egid", id, 24},
            {"cap_permitted", words, 48},
            {"user_ns", pointer_, 136}});
    record("mm_struct", 1000, {{"flags", u64_, 600}, {"user_ns", pointer_, 700}});
    record("user_namespace", 600, {{"parent", pointer_, 216}, {"owner", id, 228}});
  }

  void save() {
    uint32_t bytes = 0;
    const void* raw = btf__raw_data(btf_.get(), &bytes);
    if (!raw || write(file_.get(), raw, bytes) != ssize_t(bytes))
      throw std::runtime_error("write of the BTF");
  }

  struct Free {
    void operator()(btf* btf) const { btf__free(btf); }
  };
  UniqueFd file_;
  std::unique_ptr<btf, Free> btf_{btf__new_empty()};
  int u16_ = btf__add_int(btf_.get(), "unsigned short", 2, 0);
  int u32_ = btf__add_int(btf_.get(), "unsigned int", 4, 0);
  int u64_ = btf__add_int(btf_.get(), "unsigned long", 8, 0);
  int pointer_ = btf__add_ptr(btf_.get(), 0);
};

}  // namespace pipetop::observe
