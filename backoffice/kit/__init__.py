"""The page kit: a page is declared once, and its addresses, menu, help, figures for programs and sheets follow from it.

It knows no page by name: `backoffice/site/list_of_all_pages.py` lists those of the house.
"""
