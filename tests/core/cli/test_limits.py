"""Limits on reading a file: `--limit NAME=VALUE`."""

from __future__ import annotations

import json

import pytest

from thumbindex import Limits
from thumbindex.cli.limits import parse_limits


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        pytest.param([], Limits(), id="the defaults"),
        pytest.param(["seconds=300"], Limits(seconds=300), id="seconds"),
        pytest.param(["seconds=0.5", "seconds-per-megabyte=0"], Limits(0.5, 0), id="fractions, and dashes in names"),
        pytest.param(["memory=4G", "file_size=512MiB"], Limits(memory=4 << 30, file_size=512 << 20), id="sizes"),
        pytest.param(["memory=1.5gb"], Limits(memory=3 << 29), id="units in lower case"),
        pytest.param(["file_size=1000"], Limits(file_size=1000), id="bytes"),
        pytest.param(["documents=1"], Limits(documents=1), id="a process for each file"),
        pytest.param(["seconds=3", "seconds=4"], Limits(seconds=4), id="the last one wins"),
    ],
)
def test_settings_become_limits(settings, limits):
    assert parse_limits(settings) == limits


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        pytest.param("memory", "memory takes a size such as", id="no value"),
        pytest.param("time=3", "one of seconds, seconds_per_megabyte, memory, file_size, documents", id="unknown"),
        pytest.param("memory=much", "memory takes a size such as 512M or 4G, not 'much'", id="not a number"),
        pytest.param("seconds=3M", "seconds takes a number, not '3M'", id="a unit of size for time"),
        pytest.param("seconds=0", "above zero", id="zero"),
        pytest.param("seconds=-1", "seconds takes a number", id="below zero"),
    ],
)
def test_invalid_settings(run, guide, setting, message):
    """Are wrong usage; the message names what is valid."""
    with pytest.raises(ValueError, match=message):
        parse_limits([setting])
    assert run("tree", guide, "--limit", setting).exit_code == 2


def test_commands_that_read_files_obey_the_limits(run, guide, tmp_path):
    """With one clear line; other files are still read."""
    limit = ("--limit", "file_size=100")
    for command in (("tree", guide), ("read", guide), ("ask", guide, "fee")):
        result = run(*command, *limit)
        assert result.exit_code == 3, command
        assert "guide.md: it is larger than 100 bytes." in result.output, command
    small = tmp_path / "small.md"
    small.write_text("# Fee\n\n12 crowns\n")
    result = run("add", guide, small, "--library", tmp_path / "lib.db", *limit, "--json")
    assert result.exit_code == 1
    added = json.loads(result.stdout)
    assert [document["name"] for document in added["added"]] == ["small.md"]
    assert [failure["error"] for failure in added["failed"]] == ["SourceLimit"]
