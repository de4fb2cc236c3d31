// Values of every recorded kind, by chance: what a snapshot could be, and much that it never is.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/recording/type.h"

namespace pipetop::recording {

class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  // Changes about one of `rarely` values within.
  void change(Snapshot& snapshot, uint64_t rarely) {
    rarely_ = rarely;
    change<Snapshot>(snapshot);
    snapshot.now_ns = now_ns_ += 50'000'000 + below(1000);
    // As it is measured: begin and end of a segment are times.
    if (below(30) == 0) ++segment_;
    snapshot.throughput.current.number = segment_;
    snapshot.throughput.current.begin_ns = segment_;
    if (snapshot.watched) keep_stages(*snapshot.watched);
  }

  uint64_t below(uint64_t end) { return random_() % end; }

 private:
  // An end is of a stage that is there.
  static void keep_stages(Pipeline& pipeline) {
    const size_t stages = pipeline.stages.size();
    for (Pipe& pipe : pipeline.pipes)
      for (auto* ends : {&pipe.writers, &pipe.readers}) {
        if (stages == 0) ends->clear();
        for (StageEnd& end : *ends) end.stage %= stages;
      }
  }
  bool chance() { return below(rarely_) == 0; }

  template <class T>
  requires std::is_enum_v<T>
  void change(T& value) {
    if (chance()) value = static_cast<T>(below(uint64_t(last_value<T>()) + 1));
  }
  void change(bool& value) {
    if (chance()) value = !value;
  }
  template <class T>
  requires std::is_integral_v<T>
  void change(T& value) {
    if (!chance()) return;
    const uint64_t near = static_cast<uint64_t>(value) + below(100);
    value = static_cast<T>(below(2) == 0 ? near : random_() >> below(64));
  }
  void change(double& value) {
    if (chance()) value = below(4) == 0 ? 0 : std::uniform_real_distribution(0.0, 1e6)(random_);
  }
  void change(std::string& value) {
    static const std::array<std::string, 5> kTexts = {"", "v", "write → read", "a longer text; b",
                                                      "65536"};
    if (chance()) value = kTexts[below(kTexts.size())];
  }
  template <class T>
  void change(Reading<T>& value) {
    if (chance()) {
      value.status = static_cast<ReadingStatus>(below(4));
      if (value.status == ReadingStatus::ok || value.status == ReadingStatus::stale) {
        if (!value.has_value()) value.value.emplace();
      } else {
        value.value.reset();
      }
      change(value.reason);
    }
    if (value.has_value()) change(*value.value);
  }
  template <class T>
  void change(std::optional<T>& value) {
    if (chance()) value.reset();
    if (!value && below(2) == 0) value.emplace();
    if (value) change(*value);
  }
  template <class T>
  void change(std::vector<T>& value) {
    if (chance()) value.resize(below(4));
    for (T& one : value) change(one);
  }
  template <class T, size_t kSize>
  void change(std::array<T, kSize>& value) {
    for (T& one : value) change(one);
  }
  template <HasFields T>
  void change(T& value) {
    FieldsOf<T>::each([&]<auto kMember>() { change(value.*kMember); });
  }

  void change(Series<RatePoint>& value) {
    if (chance()) value = {};  // another engine
    if (below(2) == 0) value.push_back({++time_, double(below(1000)) / 7});
    if (value.size() > 50) value.pop_front();
  }
  void change(std::shared_ptr<const OccupancyHistory>& value) {
    if (!chance()) return;
    auto next =
        value ? std::make_shared<OccupancyHistory>(*value) : std::make_shared<OccupancyHistory>();
    next->column_ns = 200'000'000;
    OccupancyColumn column;
    for (int i = 0; i < 5; ++i) change<OccupancyColumn>(column);
    next->columns.push_back(column);
    if (next->columns.size() > 20) next->columns.pop_front();
    value = below(20) == 0 ? nullptr : std::move(next);
  }
  template <class T>
  void change_log(std::vector<T>& value) {
    if (!chance()) return;
    value.push_back({});
    value.back().at_ns = ++time_;
    if (value.size() > 8) value.erase(value.begin());
  }
  void change(std::vector<ChangeMark>& value) { change_log(value); }
  void change(std::vector<Notice>& value) { change_log(value); }
  void change(std::shared_ptr<const Segment>& value) {
    if (!chance()) return;
    auto segment = std::make_shared<Segment>();
    for (int i = 0; i < 20; ++i) change<Segment>(*segment);
    value = below(5) == 0 ? nullptr : std::move(segment);
  }
  void change(std::vector<std::shared_ptr<const Segment>>& value) {
    if (!chance()) return;
    std::shared_ptr<const Segment> next;
    while (!next) change(next);
    value.push_back(next);
    if (value.size() > 10) value.erase(value.begin());
  }
  void change(std::shared_ptr<const HostInfo>& value) {
    if (!chance()) return;
    auto host = value ? std::make_shared<HostInfo>(*value) : std::make_shared<HostInfo>();
    change<HostInfo>(*host);
    value = std::move(host);
  }
  void change(std::vector<Slot>& value) {
    if (!chance()) return;
    if (below(4) == 0) value.resize(below(3) * 16);
    for (Slot& slot : value)
      if (below(3) == 0)
        slot = {static_cast<SlotKind>(below(kSlotKinds)),
                below(2) == 0,
                below(2) == 0,
                uint32_t(below(4096)),
                4096,
                uint32_t(below(8)),
                below(2) == 0};
  }
  // Nodes come and go, and weigh something else; its order stays.
  void change(std::shared_ptr<const CallTree>& value) {
    if (!chance()) return;
    static const std::array<std::string, 6> kNames = {"pipe_write", "vfs_write", "[user]",
                                                      "schedule",   "memcpy",    "pipe_read"};
    const CallTree old = *value;
    auto tree = std::make_shared<CallTree>();
    tree->paths = below(8) != 0;
    tree->total = below(2) ? 0 : below(1000);
    std::vector<uint32_t> now(old.nodes.size(), CallNode::kNone);
    for (size_t i = 0; i < old.nodes.size(); ++i) {
      CallNode node = old.nodes[i];
      const bool root = node.parent == CallNode::kNone;
      if (below(6) == 0 || (!root && now[node.parent] == CallNode::kNone)) continue;
      if (!root) node.parent = now[node.parent];
      if (below(3) == 0) node.self = below(10'000);
      now[i] = static_cast<uint32_t>(tree->nodes.size());
      tree->nodes.push_back(node);
    }
    for (uint64_t more = below(4); more-- > 0;) {
      const auto size = static_cast<uint32_t>(tree->nodes.size());
      const uint32_t parent =
          size == 0 || below(3) == 0 ? CallNode::kNone : static_cast<uint32_t>(below(size));
      tree->nodes.push_back({Function(kNames[below(kNames.size())]), parent, below(100), 0});
    }
    if (tree->nodes.size() > 40) tree->nodes.clear();
    if (below(4) != 0) add_up(*tree);
    value = std::move(tree);
  }
  static void add_up(CallTree& tree) {
    tree.total = 0;
    for (CallNode& node : tree.nodes) node.total = node.self;
    for (size_t i = tree.nodes.size(); i-- > 0;) {
      const CallNode& node = tree.nodes[i];
      (node.parent == CallNode::kNone ? tree.total : tree.nodes[node.parent].total) += node.total;
    }
  }

  std::mt19937_64 random_;
  uint64_t rarely_ = 10;
  uint64_t now_ns_ = 1'000'000'000, time_ = 0;
  uint32_t segment_ = 1;
};

}  // namespace pipetop::recording
