// What a type is made of, as a table that is read while the program runs: recordings are written
// and read by it, by one piece of code for all types. It is made from the tables of fields().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/enumerator.h"
#include "engine/base/error.h"
#include "engine/base/reading.h"
#include "engine/base/shared_vector.h"
#include "engine/model/fields.h"
#include "engine/recording/recording_header.h"

namespace pipetop::recording {

struct Type;

struct Field {
  std::string name;
  const Type* type = nullptr;
  size_t offset = 0;  // bytes
};

struct Type {
  enum class Kind : uint8_t {
    number,  // of any width, an integer or a double
    choice,  // a value of an enumeration, or a bool
    text,
    group,  // a struct
    array,  // of a fixed length
    list,   // a vector
    optional,
    series,  // a Series: written once, however many values have parts of it
    shared,  // a shared_ptr: likewise
    tree,    // a CallTree
  };

  Kind kind = Kind::number;
  std::string name;                            // "u64", "list of Stage"
  size_t size = 0;                             // in memory, bytes
  uint64_t last = 0;                           // value of a choice
  std::vector<Field> fields;                   // of a group
  void (*check)(const void* value) = nullptr;  // of a group; throws Error for what nobody can show

  // What is in it: of an array, list, optional, series or shared.
  const Type* element = nullptr;
  size_t (*length)(const void* value) = nullptr;  // 0 or 1 of an optional
  const void* (*data)(const void* value) =
      nullptr;  // of the first; of a shared the object, or null
  void (*resize)(void* value, size_t length) = nullptr;

  // Of a series: its values are kept in a vector, which all that have parts of it share.
  std::shared_ptr<void> (*make)() = nullptr;  // of a shared, too: a new object
  void* (*add)(void* values) = nullptr;       // one more at the end
  void (*set_part)(void* series, std::shared_ptr<void> values, size_t begin, size_t end) = nullptr;
  // Of a shared.
  std::shared_ptr<const void> (*get)(const void* pointer) = nullptr;
  void (*set)(void* pointer, std::shared_ptr<void> object) = nullptr;
  bool keeps = false;  // as long as the recording is open; else for two seconds of frames
};

// The same one each time.
template <class T>
const Type& type_of();

// ---- checks ------------------------------------------------------------------------

void check(const Pipeline& pipeline);  // its pipes' ends are of stages that are there
void check(const RingFrame& frame);    // its slots are no more than a pipe may have
template <class T>
void check(const Reading<T>& reading);

// ---- how a type is described ---------------------------------------------------------

template <class T>
constexpr std::string_view type_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("T = ") + 4);
  return name.substr(0, name.find_first_of(";]"));
}

// Compilers differ in how they write those of templates.
template <class T>
std::string group_name(const T*) {
  return std::string(type_name<T>());
}
template <class T>
std::string group_name(const Reading<T>*) {
  return "reading of " + type_of<T>().name;
}

// The last value of an enumeration without gaps.
template <class E, int kValue = 0>
constexpr int last_value() {
  if constexpr (is_enumerator<static_cast<E>(kValue + 1)>())
    return last_value<E, kValue + 1>();
  else
    return kValue;
}

template <class List>
void describe_values(Type& type, const Type& element) {
  type.element = &element;
  type.length = [](const void* value) { return static_cast<const List*>(value)->size(); };
  type.data = [](const void* value) -> const void* {
    return std::to_address(static_cast<const List*>(value)->begin());
  };
}

