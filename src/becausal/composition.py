# SPDX-License-Identifier: Apache-2.0
"""Where a memory is put together: the one place that reads settings and picks adapters."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .backup.registry import make_place
from .consolidate.fading import Pruning
from .domain.redaction import Redact, Secret, nothing, redactor
from .domain.time import zone as zone_of
from .engine.assisting import ChatOptions
from .engine.core import SessionOptions
from .engine.embedding import known_dimension
from .engine.memory import Memory
from .engine.requests import Scoring
from .engine.results import Foreign, Progress
from .engine.transfer.migrating import migrate, must_be_empty, must_be_finished
from .engine.transfer.results import Migrated
from .engine.upkeep.backups import BackupPlan
from .engine.upkeep.bringing_back import bring_back
from .engine.upkeep.doctor import look_over, make_again
from .engine.upkeep.results import BroughtBack, Diagnosis, Finding
from .errors import InvalidInput, NotFound, SettingsError, StoreBusy, StoreCorrupt, StoreError
from .foreign import find_foreign
from .models.budget import Limits
from .models.guarded import GuardedChat
from .models.lazy import LazyEmbedder
from .models.registry import Remote, make_chat, make_embedder, make_remote_embedder
from .ports.clock import SystemClock
from .ports.models import Embedder
from .ports.store import GraphStore
from .recall.rank import Weights
from .stores.paths import folder_name, history_in, private_folder
from .stores.registry import mend_store, open_store, swap_store
from .stores.scratch import sweep

if TYPE_CHECKING:
    from .settings import ServiceSettings, Settings

MODEL_WAIT = 30.0
"""Seconds that a question waits for an encoder of this machine that is still loading, ..."""

REMOTE_WAIT = 10.0
"""... and for an embedding service that has not answered yet."""

REMOTE_RETRY = 20.0
"""Seconds in which an embedding service that has failed is not called again."""

FILES = ("sqlite", "ladybug")
"""Stores that keep a memory in a file below the storage location."""

LITTLE_SPACE = 200_000_000
"""Bytes of free space below which somebody should know."""


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    user: str | None = None,
    reindexing: bool = False,
    weights: Weights | None = None,
    **settings: object,
) -> Memory:
    """Open a user's memory; it is made if there is none.

    ``path`` is the folder that holds everybody's memories (default: ``STORAGE_LOCATION``), ``user`` the
    owner (default: ``ACCESSING_USER``). ``settings`` are named as in ``Settings``, such as ``undo_days=30``
    or ``embedder="hashing"``, and win over the environment. ``reindexing`` opens a memory whose vectors
    come from another embedder, for ``Memory.reindex``; ``weights`` are what recall gives each kind of evidence.

    Raises:
        SettingsError: a setting is unknown or cannot be used; nothing was opened.
        StoreError: the memory cannot be opened.
    """
    from .settings import Settings  # with pydantic: a fifth of a second that importing becausal must not cost

    given = {"storage_location": path, "user": user}
    given = {name: value for name, value in given.items() if value is not None}
    return build_memory(Settings.load(**(settings | given)), reindexing=reindexing, weights=weights)


def open_apart(file: Path) -> Memory:
    """Open the memory that belongs to a file of a program's own, in a folder beside it named like it.

    The file itself is neither read nor made. Nothing works in the background there: such a memory is for the
    graphs of sessions, which wait for no index.

    Raises:
        SettingsError: a setting is unknown or cannot be used; nothing was opened.
        StoreError: the memory cannot be opened.
    """
    from .settings import Settings

    settings = Settings.load(storage_location=file.with_name(f"{file.name}.becausal"))
    return build_memory(settings, start_worker=False)


def build_memory(
    settings: Settings,
    *,
    reindexing: bool = False,
    weights: Weights | None = None,
    start_worker: bool = True,
    enrich: bool = True,
    local: Embedder | None = None,
    at_home: bool = True,
) -> Memory:
    """Open the memory that settings describe; see ``open_memory``.

    Without ``enrich`` a chat model reads nothing in the background: for a program that ends soon. ``local`` is an
    embedder of this machine to use instead of making one. Without ``at_home`` what other systems have left in the
    home folder is none of this user's.

    Raises:
        StoreError: it cannot be opened.
    """
    foreign = _foreign(settings) if at_home else ()
    backup = backup_plan(settings)
    store = _open_store(settings, settings.storage_location)
    try:
        must_be_finished(store)
        return Memory(
            store,
            _embedder(settings, store, reindexing, local),
            backend=settings.db_type,
            timezone=settings.timezone,
            undo_days=settings.undo_days,
            scoring=Scoring(settings.scoring),
            weights=weights,
            view_timeout=settings.view_timeout / 1000,
            redact=_redact(settings.redact),
            model_wait=min(REMOTE_WAIT, settings.ask_timeout) if settings.embedding else MODEL_WAIT,
            patience=settings.ask_timeout,
            consolidation_interval=settings.consolidation_interval,
            pruning=Pruning(faded=settings.prune_decay_threshold, unimportant=settings.prune_importance_threshold),
            backup=backup,
            kept=_kept(settings),
            start_worker=start_worker,
            reindexing=reindexing,
            foreign=foreign,
            notes=(*settings.notes, *_unfound(settings, foreign)),
            session=_session(settings),
            chat=None if store.read_only else _chat(settings, store, enrich),
        )
    except BaseException:
        store.close()
        raise


def opener(settings: Settings) -> Callable[[str], Memory]:
    """Return what opens the memory of a user, for a server of several: they share the embedder of this machine.

    It may be called from any thread, and raises what ``build_memory`` does.
    """
    local = None if settings.embedding is not None else _local(settings)

    def open_for(user: str) -> Memory:
        theirs = settings.model_copy(update={"user": user})
        return build_memory(theirs, local=local, at_home=user == settings.user)

    return open_for


def _local(settings: Settings) -> Embedder:
    return make_embedder(settings.embedder, path=settings.model_path, threads=settings.model_threads)


def _options(settings: Settings) -> Mapping[str, object]:
    return settings.store_options(settings.db_type)


def _open_store(settings: Settings, location: Path) -> GraphStore:
    store = open_store(settings.db_type, location=location, user=settings.user, **_options(settings))
    if not store.read_only:  # what a backup or restore that was killed has left is the memory in plain text
        sweep(location / folder_name(settings.user))
    return store


def _embedder(
    settings: Settings, store: GraphStore, reindexing: bool = False, local: Embedder | None = None
) -> LazyEmbedder:
    service = settings.embedding
    if service is None:
        return LazyEmbedder(local or _local(settings))

    def expected() -> tuple[int, str] | None:
        if settings.embedding_dims is not None:
            return settings.embedding_dims, "EMBEDDING_DIMS"
        known = None if reindexing else known_dimension(store, embedder.name)
        return None if known is None else (known, "this memory ('becausal reindex' makes its vectors anew)")

    embedder = make_remote_embedder(_remote(service, settings), expected)
    return LazyEmbedder(embedder, retry_after=REMOTE_RETRY)


def _chat(settings: Settings, store: GraphStore, enrich: bool) -> ChatOptions | None:
    """Return the chat model that settings name, and how it is used; ``None`` without one."""
    service = settings.chat
    if service is None:
        return None
    limits = Limits(calls=settings.llm_calls_per_hour, tokens=settings.llm_tokens_per_hour)
    return ChatOptions(
        chat=GuardedChat(make_chat(_remote(service, settings)), store, SystemClock(), limits),
        plan_tokens=settings.classifier_max_tokens,
        answer_tokens=settings.synthesizer_max_tokens,
        tokens_per_memory=settings.llm_tokens_per_memory,
        question_seconds=settings.ask_timeout,
        call_seconds=settings.llm_timeout,
        enrich=enrich and settings.enrich == "auto",
    )


def _remote(service: ServiceSettings, settings: Settings) -> Remote:
    return Remote(
        base_url=service.base_url,
        key=service.key.get_secret_value() if service.key is not None else None,
        model=service.model,
        retries=settings.max_retries,
        seconds=settings.llm_timeout,
    )


def examine_memory(settings: Settings, *, fix: bool = False) -> Diagnosis:
    """Look over the memory that settings describe, also one that cannot be opened; with ``fix``, mend it.

    Whatever cannot be read is set aside and kept, never thrown away.

    Raises:
        StoreBusy: it has to be mended, and another program has it open.
    """
    folder = settings.storage_location / folder_name(settings.user)
    on_disk = settings.db_type in FILES
    if on_disk and not folder.exists():
        return Diagnosis(location=str(folder), findings=(Finding(what="there is no memory here yet", serious=False),))
    location, user = settings.storage_location, settings.user
    zone = settings.timezone or zone_of(None)
    done: tuple[str, ...] = ()
    before: tuple[Finding, ...] = ()
    for mending in (False, True):
        try:
            if mending:
                mended = mend_store(settings.db_type, location=location, user=user, **_options(settings))
                done = mended.done
            with closing(_open_store(settings, location)) as store:
                if mending:
                    done += tuple(make_again(store, mended, zone))
                with closing(_embedder(settings, store)) as embedder:
                    findings, checked = look_over(store, embedder, SystemClock())
                diagnosis = Diagnosis(
                    location=store.location, findings=tuple(findings), done=done, checked=tuple(checked)
                )
        except StoreBusy:
            raise
        except StoreError as error:
            corrupt = isinstance(error, StoreCorrupt)
            found = Finding(what=str(error), serious=True, mendable=corrupt and not mending)
            where = str(folder) if on_disk else settings.db_type
            diagnosis = Diagnosis(location=where, findings=(*(() if corrupt else before), found), done=done)
        if not (fix and diagnosis.mendable):
            break
        before = diagnosis.findings
    return replace(diagnosis, findings=(*(_space(folder) if on_disk else ()), *diagnosis.findings))


def _redact(chosen: Sequence[str]) -> Redact:
    if "off" in chosen:
        return nothing
    return redactor([secret for secret in Secret if "all" in chosen or secret in chosen])


def _space(folder: Path) -> tuple[Finding, ...]:
    free = shutil.disk_usage(folder).free
    if free >= LITTLE_SPACE:
        return ()
    return (Finding(what=f"the disk has only {free // 1_000_000:,} MB left", serious=False),)


def _session(settings: Settings) -> SessionOptions:
    return SessionOptions(
        max_sessions=settings.session_max,
        slot_ttl=settings.session_slot_ttl or None,
        claim_ttl=settings.session_claim_ttl,
        result_ttl=settings.session_result_ttl,
        promote_after=settings.session_promote_after,
        relevance=settings.session_relevance,
        link_threshold=settings.session_link_threshold,
        link_cap=settings.session_link_cap,
        prune_threshold=settings.session_prune_threshold,
        decay_rate=settings.session_decay,
        hop_penalty=settings.session_hop_penalty,
        across=settings.session_scope == "all",
    )


def backup_plan(settings: Settings) -> BackupPlan | None:
    """Return where copies are kept, ``None`` if that is nowhere."""
    if settings.backup_type == "none":
        return None
    folder = private_folder(settings.storage_location, settings.user)
    place = make_place(settings.backup_type, folder=folder, user=settings.user, options=settings.backup_options)
    return BackupPlan(place=place, folder=folder, interval=settings.backup_sync_interval)


def _kept(settings: Settings) -> tuple[str, ...]:
    """Return what keeps old copies of a memory on a server here, though no setting names it now."""
    if settings.db_type in FILES or settings.backup_type == "git":  # the store names it, or the place does
        return ()
    return history_in(settings.storage_location / folder_name(settings.user))


def migrate_memory(source: Settings, target: Settings, progress: Callable[[Progress], None] | None = None) -> Migrated:
    """Bring the memory that one set of settings describes into the store of another, which is empty.

    Raises:
        SettingsError: both name the same store.
        NotFound: there is nothing to bring.
        InvalidInput: the target holds a memory already.
        StoreError: one of the stores fails; what has arrived stays for the next try.
    """
    if source.db_type == target.db_type and _place(source) == _place(target):
        raise SettingsError("DB_TYPE", f"the memory is in '{source.db_type}' at this place already")
    if source.db_type in FILES and not (source.storage_location / folder_name(source.user)).is_dir():
        raise NotFound("memory", str(source.storage_location))
    zone = source.timezone or zone_of(None)
    with (
        closing(_open_store(source, source.storage_location)) as old,
        closing(_open_store(target, target.storage_location)) as new,
    ):
        must_be_finished(old)
        return migrate(old, new, zone, progress or (lambda _: None))


def _place(settings: Settings) -> tuple[object, ...]:
    return (settings.storage_location, settings.user, *sorted(_options(settings).items(), key=str))


def restore_backup(
    settings: Settings, version: str | None = None, progress: Callable[[Progress], None] | None = None
) -> BroughtBack:
    """Put a copy of the memory, the newest or a certain one, in its place; what was there before is kept beside it.

    On a database server it goes into an empty memory alone, once it has been made into one on this machine and
    examined.

    Raises:
        SettingsError: no place for copies is configured.
        InvalidInput: the memory is on a server, and not empty.
        NotFound: there is no copy, or no such version.
        BackupError: the copy cannot be reached, or is damaged; nothing was changed.
        StoreBusy: another program has the memory open; nothing was changed.
    """
    plan = backup_plan(settings)
    if plan is None:
        raise SettingsError("BACKUP_TYPE", "no backup is configured")

    on_disk = settings.db_type in FILES
    side_by = settings if on_disk else settings.model_copy(update={"db_type": "sqlite"})
    if not on_disk:
        with closing(_open_store(settings, settings.storage_location)) as there:
            try:
                must_be_empty(there)
            except InvalidInput:
                raise InvalidInput(
                    "memory",
                    f"is not empty at {there.location}, and a server's memory is not exchanged like a file: bring the "
                    "copy into an empty one (another FALKOR_GRAPH or NEO4J_DATABASE, or a server of its own)",
                ) from None

    def open_side(folder: Path) -> Memory:
        store = _open_store(side_by, folder)
        embedder = _embedder(settings, store)
        return Memory(store, embedder, timezone=settings.timezone, backup=plan, start_worker=False)

    def swap(side: Path) -> Path | None:
        if not on_disk:
            migrate_memory(side_by.model_copy(update={"storage_location": side}), settings, progress)
            return None
        return swap_store(settings.db_type, location=settings.storage_location, user=settings.user, side=side)

    return bring_back(plan.place, plan.folder, version, open_side, swap, progress)


def _foreign(settings: Settings) -> tuple[Foreign, ...]:
    """Return what other memory systems have left where the settings and the platform say."""
    data_home = os.environ.get("XDG_DATA_HOME")
    return find_foreign(
        storage=settings.storage_location,
        user=settings.user,
        home=Path(os.path.expanduser("~")),
        data_home=Path(data_home) if data_home else None,
        pmll_graph=settings.pmll_graph_db,
    )


def _unfound(settings: Settings, foreign: tuple[Foreign, ...]) -> tuple[str, ...]:
    """Return a note if there is no graph where ``PMLL_GRAPH_DB`` points."""
    place = settings.pmll_graph_db
    if place is None or str(place) in {found.path for found in foreign}:
        return ()
    return (f"PMLL_GRAPH_DB is set, but there is no pmll-memory-mcp graph at {place}.",)
