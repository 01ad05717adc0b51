#pragma once

#include <cstddef>

/// Counts of operator new, which allocation_count.cpp replaces in a test program.
namespace orbtest {

/// Number of allocations of all threads, except within AllocationsAreNotCounted. Any thread.
std::size_t allocations() noexcept;
/// The largest block, in bytes, that this thread has allocated since reset_largest_allocation.
std::size_t largest_allocation() noexcept;
void reset_largest_allocation() noexcept;

/// While it exists, allocations of its thread are not counted: those of a servant.
class AllocationsAreNotCounted {
 public:
  AllocationsAreNotCounted() noexcept;
  ~AllocationsAreNotCounted();
  AllocationsAreNotCounted(const AllocationsAreNotCounted&) = delete;
  AllocationsAreNotCounted& operator=(const AllocationsAreNotCounted&) = delete;
};

}  // namespace orbtest
