"""The files with which a house begins: read, checked, turned into ordinary actions, and carried out.

`csv_reader` reads the cells of a file, `csv_columns` declares the files, and `folder_reading` reads all of them into a
`OpeningPlan`. `import_checks` compares them, and `opening_actions_in_order` orders the actions of a plan.
`house_state_reader_for_import` finds the finished steps, and `plan_step_execution` runs the others.
"""
