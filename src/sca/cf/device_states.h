#pragma once

#include "CFC.h"

namespace orbweaver::sca {

// The states of a device as people read them.

/// "locked", "shutting down", "unlocked"; empty for a value that the type does not have.
inline const char* state_text(CF::Device::AdminType state) {
  switch (state) {
    case CF::Device::AdminType::LOCKED: return "locked";
    case CF::Device::AdminType::SHUTTING_DOWN: return "shutting down";
    case CF::Device::AdminType::UNLOCKED: return "unlocked";
  }
  return "";
}

/// "idle", "active", "busy"
inline const char* state_text(CF::Device::UsageType state) {
  switch (state) {
    case CF::Device::UsageType::IDLE: return "idle";
    case CF::Device::UsageType::ACTIVE: return "active";
    case CF::Device::UsageType::BUSY: return "busy";
  }
  return "";
}

/// "enabled", "disabled"
inline const char* state_text(CF::Device::OperationalType state) {
  return state == CF::Device::OperationalType::ENABLED ? "enabled" : "disabled";
}

}  // namespace orbweaver::sca
