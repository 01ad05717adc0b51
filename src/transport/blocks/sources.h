#pragma once

#include <cstddef>
#include <cstdint>

/// Whose memory lies where: the pool of this process, and what others have handed over. Asked for each large
/// payload, most of which lie in none of it; so asking takes no lock, and costs a load while there is no source.
namespace orbweaver::transport::blocks {

class Source;

/// From now on [begin, begin + bytes) is `source`'s, until forget_source. False where memory is short. Any thread.
bool know_source(Source& source, const std::uint8_t* begin, std::size_t bytes) noexcept;
/// Before the memory is unmapped; one that is not known is no matter. Any thread.
void forget_source(const std::uint8_t* begin) noexcept;

/// In whose memory [data, data + bytes) lies, or null. Any thread. The source is there for as long as the caller may
/// read the data.
Source* source_of(const void* data, std::size_t bytes) noexcept;

}  // namespace orbweaver::transport::blocks
