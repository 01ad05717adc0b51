// Tests of the components without an ORB: their functions beyond the blocks of dsp/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>

#include <orbweaver/sca/direct_connection.h>
#include "components/channel.h"
#include "components/cvsd_decoder.h"
#include "components/cvsd_encoder.h"
#include "components/deframer.h"
#include "components/demodulator.h"
#include "components/framer.h"
#include "components/modulator.h"
#include "components/speech_source.h"
#include "components/wav_sink.h"
#include "dsp/testing.h"
#include "platform/testing/becomes_true.h"
#include "sca/profile/assembly.h"

namespace orbweaver::voice::testing {
namespace {

using sca::Context;
using Values = std::map<std::string, std::string, std::less<>>;

class VoiceComponents : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("voice_") + test->name() + "." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

template <class C>
struct ComponentUnderTest {
  Context context;
  C component;
  ComponentUnderTest() : ComponentUnderTest(Values{}) {}
  explicit ComponentUnderTest(Values values)
      : context(Context::with(std::move(values))), component(context) {}
};

struct Radio {
  ComponentUnderTest<SpeechSource> source;
  ComponentUnderTest<CvsdEncoderComponent> encoder;
  ComponentUnderTest<FramerComponent> framer;
  ComponentUnderTest<ModulatorComponent> modulator;
  ComponentUnderTest<ChannelComponent> channel;
  ComponentUnderTest<DemodulatorComponent> demodulator;
  ComponentUnderTest<DeframerComponent> deframer;
  ComponentUnderTest<CvsdDecoderComponent> decoder;
  ComponentUnderTest<WavSink> sink;

  Radio(Values for_source, Values for_channel, Values for_sink)
      : source(std::move(for_source)), channel(std::move(for_channel)), sink(std::move(for_sink)) {
    join<std::int16_t>("speech", source, encoder);
    join<Bit>("bits", encoder, framer);
    join<Bit>("channel", framer, modulator);
    join<Sample>("samples", modulator, channel);
    join<Sample>("samples", channel, demodulator);
    join<Bit>("channel", demodulator, deframer);
    join<Bit>("bits", deframer, decoder);
    join<std::int16_t>("speech", decoder, sink);
  }

  /// Waits for the end of the speech. Returns false after a time that is exceeded only if the chain hangs.
  bool run() {
    sink.component.start();
    decoder.component.start();
    deframer.component.start();
    demodulator.component.start();
    channel.component.start();
    modulator.component.start();
    framer.component.start();
    encoder.component.start();
    source.component.start();
    return platform::testing::becomes_true([&] { return sink.component.finished(); });
  }

  double counted(const sca::Component& component, const std::string& name) const {
    for (const sca::Counter* counter : component.counters()) {
      if (counter->name() == name) return counter->value();
    }
    ADD_FAILURE() << "no counter " << name;
    return -1;
  }

