// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_API_SUPPORT_COMMA_LOCALE_H_
#define PLINTH_API_SUPPORT_COMMA_LOCALE_H_

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace plinth {

// For tests: while it lives, the process has a locale whose decimal point is a comma. It is made
// with localedef, which comes with the C library, from two files of our own, so that no locale
// needs to be installed.
class CommaLocale {
 public:
  CommaLocale() {
    std::string folder = (std::filesystem::temp_directory_path() / "plinth_locale_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    folder_ = folder;
    std::ofstream(folder_ / "source") << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
                                         "grouping -1\nEND LC_NUMERIC\n";
    std::ofstream characters(folder_ / "characters");
    characters << "<code_set_name> ASCII\n<mb_cur_max> 1\nCHARMAP\n";
    for (int c = 0; c < 128; ++c) {
      char row[40];
      std::snprintf(row, sizeof(row), "<U%04X> /x%02x ASCII\n", c, c);
      characters << row;
    }
    characters << "END CHARMAP\n";
    characters.close();
    // Exit status 1: warnings, of which there is one for each category that the source lacks.
    const std::string command =
        "cd '" + folder + "' && localedef -c --no-archive -f ./characters -i ./source ./comma";
    static_cast<void>(std::system((command + " >/dev/null 2>&1").c_str()));
    setenv("LOCPATH", folder.c_str(), 1);
    is_set_ = std::setlocale(LC_NUMERIC, "comma") != nullptr && *localeconv()->decimal_point == ',';
  }
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  bool is_set() const { return is_set_; }

 private:
  std::filesystem::path folder_;
  bool is_set_ = false;
};

}  // namespace plinth

#endif  // PLINTH_API_SUPPORT_COMMA_LOCALE_H_
