"""From candidates to an order. Pure: numbers in, numbers out, no Elasticsearch and no models.

``rank`` -> ``rerank`` (with the logits of the first ``rerank_depth``) -> ``nearest_first`` (`hausdorff` mode only);
then ``Ranking.hits`` for the page, and ``explain`` on request.
"""
