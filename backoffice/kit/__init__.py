"""The page kit: a page is declared once, and its addresses, menu, help, figures for programs and sheets follow from it.

It knows no page by name: `backoffice/site/page_declarations_in_menu_order.py` lists those of the house.
"""
