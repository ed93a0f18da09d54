// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_SSH_SIGNATURE_H_
#define PLINTH_CONFORMANCE_RUNNER_SSH_SIGNATURE_H_

#include <string>

#include "plinth/support/status.h"

// Signatures of texts by OpenSSH's `ssh-keygen -Y`, in the namespace plinth-conformance, so that a
// signature for anything else does not count here.
namespace plinth::conformance {

// `key`: the file of a private key, or of a public one whose private key ssh-agent has. Asks for a
// passphrase on the terminal if it needs one.
Expected<std::string> SshSign(const std::string& text, const std::string& key);

// Who signed: "ED25519 key SHA256:...", or, with a file of allowed signers (ssh-keygen(1)), the
// name that it has there. INVALID_ARGUMENT if the signature is not of that text, or of nobody
// there.
Expected<std::string> SshSigner(const std::string& text, const std::string& signature,
                                const std::string& allowed_signers);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_SSH_SIGNATURE_H_
