#include "engine/workload/page_cache/page_cache_workload.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/process/worker_process.h"
#include "engine/workload/page_cache/page_cache_settings.h"

namespace pipetop {
namespace {

// The screen must stay responsive in between.
constexpr uint64_t kFillSlice = 20'000'000;
constexpr uint64_t kFillStep = 8ull << 20;

int work(ControlBlock& block, Role) {
  return run_client(block,
                    {kWorkerFirstFd, kWorkerFirstFd + 1, kWorkerFirstFd + 2, kWorkerFirstFd + 3});
}

}  // namespace

WorkloadEntry page_cache_entry() {
  return {.kind = WorkloadKind::page_cache,
          .terms = {.name = "page-cache",
                    .help = "clients that splice a cached file into a pipe, and on to /dev/null",
                    .unit = {"GiB/s", "gib_per_s", "bytes", kGiB},
                    .roles = {"client", ""},
                    .part = "client",
                    .prepares = "file",
                    .does = "splice",
                    .has_ring = true},
          .knobs = page_cache_knobs,
          .hot_keys = page_cache_hot_keys,
          .presets = page_cache_presets,
          .validate = [](const Settings&) {},  // all combinations are valid
          .make = [](const WorkloadContext& context) -> std::unique_ptr<Workload> {
            return std::make_unique<PageCacheWorkload>(context, FileStore(temporary_directories()));
          },
          .work = work};
}

PageCacheWorkload::PageCacheWorkload(const WorkloadContext& context, FileStore store)
    : machine_(context.machine),
      pool_(context.pool),
      store_(std::move(store)),
      probe_(probe_file_zero_copy(store_.make().fd())) {
  pipes_.push_back(std::make_unique<PipeOwner>());
  if (store_.in_memory())
    notice(
        "the file is a memfd in shmem, not in a file system's page cache; set TMPDIR to another "
        "directory");
  if (probe_.result == ZeroCopy::copied)
    notice("this kernel's splice copies what it reads from the file (copy_splice_read)");
}

void PageCacheWorkload::notice(std::string text) {
  notices_.push_back({monotonic_ns(), Severity::warning, std::move(text)});
}

std::vector<Notice> PageCacheWorkload::notices() { return std::exchange(notices_, {}); }

// "" if the files exist (fill() comes later); else why not, with the files unchanged.
std::string PageCacheWorkload::make_files(const PageCacheSettings& wanted) {
  const uint32_t count = files_of(wanted);
  uint64_t held = 0;
  for (uint32_t i = 0; i < count && i < files_.size(); ++i) held += files_[i].bytes();
  std::string refusal =
      why_no_room(count, wanted.file_size, held, store_.room(held), store_.directory());
  while (files_.size() < wanted.clients) files_.push_back(store_.make());
  for (uint32_t i = 0; i < count && refusal.empty(); ++i) {
    const int error = files_[i].resize(wanted.file_size);
    if (error != 0) refusal = SystemError("fallocate of a file", error).what();
  }
  return refusal;
}

Settings PageCacheWorkload::grant(const Settings& requested, std::string& refusal) {
  refusal = make_files(requested.page_cache);
  if (refusal.empty()) return requested;
  if (clients_.empty()) throw Error(refusal, Exit::refused);
  // The effective settings stay.
  Settings granted = requested;
  const PageCacheSettings& old = plan_.settings.page_cache;
  granted.page_cache.clients = old.clients;
  granted.page_cache.files = old.files;
  granted.page_cache.file_size = old.file_size;
  for (CachedFile& file : files_)
    if (file.bytes() != 0) file.resize(old.file_size);
  return granted;
}

void PageCacheWorkload::add_client() {
  const size_t i = clients_.size();
  if (pipes_.size() == i) pipes_.push_back(std::make_unique<PipeOwner>());
  PipeOwner& pipe = *pipes_[i];
  UniqueFd shared = files_[0].open_again(), own = files_[i].open_again();
  Worker& worker = pool_.add(kClient, {pipe.read_fd(), pipe.write_fd(), shared.get(), own.get()});
  clients_.push_back(
      std::make_unique<Client>(Client{std::move(shared), std::move(own), worker, {pipe, worker}}));
}

void PageCacheWorkload::set_clients(uint32_t count) {
  while (clients_.size() > count) {
    pool_.remove(clients_.back()->worker);
    clients_.pop_back();
    pipes_.pop_back();
  }
  // Files on a disk are kept for later use: the kernel reclaims their pages when it
  // needs them.
  while (store_.in_memory() && files_.size() > count) files_.pop_back();
  while (clients_.size() < count) add_client();
  const std::vector<int> cpus = cpus_for(count, machine_.cpus);
  for (size_t i = 0; i < count; ++i) pool_.place(clients_[i]->worker, cpus[i]);
}

void PageCacheWorkload::begin(const Settings& requested) {
  std::string refusal;
  const Settings granted = grant(requested, refusal);
  const uint32_t in_use = clients_.empty() ? 0 : files_of(plan_.settings.page_cache);
  requested_ = requested;
  plan_ = plan_page_cache(requested, granted, refusal, machine_.cpus);
  const PageCacheSettings& planned = plan_.settings.page_cache;
  settled_ = false;
  set_clients(planned.clients);
  for (uint32_t i = in_use; i < files_of(planned); ++i) files_[i].check();
  for (size_t i = 0; i < clients_.size(); ++i)
    clients_[i]->change.begin(planned, file_of(i).is_filled());
}

// Does a slice of the work. True if there is none left.
bool PageCacheWorkload::fill_files() {
  const uint64_t end = monotonic_ns() + kFillSlice;
  for (uint32_t i = 0; i < files_of(plan_.settings.page_cache); ++i) {
    while (!files_[i].is_filled()) {
      files_[i].fill(kFillStep);
      if (monotonic_ns() >= end) return false;
    }
  }
  return true;
}

bool PageCacheWorkload::advance() {
  bool in_force = quitting_ || fill_files();
  for (size_t i = 0; i < clients_.size(); ++i) {
    ClientChange& change = clients_[i]->change;
    if (change.holds() && file_of(i).is_filled()) change.flow();
    in_force = change.advance() && in_force;
  }
  if (in_force && !settled_) watch_from_now();
  return settled_ = in_force;
}

void PageCacheWorkload::quit() {
  quitting_ = true;
  for (const auto& client : clients_) client->change.quit();
}

void PageCacheWorkload::died(const Worker& worker) {
  settled_ = false;
  for (const auto& client : clients_)
    if (&client->worker == &worker) client->change.begin_anew();
}

void PageCacheWorkload::watch_from_now() {
  std::vector<FileSpan> spans;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < files_of(plan_.settings.page_cache); ++i) {
    spans.push_back({files_[i].fd(), files_[i].bytes()});
    bytes += files_[i].bytes();
  }
  share_.restart(spans);
  eviction_.restart(bytes);
  disk_reads_.restart();
  disk_reads_.since_last(pool_.pids(kClient));
}

