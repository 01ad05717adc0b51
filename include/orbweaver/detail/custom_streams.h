#pragma once

// The streams of custom marshalling (CORBA 3.3 part 1, 9.4.4), over the encoder or decoder of the message.
// For generated code: in a header, because few programs have custom value types, and the library would be
// larger by 45 KB.

#include <orbweaver/custom_marshal.h>

#include <string>
#include <utility>

namespace orbweaver::cdr {
namespace streams {

[[noreturn, gnu::cold]] inline void raise_ended() {
  throw CORBA::BAD_INV_ORDER(0x4f570048, CORBA::CompletionStatus::COMPLETED_NO,
                             "the stream of a custom value is used after its marshalling");
}

class OutputStream final : public CORBA::DataOutputStream {
 public:
  explicit OutputStream(Encoder& out) : out_(&out) {}
  void end() noexcept { out_ = nullptr; }

#define ORBWEAVER_WRITE(NAME, TYPE) \
  void write_##NAME(IDL::traits<TYPE>::in_type value) override { put<TYPE>(value); }
#define ORBWEAVER_WRITE_SINGLE(NAME, TYPE) \
  void write_##NAME(const TYPE& value) override { put<TYPE>(value); }
#define ORBWEAVER_WRITE_ARRAY(NAME, TYPE)                                                             \
  void write_##NAME##_array(const std::vector<TYPE>& seq, std::uint32_t offset, std::uint32_t length) \
      override {                                                                                      \
    put_array(seq, offset, length);                                                                   \
  }
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_WRITE)
  ORBWEAVER_STREAM_SINGLE_TYPES(ORBWEAVER_WRITE_SINGLE)
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_WRITE_ARRAY)
#undef ORBWEAVER_WRITE
#undef ORBWEAVER_WRITE_SINGLE
#undef ORBWEAVER_WRITE_ARRAY

 private:
  template <class T>
  void put(const T& value) {
    if (out_ == nullptr) raise_ended();
    cdr::encode(*out_, value);
  }
  template <class T>
  void put_array(const std::vector<T>& seq, std::uint32_t offset, std::uint32_t length) {
    if (offset > seq.size() || length > seq.size() - offset) {
      throw CORBA::BAD_PARAM(0x4f57003c, CORBA::CompletionStatus::COMPLETED_NO,
                             "a custom value writes more elements than the sequence has");
    }
    for (std::uint32_t i = 0; i < length; ++i) put<T>(seq[offset + i]);
  }

  Encoder* out_;
};

class InputStream final : public CORBA::DataInputStream {
 public:
  explicit InputStream(Decoder& in) : in_(&in) {}
  void end() noexcept { in_ = nullptr; }

#define ORBWEAVER_READ(NAME, TYPE) \
  TYPE read_##NAME() override { return get<TYPE>(); }
#define ORBWEAVER_READ_ARRAY(NAME, TYPE)                                                                  \
  void read_##NAME##_array(std::vector<TYPE>& seq, std::uint32_t offset, std::uint32_t length) override { \
    get_array(seq, offset, length);                                                                       \
  }
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_READ)
  ORBWEAVER_STREAM_SINGLE_TYPES(ORBWEAVER_READ)
  ORBWEAVER_STREAM_TYPES(ORBWEAVER_READ_ARRAY)
#undef ORBWEAVER_READ
#undef ORBWEAVER_READ_ARRAY

 private:
  template <class T>
  T get() {
    if (in_ == nullptr) raise_ended();
    T value{};
    cdr::decode(*in_, value);
    if (in_->ok()) return value;
    throw CORBA::MARSHAL(minor_code(*in_), CORBA::CompletionStatus::COMPLETED_NO,
                         std::string("malformed state of a custom value: ") + describe(in_->fault()));
  }
  /// Storage grows with the elements read: a peer may have announced any number.
  template <class T>
  void get_array(std::vector<T>& seq, std::uint32_t offset, std::uint32_t length) {
    if (offset > seq.size()) seq.resize(offset);
    for (std::uint32_t i = 0; i < length; ++i) {
      T value = get<T>();
      if (offset + std::size_t{i} < seq.size())
        seq[offset + std::size_t{i}] = std::move(value);
      else
        seq.push_back(std::move(value));
    }
  }

  Decoder* in_;
};

/// Ends the use of a stream that the program may have kept.
template <class Stream>
struct StreamScope {
  CORBA::object_reference<Stream> stream;
  ~StreamScope() { stream->end(); }
};

}  // namespace streams

/// Calls `marshal` with a stream.
inline void marshal_custom(const CORBA::CustomMarshal& value, Encoder& out) {
  const streams::StreamScope<streams::OutputStream> scope{CORBA::make_reference<streams::OutputStream>(out)};
  const_cast<CORBA::CustomMarshal&>(value).marshal(scope.stream);
}

/// Calls `unmarshal` with a stream.
inline void unmarshal_custom(CORBA::CustomMarshal& value, Decoder& in) {
  const streams::StreamScope<streams::InputStream> scope{CORBA::make_reference<streams::InputStream>(in)};
  value.unmarshal(scope.stream);
}

}  // namespace orbweaver::cdr
