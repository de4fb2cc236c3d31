// Settings A and B in turns of a second, until it is known which is faster: what drifts for longer
// than a turn makes both slower alike. Pairs of turns are B A at first, and A B after every fourth
// one, so that a steady drift cancels out. Whoever owns it applies the settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/meter/statistics.h"
#include "engine/model/counts.h"

namespace pipetop {

class Turns {
 public:
  enum class Side : uint8_t { a, b };

  // B is in effect.
  explicit Turns(uint64_t now_ns) : begin_ns_(now_ns), now_ns_(now_ns) {}

  // `settled`: all settings of the side whose turn it is are in effect. Returns the side to apply,
  // if that is another one. At the end it is B.
  std::optional<Side> add(uint64_t now_ns, bool settled, const Progress& total);
  // Ends it; the side to apply, if that is another one.
  std::optional<Side> stop();

  bool ended() const { return ended_; }
  // B over A. They are looked at after each pair: that the interval has 95 % confidence over all
  // of these looks takes 99 % at each.
  const RatioInterval& ratio() const { return ratio_; }
  size_t turns() const { return rates_.size(); }

  // "B/A ×1.05 [1.03 .. 1.07], 12 turns, 24 s"; "B/A same within 1.2 %, 40 turns, 56 s"
  std::string words() const;

 private:
  static Side side_of(size_t turn);
  bool knows_enough() const;
  std::optional<Side> change_to(Side next);

  uint64_t begin_ns_, now_ns_;
  Side side_ = Side::b;
  bool fresh_ = false;               // the side was changed, and nothing was counted yet
  std::optional<uint64_t> from_ns_;  // when the turn begins to count
  std::optional<Progress> from_;     // what there was then
  std::vector<double> rates_;        // a turn each
  std::vector<double> ratios_;       // a pair each
  RatioInterval ratio_;
  bool ended_ = false, stopped_ = false;
};

}  // namespace pipetop
