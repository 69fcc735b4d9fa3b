"""The algorithms that may sign a token. The settings name them, so this module imports no cryptography."""

from __future__ import annotations

from typing import Literal, get_args

Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
"""Only those with a public key: ``none`` proves nothing, and with HS* a public key would pass for a secret."""
