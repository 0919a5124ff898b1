// rocdrill gui: the window, where the build has it.
#include <fmt/format.h>

#include <charconv>

#include "cli/command.hpp"
#ifdef ROCDRILL_HAS_GUI
#include "gui/app/gui.hpp"
#endif

namespace rocdrill::cli {
namespace {

#ifdef ROCDRILL_HAS_GUI

void parse_size(const std::string& text, gui::Request& request) {
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, request.width);
  const bool by = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  if (by && std::from_chars(width.ptr + 1, end, request.height).ptr == end && request.width > 0 &&
      request.height > 0)
    return;
  throw Failure{exit_usage,
                "--size takes pixels such as 1280x800, not " + scenarios::in_quotes(text) + "\n"};
}

std::string text_of(const po::variables_map& arguments, const char* name) {
  return arguments.count(name) != 0 ? arguments[name].as<std::string>() : std::string();
}

gui::Request request_of(const po::variables_map& arguments) {
  gui::Request request{.data = data_path(arguments), .options = run_options(arguments)};
  request.rocdrill = std::filesystem::read_symlink("/proc/self/exe").string();
  request.drill = text_of(arguments, "what");
  if (arguments.count("drill") != 0) {
    if (!request.drill.empty()) throw Failure{exit_usage, "either DRILL or --drill D\n"};
    request.drill = text_of(arguments, "drill");
  }
  if (arguments.count("attach") != 0) {
    if (!request.drill.empty()) throw Failure{exit_usage, "either a drill or --attach NODE\n"};
    request.attach = text_of(arguments, "attach");
  }
  request.compare = text_of(arguments, "compare");
  if (!request.compare.empty() && (request.drill.empty() || request.attach))
    throw Failure{exit_usage, "--compare OTHER compares a drill or a history: name it, too\n"};
  request.at = text_of(arguments, "at");
  request.layer = text_of(arguments, "layer");
  request.overlay = text_of(arguments, "overlay");
  request.expert = flag(arguments, "expert");
  request.sized = arguments.count("size") != 0;
  if (request.sized) parse_size(text_of(arguments, "size"), request);
  if (const std::string layout = text_of(arguments, "layout"); !layout.empty()) {
    request.layout = gui::layout_from_name(layout);
    if (!request.layout) {
      std::string known;
      for (const gui::Layout one : gui::all_layouts) known += fmt::format(" {}", gui::name(one));
      throw Failure{exit_usage, fmt::format("there is no layout {}; one of:{}\n",
                                            scenarios::in_quotes(layout), known)};
    }
  }
  if (arguments.count("palette") != 0) request.overrides.palette = text_of(arguments, "palette");
  if (arguments.count("language") != 0) request.overrides.language = text_of(arguments, "language");
  if (arguments.count("font-size") != 0)
    request.overrides.font_size = arguments["font-size"].as<int>();
  return request;
}

int run(const po::variables_map& arguments) {
  const gui::Request request = request_of(arguments);
  try {
    if (arguments.count("screenshot") == 0) return gui::show_window(request);
    gui::take_picture(request, text_of(arguments, "screenshot"));
    return exit_ok;
  } catch (const gui::Failure& failure) {
    throw Failure{failure.exit_code, failure.message};
  }
}

#else

int run(const po::variables_map&) {
  throw Failure{exit_unavailable,
                "this build has no window: when it was configured, these Debian packages were not "
                "installed:\n  " ROCDRILL_GUI_MISSING
                "\n  install them and build again; everything else works without\n"};
}

#endif

}  // namespace

Command gui_command() {
  Command command{.name = "gui",
                  .usage = "gui [DRILL | FILE | --attach NODE] [options]",
                  .summary = "the window: stack, timeline, evidence, causes; or a picture of it",
                  .examples = {"rocdrill gui stale-dkms",
                               "rocdrill gui stale-dkms --screenshot stale.png --at 1.42s",
                               "rocdrill gui firmware-missing --screenshot a.png --size 1920x1080 "
                               "--layer firmware"},
                  .options = po::options_description("options"),
                  .positional = {"what"},
                  .run = run};
  command.options.add_options()("drill", po::value<std::string>()->value_name("D"),
                                "the drill to open")(
      "attach", po::value<std::string>()->value_name("NODE")->implicit_value(""),
      "follow a node that runs (rocdrill node status)")(
      "compare", po::value<std::string>()->value_name("OTHER"),
      "compare with another drill or history instead of the healthy run")(
      "at", po::value<std::string>()->value_name("T"), "a moment: 1.42s, 800ms, or event #12")(
      "layer", po::value<std::string>()->value_name("L"), "the layer to show")(
      "layout", po::value<std::string>()->value_name("L"),
      "drills, replay, practice, queues, topology, waves or compare")(
      "expert", "with the sub-components of the stack")(
      "screenshot", po::value<std::string>()->value_name("FILE"),
      "write a PNG instead; needs no display")("size", po::value<std::string>()->value_name("WxH"),
                                               "pixels, 1280x800 by default")(
      "palette", po::value<std::string>()->value_name("P"), "light, dark or colour-blind")(
      "font-size", po::value<int>()->value_name("N"), "pixels, 11 to 32")(
      "language", po::value<std::string>()->value_name("L"), "en or zh")(
      "overlay", po::value<std::string>()->value_name("O"), "open palette, keys or settings");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
