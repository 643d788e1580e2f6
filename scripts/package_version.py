"""The version of the Python package, for scikit-build-core (pyproject.toml): what scripts/version.sh says."""

import subprocess
from pathlib import Path


def dynamic_metadata(field, settings=None, project=None):
    """Returns the version in the form of PEP 440; raises ValueError for any other field."""
    if field != "version":
        raise ValueError(f"there is no dynamic {field} (only version)")
    script = Path(__file__).resolve().with_name("version.sh")
    return subprocess.run(["sh", script, "version"], capture_output=True, text=True, check=True).stdout.strip()
