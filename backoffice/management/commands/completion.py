"""`./manage.py completion`: print a script that completes commands and options with the Tab key."""

import argparse
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from backoffice.installation.own_command_listing_and_parsers import OF_DJANGO, commands, parser_of
from backoffice.management.house_command import HouseCommand

# The words that may follow are written into the script: no Python is started when a person presses Tab.
_BASH = """\
_pitledger() {{
  local words="{commands}" word
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
{cases}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _pitledger ./manage.py manage.py
"""
_ZSH = "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n"


class Command(HouseCommand):
    """Reads nothing but the commands."""

    help = (
        'Print a script that completes commands and options with the Tab key. Use it with eval "$(./manage.py '
        'completion bash)", in ~/.bashrc for every new shell; for zsh the same in ~/.zshrc.'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("shell", choices=("bash", "zsh"))

    def handle(self, *args: Any, shell: str, **options: Any) -> None:
        self.stdout.write((_ZSH if shell == "zsh" else "") + script())


def script() -> str:
    """Return the completion script for bash; zsh reads it as well."""
    by_command = {name: words_of(parser_of(name)) for name in sorted(commands())}
    cases = "\n".join(f'      {name}) words="{" ".join(words)}" ;;' for name, words in by_command.items())
    return _BASH.format(commands=" ".join([*by_command, "help"]), cases=cases)


def words_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the words that may follow a command: its options, and the choices of its arguments."""
    return sorted({word for action in parser._actions for word in _option_words(action)})


def _option_words(action: argparse.Action) -> Iterator[str]:
    if action.dest in OF_DJANGO:
        return
    yield from (option for option in action.option_strings if option.startswith("--"))
    if isinstance(action, argparse._SubParsersAction):
        yield from action.choices
        yield from (word for sub in action.choices.values() for word in words_of(sub))
    elif not action.option_strings:
        yield from map(str, action.choices or ())
