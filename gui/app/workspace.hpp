// What one window works on: a recorded drill, where it stands in it, the answers of its node, and a
// shell while it is practised. Draws the panes; knows no window and no OpenGL.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/attached.hpp"
#include "gui/app/background.hpp"
#include "gui/app/practice.hpp"
#include "gui/model/brief_view.hpp"
#include "gui/model/story.hpp"
#include "gui/panels/panels.hpp"

namespace rocdrill::gui {

struct WorkspaceOptions {
  scenarios::DataPath data;
  scenarios::RunOptions run;
  std::string rocdrill;  ///< the command, for shells; "": no practice
};

/// A key that went down (or repeats), or a character that was typed; in the order in which they
/// came. Dear ImGui 1.86 keeps no such order and loses keys that go down and up between two frames.
struct KeyEvent {
  int key = 0;             ///< as in model/action.hpp; 0 for a character
  char32_t character = 0;  ///< 0 for a key
  bool control = false;
  bool shift = false;
  bool alt = false;
};

class Workspace {
 public:
  explicit Workspace(WorkspaceOptions options);
  ~Workspace();

  /// Runs a drill and looks at its end. The problem in words, "" if there is none.
  std::string open(const std::string& drill);
  /// Looks at a history without a node: what commands show is not known.
  void open_timeline(Timeline timeline, std::string title);

  /// Follows a running node by its session's folder. The problem in words, "" if there is none.
  std::string attach(const std::string& session, std::string title);

  /// The run that it is compared with, instead of the drill's own healthy one: another drill (the
  /// problem in words, "" if there is none), or a history.
  std::string compare_with(const std::string& drill);
  void compare_with(Timeline timeline, std::string title);

  /// For the next draw().
  void input(const KeyEvent& event) { events_.push_back(event); }
  /// Takes the keys that came and draws its panes; gives back the intents that are not the
  /// workspace's own. Between ImGui::NewFrame() and ImGui::Render().
  Intents draw(Ui& ui, float width, float height, const SettingsView& settings);
  /// Time goes on; takes what shell and node have said.
  void advance(double seconds);
  /// Moves to a moment: "#12" (an event), "1.42", "1.42s", "800ms". False if it is none of these.
  bool go_to(const std::string& moment);
  /// Until nothing is being asked of a node any more, for pictures.
  void settle();

  State& state() { return state_; }
  const Story& story() const { return *story_; }
  const scenarios::Recording& recording() const { return *recording_; }
  Practice* practice() { return practice_.get(); }
  /// Answers of the node behind what is shown.
  Background& background() { return *background_; }
  /// Something to tell the person, once; "" if nothing.
  const std::string& notice() const { return notice_; }
  void set_notice(std::string notice) { notice_ = std::move(notice); }

  /// Slots of a ring that are shown.
  static constexpr std::size_t ring_cells = 16;

 private:
  // workspace_panes.cpp
  void draw_pane(Ui& ui, const Placed& placed);
  void draw_overlay(Ui& ui, float width, float height, const SettingsView& settings);
  EvidenceView evidence_of(const DetailView& view);
  BriefView brief();
  BriefView practice_brief() const;
  StackView live_stack() const;
  std::vector<PaletteEntry> entries(const Strings& words) const;
  const std::vector<DrillRow>& drills();

  // workspace_keys.cpp
  Intents keys(const Strings& words);
  Intents press(const Chord& chord, bool typing, const Strings& words);
  bool terminal_focused() const;
  void type_into_terminal(const KeyEvent& event);

  // workspace_intents.cpp
  /// Applies what is the workspace's own, gives back the rest.
  Intents apply(const Intents& intents);
  /// One that the workspace or its practice answers; false for others.
  bool perform(const Intent& intent);
  std::optional<intent::Resize> moved(const intent::MoveSeam& move) const;
  /// The chosen item of the layout that is shown, and how many there are.
  struct Place {
    int now = 0;
    int count = 0;
  };
  Place item();
  /// NextItem and NextGroup; false for any other intent.
  bool choose_next(const Intent& intent);
  WaveView waves();
  /// nullptr: there is no other run.
  const Comparison* comparison();
  CompareView compared(const Strings& words, std::size_t most_rows);
  void forget_comparison();
  Place group();
  void start_practice(const Strings& words);
  std::string practice_message(const Strings& words) const;
  // workspace_open.cpp
  void follow();
  void to_the_end();

  WorkspaceOptions options_;
  std::unique_ptr<scenarios::Recording> recording_;
  std::unique_ptr<Timeline> timeline_;  ///< of open_timeline() and attach()
  std::unique_ptr<Attached> attached_;
  std::string title_;
  std::unique_ptr<Story> story_;
  std::unique_ptr<Timeline> other_timeline_;  ///< of compare_with()
  std::unique_ptr<Story> other_;              ///< the run that is compared with
  std::string other_title_;
  std::unique_ptr<Comparison> comparison_;  ///< of both, once it is looked at
  std::unique_ptr<Background> background_;
  std::unique_ptr<Practice> practice_;
  std::vector<DrillRow> drills_;
  bool drills_read_ = false;
  int drills_sorted_ = -1;
  std::vector<KeyEvent> events_;
  std::vector<Placed> placed_;  ///< in the last frame
  float scale_ = 1;
  State state_;
  int columns_ = 80;
  int rows_ = 24;
  bool focus_filter_ = false;
  std::string notice_;
  std::string told_;  ///< problem of the attached node that was said already
};

}  // namespace rocdrill::gui
