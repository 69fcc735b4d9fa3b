"""One lock for imports of torch: ``entities`` hides torch for a moment, and no other import may happen then."""

from __future__ import annotations

import threading

torch_imports = threading.Lock()
