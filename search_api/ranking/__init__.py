"""From candidates to an order, pure: numbers in, numbers out, no Elasticsearch and no models in here.

``rank`` -> ``rerank`` (with the logits of the first ``rerank_depth``) -> ``nearest_first`` (`hausdorff` mode only);
then ``Ranking.hits`` for the page and ``explain`` for the asking.
"""
