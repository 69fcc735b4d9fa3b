"""One lock for imports that touch torch: ``entities`` hides it for a moment, which nobody else may run into."""

from __future__ import annotations

import threading

torch_imports = threading.Lock()
