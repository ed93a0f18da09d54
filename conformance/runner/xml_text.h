// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_XML_TEXT_H_
#define PLINTH_CONFORMANCE_RUNNER_XML_TEXT_H_

#include <string>
#include <string_view>

namespace plinth::conformance {

// Text as it stands in XML and HTML, in attributes too. Bytes that XML forbids become `?`.
inline std::string XmlText(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_XML_TEXT_H_
