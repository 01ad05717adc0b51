#pragma once

namespace orbweaver::sca {

/// Name of the port of Orbweaver's devices and device managers of SCA 2.2.2 that returns the object which
/// stands for them in SCA 4.1.
inline constexpr const char* kSca41Port = "SCA41";

}  // namespace orbweaver::sca
