#include "engine/process/change_ledger.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

constexpr std::string_view kPrefix = "pipetop-changes-";

// Followed by the changes.
struct Header {
  char magic[8] = {'p', 'i', 'p', 'e', 't', 'o', 'p', 'c'};
  uint32_t version = 2;
  uint32_t change_bytes = sizeof(ForeignChange);
  uint32_t count = 0;
};

size_t bytes_of(const Header& header) {
  return sizeof header + header.count * sizeof(ForeignChange);
}

bool is_ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool is_private_directory(const std::string& path) {
  struct stat status = {};
  return path.starts_with('/') && ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         is_ours_alone(status);
}

bool has_sense(const ForeignChange& change) {
  const auto is_size = [](uint64_t bytes) { return bytes >= 1 && bytes <= INT_MAX; };
  return change.process.pid > 0 && change.fd >= 0 && is_size(change.before) &&
         is_size(change.set) && change.is_in_place >= 0 && change.is_in_place <= 1;
}

bool read_all(int file, void* to, size_t bytes, size_t from) {
  return ::pread(file, to, bytes, static_cast<off_t>(from)) == static_cast<ssize_t>(bytes);
}

// Null if it is damaged.
std::unique_ptr<ChangeList> read_list(int file) {
  const Header expected;
  Header header;
  if (!read_all(file, &header, sizeof header, 0) ||
      std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.version != expected.version || header.change_bytes != expected.change_bytes ||
      header.count > ChangeList::kMost)
    return nullptr;
  auto list = std::make_unique<ChangeList>();
  if (!read_all(file, list->change.data(), header.count * sizeof(ForeignChange), sizeof header))
    return nullptr;
  list->count = header.count;
  for (uint32_t i = 0; i < header.count; ++i) {
    const ForeignChange& change = list->change[i];
    const ForeignChange& before = list->change[i > 0 ? i - 1 : 0];
    const bool follows =
        change.step > before.step || (change.step == before.step && change.pipe == before.pipe);
    if (!follows || !has_sense(change)) return nullptr;
  }
  return list;
}

enum class State { none, in_use, left };

// Nothing if it isn't a record of ours.
State open_record(const std::string& path, UniqueFd& file) {
  file.reset(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_ours_alone(status))
    return State::none;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return State::in_use;
  // Removed meanwhile, or not written yet.
  const bool is_there = ::fstat(file.get(), &status) == 0 && status.st_nlink == 1;
  return is_there && status.st_size > 0 ? State::left : State::none;
}

constexpr size_t kLongestPath = 255;

}  // namespace

std::string record_directory() {
  if (::geteuid() == 0) return "/run";
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  for (const std::string& path :
       {std::string(runtime ? runtime : ""), fmt::format("/run/user/{}", ::geteuid())})
    if (is_private_directory(path)) return path;
  return "";
}

ChangeRecord make_record(const std::string& directory) {
  std::string path = fmt::format("{}/{}XXXXXX", directory, kPrefix);
  UniqueFd file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) throw SystemError(path, errno);
  return {std::move(path), std::move(file)};
}

void write_record(int file, const ChangeList& list) {
  if (list.is_empty()) {
    (void)!::ftruncate(file, 0);
    return;
  }
  Header header;
  header.count = list.count;
  const auto* changes = static_cast<const void*>(list.change.data());
  const iovec parts[] = {{&header, sizeof header},
                         {const_cast<void*>(changes), header.count * sizeof(ForeignChange)}};
  (void)!::pwritev(file, parts, 2, 0);
  (void)!::ftruncate(file, static_cast<off_t>(bytes_of(header)));
}

FoundRecords find_records(const std::string& directory) {
  FoundRecords found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), &::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (!std::string_view(entry->d_name).starts_with(kPrefix)) continue;
    ChangeRecord record{directory + "/" + entry->d_name, {}};
    const State state = open_record(record.path, record.file);
    if (state == State::in_use) ++found.in_use;
    if (state != State::left) continue;
    auto list = read_list(record.file.get());
    found.left.push_back({std::move(record), std::move(list)});
  }
  return found;
}