template <class T>
requires std::is_arithmetic_v<T>
void describe(Type& type, const T*) {
  type.kind = Type::Kind::number;
  type.name = (std::is_floating_point_v<T> ? "f"
               : std::is_signed_v<T>       ? "i"
                                           : "u") +
              std::to_string(8 * sizeof(T));
}
inline void describe(Type& type, const bool*) {
  type.kind = Type::Kind::choice;
  type.name = "bool";
  type.last = 1;
}
template <class T>
requires std::is_enum_v<T>
void describe(Type& type, const T*) {
  type.kind = Type::Kind::choice;
  type.name = type_name<T>();
  type.last = last_value<T>();
}
inline void describe(Type& type, const std::string*) {
  type.kind = Type::Kind::text;
  type.name = "text";
}
inline void describe(Type& type, const CallTree*) {
  type.kind = Type::Kind::tree;
  type.name = "tree";
}
template <class T, size_t kSize>
void describe(Type& type, const std::array<T, kSize>*) {
  type.kind = Type::Kind::array;
  describe_values<std::array<T, kSize>>(type, type_of<T>());
  type.name = "array of " + std::to_string(kSize) + " " + type.element->name;
}
template <class T>
void describe(Type& type, const std::vector<T>*) {
  type.kind = Type::Kind::list;
  describe_values<std::vector<T>>(type, type_of<T>());
  type.name = "list of " + type.element->name;
  type.resize = [](void* value, size_t length) {
    static_cast<std::vector<T>*>(value)->resize(length);
  };
}
template <class T>
void describe(Type& type, const std::optional<T>*) {
  using Optional = std::optional<T>;
  type.kind = Type::Kind::optional;
  type.element = &type_of<T>();
  type.name = "optional " + type.element->name;
  type.length = [](const void* value) -> size_t {
    return static_cast<const Optional*>(value)->has_value();
  };
  type.data = [](const void* value) -> const void* {
    const auto& optional = *static_cast<const Optional*>(value);
    return optional ? &*optional : nullptr;
  };
  type.resize = [](void* value, size_t length) {
    auto& optional = *static_cast<Optional*>(value);
    if (length == 0)
      optional.reset();
    else
      optional.emplace();
  };
}
template <class T>
void describe(Type& type, const Series<T>*) {
  using Values = std::vector<T>;
  static_assert(std::is_trivially_copyable_v<T>, "what it had before is compared by its bytes");
  type.kind = Type::Kind::series;
  describe_values<Series<T>>(type, type_of<T>());
  type.name = "series of " + type.element->name;
  type.make = []() -> std::shared_ptr<void> { return std::make_shared<Values>(); };
  type.add = [](void* values) -> void* { return &static_cast<Values*>(values)->emplace_back(); };
  type.set_part = [](void* series, std::shared_ptr<void> values, size_t begin, size_t end) {
    *static_cast<Series<T>*>(series) =
        Series<T>(std::static_pointer_cast<Values>(std::move(values)), begin, end);
  };
}
template <class T>
void describe(Type& type, const std::shared_ptr<const T>*) {
  using Pointer = std::shared_ptr<const T>;
  type.kind = Type::Kind::shared;
  type.element = &type_of<T>();
  type.name = "shared " + type.element->name;
  type.data = [](const void* value) -> const void* {
    return static_cast<const Pointer*>(value)->get();
  };
  type.make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
  type.get = [](const void* pointer) -> std::shared_ptr<const void> {
    return *static_cast<const Pointer*>(pointer);
  };
  type.set = [](void* pointer, std::shared_ptr<void> object) {
    *static_cast<Pointer*>(pointer) = std::static_pointer_cast<T>(std::move(object));
  };
  type.keeps = std::is_same_v<T, Segment>;
}
template <HasFields T>
void describe(Type& type, const T*) {
  static_assert(kComplete<T>, "a member is missing in the table of fields() of this struct");
  static const T some{};
  type.kind = Type::Kind::group;
  type.name = group_name(&some);
  FieldsOf<T>::each([&]<auto kMember>() {
    using Member = std::remove_cvref_t<decltype(some.*kMember)>;
    const auto offset =
        reinterpret_cast<const char*>(&(some.*kMember)) - reinterpret_cast<const char*>(&some);
    type.fields.push_back(
        {std::string(member_name<kMember>()), &type_of<Member>(), static_cast<size_t>(offset)});
  });
  if constexpr (requires(const T& value) { check(value); })
    type.check = [](const void* value) { check(*static_cast<const T*>(value)); };
}

template <class T>
const Type& type_of() {
  static const Type type = [] {
    Type made;
    made.size = sizeof(T);
    describe(made, static_cast<const T*>(nullptr));
    return made;
  }();
  return type;
}

template <class T>
void check(const Reading<T>& reading) {
  if (reading.status == ReadingStatus::ok && !reading.has_value())
    throw Error("a reading lacks its value");
}

}  // namespace pipetop::recording
