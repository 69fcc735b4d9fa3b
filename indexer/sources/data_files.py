"""Data files in directory listings (Apache, nginx, IIS) and public buckets (ListObjectsV2 of S3): one record each.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html: MinIO, Ceph, Google and others answer it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from core.deadlines import CircuitOpen
from core.errors import SondeError
from indexer.data_files.containers import TO_INSTALL, ZARR, is_metadata_key, is_store, missing_libraries
from indexer.data_files.messages import FileFault
from indexer.raw import FileVersion, PassedOver, RawPage, RawRecord, SkippedMember
from indexer.sources.data_members import DESCRIBED, DataMembers, description_beside, is_data
from indexer.sources.fetching import BadAnswer, Fetcher, expect_2xx, local, parse_xml
from indexer.sources.http_files import HttpFile, HttpStore, is_unchanged, open_file
from indexer.sources.members import LimitReached, SourceBroken, is_hidden, passed_over
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from indexer.sources.waf import ListingEntry, NotAListing, entries, name_of, read_listing, require_allowed
from net.exchange import HttpAnswer
from net.targets import address_of

_VERSION = "list-type=2"
_S3_HOST = re.compile(r"(?:^|[.-])(?:s3|storage|objects?|minio|ceph|swift|blob)(?:[.-]|\d|$)|amazonaws\.com$")
_MOST_PAGES = 1000  # of one folder of a bucket, 1,000 names each


@dataclass(frozen=True, slots=True)
class DataFilesOptions:
    """``most_files``: data files of one run. ``any_page``: take links from every page, also from no listing."""

    page_size: int = 50
    depth: int = 12
    most_files: int = 100_000
    any_page: bool = False


@dataclass(frozen=True, slots=True)
class _Bucket:
    """A bucket's address without a query, and the prefix below which it is read."""

    url: str
    prefix: str

    @classmethod
    def of_listing(cls, url: str) -> _Bucket | None:
        """By an address with ``list-type=2``; None for another one."""
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query))
        if query.get("list-type") != "2":
            return None
        return cls(f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/", query.get("prefix", ""))

    @property
    def listing(self) -> str:
        return f"{self.url}?{_VERSION}&{urlencode({'delimiter': '/', 'prefix': self.prefix})}"


@dataclass(slots=True)
class DataFilesSource:
    """Walks folder by folder, sorted by address; a position is the address of the last file.

    With ``since``, files whose listed date is more than a day older are skipped, and the others are requested with
    their last version.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: DataFilesOptions = field(default_factory=DataFilesOptions)
    _files: int = 0

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken if a listing cannot be read, LimitReached, and what the fetcher raises."""
        if missing_libraries():
            raise SourceBroken(TO_INSTALL)
        data = DataMembers()
        page = _Page()
        try:
            for member in self._members(position):
                if isinstance(member, PassedOver):
                    page.passed_over.append(member)
                else:
                    self._files += 1
                    if self._files > self.options.most_files:
                        raise LimitReached(f"{self.url}: more than {self.options.most_files} data files (most_files)")
                    self._add(page, member, data)
                if page.size >= self.options.page_size:
                    yield page.close()
            if page.size:
                yield page.close()
        finally:
            data.close()

    def _members(self, position: str | None) -> Iterator[_Place | PassedOver]:
        bucket = _Bucket.of_listing(self.url) or self._bucket_at(self.url)
        walk = (
            self._walk(f"{self.url.rstrip('/')}/", None, position, 0)
            if bucket is None
            else self._walk(bucket.url + quote(bucket.prefix), bucket, position, 0)
        )
        yield from walk

    def _bucket_at(self, url: str) -> _Bucket | None:
        """The bucket whose root this is."""
        is_bucket = self.fetcher.get(url, lambda answer: b"<ListBucketResult" in answer.content[:1000])
        return _Bucket(f"{url.rstrip('/')}/", "") if is_bucket else None

    def _walk(
        self, folder: str, bucket: _Bucket | None, position: str | None, depth: int
    ) -> Iterator[_Place | PassedOver]:
        if depth > self.options.depth:
            raise SourceBroken(f"{folder}: deeper than {self.options.depth} folders")
        require_allowed(self.fetcher, folder)
        listing = self._entries(bucket, folder)
        names = {name_of(entry.url): entry for entry in listing}
        lower_names = {name.lower(): name for name in names}
        if depth == 0 and is_store(names):
            yield _Place(folder, name_of(folder), None, bucket)
            return
        for name, entry in names.items():
            is_behind = position is not None and entry.url <= position and not position.startswith(entry.url)
            if is_hidden(name) or is_behind or entry.url == position or not self.fetcher.allows(entry.url):
                continue
            if entry.is_folder and not name.lower().endswith(ZARR):
                yield from self._walk(entry.url, bucket, position, depth + 1)
            elif not entry.is_folder and not is_data(name):
                yield passed_over(entry.url)
            elif description_beside(name, lower_names) is not None:
                yield PassedOver(entry.url, DESCRIBED)
            elif entry.is_new(self.since):
                yield _Place(entry.url, name, entry.modified, bucket)

    def _entries(self, bucket: _Bucket | None, folder: str) -> list[ListingEntry]:
        if bucket is None:
            return read_listing(self.fetcher, folder, any_page=self.options.any_page)
        return self._objects(bucket, folder)

    def _objects(self, bucket: _Bucket, folder: str) -> list[ListingEntry]:
        prefix = unquote(folder.removeprefix(bucket.url))
        found_entries: list[ListingEntry] = []
        token = ""
        for _ in range(_MOST_PAGES):
            parameters = {"delimiter": "/", "prefix": prefix, **({"continuation-token": token} if token else {})}
            request = f"{bucket.url}?{_VERSION}&{urlencode(parameters)}"
            page, token = self.fetcher.get(request, lambda answer: _objects_in(answer, bucket.url))
            found_entries += page
            if not token:
                return sorted(found_entries, key=lambda entry: entry.url)
        raise SourceBroken(f"{folder}: it holds more than {_MOST_PAGES * 1000:,} files")

    def _metadata_of_store(self, bucket: _Bucket | None, store: str) -> list[str]:
        """The metadata at the top of a store and of its arrays, one level below."""
        keys: list[str] = []
        for entry in self._entries(bucket, store):
            inner = [entry] if not entry.is_folder else self._entries(bucket, entry.url)
            keys += [unquote(part.url.removeprefix(store)) for part in inner if not part.is_folder]
        return [key for key in keys if is_metadata_key(key)]

    def _add(self, page: _Page, place: _Place, data: DataMembers) -> None:
        """Raises CircuitOpen and LimitReached, because later files would fail too."""
        native_id = unquote(place.url.removeprefix(self._base)).rstrip("/") or place.name
        page.position = place.url
        try:
            file = self._opened(place)
            if isinstance(file, FileVersion):
                page.unchanged += file.natives
                return
            outcome = data.outcome(file, native_id, place.url, place.modified)
        except (CircuitOpen, LimitReached):
            raise
        except (FileFault, SondeError) as error:
            page.add(SkippedMember(place.url, str(error), native_id))
            return
        page.add(outcome)
        memory = self.fetcher.memory
        if memory is None or not isinstance(outcome, RawRecord):
            return
        version = file.version
        if version.etag or version.last_modified:
            stated = (version.etag, version.last_modified, version.key)
            page.visits.append(FileVersion(place.url, memory.tag, (native_id,), *stated))

    @property
    def _base(self) -> str:
        bucket = _Bucket.of_listing(self.url)
        return f"{self.url.rstrip('/')}/" if bucket is None else bucket.url

    def _opened(self, place: _Place) -> HttpFile | HttpStore | FileVersion:
        memory = self.fetcher.memory
        known_version = memory.versions_of((place.url,)).get(place.url) if memory is not None else None
        if not place.url.endswith("/"):
            return open_file(self.fetcher, place.url, place.name, known_version)
        if known_version is not None and is_unchanged(self.fetcher, known_version):
            return known_version
        return HttpStore(self.fetcher, place.url, place.name, lambda: self._metadata_of_store(place.bucket, place.url))


@dataclass(frozen=True, slots=True)
class _Place:
    """A data file, or a Zarr store, whose address ends with a slash."""

    url: str
    name: str
    modified: str | None
    bucket: _Bucket | None


@dataclass(slots=True)
class _Page:
    records: list[RawRecord] = field(default_factory=list)
    skipped: list[SkippedMember] = field(default_factory=list)
    passed_over: list[PassedOver] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    visits: list[FileVersion] = field(default_factory=list)
    position: str | None = None

    @property
    def size(self) -> int:
        return len(self.records) + len(self.skipped) + len(self.passed_over) + len(self.unchanged)

    def add(self, outcome: RawRecord | SkippedMember | PassedOver) -> None:
        if isinstance(outcome, RawRecord):
            self.records.append(outcome)
        elif isinstance(outcome, SkippedMember):
            self.skipped.append(outcome)
        else:
            self.passed_over.append(outcome)

    def close(self) -> RawPage:
        page = RawPage(
            tuple(self.records),
            self.position,
            skipped=tuple(self.skipped),
            unchanged=tuple(self.unchanged),
            visits=tuple(self.visits),
            passed_over=tuple(self.passed_over),
        )
        self.records, self.skipped, self.passed_over, self.unchanged, self.visits = [], [], [], [], []
        return page


def _objects_in(answer: HttpAnswer, base: str) -> tuple[list[ListingEntry], str]:
    """Files and folders, and the token of the next page. Raises BadAnswer for something else."""
    root = parse_xml(expect_2xx(answer).content, address_of(answer.url))
    if local(root) != "ListBucketResult":
        raise BadAnswer(f"{address_of(answer.url)} did not list a bucket (ListBucketResult)")
    found_entries = []
    for item in root.iter("{*}Contents"):
        key = item.findtext("{*}Key") or ""
        if key and not key.endswith("/"):
            modified = (item.findtext("{*}LastModified") or "")[:19] or None
            found_entries.append(ListingEntry(base + quote(key), modified))
    for item in root.iter("{*}CommonPrefixes"):
        prefix = item.findtext("{*}Prefix") or ""
        if prefix.endswith("/"):
            found_entries.append(ListingEntry(base + quote(prefix)))
    is_cut = (root.findtext("{*}IsTruncated") or "").lower() == "true"
    return found_entries, (root.findtext("{*}NextContinuationToken") or "") if is_cut else ""


def _recognises(answer: FirstAnswer) -> bool:
    return answer.root == "ListBucketResult"


def _ask(fetcher: Fetcher, url: str) -> None:
    """Raises SondeError if neither a bucket nor a listing with data files lies there."""
    bucket = _Bucket.of_listing(url)
    if bucket is not None:
        fetcher.get(url, lambda answer: _objects_in(answer, bucket.url))
        return

    def look(answer: HttpAnswer) -> bool:
        try:
            listing = entries(expect_2xx(answer).content, f"{url.rstrip('/')}/")
        except NotAListing as error:
            raise BadAnswer(str(error)) from None
        return any(is_data(name_of(entry.url)) or entry.is_folder for entry in listing)

    if not fetcher.get(url, look):
        raise BadAnswer("the listing has no data files")


def _questions_at(url: str) -> Iterator[Question]:
    parts = urlsplit(url)
    if _Bucket.of_listing(url) is None:
        yield Question(url, _ask)
    if not _S3_HOST.search(parts.hostname or "") or parts.query:
        return
    path = unquote(parts.path).strip("/")
    first, _, rest = path.partition("/")
    prefix = f"{path}/" if path else ""
    origin = f"{parts.scheme}://{parts.netloc}/"
    yield Question(_Bucket(origin, prefix).listing, _ask)
    if first:
        yield Question(_Bucket(f"{origin}{quote(first)}/", f"{rest}/" if rest else "").listing, _ask)


PROTOCOL = Protocol(
    "data-files",
    DataFilesSource,
    DataFilesOptions,
    "NetCDF, Zarr, GRIB, GeoTIFF, GeoPackage and CSV in directory listings and public buckets (S3): one record a file",
    "the dates in the listing; ETag, Last-Modified",
    recognises=_recognises,
    questions_at=_questions_at,
)
