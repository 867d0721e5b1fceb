#!/usr/bin/env python3
"""The parts of a release as an SPDX 2.3 document: parts.py VERSION FOLDER. The libraries are those that the packages in FOLDER
depend on, with the versions that are installed; the wheel has them inside. One whose licence is not in the table is an error."""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

LICENCES = {
    "adduser": "GPL-2.0-or-later", "libc6": "LGPL-2.1-or-later", "libexpat1": "MIT", "libgcc-s1": "GPL-3.0-with-GCC-exception", "libgfshare2": "MIT",
    "libgomp1": "GPL-3.0-with-GCC-exception",
    "libjansson4": "MIT", "libmicrohttpd12": "LGPL-2.1-or-later", "libopenblas0": "BSD-3-Clause", "libprotobuf-c1": "BSD-2-Clause",
    "libsodium23": "ISC", "libsqlite3-0": "blessing", "libssl3": "Apache-2.0", "libstdc++6": "GPL-3.0-with-GCC-exception", "libsvm3": "BSD-3-Clause",
    "libutf8proc2": "MIT", "libyaml-0-2": "MIT", "libzip4": "BSD-3-Clause", "libzstd1": "BSD-3-Clause", "zlib1g": "Zlib",
}
IN_WHEEL_ALONE = {"libgcc-s1", "libstdc++6"}  # what libsvm, a C++ library, needs when it is linked statically
NOT_IN_WHEEL = {"adduser", "libc6", "libgomp1", "libmicrohttpd12"}  # python/CMakeLists.txt has the rest


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def spdx_id(name):
    return re.sub(r"[^A-Za-z0-9.-]", "-", name)


def part(name, version, licence, **more):
    found = {"SPDXID": "SPDXRef-" + spdx_id(name), "name": name, "versionInfo": version,
             "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
             "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    return {**found, **more}


def main():
    version, folder = sys.argv[1:]
    names = sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, files in os.walk(folder) for name in files
                   if name.endswith((".deb", ".tar.gz", ".whl")))
    parts, links, needed = [part("sotto", version, "Apache-2.0")], [], set()
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        parts.append(part(name, version, "Apache-2.0", packageFileName=name,
                          checksums=[{"algorithm": "SHA256", "checksumValue": digest}]))
        links.append((parts[-1]["SPDXID"], "GENERATED_FROM", "SPDXRef-sotto"))
        if name.endswith(".deb") and not name.startswith("libsotto-dev"):
            depends = output("dpkg-deb", "-f", path, "Depends")
            needed |= {word.split()[0] for word in depends.split(", ") if not word.startswith(("libsotto", "sotto"))}
    wheels = ["SPDXRef-" + spdx_id(name) for name in names if name.endswith(".whl")]
    for name in sorted(needed | (IN_WHEEL_ALONE if wheels else set())):
        if name not in LICENCES:
            sys.exit(f"scripts/parts.py does not know the licence of {name}, on which the packages depend")
        parts.append(part(name, output("dpkg-query", "-W", "-f", "${Version}", name), LICENCES[name],
                          externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                         "referenceLocator": f"pkg:deb/debian/{name}"}]))
        if name in needed:
            links.append(("SPDXRef-sotto", "DEPENDS_ON", parts[-1]["SPDXID"]))
        if name not in NOT_IN_WHEEL:
            links += [(wheel, "STATIC_LINK", parts[-1]["SPDXID"]) for wheel in wheels]
    parts.append(part("bip-39-english", "2013", "MIT", comment="the words of fingerprints, in src/party/identity/words.c"))
    links.append(("SPDXRef-sotto", "CONTAINS", "SPDXRef-bip-39-english"))
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    whole = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sotto-{version}",
        "documentNamespace": f"urn:sha256:{whole}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: sotto-parts-{version}"]},
        "packages": parts,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement":
                           "SPDXRef-sotto"}] +
                         [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in links],
    }
    with open(os.path.join(folder, f"sotto-{version}.spdx.json"), "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)
        out.write("\n")


main()
