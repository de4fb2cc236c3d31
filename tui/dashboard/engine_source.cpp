// run_dashboard() on the real engine; apart, so that tests link without one.
#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/source.h"

namespace pipetop::tui {
namespace {

class EngineSource final : public Source {
 public:
  explicit EngineSource(Engine& engine) : engine_(engine) {}

  int event_fd() const override { return engine_.event_fd(); }
  void handle_events() override { engine_.handle_events(); }
  void apply(const Settings& requested, const std::string& label, const std::string& key) override {
    engine_.apply(requested, label, key);
  }
  Snapshot tick() override { return engine_.tick(); }
  Segment segment() override { return engine_.segment(); }
  void count(BpfCounters layout) override { engine_.count(layout); }
  void suspend() override { engine_.suspend(); }
  void resume() override { engine_.resume(); }

 private:
  Engine& engine_;
};

}  // namespace

int run_dashboard(Engine& engine, const Config& config, const DashboardOptions& options) {
  EngineSource source(engine);
  return run_dashboard(source, config, options);
}

}  // namespace pipetop::tui
