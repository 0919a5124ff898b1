#include <gmock/gmock.h>

#include <map>
#include <random>

#include "sim/interpose/trace/ioctl_fields.hpp"
#include "sim/interpose/trace/packet_fields.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::trace {
namespace {

using testing::ElementsAre;

TEST(IoctlFields, LieInTheirStructuresAndApart) {
  std::size_t described = 0;
  for (const kfd::IoctlInfo& info : kfd::ioctls()) {
    std::map<std::size_t, const char*> bytes;
    for (const FieldInfo& field : fields_of(info.nr)) {
      EXPECT_LE(field.offset + field.size, info.size) << info.name << " " << field.name;
      for (std::size_t i = 0; i < field.size; ++i)
        EXPECT_TRUE(bytes.emplace(field.offset + i, field.name).second)
            << info.name << " " << field.name;
      EXPECT_TRUE(field.size == 4 || field.size == 8) << info.name << " " << field.name;
    }
    described += fields_of(info.nr).empty() ? 0 : 1;
  }
  EXPECT_GE(described, 30u);
}

TEST(IoctlFields, WhatGoesInIsTheSameAgain) {
  std::mt19937 random(1);
  for (const kfd::IoctlInfo& info : kfd::ioctls()) {
    std::vector<std::byte> argument(info.size);
    for (std::byte& byte : argument) byte = static_cast<std::byte>(random());
    const Json in = decode(info.nr, argument, Way::in);
    const auto again = encode(info.nr, Json::parse(in.dump()), info.size);
    for (const FieldInfo& field : fields_of(info.nr)) {
      if (field.way == Way::out) continue;
      EXPECT_TRUE(std::equal(again.begin() + field.offset,
                             again.begin() + field.offset + field.size,
                             argument.begin() + field.offset))
          << info.name << " " << field.name;
    }
    if (fields_of(info.nr).empty()) {
      EXPECT_EQ(again, argument) << info.name;
    }
  }
}

TEST(IoctlFields, AShorterStructureHasFewerMembers) {
  const std::vector<std::byte> argument(kfd::create_queue_args_size_1_11);
  const Json in = decode(kfd::Ioctl::create_queue, argument, Way::in);
  EXPECT_TRUE(in.contains("ctl_stack_size"));
  EXPECT_FALSE(in.contains("sdma_engine_id"));
  EXPECT_EQ(encode(kfd::Ioctl::create_queue, in, argument.size()).size(), argument.size());
}

TEST(IoctlFields, ArraysAreReadWhereTheArgumentPoints) {
  const std::uint32_t ids[] = {28509, 4242};
  kfd::MapMemoryToGpuArgs args{};
  args.device_ids_array_ptr = 0x1234;
  args.n_devices = 2;
  const auto read = [&](void* to, std::uint64_t from, std::size_t bytes) {
    EXPECT_EQ(from, 0x1234u);
    std::memcpy(to, ids, bytes);
    return true;
  };
  const Json json =
      pointed_at(kfd::Ioctl::map_memory_to_gpu, std::as_bytes(std::span(&args, 1)), Way::in, read);
  EXPECT_EQ(json.at("device_ids"), Json({28509, 4242}));
  // A pointer that leads nowhere gives an empty list.
  const auto nothing = [](void*, std::uint64_t, std::size_t) { return false; };
  EXPECT_EQ(pointed_at(kfd::Ioctl::map_memory_to_gpu, std::as_bytes(std::span(&args, 1)), Way::in,
                       nothing)
                .at("device_ids")
                .size(),
            0u);
}

TEST(Json, NumbersAndBytes) {
  EXPECT_EQ(number_of(Json("0x7f00")), 0x7f00u);
  EXPECT_EQ(number_of(Json(12)), 12u);
  for (const Json& bad :
       {Json("7f"), Json("0x"), Json("0xg"), Json(nullptr), Json("0x11111111111111111")})
    EXPECT_THROW(number_of(bad), std::invalid_argument) << bad.dump();
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{0xAB}};
  EXPECT_EQ(bytes_text(bytes), "00ab");
  EXPECT_EQ(bytes_of("00ab"), bytes);
  EXPECT_THROW(bytes_of("00a"), std::invalid_argument);
  EXPECT_THROW(bytes_of("zz"), std::invalid_argument);
}

std::vector<std::string> names(const DecodedPacket& packet) {
  std::vector<std::string> list{packet.name};
  for (const PacketField& field : packet.fields)
    list.push_back(field.name + "=" + hex(field.value));
  return list;
}

TEST(PacketFields, Barrier) {
  const aql::Packet packet = aql::barrier_and({0x100, 0, 0x200, 0, 0}, 0x300, true);
  EXPECT_THAT(names(decode_aql(packet.bytes)),
              ElementsAre("BARRIER_AND", "barrier=0x1", "acquire=0x2", "release=0x2", "dep0=0x100",
                          "dep2=0x200", "completion=0x300"));
}

TEST(PacketFields, BarrierValueAndWhatIsNoPacket) {
  aql::BarrierValue value{};
  value.header = aql::Header::make(aql::PacketType::vendor_specific).bits;
  value.amd_format = static_cast<std::uint8_t>(aql::VendorFormat::barrier_value);
  value.signal = 0x40;
  value.value = 3;
  value.condition = 2;
  EXPECT_EQ(decode_aql(aql::Packet(value).bytes).name, "BARRIER_VALUE");
  aql::Packet bad;
  bad.set_header({7});
  EXPECT_THAT(names(decode_aql(bad.bytes)),
              ElementsAre("RESERVED", "acquire=0x0", "release=0x0", "type=0x7"));
}

TEST(PacketFields, Sdma) {
  const std::uint32_t copy[] = {1, 4095, 0, 0x1000, 0x7f, 0x2000, 0x7e};
  EXPECT_THAT(names(decode_sdma(std::as_bytes(std::span(copy)))),
              ElementsAre("COPY_LINEAR", "bytes=0x1000", "from=0x7f00001000", "to=0x7e00002000"));
  const std::uint32_t fence[] = {5, 0x10, 0x1, 7};
  EXPECT_THAT(names(decode_sdma(std::as_bytes(std::span(fence)))),
              ElementsAre("FENCE", "address=0x100000010", "data=0x7"));
  const std::uint32_t trap[] = {6, 3};
  EXPECT_THAT(names(decode_sdma(std::as_bytes(std::span(trap)))),
              ElementsAre("TRAP", "context=0x3"));
  const std::uint32_t unknown[] = {0x42};
  EXPECT_EQ(decode_sdma(std::as_bytes(std::span(unknown))).name, "REFUSED");
}

}  // namespace
}  // namespace rocdrill::trace
