"""The command line: our commands, and the options that Django adds to each."""

OURS = ("backoffice", "tools.checkout")  # the apps whose commands are ours; the others are Django's
# Options that every command of Django's has, and that nobody needs to be told of at each of ours.
OF_DJANGO = frozenset({"version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color"})
OF_DJANGO |= {"skip_checks"}
