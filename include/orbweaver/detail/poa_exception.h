#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <orbweaver/exception.h>

/// Declares a user exception without members of an interface of module PortableServer: SCOPE is its name.
#define ORBWEAVER_DECLARE_POA_EXCEPTION(NAME, SCOPE)                                            \
  class NAME final : public orbweaver::UserExceptionWithDetail {                                \
   public:                                                                                      \
    /** `detail`: message. */                                                                   \
    explicit NAME(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}      \
    const char* _name() const noexcept override { return "PortableServer::" SCOPE "::" #NAME; } \
    const char* _rep_id() const noexcept override {                                             \
      return "IDL:omg.org/PortableServer/" SCOPE "/" #NAME ":1.0";                              \
    }                                                                                           \
    [[noreturn]] void _raise() const override { throw *this; }                                  \
    std::size_t _bound() const override { return 0; }                                           \
    void _encode(orbweaver::cdr::Encoder&) const override {}                                    \
  };
