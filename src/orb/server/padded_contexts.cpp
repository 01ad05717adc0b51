#include "orb/server/padded_contexts.h"

#include <array>

namespace orbweaver::orb {

std::vector<giop::ServiceContext> padded_contexts(giop::Version version,
                                                  std::span<const giop::ServiceContext> contexts) {
  static constexpr std::array<std::uint8_t, 4> kPadding{};
  std::vector<giop::ServiceContext> padded(contexts.begin(), contexts.end());
  if (version >= giop::kGiop12 || padded.empty()) return padded;
  std::size_t offset = giop::kHeaderBytes + 4;
  for (const giop::ServiceContext& context : padded) offset += 8 + (context.data.size() + 3) / 4 * 4;
  if ((offset + 8) % 8 != 0) padded.push_back({giop::context_id::kPadding, kPadding});
  return padded;
}

}  // namespace orbweaver::orb
