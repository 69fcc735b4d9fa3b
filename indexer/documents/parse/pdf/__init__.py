"""PDF and page images to blocks, in this order:

1. ``text_layer`` (with ``glyphs``, ``symbols``, ``words``) reads the words, rules and pictures of a page;
   ``recogniser`` (with ``tesseract``) reads pages and pictures without a text layer.
2. ``furniture`` takes away heads, feet, page and line numbers.
3. ``regions.lay_out`` finds tables (``ruled_tables``, ``unruled_tables``), puts the lines in ``reading_order`` and
   groups them by their kind (``line_kinds``).
4. ``blocks`` joins paragraphs over columns and pages; ``coverage`` adds what layout lost.

``read_pdf`` runs the whole.
"""
