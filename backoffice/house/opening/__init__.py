"""The files with which a house moves in: read, checked, turned into ordinary actions, and carried out.

`reading` reads the cells of a file, `columns` declares the files, `folder` reads all of them into a `Plan`, `checks`
compares them, `steps` orders the actions of a plan, `state` says which are done, `execution` does the others.
"""
