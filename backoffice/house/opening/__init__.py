"""The files with which a house begins: read, checked, turned into ordinary actions, and carried out.

`reading` reads the cells of a file, `columns` declares the files, and `folder` reads all of them into a `Plan`.
`checks` compares them, and `steps` orders the actions of a plan. `state` tells the done ones, and `execution` does the
others.
"""
