#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::platform {

std::int64_t process_id() noexcept;
std::int64_t user_id() noexcept;                   ///< The effective user.
std::int64_t user_id_of(const std::string& name);  ///< -1 if there is no such user.
/// Identifies this boot of this kernel and this network namespace, as 32 hexadecimal digits. Equal for all
/// processes that can share memory and reach each other's abstract sockets. Empty if the system does not
/// provide it; then no endpoint counts as local.
const std::string& host_identity();
/// Suspends the calling thread. A signal may end the sleep early.
void sleep_ms(int milliseconds) noexcept;
void sleep_ns(std::int64_t ns) noexcept;  ///< As sleep_ms, less than a second.

}  // namespace orbweaver::platform