 private:
  template <class T, class From, class To>
  static void join(const std::string& what, From& from, To& to) {
    sca::connect_directly<T>(*from.component.find_output(what + "_out"),
                             *to.component.find_input(what + "_in"));
  }
};

TEST_F(VoiceComponents, ReproduceTheCodecOutput) {
  const auto speech = speech_like_signal(20'003);
  write_speech(path("in.wav"), speech);
  for (const char* packet : {"1", "160", "4000"}) {
    Radio radio({{"file", path("in.wav")}, {"packet_samples", packet}}, {}, {{"file", path("out.wav")}});
    ASSERT_TRUE(radio.run());
    EXPECT_EQ(read_speech(path("out.wav")), decoded(encoded(speech))) << packet;
    EXPECT_GT(radio.counted(radio.deframer.component, "channel_bit_errors"), 0);
    EXPECT_EQ(radio.counted(radio.deframer.component, "frames_good"),
              radio.counted(radio.framer.component, "frames"));
    EXPECT_EQ(radio.counted(radio.deframer.component, "frames_lost"), 0);
    EXPECT_EQ(radio.counted(radio.deframer.component, "end_seen"), 1);
    EXPECT_EQ(radio.counted(radio.sink.component, "samples"), 20'003);
    EXPECT_NEAR(radio.counted(radio.demodulator.component, "frequency_offset"), 0.03, 0.002);
  }
}

TEST_F(VoiceComponents, CountErrorsOfHeavyNoise) {
  write_speech(path("in.wav"), speech_like_signal(40'000));
  Radio radio({{"file", path("in.wav")}}, {{"es_n0_db", "7.5"}}, {{"file", path("out.wav")}});
  ASSERT_TRUE(radio.run());
  EXPECT_GT(radio.counted(radio.deframer.component, "frames_bad"), 0);
}

TEST_F(VoiceComponents, PaceRealTimeByTheAudioClock) {
  write_speech(path("in.wav"), speech_like_signal(kSpeechRate / 4));
  Radio radio({{"file", path("in.wav")}, {"realtime", "true"}}, {}, {{"file", path("out.wav")}});
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(radio.run());
  // The last of the 13 packets of 20 ms is due after 240 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(240));
}

TEST_F(VoiceComponents, RejectAMissingSpeechFile) {
  try {
    ComponentUnderTest<SpeechSource> source(Values{{"file", path("none.raw")}});
    FAIL() << "accepted";
  } catch (const SpeechFileError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("none.raw: no such file"));
  }
}

TEST_F(VoiceComponents, RejectAPropertyOutOfRange) {
  EXPECT_THROW(ComponentUnderTest<ModulatorComponent>(Values{{"samples_per_symbol", "5"}}),
               std::invalid_argument);
  EXPECT_THROW(ComponentUnderTest<DemodulatorComponent>(Values{{"samples_per_symbol", "5"}}),
               std::invalid_argument);
  EXPECT_THROW(ComponentUnderTest<ChannelComponent>(Values{{"timing_offset", "-1"}}), std::invalid_argument);
  EXPECT_THROW(ComponentUnderTest<WavSink>(Values{{"file", "/no/such/folder/out.wav"}}), SpeechFileError);
}

sca::Assembly assembly(const char* file) {
  auto loaded = sca::load_assembly(std::string(VOICE_FOLDER) + "/" + file);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);
}

TEST(VoiceAssemblies, DifferOnlyInPlacement) {
  const auto apart = assembly("voice.sad.xml");
  const auto together = assembly("voice-one-process.sad.xml");
  ASSERT_EQ(apart.components.size(), 9U);
  ASSERT_EQ(apart.connections.size(), 8U);
  ASSERT_EQ(together.connections.size(), 8U);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(apart.components[i].id, together.components[i].id);
    EXPECT_EQ(apart.package_of(i).id, together.package_of(i).id);
    EXPECT_EQ(apart.components[i].process, "");
    EXPECT_EQ(together.components[i].process, "voice");
  }
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(apart.connections[i].id, together.connections[i].id);
    EXPECT_EQ(apart.connections[i].uses.component, together.connections[i].uses.component);
    EXPECT_EQ(apart.connections[i].provides.component, together.connections[i].provides.component);
  }
}

/// Creates `C` with its profile's defaults and compares its ports and properties with the profiles.
template <class C>
void expect_as_described(const sca::SoftwarePackage& package, Values values) {
  for (const auto& property : package.properties.simple) {
    if (!values.contains(property.id)) values[property.id] = property.value.value();
  }
  ComponentUnderTest<C> instance(values);
  EXPECT_TRUE(instance.context.unknown().empty())
      << package.name << " has no property " << instance.context.unknown()[0];
  EXPECT_EQ(instance.component.inputs().size(), package.component.provides.size());
  EXPECT_EQ(instance.component.outputs().size(), package.component.uses.size());
  for (const auto& port : package.component.provides)
    EXPECT_TRUE(instance.component.find_input(port.name)) << port.name;
  for (const auto& port : package.component.uses)
    EXPECT_TRUE(instance.component.find_output(port.name)) << port.name;
}

TEST_F(VoiceComponents, MatchTheirProfiles) {
  write_speech(path("in.wav"), speech_like_signal(10));
  const auto voice = assembly("voice.sad.xml");
  expect_as_described<SpeechSource>(voice.package_of(0), {{"file", path("in.wav")}});
  expect_as_described<CvsdEncoderComponent>(voice.package_of(1), {});
  expect_as_described<FramerComponent>(voice.package_of(2), {});
  expect_as_described<ModulatorComponent>(voice.package_of(3), {});
  expect_as_described<ChannelComponent>(voice.package_of(4), {});
  expect_as_described<DemodulatorComponent>(voice.package_of(5), {});
  expect_as_described<DeframerComponent>(voice.package_of(6), {});
  expect_as_described<CvsdDecoderComponent>(voice.package_of(7), {});
  expect_as_described<WavSink>(voice.package_of(8), {{"file", path("out.wav")}});
}

}  // namespace
}  // namespace orbweaver::voice::testing
