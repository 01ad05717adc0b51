#pragma once

namespace orbweaver::platform {

/// Has the C library return freed memory to the system, in this process and from now on: threads share two
/// heaps (`M_ARENA_MAX` of mallopt(3)), a heap keeps at most 128 KiB at its end (`M_TRIM_THRESHOLD`), and
/// larger blocks are mappings of their own.
///
/// Otherwise there are up to eight heaps for each processor. Threads that come and go, as those of
/// connections do, use them in turn: each heap grows to the largest need of a thread, and blocks that live
/// long keep its pages. After a large block has been freed, each heap also keeps up to twice its size.
///
/// For programs that run for a long time and have threads for each client: the settings apply to the whole
/// process, and so are the program's choice and not a library's. What the environment sets
/// (`MALLOC_ARENA_MAX`, `MALLOC_TRIM_THRESHOLD_`, `GLIBC_TUNABLES`) has precedence. Called in main(), before
/// any thread. No effect with another C library than that of GNU.
void return_freed_memory() noexcept;

}  // namespace orbweaver::platform
