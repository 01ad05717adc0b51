#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::platform {

std::int64_t process_id() noexcept;
std::int64_t user_id() noexcept;  ///< The effective user.
std::int64_t user_id_of(const std::string& name);  ///< -1 where there is no such user.
/// The same for all processes that can reach each other's memory and abstract sockets: this boot of this
/// kernel and this network name space. Empty where the system does not tell; then no road is local.
const std::string& host_identity();
/// The calling thread sleeps.
void sleep_ms(int milliseconds) noexcept;
void pause_ns(std::int64_t ns) noexcept;  ///< The same, below a second.

}  // namespace orbweaver::platform
