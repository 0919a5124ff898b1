// Datagrams of arbitrary bytes to whoever puts messages together. What is no message throws
// ConnectionError and nothing else; what is one can be sent again and reads the same. As a look's
// question or answer it is taken or refused; what is taken is written and taken again.
#include <cstdint>
#include <cstdlib>

#include "scenarios/engine/look_message.hpp"
#include "sim/interpose/protocol/facts.hpp"
#include "sim/interpose/protocol/message.hpp"

using namespace rocdrill::interpose;

namespace {

void check(const Json& message) {
  if (!message.is_object()) std::abort();
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  Assembler again;
  const auto read = again.add(text);
  if (!read || read->size() != message.size()) std::abort();
  try {
    static_cast<void>(facts_of(message));
  } catch (const std::exception&) {  // a message of another kind or version
  }
  using namespace rocdrill::scenarios;
  if (const auto question = question_of(message); question && !question_of(to_json(*question)))
    std::abort();
  if (const auto answer = answer_of(message); answer && !answer_of(to_json(*answer))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t limit = 4096;
  Assembler assembler;
  while (size > 0) {
    const std::size_t length = std::min<std::size_t>(size - 1, *data);
    const std::string_view datagram(reinterpret_cast<const char*>(data + 1), length);
    data += length + 1;
    size -= length + 1;
    try {
      if (const auto message = assembler.add(datagram, limit)) check(*message);
    } catch (const ConnectionError&) {
      return 0;  // the connection ends
    }
  }
  return 0;
}
