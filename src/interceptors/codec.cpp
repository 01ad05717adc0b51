#include "interceptors/codec.h"

#include <utility>

#include "cdr/value_copy.h"
#include "giop/encapsulation.h"

namespace orbweaver::interceptors {

namespace {

using CORBA::Any;
using Octets = std::vector<std::uint8_t>;

class CdrCodec final : public IOP::Codec {
 public:
  CdrCodec(std::shared_ptr<cdr::Broker> broker, cdr::WcharEncoding wide)
      : broker_(std::move(broker)), wide_(wide) {}

  Octets encode(const Any& data) override {
    return encapsulate([&](cdr::Encoder& out) { cdr::encode(out, data); });
  }

  Any decode(const Octets& data) override {
    cdr::Decoder in = open(data);
    Any any;
    if (in.ok()) cdr::decode(in, any);
    if (!in.ok()) throw FormatMismatch(std::string("not an any: ") + cdr::describe(in.fault()));
    return any;
  }

  Octets encode_value(const Any& data) override {
    const CORBA::typecode_reference type = data.type();
    const Octets* const bytes = any::Access::find(data, *type);
    return encapsulate([&](cdr::Encoder& out) {
      if (bytes == nullptr || bytes->empty()) return;
      cdr::Decoder in(bytes->data(), bytes->size(), false);
      any::ValueCopy(in, out).value(*type);
      any::Access::check(in);
    });
  }

  Any decode_value(const Octets& data, const CORBA::typecode_reference& tc) override {
    cdr::Decoder in = open(data);
    if (!in.ok()) throw FormatMismatch("not an encapsulation");
    Any any;
    Octets bytes;
    cdr::Encoder out(bytes);
    any::ValueCopy copy(in, out);
    copy.value(*tc);
    if (!in.ok()) throw TypeMismatch(std::string("not a value of the type: ") + cdr::describe(in.fault()));
    out.finish();
    if (copy.references()) out.broker(broker_.get());
    any::Access::put(any, *tc, out, std::move(bytes));
    return any;
  }

 private:
  template <class Write>
  Octets encapsulate(const Write& write) const {
    try {
      return giop::encapsulated([&](cdr::Encoder& out) {
        out.wchar_encoding(wide_);
        write(out);
      });
    } catch (const CORBA::SystemException& e) {
      throw InvalidTypeForEncoding(e.what());
    }
  }
  cdr::Decoder open(const Octets& data) const noexcept {
    cdr::Decoder in = giop::open_encapsulation(data);
    in.wchar_encoding(wide_);
    in.broker(broker_.get());
    return in;
  }

  const std::shared_ptr<cdr::Broker> broker_;
  const cdr::WcharEncoding wide_;
};

}  // namespace

CORBA::object_reference<IOP::Codec> CodecFactoryImpl::create_codec(const IOP::Encoding& enc) {
  const giop::Version version{enc.major_version(), enc.minor_version()};
  if (enc.format() == IOP::ENCODING_CDR_ENCAPS && version.major == 1 && version.minor <= 2)
    return CORBA::make_reference<CdrCodec>(broker_,
                                           giop::wchar_encoding(version, giop::MessageType::request));
  throw UnknownEncoding("format " + std::to_string(enc.format()) + " of GIOP " +
                        std::to_string(version.major) + "." + std::to_string(version.minor) +
                        "; expected ENCODING_CDR_ENCAPS of GIOP 1.0, 1.1 or 1.2");
}

}  // namespace orbweaver::interceptors
