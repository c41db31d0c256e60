"""README's examples run as they stand."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_python_examples_run_one_after_the_other() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    exec(compile("\n".join(blocks), str(README), "exec"), {})
