#include "giop/service_context.h"

#include <orbweaver/detail/cdr/codec.h>

#include "cdr/utf8.h"
#include "giop/encapsulation.h"
#include "giop/message.h"

namespace orbweaver::giop {

void ServiceContexts::decode_nonempty(cdr::Decoder& in, std::uint32_t n) noexcept {
  ServiceContexts found;
  found.base_ = in.position() - in.offset();
  found.first_ = static_cast<std::uint32_t>(in.offset());
  found.count_ = n;
  found.swap_ = in.swaps();
  for (; n != 0 && in.ok(); --n) {
    in.get<std::uint32_t>();
    in.skip(in.get_length(1));
  }
  found.end_ = static_cast<std::uint32_t>(in.offset());
  if (in.ok()) *this = found;
}

ServiceContexts::Iterator ServiceContexts::begin() const noexcept {
  cdr::Decoder in(base_, end_, swap_);
  in.skip(first_);
  return {in, count_};
}

void ServiceContexts::Iterator::next() noexcept {
  if (remaining_ == 0) {
    done_ = true;
    return;
  }
  --remaining_;
  current_.id = in_.get<std::uint32_t>();
  current_.data = get_octets(in_);
  done_ = !in_.ok();
}

std::optional<Bytes> ServiceContexts::find(std::uint32_t id) const noexcept {
  for (const ServiceContext& context : *this) {
    if (context.id == id) return context.data;
  }
  return std::nullopt;
}

std::size_t contexts_bound(std::span<const ServiceContext> contexts) noexcept {
  std::size_t n = 3 + 4;
  for (const ServiceContext& context : contexts) n += 3 + 4 + 4 + context.data.size();
  return n;
}

void encode_contexts(cdr::Encoder& out, std::span<const ServiceContext> contexts) {
  out.put(static_cast<std::uint32_t>(contexts.size()));
  encode_context_list(out, contexts);
}

void encode_context_list(cdr::Encoder& out, std::span<const ServiceContext> contexts) {
  for (const ServiceContext& context : contexts) {
    out.put(context.id);
    put_octets(out, context.data);
  }
}

std::vector<std::uint8_t> encode_exception_detail(std::string_view utf8) {
  return encapsulated([&](cdr::Encoder& out) { cdr::encode(out, cdr::utf8_to_wide(utf8)); });
}

Result<std::string> decode_exception_detail(Bytes data) {
  cdr::Decoder in = open_encapsulation(data);
  std::wstring text;
  cdr::decode(in, text);
  if (!in.ok()) return Error{ErrorKind::invalid, malformed("ExceptionDetailMessage", in).message};
  return cdr::wide_to_utf8(text);
}

}  // namespace orbweaver::giop
