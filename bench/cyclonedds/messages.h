// The messages of sink.idl: their payloads, and how a receiver reads them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/harness/case.h"
#include "bench/harness/payload.h"
#include "sink.h"

namespace orbweaver::bench {

/// What the receiver does with a message: BenchDds_Head::kind.
enum class Kind : std::uint8_t { data, data_and_reply, reply, end };

/// A type of messages, with the description from which its topics are created.
template <class M>
struct MessageType {
  using Message = M;
  const dds_topic_descriptor_t& topic;
};

/// Calls `visit` with the MessageType of a payload.
template <class Visit>
auto with_message_type(PayloadType type, Visit visit) {
  switch (type) {
    case PayloadType::empty: return visit(MessageType<BenchDds_Nothing>{BenchDds_Nothing_desc});
    case PayloadType::octet: return visit(MessageType<BenchDds_Octets>{BenchDds_Octets_desc});
    case PayloadType::shorts: return visit(MessageType<BenchDds_Shorts>{BenchDds_Shorts_desc});
    case PayloadType::longs: return visit(MessageType<BenchDds_Longs>{BenchDds_Longs_desc});
    case PayloadType::long_longs: return visit(MessageType<BenchDds_LongLongs>{BenchDds_LongLongs_desc});
    case PayloadType::floats: return visit(MessageType<BenchDds_Floats>{BenchDds_Floats_desc});
    case PayloadType::doubles: return visit(MessageType<BenchDds_Doubles>{BenchDds_Doubles_desc});
    case PayloadType::string: return visit(MessageType<BenchDds_Strings>{BenchDds_Strings_desc});
    case PayloadType::structs: return visit(MessageType<BenchDds_Samples>{BenchDds_Samples_desc});
    case PayloadType::any:
    case PayloadType::block:
    case PayloadType::mix: break;
  }
  throw std::runtime_error("unsupported payload type");
}

/// Element of the sequence of a message.
template <class Message>
using ElementOf = std::remove_pointer_t<decltype(Message::data._buffer)>;

template <class Element>
double read_elements(const Element* data, std::size_t count) {
  if constexpr (std::is_same_v<Element, double> || std::is_same_v<Element, std::uint8_t>)
    return read_in_full(data, count);
  else if constexpr (std::is_same_v<Element, BenchDds_Sample>)
    return read_in_full_structs(data, count);
  else
    return read_numbers_in_full(data, count);
}
inline double read_elements(char* const* strings, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += read_in_full_string(strings[i], std::strlen(strings[i]));
  return sum;
}

/// Reads a message completely; an empty one counts as 1.
template <class Message>
double read(const Message& message) {
  if constexpr (std::is_same_v<Message, BenchDds_Nothing>)
    return 1;
  else
    return read_elements(message.data._buffer, message.data._length);
}

template <class Element>
std::vector<Element> elements(std::size_t count) {
  if constexpr (std::is_same_v<Element, BenchDds_Sample>) {
    std::vector<BenchDds_Sample> samples(count);
    for (std::size_t i = 0; i < count; ++i) samples[i] = {short_payload(i), short_payload(i + 1)};
    return samples;
  } else {
    return numbers_payload<Element>(count);
  }
}

/// A message with the payload of a case, which it owns.
template <class Message>
class Payload {
 public:
  explicit Payload(const Case& c) : data_(elements<ElementOf<Message>>(c.bytes / element_bytes(c.type))) {
    const auto count = static_cast<std::uint32_t>(data_.size());
    message_.data = {count, count, data_.data(), false};
  }
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  Message& message() { return message_; }

 private:
  std::vector<ElementOf<Message>> data_;
  Message message_{};
};

template <>
class Payload<BenchDds_Nothing> {
 public:
  explicit Payload(const Case&) {}
  BenchDds_Nothing& message() { return message_; }

 private:
  BenchDds_Nothing message_{};
};

template <>
class Payload<BenchDds_Strings> {
 public:
  explicit Payload(const Case& c) : strings_(c.bytes / element_bytes(c.type)) {
    for (std::size_t i = 0; i < strings_.size(); ++i) strings_[i] = string_payload(i);
    for (std::string& each : strings_) data_.push_back(each.data());
    const auto count = static_cast<std::uint32_t>(data_.size());
    message_.data = {count, count, data_.data(), false};
  }
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  BenchDds_Strings& message() { return message_; }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> data_;
  BenchDds_Strings message_{};
};

}  // namespace orbweaver::bench
