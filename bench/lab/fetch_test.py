#!/usr/bin/python3
"""bench/lab/fetch-peers, with a program in the place of rustup's."""

import hashlib
import os
import subprocess
import tempfile
import unittest

_HERE = os.path.dirname(os.path.abspath(__file__))
_RUSTUP = r"""#!/bin/sh
mkdir -p "$CARGO_HOME/bin" "$RUSTUP_HOME"
echo "$@" > "$CARGO_HOME.arguments"
printf '#!/bin/sh\n' > "$CARGO_HOME/bin/cargo"
chmod +x "$CARGO_HOME/bin/cargo"
"""


class Cargo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.build = os.path.join(folder.name, "rustup"), os.path.join(folder.name, "build")
        self.home = os.path.join(folder.name, "home")
        os.mkdir(self.home)
        programs = os.path.join(self.root, "dist", os.uname().machine + "-unknown-linux-gnu")
        os.makedirs(programs)
        self.write(os.path.join(programs, "rustup-init"), _RUSTUP)
        self.checksum = os.path.join(programs, "rustup-init.sha256")
        self.write(self.checksum, hashlib.sha256(_RUSTUP.encode()).hexdigest() + " *rustup-init\n")

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def fetch(self, *peers):
        environment = {
            "HOME": self.home,
            "PATH": "/usr/bin:/bin",
            "RUSTUP_UPDATE_ROOT": "file://" + self.root,
        }
        command = [os.path.join(_HERE, "fetch-peers"), self.build, *peers]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    def path(self, name):
        return os.path.join(self.build, "peers", name)

    def test_is_installed_into_the_build_folder(self):
        done = self.fetch("cargo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(os.access(self.path("cargo/bin/cargo"), os.X_OK))
        self.assertEqual(os.listdir(self.home), [])
        with open(self.path("cargo.arguments"), encoding="utf-8") as file:
            self.assertIn("--no-modify-path", file.read())

    def test_is_left_out_if_its_checksum_is_wrong(self):
        self.write(self.checksum, "0" * 64 + "\n")
        done = self.fetch("cargo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cargo is left out: ", done.stderr)
        self.assertIn("is not what its checksum says", done.stderr)
        self.assertFalse(os.path.exists(self.path("rustup-init")))

    def test_is_left_out_without_a_network(self):
        os.remove(self.checksum)
        done = self.fetch("cargo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be fetched: ", done.stderr)

    def test_an_unknown_peer_is_named(self):
        done = self.fetch("pigeon")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no peer 'pigeon': one of omniorb, jacorb, cargo", done.stderr)


if __name__ == "__main__":
    unittest.main()
