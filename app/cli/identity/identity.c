/* sotto identity: its forms. */
#include "identity.h"

static const char help[] =
    "usage: sotto identity init --name NAME [--days 365] [--request]   a key and a certificate\n"
    "       sotto identity trust PEER.crt [--as NAME] [--replace]      trusts a party\n"
    "       sotto identity list [--json]                               the trusted parties, and until when\n"
    "       sotto identity renew [--days 365] [--request]              a new certificate under the same key\n"
    "       sotto identity revoke NAME [--certificate PEER.crt]        ends the trust in a party\n"
    "\n"
    "Who this party is, and whom it trusts. A consortium does both by itself (sotto consortium).\n"
    "\n"
    "  --name NAME            the name by which the others know this party\n"
    "  --days N               how long the certificate lasts [365]\n"
    "  --request              a request that an authority signs, in place of a certificate\n"
    "  --as NAME              the name under which this party knows the other one\n"
    "  --replace              trust another key under a name that is known; compare the words first\n"
    "  --certificate PEER.crt the key that is refused, of a party that is trusted by its authority\n"
    "  --dir FOLDER           key, certificate, trusted certificates [$SOTTO_PARTY, else party]; nobody else "
    "may\n"
    "                         write to it\n"
    "  --json                 the result as one line of JSON\n"
    "\n"
    "example, of two parties that then compare the words:\n"
    "  sotto identity init --name bank\n"
    "  sotto identity trust partner.crt\n";

int cli_identity(int argc, char **argv) {
  static const cli_form forms[] = {{"init", identity_init},
                                   {"trust", identity_trust},
                                   {"list", identity_list},
                                   {"renew", identity_renew},
                                   {"revoke", identity_revoke}};
  return cli_take_form(forms, sizeof forms / sizeof *forms, help, argc, argv);
}
