#include "cdr/value_writer.h"

#include <orbweaver/limits.h>

#include "cdr/value_tags.h"
#include "cdr/value_types.h"

namespace orbweaver::cdr {
namespace {

thread_local ValueWriter* innermost_writer = nullptr;

}  // namespace

ValueWriter::ValueWriter(Encoder& out) : out_(out), outer_(std::exchange(innermost_writer, this)) {}
ValueWriter::~ValueWriter() { innermost_writer = outer_; }

ValueWriter* ValueWriter::of(const Encoder& out) noexcept {
  ValueWriter* each = innermost_writer;
  while (each != nullptr && &each->out_ != &out) each = each->outer_;
  return each;
}

void ValueWriter::enter() {
  if (++depth_ <= limits::kMaxValueNesting) return;
  throw CORBA::MARSHAL(0x4f570000 + static_cast<std::uint32_t>(Fault::too_deep),
                       CORBA::CompletionStatus::COMPLETED_NO,
                       "values nested more than " + std::to_string(limits::kMaxValueNesting) + " deep");
}

void ValueWriter::put_indirection(std::size_t target) {
  out_.put(tags::kIndirection);
  out_.put(
      static_cast<std::int32_t>(static_cast<std::int64_t>(target) - static_cast<std::int64_t>(out_.size())));
}

/// Opens a chunk, whose length is set when it is closed: a chunk without data is removed again.
void ValueWriter::begin_chunk() {
  if (level_ > 0) chunk_ = out_.reserve_ulong();
}

void ValueWriter::end_chunk() {
  if (chunk_ == 0) return;
  const std::size_t bytes = out_.size() - chunk_ - 4;
  if (bytes == 0)
    out_.rewind(chunk_);
  else
    out_.patch_ulong(chunk_, static_cast<std::uint32_t>(bytes));
  chunk_ = 0;
}

/// Writes a repository id, or an indirection to it. Offsets are those of the length of the string.
void ValueWriter::put_id(std::string_view id) {
  if (const auto known = ids_.find(id); known != ids_.end()) return put_indirection(known->second);
  out_.align(4);
  ids_.emplace(id, out_.size());
  out_.put_string(id);
}

std::size_t ValueWriter::begin_value(const Header& header) {
  end_chunk();
  out_.align(4);
  const std::size_t begin = out_.size();
  const std::uint32_t types = header.ids.empty() ? 0 : header.is_list ? tags::kIdList : tags::kSingleId;
  out_.put(tags::kFirst | types | (header.is_chunked ? tags::kChunked : 0));
  if (header.is_list) {
    std::string all;
    for (const std::string_view each : header.ids) all.append(each).append(1, ' ');
    if (const auto known = ids_.find(all); known != ids_.end()) {
      put_indirection(known->second);
    } else {
      ids_.emplace(std::move(all), out_.size());
      out_.put(static_cast<std::uint32_t>(header.ids.size()));
      for (const std::string_view each : header.ids) put_id(each);
    }
  } else if (!header.ids.empty()) {
    put_id(header.ids[0]);
  }
  if (header.is_chunked) {
    ++level_;
    begin_chunk();
  }
  return begin;
}

void ValueWriter::end_value(bool is_chunked) {
  if (!is_chunked) return;
  end_chunk();
  // One tag ends all values that end here: omniORB does not read two in succession.
  if (out_.size() == end_tag_end_) out_.rewind(end_tag_end_ - 4);
  out_.put(-static_cast<std::int32_t>(level_--));
  end_tag_end_ = out_.size();
  begin_chunk();  // of the value around it
}

void ValueWriter::write(const CORBA::ValueBase* value) {
  if (value == nullptr) return put_null();
  const auto address = reinterpret_cast<std::uintptr_t>(value);
  if (const auto known = written_.find(address); known != written_.end())
    return put_indirection(known->second);
  const ValueType& type = value->_value_type();
  Header header;
  header.ids.push_back(type.id);
  for (const ValueType* each = &type; each->truncatable && each->base != nullptr; each = each->base)
    header.ids.push_back(each->base->id);
  header.is_list = header.ids.size() > 1;
  header.is_chunked = in_chunks() || header.is_list || values::is_custom(type);
  enter();
  value->_add_ref();  // held until the end
  held_.push_back(CORBA::object_reference<const CORBA::ValueBase>::adopt(value));
  written_[address] = begin_value(header);
  value->_encode_state(out_);
  end_value(header.is_chunked);
  leave();
}

namespace {

struct ApartEncoder {
  ApartEncoder(std::vector<std::uint8_t>& bytes, std::size_t offset, WcharEncoding wide) : out(bytes) {
    if (std::uint8_t* const padding = out.take(offset)) std::memset(padding, 0, offset);
    out.wchar_encoding(wide);
  }
  Encoder out;
  ValueWriter writer{out};
};

}  // namespace

void encode_apart(Encoder& out, void (*write)(const void* closure, Encoder& out), const void* closure) {
  const std::size_t offset = out.size() % 8;
  std::vector<std::uint8_t> bytes;
  ApartEncoder apart(bytes, offset, out.wchar_encoding());
  write(closure, apart.out);
  apart.out.finish();
  if (apart.out.broker() != nullptr) out.broker(apart.out.broker());
  out.put_bytes(bytes.data() + offset, bytes.size() - offset);
}

void encode_value(Encoder& out, const CORBA::ValueBase* value) {
  if (ValueWriter* const writer = ValueWriter::of(out)) return writer->write(value);
  if (value == nullptr) return out.put(std::uint32_t{0});
  encode_apart(out, [value](Encoder& apart) { encode_value(apart, value); });
}

namespace {
/// The bound of what takes `bytes` bytes at offset 0 in GIOP 1.2. At another offset it takes at most 15 bytes
/// more: from the first value aligned to 8 on, the padding is the same. Wide characters in GIOP 1.1 take up
/// to three times as many.
std::size_t bound_at_any_offset(std::size_t bytes) noexcept {
  constexpr std::size_t kSmallBytes = 65536;
  return bytes < kSmallBytes ? 3 * bytes + 16 : bytes + 16;
}
}  // namespace

std::size_t bound_value(const CORBA::ValueBase* value) {
  if (value == nullptr) return 7;
  const auto encode = [value](Encoder& out) { encode_value(out, value); };
  return EncodedValues(encode).bound();
}

EncodedValues::EncodedValues(void (*encode)(const void* closure, Encoder& out), const void* closure)
    : write_(encode), closure_(closure) {
  ApartEncoder apart(bytes_, 0, WcharEncoding::giop_1_2);
  write_(closure_, apart.out);
  apart.out.finish();
  broker_ = apart.out.broker();
}

std::size_t EncodedValues::bound() const noexcept { return bound_at_any_offset(bytes_.size()); }

void EncodedValues::write(Encoder& out) const {
  if (out.size() % 8 != 0 || out.wchar_encoding() != WcharEncoding::giop_1_2)
    return encode_apart(out, write_, closure_);
  if (broker_ != nullptr) out.broker(broker_);
  out.put_bytes(bytes_.data(), bytes_.size());
}

}  // namespace orbweaver::cdr
