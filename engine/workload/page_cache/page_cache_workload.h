// Clients that each splice a file from the page cache into their own pipe, and on
// to /dev/null: how the page cache scales with several clients.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/process/pipe_owner.h"
#include "engine/workload/page_cache/cached_file.h"
#include "engine/workload/page_cache/client.h"
#include "engine/workload/page_cache/page_cache_settings.h"
#include "engine/workload/workload.h"

namespace pipetop {

WorkloadEntry page_cache_entry();

class PageCacheWorkload final : public Workload {
 public:
  PageCacheWorkload(const WorkloadContext& context, FileStore store);

  // Also throws Error if there is no room for the initial files.
  void begin(const Settings& requested) override;
  // Throws SystemError if a file cannot be written or read.
  bool advance() override;
  void quit() override;
  void died(const Worker& worker) override;
  void watch(uint64_t now_ns) override;
  Progress progress(uint64_t now_ns) const override;
  std::vector<PartProgress> parts() const override;
  Effective effective(const Seen& seen) const override;
  int pipe_fd() const override { return pipes_.front()->read_fd(); }
  std::vector<Figure> figures(const Throughput& throughput) const override;
  std::vector<std::string> technique(Role role, const Effective& effective) const override;
  std::vector<Notice> notices() override;

  // The shared file, which is also the first client's; then one for each further client. There may
  // be more, of former clients.
  const CachedFile& file(size_t i) const { return files_[i]; }

 private:
  // Its pipe outlives it: the first one is observed.
  struct Client {
    UniqueFd shared_file, own_file;  // open files of its own
    Worker& worker;
    ClientChange change;
  };
  // The settings that there are files for, and why not all.
  Settings grant(const Settings& requested, std::string& refusal);
  std::string make_files(const PageCacheSettings& wanted);
  void set_clients(uint32_t count);
  void add_client();
  CachedFile& file_of(size_t client) { return files_[uses_own() ? client : 0]; }
  bool uses_own() const { return plan_.settings.page_cache.files == Files::own; }
  bool fill_files();
  void watch_from_now();
  std::string preparing() const;
  void notice(std::string text);

  const Capabilities& machine_;
  WorkerPool& pool_;
  FileStore store_;
  std::deque<CachedFile> files_;
  std::vector<std::unique_ptr<PipeOwner>> pipes_;
  std::vector<std::unique_ptr<Client>> clients_;
  Settings requested_;
  Effective plan_;
  ZeroCopyProbe probe_;
  bool settled_ = false;
  bool quitting_ = false;
  CachedShare share_;
  DiskReads disk_reads_;
  Eviction eviction_;
  std::vector<Notice> notices_;
};

}  // namespace pipetop
