"""The keywords that look at a value and at no schema inside."""

from collections.abc import Callable
from decimal import Decimal

from proxar.contract.canonical import canonical_text
from proxar.contract.validation.expression import parse
from proxar.contract.validation.formats import has_format
from proxar.contract.validation.numbers import is_multiple
from proxar.contract.validation.question import Answer, Check, Context, Factory, Question
from proxar.contract.value import JSON
from proxar.contract.vocabulary import is_whole, kind_of

__all__ = ["ASSERTIONS"]

CHARACTERS_PER_STEP = 64
"""Characters of canonical text that are written in a step."""


def _type(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    names = frozenset(str(name) for name in (value if isinstance(value, list) else [value]))
    takes_integers = "integer" in names

    def check(_question: Question, instance: JSON) -> Answer:
        kind = kind_of(instance)
        return kind in names or (takes_integers and kind == "number" and is_whole(instance))

    return check


def _key(value: JSON) -> str:
    """A text that equal values share, and no others: 1.0 is 1, and true is not."""
    return f'"{value}' if isinstance(value, str) else canonical_text(value)


def _spent_key(question: Question, instance: JSON) -> str:
    key = _key(instance)
    question.budget.spend(len(key) // CHARACTERS_PER_STEP)
    return key


def _listed(values: list[JSON]) -> Check:
    keys = frozenset(map(_key, values))
    return lambda question, instance: _spent_key(question, instance) in keys


def _enum(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    return _listed(value if isinstance(value, list) else [])


def _const(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    return _listed([value])


def _about_number(is_met: Callable[[int | Decimal, int | Decimal], bool]) -> Factory:
    """A keyword with a number, about numbers."""

    def factory(limit: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
        bound = limit if isinstance(limit, int | Decimal) else 0

        def check(_question: Question, instance: JSON) -> Answer:
            if isinstance(instance, bool) or not isinstance(instance, int | Decimal):
                return True
            return is_met(instance, bound)

        return check

    return factory


def _about_size(
    kind: type[str] | type[list[JSON]] | type[dict[str, JSON]], *, is_least: bool
) -> Factory:
    """A keyword with a count, about how many characters, items or members there are."""

    def factory(limit: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
        bound = limit if isinstance(limit, int | Decimal) else 0

        def check(_question: Question, instance: JSON) -> Answer:
            if not isinstance(instance, kind):
                return True
            return len(instance) >= bound if is_least else len(instance) <= bound

        return check

    return factory


def _pattern(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    expression = parse(str(value))
    return lambda question, instance: (
        question.matches(expression, instance) if isinstance(instance, str) else True
    )


def _format(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    name = str(value)

    def check(question: Question, instance: JSON) -> Answer:
        question.budget.spend()
        return has_format(name, instance)

    return check


def _content(_value: JSON, _schema: dict[str, JSON], context: Context) -> Check:
    """What is inside a string was for the validator to see up to draft-07, if it liked."""
    may_be_checked = context.dialect.has_lone_references
    return lambda _question, instance: (
        None if may_be_checked and isinstance(instance, str) else True
    )


def _unique(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    def check(question: Question, instance: JSON) -> Answer:
        if value is False or not isinstance(instance, list) or len(instance) < 2:
            return True
        return len({_spent_key(question, item) for item in instance}) == len(instance)

    return check


def _required(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    names = [str(name) for name in value] if isinstance(value, list) else []
    return lambda _question, instance: (
        not isinstance(instance, dict) or all(name in instance for name in names)
    )


def _dependent_required(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    needs = value if isinstance(value, dict) else {}

    def check(_question: Question, instance: JSON) -> Answer:
        return not isinstance(instance, dict) or all(
            needed in instance
            for name, others in needs.items()
            if name in instance and isinstance(others, list)
            for needed in others
        )

    return check


ASSERTIONS: dict[str, Factory] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "required": _required,
    "maximum": _about_number(lambda value, limit: value <= limit),
    "minimum": _about_number(lambda value, limit: value >= limit),
    "exclusiveMaximum": _about_number(lambda value, limit: value < limit),
    "exclusiveMinimum": _about_number(lambda value, limit: value > limit),
    "multipleOf": _about_number(is_multiple),
    "maxLength": _about_size(str, is_least=False),
    "minLength": _about_size(str, is_least=True),
    "maxItems": _about_size(list, is_least=False),
    "minItems": _about_size(list, is_least=True),
    "maxProperties": _about_size(dict, is_least=False),
    "minProperties": _about_size(dict, is_least=True),
    "dependentRequired": _dependent_required,
    "uniqueItems": _unique,
    "contentEncoding": _content,
    "contentMediaType": _content,
    "format": _format,
    "pattern": _pattern,
}
"""By keyword, the cheap ones first."""
