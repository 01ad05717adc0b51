#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/property.h"

/// Files of a new component or waveform: code, profiles, CMake and a test, which build and run as they are.
namespace orbweaver::sca {

/// Type of a port: its samples, and the IDL that carries them.
struct PortType {
  std::string_view name;       ///< As in --ports.
  std::string_view sample;     ///< In C++.
  std::string_view module;     ///< Of the interface.
  std::string_view interface;  ///< In the SCD: IDL:module/interface:1.0.
  bool is_ossie = false;       ///< The interface is one of OSSIE's.
};

/// All types of ports.
inline constexpr std::array<PortType, 14> kPortTypes = {{
    {"octet", "std::uint8_t", "orbweaver/stream", "OctetInput"},
    {"short", "std::int16_t", "orbweaver/stream", "ShortInput"},
    {"float", "float", "orbweaver/stream", "FloatInput"},
    {"complex", "std::complex<float>", "orbweaver/stream", "ComplexFloatInput"},
    {"realChar", "std::int8_t", "standardInterfaces", "realChar", true},
    {"realShort", "std::int16_t", "standardInterfaces", "realShort", true},
    {"realLong", "std::int32_t", "standardInterfaces", "realLong", true},
    {"realFloat", "float", "standardInterfaces", "realFloat", true},
    {"realDouble", "double", "standardInterfaces", "realDouble", true},
    {"complexChar", "std::complex<std::int8_t>", "standardInterfaces", "complexChar", true},
    {"complexShort", "std::complex<std::int16_t>", "standardInterfaces", "complexShort", true},
    {"complexLong", "std::complex<std::int32_t>", "standardInterfaces", "complexLong", true},
    {"complexFloat", "std::complex<float>", "standardInterfaces", "complexFloat", true},
    {"complexDouble", "std::complex<double>", "standardInterfaces", "complexDouble", true},
}};
/// The type of that name; null if there is none.
const PortType* find_port_type(std::string_view name);

struct NewPort {
  bool is_input = false;
  std::string name;
  std::string type = "float";  ///< The name of a PortType.
};

struct NewProperty {
  std::string id;
  PropertyType type = PropertyType::string;
  std::string value = {};  ///< Its default, a valid value of the type; not of a sequence or struct.
  bool is_sequence = false;
  std::vector<std::string> values = {};   ///< The default of a sequence of simple values.
  std::vector<NewProperty> members = {};  ///< Of a struct, or of each struct of a sequence; otherwise empty.

  bool is_struct() const { return !members.empty(); }
};

struct NewComponent {
  std::string name;
  std::vector<NewPort> ports;
  std::vector<NewProperty> properties;
};

/// The mistakes in the name of a component or waveform: one or none. It becomes the name of files, of CMake
/// targets and, in another form, of a class.
std::vector<std::string> mistakes_in_name(const std::string& name);

/// Reads the description of a component. A port is DIRECTION:TYPE or DIRECTION:NAME:TYPE, such as "in:float"
/// and "out:left:complex"; a property is ID:TYPE or ID:TYPE=VALUE, such as "gain_db:double=0". The TYPE of a
/// sequence ends with [], its values are separated by blanks ("taps:float[]=1 0.5"); that of a struct lists
/// its members ("tuner:{frequency:double=1e6;taps:float[]}"), and may end with [], too. Adds a message to
/// `mistakes` for each mistake; then the result must not be used.
NewComponent read_new_component(const std::string& name, const std::vector<std::string>& ports,
                                const std::vector<std::string>& properties,
                                std::vector<std::string>& mistakes);

/// A file to be written.
struct NewFile {
  std::string name;  ///< Relative to the project's folder.
  std::string text;
};

/// A component that passes packets from its inputs to its outputs; without inputs, one that sends packets of
/// zeros; without outputs, one that counts samples.
std::vector<NewFile> files_of_component(const NewComponent& component);
/// A waveform of a source, a filter and a sink.
std::vector<NewFile> files_of_waveform(const std::string& name);

/// Creates the folder, if it does not exist, and the files in it. Creates none if one of them exists. Returns
/// a message for each problem; then what has been created is removed again.
std::vector<std::string> write_new_files(const std::string& folder, const std::vector<NewFile>& files);

}  // namespace orbweaver::sca
