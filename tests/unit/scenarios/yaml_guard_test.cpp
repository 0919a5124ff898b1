// What may not be in a YAML file, and where the message points.
#include "scenarios/engine/yaml_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace rocdrill::scenarios {
namespace {

std::string problems(std::string yaml) {
  const Source source("f.yaml", std::move(yaml));
  Problems found(source);
  parse_yaml(source, found);
  return text(found.take());
}

std::string repeat(std::string_view part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

TEST(YamlGuard, ReadsPlainYamlIntoATreeWithPlaces) {
  const Source source("f.yaml", "a: 1\nb:\n  - \"x\"\n  - {c: y}\nd:\n");
  Problems found(source);
  const auto tree = parse_yaml(source, found);
  ASSERT_TRUE(tree);
  EXPECT_TRUE(found.empty());
  ASSERT_EQ(tree->kind, YamlNode::Kind::map);
  ASSERT_EQ(tree->keys.size(), 3u);
  EXPECT_EQ(tree->keys[1].text, "b");
  EXPECT_EQ(source.mark(tree->keys[1].offset), (Mark{2, 1}));
  EXPECT_TRUE(tree->items[0].plain);
  const YamlNode& list = tree->items[1];
  ASSERT_EQ(list.kind, YamlNode::Kind::list);
  EXPECT_FALSE(list.items[0].plain);
  EXPECT_EQ(source.mark(list.items[0].offset), (Mark{3, 5}));
  EXPECT_EQ(source.mark(list.items[1].items[0].offset), (Mark{4, 9}));
  EXPECT_EQ(tree->items[2].kind, YamlNode::Kind::null);
  EXPECT_EQ(source.mark(tree->items[2].offset), (Mark{5, 1}));
}

TEST(YamlGuard, CountsColumnsInCharacters) {
  EXPECT_EQ(problems("ä: ö\n\"größe\": &a 1\n"),
            "f.yaml:2:10: error: YAML anchors are not allowed: '&a'\n"
            "  hint: remove the anchor; write the value out where it is used\n");
}

TEST(YamlGuard, RefusesAnchorsAndAliases) {
  EXPECT_EQ(problems("a: &x 1\nb: *x\n"),
            "f.yaml:1:4: error: YAML anchors are not allowed: '&x'\n"
            "  hint: remove the anchor; write the value out where it is used\n"
            "f.yaml:2:4: error: YAML aliases (*name) are not allowed\n"
            "  hint: write the value out\n");
  EXPECT_EQ(problems("a: *x\n"),
            "f.yaml:1:4: error: not valid YAML: the referenced anchor is not defined\n"
            "  hint: put text that starts with '*' in quotes\n");
}

TEST(YamlGuard, RefusesAnAliasBombAtOnce) {
  std::string bomb = "a0: &a0 [lol, lol, lol]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            ", " + before + "]\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string found = problems(bomb);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_THAT(found,
              testing::StartsWith("f.yaml:1:5: error: YAML anchors are not allowed: '&a0'\n"));
  EXPECT_THAT(found, testing::EndsWith("f.yaml: error: 187 more problems\n"
                                       "  hint: mend the first ones, then look again\n"));
}

TEST(YamlGuard, RefusesACycle) {
  EXPECT_THAT(problems("a: &x [*x]\n"),
              testing::StartsWith("f.yaml:1:4: error: YAML anchors are not allowed: '&x'\n"));
}

TEST(YamlGuard, RefusesDuplicateKeys) {
  EXPECT_EQ(problems("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n"),
            "f.yaml:3:1: error: duplicate key 'a'\n"
            "  hint: it is already set in line 1; keep one of the two\n"
            "f.yaml:4:11: error: duplicate key 'd'\n"
            "  hint: it is already set in line 4; keep one of the two\n");
}

TEST(YamlGuard, RefusesDeepNesting) {
  EXPECT_EQ(problems(repeat("[", 32) + repeat("]", 32)), "");
  EXPECT_EQ(problems(repeat("[", 33) + repeat("]", 33)),
            "f.yaml:1:33: error: lists and maps are nested deeper than 32\n");
  EXPECT_EQ(problems(repeat("- ", 40) + "x\n"),
            "f.yaml:1:65: error: lists and maps are nested deeper than 32\n");
  EXPECT_EQ(problems(repeat("{a: ", 40) + "1" + repeat("}", 40)),
            "f.yaml:1:129: error: lists and maps are nested deeper than 32\n");
}

TEST(YamlGuard, RefusesLargeFiles) {
  EXPECT_EQ(problems("a: " + std::string(max_file_bytes - 4, 'x') + "\n"), "");
  EXPECT_EQ(problems("a: " + std::string(max_file_bytes - 3, 'x') + "\n"),
            "f.yaml:1:1: error: the file is larger than 1 MiB\n");
}

TEST(YamlGuard, RefusesTooManyValues) {
  EXPECT_EQ(problems("[" + repeat("a,", max_yaml_nodes + 5) + "b]\n"),
            "f.yaml:1:200002: error: more than 100000 values in one file\n");
}

TEST(YamlGuard, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(problems("a: 1\nb: x\xff\n"),
            "f.yaml:2:5: error: byte 0xff is not UTF-8\n  hint: save the file as UTF-8\n");
  EXPECT_EQ(problems("a: \xc0\xaf\n"),  // overlong '/'
            "f.yaml:1:4: error: byte 0xc0 is not UTF-8\n  hint: save the file as UTF-8\n");
  EXPECT_EQ(problems("a: \xed\xa0\x80\n"),  // a surrogate
            "f.yaml:1:4: error: byte 0xed is not UTF-8\n  hint: save the file as UTF-8\n");
  EXPECT_EQ(problems("a: \xe2\x82"),
            "f.yaml:1:4: error: byte 0xe2 is not UTF-8\n  hint: save the file as UTF-8\n");
  EXPECT_EQ(problems("a: \xf0\x9f\x98\x80\n"), "");
}

TEST(YamlGuard, RefusesByteOrderMarks) {
  EXPECT_EQ(problems("\xef\xbb\xbf"
                     "a: 1\n"),
            "f.yaml:1:1: error: the file starts with a byte order mark (BOM)\n"
            "  hint: save it as UTF-8 without BOM\n");
  EXPECT_EQ(problems(std::string("\xff\xfe"
                                 "a\0",
                                 4)),
            "f.yaml:1:1: error: byte 0xff is not UTF-8\n  hint: save the file as UTF-8\n");
}

TEST(YamlGuard, RefusesControlCharacters) {
  // yaml-cpp takes 0x04 for the end of the file.
  EXPECT_EQ(problems("a: 1\n\x04"
                     "b: [\n"),
            "f.yaml:2:1: error: control character 0x04 is not allowed\n");
  EXPECT_EQ(problems(std::string("a: \0", 4)),
            "f.yaml:1:4: error: control character 0x00 is not allowed\n");
  EXPECT_EQ(problems("a: 1\rb: 2\n"), "f.yaml:1:5: error: control character 0x0d is not allowed\n");
  EXPECT_EQ(problems("a: 1\r\nb: 2\r\n"), "");
}

TEST(YamlGuard, RefusesTabsAsIndentation) {
  EXPECT_EQ(problems("a:\n\tb: 1\n"),
            "f.yaml:2:3: error: not valid YAML: illegal map value\n"
            "  hint: this line is indented with a tab: use spaces\n");
  EXPECT_EQ(problems("a:\n  b: 1\n  \tc: 2\n"),
            "f.yaml:3:3: error: not valid YAML: illegal tab when looking for indentation\n"
            "  hint: this line is indented with a tab: use spaces\n");
}

TEST(YamlGuard, RefusesSeveralDocuments) {
  EXPECT_EQ(problems("---\na: 1\n---\nb: 2\n"),
            "f.yaml:3:1: error: a second YAML document starts here\n"
            "  hint: one file holds one: check the indentation, or remove the '---' before it\n");
  // Not what the author meant, but what YAML makes of it.
  EXPECT_EQ(problems("- a\nb: 1\n"),
            "f.yaml:2:1: error: a second YAML document starts here\n"
            "  hint: one file holds one: check the indentation, or remove the '---' before it\n");
  EXPECT_EQ(problems("---\na: 1\n...\n"), "");
}

TEST(YamlGuard, RefusesTags) {
  EXPECT_EQ(problems("a: !!binary aGk=\nb: !own {c: 1}\nd: \"quoted\"\n"),
            "f.yaml:1:4: error: YAML tags are not allowed: '!!binary'\n"
            "  hint: remove the tag; put text in quotes\n"
            "f.yaml:2:4: error: YAML tags are not allowed: '!own'\n"
            "  hint: remove the tag; put text in quotes\n");
}

TEST(YamlGuard, RefusesKeysThatAreNoText) {
  EXPECT_EQ(problems("? [a, b]\n: 1\n"), "f.yaml:1:3: error: a key must be text\n");
  EXPECT_EQ(problems("~: 1\n"), "f.yaml:1:1: error: a key must be text\n");
}

TEST(YamlGuard, RefusesAnEmptyFile) {
  EXPECT_EQ(problems(""), "f.yaml:1:1: error: the file is empty\n");
  EXPECT_EQ(problems("# only a comment\n\n"), "f.yaml:1:1: error: the file is empty\n");
}

TEST(YamlGuard, RefusesAQuoteThatOnlyTheEndOfTheFileCloses) {
  EXPECT_EQ(problems("a: 1\nb: \"x\n"), "f.yaml:2:4: error: this quote is not closed\n");
  EXPECT_EQ(problems("b: 'it''s\n"), "f.yaml:1:4: error: this quote is not closed\n");
  EXPECT_EQ(problems("b: \"x\\\"\n"), "f.yaml:1:4: error: this quote is not closed\n");
  EXPECT_EQ(problems("a: 'it''s'\nb: \"\\\"\"\nc: ''\nd: ''''\n"), "");
}

TEST(YamlGuard, ReportsMalformedYamlWithAHint) {
  EXPECT_EQ(problems("a: 1\nb: x: y\n"),
            "f.yaml:2:5: error: not valid YAML: illegal map value\n"
            "  hint: put a value that contains ': ' in quotes\n");
  EXPECT_EQ(problems("a: [1, 2\nb: 3\n"),
            "f.yaml:2:2: error: not valid YAML: end of sequence flow not found\n"
            "  hint: a '[' is not closed\n");
  EXPECT_EQ(problems("a: \"x\nb: 1"),
            "f.yaml:2:5: error: not valid YAML: illegal EOF in scalar\n"
            "  hint: a quote is not closed\n");
  EXPECT_EQ(problems("a: @x\n"),
            "f.yaml:1:4: error: not valid YAML: unknown token\n"
            "  hint: put a value that starts with this character in quotes\n");
  EXPECT_EQ(problems("a: \"\\q\"\n"),
            "f.yaml:1:7: error: not valid YAML: unknown escape character: q\n"
            "  hint: use single quotes, in which '\\' is an ordinary character\n");
}

TEST(YamlGuard, EndsSoonForAMegabyteOfAnything) {
  for (const std::string_view part :
       {"[",   "{",  "- ",  "? ",    "a: ",   "[a, ", "{a: ", "&a ",   "*a ",
        "!a ", "\"", "'",   "|\n",   ">\n",   "#",    "%",    "---\n", ",",
        ":",   "\n", "a\n", "a:\n ", "- a\n", "[]",   "\t",   "a: b\n"}) {
    const auto start = std::chrono::steady_clock::now();
    problems(repeat(part, max_file_bytes / part.size()));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << part;
  }
}

TEST(OffsetInside, FindsTheCharacterInEveryStyleOfScalar) {
  const auto place = [](const std::string& yaml, std::string_view part) {
    const Source source("f.yaml", yaml);
    Problems found(source);
    const auto tree = parse_yaml(source, found);
    EXPECT_TRUE(tree && found.empty()) << yaml;
    const YamlNode& scalar = tree->items.at(0);
    const std::size_t offset = offset_inside(source, scalar, scalar.text.find(part));
    return source.mark(offset);
  };
  EXPECT_EQ(place("a: one two X\n", "X"), (Mark{1, 12}));
  EXPECT_EQ(place("a: one\n  two X\n", "X"), (Mark{2, 7}));
  EXPECT_EQ(place("a: 'it''s X'\n", "X"), (Mark{1, 11}));
  EXPECT_EQ(place("a: 'it''s X'\n", "'s"), (Mark{1, 7}));
  EXPECT_EQ(place("a: \"\\t\\\" X\"\n", "X"), (Mark{1, 10}));
  EXPECT_EQ(place("a: |\n  one\n    two X\n", "X"), (Mark{3, 9}));
  EXPECT_EQ(place("a: >-\n  one\n  two X\n", "X"), (Mark{3, 7}));
  EXPECT_EQ(place("a: |\n  X\n", "X"), (Mark{2, 3}));
}

}  // namespace
}  // namespace rocdrill::scenarios
