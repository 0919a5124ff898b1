// A drill file: what is read, and what each mistake is answered with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace rocdrill::scenarios::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Of the good drill with one change.
std::string after(std::string_view from, std::string_view to) {
  return problems_of_drill(with(good_drill, from, to));
}

TEST(DrillFile, ReadsEveryKey) {
  EXPECT_EQ(problems_of_drill(good_drill), "");
  const Drill drill = *parse_drill("d.yaml", good_drill, "sample");
  EXPECT_EQ(drill.id, "sample");
  EXPECT_EQ(drill.title, "A sample");
  EXPECT_EQ(drill.difficulty, 2);
  EXPECT_EQ(drill.minutes, 10);
  EXPECT_EQ(drill.objectives, (std::vector<std::string>{"one"}));
  EXPECT_EQ(drill.node, "mi210");
  EXPECT_EQ(drill.capabilities, (std::vector<std::string>{"files"}));
  ASSERT_EQ(drill.vars.size(), 3u);
  EXPECT_EQ(drill.vars[1].name, "name");
  EXPECT_EQ(drill.vars[1].mark, (Mark{11, 3}));
  ASSERT_EQ(drill.faults.size(), 1u);
  EXPECT_EQ(drill.faults[0].use.id, "double-filter");
  EXPECT_EQ(drill.faults[0].at.kind, FaultTime::Kind::time);
  EXPECT_EQ(drill.faults[0].at.time_ns, 5'000'000'000u);
  EXPECT_EQ(drill.workload.kind, Workload::Kind::torch);
  EXPECT_EQ(drill.brief, "Dear ${name},\nit is broken.\n");
  EXPECT_FALSE(drill.no_fault);
  ASSERT_EQ(drill.tasks.size(), 4u);
  const Answer& where = std::get<Answer>(drill.tasks[1].check);
  EXPECT_EQ(where.layer, Layer::hip);
  EXPECT_EQ(where.correct, "b");
  ASSERT_EQ(drill.tasks[1].hints.size(), 2u);
  EXPECT_EQ(drill.tasks[1].hints[1].cost, 5);
  EXPECT_EQ(drill.tasks[1].hints[1].when.size(), 1u);
  const auto& state = std::get<std::vector<StateCheck>>(drill.tasks[3].check);
  ASSERT_EQ(state.size(), 3u);
  EXPECT_EQ(state[0].subject, "all");
  EXPECT_EQ(state[1].kind, StateCheck::Kind::file_absent);
  EXPECT_EQ(state[2].command, (Command{"rocminfo"}));
  EXPECT_EQ(state[2].contains, "gfx");
  EXPECT_EQ(drill.penalties.at(0).command, (Command{"chmod", "777"}));
  EXPECT_EQ(drill.solve, (std::vector<Command>{{"unset", "HIP_VISIBLE_DEVICES"}}));
  EXPECT_EQ(drill.wrong.at(0).commands, (std::vector<Command>{{"modprobe", "amdgpu"}}));
  EXPECT_EQ(drill.debrief.discriminator, (Command{"env"}));
  EXPECT_EQ(drill.debrief.sources, (std::vector<std::string>{"https://example.org/1"}));
}

TEST(DrillFile, ResolvesEveryText) {
  const sim::NodeSpec node = *parse_node("small.yaml", good_node, "small", knowledge());
  const Drill drill = *parse_drill("d.yaml", good_drill, "sample");
  const ResolvedDrill resolved = resolve(drill, node, 7);
  const auto gpu = std::get<std::int64_t>(resolved.values.at("gpu"));
  EXPECT_EQ(resolved.drill.faults[0].use.parameters.at("gpu"), ParameterValue(gpu));
  const std::string name = std::get<std::string>(resolved.values.at("name"));
  EXPECT_EQ(resolved.drill.brief, "Dear " + name + ",\nit is broken.\n");
  const std::string line = name + " on GPU " + std::to_string(gpu);
  EXPECT_EQ(std::get<Answer>(resolved.drill.tasks[2].check).correct, line);
  EXPECT_EQ(std::get<Answer>(resolved.drill.tasks[2].check).choices[1], line);
  Drill copy = resolved.drill;
  for_each_text(copy, [](std::string& text) { EXPECT_THAT(text, testing::Not(HasSubstr("${"))); });

  EXPECT_EQ(resolve(drill, node, 7).values, resolved.values);
  bool differs = false;
  for (std::uint64_t seed = 8; seed < 20; ++seed) {
    differs |= resolve(drill, node, seed).drill.brief != resolved.drill.brief;
  }
  EXPECT_TRUE(differs);
}

TEST(DrillFile, UnknownKeys) {
  EXPECT_EQ(after("brief:", "breif:"),
            "d.yaml:1:1: error: 'brief' is missing\n"
            "  hint: add the key 'brief' here\n"
            "d.yaml:18:1: error: unknown key 'breif'\n"
            "  hint: did you mean 'brief'?\n");
  EXPECT_EQ(after("at: time 5s", "when: boot"),
            "d.yaml:16:5: error: unknown key 'faults[0].when'\n"
            "  hint: known keys here: kind, at, params\n");
  EXPECT_EQ(after("cost: 1}", "cost: 1, prize: 2}"),
            "d.yaml:31:31: error: unknown key 'tasks.localise.hints[0].prize'\n"
            "  hint: known keys here: text, cost, when\n");
}

TEST(DrillFile, MissingAndEmptyKeys) {
  EXPECT_EQ(after("title: A sample\n", ""),
            "d.yaml:1:1: error: 'title' is missing\n  hint: add the key 'title' here\n");
  EXPECT_EQ(after("title: A sample\n", "title:\n"), "d.yaml:3:1: error: 'title' is empty\n");
  EXPECT_EQ(after("title: A sample\n", "title: ''\n"),
            "d.yaml:3:8: error: 'title' must not be empty\n");
  EXPECT_EQ(after("ask: What?", "ask: ~"), "d.yaml:23:5: error: 'tasks.detect.ask' is empty\n");
}

TEST(DrillFile, WrongTypesNameWhatWasExpectedAndFound) {
  EXPECT_EQ(after("difficulty: 2", "difficulty: hard"),
            "d.yaml:4:13: error: 'difficulty' must be an integer, not text 'hard'\n");
  EXPECT_EQ(after("difficulty: 2", "difficulty: \"2\""),
            "d.yaml:4:13: error: 'difficulty' must be an integer, not text '2'\n"
            "  hint: remove the quotes\n");
  EXPECT_EQ(after("difficulty: 2", "difficulty: 9"),
            "d.yaml:4:13: error: 'difficulty' must be between 1 and 5, not 9\n");
  EXPECT_EQ(
      after("difficulty: 2", "difficulty: 99999999999999999999"),
      "d.yaml:4:13: error: 'difficulty' must be an integer, not text '99999999999999999999'\n");
  EXPECT_EQ(after("title: A sample", "title: [a]"),
            "d.yaml:3:8: error: 'title' must be text, not a list\n");
  EXPECT_EQ(after("objectives: [one]", "objectives: one"),
            "d.yaml:6:13: error: 'objectives' must be a list, not text 'one'\n");
  EXPECT_EQ(after("check: {answer: {choices: [yes, no], correct: yes}}", "check: [1]"),
            "d.yaml:25:12: error: 'tasks.detect.check' must be a map, not a list\n");
}

TEST(DrillFile, AListWhereAMapIsExpected) {
  EXPECT_EQ(problems_of_drill("- schema: 1\n- id: x\n"),
            "d.yaml:1:1: error: the file must be a map, not a list\n");
  EXPECT_EQ(problems_of_drill("just text\n"),
            "d.yaml:1:1: error: the file must be a map, not text 'just text'\n");
}

TEST(DrillFile, Identity) {
  EXPECT_EQ(after("id: sample", "id: other"),
            "d.yaml:2:5: error: 'id' is 'other', but the folder is called 'sample'\n"
            "  hint: rename one of the two\n");
  EXPECT_EQ(after("schema: 1", "schema: 2"),
            "d.yaml:1:9: error: 'schema' is 2, but this rocdrill reads 1\n");
  EXPECT_EQ(after("requires: [files]", "requires: [filez]"),
            "d.yaml:8:12: error: 'requires[0]' cannot be 'filez'\n"
            "  hint: did you mean 'files'? one of: files, kfd, aql-barrier, barrier-value, "
            "agent-dispatch, kernel-dispatch, sdma, pm4, hip, inject, virtual-time, collectives\n");
}

TEST(DrillFile, Faults) {
  EXPECT_EQ(after("kind: double-filter", "kind: double-filtre"),
            "d.yaml:14:11: error: there is no fault 'double-filtre'\n"
            "  hint: did you mean 'double-filter'?\n");
  EXPECT_EQ(after("params: {gpu: \"${gpu}\"}", "params: {gpu: one}"),
            "d.yaml:15:19: error: parameter 'gpu' of fault 'double-filter' must be an integer, not "
            "text\n  hint: gpu: index of the GPU in both variables\n");
  EXPECT_EQ(after("params: {gpu: \"${gpu}\"}", "params: {gpus: 3}"),
            "d.yaml:15:20: error: fault 'double-filter' has no parameter 'gpus'; it takes: gpu\n"
            "  hint: did you mean 'gpu'?\n");
  EXPECT_EQ(after("params: {gpu: \"${gpu}\"}", "params: {gpu: [1]}"),
            "d.yaml:15:19: error: 'faults[0].params.gpu' must be text, a number or a flag, not a "
            "list\n");
  EXPECT_EQ(after("at: time 5s", "at: later"),
            "d.yaml:16:9: error: 'faults[0].at' cannot be 'later'\n"
            "  hint: boot, time <number><ns|us|ms|s|min|h> or trigger <kind of event>\n");
  EXPECT_THAT(after("at: time 5s", "at: time 5"), StartsWith("d.yaml:16:9: error: "));
  EXPECT_EQ(after("at: time 5s", "at: trigger workload.start"), "");
}

TEST(DrillFile, AParameterIsTriedWithEveryValueOfItsVariable) {
  EXPECT_EQ(after("params: {gpu: \"${gpu}\"}", "params: {gpu: \"${name}\"}"),
            "d.yaml:15:19: error: parameter 'gpu' of fault 'double-filter' must be an integer, not "
            "text\n  hint: gpu: index of the GPU in both variables\n");
  const std::string stale = with(good_drill, "kind: double-filter\n    params: {gpu: \"${gpu}\"}",
                                 "kind: stale-dkms\n    params: {reason: \"${name}\"}");
  EXPECT_EQ(
      problems_of_drill(stale),
      "d.yaml:15:22: error: parameter 'reason' of fault 'stale-dkms' cannot be 'ada'; one of: "
      "headers-missing, autoinstall-off\n  hint: reason: why there is no module\n");
  EXPECT_EQ(problems_of_drill(with(stale, "[ada, bob]", "[headers-missing, autoinstall-off]")), "");
  EXPECT_THAT(problems_of_drill(with(stale, "[ada, bob]", "[headers-missing, oops]")),
              HasSubstr("cannot be 'oops'"));
}

TEST(DrillFile, ReferencesToVariables) {
  EXPECT_EQ(after("Dear ${name},", "Dear ${nme}, of ${nobody}"),
            "d.yaml:19:8: error: there is no variable 'nme'\n"
            "  hint: did you mean 'name'?\n"
            "d.yaml:19:19: error: there is no variable 'nobody'\n"
            "  hint: known variables: gpu, name, line\n");
  EXPECT_EQ(after("unset HIP_VISIBLE_DEVICES", "rm /x/${file}"),
            "d.yaml:48:11: error: there is no variable 'file'\n"
            "  hint: known variables: gpu, name, line\n");
  EXPECT_EQ(after("Dear ${name},", "Dear ${Name},"),
            "d.yaml:19:8: error: '${' starts no variable\n"
            "  hint: write ${name}, where a name has lower-case letters, digits and '_'; write $${ "
            "for a literal '${'\n");
  EXPECT_EQ(after("Dear ${name},", "Dear $${Name},"), "");
}

TEST(DrillFile, CyclicVariables) {
  EXPECT_EQ(after("line: {text: \"${name} on GPU ${gpu}\"}",
                  "line: {text: \"${b}\"}\n  b: {text: \"x${c}\"}\n  c: {text: \"${b}\"}"),
            "d.yaml:13:3: error: these variables need each other: b -> c -> b\n"
            "  hint: give one of them a value of its own\n");
}

TEST(DrillFile, VariableBombs) {
  std::string vars = "line: {text: \"0123456789\"}";
  std::string before = "line";
  for (int i = 0; i < 40; ++i) {
    const std::string name = "b" + std::to_string(i);
    vars += "\n  " + name + ": {text: \"${" + before + "}${" + before + "}\"}";
    before = name;
  }
  EXPECT_THAT(
      after("line: {text: \"${name} on GPU ${gpu}\"}", vars),
      testing::Eq("d.yaml:10:3: error: 'vars' gives 'b10' a value of more than 256 bytes\n"));
}

TEST(DrillFile, BadVariables) {
  EXPECT_EQ(after("gpu: {integer: [1, 7]}", "gpu: {integer: [7, 1]}"),
            "d.yaml:10:18: error: 'vars.gpu.integer' is empty: 7 is greater than 1\n");
  EXPECT_EQ(after("gpu: {integer: [1, 7]}", "gpu: {integer: 3}"),
            "d.yaml:10:18: error: 'vars.gpu.integer' must be a list, not the number 3\n");
  EXPECT_EQ(after("gpu: {integer: [1, 7]}", "gpu: {integer: [1, 2], gpu: any}"),
            "d.yaml:10:8: error: 'vars.gpu' must have exactly one of choose, integer, gpu, text\n");
  EXPECT_EQ(after("[ada, bob]", "[ada, 5]"),
            "d.yaml:11:24: error: 'vars.name.choose[1]' has another type than the first one\n"
            "  hint: put all of them in quotes\n");
  EXPECT_EQ(after("[ada, bob]", "[ada, \"${gpu}\"]"),
            "d.yaml:11:24: error: 'vars.name.choose[1]' refers to a variable\n"
            "  hint: only {text: ...} may do so\n");
  EXPECT_EQ(after("[ada, bob]", "[]"),
            "d.yaml:11:18: error: 'vars.name.choose' must not be empty\n");
  EXPECT_THAT(
      after("gpu: {integer: [1, 7]}", "gpu: {gpu: all}"),
      HasSubstr("d.yaml:10:14: error: 'vars.gpu.gpu' cannot be 'all'\n  hint: one of: any\n"));
}

TEST(DrillFile, Commands) {
  EXPECT_EQ(
      after("unset HIP_VISIBLE_DEVICES", "dmesg | grep amdgpu"),
      "d.yaml:48:11: error: bad command: '|' needs a shell, which the node does not use here\n"
      "  hint: write plain commands, one per list item; put a literal character in quotes\n");
  EXPECT_EQ(after("  - unset HIP_VISIBLE_DEVICES", "  - \"rm \\\"x\""),
            "d.yaml:48:9: error: bad command: this quote is not closed\n");
  EXPECT_EQ(after("commands: [modprobe amdgpu]", "commands: []"),
            "d.yaml:50:25: error: 'wrong[0].commands' must not be empty\n");
}

TEST(DrillFile, Tasks) {
  EXPECT_EQ(after("correct: yes", "correct: yse"),
            "d.yaml:25:51: error: 'tasks.detect.check.answer.correct' is 'yse', which is not among "
            "the choices\n  hint: did you mean 'yes'?\n");
  EXPECT_EQ(after("layer: hip", "layer: hpi"),
            "d.yaml:29:29: error: 'tasks.localise.check.answer.layer' cannot be 'hpi'\n"
            "  hint: did you mean 'hip'? one of: silicon, firmware, kernel, access, runtime, hip, "
            "code-objects, libraries, framework\n");
  EXPECT_EQ(after("layer: hip, ", ""),
            "d.yaml:29:21: error: 'tasks.localise.check.answer.layer' is missing\n"
            "  hint: add the key 'layer' here\n");
  EXPECT_EQ(
      after("cost: 5, ", "cost: 50, "),
      "d.yaml:31:7: error: 'tasks.localise.hints' cost 51 points together, but the task gives "
      "20\n");
  EXPECT_EQ(after("cost: 1}", "cost: 6}"),
            "d.yaml:32:34: error: 'tasks.localise.hints[1].cost' must not be less than that of the "
            "hint before\n  hint: hints escalate: the last one gives most and costs most\n");
  EXPECT_EQ(after("{check_passes: all}\n", "{check_passes: all, file_absent: /y}\n"),
            "d.yaml:42:11: error: 'tasks.mitigate.check.state[0]' must name exactly one thing to "
            "check\n  hint: check_passes, file_absent, file_present or command\n");
  EXPECT_EQ(after("file_absent: /etc/x", "file_absent: etc/x"),
            "d.yaml:43:25: error: 'tasks.mitigate.check.state[1].file_absent' must be an absolute "
            "path\n");
}

TEST(DrillFile, WhatEveryFaultDrillMustHave) {
  EXPECT_EQ(after("  root_cause:\n    ask: Why?\n    points: 30\n    check: {answer: {choices: [c, "
                  "\"${line}\"], correct: \"${line}\"}}\n",
                  ""),
            "d.yaml:1:1: error: the file has no task 'root_cause'\n  hint: add it to 'tasks'\n");
  EXPECT_THAT(after("solve:\n  - unset HIP_VISIBLE_DEVICES\n", ""),
              StartsWith("d.yaml:1:1: error: the file has no 'solve'\n"));
  EXPECT_EQ(after("workload: torch", "no_fault: healthy\nworkload: torch"),
            "d.yaml:14:3: error: 'faults' must be empty in a drill with 'no_fault'\n"
            "d.yaml:49:3: error: 'solve' must be empty in a drill with 'no_fault'\n");
  EXPECT_THAT(
      after("faults:\n  - kind: double-filter\n    params: {gpu: \"${gpu}\"}\n    at: time 5s\n",
            ""),
      StartsWith("d.yaml:1:1: error: the file has no faults\n  hint: add 'faults', or "
                 "'no_fault: healthy' for a control drill\n"));
}

TEST(DrillFile, Workloads) {
  EXPECT_EQ(after("workload: torch", "workload: {hip-app: /srv/app}"), "");
  EXPECT_EQ(after("workload: torch", "workload: {hip-app: /srv/ap}"),
            "d.yaml:17:11: error: node 'small' has no program '/srv/ap'\n"
            "  hint: did you mean '/srv/app'?\n");
  EXPECT_EQ(after("workload: torch", "workload: hip-app"),
            "d.yaml:17:11: error: 'workload' must say which program\n"
            "  hint: hip-app: /srv/job/saxpy\n");
}

TEST(DrillFile, ChecksAndCommandsAreKnownWhereAListIsGiven) {
  Knowledge known = knowledge();
  known.checks = {"kernel.module"};
  known.commands = {"modprobe", "chmod", "unset", "env"};
  const Drill drill = *parse_drill(
      "d.yaml", with(good_drill, "check_passes: all}}", "check_passes: x}}"), "sample");
  const sim::NodeSpec node = *parse_node("small.yaml", good_node, "small", known);
  EXPECT_EQ(text(validate(drill, node, known)),
            "d.yaml:32:43: error: there is no check 'x'\n  hint: known checks: kernel.module\n"
            "d.yaml:44:21: error: there is no command 'rocminfo'\n"
            "  hint: known commands: modprobe, chmod, unset, env\n");
}

TEST(DrillFile, FindsAllProblemsAtOnceInFileOrder) {
  std::string yaml = with(good_drill, "difficulty: 2", "difficulty: hard");
  yaml = with(yaml, "Dear ${name}", "Dear ${who}");
  yaml = with(yaml, "points: 40", "points: 400");
  yaml = with(yaml, "https://example.org/1", "example.org");
  EXPECT_EQ(problems_of_drill(yaml),
            "d.yaml:4:13: error: 'difficulty' must be an integer, not text 'hard'\n"
            "d.yaml:19:8: error: there is no variable 'who'\n"
            "  hint: known variables: gpu, name, line\n"
            "d.yaml:39:13: error: 'tasks.mitigate.points' must be between 1 and 100, not 400\n"
            "d.yaml:55:13: error: 'debrief.sources[0]' must be a URL, not 'example.org'\n"
            "  hint: https://...\n");
}

TEST(DrillFile, MessagesCannotSteerTheTerminal) {
  EXPECT_EQ(after("kind: double-filter", "kind: \"\\e[31mred\\n\""),
            "d.yaml:14:11: error: there is no fault '\\x1b[31mred\\n'\n"
            "  hint: known faults: stale-dkms, module-blacklisted, firmware-missing, "
            "render-group-missing, double-filter, code-object-missing-target, xnack-mismatch\n");
}

}  // namespace
}  // namespace rocdrill::scenarios::test
