#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# packages.py DIRECTORY
#
# One package, demo, as npm, Python and cargo have them, and beside each what its registry says of
# it: DIRECTORY/npm, /pypi, /crates. All of it is static.

import base64
import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile

VERSION = "1.0.0"


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def tar(files):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


def npm(directory, name, dependencies):
    """The document of a package, which its registry has under the name, and its tarball."""
    host = "https://registry.npmjs.org"
    base = name.split("/")[-1]
    about = {"name": name, "version": VERSION, "main": "index.js", "dependencies": dependencies}
    tarball = tar({"package/package.json": json.dumps(about), "package/index.js": "module.exports = 'from npm';\n"})
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    about["dist"] = {"tarball": f"{host}/{name}/-/{base}-{VERSION}.tgz", "integrity": integrity}
    write(f"{directory}/{base}.json", json.dumps({"name": name, "dist-tags": {"latest": VERSION}, "versions": {VERSION: about}}))
    write(f"{directory}/{base}-{VERSION}.tgz", tarball)


def pypi(directory):
    """A wheel, and the page of PEP 503 that leads to it."""
    info = f"demo-{VERSION}.dist-info"
    files = {
        "demo.py": "print('from pypi')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: demo\nVersion: {VERSION}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as wheel:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(name, text)
    wheel = f"demo-{VERSION}-py3-none-any.whl"
    write(f"{directory}/files/{wheel}", data.getvalue())
    digest = hashlib.sha256(data.getvalue()).hexdigest()
    link = f'<a href="https://files.pythonhosted.org/{wheel}#sha256={digest}">{wheel}</a>'
    write(f"{directory}/simple/demo/index.html", f"<!DOCTYPE html><html><body>{link}</body></html>\n")


def crates(directory):
    """A crate, and what a sparse index has for it."""
    manifest = f'[package]\nname = "demo"\nversion = "{VERSION}"\nedition = "2021"\n'
    crate = tar({
        f"demo-{VERSION}/Cargo.toml": manifest,
        f"demo-{VERSION}/src/lib.rs": 'pub fn text() -> &\'static str { "from crates" }\n',
    })
    write(f"{directory}/static/demo/{VERSION}/download", crate)
    write(f"{directory}/index/config.json", json.dumps({"dl": "https://static.crates.io/crates", "api": "https://crates.io"}))
    digest = hashlib.sha256(crate).hexdigest()
    entry = {"name": "demo", "vers": VERSION, "deps": [], "cksum": digest, "features": {}, "yanked": False}
    write(f"{directory}/index/de/mo/demo", json.dumps(entry) + "\n")


def main():
    directory = sys.argv[1]
    npm(f"{directory}/npm", "@team/demo", {"plain": "^1.0.0"})
    npm(f"{directory}/npm", "plain", {})
    pypi(f"{directory}/pypi")
    crates(f"{directory}/crates")


main()
