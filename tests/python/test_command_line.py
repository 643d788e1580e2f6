"""`python -m dropmd` is the command line."""

import subprocess

import dropmd


def test_it_has_the_commands(program):
    shown = subprocess.run(program + ["help"], capture_output=True, text=True, check=True)
    for command in ("run", "energy", "clusters", "generate"):
        assert command in shown.stdout


def test_it_returns_the_status(program):
    wrong = subprocess.run(program + ["run", "none.toml"], capture_output=True, text=True)
    assert wrong.returncode == dropmd.InputError.status == 3
    assert wrong.stderr.startswith("dropmd: error: none.toml: no such file")


def test_the_versions_agree(program):
    shown = subprocess.run(program + ["--version"], capture_output=True, text=True, check=True)
    assert dropmd.__version__ in shown.stdout
