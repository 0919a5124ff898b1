// docs/failure-modes.md and docs/tools.md say what the model does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "scenarios/engine/command_line.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

bool updates() { return std::getenv("ROCDRILL_UPDATE_DOCS") != nullptr; }

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Compares the table that begins with this line, or writes it anew.
void expect_table(const std::string& file, const std::string& table) {
  const std::string path = ROCDRILL_SOURCE_DIR "/docs/" + file;
  std::string text = read(path);
  const std::string header = table.substr(0, table.find('\n'));
  const std::size_t begin = text.find(header);
  ASSERT_NE(begin, std::string::npos) << path << " has no table " << header;
  const std::size_t end = text.find("\n\n", begin) + 1;
  if (updates()) {
    text.replace(begin, end - begin, table);
    std::ofstream(path) << text;
    return;
  }
  EXPECT_EQ(text.substr(begin, end - begin), table)
      << "ROCDRILL_UPDATE_DOCS=1 writes " << file << " anew";
}

/// In a cell of a table: one line, and not all of a long one.
std::string cell(std::string text) {
  constexpr std::size_t most = 150;
  text = text.substr(0, text.find('\n'));
  if (text.size() > most) text = text.substr(0, text.rfind(' ', most)) + " ...";
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return text;
}

std::string joined(const scenarios::Command& command) {
  std::string line;
  for (const std::string& word : command) {
    const bool plain = word.find_first_of(" '\"();") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return line;
}

/// What answers: a program, or for those that show any file, the folder of that.
std::string tool_of(const scenarios::Command& command) {
  const std::string& program = command.front();
  if (program != "ls" && program != "cat") return program;
  return program + " " + command.back().substr(0, command.back().rfind('/'));
}

TEST(Docs, FailureModes) {
  std::map<std::string, std::string> drill_of;  // the first of each fault
  for (const std::string& id : data().list_drills())
    for (const auto& fault : drill(id).drill.faults) drill_of.emplace(fault.use.id, id);
  std::string table =
      "| layer | fault | seen above | first failing check | what tells | drill |\n"
      "|---|---|---|---|---|---|\n";
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all()) {
    const sim::FaultInfo& info = fault->info();
    if (info.surgical) continue;
    ASSERT_TRUE(drill_of.contains(info.id)) << info.id << " has no drill";
    const std::string& id = drill_of.at(info.id);
    const auto node = run(id);
    const Timeline& timeline = node->os.timeline;
    const auto results = check(*node);
    const checks::Result* failed = checks::first_failure(results);
    ASSERT_NE(failed, nullptr) << id;
    const EventId top = scenarios::top_symptom(timeline);
    std::string seen = top == no_event ? "" : timeline.at(top).text(field::shows);
    if (top != no_event && (seen.empty() || seen == "False"))  // what print() shows says little
      seen = timeline.at(top).text(field::did);
    const auto& debrief = drill(id).drill.debrief;
    table += "| " + std::string(title(info.layer)) + " | " + cell(info.title) + " | " +
             cell(top == no_event ? failed->evidence : seen) + " | `" + failed->id + "` | `" +
             cell(joined(debrief.discriminator)) + "`: " + cell(debrief.discriminator_shows) +
             " | `" + id + "` |\n";
  }
  expect_table("failure-modes.md", table);
}

TEST(Docs, Tools) {
  std::map<std::string, std::string> decides;  // by the tool's name
  for (const std::string& id : data().list_drills()) {
    scenarios::Command command = drill(id).drill.debrief.discriminator;
    if (command.front() == "sudo") command.erase(command.begin());
    std::string& list = decides[tool_of(command)];
    list += (list.empty() ? "" : ", ") + id;
  }
  const std::string text = read(ROCDRILL_SOURCE_DIR "/docs/tools.md");
  const std::string header = "| question | command | layer | decides |\n|---|---|---|---|\n";
  std::size_t at = text.find(header);
  ASSERT_NE(at, std::string::npos);
  std::string table = header;
  std::map<std::string, bool> told;  // a tool's drills stand at its first question
  const auto healthy = booted("mi300x-8");
  for (at += header.size(); text[at] == '|'; at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const std::size_t open = line.find('`');
    const std::size_t close = line.find('`', open + 1);
    const std::string shown = line.substr(open + 1, close - open - 1);
    const auto command = scenarios::split_command(shown);
    ASSERT_TRUE(command) << shown;
    const CommandResult result = sh(*healthy, *command, true);
    EXPECT_EQ(result.exit_code, 0) << shown << ": " << result.err;
    EXPECT_EQ(result.err.find("not modelled"), std::string::npos) << shown;
    const std::size_t layer_at = line.find("| ", close) + 2;
    const std::string layer = line.substr(layer_at, line.find(' ', layer_at) - layer_at);
    EXPECT_TRUE(layer_from_name(layer)) << line;
    const std::string tool = tool_of(*command);
    const std::string drills = told.emplace(tool, true).second ? decides[tool] : "";
    table += line.substr(0, close + 1) + " | " + layer + " |" +
             (drills.empty() ? "" : " " + drills) + " |\n";
  }
  expect_table("tools.md", table);
}

}  // namespace
}  // namespace rocdrill::test
