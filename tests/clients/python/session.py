"""A whole session of `fsgate mcp` through the official Python SDK: session.py PROGRAM [--without TOOL,...]"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ListRootsResult, Root

FILES = 20_000


def text(result):
    return result.content[0].text


def data(result):
    assert not result.is_error, text(result)
    return result.structured_content


def refused(result, code):
    assert result.is_error and result.structured_content["code"] == code, text(result)
    assert text(result).startswith(f"{code}: "), text(result)
    return result.structured_content


async def session(program, mode, without):
    with tempfile.TemporaryDirectory() as scratch:
        granted = Path(scratch, "w")
        granted.mkdir()
        (granted / "a.txt").write_text("one\ntwo\nthree\n")
        parameters = StdioServerParameters(
            command=program,
            args=["mcp", "--dir", str(granted), "--tools", "all", "--output-schemas"],
            env={"HOME": scratch},
        )
        async with Client(parameters, mode=mode, read_timeout_seconds=60) as client:
            print(f"{mode}: protocol {client.protocol_version}")
            assert client.server_info.name == "fsgate"
            assert str(granted) in client.instructions

            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            expected = {"read", "read_numbered", "list_directory", "create", "write", "replace", "grep", "move", "delete"}
            missing = expected - set(tools) - without
            assert not missing, f"not listed: {missing}"
            assert tools["read"].annotations.read_only_hint and not tools["write"].annotations.read_only_hint

            # The SDK checks the data of each answer against the schema of the outcome.
            read = data(await client.call_tool("read", {"path": "a.txt"}))
            assert read["content"] == "one\ntwo\nthree\n", read
            shown = await client.call_tool("read_numbered", {"path": str(granted / "a.txt"), "lines": "2-3"})
            assert text(shown).startswith("2: two\n3: three\n"), text(shown)

            edit = {"path": "a.txt", "old": "two", "new": "2", "if_match": read["etag"], "diff": True}
            edited = await client.call_tool("replace", edit)
            assert "-two\n+2\n" in text(edited) and data(edited)["replacements"] == 1, text(edited)
            stale = refused(await client.call_tool("replace", {**edit, "old": "three"}), "stale")
            assert stale["tag"] == data(edited)["etag"] and not stale["applied"]
            refused(await client.call_tool("read", {"path": "/etc/passwd"}), "not_granted")
            refused(await client.call_tool("create", {"path": "a.txt", "content": ""}), "exists")
            try:
                await client.call_tool("no_such_tool", {})
                raise AssertionError("an unknown tool was called")
            except MCPError as error:
                assert error.code == -32602, error

            many = [client.call_tool("stat", {"path": "a.txt"}) for _ in range(200)]
            assert all(data(result)["entry"]["kind"] == "file" for result in await asyncio.gather(*many))

            if "grep" not in without:
                await search(client, granted)
            if "move" not in without:
                data(await client.call_tool("move", {"source": "a.txt", "destination": "sub/b.txt"}))
                assert (granted / "sub/b.txt").read_text() == "one\n2\nthree\n"
            if "delete" not in without:
                path = "a.txt" if "move" in without else "sub/b.txt"
                data(await client.call_tool("delete", {"path": path}))
                assert not (granted / path).exists()


async def search(client, granted):
    for number in range(FILES):
        directory = granted / "tree" / str(number // 500)
        if number % 500 == 0:
            directory.mkdir(parents=True)
        (directory / f"{number}.txt").write_text(f"this is file {number}\n" * 20)
    told = []

    async def progress(walked, total, message):
        told.append(walked)

    needle = {"pattern": f"file {FILES - 1}\n"[:-1], "path": "tree", "max_items": 10}
    found = data(await client.call_tool("grep", needle, progress_callback=progress))
    assert found["matches"] and found["matches"][0]["path"].endswith(f"/{FILES - 1}.txt"), found
    assert len(told) > 1 and told == sorted(set(told)), told

    # A call that is given up is cancelled, and the session goes on.
    slow = asyncio.create_task(client.call_tool("grep", {"pattern": "nowhere to be found", "path": "tree"}))
    await asyncio.sleep(0.05)
    slow.cancel()
    try:
        await slow
        raise AssertionError("the call was not slow enough to be cancelled")
    except asyncio.CancelledError:
        pass
    assert data(await client.call_tool("exists", {"path": "a.txt"}))["exists"]


async def roots(program):
    """What lies both in the grant and in a root is open; only a session with a handshake asks for roots."""
    with tempfile.TemporaryDirectory() as scratch:
        granted = Path(scratch, "w")
        for name in ["eins", "zw ö"]:
            (granted / name).mkdir(parents=True)
            (granted / name / "a.txt").write_text(name)
        told = [granted / "eins"]

        async def list_roots(context):
            return ListRootsResult(roots=[Root(uri=path.as_uri()) for path in told])

        parameters = StdioServerParameters(
            command=program, args=["mcp", "--dir", str(granted)], env={"HOME": scratch}
        )

        async def see(client, names):
            for name in ["eins", "zw ö"]:
                result = await client.call_tool("read", {"path": str(granted / name / "a.txt")})
                if name in names:
                    assert data(result)["content"] == name, result
                else:
                    refused(result, "not_granted")

        for mode, narrowed in [("legacy", True), ("auto", False)]:
            told[:] = [granted / "eins"]
            async with Client(
                parameters, mode=mode, read_timeout_seconds=60, list_roots_callback=list_roots
            ) as client:
                print(f"{mode}: roots in protocol {client.protocol_version}")
                if not narrowed:
                    await see(client, ["eins", "zw ö"])
                    continue
                await see(client, ["eins"])
                for paths, names in [
                    ([granted / "zw ö"], ["zw ö"]),
                    ([Path(scratch)], ["eins", "zw ö"]),
                    ([Path("/etc")], []),
                    ([], []),
                ]:
                    told[:] = paths
                    await client.send_roots_list_changed()
                    await see(client, names)
                refused(await client.call_tool("read", {"path": "/etc/passwd"}), "not_granted")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--without", default="", type=lambda names: set(filter(None, names.split(","))))
    given = arguments.parse_args()
    program = str(Path(given.program).resolve())
    for mode in ["auto", "legacy"]:
        asyncio.run(asyncio.wait_for(session(program, mode, given.without), 300))
    asyncio.run(asyncio.wait_for(roots(program), 300))
    print("Python: all as expected")


if __name__ == "__main__":
    sys.exit(main())