struct ChangeLedger::Shared {
  std::array<char, kLongestPath + 1> path;  // of the record; "": there is none
  ChangeList list;
};

ChangeLedger::ChangeLedger(std::string directory) : directory_(std::move(directory)) {}

ChangeLedger::Shared& ChangeLedger::shared() const { return *static_cast<Shared*>(memory_.data()); }

const ChangeList& ChangeLedger::list() const { return shared().list; }

// In the guardian: only async-signal-safe calls.
bool ChangeLedger::attempt(void* memory, const int* fds) {
  auto& shared = *static_cast<Shared*>(memory);
  const bool again = put_back_all(shared.list);
  if (fds[0] < 0) return again;
  write_record(fds[0], shared.list);
  if (shared.list.is_empty()) ::unlink(shared.path.data());
  return again;
}

// The guardian puts back what it can without one.
void ChangeLedger::open_record() {
  if (record_.file || directory_.empty() || directory_.size() > kLongestPath / 2) return;
  if (!succeeds([&] { record_ = make_record(directory_); })) return;
  std::ranges::copy(record_.path, shared().path.data());
}

void ChangeLedger::start() {
  if (!memory_) memory_ = map_shared_memory(sizeof(Shared));
  if (!memory_) throw SystemError("mmap", errno);
  open_record();
  guardian_.emplace(GuardianDuty{.attempt = attempt,
                                 .memory = memory_.data(),
                                 .fds = {record_.file.get(), -1},
                                 // Ends of others' pipes, rings that were made smaller.
                                 .capabilities = capabilities({CAP_SYS_PTRACE, CAP_SYS_RESOURCE})});
}

uint32_t ChangeLedger::begin() {
  try {
    if (!guardian_ || !guardian_->is_there()) start();
  } catch (const SystemError& error) {
    throw Error(
        std::string("refused: no guardian process can be started to put the change back: ") +
            error.what(),
        Exit::refused);
  }
  ChangeList& list = shared().list;
  while (list.count > 0 && list.change[list.count - 1].is_in_place == 0) --list.count;
  return ++step_;
}

ForeignChange& ChangeLedger::add(ForeignChange change) {
  ChangeList& list = shared().list;
  if (list.count == ChangeList::kMost)
    throw Error("no more ends of pipes can be remembered: put back some changes first",
                Exit::refused);
  change.step = step_;
  change.is_in_place = 1;
  ForeignChange& added = list.change[list.count];
  added = change;
  std::atomic_ref(list.count).store(list.count + 1, std::memory_order_release);
  return added;
}

void ChangeLedger::write() const {
  if (record_.file) write_record(record_.file.get(), list());
}

void ChangeLedger::correct(uint32_t step, uint64_t before, uint64_t set) {
  for (ForeignChange& change : shared().list.of(step)) {
    change.before = before;
    change.set = set;
  }
  write();
}

PutBack ChangeLedger::put_back(uint32_t step) {
  const PutBack result = put_back_step(shared().list, step);
  write();
  return result;
}

void ChangeLedger::forget(uint32_t step) {
  for (ForeignChange& change : shared().list.of(step)) change.is_in_place = 0;
  write();
}

void ChangeLedger::forget_all() {
  if (!memory_) return;
  for (ForeignChange& change : shared().list.changes()) change.is_in_place = 0;
  write();
}

// The guardian may have descriptors where we have none.
bool ChangeLedger::finish() {
  if (!memory_) return false;
  put_back_all(shared().list);
  write();
  const bool goes_on = guardian_ && guardian_->finish();
  guardian_.reset();
  if (record_.file && list().is_empty()) ::unlink(record_.path.c_str());
  record_.file.reset();
  return goes_on;
}

}  // namespace pipetop
