// Decodes one GIOP message of any type, as a connection does.
#include <orbweaver/detail/cdr/codec.h>

#include <cstdlib>

#include "giop/codesets.h"
#include "giop/control_messages.h"
#include "giop/ior.h"
#include "giop/locate.h"
#include "giop/reply.h"
#include "giop/request.h"

using namespace orbweaver;

namespace {

volatile std::size_t sink;

void read_contexts(const giop::ServiceContexts& contexts) {
  for (const giop::ServiceContext& context : contexts) {
    for (const std::uint8_t byte : context.data) sink = sink + byte;
    (void)giop::decode_code_sets_context(context.data);
    (void)giop::decode_exception_detail(context.data);
  }
}

/// Decodes several types from a body, as stubs and skeletons do, until one fails.
void read_body(cdr::Decoder in) {
  cdr::Scratch scratch;
  std::string text;
  std::wstring wide;
  std::vector<std::string> strings;
  std::vector<double> doubles;
  cdr::decode(in, text);
  cdr::decode(in, doubles);
  cdr::decode(in, strings);
  cdr::decode(in, wide);
  for (const double value : in.get_view<double>()) sink = sink + (value > 0);
}

void read_request(cdr::Decoder& in, giop::Version version, Bytes message) {
  giop::RequestHeader request;
  if (!giop::decode_request(in, version, request)) return;
  // Views must point into the message.
  const auto inside = [&](const void* p, std::size_t n) {
    const auto* at = static_cast<const std::uint8_t*>(p);
    return n == 0 || (at >= message.data() && at + n <= message.data() + message.size());
  };
  if (!inside(request.operation.data(), request.operation.size())) std::abort();
  if (!inside(request.target.object_key.data(), request.target.object_key.size())) std::abort();
  read_contexts(request.contexts);
  read_body(in);
}

void read_reply(cdr::Decoder& in, giop::Version version) {
  giop::ReplyHeader reply;
  if (!giop::decode_reply(in, version, reply)) return;
  read_contexts(reply.contexts);
  giop::SystemException exception;
  giop::Ior ior;
  cdr::Decoder as_exception = in, as_reference = in;
  (void)giop::decode(as_exception, exception);
  (void)giop::decode(as_reference, ior);
  read_body(in);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes message(data, size);
  giop::MessageHeader header;
  const bool good = giop::read_header(message, header);
  // frame_length accepts more headers than read_header; both agree on the size of a valid message.
  const auto length = giop::frame_length(message);
  if (good && (!length || *length != header.message_bytes())) std::abort();
  if (!good) return 0;
  cdr::Decoder in = giop::open_body(message, header);
  switch (header.type) {
    case giop::MessageType::request: read_request(in, header.version, message); break;
    case giop::MessageType::reply: read_reply(in, header.version); break;
    case giop::MessageType::locate_request: {
      giop::LocateRequest request;
      (void)giop::decode_locate_request(in, header.version, request);
      break;
    }
    case giop::MessageType::locate_reply: {
      giop::LocateReply reply;
      (void)giop::decode_locate_reply(in, header.version, reply);
      break;
    }
    case giop::MessageType::cancel_request: {
      std::uint32_t request_id;
      (void)giop::decode_cancel_request(in, request_id);
      break;
    }
    default: break;
  }
  if (!in.ok()) (void)giop::malformed("message", in);
  return 0;
}
