#pragma once

#include <string>

namespace orbweaver::sca {

/// Whether a program is linked with Orbweaver's libraries: its file contains the name of the shared library
/// that it needs. False for a script, and for a file that cannot be read. Profiles do not tell it (SCA 2.2.2
/// has no such element); a program of another ORB can be called over TCP only, and gets no options of ours.
bool is_orbweaver_program(const std::string& path);

}  // namespace orbweaver::sca
