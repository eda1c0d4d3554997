"""The first action of a process does not wait for data that every action needs: opening the desk loads it.

In an old house with snapshots of its progressives, the rules of the games were not loaded at the start. A dealer then
waited for them after every restart.
"""

import subprocess
import sys

FIRST = """
import sys
import msgspec
from events.desk.command_and_answer_structs import Command
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.streams.stream_kind_declaration import Target
from events.store.in_memory_store import MemoryStore

data = msgspec.Raw(b'{"seat": 1, "player": "p", "amount_minor": 100}')
action = Action(type="buyin.make", key="k", data=data)
desk = Desk(MemoryStore(), "athens")
before = set(sys.modules)
desk.do(Command(Target("tables", "FR1"), (action,), Who(person="dora", roles=frozenset({"dealer"}))))
desk.close()
print([name for name in sys.modules if name.startswith("events.") and name not in before])
"""


def test_all_that_actions_need_is_loaded_before_the_first() -> None:
    completed = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert completed.stdout == "[]\n"