void PageCacheWorkload::watch(uint64_t now_ns) {
  if (!share_.sample(now_ns)) return;
  const uint64_t reread = disk_reads_.since_last(pool_.pids(kClient));
  if (auto evicted = eviction_.add(share_.share(), reread)) notice(std::move(*evicted));
}

Progress PageCacheWorkload::progress(uint64_t now_ns) const {
  return {pool_.counts(kClient).items, now_ns};
}

std::vector<PartProgress> PageCacheWorkload::parts() const {
  return parts_of(pool_.of(kClient), "client");
}

Effective PageCacheWorkload::effective(const Seen& seen) const {
  PageCacheFacts facts;
  facts.chunk_bytes = plan_.settings.page_cache.chunk_size;
  for (const auto& client : clients_) {
    facts.chunk_bytes = std::min(facts.chunk_bytes, client->change.chunk_bytes());
    if (facts.resize_error == 0) facts.resize_error = client->change.resize_error();
  }
  facts.probe = probe_;
  facts.seen = seen;
  Effective effective = make_page_cache_effective(requested_, plan_, facts);
  effective.pipe.bytes = pipes_.front()->capacity_bytes();
  effective.preparing = preparing();
  return effective;
}

std::string PageCacheWorkload::preparing() const {
  const uint32_t count = files_of(plan_.settings.page_cache);
  for (uint32_t i = 0; i < count && i < files_.size(); ++i)
    if (!files_[i].is_filled())
      return fmt::format("file {} of {}: {:.0f} % written", i + 1, count,
                         100 * files_[i].filled_share());
  return {};
}

std::vector<Figure> PageCacheWorkload::figures(const Throughput& throughput) const {
  const std::string making = preparing();
  const auto cached = making.empty() ? share_.share() : Reading<double>::warming(making);
  std::vector<Figure> figures = {{"cached", "cached", FigureKind::share, cached}};
  if (clients_.size() > 1)
    figures.push_back(
        {"efficiency", "efficiency", FigureKind::share, efficiency_of(throughput, plan_.settings)});
  return figures;
}

std::vector<std::string> PageCacheWorkload::technique(Role, const Effective& effective) const {
  const PageCacheSettings& s = effective.settings.page_cache;
  return {"splice → pipe → /dev/null", s.files == Files::same ? "same file" : "own files",
          fmt::format("gang {}", s.gang_size)};
}

}  // namespace pipetop
