// Who the program is, and what machine it believes to be on.
#include "unit/interpose/interpose_test.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;

class IdentityOnNode : public Interpose {};

TEST_F(IdentityOnNode, IdGroupsWhoami) {
  EXPECT_EQ(out("id; whoami; groups"),
            "uid=1000(op) gid=1000(op) groups=1000(op),44(video),100(users)\nop\nop video users\n");
  EXPECT_EQ(out("id", as_root), "uid=0(root) gid=0(root) groups=0(root)\n");
  EXPECT_EQ(out("id op"), "uid=1000(op) gid=1000(op) groups=1000(op),44(video),100(users)\n");
  EXPECT_THAT(err("id nobody"), HasSubstr("no such user"));
}

TEST_F(IdentityOnNode, UnameAndHostname) {
  EXPECT_EQ(out("uname -n -r -v; hostname"),
            "lab-mi210 6.8.0-60-generic #63-Ubuntu SMP\nlab-mi210\n");
  EXPECT_EQ(out("uname -m"), "x86_64\n");
}

TEST_F(IdentityOnNode, CallsThatNoToolShows) {
  EXPECT_EQ(out("'" ROCDRILL_PROGRAMS "ids'"),
            "1000 1000 1000\nsame: 0\nroot: -1 Operation not permitted\n"
            "sethostname: -1 Operation not permitted\ngrouplist: 3\nlogin: op\n"
            "processors: 65 of 128\n");
}

TEST_F(IdentityOnNode, AnIdentityThatWasChangedIsHandedOn) {
  EXPECT_EQ(
      out("/usr/bin/python3 -c 'import os; os.setgroups([44]); os.setgid(1000); os.setuid(1000);"
          "os.execvp(\"id\", [\"id\", \"-u\"])'",
          as_root),
      "1000\n");
}

TEST_F(IdentityOnNode, AccountsComeFromTheNodesFiles) {
  EXPECT_EQ(out("/usr/bin/python3 -c '\n"
                "import pwd, grp, os\n"
                "print(pwd.getpwuid(1000).pw_gecos, grp.getgrnam(\"render\").gr_gid)\n"
                "print([p.pw_name for p in pwd.getpwall()], len(grp.getgrall()))\n"
                "print(os.getlogin(), os.cpu_count())\n'"),
            "Operator 992\n['root', 'op'] 5\nop 65\n");
  EXPECT_EQ(out("perl -e 'print scalar getpwuid(1000), \" \", (getgrnam(\"video\"))[3]'"), "op op");
}

}  // namespace
}  // namespace rocdrill::test
