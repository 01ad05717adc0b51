#pragma once

#include <string>

#include "CFC.h"
#include "sca/control/call_error.h"
#include "sca/control/domain_tree.h"

namespace orbweaver::sca {

/// Reads an object; an exception becomes its `problem`.
template <class Read>
void read_object(ReadObject& object, Read read) {
  try {
    read();
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    object.problem = "does not exist any more";
  } catch (const CORBA::SystemException& e) {
    object.problem = "does not answer (" + std::string(e._name()) + ")";
  } catch (const CORBA::Exception& e) {
    object.problem = describe(e);
  }
}

/// Adds the properties of a device that can be queried, of either edition: none if it has none.
template <class PropertySet>
void read_properties(PropertySet& device, ReadDevice& read) {
  CF::Properties properties;
  try {
    device.query(properties);
  } catch (const CORBA::Exception&) {  // a device without properties that can be read
  }
  for (const CF::DataType& each : properties)
    read.properties.push_back({each.id(), any_text(each.value()), any_json(each.value())});
}

}  // namespace orbweaver::sca
