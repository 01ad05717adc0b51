// Splits the bytes of a connection into messages and reassembles fragmented ones.
#include <cstdlib>

#include "giop/fragment.h"

using namespace orbweaver;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes stream(data, size);
  giop::FragmentAssembler assembler(std::size_t{1} << 16, 4);
  giop::MessageHeader header;
  while (giop::read_header(stream, header) && header.message_bytes() <= stream.size()) {
    const Bytes message = stream.first(header.message_bytes());
    stream = stream.subspan(message.size());
    const auto whole = assembler.add(message, header);
    if (!whole) return 0;
    // The assembler keeps at most the bytes received, and returns complete messages.
    if (assembler.pending_bytes() > size) std::abort();
    giop::MessageHeader again;
    if (!whole->empty() && (!giop::read_header(*whole, again) || again.message_bytes() != whole->size() ||
                            again.more_fragments || again.type == giop::MessageType::fragment)) {
      std::abort();
    }
  }
  return 0;
}
