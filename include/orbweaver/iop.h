#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <orbweaver/any.h>
#include <orbweaver/object.h>

/// @file
/// The parts of module IOP that interceptors use: service contexts of requests and replies, profiles and
/// components of references, and codecs for their data (CORBA 3.3 part 2, 7.6 and 7.7; part 1, 16.10).
/// Programs that use codecs link orbweaver::interceptors (liborbweaver-interceptors.so).

/// Interoperability: the contents of references and messages.
namespace IOP {

/// Kind of a service context, as registered with the OMG or in a vendor's range.
using ServiceId = std::uint32_t;
/// Kind of a component of a profile.
using ComponentId = std::uint32_t;
/// Kind of a profile of a reference.
using ProfileId = std::uint32_t;

inline constexpr ProfileId TAG_INTERNET_IOP = 0;         ///< Profile of IIOP.
inline constexpr ProfileId TAG_MULTIPLE_COMPONENTS = 1;  ///< Profile that has components only.

/// Data that a client sends with a request, or a server with a reply. A value, as thread-safe as a
/// std::vector; so are the following classes.
class ServiceContext {
 public:
  ServiceContext() = default;
  /// A context of kind `context_id`.
  explicit ServiceContext(ServiceId context_id, std::vector<std::uint8_t> context_data = {})
      : context_id_(context_id), context_data_(std::move(context_data)) {}
  /// The kind.
  ServiceId context_id() const noexcept { return context_id_; }
  /// The kind, for modification.
  ServiceId& context_id() noexcept { return context_id_; }
  /// Sets the kind.
  void context_id(ServiceId id) noexcept { context_id_ = id; }
  /// The data, usually an encapsulation (Codec).
  const std::vector<std::uint8_t>& context_data() const noexcept { return context_data_; }
  /// The data, for modification.
  std::vector<std::uint8_t>& context_data() noexcept { return context_data_; }
  /// Sets the data.
  void context_data(std::vector<std::uint8_t> data) { context_data_ = std::move(data); }

 private:
  ServiceId context_id_ = 0;
  std::vector<std::uint8_t> context_data_;
};

/// A component of a profile.
class TaggedComponent {
 public:
  TaggedComponent() = default;
  /// A component of kind `tag`.
  explicit TaggedComponent(ComponentId tag, std::vector<std::uint8_t> component_data = {})
      : tag_(tag), component_data_(std::move(component_data)) {}
  /// The kind.
  ComponentId tag() const noexcept { return tag_; }
  /// The kind, for modification.
  ComponentId& tag() noexcept { return tag_; }
  /// Sets the kind.
  void tag(ComponentId id) noexcept { tag_ = id; }
  /// The data, usually an encapsulation (Codec).
  const std::vector<std::uint8_t>& component_data() const noexcept { return component_data_; }
  /// The data, for modification.
  std::vector<std::uint8_t>& component_data() noexcept { return component_data_; }
  /// Sets the data.
  void component_data(std::vector<std::uint8_t> data) { component_data_ = std::move(data); }

 private:
  ComponentId tag_ = 0;
  std::vector<std::uint8_t> component_data_;
};
/// Components, in order.
using TaggedComponentSeq = std::vector<TaggedComponent>;

/// A profile of a reference.
class TaggedProfile {
 public:
  TaggedProfile() = default;
  /// A profile of kind `tag`.
  explicit TaggedProfile(ProfileId tag, std::vector<std::uint8_t> profile_data = {})
      : tag_(tag), profile_data_(std::move(profile_data)) {}
  /// The kind.
  ProfileId tag() const noexcept { return tag_; }
  /// The kind, for modification.
  ProfileId& tag() noexcept { return tag_; }
  /// Sets the kind.
  void tag(ProfileId id) noexcept { tag_ = id; }
  /// The data, an encapsulation.
  const std::vector<std::uint8_t>& profile_data() const noexcept { return profile_data_; }
  /// The data, for modification.
  std::vector<std::uint8_t>& profile_data() noexcept { return profile_data_; }
  /// Sets the data.
  void profile_data(std::vector<std::uint8_t> data) { profile_data_ = std::move(data); }

