"""The key of a node's transport port, made anew at each start: nobody else has it, so no other process can connect.

Over this port nodes trust each other, and a password protects nothing there. A node alone needs no other.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

CERTIFICATE, KEY = "transport.pem", "transport.key"
_LASTS = timedelta(days=3650)
_CLOCK = timedelta(days=1)


def write_transport_key(config: Path) -> None:
    """A key and a certificate that signs itself and is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sonde-local")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK)
        .not_valid_after(now + _LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (config / CERTIFICATE).write_bytes(made.public_bytes(Encoding.PEM))
    (config / KEY).touch(mode=0o600)
    (config / KEY).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
