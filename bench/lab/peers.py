"""The systems of peers.toml, and the versions of those that are built."""

import glob
import os
import re
import subprocess
import tomllib

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIMIT_S = 10  # of a program that names its libraries


def load(path=os.path.join(_HERE, "peers.toml")):
    with open(path, "rb") as file:
        return tomllib.load(file)["peer"]


def _library(program, name):
    """The file of a library of a program, without the folder; empty if it has none."""
    try:
        loaded = subprocess.run(
            [program, "libraries"], capture_output=True, text=True, timeout=_LIMIT_S, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    for path in loaded.split():
        if os.path.basename(path).startswith((name + ".", name + "-")):
            # A wheel has copies instead of links: libx.so.3 and libx.so.3.4.
            files = glob.glob(glob.escape(os.path.realpath(path)) + "*")
            return os.path.basename(max(files, key=len))
    return ""


def _jar(program, name):
    """The file of the jar that a script names."""
    with open(program, encoding="utf-8", errors="replace") as file:
        found = re.search(rf"{name}-[0-9][^/:]*\.jar", file.read())
    return found.group(0) if found else ""


def _crate(folder, name):
    """The version of a crate that a Cargo.toml requires."""
    with open(os.path.join(_HERE, os.pardir, folder, "Cargo.toml"), "rb") as file:
        return name + " " + tomllib.load(file)["dependencies"][name].lstrip("=")


def versions(build, peers=None):
    """By name of those that are built: the file of the library, whose name has the version, or the crate."""
    found = {}
    for peer in load() if peers is None else peers:
        program = os.path.join(build, "bin", peer["program"])
        if not os.path.exists(program):
            continue
        if "crate" in peer:
            found[peer["name"]] = _crate(*peer["crate"].split("/"))
        elif "library" not in peer:
            found[peer["name"]] = ""
        elif peer["name"] == "jacorb":
            found[peer["name"]] = _jar(program, peer["library"])
        else:
            found[peer["name"]] = _library(program, peer["library"])
    return found
