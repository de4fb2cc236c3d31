// Values as bytes, by the tables of their types: all of each value, as zstd finds what repeats. But
// what only grows, and what many values share, is written once and referred to by number.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/functions.h"
#include "engine/recording/bytes.h"
#include "engine/recording/recording_header.h"
#include "engine/recording/type.h"

namespace pipetop::recording {

// With all that they are made of, once.
extern template const Type& type_of<Snapshot>();
extern template const Type& type_of<Segment>();
extern template const Type& type_of<RecordingHeader>();
extern template const Type& type_of<RecordedMark>();

// How an entry of the shared values begins.
enum class SharedKind : uint8_t {
  name = 1,  // of a function
  series,    // values that follow in one: its number, its type, how many
  segment,
  mark,
  times,  // of the frames that follow
};

// The series that there are, by the number of their type.
inline constexpr size_t kSeriesTypes = 2;
const Type& series_type(size_t number);

// ---- to write -----------------------------------------------------------------------

// What was written once.
class Written {
 public:
  // Numbers of what has been written, or is now.
  uint32_t number_of(Function function);
  uint32_t number_of_segment(const std::shared_ptr<const Segment>& segment);  // from 1
  struct Part {
    uint32_t list = 0;  // from 1; 0: it is empty
    uint32_t begin = 0, end = 0;
  };
  // Values leave a series at the front and come at the end. Lists are found by what they hold.
  Part part_of(const Type& type, const void* series);

  void add(const RecordedMark& mark);
  void add_times(std::span<const uint64_t> times);

  // What no value has referred to since the last call won't be looked for any more.
  void forget_unused();

  ByteWriter& shared() { return shared_; }

 private:
  struct List {
    const Type* type;
    std::string last;  // the values that a series had last
    uint32_t end = 0;  // how many were written
    bool used = true;
  };
  List& list_of(const Type& type, std::string_view values, size_t& known);

  ByteWriter shared_;
  std::vector<uint32_t> names_;  // by Function::number(); 0: not yet written, else its number + 1
  uint32_t name_count_ = 0;
  std::vector<List> lists_;
  size_t next_list_ = 0;  // where the search begins: values come in the same order
  // Holding them keeps their addresses from being used again.
  struct Kept {
    uint32_t number = 0;
    bool used = true;
  };
  std::map<std::shared_ptr<const Segment>, Kept> segments_;
  uint32_t segment_count_ = 0;
};

// Values that share objects among themselves: the frames of two seconds, or a segment.
class Encoder {
 public:
  explicit Encoder(Written& written) : written_(written) {}

  template <class T>
  void put(const T& value) {
    put(type_of<T>(), &value);
  }
  void put_values(const Type& element, const void* values, size_t count);
  const std::string& bytes() const { return out_.bytes(); }
  void clear() { out_.clear(); }  // the objects are still known
  void forget_objects() { objects_.clear(); }

 private:
  void put(const Type& type, const void* value);
  void put_shared(const Type& type, const void* value);
  void put(const CallTree& tree);

  Written& written_;
  ByteWriter out_;
  std::map<std::shared_ptr<const void>, uint32_t> objects_;  // their numbers, from 1
};

// ---- to read ------------------------------------------------------------------------

// Memory that reading may still allocate: few bytes can ask for much.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : left_(bytes) {}

  void charge(uint64_t bytes) {
    if (bytes > left_) fail("it asks for too much memory");
    left_ -= bytes;
  }
  uint64_t left() const { return left_; }

 private:
  uint64_t left_;
};

// The structs that a recording has, and which members each had when it was made: one that we know
// under another type, or not at all, isn't ours to read; one that it lacks keeps its default.
class Layout {
 public:
  static const Layout& newest();  // ours
  static void write(ByteWriter& out);
  // Throws Error.
  static Layout read(ByteReader& in);

  std::span<const Field* const> fields_of(const Type& group) const;
  // Of each value of a type, if they are always as many; else 0.
  size_t plain_bytes(const Type& type) const;

 private:
  std::map<const Type*, std::vector<const Field*>> fields_;
};

struct SharedValues {
  struct List {
    const Type* type = nullptr;
    std::shared_ptr<void> values;
    size_t size = 0;
  };
  std::vector<Function> names;
  std::vector<List> lists;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<RecordedMark> marks;
  std::vector<uint64_t> times;  // of the frames
};

// Values that share objects among themselves. All that it refers to outlives it.
class Decoder {
 public:
  Decoder(const SharedValues& shared, const Layout& layout, Budget& budget)
      : shared_(shared), layout_(layout), budget_(budget) {}

  // Throws Error for bytes that no Encoder makes; then the value is of no use.
  template <class T>
  void get(ByteReader& in, T& value) {
    in_ = &in;
    get(type_of<T>(), &value);
  }
  void get(ByteReader& in, const Type& type, void* value) {
    in_ = &in;
    get(type, value);
  }
  // Bytes of the objects that its values share.
  uint64_t object_bytes() const { return object_bytes_; }

 private:
  void get(const Type& type, void* value);
  std::string text();
  void get_values(const Type& type, size_t count, void* value);
  void get_series(const Type& type, void* value);
  void get_shared(const Type& type, void* value);
  void get(CallTree& tree);

  const SharedValues& shared_;
  const Layout& layout_;
  Budget& budget_;
  ByteReader* in_ = nullptr;
  std::vector<std::pair<const Type*, std::shared_ptr<void>>> objects_;
  uint64_t object_bytes_ = 0;
};

// Adds what the shared values of a block are. Throws Error.
void read_shared(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared);

}  // namespace pipetop::recording