 private:
  ProfileId tag_ = 0;
  std::vector<std::uint8_t> profile_data_;
};

/// Form of encoded data.
using EncodingFormat = std::int16_t;
inline constexpr EncodingFormat ENCODING_CDR_ENCAPS = 0;  ///< A CDR encapsulation.

/// Form of encoded data and version of GIOP.
class Encoding {
 public:
  Encoding() = default;
  /// Encoding of `format` in GIOP `major_version`.`minor_version`.
  Encoding(EncodingFormat format, std::uint8_t major_version, std::uint8_t minor_version)
      : format_(format), major_version_(major_version), minor_version_(minor_version) {}
  /// The form.
  EncodingFormat format() const noexcept { return format_; }
  /// Sets the form.
  void format(EncodingFormat value) noexcept { format_ = value; }
  /// The version of GIOP: 1.
  std::uint8_t major_version() const noexcept { return major_version_; }
  /// Sets the version.
  void major_version(std::uint8_t value) noexcept { major_version_ = value; }
  /// The minor version of GIOP, which determines how wide characters are encoded.
  std::uint8_t minor_version() const noexcept { return minor_version_; }
  /// Sets the minor version.
  void minor_version(std::uint8_t value) noexcept { minor_version_ = value; }

 private:
  EncodingFormat format_ = ENCODING_CDR_ENCAPS;
  std::uint8_t major_version_ = 1;
  std::uint8_t minor_version_ = 2;
};

/// Declares a user exception without members of an interface of module IOP.
#define ORBWEAVER_DECLARE_IOP_EXCEPTION(NAME, SCOPE)                                                    \
  class NAME final : public orbweaver::UserExceptionWithDetail {                                        \
   public:                                                                                              \
    /** `detail`: message. */                                                                           \
    explicit NAME(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}              \
    const char* _name() const noexcept override { return "IOP::" SCOPE "::" #NAME; }                    \
    const char* _rep_id() const noexcept override { return "IDL:omg.org/IOP/" SCOPE "/" #NAME ":1.0"; } \
    [[noreturn]] void _raise() const override { throw *this; }                                          \
    std::size_t _bound() const override { return 0; }                                                   \
    void _encode(orbweaver::cdr::Encoder&) const override {}                                            \
  };

/// Converts anys to octets and back, for the data of service contexts and components. Any thread. CORBA 3.3
/// part 1, 16.10.
class Codec : public CORBA::LocalObject {
 public:
  /// The encoding cannot represent the value: of wide characters in GIOP 1.0.
  ORBWEAVER_DECLARE_IOP_EXCEPTION(InvalidTypeForEncoding, "Codec")
  /// The octets are not an encoded value.
  ORBWEAVER_DECLARE_IOP_EXCEPTION(FormatMismatch, "Codec")
  /// The octets are not a value of the given type.
  ORBWEAVER_DECLARE_IOP_EXCEPTION(TypeMismatch, "Codec")

  /// Encodes the any: TypeCode and value. Raises InvalidTypeForEncoding.
  virtual std::vector<std::uint8_t> encode(const CORBA::Any& data) = 0;
  /// Decodes what `encode` of any ORB has written. Raises FormatMismatch.
  virtual CORBA::Any decode(const std::vector<std::uint8_t>& data) = 0;
  /// Encodes the value of the any, without its TypeCode. Raises InvalidTypeForEncoding.
  virtual std::vector<std::uint8_t> encode_value(const CORBA::Any& data) = 0;
  /// Decodes a value of type `tc`. Raises FormatMismatch if `data` is no encapsulation, and TypeMismatch if
  /// it does not contain such a value.
  virtual CORBA::Any decode_value(const std::vector<std::uint8_t>& data,
                                  const CORBA::typecode_reference& tc) = 0;
};

/// Creates codecs: resolve_initial_references("CodecFactory"), and ORBInitInfo::codec_factory. Any thread.
class CodecFactory : public CORBA::LocalObject {
 public:
  /// Not ENCODING_CDR_ENCAPS of GIOP 1.0, 1.1 or 1.2.
  ORBWEAVER_DECLARE_IOP_EXCEPTION(UnknownEncoding, "CodecFactory")
  /// Creates a codec for an encoding. Raises UnknownEncoding.
  virtual CORBA::object_reference<Codec> create_codec(const Encoding& enc) = 0;
};

}  // namespace IOP

namespace IDL {
template <>
struct traits<IOP::Codec> : orbweaver::local_interface_traits<IOP::Codec> {};
template <>
struct traits<IOP::CodecFactory> : orbweaver::local_interface_traits<IOP::CodecFactory> {};
}  // namespace IDL
