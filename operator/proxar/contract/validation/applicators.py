"""The keywords that apply other schemas: to the value itself, or to its parts."""

from decimal import Decimal

from proxar.contract.validation.expression import Expression, parse
from proxar.contract.validation.question import (
    Answer,
    Check,
    Context,
    Factory,
    Question,
    any_of,
    every,
    if_known,
)
from proxar.contract.value import JSON, MISSING

__all__ = ["APPLICATORS", "expressions", "is_covered"]


def _schemas(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _members(value: JSON) -> dict[str, JSON]:
    return value if isinstance(value, dict) else {}


def _all_of(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    parts = _schemas(value)
    return lambda question, instance: every(question.check(part, instance) for part in parts)


def _any_of(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    parts = _schemas(value)
    return lambda question, instance: any_of(question.check(part, instance) for part in parts)


def _one_of(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    parts = _schemas(value)

    def check(question: Question, instance: JSON) -> Answer:
        sure = unknown = 0
        for part in parts:
            answer = question.check(part, instance)
            sure += answer is True
            unknown += answer is None
            if sure > 1:
                return False
        return None if unknown else sure == 1

    return check


def _not(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    def check(question: Question, instance: JSON) -> Answer:
        answer = question.check(value, instance)
        return None if answer is None else not answer

    return check


def _if(value: JSON, schema: dict[str, JSON], _context: Context) -> Check:
    then, other = schema.get("then", True), schema.get("else", True)

    def check(question: Question, instance: JSON) -> Answer:
        if then is True and other is True:
            return True
        is_met = question.check(value, instance)
        if is_met is not None:
            return question.check(then if is_met else other, instance)
        answers = question.check(then, instance), question.check(other, instance)
        return answers[0] if answers[0] is answers[1] else None

    return check


def _reference(value: JSON, _schema: dict[str, JSON], context: Context) -> Check:
    """`$ref`; as a whole schema is one resource here, `$dynamicRef` and `$recursiveRef` are too."""
    target = context.references.resolve(str(value))
    if target is MISSING:
        return lambda _question, _instance: None
    return lambda question, instance: question.follow(target, instance)


def _properties(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    schemas = _members(value)

    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, dict):
            return True
        return every(
            question.check(schemas[name], member)
            for name, member in instance.items()
            if name in schemas
        )

    return check


def expressions(patterns: JSON) -> list[tuple[Expression | None, JSON]]:
    """The expressions of `patternProperties`, each with its schema."""
    return [(parse(pattern), schema) for pattern, schema in _members(patterns).items()]


def _pattern_properties(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    patterns = expressions(value)

    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, dict):
            return True
        return every(
            if_known(applies, question.check(schema, member))
            for name, member in instance.items()
            for expression, schema in patterns
            if (applies := question.matches(expression, name)) is not False
        )

    return check


def is_covered(
    question: Question,
    name: str,
    properties: dict[str, JSON],
    patterns: list[tuple[Expression | None, JSON]],
) -> Answer:
    """Whether a member is one that `properties` or `patternProperties` speak of."""
    if name in properties:
        return True
    return any_of(question.matches(expression, name) for expression, _ in patterns)


def _additional_properties(value: JSON, schema: dict[str, JSON], _context: Context) -> Check:
    named, patterns = (
        _members(schema.get("properties")),
        expressions(schema.get("patternProperties")),
    )

    def check(question: Question, instance: JSON) -> Answer:
        if value is True or not isinstance(instance, dict):
            return True
        return every(
            if_known(None if covered is None else True, question.check(value, member))
            for name, member in instance.items()
            if (covered := is_covered(question, name, named, patterns)) is not True
        )

    return check


def _property_names(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, dict):
            return True
        return every(question.check(value, name) for name in instance)

    return check


def _dependent_schemas(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    schemas = _members(value)

    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, dict):
            return True
        return every(
            question.check(schema, instance) for name, schema in schemas.items() if name in instance
        )

    return check


def _dependencies(value: JSON, _schema: dict[str, JSON], context: Context) -> Check:
    """Both kinds in one keyword; newer drafts do not have it, and many validators still do."""
    needs = _members(value)

    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, dict):
            return True
        answer = every(
            all(name in instance for name in need)
            if isinstance(need, list)
            else question.check(need, instance)
            for name, need in needs.items()
            if name in instance
        )
        return answer if context.dialect.has_lone_references else if_known(None, answer)

    return check


def _items(value: JSON, schema: dict[str, JSON], context: Context) -> Check:
    if isinstance(value, list):
        return _tuple(value)
    first = len(_schemas(schema.get("prefixItems"))) if context.dialect.knows("prefixItems") else 0

    def check(question: Question, instance: JSON) -> Answer:
        if value is True or not isinstance(instance, list):
            return True
        return every(question.check(value, item) for item in instance[first:])

    return check


def _tuple(schemas: list[JSON]) -> Check:
    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, list):
            return True
        return every(
            question.check(schema, item) for schema, item in zip(schemas, instance, strict=False)
        )

    return check


def _prefix_items(value: JSON, _schema: dict[str, JSON], _context: Context) -> Check:
    return _tuple(_schemas(value))


def _additional_items(value: JSON, schema: dict[str, JSON], _context: Context) -> Check:
    first = schema.get("items")

    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(first, list) or not isinstance(instance, list):
            return True
        return every(question.check(value, item) for item in instance[len(first) :])

    return check


def _contains(value: JSON, schema: dict[str, JSON], context: Context) -> Check:
    least, most = (
        limit if context.dialect.knows(name) and isinstance(limit, int | Decimal) else None
        for name in ("minContains", "maxContains")
        for limit in [schema.get(name)]
    )
    least = 1 if least is None else least

    def check(question: Question, instance: JSON) -> Answer:
        if not isinstance(instance, list):
            return True
        answers = [question.check(value, item) for item in instance]
        fewest = sum(answer is True for answer in answers)
        highest = fewest + sum(answer is None for answer in answers)
        if highest < least or (most is not None and fewest > most):
            return False
        return True if fewest >= least and (most is None or highest <= most) else None

    return check


APPLICATORS: dict[str, Factory] = {
    "$ref": _reference,
    "$dynamicRef": _reference,
    "$recursiveRef": _reference,
    "additionalProperties": _additional_properties,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "propertyNames": _property_names,
    "prefixItems": _prefix_items,
    "items": _items,
    "additionalItems": _additional_items,
    "contains": _contains,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
    "dependencies": _dependencies,
}
