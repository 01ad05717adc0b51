#pragma once

#include <cstddef>
#include <cstdint>

/// Registry of block owners by address range: the pool of this process and the regions imported from others.
/// It is queried for each large payload, most of which are in no block; a query takes no lock, and is a
/// single load while no owner is registered.
namespace orbweaver::transport::blocks {

class BlockOwner;

/// Registers [begin, begin + bytes) as memory of `owner`, until unregister_block_owner. False: no memory.
/// Thread-safe.
bool register_block_owner(BlockOwner& owner, const std::uint8_t* begin, std::size_t bytes) noexcept;
/// Removes a range; call before the memory is unmapped. No effect if it is not registered. Thread-safe.
void unregister_block_owner(const std::uint8_t* begin) noexcept;

/// Returns the owner of the memory that contains [data, data + bytes), or null. Thread-safe. The owner lives
/// at least as long as the caller may read the data.
BlockOwner* block_owner_of(const void* data, std::size_t bytes) noexcept;

}  // namespace orbweaver::transport::blocks
